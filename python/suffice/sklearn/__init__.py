"""Drop-ins for eight estimators of scikit-learn: change the import line and nothing else.

>>> from suffice.sklearn import GaussianNB
>>> GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]).predict([[0.2], [4.4]])
array([0, 1])

Each has scikit-learn's parameters, attributes and methods, and ``n_jobs``: the number of threads.
All but LogisticRegression keep exact sums, so ``partial_fit`` over batches gives what ``fit``
gives on all rows.
"""

from __future__ import annotations

from .._optional import optional

optional("sklearn", "suffice.sklearn")

from ._bernoulli_nb import BernoulliNB  # noqa: E402
from ._categorical_nb import CategoricalNB  # noqa: E402
from ._complement_nb import ComplementNB  # noqa: E402
from ._export import export  # noqa: E402
from ._gaussian_nb import GaussianNB  # noqa: E402
from ._lda import LinearDiscriminantAnalysis  # noqa: E402
from ._logistic import LogisticRegression  # noqa: E402
from ._multinomial_nb import MultinomialNB  # noqa: E402
from ._qda import QuadraticDiscriminantAnalysis  # noqa: E402

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "LinearDiscriminantAnalysis",
    "LogisticRegression",
    "MultinomialNB",
    "QuadraticDiscriminantAnalysis",
    "export",
]

# Where they are imported from, for whoever stores them by name.
for _kind in (
    BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, LinearDiscriminantAnalysis,
    LogisticRegression, MultinomialNB, QuadraticDiscriminantAnalysis,
):
    _kind.__module__ = __name__
