"""Every block of code in the documentation and in the README runs, and prints what it says.

Blocks of one page share their names, as they do for a reader who follows it. ``python`` blocks
run, ``pycon`` blocks are checked as doctests, and the commands of ``console`` blocks that begin
with ``$ fastpd`` are run in the same folder.
"""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(python|pycon|console)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = sorted(
    page
    for page in (ROOT / "docs").rglob("*.md")
    if not {"kept", "_build", "examples"} & set(page.relative_to(ROOT).parts)
    and BLOCK.search(page.read_text(encoding="utf-8"))
)


def _run_python(code: str, page: Path, line: int, names: dict[str, Any]) -> None:
    # Padded, so that a traceback names the line of the page.
    exec(compile("\n" * line + code, str(page), "exec"), names)


def _check_session(code: str, page: Path, line: int, names: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=flags, verbose=False)
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, "".join(said)


def _run_commands(code: str) -> None:
    for line in code.splitlines():
        if line.startswith("$ fastpd "):
            # The package that is tested, whatever is installed beside it.
            command = [sys.executable, "-m", *shlex.split(line.removeprefix("$ "))]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            assert done.returncode == 0, f"{line}\n{done.stderr}"


# Pages show other libraries at work, whose warnings are about themselves.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("page", PAGES, ids=[str(p.relative_to(ROOT)) for p in PAGES])
def test_code_on_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "__main__"}
    with pyplot.rc_context({"backend": "Agg"}):
        for block in BLOCK.finditer(text):
            kind, code = block.groups()
            line = text[: block.start()].count("\n") + 1
            if kind == "python":
                _run_python(code, page, line, names)
            elif kind == "pycon":
                _check_session(code, page, line, names)
            else:
                _run_commands(code)
        pyplot.close("all")


def test_there_are_pages():
    assert len(PAGES) > 10
