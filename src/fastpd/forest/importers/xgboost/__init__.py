"""Import of XGBoost models: boosters, scikit-learn wrappers and files of version 1.7 or newer."""

from fastpd.forest.importers.xgboost._importer import from_booster, from_file

__all__ = ["from_booster", "from_file"]
