"""Import of treelite models of version 4, from whatever library or builder they came."""

from fastpd.forest.importers.treelite._importer import from_model

__all__ = ["from_model"]
