"""A scikit-learn program before and after its import line is changed.

The program below standardises, searches a grid, calibrates, reduces dimensions, weighs rows and
pickles, and does not know whose estimators it uses. It runs under both import lines; every figure
must be the same.
"""
import pickle

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

BEFORE = """
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
"""
AFTER = """
from suffice.sklearn import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from suffice.sklearn import BernoulliNB, GaussianNB, MultinomialNB
"""


def program(import_lines):
    """Figures by name."""
    names = {}
    exec(import_lines, names)
    LinearDiscriminantAnalysis = names["LinearDiscriminantAnalysis"]
    QuadraticDiscriminantAnalysis = names["QuadraticDiscriminantAnalysis"]
    BernoulliNB, GaussianNB, MultinomialNB = (names[n] for n in ("BernoulliNB", "GaussianNB",
                                                                 "MultinomialNB"))
    figures = {}

    # Wine: a pipeline, a grid over two estimators and their parameters.
    X, y = load_wine(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
    grid = GridSearchCV(
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
        [{"lineardiscriminantanalysis__solver": ["svd"]},
         {"lineardiscriminantanalysis__solver": ["lsqr", "eigen"],
          "lineardiscriminantanalysis__shrinkage": [None, 0.1, 0.5, "auto"]}],
        scoring="neg_log_loss", cv=5)
    grid.fit(X_train, y_train)
    figures["grid search: log-loss of the best"] = -grid.best_score_
    figures["grid search: which is the best"] = grid.best_index_
    figures["grid search: accuracy on new wine"] = np.mean(grid.predict(X_test) == y_test)

    # The two axes that tell the cultivars apart, then a normal density of each class there.
    reduced = make_pipeline(LinearDiscriminantAnalysis(n_components=2), QuadraticDiscriminantAnalysis())
    figures["axes, then QDA: accuracy"] = reduced.fit(X_train, y_train).score(X_test, y_test)

    # Probabilities of naive Bayes are too sure of themselves; calibration mends that.
    calibrated = CalibratedClassifierCV(GaussianNB(), method="sigmoid", cv=3).fit(X_train, y_train)
    figures["calibrated naive Bayes: log-loss"] = log_loss(y_test, calibrated.predict_proba(X_test))

    # Digits as counts and as black and white; pickled and read back.
    X, y = load_digits(return_X_y=True)
    figures["digits as counts: accuracy"] = cross_val_score(MultinomialNB(), X, y, cv=5).mean()
    weights = np.where(y < 5, 2.0, 1.0)
    binary = pickle.loads(pickle.dumps(BernoulliNB(binarize=7).fit(X, y, sample_weight=weights)))
    figures["digits as bits: mean log-probability"] = binary.predict_log_proba(X).max(axis=1).mean()
    return figures


before, after = program(BEFORE), program(AFTER)
print(f"{'':42}{'scikit-learn':>14}{'suffice':>14}")
for name, value in before.items():
    print(f"{name:42}{value:14.8f}{after[name]:14.8f}")
    assert abs(after[name] - value) <= 1e-8 * max(1, abs(value)), name
print("The figures are the same.")
