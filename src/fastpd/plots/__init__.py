"""Pictures of results, drawn with matplotlib."""

from fastpd.plots._effect import plot_effect

__all__ = ["plot_effect"]
