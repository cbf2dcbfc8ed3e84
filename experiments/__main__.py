"""Run experiments by name and write their results: ``python -m experiments [names]``."""

from __future__ import annotations

import argparse
from importlib import import_module
from time import perf_counter

from experiments.findings import NAMES, write
from experiments.size import Size


def main() -> None:
    """Run the experiments named, or all, and write what they found."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="a trial in seconds, not written")
    parser.add_argument("--repeats", type=int, help="simulation runs of each setting")
    parser.add_argument("--searches", type=int, help="draws of parameters in each run")
    options = parser.parse_args()
    if unknown := set(options.names) - set(NAMES):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(NAMES)}")
    size = Size(options.repeats, options.searches, options.quick)
    for name in options.names or NAMES:
        start = perf_counter()
        finding, figures = import_module(f"experiments.{name}").run(size)
        print(
            f"{finding.title}\n  {finding.outcome}\n  ({perf_counter() - start:.0f} s)", flush=True
        )
        if not options.quick:
            write(finding, figures)


if __name__ == "__main__":
    main()
