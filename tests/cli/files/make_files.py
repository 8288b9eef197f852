"""Writes the files beside it, each with the program that people use for it, and what is in them
as expected.json. Needs numpy, pandas, polars, pyarrow and scikit-learn.

    python make_files.py
"""
import gzip
import json
import math
import struct
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
from scipy.sparse import csr_matrix
from sklearn.datasets import dump_svmlight_file

HERE = Path(__file__).parent
MISSING = {"", "NA", "NaN", "nan", "null", "NULL", "?"}  # tokens for a missing value, in every format
expected = {}


def cell(value):
    """As tests compare them: null is missing, numbers are numbers, the rest is text."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, Decimal):
        return float(value)
    text = value.decode() if isinstance(value, bytes) else str(value)
    return None if text in MISSING else text


def expect(name, columns):
    """`columns`: what they hold, or the name of a file that holds the same."""
    if isinstance(columns, str):
        expected[name] = columns
        return
    expected[name] = {column: [cell(v) for v in values] for column, values in columns.items()}


# --- NPY ---------------------------------------------------------------------------------------

def npy(name, array, columns=None):
    np.save(HERE / name, array)
    if columns is None:
        flat = array.reshape(len(array), -1)
        columns = {f"x{j}": flat[:, j].tolist() for j in range(flat.shape[1])}
    expect(name, columns)


rng = np.random.default_rng(1)
matrix = rng.normal(size=(7, 3))
npy("c_order.npy", matrix)
npy("fortran.npy", np.asfortranarray(matrix))
npy("big_endian.npy", matrix.astype(">f8"))
npy("fortran_3d.npy", np.asfortranarray(np.arange(24, dtype="<i4").reshape(2, 3, 4)))
npy("c_3d.npy", np.arange(24, dtype="<i2").reshape(2, 3, 4))
npy("vector.npy", np.array([3, 1, -2], dtype="<i8"))
npy("half.npy", np.array([[0.5, -2.0], [6.1035156e-05, 5.9604645e-08], [65504, np.nan]], dtype="<f2"))
for code in ["i1", "u1", "<i2", ">i2", "<u2", "<i4", ">u4", "<u4", "<i8", "<u8", ">i8", "<f4", ">f4"]:
    kind = np.dtype(code)
    if kind.kind == "f":
        values = np.array([[1.5, -0.25], [np.nan, 3e30]], dtype=code)
    else:
        limits = np.iinfo(kind)
        values = np.array([[limits.min, limits.max], [0, 7]], dtype=code)
    npy(f"type_{kind.byteorder.replace('<', 'l').replace('>', 'b').replace('=', 'l').replace('|', '')}"
        f"{kind.kind}{kind.itemsize}.npy", values)
npy("bool.npy", np.array([[True, False], [False, False]]))
npy("unicode.npy", np.array(["setosa", "größer", "鳶尾", "NA", "a😀"]))
npy("bytes.npy", np.array([b"ham", b"spam", b"x"]))
npy("strings_of_numbers.npy", np.array(["1.5", "-2", "nan", "1e3"]))
records = np.array([(1.5, 3, "a", True), (-2.0, 4, "bc", False)],
                   dtype=[("width", "<f8"), ("count", ">i2"), ("kind", "<U3"), ("old", "?")])
npy("records.npy", records, {name: records[name].tolist() for name in records.dtype.names})
with open(HERE / "version2.npy", "wb") as file:
    np.lib.format.write_array(file, matrix, version=(2, 0))
expect("version2.npy", {f"x{j}": matrix[:, j].tolist() for j in range(3)})
with open(HERE / "version3.npy", "wb") as file:
    named = np.array([(1.0,), (2.0,)], dtype=[("größe", "<f8")])
    np.lib.format.write_array(file, named, version=(3, 0))
expect("version3.npy", {"größe": [1.0, 2.0]})
np.save(HERE / "objects.npy", np.array([{"a": 1}, None], dtype=object), allow_pickle=True)
np.save(HERE / "scalar.npy", np.array(3.0))
np.save(HERE / "complex.npy", np.array([1 + 2j]))
with gzip.GzipFile(HERE / "fortran.npy.gz", "wb", mtime=0) as file:
    file.write((HERE / "fortran.npy").read_bytes())
expect("fortran.npy.gz", "fortran.npy")

# --- IDX, by its specification -------------------------------------------------------------------

for code, dtype in [(8, ">u1"), (9, ">i1"), (11, ">i2"), (12, ">i4"), (13, ">f4"), (14, ">f8")]:
    values = np.array([[[0, 1], [100, 3]], [[-5 if dtype != ">u1" else 250, 5], [6, 7]], [[8, 9], [10, 11]]]).astype(dtype)
    name = f"type_{code:02x}.idx"
    (HERE / name).write_bytes(struct.pack(">BBBBIII", 0, 0, code, 3, 3, 2, 2) + values.tobytes())
    flat = values.reshape(3, 4)
    expect(name, {f"x{j}": flat[:, j].tolist() for j in range(4)})
labels = bytes([5, 0, 4, 1])
with gzip.GzipFile(HERE / "labels-idx1-ubyte.gz", "wb", mtime=0) as file:
    file.write(struct.pack(">BBBBI", 0, 0, 8, 1, 4) + labels)
expect("labels-idx1-ubyte.gz", {"x0": list(labels)})

# --- LIBSVM ------------------------------------------------------------------------------------

sparse = csr_matrix(np.array([[0, 2.5, 0, 0], [1, 0, 0, -0.125], [0, 0, 0, 0], [0, 0, 1e-3, 4]]))
targets = np.array([1, -1, 2, 1])
for base in (0, 1):
    name = f"base{base}.libsvm"
    dump_svmlight_file(sparse, targets, str(HERE / name), zero_based=base == 0,
                       query_id=np.array([7, 7, 8, 8]), comment="made for the tests")
    dense = sparse.toarray()
    expect(name, {"label": [str(t) for t in targets]} | {f"x{j}": dense[:, j].tolist() for j in range(4)})

# --- Arrow -------------------------------------------------------------------------------------

n = 50
words = ["low", "middle", "high", None, "größer"]
table = pa.table({
    "double": pa.array([None if i % 7 == 3 else i / 8 for i in range(n)], pa.float64()),
    "float": pa.array([i * 0.5 for i in range(n)], pa.float32()),
    "half": pa.array(np.arange(n, dtype=np.float16) / 4, pa.float16()),
    "int8": pa.array([i - 25 for i in range(n)], pa.int8()),
    "uint16": pa.array([i * 1000 for i in range(n)], pa.uint16()),
    "int32": pa.array([None if i == 4 else -i for i in range(n)], pa.int32()),
    "int64": pa.array([i + 2**53 for i in range(n)], pa.int64()),
    "uint64": pa.array([2**63 + 2048 * i for i in range(n)], pa.uint64()),
    "bool": pa.array([None if i == 9 else i % 3 == 0 for i in range(n)]),
    "string": pa.array([words[i % 5] for i in range(n)], pa.string()),
    "large": pa.array([words[i % 5] for i in range(n)], pa.large_string()),
    "dictionary": pa.array([words[i % 5] for i in range(n)], pa.string()).dictionary_encode(),
    "decimal": pa.array([Decimal(i) / 100 for i in range(n)], pa.decimal128(10, 2)),
    "digits": pa.array(["NA" if i == 1 else f"{i}.5" for i in range(n)], pa.string()),
    "nothing": pa.nulls(n),
    "time": pa.array(range(n), pa.timestamp("s")),
    "list": pa.array([[i] for i in range(n)]),
})


READ = [name for name in table.column_names if name not in ("time", "list")]
for codec in ["none", "snappy", "zstd"]:
    name = f"types_{codec}.parquet"
    pa.parquet.write_table(table, HERE / name, compression=codec, row_group_size=20)
    expect(name, {c: table.column(c).to_pylist() for c in READ} if codec == "none" else "types_none.parquet")
for codec in ["uncompressed", "lz4", "zstd"]:
    name = f"types_{codec}.feather"
    pa.feather.write_feather(table, HERE / name, compression=codec, chunksize=16)
    expect(name, "types_none.parquet")
with pa.OSFile(str(HERE / "stream_lz4.arrow"), "wb") as sink:
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=16)
expect("stream_lz4.arrow", "types_none.parquet")

frame = {"number": [1.5, None, -3.0], "word": ["a", "b", None], "flag": [True, None, False],
         "level": ["x", "y", "x"], "whole": [1, 2, None]}
polars = pl.DataFrame(frame).with_columns(pl.col("level").cast(pl.Categorical))
polars.write_parquet(HERE / "polars.parquet")
polars.write_ipc(HERE / "polars.arrow")
expect("polars.parquet", frame)
expect("polars.arrow", "polars.parquet")

pandas = pd.DataFrame({"number": [1.5, np.nan, -3.0], "word": ["a", "b", None],
                       "level": pd.Categorical(["x", "y", "x"]), "code": pd.Categorical([3, 1, 3])})
pandas.to_parquet(HERE / "pandas.parquet")
expect("pandas.parquet", {"number": [1.5, None, -3.0], "word": ["a", "b", None],
                          "level": ["x", "y", "x"], "code": [3, 1, 3]})
pa.parquet.write_table(pa.table({"a": pa.array([], pa.float64())}), HERE / "empty.parquet")
expect("empty.parquet", {"a": []})
pa.parquet.write_table(pa.table([pa.array([1.0]), pa.array([2.0])], names=["a", "a"]), HERE / "twice.parquet")

lines = [f"{json.dumps(name)}: {json.dumps(columns, ensure_ascii=False)}" for name, columns in expected.items()]
(HERE / "expected.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
