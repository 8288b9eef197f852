"""Models in MLflow: stored as the file that `Model.save` writes, which holds numbers and names and
executes nothing when it is loaded.

    import mlflow, suffice.mlflow
    with mlflow.start_run():
        info = suffice.mlflow.log_model(model, name="penguins", input_example=rows)
    model = suffice.mlflow.load_model(info.model_uri)
    scorer = mlflow.pyfunc.load_model(info.model_uri)
    scorer.predict(rows, params={"output": "proba"})

The stored model has two flavors: `suffice`, and `python_function` for MLflow's servers and batch
jobs. No pickle is involved, so that it also loads with MLFLOW_ALLOW_PICKLE_DESERIALIZATION=false.
"""
from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from ._decide import Costs, CostsLike, Priors, PriorsLike, costs_of, priors_of
from ._evaluate import fitted_model
from ._model import Model
from ._optional import optional

_mlflow = optional("mlflow", "suffice.mlflow")
_models = optional("mlflow.models", "suffice.mlflow")
_pyfunc = optional("mlflow.pyfunc", "suffice.mlflow")

__all__ = ["load_model", "log_model", "save_model"]

FLAVOR = "suffice"
#: What the scorer answers, by the value of the parameter `output`.
OUTPUTS = ("label", "proba", "llr", "loglik", "outlier")
_FILE = "model.suffice"


def save_model(
    model: Any,
    path: str | os.PathLike[str],
    *,
    priors: PriorsLike | None = None,
    costs: CostsLike | None = None,
    signature: Any = None,
    input_example: Any = None,
    pip_requirements: list[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    mlflow_model: Any = None,
) -> None:
    """Writes a folder in MLflow's format.

    Parameters
    ----------
    model : Model, suffice.fit's Fit, or a fitted GenerativeClassifier
        A classifier's own priors and costs are those of the scorer.
    path : the folder to write, which must not exist
    priors, costs : as in `Model.decide`
        What the scorer decides with; by default the training frequencies, and 1 for each mistake.
    signature : mlflow.models.ModelSignature, optional
        By default that of `input_example`.
    input_example : some rows, optional
    pip_requirements : what a server installs; by default this version of suffice, and pandas
    metadata : stored beside the model
    """
    stored, priors, costs = _parts(model, priors, costs)
    meaning = {
        "prior": np.asarray(priors_of("train" if priors is None else priors, stored)).tolist(),
        "cost": None if costs is None else np.asarray(costs_of(costs, stored)).tolist(),
    }
    if signature is None and input_example is not None:
        signature = _signature(_Scorer(stored, meaning), input_example)
    if pip_requirements is None:
        pip_requirements = [f"suffice=={_core.__version__}", "pandas"]
    about = _models.Model() if mlflow_model is None else mlflow_model
    about.add_flavor(
        FLAVOR, data=f"data/{_FILE}", suffice_version=_core.__version__, **meaning
    )
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, _FILE)
        stored.save(file)
        _pyfunc.save_model(
            path=os.fspath(path),
            loader_module=__name__,
            data_path=file,
            mlflow_model=about,
            signature=signature,
            input_example=input_example,
            pip_requirements=pip_requirements,
            metadata=None if metadata is None else dict(metadata),
        )


def log_model(
    model: Any,
    name: str = "model",
    *,
    priors: PriorsLike | None = None,
    costs: CostsLike | None = None,
    signature: Any = None,
    input_example: Any = None,
    pip_requirements: list[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    registered_model_name: str | None = None,
    **options: Any,
) -> Any:
    """Stores a model with the current run, as `save_model` does, and returns MLflow's ModelInfo;
    `options` are those of `mlflow.models.Model.log`, such as `tags` and `step`."""
    return _models.Model.log(
        artifact_path=None,
        name=name,
        flavor=sys.modules[__name__],
        model=model,
        priors=priors,
        costs=costs,
        signature=signature,
        input_example=input_example,
        pip_requirements=pip_requirements,
        metadata=metadata,
        registered_model_name=registered_model_name,
        **options,
    )


def load_model(model_uri: str) -> Model:
    """The model at a path, or at an address such as "models:/penguins/1"."""
    folder = _mlflow.artifacts.download_artifacts(artifact_uri=os.fspath(model_uri))
    return _loaded(folder)[0]


def _loaded(folder: str) -> tuple[Model, dict[str, Any]]:
    flavors = _models.Model.load(folder).flavors
    if FLAVOR not in flavors:
        raise ValueError(
            f"the model in {folder} has no flavor 'suffice'; it has {', '.join(sorted(flavors))}"
        )
    about = flavors[FLAVOR]
    return Model.load(os.path.join(folder, about["data"])), about


def _load_pyfunc(path: str) -> _Scorer:
    """What mlflow.pyfunc.load_model calls, with the path of the data."""
    folder = os.path.dirname(os.path.dirname(path)) if os.path.isfile(path) else path
    return _Scorer(*_loaded(folder))


class _Scorer:
    """What MLflow asks for answers: `predict` of a table."""

    def __init__(self, model: Model, about: Mapping[str, Any]) -> None:
        self.model = model
        classes = model.classes_
        self.priors = Priors(classes, about["prior"])
        self.costs = None if about.get("cost") is None else Costs(classes, about["cost"])

    def get_raw_model(self) -> Model:
        return self.model

    def predict(self, rows: Any, params: Mapping[str, Any] | None = None) -> Any:
        output = (params or {}).get("output", "label")
        if output == "label":
            return self.model.decide(rows, self.priors, self.costs)
        if output == "proba":
            return self.model.posterior(rows, self.priors, frame=True)
        if output == "llr":
            return self.model.llr(rows, self.priors, frame=True)
        if output == "loglik":
            return self.model.log_likelihood(rows, frame=True)
        if output == "outlier":
            return self.model.outlier_score(rows, self.priors)
        raise ValueError(f"output={output!r}: it must be one of {', '.join(OUTPUTS)}")


def _parts(
    model: Any, priors: PriorsLike | None, costs: CostsLike | None
) -> tuple[Model, Any, Any]:
    """The model, and what is decided with."""
    held = getattr(model, "model", None)
    if isinstance(held, Model):  # a Fit, or a Selection
        return held, priors, costs
    stored = fitted_model(model)
    if stored is not model:
        priors = model._priors(None) if priors is None else priors
        costs = model._costs(None) if costs is None else costs
    return stored, priors, costs


def _signature(scorer: _Scorer, rows: Any) -> Any:
    return _models.infer_signature(rows, scorer.predict(rows), params={"output": "label"})
