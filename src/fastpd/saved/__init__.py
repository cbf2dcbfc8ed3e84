"""Explainers in files: the model and what was counted, as plain arrays and text.

A file holds no pickle, and no row of the background. `docs/saved.md` describes it.
"""

from fastpd.saved._container import FORMAT, is_saved
from fastpd.saved._kept import Kept, read, write

__all__ = ["FORMAT", "Kept", "is_saved", "read", "write"]
