"""Generative probabilistic classification: one pass over the data suffices.

>>> import numpy as np, suffice
>>> X = np.array([[1.0, 2.0], [2.0, 1.0], [1.5, 1.0], [7.0, 8.0], [8.0, 7.0], [7.0, 6.5]])
>>> stats = suffice.Statistics.of(X, ["low", "low", "low", "high", "high", "high"])
>>> model = stats.estimate(covariance="tied")
>>> model.decide([[1.0, 1.0], [9.0, 9.0]])
array(['low', 'high'], dtype='<U4')

Statistics are sums over rows; they are updated, merged, subtracted and saved. A Model is computed
from them, and answers with log-likelihoods; priors and costs come in when it decides. `select`
chooses the model by exact cross-validation.
`suffice.GenerativeClassifier` is all of it as one scikit-learn estimator, `suffice.sklearn` has
drop-ins for eight estimators of scikit-learn, and `suffice.LogisticRegression` is one of them; they
are loaded when they are first used.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import plot
from ._core import __version__
from ._decide import Costs, Priors, PriorsEstimate
from ._drift import drift
from ._errors import (
    DataError,
    Error,
    FileError,
    InvalidArgument,
    SingularError,
    SufficeWarning,
)
from ._evaluate import Report, evaluate
from ._evidence import Evidence
from ._fit import Fit, fit
from ._mixture import fit_mixture
from ._model import BoundaryPoint, MinimumError, Model
from ._page import ReportPage, report
from ._paths import Files
from ._schema import Schema
from ._selection import Selection, cross_val_predict, select
from ._statistics import Statistics
from ._suspects import Suspects, suspects

if TYPE_CHECKING:
    from . import sklearn
    from .classifier import GenerativeClassifier
    from .sklearn import LogisticRegression

__all__ = [
    "BoundaryPoint",
    "Costs",
    "DataError",
    "Error",
    "Evidence",
    "FileError",
    "Files",
    "Fit",
    "GenerativeClassifier",
    "InvalidArgument",
    "LogisticRegression",
    "MinimumError",
    "Model",
    "Priors",
    "PriorsEstimate",
    "Report",
    "ReportPage",
    "Schema",
    "Selection",
    "SingularError",
    "Statistics",
    "SufficeWarning",
    "Suspects",
    "__version__",
    "cross_val_predict",
    "drift",
    "evaluate",
    "fit",
    "fit_mixture",
    "plot",
    "report",
    "select",
    "sklearn",
    "suspects",
]

# Where they are imported from, for whoever stores them by name.
for _kind in (
    BoundaryPoint, Costs, Evidence, Files, Fit, MinimumError, Model, Priors, PriorsEstimate, Report,
    ReportPage, Schema, Selection, Statistics, Suspects,
):
    _kind.__module__ = __name__


def __getattr__(name: str) -> Any:
    # These three need scikit-learn, which takes longer to import than all else here.
    if name == "GenerativeClassifier":
        return importlib.import_module(".classifier", __name__).GenerativeClassifier
    if name == "LogisticRegression":
        return importlib.import_module(".sklearn", __name__).LogisticRegression
    if name == "sklearn":
        return importlib.import_module(".sklearn", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
