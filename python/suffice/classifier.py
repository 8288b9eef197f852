"""One scikit-learn estimator for everything that the engine can do.

The estimator is a thin coat over the value types: `fit` makes Statistics and a Model of them, and
every other method asks that Model. What it adds are scikit-learn's conventions: parameters, checks,
`classes_` in the order of `numpy.unique`, and columns of every result in that order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._optional import optional

optional("sklearn", "suffice.GenerativeClassifier")

from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from . import _classifier_input as given
from . import _core as engine
from ._data import training
from ._decide import Costs, Priors, costs_of, priors_of
from ._errors import Error
from ._evidence import Evidence
from ._fit import (
    Fit,
    fit_options,
    named_transforms,
    require_readable_again,
    trained,
    trained_from_sums,
)
from ._inferred import families_chosen
from ._model import Model
from ._options import MODEL_OPTIONS
from ._row_source import partly_labelled_in, rows_of
from ._schema import Schema
from ._source import Columned, Source
from ._statistics import Statistics
from ._threads import threads_of
from ._turns import in_turn, turn_of

Array = NDArray[Any]
Floats = NDArray[np.float64]


#: What `fit` can be asked for beside the options of the model.
_FIT_OPTIONS = (
    "transforms", "categories", "calibration", "missing",
    "missing_indicators", "unlabelled", "unlabelled_weight",
    "max_iter", "tol", "n_init",
)


class GenerativeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A generative classifier: learns p(x | class) of each class, and decides by Bayes' rule.

    Columns may have different families: all numbers together are one Gaussian with the covariance
    asked for, together with words, counts and events. Missing values are allowed in fitting
    and in scoring (the exact marginal). Priors and costs are not
    trained: they can be given anew at every prediction.

    Parameters
    ----------
    family : str, mapping, sequence or None, default None
        The distribution of each column, such as gaussian, categorical or poisson
        (docs/theory.md describes all families). One name for all columns, a mapping of names or patterns (``{"word_*": "poisson"}``, the
        last match wins), or a sequence with one for each column. None: numbers are gaussian;
        strings, booleans and categoricals are categorical.
    transforms : mapping, "auto", "none" or None, default None
        What is done to numbers before they are summed or scored: log, log1p, sqrt, logit or
        signed-log:s, which is sign(x) log(1 + |x| / s), for the columns or patterns it names
        (``{"price": "log"}``, the last match wins). "auto", for all columns or for one, takes a
        signed logarithm if a model of it predicts better; rows are then read twice. None is "auto"
        if the model is chosen (covariance="auto") and X can be read twice, otherwise "none".
    categories : {"apart", "within", "auto"} or None, default None
        Whether categorical columns are independent of all others, given the class ("apart"), or
        indicators (0 or 1) of their levels lie in the Gaussian block beside the numbers ("within").
        "auto" takes what predicts better. For "within" and "auto" rows are read twice. None is
        "auto" if the model is chosen (covariance="auto") and X can be read twice, otherwise
        "apart".
    keep : N, default None
        Uses only the N features that separate the classes best, each by itself: those of the
        largest divergence, as show lists it. The model has no other columns.
    keep_above : DIVERGENCE, default None
        Uses only the features that separate the classes by more than that; of two classes with the
        same variance it is the squared distance of their means in standard deviations.
    pca : K, P%, default None
        Replaces the numbers by their first K principal components, or by as many as explain P % of
        the variance. None: chosen where covariance is 'auto', otherwise none.
    standardize : bool, default False
        Divides the numbers by their deviations over all rows before pca, so that units do not
        matter: the principal components of correlations.
    lda : K, default None
        Replaces them by the K directions that separate the classes best (LDA), fewer than classes;
        after pca if both are given.
    covariance : auto, full, tied, diag, tied-diag, spherical, tied-spherical, default 'auto'
        The covariance of the numbers in each class; a tied one is shared by all classes. auto (fit
        only) chooses the covariance, its shrinkage, principal components, tails and calibration by
        leave-one-out on a sample of the rows; other options that are given stay as they are. A
        covariance that is named is estimated as it is.
    components : G, auto, default 1
        Each class is a mixture of G densities with the chosen covariance, found by EM, which reads
        the rows several times. auto chooses G for each class, from 1 to 5, by the likelihood of
        sampled rows that are held out.
    discriminative : bool, default False
        Logistic regression instead of densities: weights of the same terms as the covariance has
        (linear if tied, with squares if diag, with all products if full), found for the posteriors
        themselves. fit takes tied unless a covariance is named.
    penalty : auto, NUMBER, default 'auto'
        For discriminative models: half this number times the squared weights of the standardised
        terms is added to the loss. 0 is maximum likelihood, auto takes the one that predicts rows
        left out best, by 5 folds.
    shrinkage : auto, loo, oas, NUMBER, default None
        Shrinks covariances towards a simpler one. auto finds the strength and the target in the
        data; loo (fit only) tries strengths by leave-one-out, in a second reading; a number is the
        share of the target, 0 is plain maximum likelihood; '40 rows' lets the simpler one count as
        40 rows; oas is a closed form for the spherical target. None: chosen where covariance is
        'auto', otherwise auto.
    target : diag, spherical, default None
        What a share of shrinkage shrinks towards: the variances alone, or their mean (which depends
        on units). None: chosen where covariance is 'auto', otherwise diag.
    target_share : auto, NUMBER, default None
        Full covariances with shrinkage auto or by rows are shrunk towards the pooled covariance,
        which is itself shrunk towards the target by this share from 0 to 1. auto finds it in the
        data. None: chosen where covariance is 'auto', otherwise auto.
    towards_tied : NUMBER, default 0.0
        Shrinks the covariance of each class towards the tied one, from 0 (its own) to 1 (tied).
        Shrinkage is then 0 unless it is given.
    tails : auto, normal, NUMBER, default None
        The tails of the densities of numbers: normal, or those of Student's t with NUMBER degrees
        of freedom (above 2) and the same covariance. Few, such as 3 or 8, keep outlying values from
        deciding alone. auto (fit only) chooses them, also for a covariance that is named. None:
        chosen where covariance is 'auto', otherwise normal.
    shrink_means : auto, NUMBER, default None
        Nearest shrunken centroids, for the covariances diag and tied-diag: moves the means of the
        classes towards that of all rows by NUMBER standard errors, so that features with smaller
        deviations drop out. auto (fit only) chooses the number by 5 folds.
    estimate : plugin, map, bayes, default 'plugin'
        plugin uses the estimates as if they were exact; map takes the most probable covariances
        under a prior; bayes averages over the posterior (Student's t and related distributions).
    normalize : mle, unbiased, default 'mle'
        Divides the scatter by the number of rows, or by one less. Has no effect together with a
        prior (shrinkage auto or loo, estimate map or bayes).
    smoothing : auto, NUMBER, default None
        Pseudo-count added to each level, word or event; 0 is maximum likelihood, auto takes the one
        that makes the counts most probable. None: chosen where covariance is 'auto', otherwise 1.
    event_model : multinomial, complement, bernoulli, default 'multinomial'
        For text: multinomial counts the words of a document, complement compares them with the
        documents of all other classes, bernoulli looks at which words a document has and which it
        lacks.
    min_rows : N, default 0.0
        For text: leaves out words that are in fewer than N rows.
    max_words : N, default None
        For text: keeps only the N words of a column that were written most often.
    idf : bool, default False
        For text: weighs words down that are in many rows, by the inverse document frequency 1 +
        log((1 + rows) / (1 + rows with the word)).
    length_power : P, default 1.0
        For text: a document of N words counts as N^P words when it is scored. Below 1, long
        documents are less certain: their words repeat each other.
    calibration : {"auto", "none"} or None, default None
        "auto" finds a scale per block and an offset per class that make probabilities trustworthy,
        by scores of rows that had no part in estimating: one row left out at a time where that is
        exact and cheap, otherwise five folds. It needs all rows at once. None: "auto" where the
        model is chosen (covariance "auto"), otherwise "none".
    missing : {"auto", "em", "complete"}, default "auto"
        What full and tied covariances do about rows that lack a number. "em" uses all of them: the
        EM algorithm reads the rows several times, and replaces what is missing by its expectation
        given the row's other numbers. "complete" leaves such rows out. "auto" is "em" if a class
        would lose more than a tenth of its rows and X can be read again, otherwise "complete".
        Other structures use every number that is present.
    missing_indicators : bool, {"auto", "yes", "no"} or None, default None
        "yes", or True, puts a feature (bernoulli) beside each column with missing values that says whether
        the value is missing, for tables where that depends on the class. "auto" takes it if it
        predicts better. For both, rows are read twice. None is "auto" if the model is chosen
        (covariance="auto") and X can be read twice, otherwise "no".
    unlabelled : {"use", "ignore"} or None, default None
        What `fit` does with rows that have no label: None, NaN or null in y, or -1 in an array of
        integers, as scikit-learn marks them. "use" has them improve the densities, by EM, while the
        frequencies of the classes stay those of the labelled rows; "ignore" leaves them out; None
        raises DataError for a label that is missing, and -1 is a class like any other.
    unlabelled_weight : float, default 1.0
        How much a row without a label counts beside one with a label.
    max_iter : int, default 200
        Passes of EM at most.
    tol : float, default 1e-6
        EM stops where a pass changes the log-likelihood by no more than that many nats per row.
    n_init : int, default 5
        With `components`: starts of EM that are tried on a sample of the rows.
    priors : "train", "uniform", mapping, array or Priors, default "train"
        Probabilities of the classes before a row is seen. "train:1" adds a pseudo-count to each
        class. An array is in the order of `classes_`.
    costs : mapping, matrix, Costs or None, default None
        What decisions cost: a matrix of true × decided classes in the order of `classes_`, or a
        mapping ``{(true, decided): cost}``. None: 1 for each mistake.
    n_jobs : int or None, default None
        The number of threads; -1 is all CPUs that the process may use, and so is None where
        neither SUFFICE_THREADS nor OMP_NUM_THREADS says otherwise. No result depends on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted as `numpy.unique` sorts them.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, where the rows came with names.
    statistics_ : Statistics
        The sums over the rows: all that was learned. `partial_fit` adds to them.
    model_ : Model
        The densities, estimated from `statistics_`.
    schema_ : Schema
        The columns and their families.
    choice_ : dict
        With covariance="auto", after `fit`: what was compared on a sample of the rows.
        `candidates` (best first, each with `options`, `error_rate` and `log_loss`), the positions
        among them of the one `chosen` and of the one that the `evidence` prefers, `error_rate` and
        `log_loss` of the chosen one, `prior_error_rate` and `prior_log_loss` of the class
        frequencies alone, and the number of `rows`. `partial_fit` and `from_statistics` have no
        rows to choose with: they estimate full covariances with shrinkage "auto".
    n_iter_ : int
        Passes of EM over the rows; 1 where there was nothing to find by EM.
    mixture_ : dict
        With `components` or unlabelled="use", after `fit`: how many `components` each class has,
        the `log_likelihood` before each pass, whether EM `converged`, how many components were
        `empty` and left out or met the lower bound of their covariance (`bounded`), the weight of
        the `unlabelled_rows`, and, with components="auto", what numbers of components were worth
        (`tried`, by class: `held_out` log-likelihood per row and `bic`). `model_.mixture` has the
        components and their shares.
    better_columns_ : dict
        Where columns were changed because a model of them predicts better: `changes`, in words, and
        the leave-one-out `log_loss_before` and `log_loss`. `schema_.transforms` has the
        transformation of each column, `schema_.indicators` those of categories.

    See Also
    --------
    select : Compares the models that you name.
    Statistics : The sums that it learns, as a value.
    suffice.sklearn : Replacements of scikit-learn's own estimators.

    Examples
    --------
    >>> import suffice
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = suffice.GenerativeClassifier().fit(X, y)
    >>> round(clf.score(X, y), 2)
    0.98
    >>> clf.predict(X[:2])
    array([0, 0])
    """

    def __init__(
        self,
        family: str | Mapping[str, str] | Sequence[str] | None = None,
        transforms: Mapping[str, str] | str | None = None,
        *,
        keep: int | None = None,
        keep_above: float | None = None,
        pca: int | float | str | None = None,
        standardize: bool | str = False,
        lda: int | None = None,
        covariance: str = "auto",
        components: int | str = 1,
        discriminative: bool | str = False,
        penalty: float | str = "auto",
        shrinkage: float | str | None = None,
        target: str | None = None,
        target_share: float | str | None = None,
        towards_tied: float = 0.0,
        tails: float | str | None = None,
        shrink_means: float | str | None = None,
        estimate: str = "plugin",
        normalize: str = "mle",
        smoothing: float | str | None = None,
        event_model: str = "multinomial",
        min_rows: float = 0.0,
        max_words: int | None = None,
        idf: bool | str = False,
        length_power: float = 1.0,
        categories: str | None = None,
        calibration: str | None = None,
        missing: str = "auto",
        missing_indicators: bool | str | None = None,
        unlabelled: str | None = None,
        unlabelled_weight: float = 1.0,
        max_iter: int = 200,
        tol: float = 1e-6,
        n_init: int = 5,
        priors: Any = "train",
        costs: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.family = family
        self.transforms = transforms
        self.keep = keep
        self.keep_above = keep_above
        self.pca = pca
        self.standardize = standardize
        self.lda = lda
        self.covariance = covariance
        self.components = components
        self.discriminative = discriminative
        self.penalty = penalty
        self.shrinkage = shrinkage
        self.target = target
        self.target_share = target_share
        self.towards_tied = towards_tied
        self.tails = tails
        self.shrink_means = shrink_means
        self.estimate = estimate
        self.normalize = normalize
        self.smoothing = smoothing
        self.event_model = event_model
        self.min_rows = min_rows
        self.max_words = max_words
        self.idf = idf
        self.length_power = length_power
        self.categories = categories
        self.calibration = calibration
        self.missing = missing
        self.missing_indicators = missing_indicators
        self.unlabelled = unlabelled
        self.unlabelled_weight = unlabelled_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.priors = priors
        self.costs = costs
        self.n_jobs = n_jobs

    # ---- learning -----------------------------------------------------------------------------

    @in_turn
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> GenerativeClassifier:
        """Learn from rows and their classes; what was learned before is forgotten.

        X is an array, a sparse matrix, a pandas or Polars frame, or an Arrow table or stream; y
        and `sample_weight` are arrays or the names of columns of X. A weight says how many rows a
        row stands for. `groups`, an array or the name of a column, names what rows belong together,
        such as those of one person: none has a part in the model that another one is compared or
        calibrated with.

        >>> import suffice
        >>> X = [[1.0, 2.0], [2.0, 1.0], [3.0, 3.0], [7.0, 7.0], [8.0, 9.0], [9.0, 7.0]]
        >>> clf = suffice.GenerativeClassifier().fit(X, ["a", "a", "a", "b", "b", "b"])
        >>> clf.model_.blocks[0]["mean"].tolist()
        [[2.0, 2.0], [8.0, 7.666666666666667]]
        """
        require_readable_again(X, self._fit_options())
        columns = given.named_columns(label=y, weight=sample_weight, group=groups)
        table, labels, weights = self._checked(X, y, sample_weight, columns, reset=True)
        if isinstance(weights, np.ndarray) and not weights.any():
            raise ValueError(
                "Sample weights must contain at least one non-zero number: where all are zero "
                "there is nothing to learn from"
            )
        schema, chosen = self._schema_of(table, columns)
        rows = rows_of(table, labels, weights, groups, schema, chosen)
        options = self._fit_options(schema, by_groups=groups is not None)
        try:
            found = trained(rows, options, self.n_jobs)
        except Error as error:
            if getattr(table, "rows", None) == 1:
                error.sentence = f"there is only 1 sample: {error.sentence}"
            raise
        self._learn(found.statistics, named=table.names is not None, columns=schema.columns)
        return self._finish(found)

    @in_turn
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> GenerativeClassifier:
        """Learn from more rows: the sums are, up to rounding, those of one `fit` on all of them, and
        so is the model of a covariance that is named. Without one it is full, as there are no rows
        to choose with.

        New classes may come at any time; `classes` may name some beforehand. The model is
        estimated when it is first asked for, so batches may be smaller than a covariance needs.

        >>> import suffice
        >>> clf = suffice.GenerativeClassifier(covariance="spherical")
        >>> clf = clf.partial_fit([[1.0, 2.0], [2.0, 1.0]], [0, 0])
        >>> clf = clf.partial_fit([[7.0, 8.0], [9.0, 8.0]], [1, 1])
        >>> clf.classes_, clf.statistics_.weights
        (array([0, 1]), array([2., 2.]))
        """
        options = self._fit_options()
        if needs := options.needs_rows:
            raise ValueError(
                f"{needs} needs all rows at once, so partial_fit cannot have it; use fit"
            )
        before = getattr(self, "statistics_", None)
        first = before is None
        columns = given.named_columns(label=y, weight=sample_weight)
        table, labels, weights = self._checked(X, y, sample_weight, columns, reset=first)
        chosen = None
        if before is None:
            schema, chosen = self._schema_of(table, columns)
            kept = "full" if options.needs_dense_scatter else "diag"
            before = Statistics(schema, covariance=kept)
        if classes is not None:
            declared = Statistics(before.schema, covariance=before.covariance, labels=classes)
            before = before.merge(declared)
        if isinstance(table, Source):
            data = training(table, labels, weights, "").labelled
            labels, weights = data.labels, data.weights
        statistics = before._update(table, labels, weights, threads_of(self.n_jobs), chosen)
        self._learn(statistics, named=first and table.names is not None)
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
        if not isinstance(statistics, Statistics):
            raise TypeError(
                f"from_statistics needs Statistics, not {type(statistics).__name__}; fit takes rows"
            )
        self = cls(**options)
        if needs := self._fit_options(statistics.schema).needs_rows:
            raise ValueError(
                f"{needs} needs rows, and statistics have only their sums; use fit"
                + (", or calibrate model_ by rows of your own" if "calibration" in needs else "")
            )
        self._learn(statistics.copy(), named=not statistics.schema._numbered)
        return self._finish()

    def _fit_options(
        self, schema: Schema | None = None, *, by_groups: bool = False
    ) -> engine.FitOptions:
        """The parameters as the engine reads them."""
        return fit_options(
            {name: getattr(self, name) for name in MODEL_OPTIONS},
            schema,
            by_groups=by_groups,
            **{name: getattr(self, name) for name in _FIT_OPTIONS},
        )

    def _checked(
        self, X: Any, y: Any, sample_weight: Any, columns: Mapping[str, str | None], *, reset: bool
    ) -> tuple[Columned, Any, Any]:
        """The rows, classes and weights; `columns` are those of X that are no features."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        table = given.checked_rows(self, X, reset=reset, beside=columns.values())
        if self.unlabelled is None:
            labels = given.checked_labels(y)
        else:
            labels = partly_labelled_in(table, y)
        return table, labels, given.checked_weights(sample_weight)

    def _schema_of(
        self, table: Columned, columns: Mapping[str, str | None]
    ) -> tuple[Schema, list[bool] | None]:
        """The schema of the first rows, and for each column whether its family was given."""
        schema = given.schema_of_rows(
            table, self.family, named_transforms(self.transforms), columns
        )
        if self.family is None or isinstance(self.family, (str, Mapping)):
            return schema, families_chosen(schema, self.family)
        return schema, None  # all are given, and nothing is to be said of them

    def _learn(
        self, statistics: Statistics, *, named: bool, columns: Sequence[str] | None = None
    ) -> None:
        """Takes over the statistics, and with them the classes and the columns; `columns` are those
        of X where the statistics lack some."""
        self.statistics_ = statistics
        self._model: Model | None = None
        for found in ("choice_", "better_columns_", "mixture_"):
            self.__dict__.pop(found, None)
        self._order = np.argsort(statistics.classes_, kind="stable")
        self.classes_ = statistics.classes_[self._order]
        self._columns_in = tuple(columns or statistics.schema.columns)
        self.n_features_in_ = len(self._columns_in)
        if named:
            self.feature_names_in_ = np.array(self._columns_in, dtype=object)

    def _finish(self, found: Fit | None = None) -> GenerativeClassifier:
        """Takes over what was found, and checks priors and costs, so that fit reports what is
        wrong."""
        if found is not None:
            self._model = found.model
            for name in ("choice", "better_columns", "mixture"):
                if (value := getattr(found, name)) is not None:
                    setattr(self, f"{name}_", value)
        priors_of(self._priors(None), self.model_)
        costs_of(self._costs(None), self.model_)
        return self

    @property
    def model_(self) -> Model:
        """The Model, estimated from `statistics_` when it is first asked for."""
        check_is_fitted(self)
        model = self._model
        if model is not None:
            return model
        with turn_of(self):  # so that it is not kept where other threads learn meanwhile
            if self._model is None:
                options = self._fit_options(self.schema_)
                self._model = trained_from_sums(self.statistics_, options, self.n_jobs).model
            return self._model

    @property
    def n_iter_(self) -> int:
        """Passes of EM over the rows; 1 where there was nothing to find by EM."""
        found = self.model_.options
        return int(found.get("mixture_passes", found.get("em_passes", 1)))

    @property
    def schema_(self) -> Schema:
        """The columns and their families."""
        check_is_fitted(self)
        return self.statistics_.schema

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_turn", None)
        if isinstance(self.costs, Mapping):  # whose keys are pairs, which not every store has
            state["costs"] = [[*pair, cost] for pair, cost in self.costs.items()]
            state["_costs_by_pair"] = True
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if state.pop("_costs_by_pair", False):
            state["costs"] = {(true, decided): cost for true, decided, cost in state["costs"]}
        super().__setstate__(state)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "statistics_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    # ---- answers ------------------------------------------------------------------------------

    def predict(
        self,
        X: Any,
        priors: Any = None,
        costs: Any = None,
        reject: float | None = None,
        outlier: float | None = None,
    ) -> Array:
        """The class of each row whose expected cost is smallest.

        None for `priors` and `costs` means the estimator's own. With `reject` (the cost of no
        decision) or `outlier` (a bound on the outlier score) some rows have None instead of a
        class, and the result is an array of objects.

        >>> import suffice
        >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], list("aaabbb")
        >>> clf = suffice.GenerativeClassifier(covariance="tied").fit(X, y)
        >>> clf.predict([[3.3]]).tolist()
        ['a']
        >>> clf.predict([[3.3]], priors={"a": 0.1, "b": 0.9}).tolist()
        ['b']
        >>> clf.predict([[3.4], [6.0]], reject=0.1).tolist()
        [None, 'b']
        """
        check_is_fitted(self)
        return self._asked("decide", X, priors, self._costs(costs), reject=reject, outlier=outlier)

    def predict_proba(self, X: Any, priors: Any = None) -> Floats:
        """P(class | x): one row each, columns as `classes_`.

        >>> import suffice
        >>> clf = suffice.GenerativeClassifier("bernoulli", smoothing=0, calibration="none")
        >>> clf = clf.fit([[1], [1], [1], [0], [1], [0], [0], [0]], list("aaaabbbb"))
        >>> clf.predict_proba([[1]]).round(6)  # 3/4 against 1/4
        array([[0.75, 0.25]])
        >>> clf.predict_proba([[1]], priors=[0.25, 0.75]).round(6)  # 3/16 against 3/16
        array([[0.5, 0.5]])
        """
        return self._columns("posterior", X, priors)

    def predict_log_proba(self, X: Any, priors: Any = None) -> Floats:
        """log P(class | x), right where the probability itself underflows.

        >>> import suffice
        >>> clf = suffice.GenerativeClassifier(covariance="full", shrinkage=0)
        >>> clf = clf.fit([[0.0], [2.0], [100.0], [102.0]], [0, 0, 1, 1])
        >>> clf.predict_log_proba([[1.0]]).round(6)  # half of (100 / 1) squared
        array([[    0., -5000.]])
        """
        return self._columns("log_posterior", X, priors)

    def predict_log_likelihood(self, X: Any) -> Floats:
        """log p(x | class), columns as `classes_`: what the classifier knows before any prior.

        >>> import suffice
        >>> clf = suffice.GenerativeClassifier("poisson", smoothing=0)
        >>> clf = clf.fit([[1], [3], [4], [6]], ["few", "few", "many", "many"])
        >>> clf.predict_log_likelihood([[0]]).round(6)  # minus the rates 2 and 5
        array([[-2., -5.]])
        """
        return self._columns("log_likelihood", X)

    def predict_llr(self, X: Any, priors: Any = None) -> Floats:
        """Log-likelihood ratios: log p(x | class) less the log of the prior-weighted mean of the
        other classes, columns as `classes_`; for two classes one column, the first over the second.

        >>> import suffice
        >>> clf = suffice.GenerativeClassifier("poisson", smoothing=0, calibration="none")
        >>> clf = clf.fit([[1], [3], [4], [6]], ["few", "few", "many", "many"])
        >>> clf.predict_llr([[0]]).round(6)
        array([[3.]])
        """
        return self._columns("llr", X, priors)

    def decision_function(self, X: Any, priors: Any = None) -> Floats:
        """Log posteriors, columns as `classes_`; for two classes the log odds of the second.

        What scikit-learn's calibration and ranking metrics ask for: unlike probabilities they do
        not run into 0 and 1.

        >>> import suffice
        >>> clf = suffice.GenerativeClassifier(shrinkage=0)
        >>> clf = clf.fit([[0.0], [2.0], [100.0], [102.0]], [0, 0, 1, 1])
        >>> clf.decision_function([[1.0], [101.0]]).round(6)
        array([-5000.,  5000.])
        """
        log_posteriors = self.predict_log_proba(X, priors)
        if len(self.classes_) != 2:
            return log_posteriors
        odds: Floats = log_posteriors[:, 1] - log_posteriors[:, 0]
        return odds

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the rows, by weight, whose class is predicted; y and `sample_weight` are
        arrays or the names of columns of X.

        >>> import suffice
        >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], list("aaabbb")
        >>> clf = suffice.GenerativeClassifier(covariance="tied").fit(X, y)
        >>> clf.score([[0.0], [9.0], [8.0], [7.0]], ["a", "a", "b", "b"])
        0.75
        """
        check_is_fitted(self)
        label, weight = (name if isinstance(name, str) else None for name in (y, sample_weight))
        beside = (self.schema_.label, label, weight)
        table = given.checked_rows(self, X, reset=False, beside=beside)
        truth, weights = given.true_classes(table, y, sample_weight, self.classes_)
        return float(np.average(truth == self.predict(table), weights=weights))

    def score_samples(self, X: Any, priors: Any = None) -> Floats:
        """log p(x), the classes weighted by the priors.

        >>> import math, suffice
        >>> clf = suffice.GenerativeClassifier("bernoulli", smoothing=0)
        >>> clf = clf.fit([[1], [1], [1], [0], [1], [0], [0], [0]], list("aaaabbbb"))
        >>> [round(math.exp(s), 6) for s in clf.score_samples([[1]])]  # 4 of 8
        [0.5]
        """
        return self._asked("log_density", X, priors)

    def outlier_score(
        self, X: Any, priors: Any = None, *, seed: int = 0, samples: int = 20000
    ) -> Floats:
        """How odd each row is: the probability that a row drawn from the model is at least as
        improbable as this one.

        >>> import suffice
        >>> clf = suffice.GenerativeClassifier(covariance="full", shrinkage=0)
        >>> clf = clf.fit([[-1.0], [1.0], [-1.0], [1.0]], list("aaaa"))
        >>> clf.outlier_score([[0.0], [1.96], [9.0]]).round(2)
        array([1.  , 0.05, 0.  ])
        """
        return self._asked("outlier_score", X, priors, seed=seed, samples=samples)

    def outliers(self, X: Any, alpha: float = 0.001, priors: Any = None) -> NDArray[np.bool_]:
        """True for rows whose outlier score is below `alpha`: of rows that come from the model, a
        fraction of about `alpha`.

        >>> import suffice
        >>> clf = suffice.GenerativeClassifier().fit([[-1.0], [1.0], [-1.0], [1.0]], list("aaaa"))
        >>> clf.outliers([[0.0], [9.0]])
        array([False,  True])
        """
        if not 0 <= alpha <= 1:
            raise ValueError(f"alpha is a probability from 0 to 1, not {alpha!r}")
        mask: NDArray[np.bool_] = self.outlier_score(X, priors) < alpha
        return mask

    def evidence(
        self, X: Any, of: Any = None, against: Any = None, unit: str = "nats", *, seed: int = 0
    ) -> Evidence:
        """What each column adds to the ratio of two classes, as Model.evidence does.

        >>> import suffice
        >>> clf = suffice.GenerativeClassifier(covariance="tied", shrinkage=0)
        >>> clf = clf.fit([[1.0], [3.0], [6.0], [8.0]], list("aabb"))
        >>> clf.evidence([[6.0]], of="b").values.round(6).tolist()
        [[7.5]]
        """
        check_is_fitted(self)
        return self.model_.evidence(
            self._rows(X), of, against, unit, priors=self._priors(None), seed=seed, n_jobs=self.n_jobs
        )

    def predict_sets(
        self, X: Any, coverage: float = 0.9, *, per_class: bool = False, allow_empty: bool = False
    ) -> NDArray[np.bool_]:
        """The classes that remain possible, as Model.sets has them: True for the classes of each
        row's set, columns in the order of `classes_`.

        >>> import suffice
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = suffice.GenerativeClassifier().fit(X, y)
        >>> clf.predict_sets(X[[0, 83]], coverage=0.99).tolist()
        [[True, False, False], [False, True, True]]
        """
        check_is_fitted(self)
        members = self._asked("sets", X, model=self.model_, coverage=coverage,
                              per_class=per_class, allow_empty=allow_empty)
        order = self._order
        return members if np.array_equal(order, np.arange(len(order))) else members[:, order]

    def sample(
        self, n: int = 1, label: Any = None, priors: Any = None, *, seed: int = 0
    ) -> tuple[Any, Array]:
        """`n` rows drawn from the model and their classes: of the class `label`, or of all classes
        by the priors. The same seed gives the same rows. They are a frame where a column is
        categorical, as in Model.sample.

        >>> import suffice
        >>> clf = suffice.GenerativeClassifier().fit([[-1.0], [1.0], [9.0], [11.0]], list("aabb"))
        >>> X, y = clf.sample(5, label="b", seed=1)
        >>> X.shape, y.tolist()
        ((5, 1), ['b', 'b', 'b', 'b', 'b'])
        """
        check_is_fitted(self)
        return self.model_.sample(n, label, self._priors(priors), seed=seed)

    # ---- helpers ------------------------------------------------------------------------------

    def _rows(self, X: Any) -> Columned:
        """X as a table, with the names that columns had in `fit` where the model has some of them
        only."""
        table = given.checked_rows(self, X, reset=False, beside=(self.schema_.label,))
        if len(self.model_.schema.columns) < len(self._columns_in):
            table = given.named(table, self._columns_in)
        return table

    def _asked(
        self, question: str, X: Any, *arguments: Any, model: Model | None = None, **options: Any
    ) -> Array:
        """The model's answer for checked rows; the first further argument is a choice of priors."""
        check_is_fitted(self)
        model = model or self.model_
        X = self._rows(X)
        if arguments:
            arguments = (self._priors(arguments[0]), *arguments[1:])
        answer: Array = getattr(model, question)(X, *arguments, **options, n_jobs=self.n_jobs)
        return answer

    def _columns(self, question: str, X: Any, *arguments: Any) -> Floats:
        """An answer for each class, from the engine's order of labels to that of `classes_`."""
        check_is_fitted(self)
        model, order = self.model_, self._order
        by_label = self._asked(question, X, *arguments, model=model)
        if len(order) != len(model.labels):  # another thread has learned new classes meanwhile
            order = np.argsort(model.classes_, kind="stable")
        if by_label.shape[1] == 1:  # the ratios of two classes
            return by_label if order[0] == 0 else -by_label
        in_order = np.array_equal(order, np.arange(len(order)))
        return by_label if in_order else by_label[:, order]

    def _priors(self, priors: Any) -> Any:
        """The priors as the model takes them: an array is in the order of `classes_`, not of its
        labels."""
        priors = self.priors if priors is None else priors
        known = isinstance(priors, (str, Mapping, Priors))
        return priors if known else Priors(self.classes_, priors)

    def _costs(self, costs: Any) -> Any:
        """The costs as the model takes them: a matrix is in the order of `classes_`."""
        costs = self.costs if costs is None else costs
        known = costs is None or isinstance(costs, (Mapping, Costs))
        return costs if known else Costs(self.classes_, costs)


GenerativeClassifier.__module__ = "suffice"  # where it is imported from
