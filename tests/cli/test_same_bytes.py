"""The same rows in the same order give the same statistics file, byte for byte: whatever the format,
the program that wrote it, the number of files and the number of threads. Through merge the sums
agree to 1e-12.

Every file here is written by another program: pandas, Polars, Arrow, NumPy, gzip or zstd.
"""
import gzip
import io
import itertools
import json
import re
import subprocess

import numpy as np
import pytest

import program
from datasets import IMAGES, libsvm_line
from program import good, good_json

pandas = pytest.importorskip("pandas", reason="pandas writes files for these tests; install it")
polars = pytest.importorskip("polars", reason="Polars writes files for these tests; install it")
pyarrow = pytest.importorskip("pyarrow", reason="Arrow writes files for these tests; install it")
zstandard = pytest.importorskip("zstandard", reason="zstandard packs files here; install it")
import pyarrow.csv  # noqa: E402
import pyarrow.feather  # noqa: E402
import pyarrow.parquet  # noqa: E402


def statistics(folder, *words, **keywords):
    """The bytes of the statistics file of these rows."""
    path = folder / "out.stats"
    good("stats", *words, "-o", path, folder=folder, **keywords)
    found = path.read_bytes()
    path.unlink()
    return found


def as_csv(frame, **keywords):
    """By pandas, which writes the shortest digits that read back as the same double."""
    return frame.to_csv(index=False, lineterminator="\n", **keywords).encode()


def in_pieces(lines, count):
    """Lines cut into uneven parts: the first is small, one is empty of rows."""
    cuts = [0, 3, *sorted(np.random.default_rng(7).integers(3, len(lines), count - 3)), len(lines)]
    cuts.insert(2, cuts[2])
    return [lines[a:b] for a, b in zip(cuts, cuts[1:])]


# ---- Numbers with all their digits: several blocks of rows, integer labels that sort as numbers

@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """A folder with wide.csv, the frame in it, and the statistics of it."""
    folder = tmp_path_factory.mktemp("wide")
    rng = np.random.default_rng(1)
    n, d = 140000, 10  # three blocks of rows
    y = rng.choice([2, 10, -1], n)
    x = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-6, 7, d) + y[:, None] * 3.0 + 1e5
    frame = pandas.DataFrame(x, columns=[f"column {j}" for j in range(d)])
    frame.insert(7, "class", y)
    (folder / "wide.csv").write_bytes(as_csv(frame))
    WRITERS["groups.parquet"](frame, None, folder / "wide.parquet")
    return folder, frame, statistics(folder, "wide.csv", "--label", "class")


def test_the_sums_are_right(wide):
    """So that equal bytes are not equally wrong: against NumPy."""
    folder, frame, expected = wide
    (folder / "kept.stats").write_bytes(expected)
    shown = good_json("show", folder / "kept.stats")
    assert shown["kind"] == "statistics"
    assert shown["labels"] == ["-1", "2", "10"]
    block, = shown["blocks"]
    assert block["family"] == "gaussian"
    assert block["features"] == [c for c in frame if c != "class"]
    for k, c in enumerate((-1, 2, 10)):
        x = frame.loc[frame["class"] == c].drop(columns="class").to_numpy()
        away = x - x.mean(axis=0)
        away -= away.mean(axis=0)  # what the rounding of the mean left
        scatter = away.T @ away
        size = np.sqrt(np.diag(scatter))
        assert shown["weights"][k] == len(x)
        assert np.abs(block["mean"][k] - x.mean(axis=0)).max() <= 1e-10
        assert np.abs((block["scatter"][k] - scatter) / np.outer(size, size)).max() < 1e-12


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads(wide, threads):
    folder, _, expected = wide
    assert statistics(folder, "wide.csv", "--label", "class", "--threads", threads) == expected
    assert statistics(folder, "wide.csv", "--label", "class",
                      environment={"SUFFICE_THREADS": str(threads)}) == expected


def polars_csv(frame, text, path):
    polars.from_pandas(frame).write_csv(path)


def arrow_csv(frame, text, path):
    pyarrow.csv.write_csv(pyarrow.Table.from_pandas(frame, preserve_index=False), path)


def parquet_in_groups(frame, text, path):
    pyarrow.parquet.write_table(pyarrow.Table.from_pandas(frame, preserve_index=False), path,
                                row_group_size=9973, compression="zstd")


def arrow_stream(frame, text, path):
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    with pyarrow.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=1234)


def arrow_file(frame, text, path):
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    with pyarrow.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=4321)


def gzip_program(frame, text, path):
    path.write_bytes(subprocess.run(["gzip", "-1c"], input=text, capture_output=True,
                                    check=True).stdout)


def several_members(frame, text, path):
    """gzip files one after the other are one gzip file."""
    path.write_bytes(b"".join(gzip.compress(text[i:i + 5_000_003], 1)
                              for i in range(0, len(text), 5_000_003)))


def several_frames(frame, text, path):
    path.write_bytes(b"".join(zstandard.compress(text[i:i + 5_000_003], 1)
                              for i in range(0, len(text), 5_000_003)))


def python_json(frame, text, path):
    """An object a line, with the keys of every other line turned round."""
    lines = [json.dumps(dict(reversed(row.items())) if i % 2 else row) + "\n"
             for i, row in enumerate(frame.to_dict("records"))]
    path.write_bytes(gzip.compress("".join(lines).encode(), 1))


def quoted(text):
    """Every cell in quotes; none of them has one."""
    return b'"' + text.replace(b",", b'","').rstrip(b"\n").replace(b"\n", b'"\n"') + b'"\n'


WRITERS = {
    "polars.csv": polars_csv,
    "arrow.csv": arrow_csv,
    "pandas.tsv": lambda f, t, p: p.write_bytes(t.replace(b",", b"\t")),
    "semicolons.csv": lambda f, t, p: p.write_bytes(t.replace(b",", b";")),
    "bars.txt": lambda f, t, p: p.write_bytes(t.replace(b",", b"|")),
    "crlf.csv": lambda f, t, p: p.write_bytes(t.replace(b"\n", b"\r\n")),
    "bom.csv": lambda f, t, p: p.write_bytes(b"\xef\xbb\xbf" + t),
    "no_last_line_end.csv": lambda f, t, p: p.write_bytes(t.rstrip(b"\n")),
    "quoted.csv": lambda f, t, p: p.write_bytes(quoted(t)),
    "program.csv.gz": gzip_program,
    "members.csv.gz": several_members,
    "frames.csv.zst": several_frames,
    "polars.ndjson": lambda f, t, p: polars.from_pandas(f).write_ndjson(p),
    "python.jsonl.gz": python_json,
    "pandas.parquet": lambda f, t, p: f.to_parquet(p, index=False),
    "groups.parquet": parquet_in_groups,
    "polars.parquet": lambda f, t, p: polars.from_pandas(f).write_parquet(p, row_group_size=15000),
    "stream.arrow": arrow_stream,
    "file.arrow": arrow_file,
    "polars.arrow": lambda f, t, p: polars.from_pandas(f).write_ipc(p, compression="lz4"),
    "pandas.feather": lambda f, t, p: f.to_feather(p),
}


@pytest.mark.parametrize("name", WRITERS)
def test_formats(wide, name):
    folder, frame, expected = wide
    WRITERS[name](frame, (folder / "wide.csv").read_bytes(), folder / name)
    assert statistics(folder, name, "--label", "class", "--threads", 2) == expected
    (folder / name).unlink()


def test_columns_that_are_not_asked_for_change_nothing(wide):
    folder, frame, _ = wide
    kept = [c for c in frame if not c.endswith("3")]
    frame[kept].to_parquet(folder / "kept.parquet", index=False)
    expected = statistics(folder, "kept.parquet", "--label", "class")
    assert statistics(folder, "wide.csv", "--label", "class", "--ignore", "column*3") == expected
    features = ",".join(c for c in kept if c != "class")
    assert statistics(folder, "wide.csv", "--label", "class", "--features", features) == expected
    assert statistics(folder, "wide.parquet", "--label", "class", "--ignore", "column*3") == expected


def test_standard_input(wide):
    folder, frame, expected = wide
    text = (folder / "wide.csv").read_bytes()
    assert statistics(folder, "-", "--label", "class", input=text) == expected
    packed = gzip.compress(text, 1)
    assert statistics(folder, "-", "--label", "class", input=packed) == expected
    arrow_stream(frame, None, folder / "stream.arrow")
    assert statistics(folder, "-", "--format", "arrow", "--label", "class",
                      input=(folder / "stream.arrow").read_bytes()) == expected


def test_a_pipe_with_a_name(wide):
    """What the shell's <(zcat …) is: it can be read once, from its beginning."""
    folder, _, expected = wide
    command = f"'{program.BINARY}' stats <(cat wide.csv) --label class -o piped.stats --quiet"
    subprocess.run(["bash", "-c", command], cwd=folder, check=True, env=program.CALM)
    assert (folder / "piped.stats").read_bytes() == expected


@pytest.mark.parametrize("count", [2, 7])
def test_several_files(wide, count):
    """Listed, as a folder, as a pattern; columns in another order; formats mixed."""
    folder, frame, expected = wide
    header, *lines = (folder / "wide.csv").read_bytes().splitlines(keepends=True)
    parts = folder / f"parts{count}"
    parts.mkdir()
    pieces = in_pieces(lines, count) if count > 2 else [lines[:80001], lines[80001:]]
    for i, piece in enumerate(pieces):
        (parts / f"day-{i}.csv").write_bytes(header + b"".join(piece))
    listed = [f"parts{count}/day-{i}.csv" for i in range(len(pieces))]
    assert statistics(folder, *listed, "--label", "class") == expected
    assert statistics(folder, f"parts{count}", "--label", "class") == expected
    assert statistics(folder, f"parts{count}/day-*.csv", "--label", "class") == expected

    # The second part as Parquet, with its columns turned round: they are matched by name.
    rows = slice(len(pieces[0]), len(pieces[0]) + len(pieces[1]))
    frame.iloc[rows, ::-1].to_parquet(parts / "turned.parquet", index=False)
    listed[1] = f"parts{count}/turned.parquet"
    assert statistics(folder, *listed, "--label", "class", "--threads", 1) == expected


def test_merged_parts_agree(wide):
    folder, frame, expected = wide
    (folder / "whole.stats").write_bytes(expected)
    header, *lines = (folder / "wide.csv").read_bytes().splitlines(keepends=True)
    names = []
    for i, piece in enumerate(p for p in in_pieces(lines, 7) if p):
        (folder / "part.csv").write_bytes(header + b"".join(piece))
        names.append(folder / f"part{i}.stats")
        good("stats", folder / "part.csv", "--label", "class", "-o", names[-1])
    assert len(names) == 6
    good("merge", *names[::-1], "-o", folder / "merged.stats")
    whole, merged = (good_json("show", folder / f) for f in ("whole.stats", "merged.stats"))
    assert_agree(whole, merged)
    # And with one part taken out again.
    good("subtract", folder / "whole.stats", names[-1], "-o", folder / "rest.stats")
    good("merge", folder / "rest.stats", names[-1], "-o", folder / "again.stats")
    assert_agree(whole, good_json("show", folder / "again.stats"))


def assert_agree(whole, merged, digits=1e-12):
    """To 1e-12 relative to √(S_ii S_jj); means in deviations, beyond their own rounding."""
    assert merged["labels"] == whole["labels"] and merged["weights"] == whole["weights"]
    a, b = whole["blocks"][0], merged["blocks"][0]
    assert a["features"] == b["features"]
    for k, weight in enumerate(whole["weights"]):
        scatter, mean = np.array(a["scatter"][k]), np.array(a["mean"][k])
        size = np.sqrt(np.diag(scatter))
        difference = np.abs(scatter - np.array(b["scatter"][k]))
        assert (difference / np.outer(size, size)).max() <= digits
        away = np.abs(mean - np.array(b["mean"][k]))
        assert (away <= digits * size / np.sqrt(weight) + 2 * np.spacing(np.abs(mean))).all()


def test_the_model_is_that_of_the_statistics(wide):
    """fit on rows, and fit on their statistics; with several threads or one."""
    folder, _, expected = wide
    (folder / "whole.stats").write_bytes(expected)
    for covariance in ("full", "tied", "diag"):
        good("fit", "wide.csv", "--label", "class", "--covariance", covariance, "-o", "a", folder=folder)
        good("fit", "whole.stats", "--covariance", covariance, "--threads", 1, "-o", "b", folder=folder)
        if covariance == "full":
            assert (folder / "a").read_bytes() == (folder / "b").read_bytes()
        a, b = (good_json("show", folder / f)["blocks"][0] for f in ("a", "b"))
        assert np.allclose(a["mean"], b["mean"], rtol=1e-13, atol=0)
        assert np.allclose(a["covariance"], b["covariance"], rtol=1e-9, atol=0)


def test_predictions_do_not_depend_on_threads_or_format(wide):
    folder, frame, _ = wide
    good("fit", "wide.csv", "--label", "class", "-o", "m", folder=folder)
    words = ["predict", "m", "--output", "proba,loglik,logpx", "--digits", "full"]
    expected = program.run(*words, "wide.csv", "--threads", 1, folder=folder)
    assert expected.returncode == 0 and expected.stdout.count(b"\n") == len(frame) + 1
    frame.drop(columns="class").iloc[:, ::-1].to_parquet(folder / "new.parquet", index=False)
    text = (folder / "wide.csv").read_bytes()
    for other in (program.run(*words, "wide.csv", "--threads", 5, folder=folder),
                  program.run(*words, "new.parquet", folder=folder),
                  program.run(*words, "-", folder=folder, input=text)):
        assert other.returncode == 0, other.stderr
        assert other.stdout == expected.stdout
    good(*words, "wide.csv", "-o", "answers.csv", folder=folder)
    assert (folder / "answers.csv").read_bytes() == expected.stdout


# ---- Words, missing cells and weights

@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A folder with mixed.csv, its Arrow table, the flags and the statistics."""
    folder = tmp_path_factory.mktemp("mixed")
    rng = np.random.default_rng(2)
    n = 70000
    words = np.array(["plain", "with, comma", 'with "quotes"', "größer", "two\nlines", " blank", "日本"],
                     dtype=object)
    some = lambda values, share: [None if gone else v for v, gone
                                  in zip(values, rng.random(n) < share)]
    table = pyarrow.table({
        "length": pyarrow.array(some(rng.normal(50, 9, n).tolist(), 0.05), pyarrow.float64()),
        "word": pyarrow.array(some(words[rng.integers(0, len(words), n)], 0.1), pyarrow.string()),
        "count": pyarrow.array(some(rng.poisson(3, n).tolist(), 0.02), pyarrow.int64()),
        "yes": pyarrow.array(some(rng.random(n) < 0.3, 0.03), pyarrow.bool_()),
        "times": pyarrow.array(rng.integers(0, 4, n), pyarrow.int32()),
        "kind": pyarrow.array(rng.choice(["a b", "c,d", "é"], n).tolist(), pyarrow.string()),
        "height": pyarrow.array(some((rng.normal(size=n) * 1e-7).tolist(), 0.05), pyarrow.float64()),
    })
    flags = ["--label", "kind", "--weight", "times", "--family", "count=poisson"]
    pyarrow.csv.write_csv(table, folder / "mixed.csv")
    return folder, table, flags, statistics(folder, "mixed.csv", *flags)


def test_mixed_sums_are_right(mixed):
    folder, table, _, expected = mixed
    (folder / "kept.stats").write_bytes(expected)
    shown = good_json("show", folder / "kept.stats")
    frame = table.to_pandas()
    assert shown["labels"] == ["a b", "c,d", "é"]
    blocks = {tuple(b["features"]): b for b in shown["blocks"]}
    assert {f: b["family"] for f, b in blocks.items()} == {
        ("length", "height"): "gaussian", ("word", "yes"): "categorical", ("count",): "poisson"}
    for k, c in enumerate(shown["labels"]):
        part = frame[frame["kind"] == c]
        w = part["times"].to_numpy(float)
        assert shown["weights"][k] == w.sum()
        there = part[["length", "height"]].notna().all(axis=1).to_numpy()
        x = part.loc[there, ["length", "height"]].to_numpy()
        mean = np.average(x, axis=0, weights=w[there])
        scatter = (x - mean).T * w[there] @ (x - mean)
        size = np.sqrt(np.diag(scatter))
        gaussian = blocks["length", "height"]
        assert np.abs((np.array(gaussian["scatter"][k]) - scatter) / np.outer(size, size)).max() < 1e-12
        assert np.abs((np.array(gaussian["mean"][k]) - mean) / size).max() < 1e-13
        assert blocks[("count",)]["sum"][k] == [(part["count"].fillna(0) * w).sum()]
        for j, name in enumerate(("word", "yes")):
            levels = blocks["word", "yes"]["levels"][j]
            spelled = part[name].map(lambda v: {True: "true", False: "false"}.get(v, v))
            counts = [w[(spelled == level).to_numpy()].sum() for level in levels]
            assert blocks["word", "yes"]["count"][j][k] == counts
    assert blocks["word", "yes"]["levels"][0] == sorted(
        {v for v in table["word"].to_pylist() if v}, key=str.encode)
    assert blocks["word", "yes"]["levels"][1] == ["false", "true"]


def spell(table, **keywords):
    """CSV by pandas, with Arrow's spelling of booleans and whole numbers."""
    frame = table.to_pandas().astype({"count": "Int64"})
    frame["yes"] = frame["yes"].map({True: "true", False: "false"})
    out = io.StringIO()
    frame.to_csv(out, index=False, lineterminator="\n", **keywords)
    return out.getvalue().encode()


def words_for_missing(table):
    """All words for a missing value, one after the other."""
    words = itertools.cycle([b"", b"NA", b"NaN", b"nan", b"null", b"NULL", b"?", b" ", b'"NA"', b'""'])
    return re.sub(rb"@@", lambda _: next(words), spell(table, na_rep="@@"))


def dictionary_parquet(table, path):
    for name in ("word", "kind"):
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, table[name].dictionary_encode())
    pyarrow.parquet.write_table(table, path, row_group_size=3001)


def large_strings(table, path):
    fields = [f.with_type(pyarrow.large_string()) if f.type == pyarrow.string() else f
              for f in table.schema]
    pyarrow.feather.write_feather(table.cast(pyarrow.schema(fields)), path, compression="zstd")


MIXED = {
    "minimal.csv": lambda t, p: p.write_bytes(spell(t)),
    "all_quoted.csv": lambda t, p: p.write_bytes(spell(t, quoting=1)),
    "words_for_missing.csv": lambda t, p: p.write_bytes(words_for_missing(t)),
    "tabs.tsv.gz": lambda t, p: p.write_bytes(gzip.compress(spell(t, sep="\t"), 1)),
    "packed.csv.zst": lambda t, p: p.write_bytes(zstandard.compress(spell(t), 1)),
    "polars.csv": lambda t, p: polars.from_arrow(t).write_csv(p),
    "plain.parquet": lambda t, p: pyarrow.parquet.write_table(t, p, row_group_size=7001,
                                                              use_dictionary=False),
    "dictionary.parquet": dictionary_parquet,
    "polars.parquet": lambda t, p: polars.from_arrow(t).write_parquet(p),
    "pandas.parquet": lambda t, p: t.to_pandas().to_parquet(p, index=False),
    "large_strings.feather": large_strings,
    "polars.arrow": lambda t, p: polars.from_arrow(t).write_ipc(p),
}


@pytest.mark.parametrize("name", MIXED)
def test_mixed_formats(mixed, name):
    folder, table, flags, expected = mixed
    MIXED[name](table, folder / name)
    assert statistics(folder, name, *flags) == expected
    (folder / name).unlink()


def test_a_token_of_ones_own_for_missing(mixed):
    folder, table, flags, expected = mixed
    (folder / "own.csv").write_bytes(spell(table, na_rep="-999"))
    assert statistics(folder, "own.csv", *flags, "--na", "-999") == expected


def test_mixed_parts(mixed):
    """Blocks are cut by the row number, so parts of any size give the same sums, and merging them
    the same to 1e-12. A part may lack a level or a class."""
    folder, table, flags, expected = mixed
    parts = folder / "parts"
    parts.mkdir()
    for i, (a, b) in enumerate([(0, 5), (5, 20000), (20000, 20001), (20001, 70000)]):
        if i % 2:
            pyarrow.parquet.write_table(table.slice(a, b - a), parts / f"{i}.parquet")
        else:
            pyarrow.csv.write_csv(table.slice(a, b - a), parts / f"{i}.csv")
    assert statistics(folder, "parts", *flags, "--threads", 3) == expected
    (folder / "whole.stats").write_bytes(expected)
    names = []
    for path in sorted(parts.iterdir()):
        names.append(folder / f"{path.stem}.stats")
        good("stats", path, *flags, "--like", folder / "whole.stats", "-o", names[-1])
    good("merge", *names, "-o", folder / "merged.stats")
    whole, merged = (good_json("show", folder / f) for f in ("whole.stats", "merged.stats"))
    assert_agree(whole, merged)
    assert [b for b in merged["blocks"] if b["family"] != "gaussian"] == [
        b for b in whole["blocks"] if b["family"] != "gaussian"]


def test_weights_are_frequencies(mixed):
    """Weight 2 is the row twice, weight 0 is no row: the same sums, up to rounding."""
    folder, table, flags, expected = mixed
    times = table["times"].to_numpy()
    repeated = table.take(np.repeat(np.arange(len(times)), times)).drop_columns("times")
    pyarrow.parquet.write_table(repeated, folder / "repeated.parquet")
    good("stats", "repeated.parquet", "--label", "kind", "--family", "count=poisson",
         "-o", "repeated.stats", folder=folder)
    (folder / "whole.stats").write_bytes(expected)
    assert_agree(*(good_json("show", folder / f) for f in ("whole.stats", "repeated.stats")))


# ---- Tables without names: NPY, IDX, LIBSVM

@pytest.fixture(scope="module")
def nameless(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nameless")
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(30000, 7)), rng.integers(0, 12, 30000)
    np.savetxt(folder / "x.csv", x, fmt="%.17g", delimiter=",")
    np.savetxt(folder / "y.csv", y, fmt="%d")
    expected = statistics(folder, "x.csv", "--no-header", "--labels", "y.csv")
    return folder, x, y, expected


def test_npy(nameless):
    folder, x, y, expected = nameless
    np.save(folder / "y.npy", y)
    np.save(folder / "y8.npy", y.astype(np.uint8))
    for name, array in (("c.npy", x), ("fortran.npy", np.asfortranarray(x))):
        np.save(folder / name, array)
        for labels in ("y.npy", "y8.npy"):
            assert statistics(folder, name, "--labels", labels) == expected
    for i, rows in enumerate((slice(0, 10), slice(10, 20000), slice(20000, None))):
        np.save(folder / f"part{i}.npy", x[rows])
    for threads in (1, 5):
        assert statistics(folder, "part?.npy", "--labels", "y.npy", "--threads", threads) == expected
    packed = (folder / "c.npy").read_bytes()
    assert statistics(folder, "-", "--labels", "y.npy", input=packed) == expected
    (folder / "npy.stats").write_bytes(expected)
    shown = good_json("show", folder / "npy.stats")
    assert shown["labels"] == [str(c) for c in range(12)]
    assert shown["weights"] == np.bincount(y).tolist()
    assert shown["blocks"][0]["features"] == [f"x{j}" for j in range(7)]


def test_single_precision(nameless):
    """float32 is read as it is: the same as its values written out in full."""
    folder, x, y, _ = nameless
    single = x.astype(np.float32)
    np.save(folder / "single.npy", single)
    np.save(folder / "double.npy", single.astype(float))
    np.save(folder / "y.npy", y)
    expected = statistics(folder, "double.npy", "--labels", "y.npy")
    assert statistics(folder, "single.npy", "--labels", "y.npy") == expected
    names = [f"x{j}" for j in range(7)]
    frame = pandas.DataFrame(single, columns=names).assign(y=y)
    frame.to_parquet(folder / "single.parquet", index=False)
    (folder / "double.csv").write_bytes(as_csv(frame.astype({n: float for n in names})))
    assert (statistics(folder, "single.parquet", "--label", "y")
            == statistics(folder, "double.csv", "--label", "y"))


def test_idx(tmp_path, data):
    """Images, packed and not, and the same bytes as an array of NumPy."""
    images, labels = (data(name) for name in IMAGES["test"])
    kept = ["--covariance", "diag"]
    expected = statistics(tmp_path, images, "--labels", labels, *kept)
    for source, name in ((images, "images-idx3-ubyte"), (labels, "labels-idx1-ubyte")):
        (tmp_path / name).write_bytes(gzip.decompress(source.read_bytes()))
    assert statistics(tmp_path, "images-idx3-ubyte", "--labels", "labels-idx1-ubyte", *kept,
                      "--threads", 1) == expected
    pixels = np.frombuffer((tmp_path / "images-idx3-ubyte").read_bytes(), np.uint8, offset=16)
    truth = np.frombuffer((tmp_path / "labels-idx1-ubyte").read_bytes(), np.uint8, offset=8)
    np.save(tmp_path / "images.npy", pixels.reshape(-1, 784))
    np.save(tmp_path / "labels.npy", truth)
    assert statistics(tmp_path, "images.npy", "--labels", "labels.npy", *kept) == expected


def test_libsvm(tmp_path):
    """Sparse rows: one file or several, packed, any number of threads, indices from 0 or from 1."""
    rng = np.random.default_rng(4)
    lines = []
    for i in range(20000):
        words = sorted(rng.choice(500, rng.integers(0, 20), replace=False).tolist())
        lines.append(libsvm_line(str(rng.integers(0, 3)), {w: int(rng.integers(1, 5)) for w in words}))
    lines[0] = libsvm_line("0", {499: 2})  # the short first part has the last word
    flags = ["--family", "*=multinomial"]
    text = "".join(lines).encode()
    (tmp_path / "all.libsvm").write_bytes(text)
    expected = statistics(tmp_path, "all.libsvm", *flags)
    (tmp_path / "packed.libsvm.gz").write_bytes(gzip.compress(text))
    (tmp_path / "comments.libsvm").write_bytes(text.replace(b"\n", b" # a comment\r\n"))
    assert statistics(tmp_path, "packed.libsvm.gz", *flags) == expected
    assert statistics(tmp_path, "comments.libsvm", *flags) == expected
    for threads in (1, 2, 5):
        assert statistics(tmp_path, "all.libsvm", *flags, "--threads", threads) == expected
    (tmp_path / "parts").mkdir()
    for i, (a, b) in enumerate([(0, 7), (7, 12000), (12000, 20000)]):
        (tmp_path / "parts" / f"{i}.libsvm").write_text("".join(lines[a:b]))
    assert statistics(tmp_path, "parts", *flags) == expected
    # The same words counted from 0; the first part has no word 0.
    (tmp_path / "zero").mkdir()
    down = lambda line: re.sub(r" (\d+):", lambda m: f" {int(m.group(1)) - 1}:", line)
    for i, (a, b) in enumerate([(0, 7), (7, 20000)]):
        (tmp_path / "zero" / f"{i}.libsvm").write_text("".join(map(down, lines[a:b])))
    assert " 0:" not in (tmp_path / "zero" / "0.libsvm").read_text()
    assert statistics(tmp_path, "zero", *flags, "--index-base", 0) == expected
