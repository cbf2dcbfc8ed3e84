"""Files that were damaged, or made to harm: refused in words, or read as what they say."""

from __future__ import annotations

import io
import json
import random
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saved_cases import CASES

import fastpd
from fastpd import Explainer, FastPDError, ModelFileError

Members = dict[str, bytes]
Arrays = dict[str, np.ndarray[Any, Any]]
N_DAMAGED = 150


def content_of(name: str) -> bytes:
    memory = io.BytesIO()
    fastpd.saved.write(CASES[name].make()._kept(), memory)
    return memory.getvalue()


def members_of(content: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members: Members, **options: Any) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", **options) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return memory.getvalue()


def loaded(content: bytes, folder: Path) -> Explainer:
    (folder / "model.fastpd").write_bytes(content)
    return fastpd.load(folder / "model.fastpd")


def refused(content: bytes, folder: Path, said: str) -> None:
    with pytest.raises(ModelFileError, match=said):
        loaded(content, folder)


def with_header(name: str, change: Callable[[dict[str, Any]], Any]) -> bytes:
    members = members_of(content_of(name))
    header = json.loads(members["fastpd.json"])
    changed = change(header)
    members["fastpd.json"] = json.dumps(header if changed is None else changed).encode()
    return zipped(members)


def with_array(name: str, array: str, change: Callable[[Any], Any]) -> bytes:
    members = members_of(content_of(name))
    memory = io.BytesIO()
    np.save(memory, change(np.load(io.BytesIO(members[f"{array}.npy"]))), allow_pickle=True)
    return zipped(members | {f"{array}.npy": memory.getvalue()})


@pytest.mark.parametrize("name", ["rows", "deep", "labels and groups", "gaussian", "outputs"])
def test_damaged_bytes_are_refused_or_mean_the_same(name: str, tmp_path: Path):
    content, rows = content_of(name), CASES[name].rows
    expected = CASES[name].make().shap(rows).values
    rng = random.Random(name)
    n_refused = 0
    for _ in range(N_DAMAGED):
        damaged = bytearray(content)
        for _ in range(rng.choice([1, 1, 4])):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        if rng.random() < 0.2:
            del damaged[rng.randrange(len(damaged)) :]
        try:
            found = loaded(bytes(damaged), tmp_path).shap(rows).values
        except FastPDError:
            n_refused += 1
            continue
        np.testing.assert_array_equal(found, expected)
    assert n_refused > N_DAMAGED / 2


@pytest.mark.parametrize("name", CASES)
def test_arrays_that_were_changed_never_crash(name: str, tmp_path: Path):
    """Changed behind the zip's sums: answers may be others, but come, or an error in words."""
    content = content_of(name)
    rng = random.Random(name)
    members = members_of(content)
    for _ in range(40):
        changed = dict(members)
        for at in rng.sample(sorted(changed), 2):
            bytes_ = bytearray(changed[at])
            bytes_[rng.randrange(len(bytes_))] = rng.choice([0, 1, 0x7F, 0x80, 0xFF])
            changed[at] = bytes(bytes_)
        try:
            ex = loaded(zipped(changed), tmp_path)
            ex.shap(CASES[name].rows)
            ex.update(CASES[name].rows)
        except FastPDError:
            continue


@pytest.mark.parametrize("name", ["rows", "deep", "labels and groups", "gaussian"])
def test_every_array_is_needed_and_no_other(name: str, tmp_path: Path):
    members = members_of(content_of(name))
    for one in members:
        fewer = {other: content for other, content in members.items() if other != one}
        with pytest.raises(ModelFileError, match=r"lacks the array|no explainer that fastpd saved"):
            loaded(zipped(fewer), tmp_path)
    refused(zipped(members | {"more.npy": members["forest/base.npy"]}), tmp_path, "'more' more")


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["format"], 2, "of format 2, written by fastpd .*Update fastpd"),
        (["format"], 0, "its format is 0"),
        (["format"], "1", "its format is '1'"),
        (["written_by"], None, "lacks a field 'written_by'"),
        (["more"], 1, "has a field 'more'"),
        (["forest", "link"], "probit", "expected one of identity"),
        (["forest", "feature_names"], "abcd", "expected a list"),
        (["forest", "feature_names"], [1, 2, 3, 4], "a list of texts"),
        (["forest", "feature_names"], ["a"], "splits on an absent column"),
        (["forest", "output_names"], [], "no features or no outputs"),
        (["forest", "output_names"], ["a", "b"], "its outputs differ in number"),
        (["forest", "slope"], "steep", "expected a number"),
        (["forest", "slope"], 10**400, "expected a number"),
        (["forest", "takes_missing"], 1, "expected true or false"),
        (["forest", "categories"], [{}], "categories lacks a field"),
        (["forest"], [], "expected a mapping"),
        (["groups"], {"g": ["a"]}, "lists of columns by name"),
        (["groups"], {"g": [9]}, "names 9, which is no column"),
        (["measure", "n_rows"], -1, "a whole number from 0"),
        (["measure", "n_rows"], 31.0, "a whole number from 0"),
        (["measure", "n_rows"], 0, "pairs of a place and a sum"),
        (["measure", "max_order"], 63, "expected one of"),
        (["measure", "kind"], "other", "expected one of empirical"),
        (["measure", "kind"], "fixed", "expected one of Path, Gaussian"),
        (["measure", "totals"], [[0, 31]], "do not add up"),
        (["measure", "totals"], [[0, 0]], "all weights are zero"),
        (["measure", "totals"], [[10**9, 30]], "sums of weights' digits"),
        (["measure", "totals"], [[0, 30], [0, 30]], "sums of weights' digits"),
        (["measure", "totals"], [[0, 10**40]], "sums of weights' digits"),
        (["settings", "precision"], "half", "precision is 'half'"),
        (["settings", "memory_limit"], -5, "memory_limit is -5"),
        (["settings", "memory_limit"], None, "lacks a field 'memory_limit'"),
    ],
)
def test_headers_that_say_what_none_does(path: list[str], value: Any, said: str, tmp_path: Path):
    def change(header: dict[str, Any]) -> None:
        for name in path[:-1]:
            header = header[name]
        if value is None:
            del header[path[-1]]
        else:
            header[path[-1]] = value

    refused(with_header("rows", change), tmp_path, said)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b'{"format": NaN}',
        b"[" * 100_000,
        b"1" * 10_000,
        b'{"format": 1}',
    ],
)
def test_headers_that_are_none(header: bytes, tmp_path: Path):
    members = members_of(content_of("rows"))
    refused(zipped(members | {"fastpd.json": header}), tmp_path, "is damaged, or was changed")


@pytest.mark.parametrize(
    ("name", "array", "change", "said"),
    [
        ("rows", "forest/feature", lambda a: a.astype(np.int64), "holds int64"),
        ("rows", "forest/feature", lambda a: a[:-1], "node arrays differ in length"),
        ("rows", "forest/feature", lambda a: a[None], "has the shape"),
        ("rows", "forest/left", lambda a: a + 1, "a leaf has children"),
        ("rows", "forest/left", lambda a: np.where(a > 0, 2**30, a).astype(np.int32), "a child"),
        ("rows", "forest/threshold", lambda a: a * np.nan, "has no finite threshold"),
        ("rows", "forest/threshold", lambda a: a.astype(object), "can not be read"),
        ("rows", "forest/threshold", lambda a: a.astype("S8"), "can not be read"),
        ("rows", "forest/default_left", lambda a: a.astype(np.uint8), "holds uint8"),
        ("outputs", "forest/value", np.asfortranarray, "can not be read"),
        ("rows", "measure/counts", lambda a: a.astype(np.int64) - 1, "a count is negative"),
        ("rows", "measure/counts", np.zeros_like, "do not add up"),
        ("rows", "measure/counts", lambda a: np.roll(a, 1), "do not add up"),
        ("rows", "measure/counts", lambda a: a.astype(np.uint64), "holds uint64"),
        ("rows", "measure/counts", lambda a: a[:, :-1], "has the shape"),
        ("rows", "measure/deep_masks", lambda a: np.ones(1, np.uint64), "deep"),
        ("deep", "measure/deep_masks", lambda a: a[::-1], "none of theirs"),
        ("deep", "measure/deep_masks", lambda a: a | np.uint64(2**63), "none of theirs"),
        ("deep", "measure/deep_offsets", lambda a: a[::-1], "do not fit the leaves"),
        ("deep", "measure/deep_offsets", lambda a: a + np.uint64(2**63), "do not fit the leaves"),
        ("deep", "measure/deep_counts", lambda a: a * 2, "do not add up"),
        ("outputs", "forest/split_offsets", lambda a: a[:0], "has the shape"),
        ("outputs", "forest/split_offsets", lambda a: a + 2**62, "do not fit their nodes"),
        ("outputs", "forest/split_low", lambda a: a * np.nan, "overlap, or are out of order"),
        ("gaussian", "measure/chances", lambda a: a * np.nan, "a probability is none"),
        ("gaussian", "measure/chances", lambda a: a[:-1], "has the shape"),
        ("gaussian", "measure/first", lambda a: a[::-1], "do not fit the leaves"),
        ("path", "measure/chances", lambda a: a + 1, "a probability is none"),
    ],
)
def test_arrays_that_describe_no_explainer(
    name: str, array: str, change: Callable[[Any], Any], said: str, tmp_path: Path
):
    refused(with_array(name, array, change), tmp_path, said)


def npy(header: str, body: bytes = b"") -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY\x03\x00",
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}"),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", b"12345678"),
        npy(
            "{'descr': '<f8', 'fortran_order': False, 'shape': (" + "1," * 9000 + ")}", b"12345678"
        ),
        npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"cos\nsystem\n(S'x'\ntR."),
        npy("__import__('os').system('exit 1')"),
        npy("(" * 5000),
    ],
    ids=range(8),
)
def test_arrays_that_are_none(content: bytes, tmp_path: Path):
    members = members_of(content_of("rows"))
    refused(zipped(members | {"forest/base.npy": content}), tmp_path, "can not be read|shape")


def test_members_that_unfold_are_refused(tmp_path: Path):
    members = members_of(content_of("rows"))
    bomb = members | {"measure/counts.npy": bytes(10_000_000)}
    content = zipped(bomb, compression=zipfile.ZIP_DEFLATED)
    assert len(content) < 100_000
    refused(content, tmp_path, "a member is compressed")


def test_members_that_overlap_are_refused(tmp_path: Path):
    """Many entries of the directory that point at the same bytes."""
    members = members_of(content_of("rows"))
    content = bytearray(zipped({"fastpd.json": members["fastpd.json"], "a": bytes(5000)}))
    start = struct.unpack("<I", content[-6:-2])[0]
    entry = content[start:-22].split(b"PK\x01\x02")[2]
    entries = b"".join(b"PK\x01\x02" + entry[:-1] + bytes([65 + k]) for k in range(20))
    size, number = start + len(content[start:-22]) + len(entries), 22
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, number, number, size - start, start, 0)
    refused(bytes(content[:-22]) + entries + end, tmp_path, "larger than the file")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_that_are_there_twice_are_refused(tmp_path: Path):
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        for name, content in [*members_of(content_of("rows")).items(), ("fastpd.json", b"{}")]:
            archive.writestr(name, content)
    refused(memory.getvalue(), tmp_path, "some perhaps twice")


def test_a_pickle_is_held_to_the_same(tmp_path: Path):
    kind, arguments = Explainer.__reduce__(CASES["rows"].make())
    with pytest.raises(ModelFileError, match="The pickled explainer"):
        kind(arguments[0], arguments[1][:-30], *arguments[2:])


def test_every_message_names_the_file(tmp_path: Path):
    with pytest.raises(ModelFileError, match=re.escape(str(tmp_path / "model.fastpd"))):
        loaded(content_of("rows")[:-5], tmp_path)
