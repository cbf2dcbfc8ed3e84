"""Freeze explainers of the present format, with their answers.

    PYTHONPATH=tests:tests/saved python tests/data/saved/make_saved.py

Run once a format, and never again for an old one: its files must be read for ever.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from saved_cases import CASES

from fastpd.saved import FORMAT

HERE = Path(__file__).parent


def plain(rows: Any) -> Any:
    """Return rows as JSON: columns by name, or a list of rows."""
    return rows.to_dict("list") if hasattr(rows, "to_dict") else np.asarray(rows).tolist()


def main() -> None:
    """Write the files, and what their explainers answer."""
    with zipfile.ZipFile(HERE / f"format_{FORMAT}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, case in CASES.items():
            ex = case.make()
            if name in ("deep, of low order", "nothing yet", "hashed categories"):
                continue
            path = HERE / "one.fastpd"
            ex.save(path)
            archive.write(path, f"{name}.fastpd")
            path.unlink()
            known = {
                "rows": plain(case.rows),
                "features": list(ex.feature_names),
                "shap": ex.shap(case.rows).values.tolist(),
                "value": ex.value([(), (0,), (0, 1)], case.rows).tolist(),
            }
            if case.more is not None:
                ex.update(case.more)
                known |= {"more": plain(case.more), "updated": ex.shap(case.rows).values.tolist()}
            archive.writestr(f"{name}.json", json.dumps(known))


if __name__ == "__main__":
    main()
