"""``python -m benchmarks [names] [--quick] [--save]``: measure, and say what came out."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from importlib import import_module
from time import perf_counter

from benchmarks.environment import environment
from benchmarks.peers import missing_peers
from benchmarks.report import Report, as_text
from benchmarks.results import save

_NAMES = ("runtime", "components", "linearity", "paths", "latency", "memory")


def main() -> int:
    """Run the benchmarks named, or all; return 1 where answers are wrong."""
    options = _parser().parse_args()
    if unknown := set(options.names) - set(_NAMES):
        _parser().error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(_NAMES)}")
    if options.quick and options.save:
        _parser().error("--quick is for trying the suite out; its numbers are not saved")
    about = environment()
    print(f"{about['processor']}, {about['threads']} threads, {about['instructions']}")
    print(", ".join(f"{name} {version}" for name, version in about["versions"].items()))
    for name in missing_peers():
        print(f"{name} is not installed: left out.")
    reports = [_run(name, options.quick) for name in options.names or _NAMES]
    if options.save:
        print(f"saved: {save(reports).name} and {len(reports)} JSON files")
    return _exit_status(reports)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(_NAMES)}")
    parser.add_argument("--quick", action="store_true", help="small sizes, under half a minute")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results")
    return parser


def _run(name: str, quick: bool) -> Report:
    start = perf_counter()
    report: Report = import_module(f"benchmarks.{name}").measure(quick)
    report = replace(report, environment=environment())
    print(f"\n{as_text(report)}\n({name}: {perf_counter() - start:.0f} s)", flush=True)
    return report


def _exit_status(reports: list[Report]) -> int:
    """Speed is reported; wrong answers fail."""
    wrong = [t for r in reports for t in r.targets if t.check and t.verdict != "pass"]
    for target in wrong:
        print(f"WRONG: {target.what}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
