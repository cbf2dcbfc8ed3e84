"""Import of CatBoost models: fitted ones, and files in CatBoost's binary format or JSON."""

from fastpd.forest.importers.catboost._importer import from_file, from_model

__all__ = ["from_file", "from_model"]
