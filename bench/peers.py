"""scikit-learn's generative models on the data sets, as one of its users would run them.

Columns of words are one-hot encoded, with a missing word as a level of its own; missing numbers are
replaced by the median of the training rows. What cross-validation chooses is chosen within the training
rows, by error rate, which is scikit-learn's default. Log-losses are those of sklearn.metrics.log_loss, which
counts a probability of 0 as 2.2e-16.
"""
import fnmatch
import gzip
import warnings

import numpy as np
import pandas
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from data_sets import labels_of

VERSION = f"scikit-learn {sklearn.__version__}, protocol 1"  # a change of what is measured counts it up
REGULARISATION = [0, 1e-3, 0.01, 0.1, 0.5, 0.9]
COMPONENTS = [2, 4, 8, 15, 25, 40, 50, 60, 100]
WIDE = 100  # columns; from here on a sixth of the training rows chooses, instead of five folds
numbers = make_column_selector(dtype_include="number")
words = make_column_selector(dtype_exclude="number")


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):
    """GaussianNB of the numbers and CategoricalNB of the words, whose log-likelihoods are added."""

    def fit(self, x, y):
        unknown = {"handle_unknown": "use_encoded_value", "unknown_value": -1}
        self.numbers_, self.words_ = numbers(x), words(x)
        self.impute_ = SimpleImputer(strategy="median").fit(x[self.numbers_])
        self.encode_ = make_pipeline(SimpleImputer(strategy="constant", fill_value="missing"),
                                     OrdinalEncoder(**unknown)).fit(x[self.words_])
        self.gaussian_ = GaussianNB().fit(self.impute_.transform(x[self.numbers_]), y)
        # Level 0 is for words that the training rows do not have.
        levels = [len(found) + 1 for found in self.encode_[-1].categories_]
        self.categorical_ = CategoricalNB(min_categories=levels).fit(self.levels_of(x), y)
        self.classes_ = self.gaussian_.classes_
        return self

    def levels_of(self, x):
        return self.encode_.transform(x[self.words_]).astype(int) + 1

    def predict_proba(self, x):
        joint = (self.gaussian_.predict_joint_log_proba(self.impute_.transform(x[self.numbers_]))
                 + self.categorical_.predict_joint_log_proba(self.levels_of(x))
                 - np.log(self.gaussian_.class_prior_))
        joint = np.exp(joint - joint.max(axis=1, keepdims=True))
        return joint / joint.sum(axis=1, keepdims=True)

    def predict(self, x):
        return self.classes_[self.predict_proba(x).argmax(axis=1)]


def dense():
    return make_column_transformer(
        (SimpleImputer(strategy="median"), numbers),
        (make_pipeline(SimpleImputer(strategy="constant", fill_value="missing"),
                       OneHotEncoder(handle_unknown="ignore", sparse_output=False)), words))


class Chosen(ClassifierMixin, BaseEstimator):
    """QDA with a regularisation or a number of components that cross-validation finds, over columns as
    they are and standardised. Pixels have one unit and are not standardised."""

    def __init__(self, pca, images):
        self.pca, self.images = pca, images

    def candidates(self, x):
        for scale in [[]] if self.images else [[], [StandardScaler()]]:
            if self.pca:
                for q in COMPONENTS:
                    if q < min(x.shape[1], x.shape[0] / 3):
                        yield make_pipeline(*scale, PCA(q), QuadraticDiscriminantAnalysis())
            else:
                for share in REGULARISATION:
                    yield make_pipeline(*scale, QuadraticDiscriminantAnalysis(reg_param=share))

    def fit(self, x, y):
        folds = (StratifiedShuffleSplit(1, test_size=1 / 6, random_state=0) if x.shape[1] >= WIDE else
                 StratifiedKFold(5, shuffle=True, random_state=0))
        candidates = list(self.candidates(x))
        errors = np.zeros(len(candidates))
        for train, test in folds.split(x, y):
            for i, candidate in enumerate(candidates):
                result = attempt(candidate, x[train], y[train], x[test], y[test])
                errors[i] += result[0] if result else np.inf
        self.best_ = candidates[errors.argmin()].fit(x, y)
        self.classes_ = self.best_.classes_
        return self

    def predict_proba(self, x):
        return self.best_.predict_proba(x)

    def predict(self, x):
        return self.best_.predict(x)


def models(data_set, has_words):
    """By name. All but MixedNaiveBayes take numbers alone."""
    images = data_set.images
    found = {"GaussianNB": GaussianNB(),
             "LDA": LinearDiscriminantAnalysis(),
             "LDA auto": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
             "QDA cv": Chosen(False, images),
             "PCA+QDA cv": Chosen(True, images)}
    if has_words:
        found["mixed NB"] = MixedNaiveBayes()
    if data_set.words:
        found["MultinomialNB"] = MultinomialNB()
        found["BernoulliNB"] = BernoulliNB()
    return found


def read(data_set, path):
    """Rows and labels."""
    if data_set.images:
        bytes_of = lambda file: gzip.open(file, "rb").read()
        y = np.frombuffer(bytes_of(labels_of(path)), np.uint8, offset=8)
        return np.frombuffer(bytes_of(path), np.uint8, offset=16).reshape(len(y), -1) / 255, y
    x = pandas.read_csv(path)
    y = x.pop(data_set.label).to_numpy()
    x = x.drop(columns=list(data_set.ignore))
    if data_set.features:
        x = x[[c for c in x if any(fnmatch.fnmatchcase(c, pattern) for pattern in data_set.features)]]
    return x, y


def attempt(model, x, y, x_test, y_test):
    """Errors and the sum of the log-losses; None if the model cannot be fitted or has no probabilities."""
    try:
        p = model.fit(x, y).predict_proba(x_test)
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(p).all():
        return None
    classes = model.classes_
    return (int((classes[p.argmax(axis=1)] != y_test).sum()),
            log_loss(y_test, p, labels=classes, normalize=False))


def measure(data_set, pairs):
    """For each model the error rate and the log-loss over the test rows of all pairs of files; None for
    one that cannot be fitted."""
    sums, rows = {}, 0
    for train, test in pairs:
        table, y = read(data_set, train)
        test_table, y_test = read(data_set, test)
        has_words = not data_set.images and bool(words(table))
        x, x_test = table, test_table
        if not data_set.images:
            to_numbers = dense().fit(table)
            x, x_test = to_numbers.transform(table), to_numbers.transform(test_table)
        for name, model in models(data_set, has_words).items():
            as_table = isinstance(model, MixedNaiveBayes)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                sums.setdefault(name, []).append(
                    attempt(model, *((table, y, test_table) if as_table else (x, y, x_test)), y_test))
        rows += len(y_test)
    return {name: [sum(part) / rows for part in zip(*found)] if all(found) else None
            for name, found in sums.items()}
