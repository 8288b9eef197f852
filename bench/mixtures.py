"""Mixtures within a class, and rows without a label: errors on real data, and speed.

    python3 bench/mixtures.py errors DATA_FOLDER        errors on rows that had no part in training
    python3 bench/mixtures.py unlabelled DATA_FOLDER    errors with few labels, with and without the other rows
    python3 bench/mixtures.py speed [--rows N]          passes of EM beside scikit-learn's GaussianMixture

Needs the package suffice and scikit-learn; `errors` also runs R's mclust (MclustDA) where Rscript has it. Prints
tables in Markdown. Letter is split 16,000 : 4,000, optical digits and spambase have test rows of their own, the
others are split 70 : 30 anew in each repeat.
"""
import argparse
import csv
import gzip
import shutil
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import suffice

SETS = {"iris": ("iris.csv.gz", "species"), "wine": ("wine.csv.gz", "cultivar"),
        "breast cancer": ("breast_cancer_wdbc.csv.gz", "diagnosis"), "spambase": ("spambase.csv.gz", "is_spam"),
        "optical digits": ("optdigits_train.csv.gz", "digit"), "letter": ("letter.csv.gz", "letter")}
MCLUST = """library(mclust)
train <- read.csv("train.csv"); test <- read.csv("test.csv"); k <- ncol(train)
fit <- MclustDA(train[, -k], as.character(train[, k]), verbose = FALSE)
cat(mean(as.character(predict(fit, test[, -k])$classification) != as.character(test[, k])))"""


def read(path, label):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    at = header.index(label)
    keep = [j for j, name in enumerate(header) if j != at and name != "id"]
    return np.array([[float(row[j]) for j in keep] for row in rows]), np.array([row[at] for row in rows])


def splits(name, data, repeats):
    """Training rows and test rows, one or several times."""
    X, y = read(data / SETS[name][0], SETS[name][1])
    if name == "optical digits":
        return [(X, y, *read(data / "optdigits_test.csv.gz", "digit"))]
    if name == "spambase":
        with gzip.open(data / "spambase_esl_split.csv.gz", "rt") as file:
            test = np.array([int(line.split(",")[-1]) for line in file.read().split()[1:]], bool)
        return [(X[~test], y[~test], X[test], y[test])]
    if name == "letter":
        return [(X[:16000], y[:16000], X[16000:], y[16000:])]
    result = []
    for seed in range(repeats):
        order = np.random.default_rng(seed).permutation(len(X))
        train, test = order[: int(0.7 * len(X))], order[int(0.7 * len(X)):]
        result.append((X[train], y[train], X[test], y[test]))
    return result


def ours(components, covariance="full"):
    def error(X, y, T, truth):
        if components == 1:
            model = suffice.Statistics.of(X, y).estimate(covariance)
        else:
            model = suffice.fit_mixture(X, y, covariance=covariance, components=components)
        return np.mean(model.decide(T) != truth)
    return error


def of_scikit_learn(components):
    """A GaussianMixture for each class, with its defaults but five starts; Bayes' rule by the frequencies."""
    def error(X, y, T, truth):
        from sklearn.mixture import GaussianMixture
        classes = np.unique(y)
        score = []
        for c in classes:
            mixture = GaussianMixture(components, n_init=5, random_state=0).fit(X[y == c])
            score.append(mixture.score_samples(T) + np.log(np.mean(y == c)))
        return np.mean(classes[np.argmax(score, 0)] != truth)
    return error


def mclust(X, y, T, truth):
    if not shutil.which("Rscript"):
        raise ValueError("no R")
    with tempfile.TemporaryDirectory() as folder:
        for name, x, labels in (("train", X, y), ("test", T, truth)):
            np.savetxt(f"{folder}/{name}.csv", np.column_stack([x, np.char.add("c", labels.astype(str))]),
                       delimiter=",", fmt="%s", header=",".join([f"x{j}" for j in range(x.shape[1])] + ["y"]),
                       comments="")
        Path(folder, "fit.R").write_text(MCLUST)
        found = subprocess.run(["Rscript", "fit.R"], cwd=folder, capture_output=True, text=True, timeout=1800)
        if found.returncode:
            raise ValueError(found.stderr.strip().splitlines()[-1])
        return float(found.stdout.split()[-1])


METHODS = {"full": ours(1), "full, 2": ours(2), "full, 3": ours(3), "full, auto": ours("auto"),
           "diag": ours(1, "diag"), "diag, 3": ours(3, "diag"), "diag, auto": ours("auto", "diag"),
           "GaussianMixture, 2": of_scikit_learn(2), "GaussianMixture, 3": of_scikit_learn(3), "MclustDA": mclust}


def errors(options):
    methods = {name: METHODS[name] for name in options.methods or METHODS}
    print("| set | " + " | ".join(methods) + " |\n|" + "---|" * (len(methods) + 1))
    for name in options.sets or SETS:
        cells = []
        for error in methods.values():
            begin, found = time.perf_counter(), []
            try:
                for split in splits(name, options.data, options.repeats):
                    found.append(error(*split))
                seconds = (time.perf_counter() - begin) / len(found)
                cells.append(f"{100 * np.mean(found):.1f} ({seconds:.1f} s)")
            except (ValueError, subprocess.TimeoutExpired) as reason:
                cells.append(f"refused: {str(reason)[:60]}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def unlabelled(options):
    """Some labels of each class are kept; the other training rows have none."""
    print("| set | covariance | labels per class | ignored | used | used, weight 0.1 | all labels |\n|" + "---|" * 7)
    for name in options.sets or ("breast cancer", "optical digits", "letter"):
        for covariance in ("tied", "full", "diag"):
            for few in (5, 20, 100):
                found = []
                for seed in range(options.repeats):
                    X, y, T, truth = splits(name, options.data, options.repeats)[seed if name == "breast cancer" else 0]
                    order = np.random.default_rng(seed).permutation(len(X))
                    X, y = X[order], y[order].astype(object)
                    hidden = y.copy()
                    for c in set(y):
                        hidden[np.flatnonzero(y == c)[few:]] = None
                    row = []
                    for how in ({"unlabelled": "ignore"}, {"unlabelled": "use"},
                                {"unlabelled": "use", "unlabelled_weight": 0.1}, None):
                        if how is None:
                            model = suffice.Statistics.of(X, y).estimate(covariance)
                        else:
                            model = suffice.fit_mixture(X, hidden, components=1, covariance=covariance, **how)
                        row.append(np.mean(model.decide(T, priors="uniform") != truth))
                    found.append(row)
                cells = " | ".join(f"{100 * v:.1f}" for v in np.mean(found, 0))
                print(f"| {name} | {covariance} | {few} | {cells} |", flush=True)


def speed(options):
    """The same start and the same number of passes; the minimum of several runs."""
    from sklearn.mixture import GaussianMixture

    rows, d, g, passes = options.rows, 20, 10, 10
    random = np.random.default_rng(1)
    X = 1.5 * random.normal(size=(g, d))[np.arange(rows) % g] + random.normal(size=(rows, d))
    y = np.zeros(rows, int)
    shares, means, covariance = np.full(g, 1 / g), X[:g], 3.0 * np.eye(d)
    stats = suffice.Statistics.of(X[:100], y[:100])
    names = [f"0/{k:02}" for k in range(1, g + 1)]
    density = {"family": "gaussian", "structure": "full", "mean": means, "covariance": np.stack([covariance] * g)}
    start = suffice.Model._wrap(
        suffice._core.Model(stats.schema._core, ["0"], np.array([float(rows)]), [density], 0,
                            {"names": names, "label": [0] * g, "weights": shares * rows}), stats._values)
    ours, theirs = [], []
    for _ in range(options.repeats):
        begin = time.perf_counter()
        model = suffice.fit_mixture(X, y, start=start, shrinkage=0, max_iter=passes, tol=0.0, covariance="full")
        ours.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        peer = GaussianMixture(g, tol=0, reg_covar=0, max_iter=passes, weights_init=shares, means_init=means,
                               precisions_init=np.stack([np.linalg.inv(covariance)] * g)).fit(X)
        theirs.append(time.perf_counter() - begin)
    off = abs(model.options["mixture_log_likelihood"] / rows - peer.lower_bound_)
    print(f"{rows} x {d}, {g} components, {passes} passes: suffice {min(ours):.2f} s, GaussianMixture "
          f"{min(theirs):.2f} s, {min(theirs) / min(ours):.1f} times as fast; log-likelihoods per row differ by {off:.1e}")


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["errors", "unlabelled", "speed"])
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--methods", nargs="*", help="of errors: " + ", ".join(METHODS))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    {"errors": errors, "unlabelled": unlabelled, "speed": speed}[options.what](options)


main()
