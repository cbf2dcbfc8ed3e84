"""Import of scikit-learn's tree models, version 1.3 or newer, and of ensembles built of them."""

from fastpd.forest.importers.sklearn._importer import from_estimator

__all__ = ["from_estimator"]
