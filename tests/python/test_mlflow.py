"""suffice.mlflow against MLflow, with its local file store."""
from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import suffice

pandas = pytest.importorskip("pandas")
mlflow = pytest.importorskip(
    "mlflow", reason="mlflow is not installed: script/install_mlflow makes an environment with it")
pytest.importorskip("sklearn")
import mlflow.pyfunc  # noqa: E402
import suffice.mlflow  # noqa: E402


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    """A store of its own; nothing may be unpickled."""
    monkeypatch.setenv("MLFLOW_ALLOW_PICKLE_DESERIALIZATION", "false")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(tmp_path)
    before = mlflow.get_tracking_uri(), mlflow.get_registry_uri()
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    mlflow.set_registry_uri((tmp_path / "runs").as_uri())
    yield tmp_path
    mlflow.set_tracking_uri(before[0])
    mlflow.set_registry_uri(before[1])


def table(rows=200, seed=3):
    random = np.random.default_rng(seed)
    kind = random.integers(3, size=rows)
    frame = pandas.DataFrame({
        "size": random.normal(size=rows) + kind,
        "width": random.normal(size=rows) - kind,
        "colour": np.where(random.random(rows) < 0.2 + 0.3 * kind, "red", "blue")})
    return frame, np.array(["low", "middle", "high"])[kind]


def trained():
    frame, kind = table()
    return suffice.Statistics.of(frame, kind).estimate(), frame


def test_logged_and_loaded():
    model, frame = trained()
    with mlflow.start_run():
        info = suffice.mlflow.log_model(model, name="kinds", input_example=frame.head(3),
                                        registered_model_name="kinds")
    for uri in (info.model_uri, "models:/kinds/1"):
        other = suffice.mlflow.load_model(uri)
        assert other == model
        np.testing.assert_array_equal(other.posterior(frame), model.posterior(frame))
    assert set(info.flavors) == {"suffice", "python_function"}
    assert [column.name for column in info.signature.inputs.inputs] == list(frame)
    assert [name.name for name in info.signature.params.params] == ["output"]


def test_the_file_is_the_model(store):
    """What is stored is the file of Model.save, and no pickle beside it."""
    model, frame = trained()
    suffice.mlflow.save_model(model, store / "kinds", input_example=frame.head(3))
    model.save(store / "expected.suffice")
    stored, = (store / "kinds").rglob("*.suffice")
    assert stored.read_bytes() == (store / "expected.suffice").read_bytes()
    assert not [path for path in (store / "kinds").rglob("*") if path.suffix in (".pkl", ".pickle")]
    requirements = (store / "kinds/requirements.txt").read_text().split()
    assert f"suffice=={suffice.__version__}" in requirements
    assert suffice.mlflow.load_model(store / "kinds") == model


def test_answers(store):
    model, frame = trained()
    suffice.mlflow.save_model(model, store / "kinds", input_example=frame.head(3))
    scorer = mlflow.pyfunc.load_model(str(store / "kinds"))
    np.testing.assert_array_equal(scorer.predict(frame), model.decide(frame))
    for output, expected in (("proba", model.posterior(frame)), ("llr", model.llr(frame)),
                             ("loglik", model.log_likelihood(frame))):
        found = scorer.predict(frame, params={"output": output})
        assert list(found) == list(model.labels) and found.index.equals(frame.index)
        np.testing.assert_array_equal(found.to_numpy(), expected)
    np.testing.assert_array_equal(scorer.predict(frame, params={"output": "outlier"}),
                                  model.outlier_score(frame))
    with pytest.raises(ValueError, match="output='score': it must be one of label, proba"):
        scorer.predict(frame, params={"output": "score"})


def test_priors_and_costs(store):
    model, frame = trained()
    priors, costs = {"low": 0.7, "middle": 0.2, "high": 0.1}, {("high", "low"): 20.0}
    suffice.mlflow.save_model(model, store / "kinds", priors=priors, costs=costs,
                              input_example=frame.head(3))
    scorer = mlflow.pyfunc.load_model(str(store / "kinds"))
    expected = model.decide(frame, priors, costs)
    assert (expected != model.decide(frame)).any()
    np.testing.assert_array_equal(scorer.predict(frame), expected)
    np.testing.assert_allclose(scorer.predict(frame, params={"output": "proba"}),
                               model.posterior(frame, priors), rtol=1e-15)


@pytest.mark.parametrize("kind", ["strings", "integers"])
def test_classifier(store, kind):
    """A classifier keeps its own priors and costs, in the order of its classes."""
    frame, y = table()
    if kind == "integers":
        y = np.array([{"low": 20, "middle": 3, "high": 100}[name] for name in y])
    least, most = sorted(set(y))[0], sorted(set(y))[-1]
    clf = suffice.GenerativeClassifier(priors=[0.2, 0.2, 0.6], costs={(least, most): 9.0})
    clf.fit(frame, y)
    suffice.mlflow.save_model(clf, store / "kinds", input_example=frame.head(2))
    scorer = mlflow.pyfunc.load_model(str(store / "kinds"))
    np.testing.assert_array_equal(scorer.predict(frame), clf.predict(frame))
    found = scorer.predict(frame, params={"output": "proba"})
    np.testing.assert_allclose(found[[str(name) for name in clf.classes_]],
                               clf.predict_proba(frame), rtol=1e-12)


def test_of_a_fit(store):
    frame, y = table()
    found = suffice.fit(frame, y)
    suffice.mlflow.save_model(found, store / "kinds", metadata={"rows": found.rows})
    assert suffice.mlflow.load_model(str(store / "kinds")) == found.model
    assert mlflow.models.Model.load(store / "kinds").metadata == {"rows": 200.0}


def test_loaded_elsewhere(store):
    """Another process needs MLflow and the package, nothing that was there when it was stored."""
    model, frame = trained()
    suffice.mlflow.save_model(model, store / "kinds", input_example=frame.head(3))
    frame.to_csv(store / "rows.csv", index=False)
    program = ("import pandas, mlflow.pyfunc\n"
               "scorer = mlflow.pyfunc.load_model('kinds')\n"
               "print(','.join(scorer.predict(pandas.read_csv('rows.csv'))))")
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=store)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == ",".join(model.decide(frame))


def test_scikit_learn_flavor_by_skops(store, monkeypatch):
    """mlflow.sklearn stores scikit-learn's estimators with skops, which knows ours. MLflow reads none
    of its formats without this leave."""
    pytest.importorskip("skops")
    monkeypatch.setenv("MLFLOW_ALLOW_PICKLE_DESERIALIZATION", "true")
    import mlflow.sklearn

    frame, y = table()
    rows = frame[["size", "width"]].to_numpy()
    clf = suffice.GenerativeClassifier().fit(rows, y)
    trusted = ["suffice.GenerativeClassifier", "suffice.Model", "suffice.Statistics"]
    mlflow.sklearn.save_model(clf, store / "kinds", serialization_format="skops",
                              skops_trusted_types=trusted, pip_requirements=["suffice"])
    other = mlflow.sklearn.load_model(str(store / "kinds"))
    np.testing.assert_array_equal(other.predict_proba(rows), clf.predict_proba(rows))


def test_what_is_refused(store):
    frame, y = table()
    with pytest.raises(TypeError, match="give a Model or a fitted GenerativeClassifier, not a dict"):
        suffice.mlflow.save_model({}, store / "nothing")
    assert not (store / "nothing").exists()
    about = mlflow.models.Model()
    about.add_flavor("sklearn", data="nothing")
    (store / "other").mkdir()
    about.save(store / "other/MLmodel")
    with pytest.raises(ValueError, match="has no flavor 'suffice'; it has sklearn"):
        suffice.mlflow.load_model(str(store / "other"))


def test_the_page(store):
    """docs/stored.md, typed again."""
    import pages

    pytest.importorskip("skops")
    found = pages.run("docs/stored.md", store)
    assert len(found) == 3
    for match, printed in found:
        assert printed == match["text"], printed
