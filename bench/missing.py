"""Errors of models of tables with emptied cells: fit by EM, fit of complete rows, and scikit-learn's
IterativeImputer before LDA and QDA.

    python3 bench/missing.py BINARY DATA_FOLDER [--repeats N] [--jobs N]

Cells of the training rows are emptied at random. Errors are counted on whole test rows and on test
rows with as many cells emptied (imputed by the same imputer, scored by us as they are). Wine,
breast cancer and letter are split 70 : 30 anew in each repeat, optdigits has test rows of its own.
Prints a table in Markdown.
"""
import argparse
import csv
import gzip
import json
import subprocess
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

SETS = {"wine": ("wine.csv.gz", "cultivar"), "breast cancer": ("breast_cancer_wdbc.csv.gz", "diagnosis"),
        "letter": ("letter.csv.gz", "letter"), "optdigits": ("optdigits_train.csv.gz", None)}
SHARES = (0.05, 0.10, 0.15, 0.20)
OURS = {"fit": (), "full": ("--covariance", "full"), "tied": ("--covariance", "tied"),
        "fit, complete rows": ("--missing", "complete")}


def read(path, label):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    at = header.index(label) if label else len(header) - 1
    keep = [j for j, name in enumerate(header) if j != at and name != "id"]
    X = np.array([[float(row[j]) for j in keep] for row in rows])
    return X, np.array([row[at] for row in rows])


def write(path, X, y):
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow([f"x{j}" for j in range(X.shape[1])] + ["y"])
        for row, label in zip(X, y):
            out.writerow(["" if np.isnan(v) else repr(float(v)) for v in row] + [f"c{label}"])


def emptied(X, share, chance):
    return np.where(chance.random(X.shape) < share, np.nan, X)


def ours(binary, folder, flags):
    """Errors on whole and emptied test rows, and seconds; None where fit refuses."""
    begin = time.perf_counter()
    fit = subprocess.run([binary, "fit", "train.csv", "--label", "y", "-o", "m.suffice", "--quiet", "--threads", "1",
                          *flags], cwd=folder, capture_output=True)
    seconds = time.perf_counter() - begin
    if fit.returncode:
        return None
    errors = [json.loads(subprocess.run([binary, "evaluate", "m.suffice", name, "--json"], cwd=folder,
                                        capture_output=True, check=True).stdout)["error_rate"]
              for name in ("test.csv", "test_emptied.csv")]
    return (*errors, seconds)


def peers(X, y, T, T_emptied, truth):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer

    begin = time.perf_counter()
    imputer = IterativeImputer(random_state=0)
    completed = imputer.fit_transform(X)
    seconds = time.perf_counter() - begin
    test = imputer.transform(T_emptied)
    result = {}
    for name, model in (("imputed LDA", LinearDiscriminantAnalysis()), ("imputed QDA", QuadraticDiscriminantAnalysis()),
                        ("imputed QDA, reg_param=0.1", QuadraticDiscriminantAnalysis(reg_param=0.1))):
        try:
            model.fit(completed, y)
        except Exception:  # singular
            result[name] = None
            continue
        result[name] = (np.mean(model.predict(T) != truth), np.mean(model.predict(test) != truth), seconds)
    return result


def one(task):
    warnings.simplefilter("ignore")
    name, share, repeat, binary, data = task
    file, label = SETS[name]
    chance = np.random.default_rng([repeat, int(100 * share)])
    X, y = read(Path(data) / file, label)
    if label is None:
        T, truth = read(Path(data) / file.replace("train", "test"), None)
    else:
        order = np.random.default_rng(repeat).permutation(len(y))
        cut = int(0.7 * len(y))
        X, y, T, truth = X[order[:cut]], y[order[:cut]], X[order[cut:]], y[order[cut:]]
    X, T_emptied = emptied(X, share, chance), emptied(T, share, chance)
    with tempfile.TemporaryDirectory() as folder:
        write(f"{folder}/train.csv", X, y)
        write(f"{folder}/test.csv", T, truth)
        write(f"{folder}/test_emptied.csv", T_emptied, truth)
        found = {method: ours(binary, folder, flags) for method, flags in OURS.items()}
    found |= peers(X, y, T, T_emptied, truth)
    return name, share, float(np.mean(~np.isnan(X).any(1))), found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("data")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sets", default=",".join(SETS))
    given = parser.parse_args()
    binary = str(Path(given.binary).resolve())
    tasks = [(name, share, repeat, binary, str(Path(given.data).resolve()))
             for name in reversed(given.sets.split(",")) for share in SHARES
             for repeat in range(1 if name == "optdigits" else min(given.repeats, 3) if name == "letter" else given.repeats)]
    results = {}
    with ProcessPoolExecutor(given.jobs) as pool:
        for name, share, complete, found in pool.map(one, tasks):
            results.setdefault((name, share), []).append((complete, found))
    methods = [*OURS, "imputed LDA", "imputed QDA", "imputed QDA, reg_param=0.1"]
    print("| set | emptied | complete rows |", " | ".join(methods), "|")
    print("|---|---|---|" + "---|" * len(methods))
    for name in given.sets.split(","):
        for share in SHARES:
            runs = results[name, share]
            cells = []
            for method in methods:
                of = [found[method] for _, found in runs]
                if any(f is None for f in of):
                    cells.append("refused")
                else:
                    whole, part, seconds = np.mean(of, axis=0)
                    cells.append(f"{100 * whole:.1f} · {100 * part:.1f} ({seconds:.1f} s)")
            complete = np.mean([c for c, _ in runs])
            print(f"| {name} | {100 * share:.0f} % | {100 * complete:.0f} % |", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
