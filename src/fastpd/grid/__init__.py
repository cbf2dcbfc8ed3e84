"""Thresholds become bins: compare a value once, not once a tree."""

from fastpd.grid._grid import Grid, make_grid

__all__ = ["Grid", "make_grid"]
