"""Import damaged files one after another, in a process that may die of it: ``worker KIND A B``.

Prints the seed before each file and, after it, what went wrong, if anything did.
"""

from __future__ import annotations

import faulthandler
import resource
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

import corpus
import mutations

from fastpd import FastPDError, Forest
from fastpd.forest import import_model
from fastpd.forest.check import validate

SECONDS = 1.0
MEGABYTES = 300


def main(kind: str, first: int, last: int) -> None:
    """Go over the seeds."""
    faulthandler.enable()
    warnings.simplefilter("error")
    _, name, make = corpus.SEEDS[kind]
    sound = make()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(sound)
        import_model(path)
        for seed in range(first, last):
            print(f"seed {seed}", flush=True)
            path.write_bytes(mutations.mutated(sound, seed))
            fault = what_went_wrong(path)
            if fault:
                print(f"fault {fault!r}", flush=True)
    print("done", flush=True)


def what_went_wrong(path: Path) -> str:
    """Return an empty text where the file is refused in good order, or is sound after all."""
    started, memory = time.perf_counter(), peak()
    try:
        forest = import_model(path)
    except FastPDError as error:
        if len(str(error)) > 2000:
            return f"a message of {len(str(error))} characters"
    except BaseException:
        return traceback.format_exc()
    else:
        assert isinstance(forest, Forest)
        validate(forest)
    taken = time.perf_counter() - started
    if taken > SECONDS:
        return f"it took {taken:.1f} seconds"
    more = peak() - memory
    return f"it took {more:.0f} MB" if more > MEGABYTES else ""


def peak() -> float:
    """Return the most memory that this process had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
