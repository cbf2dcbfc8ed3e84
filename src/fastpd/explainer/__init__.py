"""The public face: one object that answers every question about a model.

It is put together of what it holds, of answers at rows, and of summaries over rows.
"""

from fastpd.explainer._explainer import Explainer
from fastpd.explainer._saving import load
from fastpd.explainer._standard_errors import StandardErrors
from fastpd.explainer._without import Without

__all__ = ["Explainer", "StandardErrors", "Without", "load"]
