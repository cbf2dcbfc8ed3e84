"""Import of scikit-learn models: trees, sums and means of trees, and pipelines that end in them."""

from fastpd.forest.importers.sklearn._importer import from_estimator

__all__ = ["from_estimator"]
