import contextlib
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastpd.errors import ModelFileError
from fastpd.forest.importers.xgboost.ubjson import dumps, loads

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(values)
def test_what_is_written_is_read_again(value):
    assert loads(dumps(value)) == value


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "i4", "i8", "f4", "f8"])
def test_typed_arrays_keep_type_and_values(kind):
    array = np.array([0, 1, 100, 7], kind)
    read = loads(dumps(array))
    assert read.dtype == array.dtype
    assert read.dtype.isnative
    np.testing.assert_array_equal(read, array)


def test_single_precision_stays_single():
    assert dumps(np.float32(0.5)) == b"d\x3f\x00\x00\x00"


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data):
    with contextlib.suppress(ModelFileError):
        loads(b"{" + data)


@given(values, st.data())
def test_every_truncation_is_refused(value, data):
    document = dumps([value])
    keep = data.draw(st.integers(0, len(document) - 1))
    with pytest.raises(ModelFileError):
        loads(document[:keep])


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"i\xff", -1),
        (b"U\xff", 255),
        (b"NNZ", None),
        (b"CA", "A"),
        (b"Si\x02ab", "ab"),
        (b"[#i\x02TF", [True, False]),
        (b"[i\x01i\x02]", [1, 2]),
        (b"{#i\x01i\x01aT", {"a": True}),
        (b"[$[#i\x02]]", [[], []]),
        (b"{$i#i\x01i\x01a\x05", {"a": 5}),
        (b"d\x3f\x80\x00\x00", 1.0),
    ],
)
def test_the_notation_is_understood(data, value):
    assert loads(data) == value


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[",
        b"{i\x01a",
        b"Q",
        b"TT",
        b"Si\xff",
        b"Sd\x00\x00\x00\x00",
        b"Si\x01\xff",
        b"[$d",
        b"[$d#",
        b"[$dT",
        b"[$Z#L\x00\x00\x00\xff\xff\xff\xff\xff",
        b"[#L\x7f\xff\xff\xff\xff\xff\xff\xff",
        b"[$d#L\x7f\xff\xff\xff\xff\xff\xff\xff",
    ],
)
def test_malformed_input_is_refused(data):
    with pytest.raises(ModelFileError, match="at byte"):
        loads(data)


@pytest.mark.parametrize("opening", [b"[", b"{i\x01a", b"[$[#i\x01", b"N"])
def test_ten_megabytes_of_openings_are_refused_quickly(opening):
    start = time.perf_counter()
    with pytest.raises(ModelFileError):
        loads(opening * (10_000_000 // len(opening)))
    assert time.perf_counter() - start < 3
