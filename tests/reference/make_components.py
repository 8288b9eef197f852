#!/usr/bin/env python3
"""Writes components.json: principal components and discriminant analysis by scikit-learn.

    python tests/reference/make_components.py [DATA_DIR]      (default: ../shared/data)

Signs are those of scikit-learn; the test compares up to them. What LDA makes of the rows is scaled
so that the variance within classes, divided by the number of rows, is 1.
"""
import csv
import gzip
import json
import sys
from pathlib import Path

import numpy as np
import sklearn
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

HERE = Path(__file__).resolve().parent
DATA = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / ".." / "shared" / "data"

# file, label, components for PCA before LDA
SETS = {"iris": ("iris.csv.gz", "species", 3), "wine": ("wine.csv.gz", "cultivar", 8),
        "wdbc": ("breast_cancer_wdbc.csv.gz", "diagnosis", 10),
        "optdigits": ("optdigits_train.csv.gz", "digit", 30)}


def read(file, label):
    with gzip.open(DATA / file, "rt", encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    columns = [c for c in rows[0] if c != label]
    return (np.array([[float(row[c]) for c in columns] for row in rows]),
            np.array([row[label] for row in rows]))


def discriminants(x, y, at):
    lda = LinearDiscriminantAnalysis(solver="svd").fit(x, y)
    z = lda.transform(x)
    within = sum(((z[y == c] - z[y == c].mean(axis=0)) ** 2).sum(axis=0) for c in set(y)) / len(y)
    return {"ratio": lda.explained_variance_ratio_.tolist(), "z": (z / np.sqrt(within))[at].tolist()}


result = {"made_by": f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}"}
for name, (file, label, k) in SETS.items():
    x, y = read(file, label)
    at = sorted({int(i) for i in np.linspace(0, len(y) - 1, 8)})
    pca = PCA(svd_solver="full").fit(x)
    reduced = PCA(k, svd_solver="full").fit_transform(x)
    result[name] = {"label": label, "file": file, "rows": at, "k": k,
                    "pca": {"ratio": pca.explained_variance_ratio_.tolist(),
                            "components": pca.components_[:3].tolist(),
                            "z": pca.transform(x)[at, :3].tolist()},
                    "lda": discriminants(x, y, at),
                    "pca_lda": discriminants(reduced, y, at)}
(HERE / "components.json").write_text(json.dumps(result, separators=(",", ":")) + "\n")
