"""The command line: explain a saved model over tables in files, without writing any Python."""

from __future__ import annotations

import sys

from fastpd.errors import MissingPackageError, imported

__all__ = ["main"]


def main() -> None:
    """Run the command `fastpd`."""
    try:
        imported("click", "the command fastpd")
    except MissingPackageError as error:
        sys.exit(f"{error} Or install all that it takes: `pip install 'fastpd[cli]'`.")
    from fastpd.cli._commands import commands

    commands(prog_name="fastpd")
