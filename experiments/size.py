"""How large an experiment is run: the paper's size, what fits into an hour, or a trial."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Size"]


@dataclass(frozen=True)
class Size:
    """What the command line asks for.

    Attributes
    ----------
    repeats, searches
        Simulation runs, and draws of parameters in each; None for what the experiment itself
        takes as what fits.
    quick
        Whether to run a trial in seconds, whose numbers mean nothing.
    jobs
        Processes; None for one a core.
    """

    repeats: int | None = None
    searches: int | None = None
    quick: bool = False
    jobs: int | None = None

    def of_repeats(self, fits: int) -> int:
        """Return the number of runs, where so many fit into the time that there is."""
        return self._of(self.repeats, fits)

    def of_searches(self, fits: int) -> int:
        """Return the number of draws of parameters, where so many fit."""
        return self._of(self.searches, fits)

    def _of(self, asked: int | None, fits: int) -> int:
        if asked is not None:
            return asked
        return min(fits, 3) if self.quick else fits
