"""Pages that other commands write and keep beside what they measured, copied in at each build.

Their numbers are never typed: ``make benchmark`` and ``make paper`` write them.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = {"performance": ROOT / "benchmarks" / "results", "paper": ROOT / "experiments" / "results"}
_BESIDE = re.compile(r"\]\(([\w.-]+\.(?:svg|png|csv))\)")
_OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./[^)]*\)")


def copy_pages(app: Any) -> None:
    """Copy each page, with its pictures and tables, to where the site expects it."""
    target = Path(app.srcdir) / "kept"
    target.mkdir(exist_ok=True)
    for name, folder in PAGES.items():
        text = (folder / "README.md").read_text(encoding="utf-8")
        for file in set(_BESIDE.findall(text)):
            shutil.copy(folder / file, target / file)
        text = _OUTSIDE.sub(r"`\1`", text)  # modules, which are not part of the site
        page = target / f"{name}.md"
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Copy before Sphinx looks for pages."""
    app.connect("builder-inited", copy_pages)
    return {"parallel_read_safe": True}
