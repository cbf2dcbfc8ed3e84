"""Models of every supported kind, small and trained on the spot, to hold explainers against.

`MODEL_CASES` is the list that this package's own tests run over; use it to test what is built on
top of an `Explainer`. Training a case takes the library that it is about.
"""

from fastpd.testing._cases import MODEL_CASES, cases_of
from fastpd.testing._cells import Cells, cut
from fastpd.testing._model_case import ModelCase, Trained

__all__ = ["MODEL_CASES", "Cells", "ModelCase", "Trained", "cases_of", "cut"]
