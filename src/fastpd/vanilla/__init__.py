"""VanillaPD: partial dependence of any model by brute force, straight from the definitions.

Every function here evaluates the model on rows that mix the row to explain with the background,
as equation (8) of the FastPD paper is written. That costs ``2**d * rows * background`` predictions,
so this is the baseline to measure against and the reference to check against, not the fast way.

`predict` may be any callable that maps an ``(n, d)`` array to ``(n,)`` or ``(n, outputs)`` numbers.
Feature sets are tuples of column indices, and ``()`` is the empty set. Results have one number for
each row, with a last axis for the outputs if `predict` returns one.
"""

from fastpd.vanilla._games import importance, interactions, shap
from fastpd.vanilla._partial_dependence import components, value, values

__all__ = ["components", "importance", "interactions", "shap", "value", "values"]
