"""Statistics, predictions and the choice of a model over Spark data frames (pyspark 4 or later, classic
and Spark Connect).

    import suffice.spark
    stats = suffice.spark.statistics(df, "species")
    model = stats.estimate(covariance="tied")
    suffice.spark.predict(model, df).show()

Each partition is summed up where it is, and only its sums travel. The package must be installed on
the executors; docs/scale.md shows how a wheel is shipped.
"""
from __future__ import annotations

from .._optional import optional

_VERSION = str(getattr(optional("pyspark", "suffice.spark"), "__version__", "0"))
if int(_VERSION.partition(".")[0]) < 4:
    raise ImportError(
        f"suffice.spark needs pyspark 4 or later, and this is {_VERSION}: pip install 'pyspark>=4'",
        name="pyspark",
    )
optional("pyarrow", "suffice.spark")

from ._frames import predict, select, statistics, statistics_of_files  # noqa: E402
from ._ml import GenerativeClassifier, GenerativeClassifierModel  # noqa: E402

__all__ = [
    "GenerativeClassifier",
    "GenerativeClassifierModel",
    "predict",
    "select",
    "statistics",
    "statistics_of_files",
]
