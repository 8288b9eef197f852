"""One scikit-learn estimator for everything that the engine can do.

The estimator is a thin coat over the value types: `fit` makes Statistics and a Model of them, and
every other method asks that Model. What it adds are scikit-learn's manners: parameters, checks,
`classes_` in the order of `numpy.unique`, and columns of every result in that order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from suffice._optional import optional

optional("sklearn")  # names scikit-learn in the error where it is absent

from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: E402
from sklearn.utils.validation import check_is_fitted  # noqa: E402

from suffice import _classifier_input as given  # noqa: E402
from suffice._decide import Costs, Priors  # noqa: E402
from suffice._model import Model  # noqa: E402
from suffice._schema import Schema  # noqa: E402
from suffice._statistics import Statistics  # noqa: E402

Floats = npt.NDArray[np.float64]

#: The parameters that are options of the engine's estimation, under its names.
ESTIMATE_OPTIONS = ("covariance", "normalize", "smoothing")
#: The structures that need the scatter between features; the others keep its diagonal only.
DENSE_STRUCTURES = ("full", "tied")


class GenerativeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A generative classifier: learns p(x | class) of each class, and decides by Bayes' rule.

    Columns may have different families: all numbers together are one Gaussian with the covariance
    asked for, and words, counts and events stand beside it. Missing values are allowed in fitting
    (each feature uses what it has) and in scoring (the exact marginal). Priors and costs are not
    trained: they can be given anew at every prediction.

    Parameters
    ----------
    family : str, mapping, sequence or None, default None
        The distribution of each column: gaussian, bernoulli, categorical, poisson or multinomial.
        One name for all columns, a mapping of names or patterns (``{"word_*": "poisson"}``, the
        last match wins), or a sequence with one for each column. None: numbers are gaussian;
        strings, booleans and categoricals are categorical.
    covariance : str, default "full"
        The covariance of the numbers in each class: full, tied, diag, tied-diag, spherical or
        tied-spherical; tied is shared by all classes.
    normalize : str, default "mle"
        Divides scatter by the number of rows, or by one less.
    smoothing : float, default 1.0
        Pseudo-count added to each level, word or event; 0 is maximum likelihood.
    priors : "train", "uniform", mapping, array or Priors, default "train"
        Probabilities of the classes before a row is seen. An array is in the order of `classes_`.
    costs : mapping, matrix, Costs or None, default None
        What decisions cost: a matrix of true × decided classes in the order of `classes_`, or a
        mapping ``{(true, decided): cost}``. None: 1 for each mistake.
    n_jobs : int or None, default None
        The number of threads; None and -1 are all CPUs that the process may use.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted as `numpy.unique` sorts them.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, where the rows came with names.
    statistics_ : Statistics
        The sums over the rows: all that was learned.
    model_ : Model
        The densities, estimated from `statistics_`.
    schema_ : Schema
        The columns and their families.

    Examples
    --------
    >>> import suffice
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = suffice.GenerativeClassifier(covariance="full").fit(X, y)
    >>> round(clf.score(X, y), 2)
    0.98
    >>> clf.predict(X[:2])
    array([0, 0])
    """

    def __init__(
        self,
        family: str | Mapping[str, str] | Sequence[str] | None = None,
        covariance: str = "full",
        normalize: str = "mle",
        smoothing: float = 1.0,
        priors: Any = "train",
        costs: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.family = family
        self.covariance = covariance
        self.normalize = normalize
        self.smoothing = smoothing
        self.priors = priors
        self.costs = costs
        self.n_jobs = n_jobs

    # ---- learning -----------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GenerativeClassifier:
        """Learn from rows and their classes; what was learned before is forgotten.

        X is an array, a sparse matrix, a pandas or Polars frame, or an Arrow table or stream; y
        and `sample_weight` are arrays or the names of columns of X. A weight says how many rows a
        row stands for.

        >>> import suffice
        >>> X = [[1.0, 2.0], [2.0, 1.0], [3.0, 3.0], [7.0, 7.0], [8.0, 9.0], [9.0, 7.0]]
        >>> clf = suffice.GenerativeClassifier().fit(X, ["a", "a", "a", "b", "b", "b"])
        >>> clf.model_.blocks[0]["mean"].tolist()
        [[2.0, 2.0], [8.0, 7.666666666666667]]
        """
        statistics = self._counted(None, X, y, sample_weight, None)
        if not statistics.weights.sum() > 0:
            raise ValueError(
                "Sample weights must contain at least one non-zero number: all rows have weight "
                "zero, so there is nothing to learn from"
            )
        self._learned(statistics)
        self._model = self._estimated()
        self._checked_decision()
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> GenerativeClassifier:
        """Learn from more rows: the same, up to rounding, as one `fit` on all of them.

        New classes may come at any time; `classes` may name some beforehand. The model is
        estimated when it is first asked for, so batches may be smaller than a covariance needs.

        >>> import suffice
        >>> clf = suffice.GenerativeClassifier(covariance="spherical")
        >>> clf = clf.partial_fit([[1.0, 2.0], [2.0, 1.0]], [0, 0])
        >>> clf = clf.partial_fit([[7.0, 8.0], [9.0, 8.0]], [1, 1])
        >>> clf.classes_, clf.statistics_.weights
        (array([0, 1]), array([2., 2.]))
        """
        before = getattr(self, "statistics_", None)
        self._learned(self._counted(before, X, y, sample_weight, classes))
        self._model = None
        return self

    @classmethod
    def from_statistics(cls, statistics: Statistics, **options: Any) -> GenerativeClassifier:
        """A fitted estimator from statistics alone, without rows; `options` are its parameters.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1.0], [2.0], [6.0], [8.0]], ["a", "a", "b", "b"])
        >>> tied = suffice.GenerativeClassifier.from_statistics(stats, covariance="tied")
        >>> tied.predict([[2.5], [6.5]]).tolist()
        ['a', 'b']
        """
        self = cls(**options)
        self._learned(statistics.copy())
        self._model = self._estimated()
        self._checked_decision()
        return self

    def _counted(
        self, before: Statistics | None, X: Any, y: Any, sample_weight: Any, classes: Any
    ) -> Statistics:
        """Statistics of these rows on top of those of earlier ones, which stay as they are."""
        y = given.checked_labels(self, y)
        X = given.checked_rows(self, X, reset=before is None)
        sample_weight = given.checked_weights(sample_weight)
        labels = () if classes is None else np.unique(np.asarray(classes))
        if before is None:
            statistics = Statistics(
                self._schema(X, y, sample_weight),
                covariance="full" if self.covariance in DENSE_STRUCTURES else "diag",
                labels=labels,
            )
        else:
            statistics = before
        return statistics.update(X, y, sample_weight, n_jobs=self.n_jobs)

    def _learned(self, statistics: Statistics) -> None:
        """Takes over the statistics, and with them the classes and the columns."""
        self.statistics_ = statistics
        classes = statistics.classes_
        self._order = np.argsort(classes, kind="stable")
        self.classes_ = classes[self._order]
        self.n_features_in_ = len(statistics.schema)

    def _estimated(self) -> Model:
        options = {name: getattr(self, name) for name in ESTIMATE_OPTIONS}
        return self.statistics_.estimate(**options, n_jobs=self.n_jobs)

    @property
    def model_(self) -> Model:
        """The Model, estimated from `statistics_` when it is first asked for."""
        check_is_fitted(self)
        if self._model is None:
            self._model = self._estimated()
        model: Model = self._model
        return model

    @property
    def schema_(self) -> Schema:
        """The columns and their families."""
        check_is_fitted(self)
        schema: Schema = self.statistics_.schema
        return schema

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "statistics_")
