"""Explaining what is no tree ensemble, by one that is fitted to it and held to account."""

from fastpd.surrogates._fidelity import Fidelity, fidelity_of
from fastpd.surrogates._surrogate import Surrogate, surrogate

__all__ = ["Fidelity", "Surrogate", "fidelity_of", "surrogate"]
