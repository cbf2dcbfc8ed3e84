import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from fastpd.errors import DataError
from fastpd.frames import Columns, as_rows, frame_names, is_batches


def whole(data, names, **options):
    rows = as_rows(data, Columns(names, **options))
    return rows.chunk(0, rows.n_rows)


def from_numpy(columns):
    return np.column_stack(
        [[np.nan if x is None else x for x in values] for values in columns.values()]
    )


def from_pandas(columns):
    return pd.DataFrame({name: pd.Series(values) for name, values in columns.items()})


def from_pandas_nullable(columns):
    return from_pandas(columns).convert_dtypes()


def from_pandas_pyarrow(columns):
    table = pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype)
    assert all(isinstance(dtype, pd.ArrowDtype) for dtype in table.dtypes)
    return table


def from_polars_lists(columns):
    return pl.DataFrame(columns)


def from_arrow_batch(columns):
    return pa.RecordBatch.from_pydict(columns)


TABLES = [
    from_pandas,
    from_pandas_nullable,
    from_pandas_pyarrow,
    from_polars_lists,
    pa.table,
    from_arrow_batch,
]


def label(maker):
    return maker.__name__


@pytest.fixture(params=[from_numpy, *TABLES], ids=label)
def make(request):
    return request.param


@pytest.fixture(params=TABLES, ids=label)
def make_table(request):
    return request.param


@pytest.fixture(params=[maker for maker in TABLES if maker is not from_pandas], ids=label)
def make_nullable(request):
    """Libraries with nulls in columns of integers and bools, which plain pandas has not."""
    return request.param


class TestEveryLibrary:
    def test_numbers_bools_and_nulls(self, make):
        data = make({"a": [1.5, None, -2.0], "b": [1, 2, 3], "c": [True, False, True]})
        got = whole(data, ("a", "b", "c"))
        np.testing.assert_array_equal(got, [[1.5, 1, 1], [np.nan, 2, 0], [-2, 3, 1]])
        assert got.dtype == np.float64

    def test_chunks_are_the_whole(self, make):
        rng = np.random.default_rng(3)
        data = make({"a": rng.normal(size=11).tolist(), "b": list(range(11))})
        rows = as_rows(data, Columns(("a", "b")))
        assert (rows.n_rows, rows.n_features) == (11, 2)
        parts = [rows.chunk(start, start + 4) for start in range(0, 11, 4)]
        assert [len(part) for part in parts] == [4, 4, 3]
        np.testing.assert_array_equal(np.concatenate(parts), rows.chunk(0, 11))
        assert rows.chunk(5, 5).shape == (0, 2)
        assert rows.chunk(9, 4).shape == (0, 2)

    def test_largest_exact_integers(self, make):
        data = make({"a": [2**53, -(2**53), 2**60]})
        np.testing.assert_array_equal(whole(data, ("a",)), [[2.0**53], [-(2.0**53)], [2.0**60]])

    @pytest.mark.parametrize("number", [2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**64 - 1])
    def test_integers_that_would_change(self, make, number):
        dtype = np.uint64 if number > 2**63 else np.int64
        rows = as_rows(make({"id": np.array([1, number], dtype)}), Columns(("id",)))
        with pytest.raises(DataError, match=rf"has {number} in column 'id'.* round to"):
            rows.chunk(0, 2)

    def test_no_rows(self, make):
        data = make({"a": [1.0], "b": [2]})[:0]
        assert whole(data, ("a", "b")).shape == (0, 2)


class TestTables:
    def test_exact_integers_beside_nulls(self, make_nullable):
        got = whole(make_nullable({"a": [2**53 - 1, None]}), ("a",))
        np.testing.assert_array_equal(got, [[2.0**53 - 1], [np.nan]])

    def test_bools_beside_nulls(self, make_nullable):
        got = whole(make_nullable({"a": [True, None, False]}), ("a",))
        np.testing.assert_array_equal(got, [[1], [np.nan], [0]])

    def test_a_column_of_nulls_alone_is_missing(self, make_table):
        data = make_table({"a": [None, None], "b": [1.0, 2.0]})
        np.testing.assert_array_equal(whole(data, ("a", "b")), [[np.nan, 1], [np.nan, 2]])

    @pytest.mark.parametrize("named", [True, False])
    def test_columns_go_by_name(self, make_table, named):
        data = make_table({"extra": ["x"], "b": [2.0], "a": [1.0]})
        np.testing.assert_array_equal(whole(data, ("a", "b"), named=named), [[1, 2]])

    def test_a_missing_column(self, make_table):
        data = make_table({"age": [1.0], "relationships": [2.0]})
        with pytest.raises(DataError, match=r"'relationship' \(Did you mean 'relationships'\?\)"):
            as_rows(data, Columns(("age", "relationship")))

    def test_many_missing_columns(self, make_table):
        names = tuple(f"column{k}" for k in range(8))
        with pytest.raises(DataError, match=r"lacks 7 of the model's 8 columns.* And 2 more\."):
            as_rows(make_table({"column0": [1.0]}), Columns(names))

    def test_a_model_without_names_goes_by_position(self, make_table):
        data = make_table({"z": [1.0], "y": [2.0]})
        np.testing.assert_array_equal(whole(data, ("f0", "f1"), named=False), [[1, 2]])

    def test_a_model_without_names_takes_no_other_width(self, make_table):
        data = make_table({"z": [1.0], "y": [2.0]})
        with pytest.raises(DataError, match="has 2 columns, but the model has 3 features"):
            as_rows(data, Columns(("f0", "f1", "f2"), named=False))

    def test_text(self, make_table):
        data = make_table({"age": [1, 2], "sex": [None, "Female"]})
        with pytest.raises(DataError, match=r"Column 'sex' of people has dtype .* holds 'Female'"):
            as_rows(data, Columns(("age", "sex")), what="people")

    @pytest.mark.parametrize("value", [datetime.datetime(2020, 1, 2), Decimal("1.5"), [1, 2]])
    def test_other_values(self, make_table, value):
        with pytest.raises(DataError, match=r"Column 'a' of X has dtype .* expected numbers"):
            as_rows(make_table({"a": [value]}), Columns(("a",)))

    def test_names(self, make_table):
        assert frame_names(make_table({"b": [1.0], "a": [2.0]})) == ("b", "a")

    def test_is_no_batches(self, make_table):
        assert not is_batches(make_table({"a": [1.0]}))


class TestPandas:
    def test_labels_that_are_no_text(self):
        data = pd.DataFrame([[1.0, 2.0, 3.0]], columns=[7, 2.5, ("a", 1)])
        assert frame_names(data) == ("7", "2.5", "('a', 1)")
        np.testing.assert_array_equal(whole(data, ("2.5", "7")), [[2, 1]])

    @pytest.mark.parametrize("labels", [["a", "a"], [1, "1"]])
    def test_labels_twice(self, labels):
        data = pd.DataFrame([[1.0, 2.0]], columns=pd.Index(labels, dtype=object))
        with pytest.raises(DataError, match=r"'(a|1)'"):
            as_rows(data, Columns(("a",)))
        with pytest.raises(DataError, match=r"'(a|1)'"):
            frame_names(data)

    @pytest.mark.parametrize(
        "column",
        [
            pd.Series(["u", "v"], dtype="category"),
            pd.Series([1, "v"], dtype=object),
            pd.Series([1j, 2]),
            pd.Series(pd.to_timedelta([1, 2], unit="s")),
            pd.Series(pd.period_range("2020", periods=2)),
        ],
    )
    def test_columns_that_are_no_numbers(self, column):
        dtype = str(column.dtype).split("[")[0]
        with pytest.raises(DataError, match=f"Column 'a' of X has dtype {dtype}"):
            as_rows(pd.DataFrame({"a": column}), Columns(("a",)))

    @pytest.mark.parametrize(
        "dtype", ["float16", "float32", "uint8", "Int8", "Float32", "Sparse[float]", "boolean"]
    )
    def test_number_dtypes(self, dtype):
        data = pd.DataFrame({"a": pd.Series([0, 1, 0, 1]).astype(dtype)})
        np.testing.assert_array_equal(whole(data, ("a",))[:, 0], [0, 1, 0, 1])

    def test_sparse_column_with_missing(self):
        data = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, np.nan, 2.0])})
        np.testing.assert_array_equal(whole(data, ("a",))[:, 0], [0, np.nan, 2])

    def test_index_is_of_no_account(self):
        data = pd.DataFrame({"a": [1.0, 2.0, 3.0]}, index=[2, 0, 2])
        np.testing.assert_array_equal(as_rows(data, Columns(("a",))).chunk(1, 3), [[2], [3]])

    def test_a_column_of_objects_names_the_first_that_is_no_number(self):
        mixed = pd.DataFrame({"a": pd.Series([1.0, "2", None, "x", [3]], dtype=object)})
        with pytest.raises(DataError, match="dtype object and holds 'x'; expected numbers"):
            whole(mixed, ("a",))
        numbers = pd.DataFrame({"a": pd.Series([1.0, 2, None], dtype=object)})
        with pytest.raises(DataError, match="read as numbers: convert it to a dtype of floats"):
            whole(numbers, ("a",))

    def test_no_columns_at_all(self):
        with pytest.raises(DataError, match="no columns at all; add them, or give an array"):
            whole(pd.DataFrame(index=range(3)), ("a",))


class TestOtherTables:
    def test_polars_numbers_beyond_64_bits(self):
        dtype = getattr(pl, "Int128", pl.Decimal)
        with pytest.raises(DataError, match=dtype.__name__):
            as_rows(pl.DataFrame({"a": pl.Series([1], dtype=dtype)}), Columns(("a",)))

    def test_polars_nan_and_null_are_both_missing(self):
        data = pl.DataFrame({"a": [float("nan"), None, 1.0]})
        np.testing.assert_array_equal(whole(data, ("a",)), [[np.nan], [np.nan], [1]])

    def test_arrow_in_several_pieces(self):
        piece = pa.table({"a": [1, None], "b": [1.0, 2.0]})
        data = pa.concat_tables([piece, piece])
        expected = [[np.nan, 2], [1, 1]]
        np.testing.assert_array_equal(as_rows(data, Columns(("a", "b"))).chunk(1, 3), expected)

    def test_arrow_names_twice(self):
        data = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
        with pytest.raises(DataError, match="'a'"):
            as_rows(data, Columns(("a",)))

    def test_dictionary_is_text(self):
        data = pa.table({"a": pa.array(["u", "v"]).dictionary_encode()})
        with pytest.raises(DataError, match="'u'"):
            as_rows(data, Columns(("a",)))

    def test_lazy_frame(self):
        with pytest.raises(DataError, match=r"X\.collect\(\)"):
            as_rows(pl.LazyFrame({"a": [1.0]}), Columns(("a",)))

    @pytest.mark.parametrize(
        "column", [pd.Series([1.0]), pl.Series([1.0]), pa.chunked_array([[1.0]])], ids=type
    )
    def test_one_column(self, column):
        with pytest.raises(DataError, match="is one column"):
            as_rows(column, Columns(("a",)))


class TestArrays:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize(
        "view",
        [
            lambda a: a,
            np.asfortranarray,
            lambda a: a[::-1],
            lambda a: a[::2],
            lambda a: np.broadcast_to(a[:1], a.shape),
        ],
    )
    def test_floats_are_not_copied(self, dtype, view):
        array = view(np.arange(12, dtype=dtype).reshape(4, 3))
        part = as_rows(array, Columns(("a", "b", "c"))).chunk(1, 3)
        assert np.shares_memory(part, array)
        assert part.dtype == dtype
        np.testing.assert_array_equal(part, array[1:3])

    @pytest.mark.parametrize(
        "dtype", ["?", "u1", "i2", "u4", "i8", "u8", ">f8", ">f4", ">i4", "f2"]
    )
    def test_other_numbers_are_converted(self, dtype):
        got = whole(np.array([[1, 0], [0, 1]], dtype=dtype), ("a", "b"))
        assert got.dtype.isnative
        assert got.dtype in (np.float32, np.float64)
        np.testing.assert_array_equal(got, [[1, 0], [0, 1]])

    def test_unaligned_floats_are_copied(self):
        packed = np.zeros(3, dtype=[("tag", "u1"), ("x", "f8", (2,))])
        packed["x"] = [[1, 2], [3, 4], [5, 6]]
        got = whole(packed["x"], ("a", "b"))
        assert got.flags.aligned
        np.testing.assert_array_equal(got, [[1, 2], [3, 4], [5, 6]])

    def test_lists_of_lists(self):
        np.testing.assert_array_equal(whole([[1, 2.5], (3, 4)], ("a", "b")), [[1, 2.5], [3, 4]])

    def test_anything_with_an_array(self):
        class Tensor:
            def __array__(self, dtype=None, copy=None):
                return np.array([[1.0, 2.0]])

        np.testing.assert_array_equal(whole(Tensor(), ("a", "b")), [[1, 2]])

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (np.ones(2), r"1 dimensions, shape \(2,\).* X\[None, :\]"),
            (np.ones((1, 2, 1)), "3 dimensions"),
            (np.ones((2, 3)), "has 3 columns, but the model has 2 features"),
            (np.array([["1", "2"], ["3", "Private"]]), "Column 'b' holds 'Private'"),
            (np.array([["1", "2"]]), "Column 'a' holds '1'"),
            (np.array([[1.0, None]], dtype=object), "Column 'b' holds None.* NaN"),
            (np.array([["x"]], dtype=object), "Column 0 holds 'x'"),
            (np.array(["x"], dtype=object), "dtype object"),
            (np.array([[1.0, 2.0]], dtype=object), "dtype object.* array of floats"),
            (np.array([[1j, 2]]), "dtype complex128.* holds 1j"),
            (np.array([["2020-01-01", "NaT"]], dtype="M8[D]"), "datetime64.* holds datetime.date"),
            (np.ones((1, 2), np.longdouble), r"X\.astype\(numpy\.float64\)"),
            (np.ma.masked_equal([[1.0, 2.0]], 2), r"masked array.*\.filled\(numpy\.nan\)"),
            ([[1.0], [2.0, 3.0]], "a list that is no array"),
            ([{"a": 1.0, "b": 2.0}], r"rows have names.* pandas\.DataFrame\(X\)"),
            (np.ones(2, [("a", float), ("b", float)]), r"rows have names.* pandas\.DataFrame"),
            ({"a": [1.0], "b": [2.0]}, r"is a dict.* pandas\.DataFrame"),
            (None, "is a NoneType"),
            ("data.csv", "is a str"),
            (3.0, "is a float"),
            (scipy.sparse.csr_matrix([[1.0, 2.0]]), r"X\.toarray\(\)"),
            (scipy.sparse.csc_array([[1.0, 2.0]]), r"X\.toarray\(\)"),
        ],
        ids=lambda x: x if isinstance(x, str) else type(x).__name__,
    )
    def test_refusals(self, data, said):
        with pytest.raises(DataError, match=said):
            as_rows(data, Columns(("a", "b")))

    def test_has_no_names(self):
        assert frame_names(np.ones((1, 2))) is None
        assert frame_names([[1.0]]) is None


class TestBatches:
    def test_iterators_are(self):
        schema = pa.schema([("a", pa.float64())])
        reader = pa.RecordBatchReader.from_batches(schema, [from_arrow_batch({"a": [1.0]})])
        for data in [iter([np.ones((1, 1))]), (x for x in ()), map(len, []), reader]:
            assert is_batches(data)
            assert frame_names(data) is None
            with pytest.raises(DataError, match="of batches; expected one table"):
                as_rows(data, Columns(("a",)))

    def test_loaders_are(self):
        class Loader:
            def __iter__(self):
                return iter([np.ones((1, 1))])

        assert is_batches(Loader())

    @pytest.mark.parametrize(
        "data",
        [
            np.ones((1, 1)),
            [[1.0]],
            ((1.0,),),
            {"a": [1.0]},
            "text",
            None,
            1.0,
            pl.LazyFrame({"a": [1.0]}),
            pd.Series([1.0]),
            scipy.sparse.csr_matrix([[1.0]]),
        ],
        ids=lambda x: type(x).__name__,
    )
    def test_other_data_are_not(self, data):
        assert not is_batches(data)
