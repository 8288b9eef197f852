"""What test_spark.py runs against a server of Spark Connect; prints "all as expected" at the end."""
from __future__ import annotations

import sys
import warnings

warnings.simplefilter("ignore")

from pathlib import Path  # noqa: E402

from pyspark.ml.feature import VectorAssembler  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

import suffice  # noqa: E402
import suffice.spark as ss  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cluster_data import FEATURES, assert_same_selection, generated  # noqa: E402
from test_values_statistics import assert_near  # noqa: E402

spark = (SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false")
         .config("spark.ui.showConsoleProgress", "false")
         .config("spark.sql.shuffle.partitions", "2").getOrCreate())
assert "connect" in type(spark).__module__
table = generated(1000)[[*FEATURES, "y", "w", "fold", "id"]]
folder = Path(sys.argv[1])
table.to_parquet(folder / "rows.parquet", index=False)
frame = spark.read.parquet(str(folder / "rows.parquet")).repartition(3, "id")
local = suffice.Statistics.of(table[[*FEATURES, "y", "w"]], "y", "w")
found = ss.statistics(frame, "y", weight="w", features=FEATURES)
assert_near(found, local)
assert_near(ss.statistics_of_files(spark, str(folder / "rows.parquet"), weight="w",
                                   schema=local.schema), local)
model = local.estimate()
got = ss.predict(model, frame).orderBy("id").toPandas()["prediction"]
assert (got.to_numpy() == model.decide(table)).all()
options = {"covariance": ["full", "tied"], "folds": "fold"}
assert_same_selection(
    ss.select(frame, "y", weight="w", features=FEATURES, **options),
    suffice.select(table[[*FEATURES, "y", "w", "fold"]], "y", "w", calibration="none", **options))
assembled = VectorAssembler(inputCols=["v", "n"], outputCol="features").transform(frame)
fitted = ss.GenerativeClassifier(labelCol="y").fit(assembled)
assert fitted.transform(assembled).select("prediction").count() == len(table)
try:
    ss.statistics(frame.replace(1, None, "y"), "y", features=["v"])
except suffice.DataError as error:
    assert "the label is missing" in str(error)
else:
    raise AssertionError("a null label was taken")
print("all as expected")
