"""Damage model files by the thousand and see that each is refused in good order.

``python tests/fuzz [--files N] [--first SEED] [KIND ...]``
"""

from __future__ import annotations

import argparse
import sys

import corpus
from runner import faults


def main() -> int:
    """Run all kinds and print what went wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*", choices=[*corpus.SEEDS, []])
    parser.add_argument("--files", type=int, default=3000, help="damaged files of each kind")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    given = parser.parse_args()
    found = 0
    for kind in given.kinds or corpus.known():
        wrong = faults(kind, given.first, given.first + given.files)
        found += len(wrong)
        print(f"{kind}: {given.files} files, {len(wrong)} faults", flush=True)
        for seed, fault in wrong[:20]:
            print(f"  seed {seed}: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
