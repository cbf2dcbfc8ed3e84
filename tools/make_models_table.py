"""Write the page of what is explained exactly and what is refused, from the list of model cases."""

from __future__ import annotations

import sys
from pathlib import Path

from fastpd.testing import MODEL_CASES

PAGE = Path(__file__).parent.parent / "docs" / "models.md"
HEAD = """# Which models

Every row is a model that the tests train: where it says *exact*, the engine's prediction equals the
library's own, and values, components, SHAP values and interactions equal brute force on the
library's own `predict`. Where it says *refused*, the error says why and names the way out.

(Made by `make models` from `fastpd.testing.MODEL_CASES`.)
"""


def table() -> str:
    """Return the page's text."""
    lines = [HEAD]
    for library in dict.fromkeys(case.library for case in MODEL_CASES):
        lines += [f"## {library}\n", "| model | explained |", "|---|---|"]
        found: dict[str, str] = {}
        for case in MODEL_CASES:
            if case.library == library:
                answer = "refused" if case.refused else "exact"
                if found.setdefault(case.feature, answer) != answer:
                    raise ValueError(f"{library}, {case.feature}: both exact and refused")
        # What is exact first; within both, in the order of the cases.
        lines += [f"| {what} | {found[what]} |" for what in sorted(found, key=found.__getitem__)]
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Write the page, or with ``--check`` only say whether it is the one that would be written."""
    if "--check" in sys.argv:
        sys.exit(
            0 if PAGE.read_text(encoding="utf-8") == table() else "docs/models.md: make models"
        )
    PAGE.write_text(table(), encoding="utf-8")


if __name__ == "__main__":
    main()
