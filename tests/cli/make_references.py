#!/usr/bin/env python3
"""Writes references.json: what scikit-learn, SciPy and NumPy say about the data sets of the tests.

    python tests/cli/make_references.py

It adds to tests/reference/sklearn.json, which has posteriors and errors under the training
frequencies, what an application asks of the command line: other priors, costs, log-loss, Brier
score, area under the curve, and tables that no peer takes as they are (mixed, with missing values).
For those the densities are SciPy's and the sums are written out here.
"""
import json
import re
from pathlib import Path

import numpy as np
import pandas
import scipy
import sklearn
from scipy.special import log_softmax
from scipy.stats import chi2, multivariate_normal, norm, poisson
from sklearn.discriminant_analysis import (LinearDiscriminantAnalysis,
                                           QuadraticDiscriminantAnalysis)
from sklearn.metrics import confusion_matrix, roc_auc_score, roc_curve
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

from datasets import IMAGES, data_file, read_idx, word_counts

HERE = Path(__file__).resolve().parent

# A prior and costs for each set that change its answers.
PRIOR = {"iris": {"setosa": 0.2, "versicolor": 0.1, "virginica": 0.7},
         "wine": {"class_0": 0.05, "class_1": 0.9, "class_2": 0.05},
         "wdbc": {"benign": 0.9, "malignant": 0.1},
         "mail": {"0": 0.75, "1": 0.25},
         "census": {"<=50K": 0.95, ">50K": 0.05},
         "passengers": {"0": 0.8, "1": 0.2},
         "messages": {"ham": 0.99, "spam": 0.01}}
COST = {"iris": {"versicolor>virginica": 5, "virginica>versicolor": 0.5},
        "wine": {"class_1>class_0": 20, "class_1>class_2": 20, "class_0>class_0": -1},
        "wdbc": {"malignant>benign": 50, "benign>malignant": 1},
        "mail": {"0>1": 10, "1>0": 1},
        "census": {">50K><=50K": 3, "<=50K>>50K": 1},
        "passengers": {"0>1": 2.5},
        "messages": {"ham>spam": 100}}
REJECT = {"iris": 0.05, "wine": 0.001, "wdbc": 0.05, "passengers": 0.25}


def read(name):
    """A table of text; an empty cell is the empty text."""
    return pandas.read_csv(data_file(name), dtype=str, keep_default_na=False)


def some(n, count=6):
    """Rows spread evenly over the table."""
    return sorted({int(i) for i in np.linspace(0, n - 1, count)})


def answers(name, classes, y, log_posterior, with_confusion=True):
    """What evaluate and predict say, from log P(c | x) of every row."""
    posterior = np.exp(log_posterior)
    truth = np.searchsorted(classes, y)
    best = posterior.argmax(axis=1)
    at = some(len(y))
    out = {"rows": len(y), "errors": int(np.sum(best != truth)),
           "log_loss": float(-log_posterior[np.arange(len(y)), truth].mean()),
           "brier": float(((posterior - np.eye(len(classes))[truth]) ** 2).sum(axis=1).mean()),
           "at": at, "log_posterior": log_posterior[at].tolist()}
    if with_confusion:
        out["confusion"] = confusion_matrix(truth, best, labels=range(len(classes))).tolist()
    if len(classes) == 2:
        # The first class is the one whose ratio should be large.
        ratio = log_posterior[:, 0] - log_posterior[:, 1]
        out["auc"] = float(roc_auc_score(truth == 0, ratio))
        # Both error rates fall and rise with the threshold; they are equal between these.
        false, right, _ = roc_curve(truth == 0, ratio, drop_intermediate=False)
        out["eer_between"] = [float(np.minimum(false, 1 - right).max()),
                              float(np.maximum(false, 1 - right).min())]
    if name in COST:
        cost = 1 - np.eye(len(classes))
        for pair, value in COST[name].items():
            # A label may hold '>', so the pair is found among all pairs of labels.
            i, j = next((i, j) for i, a in enumerate(classes) for j, b in enumerate(classes)
                        if f"{a}>{b}" == pair)
            cost[i, j] = value
        decided = (posterior @ cost).argmin(axis=1)
        out["with_cost"] = {"errors": int(np.sum(decided != truth)),
                            "cost": float(cost[truth, decided].mean())}
    if name in REJECT:
        kept = 1 - posterior.max(axis=1) <= REJECT[name]
        out["with_reject"] = {"rejected": int(np.sum(~kept)),
                              "errors": int(np.sum((best != truth) & kept))}
    return out


def peer_answers(name, make, x, y, xt, yt, priors, **keywords):
    """A scikit-learn model under several priors, in units of the deviations."""
    classes = np.array(sorted(set(y)))
    scale = StandardScaler().fit(x)
    x, xt = scale.transform(x), scale.transform(xt)
    out = {}
    for prior in priors:
        given = {"train": None, "uniform": np.full(len(classes), 1 / len(classes)),
                 "given": PRIOR.get(name) and np.array([PRIOR[name][c] for c in classes])}[prior]
        model = make(given).fit(x, y)
        if isinstance(model, GaussianNB):
            log_posterior = model.predict_log_proba(xt)
        else:
            scores = model.decision_function(xt)
            if scores.ndim == 1:
                scores = np.stack([np.zeros(len(scores)), scores], axis=1)
            log_posterior = log_softmax(scores, axis=1)
        out[prior] = answers(name, classes, yt, log_posterior, **keywords)
    return out


def naive(priors):
    return GaussianNB(priors=priors, var_smoothing=0)


def tied(priors):
    return LinearDiscriminantAnalysis(solver="svd", priors=priors)


def full(priors):
    return QuadraticDiscriminantAnalysis(priors=priors)


def under_priors(name, classes, y, yt, log_likelihood, priors, **keywords):
    """The same from log p(x | c)."""
    out = {}
    for prior in priors:
        p = {"train": lambda: np.array([np.mean(y == c) for c in classes]),
             "uniform": lambda: np.full(len(classes), 1 / len(classes)),
             "given": lambda: np.array([PRIOR[name][c] for c in classes])}[prior]()
        out[prior] = answers(name, classes, yt, log_softmax(log_likelihood + np.log(p), axis=1),
                             **keywords)
    return out


def tied_diagonal(x, y, classes):
    """One variance a feature, pooled over the classes and divided by n."""
    mean = np.array([x[y == c].mean(axis=0) for c in classes])
    variance = sum(((x[y == c] - m) ** 2).sum(axis=0) for c, m in zip(classes, mean)) / len(y)
    return lambda z: np.stack([norm.logpdf(z, m, np.sqrt(variance)).sum(axis=1) for m in mean], 1)


def independent(x, y, classes):
    """Gaussian naive Bayes over the values that are present (NaN is missing)."""
    def score(z):
        terms = [norm.logpdf(z, np.nanmean(x[y == c], axis=0), np.nanstd(x[y == c], axis=0))
                 for c in classes]
        return np.stack([np.nansum(t, axis=1) for t in terms], axis=1)
    return score


def joint(x, y, classes, pooled=False):
    """Gaussians with full covariances from the complete rows; rows are scored by their marginals."""
    complete = ~np.isnan(x).any(axis=1)
    parts = [x[complete & (y == c)] for c in classes]
    mean = [p.mean(axis=0) for p in parts]
    covariance = [np.cov(p.T, bias=True) for p in parts]
    if pooled:
        covariance = [sum(len(p) * s for p, s in zip(parts, covariance)) / complete.sum()] * len(parts)

    def score(z):
        out = np.zeros((len(z), len(classes)))
        patterns = np.isnan(z)
        for pattern in np.unique(patterns, axis=0):
            rows = (patterns == pattern).all(axis=1)
            has = ~pattern
            if has.any():
                for k, (m, s) in enumerate(zip(mean, covariance)):
                    out[rows, k] = multivariate_normal.logpdf(
                        z[np.ix_(rows, has)], m[has], s[np.ix_(has, has)], allow_singular=False)
        return out
    return score


def categories(x, y, classes, alpha=1):
    """Categorical naive Bayes on text: '' is missing, and so is a level unseen in training."""
    tables = []
    for j in range(x.shape[1]):
        levels = sorted(set(x[:, j]) - {""})
        count = np.array([[np.sum((x[:, j] == v) & (y == c)) for v in levels] for c in classes])
        tables.append((levels, np.log((count + alpha)
                                      / (count.sum(axis=1, keepdims=True) + alpha * len(levels)))))

    def score(z):
        out = np.zeros((len(z), len(classes)))
        for j, (levels, log_p) in enumerate(tables):
            for v, column in zip(levels, log_p.T):
                out[z[:, j] == v] += column
        return out
    return score


def mixed(name, table, test, label, numeric, categorical, priors):
    y, yt = table[label].to_numpy(str), test[label].to_numpy(str)
    classes = np.array(sorted(set(y)))
    number = lambda t: t[numeric].replace("", np.nan).to_numpy(float)
    # Units of the deviations, for SciPy's sake: posteriors do not depend on them.
    unit = np.nanstd(number(table), axis=0)
    x, xt = number(table) / unit, number(test) / unit
    words = categories(table[categorical].to_numpy(str), y, classes)(test[categorical].to_numpy(str))
    out = {"numeric": numeric, "categorical": categorical}
    for structure, make in [("diag", independent), ("full", joint),
                            ("tied", lambda *a: joint(*a, pooled=True))]:
        out[structure] = under_priors(name, classes, y, yt, make(x, y, classes)(xt) + words, priors)
    return out


def main():
    out = {"made_by": f"scikit-learn {sklearn.__version__}, SciPy {scipy.__version__}, "
                      f"NumPy {np.__version__}",
           "prior": PRIOR, "cost": COST, "reject": REJECT}
    every = ["train", "uniform", "given"]

    for name, file, label in [("iris", "iris.csv.gz", "species"), ("wine", "wine.csv.gz", "cultivar"),
                              ("wdbc", "breast_cancer_wdbc.csv.gz", "diagnosis")]:
        t = read(file)
        x, y = t.drop(columns=label).to_numpy(float), t[label].to_numpy(str)
        classes = np.array(sorted(set(y)))
        out[name] = {"diag": peer_answers(name, naive, x, y, x, y, every),
                     "tied": peer_answers(name, tied, x, y, x, y, every),
                     "tied-diag": under_priors(name, classes, y, y,
                                               tied_diagonal(x, y, classes)(x), every)}
        if name == "iris":
            # Under a prior that rules the others out, the outlier score is setosa's tail.
            part = x[y == "setosa"]
            away = x - part.mean(axis=0)
            distance = (away @ np.linalg.inv(np.cov(part.T, bias=True)) * away).sum(axis=1)
            out[name]["setosa_tail"] = chi2.sf(distance, x.shape[1]).tolist()
        if name != "wdbc":  # which scikit-learn takes for singular; MASS does not
            out[name]["full"] = peer_answers(name, full, x, y, x, y, every)

    t = read("digits.csv.gz")
    x, y = t.drop(columns="digit").to_numpy(float), t["digit"].to_numpy(str)
    x, xt, y, yt = x[:1200], x[1200:], y[:1200], y[1200:]
    kept = x.var(axis=0) > 0
    out["digits"] = {"tied": peer_answers("digits", tied, x[:, kept], y, xt[:, kept], yt, ["train", "uniform"])}
    # Counts of ink as Poisson, smoothed by one row at the rate of all classes.
    rate = np.array([(x[y == c].sum(axis=0) + x.mean(axis=0)) / (np.sum(y == c) + 1) for c in sorted(set(y))])
    scores = poisson.logpmf(xt[:, None, kept], rate[:, kept]).sum(axis=2)
    at = some(len(yt))
    out["digits"]["poisson"] = {"kept": np.flatnonzero(kept).tolist(), "rows": at,
                                "log_likelihood": scores[at].tolist(),
                                "errors": int(np.sum(scores.argmax(axis=1) != yt.astype(int)))}

    t = read("glyphs.csv.gz")
    x, y = t.drop(columns="letter").to_numpy(float), t["letter"].to_numpy(str)
    out["glyphs"] = {s: peer_answers("glyphs", make, x[:8000], y[:8000], x[8000:], y[8000:],
                                     ["train", "uniform"], with_confusion=False)
                     for s, make in [("diag", naive), ("tied", tied), ("full", full)]}
    # Integers as categories. Column 15 has a level in the last 4000 rows that training did not see,
    # which CategoricalNB refuses; without it the two agree.
    words = t.drop(columns="letter").to_numpy(str)
    scores = categories(words[:8000], y[:8000], np.array(sorted(set(y))))(words[8000:])
    levels = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(words[:8000])
    codes = levels.transform(words[8000:])
    model = CategoricalNB(alpha=1, min_categories=[len(c) for c in levels.categories_])
    model.fit(levels.transform(words[:8000]), y[:8000])
    known = (codes >= 0).all(axis=1)
    peer = model.predict_joint_log_proba(codes[known]) - model.class_log_prior_
    assert np.allclose(scores[known], peer, rtol=1e-12) and 0 < np.sum(~known) < 10
    out["glyphs"]["categorical"] = under_priors("glyphs", model.classes_, y[:8000], y[8000:], scores,
                                                ["train", "uniform"], with_confusion=False)

    t = read("mail.csv.gz")
    split = np.arange(len(t)) % 3 == 0
    x, y = t.drop(columns="is_spam").to_numpy(float), t["is_spam"].to_numpy(str)
    out["mail"] = {s: peer_answers("mail", make, x[~split], y[~split], x[split], y[split], every)
                       for s, make in [("diag", naive), ("tied", tied)]}
    seen = t.filter(like="word_freq").to_numpy(float) > 0
    model = BernoulliNB(alpha=1).fit(seen[~split], y[~split])
    out["mail"]["bernoulli"] = [int(np.sum(model.predict(seen[part]) != y[part])) for part in (~split, split)]

    numeric = ["age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"]
    train, test = read("census_train.csv.gz"), read("census_test.csv.gz")
    rest = [c for c in train if c not in numeric + ["income"]]
    out["census"] = mixed("census", train, test, "income", numeric, rest, every)

    t = read("passengers.csv.gz")
    out["passengers"] = mixed("passengers", t, t, "Survived", ["Age", "SibSp", "Parch", "Fare"],
                           ["Pclass", "Sex", "Embarked"], every)

    counts, y = word_counts(data_file("messages.csv.gz"))
    matrix = scipy.sparse.csr_array(
        ([n for row in counts for n in row.values()],
         ([i for i, row in enumerate(counts) for _ in row], [w for row in counts for w in row])))
    test = np.arange(len(y)) % 5 == 0
    y = np.array(y)
    model = MultinomialNB(alpha=1).fit(matrix[~test], y[~test])
    log_likelihood = model.predict_joint_log_proba(matrix[test]) - model.class_log_prior_
    out["messages"] = {"words": matrix.shape[1], "multinomial": under_priors(
        "messages", model.classes_, y[~test], y[test], log_likelihood, every)}

    (x, y), (xt, yt) = ((read_idx(data_file(images)).astype(float), read_idx(data_file(labels)).astype(str))
                        for images, labels in (IMAGES["train"], IMAGES["test"]))
    classes = np.array(sorted(set(y)))
    # Pixels at the rim have ink in one or two images, several of them in the same ones: their pooled
    # covariance has no inverse. The tied models take the pixels with ink in a hundred images.
    inked = np.flatnonzero((x > 0).sum(axis=0) >= 100)
    out["images"] = {
        "constant": int(np.sum(x.var(axis=0) == 0)), "inked": inked.tolist(),
        "tied": peer_answers("images", tied, x[:, inked], y, xt[:, inked], yt, ["train"]),
        "tied-diag": under_priors("images", classes, y, yt,
                                  tied_diagonal(x[:, inked], y, classes)(xt[:, inked]), ["train"])}
    # What a fit to the test images must refuse: pixels that vary, and the rank of their covariance.
    vary = xt.var(axis=0) > 0
    away = xt[:, vary] - np.stack([xt[yt == c][:, vary].mean(axis=0) for c in classes])[yt.astype(int)]
    eigenvalues = np.linalg.eigvalsh(np.corrcoef(away.T))
    assert not np.any((eigenvalues > 1e-13) & (eigenvalues < 1e-6))
    out["images"]["rank_of_test"] = [int(np.sum(eigenvalues > 1e-6)), int(vary.sum())]
    model = MultinomialNB(alpha=1).fit(x, y)
    out["images"]["multinomial"] = under_priors(
        "images", classes, y, yt, model.predict_joint_log_proba(xt) - model.class_log_prior_, ["train"])

    text = json.dumps(out, separators=(",", ":"))
    (HERE / "references.json").write_text(re.sub(r'("[\w-]+":\{)', r"\n\1", text) + "\n")


if __name__ == "__main__":
    main()
