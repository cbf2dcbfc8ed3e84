"""Classes with the names and calls of other packages, answered by the engine here."""

from fastpd.compat._tree_explainer import TreeExplainer

__all__ = ["TreeExplainer"]
