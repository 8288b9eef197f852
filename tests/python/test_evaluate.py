"""suffice.evaluate: scikit-learn's figures, the command line's names, and what is refused."""
from __future__ import annotations

import xml.etree.ElementTree as xml

import numpy as np
import pytest

import suffice

sklearn = pytest.importorskip("sklearn")

from sklearn import metrics  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_iris  # noqa: E402


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return suffice.Statistics.of(X[::2], y[::2]).estimate(covariance="diag"), X[1::2], y[1::2]


def test_figures_are_those_of_scikit_learn(cancer):
    model, X, y = cancer
    report = suffice.evaluate(model, X, y, priors=[0.2, 0.8])
    proba = model.posterior(X, priors=[0.2, 0.8])
    decided = model.decide(X, priors=[0.2, 0.8])
    assert report.rows == len(y)
    assert report.error_rate == pytest.approx(np.mean(decided != y))
    assert report.brier == pytest.approx(2 * metrics.brier_score_loss(y, proba[:, 1]))
    assert report.auc == pytest.approx(metrics.roc_auc_score(y == 0, model.llr(X)[:, 0]))
    assert report.confusion["matrix"].tolist() == metrics.confusion_matrix(y, decided).tolist()
    assert report["f1"] == pytest.approx(metrics.f1_score(y, decided, average=None))
    assert report.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(y, decided))
    assert list(report) == list(report.keys()) and len(report) > 20
    assert "error rate" in repr(report)


def test_weights_are_repetitions(cancer):
    model, X, y = cancer
    weights = np.arange(len(y)) % 3
    repeated = suffice.evaluate(model, np.repeat(X, weights, axis=0), np.repeat(y, weights))
    weighted = suffice.evaluate(model, X, y, weights)
    for name in ("rows", "error_rate", "log_loss", "auc"):
        assert weighted[name] == pytest.approx(repeated[name], rel=1e-12)
    assert weighted.detection["min_cllr"] == pytest.approx(repeated.detection["min_cllr"])


def test_unknown_classes_outliers_and_rejected_rows_are_counted():
    X, y = load_iris(return_X_y=True)
    model = suffice.Statistics.of(X[:100], y[:100]).estimate(covariance="full")
    report = suffice.evaluate(model, X, y, reject=0.3, outlier=0.01)
    assert report.unknown_label_rows == 50
    _, status = model.decide(X[:100], reject=0.3, outlier=0.01, return_status=True)
    assert report.outliers == np.sum(status == "outlier")
    assert report.rejected == np.sum(status == "reject")


def test_a_calibrated_model_is_compared_with_itself(cancer):
    model, X, y = cancer
    calibrated = model.calibrate(X[::2], y[::2])
    report = suffice.evaluate(calibrated, X[1::2], y[1::2])
    plain = suffice.evaluate(model, X[1::2], y[1::2])
    assert report.uncalibrated["log_loss"] == pytest.approx(plain.log_loss)
    assert report.log_loss < plain.log_loss


@pytest.mark.parametrize(
    "kind", ["confusion", "bayes_error", "det", "roc", "reliability", "ratios"]
)
def test_pictures_of_two_and_of_three_classes(cancer, kind):
    draw = getattr(suffice.plot, kind)
    X, y = load_iris(return_X_y=True)
    for picture in (draw(*cancer), draw(suffice.Statistics.of(X, y).estimate("tied"), X, y)):
        assert xml.fromstring(picture.svg).tag.endswith("svg")
        assert picture.table and picture.description


def test_the_roc_picture_has_the_corners_of_the_hull(cancer):
    model, X, y = cancer
    alarms, hits, _ = metrics.roc_curve(y == 0, model.llr(X)[:, 0], drop_intermediate=False)
    corners = {(round(100 * a, 1), round(100 * h, 1)) for a, h in zip(alarms, hits)}
    for row in suffice.plot.roc(model, X, y).table:
        corner = tuple(float(row[name].rstrip(" %")) for name in ("false alarms", "hits"))
        assert any(np.allclose(corner, known, atol=0.06) for known in corners)


def test_what_is_refused(cancer):
    model, X, y = cancer
    with pytest.raises(TypeError, match="fitted GenerativeClassifier, not a str"):
        suffice.evaluate("model", X, y)
    with pytest.raises(ValueError, match="y is missing"):
        suffice.evaluate(model, X)
    with pytest.raises(AttributeError, match="has no 'lift'"):
        _ = suffice.evaluate(model, X, y).lift
    with pytest.raises(suffice.InvalidArgument, match="two classes"):
        suffice.plot.roc(model, X[y == 0], y[y == 0])


def test_a_page_of_one_model_and_of_two(cancer, tmp_path):
    model, X, y = cancer
    page = suffice.report(model, X, y)
    assert page.html.startswith("<!doctype html>") and "<script" not in page.html
    assert "<iframe" in page._repr_html_()
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    log_loss = suffice.evaluate(model, X, y).log_loss
    assert f"{log_loss:.4g}" in page.html
    tied = suffice.Statistics.of(X, y).estimate("tied")
    assert "linear one" in suffice.report([model, tied], X, y, names=["naive", "linear one"]).html
    assert "Figures" not in suffice.report(model).html
    with pytest.raises(ValueError, match="two side by side"):
        suffice.report([model, tied, tied])
    with pytest.raises(ValueError, match="3 names for 1 model"):
        suffice.report(model, names=list("abc"))
