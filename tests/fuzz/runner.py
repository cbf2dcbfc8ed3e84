"""Run workers, and start the next one behind a file that killed one."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

WORKER = Path(__file__).with_name("worker.py")
SILENCE = 60  # seconds without a word after which a worker is taken for stuck


def faults(kind: str, first: int, last: int) -> list[tuple[int, str]]:
    """Return the seeds of files that were not refused in good order, and why."""
    found: list[tuple[int, str]] = []
    while first < last:
        ended, at = _run(kind, first, last, found)
        if not ended and at < first:
            found.append((first, "no file could be tried"))
            break
        first = last if ended else at + 1
    return found


def _run(kind: str, first: int, last: int, found: list[tuple[int, str]]) -> tuple[bool, int]:
    """Run one worker; return whether it came to its end, and the last seed that it tried."""
    command = [sys.executable, str(WORKER), kind, str(first), str(last)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=SILENCE + (last - first), check=False
        )
        output, end = done.stdout, f"the process died ({done.returncode}): {done.stderr[-1500:]}"
    except subprocess.TimeoutExpired as stuck:
        output, end = (stuck.stdout or b"").decode(), "the process did not come to an end"
    at = first - 1
    for line in output.splitlines():
        word, _, rest = line.partition(" ")
        if word == "seed":
            at = int(rest)
        elif word == "fault":
            found.append((at, ast.literal_eval(rest)))
        elif word == "done":
            return True, at
    found.append((at, end))
    return False, at
