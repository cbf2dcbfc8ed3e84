"""The Adult census data, the example of the FastPD paper."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

import numpy as np
from numpy.typing import NDArray

__all__ = ["Adult", "adult"]


@dataclass(frozen=True, eq=False)
class Adult:
    """Persons of the 1994 US census, and whether they earn more than 50 000 dollars a year.

    Attributes
    ----------
    columns
        Names of the 14 features.
    X
        Features ``(48842, 14)``; of a categorical one the position in its `categories`, and NaN
        where the value is missing.
    y
        1 for an income above 50 000 dollars, else 0.
    categories
        From the name of each categorical feature to its labels, in alphabetical order.

    Examples
    --------
    >>> from fastpd.datasets import adult
    >>> data = adult()
    >>> sex = data.X[0, data.columns.index("sex")]
    >>> data.categories["sex"][int(sex)]
    'Male'
    """

    columns: tuple[str, ...]
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    categories: dict[str, tuple[str, ...]]


def adult() -> Adult:
    """Load the Adult data of the UCI repository, all 48842 rows.

    The data are by Becker and Kohavi (1996), https://doi.org/10.24432/C5XW20, under CC BY 4.0;
    the file ``ATTRIBUTION.md`` beside this module says where they came from and what was changed.

    Returns
    -------
    Adult
        Names, features, target and category labels, in arrays of the caller's own.

    Examples
    --------
    >>> from fastpd.datasets import adult
    >>> data = adult()
    >>> data.X.shape, round(float(data.y.mean()), 3)
    ((48842, 14), 0.239)
    """
    with (
        resources.files("fastpd.datasets").joinpath("adult.npz").open("rb") as file,
        np.load(file) as stored,
    ):
        columns = tuple(key[len("column:") :] for key in stored if key.startswith("column:"))
        X = np.column_stack([stored[f"column:{name}"] for name in columns]).astype(np.float64)
        categories = {
            name: tuple(stored[f"labels:{name}"].tolist())
            for name in columns
            if f"labels:{name}" in stored
        }
        y = stored["target"].astype(np.int64)
    for name, labels in categories.items():
        codes = X[:, columns.index(name)]
        codes[codes == len(labels)] = np.nan
    return Adult(columns, X, y, categories)
