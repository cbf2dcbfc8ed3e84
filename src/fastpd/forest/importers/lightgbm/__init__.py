"""Import of LightGBM models: boosters, scikit-learn wrappers and text files of version 3 or 4."""

from fastpd.forest.importers.lightgbm._importer import from_booster, from_file

__all__ = ["from_booster", "from_file"]
