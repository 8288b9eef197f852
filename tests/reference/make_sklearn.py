#!/usr/bin/env python3
"""Writes sklearn.json: what scikit-learn and SciPy say about the public data sets.

    python tests/reference/make_sklearn.py [DATA_DIR]      (default: ../shared/data)

Each entry has counts of errors, and log-likelihoods, posteriors or parameters of a few rows, from
which the tests compare to the digits that the problem's conditioning leaves.
"""
import csv
import gzip
import json
import re
import sys
from pathlib import Path

import numpy as np
import scipy
import sklearn
from scipy.stats import multivariate_normal, poisson
from sklearn.discriminant_analysis import (LinearDiscriminantAnalysis,
                                           QuadraticDiscriminantAnalysis)
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB

HERE = Path(__file__).resolve().parent
DATA = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / ".." / "shared" / "data"


def read(name):
    """A list of rows, each a dictionary from column to text."""
    with gzip.open(DATA / name, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def texts(table, column):
    return np.array([row[column] for row in table])


def numbers(table, columns):
    return np.array([[float(row[c]) for c in columns] for row in table])


def without(table, *left_out):
    return [c for c in table[0] if c not in left_out]


def some(n, count=10):
    """Rows spread evenly over the table."""
    return sorted({int(i) for i in np.linspace(0, n - 1, count)})


def errors(model, x, y):
    return int(np.sum(model.predict(x) != y))


def log_normal(x, mean, covariance):
    """log N(x; mean, covariance) by SciPy, in units of the deviations: SciPy judges rank by size."""
    unit = np.sqrt(np.diag(covariance))
    return float(multivariate_normal.logpdf((x - mean) / unit, np.zeros(len(unit)),
                                            covariance / np.outer(unit, unit)) - np.log(unit).sum())


def gaussian(x, y):
    """Naive Bayes without smoothing, LDA and QDA, on numbers without missing values."""
    classes = sorted(set(y))
    out = {"classes": [str(c) for c in classes], "rows": some(len(y)),
           "counts": [int(np.sum(y == c)) for c in classes]}
    at = out["rows"]
    if all(x[y == c].var(axis=0).min() > 0 for c in classes):
        nb = GaussianNB(var_smoothing=0).fit(x, y)
        out["naive"] = {"errors": errors(nb, x, y), "mean": nb.theta_.tolist(),
                        "variance": nb.var_.tolist(),
                        "joint": nb.predict_joint_log_proba(x[at]).tolist()}
    # SciPy's multivariate normal at maximum-likelihood parameters: log p(x | c) itself.
    mean = np.array([x[y == c].mean(axis=0) for c in classes])
    pooled = sum((x[y == c] - m).T @ (x[y == c] - m) for c, m in zip(classes, mean)) / len(y)
    if np.linalg.matrix_rank(np.corrcoef(x.T)) == x.shape[1] and len(classes) < 20:
        out["tied"] = {"log_likelihood": [
            [log_normal(x[i], m, pooled) for m in mean] for i in at]}
        # The solver svd never forms the covariance and keeps its digits. Like all solvers of this
        # release, and like its QDA, it divides by n.
        lda = LinearDiscriminantAnalysis(solver="svd").fit(x, y)
        out["tied"] |= {"errors": errors(lda, x, y),
                        "posterior": lda.predict_proba(x[at]).tolist()}
        if x.shape[1] <= 16:
            out["tied"]["covariance"] = pooled.tolist()
    try:
        qda = QuadraticDiscriminantAnalysis(store_covariance=True).fit(x, y)
    except (np.linalg.LinAlgError, ValueError):
        return out
    full = [np.cov(x[y == c].T, bias=True) for c in classes]
    out["full"] = {
        "errors": errors(qda, x, y),
        "log_likelihood": [[log_normal(x[i], m, s) for m, s in zip(mean, full)] for i in at[:5]]}
    if len(classes) < 20:
        out["full"]["posterior"] = qda.predict_proba(x[at]).tolist()
    return out


def words(text):
    """Runs of ASCII letters and digits, in lower case."""
    return re.findall(r"[a-z0-9]+", re.sub(r"[A-Z]", lambda m: m.group().lower(), text))


def main():
    out = {"made_by": f"scikit-learn {sklearn.__version__}, SciPy {scipy.__version__}, "
                      f"NumPy {np.__version__}"}

    for name, file, label in [("iris", "iris.csv.gz", "species"), ("wine", "wine.csv.gz", "cultivar"),
                              ("wdbc", "breast_cancer_wdbc.csv.gz", "diagnosis")]:
        t = read(file)
        out[name] = gaussian(numbers(t, without(t, label)), texts(t, label))

    measured = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
    t = [row for row in read("penguins.csv.gz") if all(row.values())]
    out["penguins"] = gaussian(numbers(t, measured), texts(t, "species"))

    # Pixels that are constant over the training rows say nothing; the others have a pooled
    # covariance of full rank.
    train, test = read("optdigits_train.csv.gz"), read("optdigits_test.csv.gz")
    x, y = numbers(train, without(train, "digit")), texts(train, "digit").astype(int)
    xt, yt = numbers(test, without(test, "digit")), texts(test, "digit").astype(int)
    kept = x.var(axis=0) > 0
    lda = LinearDiscriminantAnalysis(solver="svd").fit(x[:, kept], y)
    out["optdigits"] = {"constant": np.flatnonzero(~kept).tolist(),
                        "tied": {"errors": errors(lda, x[:, kept], y),
                                 "test_errors": errors(lda, xt[:, kept], yt),
                                 "rows": some(len(yt)),
                                 "test_posterior": lda.predict_proba(xt[some(len(yt))][:, kept])
                                 .tolist()}}
    # Counts of ink as Poisson, smoothed by one row at the rate of all classes.
    rate = np.array([(x[y == c].sum(axis=0) + x.mean(axis=0)) / (np.sum(y == c) + 1)
                     for c in range(10)])
    kept = x.mean(axis=0) > 0
    joint = np.array([poisson.logpmf(xt[:, kept], r[kept]).sum(axis=1) for r in rate]).T
    out["optdigits"]["poisson"] = {"rows": some(len(yt)), "kept": np.flatnonzero(kept).tolist(),
                                   "log_likelihood": joint[some(len(yt))].tolist(),
                                   "test_errors": int(np.sum(joint.argmax(axis=1) != yt))}

    t = read("letter.csv.gz")
    x, y = numbers(t, without(t, "letter")), texts(t, "letter")
    x, xt, y, yt = x[:16000], x[16000:], y[:16000], y[16000:]
    at = some(4000, 4)
    out["letter"] = {"rows": at}
    for name, model in [("naive", GaussianNB(var_smoothing=0)),
                        ("tied", LinearDiscriminantAnalysis(solver="svd")),
                        ("full", QuadraticDiscriminantAnalysis())]:
        model.fit(x, y)
        out["letter"][name] = {"errors": errors(model, x, y), "test_errors": errors(model, xt, yt),
                               "test_posterior": model.predict_proba(xt[at]).tolist()}
    categorical = CategoricalNB(alpha=1, min_categories=16).fit(x.astype(int), y)
    out["letter"]["categorical"] = {
        "errors": errors(categorical, x.astype(int), y),
        "test_errors": errors(categorical, xt.astype(int), yt),
        "joint": categorical.predict_joint_log_proba(xt[at].astype(int)).tolist()}

    t = read("spambase.csv.gz")
    split = texts(read("spambase_esl_split.csv.gz"), "is_test") == "1"
    y = texts(t, "is_spam")
    x = numbers(t, without(t, "is_spam"))
    at = some(int(split.sum()))
    out["spambase"] = {"rows": at}
    for name, model in [("naive", GaussianNB(var_smoothing=0)),
                        ("tied", LinearDiscriminantAnalysis(solver="svd"))]:
        model.fit(x[~split], y[~split])
        out["spambase"][name] = {"errors": errors(model, x[~split], y[~split]),
                                 "test_errors": errors(model, x[split], y[split]),
                                 "log_posterior": model.predict_log_proba(x[split][at]).tolist()}
    word = (numbers(t, [c for c in t[0] if c.startswith("word_freq")]) > 0).astype(int)
    bernoulli = BernoulliNB(alpha=1).fit(word[~split], y[~split])
    out["spambase"]["bernoulli"] = {
        "errors": errors(bernoulli, word[~split], y[~split]),
        "test_errors": errors(bernoulli, word[split], y[split]),
        "joint": bernoulli.predict_joint_log_proba(word[split][at]).tolist()}

    t = read("sms_spam.csv.gz")
    documents = [words(text) for text in texts(t, "text")]
    vocabulary = {w: i for i, w in enumerate(sorted({w for d in documents for w in d}))}
    rows = [vocabulary[w] for d in documents for w in d]
    starts = np.repeat(np.arange(len(documents)), [len(d) for d in documents])
    counts = scipy.sparse.coo_matrix((np.ones(len(rows)), (starts, rows)),
                                     shape=(len(documents), len(vocabulary))).tocsr()
    y = texts(t, "label")
    test = np.arange(len(y)) % 5 == 0
    model = MultinomialNB(alpha=1).fit(counts[~test], y[~test])
    at = some(int(test.sum()))
    out["sms"] = {"words": len(vocabulary), "total": int(counts.sum()), "rows": at,
                  "errors": errors(model, counts[~test], y[~test]),
                  "test_errors": errors(model, counts[test], y[test]),
                  "joint": model.predict_joint_log_proba(counts[test][at]).tolist()}

    # A missing cell is a level of its own here, the empty name, so that both see the same.
    names = ["workclass", "education", "marital_status", "occupation", "relationship", "race", "sex",
             "native_country"]
    train, test = read("adult_train.csv.gz"), read("adult_test.csv.gz")
    levels = [sorted({row[n] for row in train + test}) for n in names]
    x, xt = (np.array([[l.index(row[n]) for n, l in zip(names, levels)] for row in t])
             for t in (train, test))
    y, yt = texts(train, "income"), texts(test, "income")
    model = CategoricalNB(alpha=1, min_categories=[len(l) for l in levels]).fit(x, y)
    at = some(len(test))
    out["adult"] = {"features": names, "levels": [len(l) for l in levels], "rows": at,
                    "errors": errors(model, x, y),
                    "test_errors": errors(model, xt, yt),
                    "joint": model.predict_joint_log_proba(xt[at]).tolist()}

    text = json.dumps(out, indent=None, separators=(",", ":"))
    (HERE / "sklearn.json").write_text(re.sub(r'("\w+":\{)', r"\n\1", text) + "\n")


if __name__ == "__main__":
    main()
