"""Who the "others" are that partial dependence averages over."""

from fastpd.measures._empirical import Empirical
from fastpd.measures._sample import Sample
from fastpd.measures._weights import check_weights

__all__ = ["Empirical", "Sample", "check_weights"]
