"""Check that the stub of the compiled core says what the core is, or write it anew."""

from __future__ import annotations

import sys
from pathlib import Path

from nanobind.stubgen import StubGen

import fastpd._core

STUB = Path(__file__).parent.parent / "src" / "fastpd" / "_core.pyi"


def main() -> int:
    """Compare, or write with ``--write``."""
    generator = StubGen(fastpd._core)
    generator.put(fastpd._core)
    text = generator.get()
    if "--write" in sys.argv[1:]:
        STUB.write_text(text, encoding="utf-8")
        return 0
    if STUB.read_text(encoding="utf-8") == text:
        return 0
    print(f"{STUB.name} is not what the core is; run `make stub`")
    return 1


if __name__ == "__main__":
    sys.exit(main())
