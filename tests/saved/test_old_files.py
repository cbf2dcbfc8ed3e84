"""Files of every format there was are read for ever, and answer as they did."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fastpd

FROZEN = Path(__file__).parents[1] / "data" / "saved"
FILES = [
    (archive.name, name)
    for archive in sorted(FROZEN.glob("format_*.zip"))
    for name in zipfile.ZipFile(archive).namelist()
    if name.endswith(".fastpd")
]


def table(rows: Any) -> Any:
    return pd.DataFrame(rows) if isinstance(rows, dict) else np.array(rows, dtype=float)


def test_there_are_files_of_the_present_format():
    assert len([one for one in FILES if one[0] == f"format_{fastpd.saved.FORMAT}.zip"]) > 8


@pytest.mark.parametrize(("archive", "name"), FILES)
def test_an_old_file_answers_as_it_did(archive: str, name: str, tmp_path: Path):
    with zipfile.ZipFile(FROZEN / archive) as frozen:
        frozen.extract(name, tmp_path)
        known = json.loads(frozen.read(name.replace(".fastpd", ".json")))
    ex, rows = fastpd.load(tmp_path / name), table(known["rows"])
    assert list(ex.feature_names) == known["features"]
    close: dict[str, Any] = {"rtol": 0, "atol": 1e-7}
    np.testing.assert_allclose(ex.shap(rows).values, known["shap"], **close)
    found = ex.value([(), (0,), (0, 1)], rows)
    np.testing.assert_allclose(found, known["value"], **close)
    if "more" in known:
        ex.update(table(known["more"]))
        np.testing.assert_allclose(ex.shap(rows).values, known["updated"], **close)
