"""Model.export and suffice.sklearn.export: the command line's files, and scikit-learn's answers."""
from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

import suffice
from suffice import sklearn as drop_in

onnxruntime = pytest.importorskip("onnxruntime", reason="no Python module onnxruntime to run graphs")


@pytest.fixture
def rows():
    random = np.random.default_rng(5)
    y = np.repeat(["b", "a", "c"], 30)
    X = random.normal(size=(90, 3)) + np.repeat([[0, 1, 2], [1, 1, 0], [3, 0, 1]], 30, axis=0)
    return X, y


def run(graph, X, **inputs):
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    return session.run(["label", "log_likelihood", "posterior"], {"input": np.asarray(X, np.float64), **inputs})


def test_text_bytes_and_files(rows, tmp_path):
    model = suffice.Statistics.of(*rows).estimate(covariance="tied")
    assert isinstance(model.export("onnx"), bytes)
    for target in ("c", "sql", "json"):
        text = model.export(target)
        assert isinstance(text, str)
        assert model.export(target, tmp_path / "file") is None
        assert (tmp_path / "file").read_text(encoding="utf-8") == text
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_answers_of_the_model(rows):
    X, y = rows
    model = suffice.Statistics.of(X, y).estimate()
    label, scores, posterior = run(model.export("onnx", input="matrix", priors="uniform"), X)
    assert label.tolist() == model.decide(X, priors="uniform").tolist()
    np.testing.assert_allclose(scores, model.log_likelihood(X), rtol=1e-12)
    np.testing.assert_allclose(posterior, model.posterior(X, priors="uniform"), rtol=0, atol=1e-12)
    costs = np.array([[0, 1, 9], [2, 0, 1], [1, 1, 0.0]])
    label, _, _ = run(model.export("onnx", input="matrix", costs=costs), X)
    assert label.tolist() == model.decide(X, costs=costs).tolist()


def test_same_file_as_the_command_line(rows, tmp_path):
    import os
    program = os.environ.get("SUFFICE_BINARY", "build/suffice")
    if not os.path.exists(program):
        pytest.skip("no command line to compare with; set SUFFICE_BINARY")
    model = suffice.Statistics.of(*rows).estimate()
    model.save(tmp_path / "m.suffice")
    result = subprocess.run([program, "export", tmp_path / "m.suffice", "--to", "sql", "--dialect", "sqlite",
                             "--table", "t"], capture_output=True, text=True, check=True)
    assert result.stdout == model.export("sql", dialect="sqlite", table="t")


@pytest.mark.parametrize("make, family", [
    (lambda: drop_in.GaussianNB(), "numbers"), (lambda: drop_in.QuadraticDiscriminantAnalysis(), "numbers"),
    (lambda: drop_in.LinearDiscriminantAnalysis(solver="lsqr"), "numbers"),
    (lambda: drop_in.LinearDiscriminantAnalysis(store_covariance=True), "numbers"),
    (lambda: drop_in.BernoulliNB(), "binary"), (lambda: drop_in.MultinomialNB(), "counts"),
    (lambda: drop_in.CategoricalNB(), "counts"), (lambda: suffice.GenerativeClassifier(), "numbers"),
])
@pytest.mark.parametrize("labels", [["b", "a", "c"], [10, 9, -1], ["10", "9", "100"]])
def test_estimators(make, family, labels, rows):
    """Against the estimator's own predict_proba, which other tests compare with scikit-learn's."""
    X, y = rows
    y = np.repeat(labels, 30)
    X = {"numbers": X, "binary": (X > 1).astype(float), "counts": np.floor(np.abs(X))}[family]
    estimator = make().fit(X, y)
    matrix = X
    label, _, posterior = run(drop_in.export(estimator, "onnx", input="matrix"), matrix)
    names = json.loads(drop_in.export(estimator, "json"))["labels"]
    order = [names.index(str(value)) for value in estimator.classes_]
    assert label.tolist() == [str(value) for value in estimator.predict(X)]
    np.testing.assert_allclose(posterior[:, order], estimator.predict_proba(X), rtol=0, atol=1e-10)


def test_names_of_columns_and_other_priors(rows):
    pandas = pytest.importorskip("pandas")
    X, y = rows
    frame = pandas.DataFrame(X, columns=["x y", "z", "é"])
    estimator = drop_in.GaussianNB().fit(frame, y)
    description = json.loads(drop_in.export(estimator, "json", priors={"a": 0.5, "b": 0.25, "c": 0.25}))
    assert [column["name"] for column in description["columns"]] == ["x y", "z", "é"]
    np.testing.assert_allclose(np.exp(description["log_prior"]), [0.5, 0.25, 0.25])


def test_refusals(rows, tmp_path):
    X, y = rows
    model = suffice.Statistics.of(X, y).estimate()
    with pytest.raises(ValueError, match="table.*sql"):
        model.export("json", table="t")
    with pytest.raises(ValueError, match="'java'"):
        model.export("java")
    with pytest.raises(ValueError, match="dialect"):
        model.export("sql", dialect="oracle")
    with pytest.raises(FileNotFoundError) as error:
        model.export("json", tmp_path / "no" / "file")
    assert error.value.filename == str(tmp_path / "no" / "file") and ".tmp" not in str(error.value)
    with pytest.raises(ValueError, match="store_covariance"):
        drop_in.export(drop_in.LinearDiscriminantAnalysis().fit(X, y), "c")
    with pytest.raises(ValueError, match="ComplementNB"):
        drop_in.export(drop_in.ComplementNB().fit(np.abs(X), y), "c")
    with pytest.raises(TypeError, match="dict"):
        drop_in.export({}, "c")
    assert list(tmp_path.iterdir()) == []
