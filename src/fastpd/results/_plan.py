"""What a query will cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from fastpd.frames import Source
from fastpd.results._frames import table
from fastpd.results._html import html

__all__ = ["Plan"]


@dataclass(frozen=True)
class Plan:
    """How the engine holds a model, and the memory that queries take.

    Attributes
    ----------
    n_trees, n_leaves
        Size of the model.
    n_blocks
        Pattern blocks that its trees were cut into.
    n_deep_leaves, largest_path
        Leaves with more than eight features on their path, which are answered through sparse masks,
        and the most features on any path.
    deep_order
        Highest order that can be answered at deep leaves; None without limit.
    explainer_bytes
        Memory that the explainer holds, without cached tables.
    cached_bytes, shap_table_bytes
        Memory of the tables kept now, and of those that SHAP values take, for each output.
    memory_limit
        What tables, and counts at deep leaves, may take.
    probability_predictions
        Predictions that one row takes on the probability scale, where nothing can be looked up.
    library
        Frame library that the background came in; None for arrays.
    """

    n_trees: int
    n_leaves: int
    n_blocks: int
    n_deep_leaves: int
    largest_path: int
    deep_order: int | None
    explainer_bytes: int
    cached_bytes: int
    shap_table_bytes: int
    memory_limit: int
    probability_predictions: int
    library: str | None = field(default=None, repr=False)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row, with a column for each number.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default what the background came in, and
            for arrays the first of these that is installed.

        Examples
        --------
        >>> fastpd.Explainer(model, X).plan().to_frame("pandas")["n_trees"].item()
        20
        """
        columns = {name: [value] for name, value in asdict(self).items() if name != "library"}
        return table(columns, Source(self.library), backend)

    def _repr_html_(self) -> str:
        numbers = {name: value for name, value in asdict(self).items() if name != "library"}
        rows = [
            (name.removeprefix("n_").replace("_", " "), "any" if value is None else value)
            for name, value in numbers.items()
        ]
        return html("Plan", [], rows)

    def __str__(self) -> str:
        deep = "any order" if self.deep_order is None else f"up to order {self.deep_order}"
        return "\n".join(
            [
                f"{self.n_trees} trees, {self.n_leaves} leaves in {self.n_blocks} pattern blocks",
                f"{self.n_deep_leaves} leaves through sparse masks ({deep}); longest path "
                f"{self.largest_path} features",
                f"explainer {self.explainer_bytes:,} bytes, cached tables {self.cached_bytes:,}",
                f"SHAP tables {self.shap_table_bytes:,} bytes; limit {self.memory_limit:,}",
                f"scale='probability' takes {self.probability_predictions:,} predictions a row",
            ]
        )
