#!/usr/bin/env python3
"""Writes report.json: what scikit-learn and SciPy say about scores that are made here.

    python tests/reference/make_report.py

For each case the log-likelihoods, priors, true labels and weights, and from them the posteriors (by
SciPy's logsumexp), log-loss, multi-class Brier score, AUC, confusion matrix, recall, precision, F1,
balanced accuracy and Matthews correlation; of each class against the others AUC, Cllr and, by
scikit-learn's isotonic regression, min Cllr.
Beside them exact (Clopper-Pearson) intervals and values of the incomplete beta function.
"""
import json
from pathlib import Path

import numpy as np
import scipy
import sklearn
from scipy.special import betainc, logsumexp
from scipy.stats import beta as beta_distribution
from scipy.stats import binomtest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import (balanced_accuracy_score, confusion_matrix, f1_score, log_loss,
                             matthews_corrcoef, precision_score, recall_score, roc_auc_score,
                             roc_curve)

HERE = Path(__file__).resolve().parent
random = np.random.default_rng(20)


def cllr_of(ratio, target, weights):
    """[mean over targets of log2(1 + e^-r) + mean over others of log2(1 + e^r)] / 2"""
    of_targets = np.average(np.logaddexp(0, -ratio[target]), weights=weights[target])
    of_others = np.average(np.logaddexp(0, ratio[~target]), weights=weights[~target])
    return float((of_targets + of_others) / (2 * np.log(2)))


def against_others(scores, priors, c, truth, weights):
    """Figures of the ratio of class c over the prior-weighted mean of the others."""
    others = np.arange(len(priors)) != c
    mean = logsumexp(scores[:, others] + np.log(priors[others] / priors[others].sum()), axis=1)
    ratio, target = scores[:, c] - mean, truth == c
    isotonic = IsotonicRegression().fit(ratio, target, sample_weight=weights)
    share = isotonic.predict(ratio)
    with np.errstate(divide="ignore"):
        best = np.log(share) - np.log1p(-share)
    best -= np.log(weights[target].sum() / weights[~target].sum())
    return {
        "auc": roc_auc_score(target, ratio, sample_weight=weights),
        "cllr": cllr_of(ratio, target, weights),
        "min_cllr": cllr_of(best, target, weights),
    }


def case(rows, classes, spread, digits, weighted):
    """`digits` decimals of the scores: few make ties."""
    truth = random.integers(0, classes, rows)
    scores = random.normal(size=(rows, classes)) * spread
    scores[np.arange(rows), truth] += spread
    scores = np.round(scores, digits)
    priors = random.dirichlet(np.full(classes, 5.0))
    weights = np.round(random.uniform(0.1, 3, rows), 3) if weighted else np.ones(rows)

    joint = scores + np.log(priors)
    posterior = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    decided = joint.argmax(axis=1)
    labels = np.arange(classes)
    one_hot = (truth[:, None] == labels) * 1.0
    result = {
        "classes": classes,
        "scores": scores.tolist(),
        "priors": priors.tolist(),
        "truth": truth.tolist(),
        "weights": weights.tolist() if weighted else [],
        "log_loss": log_loss(truth, posterior, sample_weight=weights, labels=labels),
        "brier": float(np.average(((posterior - one_hot) ** 2).sum(axis=1), weights=weights)),
        "confusion": confusion_matrix(truth, decided, labels=labels,
                                      sample_weight=weights).tolist(),
        "recall": recall_score(truth, decided, labels=labels, average=None,
                               sample_weight=weights).tolist(),
        "precision": precision_score(truth, decided, labels=labels, average=None,
                                     sample_weight=weights).tolist(),
    }
    result["f1"] = f1_score(truth, decided, labels=labels, average=None,
                            sample_weight=weights).tolist()
    result["macro_f1"] = f1_score(truth, decided, labels=labels, average="macro",
                                  sample_weight=weights)
    result["weighted_f1"] = f1_score(truth, decided, labels=labels, average="weighted",
                                     sample_weight=weights)
    result["balanced_accuracy"] = balanced_accuracy_score(truth, decided, sample_weight=weights)
    result["matthews"] = matthews_corrcoef(truth, decided, sample_weight=weights)
    own_loss = -np.log(posterior[np.arange(rows), truth])
    of_class = [np.average(own_loss[truth == c], weights=weights[truth == c]) for c in labels]
    result["normalized_cross_entropy"] = float(priors @ of_class / -(priors @ np.log(priors)))
    result["normalized_cost"] = float(
        priors @ (1 - np.array(result["recall"])) / (1 - priors.max()))
    result["detection"] = [against_others(scores, priors, c, truth, weights)
                           for c in (labels if classes > 2 else [0])]
    if classes == 2:
        ratio = scores[:, 0] - scores[:, 1]
        first = truth == 0
        result["auc"] = roc_auc_score(first, ratio, sample_weight=weights)
        alarms, hits, _ = roc_curve(first, ratio, sample_weight=weights, drop_intermediate=False)
        # where the polygon of the curve crosses the line of equal rates
        gap = alarms - (1 - hits)
        result["equal_error_rate"] = float(np.interp(0, gap, alarms))
    return result


def beta(x, a, b):
    return {"x": x, "a": a, "b": b, "value": float(betainc(a, b, x))}


cases = [case(40, 2, 1.0, 1, False), case(60, 2, 2.0, 6, True), case(50, 3, 1.0, 6, False),
         case(80, 10, 1.5, 3, True)]
intervals = []
for rows in (1, 2, 10, 37, 1000, 123456, 10**7):
    for errors in sorted({0, 1, rows // 50, rows // 3, rows // 2, rows - 1, rows}):
        for confidence in (0.9, 0.95, 0.999):
            # The quantiles have more digits than binomtest, whose root finder stops at 2e-12.
            tail = (1 - confidence) / 2
            low = beta_distribution.ppf(tail, errors, rows - errors + 1) if errors > 0 else 0.0
            high = beta_distribution.isf(tail, errors + 1, rows - errors) if errors < rows else 1.0
            ci = binomtest(errors, rows).proportion_ci(confidence, method="exact")
            assert abs(ci.low - low) < 1e-11 and abs(ci.high - high) < 1e-11, (errors, rows)
            intervals.append([errors, rows, confidence, float(low), float(high)])
betas = [beta(x, a, b)
         for a, b in ((0.5, 0.5), (1, 1), (2, 3), (0.3, 40), (16, 16), (20, 1000), (3000, 5000),
                      (1, 10**6), (10**5, 10**6), (0.01, 0.02))
         for x in (1e-12, 1e-6, 0.01, 0.0909, 0.1, 0.375, 0.38, 0.5, 0.75, 0.999)]
betas = [b for b in betas if 1e-250 < b["value"] < 1]

values = {
    "made_by": f"scikit-learn {sklearn.__version__}, SciPy {scipy.__version__}, "
               f"NumPy {np.__version__}",
    "cases": cases,
    "intervals": intervals,
    "incomplete_beta": betas,
}
with open(HERE / "report.json", "w", encoding="utf-8") as file:
    parts = [f'"made_by":{json.dumps(values["made_by"])}']
    for name in ("cases", "intervals", "incomplete_beta"):
        lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in values[name])
        parts.append(f'"{name}":[\n{lines}\n]')
    file.write("{" + ",\n".join(parts) + "}\n")
