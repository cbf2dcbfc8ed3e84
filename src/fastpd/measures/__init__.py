"""Who the "others" are that partial dependence averages over.

By default they are the rows of a background sample, with all that joins their features. `Path`,
`Product` and `Gaussian` are other answers, for the keyword `measure` of `fastpd.Explainer`.
"""

from fastpd.measures._batches import weighted_batches
from fastpd.measures._choosing import DERIVED, merged, rows_of
from fastpd.measures._deep import DeepCounts
from fastpd.measures._derived import Derived
from fastpd.measures._empirical import ORDERS, Empirical
from fastpd.measures._gaussian import Gaussian
from fastpd.measures._measure import Choice, Fixed, Measure
from fastpd.measures._path import Path
from fastpd.measures._product import Product
from fastpd.measures._sample import Sample
from fastpd.measures._weights import check_weights, scaled

__all__ = [
    "DERIVED",
    "ORDERS",
    "Choice",
    "DeepCounts",
    "Derived",
    "Empirical",
    "Fixed",
    "Gaussian",
    "Measure",
    "Path",
    "Product",
    "Sample",
    "check_weights",
    "merged",
    "rows_of",
    "scaled",
    "weighted_batches",
]
