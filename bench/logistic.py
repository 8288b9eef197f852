"""Generative models and their discriminative twins: the comparisons of docs/logistic.md, learning curves on
public data, and the time of logistic regression beside scikit-learn's.

    python3 bench/logistic.py examples [--pictures FOLDER --program build/suffice]
    python3 bench/logistic.py curves DATA_FOLDER [--repeats N] [--set NAME]
    python3 bench/logistic.py speed [--rows N]

Needs the package suffice; `speed` also scikit-learn. Prints tables in Markdown. `examples` draws the pictures
of the page with the command line.
"""
import argparse
import csv
import gzip
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import suffice

warnings.simplefilter("ignore")


# ---- the comparisons of the page -------------------------------------------------------------------

def gaussians(chance, rows, means, covariance=((1, 0), (0, 1)), shares=None):
    y = chance.choice(len(means), rows, p=shares)
    return np.asarray(means, float)[y] + chance.multivariate_normal([0, 0], covariance, rows), y


def circle(chance, rows):
    """Class 0 around the origin, class 1 in a ring around it."""
    y = chance.integers(0, 2, rows)
    radius = np.where(y == 1, chance.normal(3, 0.5, rows), np.abs(chance.normal(0, 1, rows)))
    angle = chance.uniform(0, 2 * np.pi, rows)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def pair(X, y, covariance, penalty="auto"):
    """A generative model without shrinkage, and its twin."""
    model = suffice.Statistics.of(X, y).estimate(covariance=covariance, shrinkage=0)
    return model, model.twin(X, y, penalty=penalty)


def error(model, X, y, priors="train"):
    return 100 * (model.decide(X, priors) != y).mean()


def examples(options):
    chance = np.random.default_rng(1)
    drawn = {}

    means, shared = ((0, 0), (2, 1)), ((1, 0.5), (0.5, 1))
    X, y = gaussians(chance, 2000, means, shared)
    test = gaussians(chance, 100_000, means, shared)
    model, twin = pair(X, y, "tied", 0)
    rule = model.discriminant(1, 0)
    logistic = twin.discriminant(1, 0)
    true = np.linalg.solve(shared, np.subtract(means[1], means[0]))
    print("### Linear data\n\n| | weight of x | weight of y | test errors |\n|---|---|---|---|")
    print(f"| the densities the rows are drawn from | {true[0]:.2f} | {true[1]:.2f} | |")
    for name, w, m in (("tied covariance", rule["w"], model), ("its twin", logistic["w"], twin)):
        print(f"| {name} | {w[0]:.2f} | {w[1]:.2f} | {error(m, *test):.2f} % |")

    print("\n### Test errors\n\n| data | tied | its twin | full | its twin |\n|---|---|---|---|---|")
    sets = {"circle": circle, "three classes": lambda c, n: gaussians(c, n, ((0, 0), (3, 0), (1.5, 2.5)))}
    for name, draw in sets.items():
        X, y = draw(chance, 600)
        test = draw(chance, 100_000)
        models = [m for covariance in ("tied", "full") for m in pair(X, y, covariance)]
        print(f"| {name} | " + " | ".join(f"{error(m, *test):.1f} %" for m in models) + " |")
        drawn[name] = (X, y)

    means = ((0, 0), (2, 0))
    X, y = gaussians(chance, 2000, means)
    model, twin = pair(X, y, "tied", 0)
    test = gaussians(chance, 100_000, means, shares=(0.95, 0.05))
    print("\n### Trained on classes of equal size, used where one row in twenty is of class 1\n\n"
          "| | training prior | 0.95, 0.05 |\n|---|---|---|")
    for name, m in (("tied", model), ("its twin", twin)):
        print(f"| {name} | {error(m, *test):.1f} % | {error(m, *test, [0.95, 0.05]):.1f} % |")
    far = [[10.0, 10.0]]
    print("\n### A row at (10, 10)\n\n| | posterior of class 1 | outlier score |\n|---|---|---|")
    print(f"| tied | {model.posterior(far)[0, 1]:.7f} | {model.outlier_score(far)[0]:.1g} |")
    try:
        twin.outlier_score(far)
    except suffice.InvalidArgument as refused:
        print(f"| its twin | {twin.posterior(far)[0, 1]:.7f} | refused: {refused.sentence} |")

    print("\n### Copies of one feature\n\n"
          "| copies | log-odds at x = 1, naive Bayes | its twin | log-loss, naive Bayes | its twin |\n|---|---|---|---|---|")
    x, y = gaussians(chance, 2000, ((0, 0), (1, 0)))
    new, truth = gaussians(chance, 20_000, ((0, 0), (1, 0)))
    for copies in (1, 2, 5, 20):
        model, twin = pair(np.repeat(x[:, :1], copies, 1), y, "tied-diag", 1)
        at = np.ones((1, copies))
        odds, losses = [], []
        for m in (model, twin):
            p = m.log_posterior(at)[0]
            odds.append(p[1] - p[0])
            losses.append(-m.log_posterior(np.repeat(new[:, :1], copies, 1))[np.arange(len(truth)), truth].mean())
        print(f"| {copies} | {odds[0]:.2f} | {odds[1]:.2f} | {losses[0]:.3f} | {losses[1]:.3f} |")

    if options.pictures:
        draw_pictures(*drawn["circle"], Path(options.pictures), options.program)


def draw_pictures(X, y, folder, program):
    """The regions of a full covariance and of its twin."""
    with tempfile.TemporaryDirectory() as temporary:
        table, some, model = (Path(temporary) / name for name in ("rows.csv", "some.csv", "model.suffice"))
        for path, rows in ((table, len(y)), (some, 150)):
            with open(path, "w", newline="") as file:
                out = csv.writer(file)
                out.writerow(["x", "y", "class"])
                out.writerows([*row, label] for row, label in zip(X[:rows].round(3).tolist(), y.tolist()))
        for name, flags in (("generative", ["--shrinkage", "0"]), ("twin", ["--discriminative"])):
            subprocess.run([program, "fit", table, "--label", "class", "--covariance", "full", *flags, "--quiet",
                            "-o", model], check=True)
            subprocess.run([program, "plot", model, some, "--what", "regions", "--quiet", "-o",
                            folder / f"circle_{name}.svg"], check=True)


# ---- learning curves -------------------------------------------------------------------------------

SETS = {"breast cancer": ("breast_cancer_wdbc.csv.gz", "diagnosis"), "spambase": ("spambase.csv.gz", "is_spam"),
        "optdigits": ("optdigits_train.csv.gz", "digit"), "letter": ("letter.csv.gz", "letter"),
        "adult": ("adult_train.csv.gz", "income")}
SIZES = (50, 100, 200, 400, 800, 1600, 3200)
MOST_TEST_ROWS = 4000


def read(path, label):
    """Columns by name, numbers where all cells are numbers, and the classes."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    columns = {}
    for name, cells in zip(header, zip(*rows)):
        try:
            columns[name] = np.array([float(cell) if cell else np.nan for cell in cells])
        except ValueError:
            columns[name] = np.array([cell or None for cell in cells], dtype=object)
    y = columns.pop(label)
    return columns, y.astype(str)


def curves(options):
    """Errors of a tied covariance, shrunk by the evidence, and of its twin, penalised by folds."""
    print("| set | " + " | ".join(map(str, SIZES)) + " |\n" + "|---" * (len(SIZES) + 1) + "|")
    for name, (file, label) in SETS.items():
        if options.set not in (None, name):
            continue
        columns, y = read(Path(options.data) / file, label)
        cells = []
        for size in SIZES:
            errors = []
            for repeat in range(options.repeats):
                order = np.random.default_rng(repeat).permutation(len(y))
                test = order[-min(MOST_TEST_ROWS, len(y) // 3):]
                if size > len(y) - len(test):
                    break
                train = order[:size]
                rows, new = ({key: values[which] for key, values in columns.items()} for which in (train, test))
                errors.append([100 * (suffice.GenerativeClassifier(covariance="tied", **kind).fit(rows, y[train])
                                      .predict(new) != y[test]).mean()
                               for kind in ({"calibration": "none"}, {"discriminative": True})])
            cells.append("{:.1f} · {:.1f}".format(*np.mean(errors, axis=0)) if errors else "")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


# ---- time ------------------------------------------------------------------------------------------

def speed(options):
    from sklearn.linear_model import LogisticRegression

    chance = np.random.default_rng(0)
    rows, classes = options.rows, 10
    means = 0.7 * chance.normal(size=(classes, 20))
    y = chance.integers(0, classes, rows)
    X = means[y] + chance.normal(size=(rows, 20))

    def objective(fitted):
        scores = X @ fitted.coef_.T + fitted.intercept_
        top = scores.max(axis=1)
        losses = top + np.log(np.exp(scores - top[:, None]).sum(axis=1)) - scores[np.arange(rows), y]
        return (losses.sum() + 0.5 * (fitted.coef_ ** 2).sum()) / rows

    print("| | tol | passes | seconds | CPU seconds | objective per row |\n|---|---|---|---|---|---|")
    for name, make, tolerances, repeats in (("suffice", suffice.LogisticRegression, (1e-4,), 3),
                                            ("scikit-learn, lbfgs", LogisticRegression, options.tolerance, 1)):
        for tolerance in tolerances:
            best = cpu = np.inf
            for _ in range(repeats):
                begin, used = time.perf_counter(), time.process_time()
                fitted = make(tol=tolerance, max_iter=1000).fit(X, y)
                best = min(best, time.perf_counter() - begin)
                cpu = min(cpu, time.process_time() - used)
            print(f"| {name} | {tolerance:g} | {fitted.n_iter_[0]} | {best:.2f} | {cpu:.2f} | {objective(fitted):.12f} |",
                  flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("examples")
    verb.add_argument("--pictures")
    verb.add_argument("--program", default="build/suffice")
    verb.set_defaults(run=examples)
    verb = verbs.add_parser("curves")
    verb.add_argument("data")
    verb.add_argument("--repeats", type=int, default=3)
    verb.add_argument("--set", choices=SETS)
    verb.set_defaults(run=curves)
    verb = verbs.add_parser("speed")
    verb.add_argument("--rows", type=int, default=1_000_000)
    verb.add_argument("--tolerance", type=float, nargs="+", default=[1e-4, 1e-6], help="of scikit-learn")
    verb.set_defaults(run=speed)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
