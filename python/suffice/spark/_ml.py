"""An estimator and its model for pipelines of pyspark.ml."""
from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from pyspark import keyword_only
from pyspark.ml import Estimator
from pyspark.ml import Model as SparkModel
from pyspark.ml.functions import array_to_vector
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasFeaturesCol,
    HasInputCols,
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasWeightCol,
)
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
from pyspark.sql import functions as F

from .. import _core as engine
from .._model import Model
from .._options import TABLE, require_known
from .._partials import Question, kind_of_classes, values_of_kind
from ._columns import Frame, named
from ._frames import answers_of, require_new, statistics


class _Columns(
    HasFeaturesCol,
    HasInputCols,
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
):
    """The parameters that the estimator and the model share."""


class GenerativeClassifier(
    Estimator, _Columns, HasWeightCol, DefaultParamsReadable, DefaultParamsWritable
):
    """A generative classifier as an Estimator of pyspark.ml, fitted in one pass over the frame.

    Parameters
    ----------
    featuresCol : str
        The column of vectors, "features" by default.
    inputCols : list of str, optional
        Columns of any type instead: numbers, strings, booleans, vectors.
    labelCol, weightCol : str
        The classes ("label" by default) and, optionally, the weights of rows.
    predictionCol, probabilityCol, rawPredictionCol : str
        The columns that the model adds: the class (a double where classes are numbers), the
        posterior probabilities and the log-likelihoods in the order of the classes. An empty name
        leaves a column out.
    options : dict, optional
        Options of Statistics.estimate, such as {"covariance": "tied"}.
    family : dict, optional
        Families of columns or patterns, as for Schema.of.

    >>> GenerativeClassifier(options={"covariance": "tied"}).fit(df)  # doctest: +SKIP
    """

    options: Any = Param(Params._dummy(), "options", "options of Statistics.estimate")
    family: Any = Param(Params._dummy(), "family", "families of columns or patterns")

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        inputCols: list[str] | None = None,
        labelCol: str = "label",
        weightCol: str | None = None,
        predictionCol: str = "prediction",
        probabilityCol: str = "probability",
        rawPredictionCol: str = "rawPrediction",
        options: Mapping[str, Any] | None = None,
        family: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._setDefault(options={}, family={})
        self.setParams(**self._input_kwargs)

    @keyword_only
    def setParams(self, **given: Any) -> GenerativeClassifier:
        """Sets parameters by name."""
        known = {name: value for name, value in self._input_kwargs.items() if value is not None}
        require_known(known.get("options", {}), TABLE, "options")
        self._set(**known)
        return self

    def _fit(self, dataset: Any) -> GenerativeClassifierModel:
        features = self.getInputCols() if self.isSet("inputCols") else [self.getFeaturesCol()]
        weight = self.getWeightCol() if self.isSet("weightCol") else None
        sums = statistics(
            dataset, self.getLabelCol(), weight=weight, features=features,
            family=self.getOrDefault("family") or None,
        )
        model = sums.estimate(**self.getOrDefault("options"))
        fitted = GenerativeClassifierModel._of(model)
        return self._copyValues(fitted)  # type: ignore[no-any-return]


class GenerativeClassifierModel(
    SparkModel, _Columns, DefaultParamsReadable, DefaultParamsWritable
):
    """What GenerativeClassifier.fit returns; `model` is the suffice.Model inside.

    >>> fitted.model.save("model.suffice")  # doctest: +SKIP
    """

    state: Any = Param(
        Params._dummy(), "state", "the model, as the base64 of its file", TypeConverters.toString
    )
    kind: Any = Param(
        Params._dummy(), "kind", "what the values of the classes are", TypeConverters.toString
    )

    @classmethod
    def _of(cls, model: Model) -> GenerativeClassifierModel:
        fitted = cls()
        fitted._set(
            state=base64.b64encode(model._core.to_bytes()).decode(),
            kind=kind_of_classes(model.classes_),
        )
        return fitted

    @property
    def model(self) -> Model:
        """The model, for everything that is not a transformation of frames."""
        core = engine.Model.from_bytes(base64.b64decode(self.getOrDefault("state")))
        return Model._wrap(core, values_of_kind(core.labels, self.getOrDefault("kind")))

    def _transform(self, dataset: Any) -> Any:
        outputs = {
            "label": self.getPredictionCol(),
            "proba": self.getProbabilityCol(),
            "loglik": self.getRawPredictionCol(),
        }
        wanted = [output for output, column in outputs.items() if column]
        if not wanted:
            return dataset
        model = self.model
        frame = Frame(dataset)
        require_new(frame, (outputs[output] for output in wanted))
        columns, vectors = frame.inputs(model.schema)
        asked, answers = answers_of(frame, columns, Question.of(model, wanted, vectors=vectors))
        added: dict[str, Any] = {}
        for output in wanted:
            if output == "label":
                column = answers["prediction"]
                added[outputs[output]] = (
                    column.cast("double") if self.getOrDefault("kind") == "int" else column
                )
            else:
                numbers = [answers[f"{output}:{label}"] for label in model.labels]
                added[outputs[output]] = array_to_vector(F.array(*numbers))
        kept = [named(name) for name in frame.names]
        return asked.select(*kept, *(column.alias(name) for name, column in added.items()))
