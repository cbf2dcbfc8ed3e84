"""Import of ONNX models: graphs whose scores are those of tree ensemble operators."""

from fastpd.forest.importers.onnx._importer import from_file, from_model

__all__ = ["from_file", "from_model"]
