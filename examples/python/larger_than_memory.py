"""Data larger than memory, batch by batch.

Rows go into sums and are gone. A Parquet file is read by record batches, a generator makes batches
out of nothing; either way no more than one batch is in memory, and the sums are those of one pass
over everything. Sums that were made apart are added, and a part is taken away again, exactly.
"""
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import suffice
from suffice.sklearn import LinearDiscriminantAnalysis

MONTHS, ROWS = 12, 20_000
COLUMNS = ["length", "width", "weight"]
MEANS = {"spruce": [20, 0.4, 0.9], "beech": [25, 0.6, 1.4], "oak": [22, 0.9, 1.9]}


def month(number):
    """The measurements of one month: an array and the species."""
    random = np.random.default_rng(number)
    species = random.choice(list(MEANS), ROWS, p=[0.5, 0.3, 0.2])
    spread = random.standard_normal((ROWS, 3)) @ [[2, 0.05, 0.1], [0, 0.1, 0.1], [0, 0, 0.2]]
    return np.array([MEANS[s] for s in species]) + spread, species


def table(number):
    X, species = month(number)
    return pa.table({**dict(zip(COLUMNS, X.T)), "species": pa.array(species).dictionary_encode()})


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "forest.parquet"
    with pq.ParquetWriter(path, table(0).schema) as writer:
        for number in range(MONTHS):
            writer.write_table(table(number))

    # The file through Arrow's record batches, which are read as they are asked for.
    file = pq.ParquetFile(path)
    batches = pa.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches(batch_size=7_000))
    streamed = suffice.Statistics().update(batches, "species")
    print(f"{streamed.weights.sum():,.0f} rows in batches of 7,000")

    # The same sums in one pass over the whole table.
    whole = suffice.Statistics.of(pq.read_table(path), "species")
    print("the sums of one pass over the whole table:", streamed == whole)

    # Statistics are small, whatever the number of rows, and the command line reads them too.
    streamed.save(Path(folder) / "forest.stats")
    size = (Path(folder) / "forest.stats").stat().st_size
    print(f"the table has {path.stat().st_size / 1e6:.0f} MB, its statistics less than {size // 1000 + 1} KB")

# A generator: batches of an array and its labels.
schema = suffice.Schema(dict.fromkeys(COLUMNS, "gaussian"))
made = suffice.Statistics(schema).update(month(number) for number in range(MONTHS))
difference = np.abs(made.blocks[0]["scatter"] / whole.blocks[0]["scatter"] - 1).max()
print("from a generator, to rounding:", difference < 1e-12)

# Parts made apart are added; a month that turns out to be wrong is taken away.
parts = [suffice.Statistics(schema).update(*month(number)) for number in range(MONTHS)]
total = parts[0]
for part in parts[1:]:
    total = total + part
without_june = total - parts[5]
again = suffice.Statistics(schema).update(month(number) for number in range(MONTHS) if number != 5)
difference = np.abs(without_june.blocks[0]["scatter"] / again.blocks[0]["scatter"] - 1).max()
print("without June, as if it had never been read:", difference < 1e-10)

# Every model of the family comes from the same sums, without another look at the rows.
X, species = month(100)
for covariance in ("full", "tied", "diag", "spherical"):
    model = total.estimate(covariance=covariance)
    print(f"{covariance:10} accuracy on a new month {np.mean(model.decide(X) == species):.3f}")

# scikit-learn's way: partial_fit on every batch equals one fit on all rows.
batchwise = LinearDiscriminantAnalysis(solver="lsqr")
for number in range(MONTHS):
    batchwise.partial_fit(*month(number), classes=list(MEANS))
at_once = LinearDiscriminantAnalysis(solver="lsqr").fit(
    *(np.concatenate(p) for p in zip(*map(month, range(MONTHS)))))
print("partial_fit equals fit:", np.allclose(batchwise.coef_, at_once.coef_, rtol=1e-9))
