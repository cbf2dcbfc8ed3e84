"""Import of scikit-learn models: trees, sums and means of trees, and pipelines that end in them."""

__all__: list[str] = []
