"""Run the paper's experiments and write their results: ``python -m experiments [names]``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from importlib import import_module
from time import perf_counter

from experiments.catalogue import NAMES, as_table, name_of
from experiments.findings import write
from experiments.realdata import FOLDER
from experiments.size import Size

_EPILOG = f"""
experiments:
{as_table()}

Without sizes an experiment runs at what fits into about an hour on two cores; its page
says at what. Finished cells stay in experiments/cache, so that a run that was stopped, or
one with more repeats, goes on from there; remove that folder to begin anew, as for timings
on another machine.

  make paper                                   all of them
  make paper FIG=3                             one, by its figure
  make paper FIG="2 errors table1"             several, by figure, name or place
  make paper FIG=3 OPTIONS="--repeats 100 --searches 50"      at the paper's size
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the experiments named, or all, and write what they found."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments",
        description=__doc__,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="name", help="names or numbers; all if none")
    parser.add_argument("--quick", action="store_true", help="a trial in seconds, not written")
    parser.add_argument("--repeats", type=_count, help="simulation runs of each setting")
    parser.add_argument("--searches", type=_count, help="draws of parameters in each run")
    parser.add_argument("--jobs", type=_count, help="processes; one a core if not given")
    parser.add_argument("--data", metavar="FOLDER", help="of OpenML's sets; else downloaded")
    options = parser.parse_args(arguments)
    if options.data is not None:
        os.environ[FOLDER] = options.data
    try:
        names = dict.fromkeys(name_of(one) for one in options.names or NAMES)
    except ValueError as error:
        parser.error(str(error))
    size = Size(options.repeats, options.searches, options.quick, options.jobs)
    for name in names:
        start = perf_counter()
        finding, figures = import_module(f"experiments.{name}").run(size)
        print(
            f"{finding.title}\n  {finding.outcome}\n  ({perf_counter() - start:.0f} s)", flush=True
        )
        if not options.quick:
            write(finding, figures)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} given; expected a whole number of at least 1")
    return int(text)


if __name__ == "__main__":
    main()
