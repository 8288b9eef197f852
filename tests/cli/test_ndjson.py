"""Tables of JSON objects, one per line: written by pandas, Polars and Python, compared with CSV."""
import gzip
import json

import numpy as np
import pytest

from program import good, good_json, refused, rows_of, run

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
zstandard = pytest.importorskip("zstandard")


def statistics(folder, name, *flags, **keywords):
    good("stats", name, "--label", "y", "-o", "out.stats", *flags, folder=folder, **keywords)
    return (folder / "out.stats").read_bytes()


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Numbers, text with all that JSON escapes, booleans, and missing cells of each."""
    folder = tmp_path_factory.mktemp("mixed")
    rng = np.random.default_rng(8)
    n = 30_000
    words = np.array(['plain', 'a "quote"', "back\\slash", "tab\tin", "é 😀 Ж", "a,b;c", " blank "], dtype=object)
    frame = pandas.DataFrame({"x": rng.normal(size=n), "n": rng.integers(-5, 9000, n), "w": rng.choice(words, n),
                              "b": rng.choice([True, False], n), "y": rng.choice(["u", "v"], n)})
    frame.loc[1:, "x"] = frame["x"][1:].mask(rng.random(n - 1) < 0.1)
    frame.loc[1:, "w"] = frame["w"][1:].mask(rng.random(n - 1) < 0.1, None)  # the first row has all keys
    frame.to_csv(folder / "t.csv", index=False)
    return folder, frame, statistics(folder, "t.csv")


def test_the_same_bytes_as_csv(mixed):
    folder, frame, expected = mixed
    frame.to_json(folder / "pandas.ndjson", orient="records", lines=True, double_precision=15, force_ascii=False)
    records = [{k: v for k, v in row.items() if v is not None and v == v}  # keys that are absent
               for row in frame.to_dict("records")]
    text = "".join(json.dumps(row) + "\n" for row in records).encode()
    (folder / "absent.jsonl").write_bytes(text)
    (folder / "crlf.ndjson").write_bytes(text.replace(b"\n", b" \r\n\n"))
    (folder / "t.ndjson.gz").write_bytes(gzip.compress(text))
    (folder / "t.jsonl.zst").write_bytes(zstandard.compress(text))
    polars.from_pandas(frame).write_ndjson(folder / "polars.ndjson")
    for name in ("absent.jsonl", "crlf.ndjson", "t.ndjson.gz", "t.jsonl.zst", "polars.ndjson"):
        for threads in (1, 2):
            assert statistics(folder, name, "--threads", threads) == expected, name
    assert statistics(folder, "-", input=text) == expected
    (folder / "named.txt").write_bytes(text)
    assert statistics(folder, "named.txt") == statistics(folder, "named.txt", "--format", "ndjson") == expected
    # pandas writes 15 decimals, so its sums differ in the last digits.
    shown = good_json("show", "out.stats", folder=folder)
    statistics(folder, "pandas.ndjson")
    other = good_json("show", "out.stats", folder=folder)
    assert other["missing"] == shown["missing"] and other["blocks"][1] == shown["blocks"][1]


def test_several_files(mixed):
    folder, frame, expected = mixed
    (folder / "parts").mkdir()
    polars.from_pandas(frame[:17_001]).write_ndjson(folder / "parts" / "1.ndjson")
    polars.from_pandas(frame[17_001:].iloc[:, ::-1]).write_ndjson(folder / "parts" / "2.jsonl")
    assert statistics(folder, "parts") == expected


def test_predict_and_keep(tmp_path):
    rows = [{"id": 7 + i, "x": i % 2 + 0.1 * i, "y": ["p", "q"][i % 2], "note": f"n{i}"} for i in range(20)]
    (tmp_path / "t.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    good("fit", "t.ndjson", "--label", "y", "--features", "x", "--covariance", "tied", "-o", "m", folder=tmp_path)
    answers = rows_of(good("predict", "m", "t.ndjson", "--keep", "id,note", folder=tmp_path))
    assert [row["id"] for row in answers] == [str(row["id"]) for row in rows]
    assert [row["note"] for row in answers] == [row["note"] for row in rows]


def test_labels_that_are_numbers(tmp_path):
    """1 and 1.0 are one class, as in other formats that have types."""
    (tmp_path / "t.ndjson").write_text('{"x": 1, "y": 1}\n{"x": 2, "y": 1.0}\n{"x": 3, "y": 2.5}\n')
    statistics(tmp_path, "t.ndjson")
    assert good_json("show", "out.stats", folder=tmp_path)["labels"] == ["1", "2.5"]


BAD = {
    "open": ('{"a":2,"y":"q"', [":2", "does not end"]),
    "after": ('{"a":2,"y":"q"} x', [":2", "after the object"]),
    "two": ('{"a":2,"y":"q"}{"a":2,"y":"q"}', [":2", "one object per line"]),
    "list": ("[1, 2]", [":2", "list"]),
    "twice": ('{"a":2,"a":3,"y":"q"}', [":2", "'a'", "twice"]),
    "word": ('{"a":nope,"y":"q"}', [":2", "'a'", "quotes"]),
    "bare key": ("{a:1}", [":2", "key"]),
    "no colon": ('{"a" 1}', [":2", "colon"]),
    "no comma": ('{"a":1 "y":"q"}', [":2", "comma"]),
    "no value": ('{"a":', [":2", "'a'"]),
    "text": ("hello", [":2", "not a JSON object"]),
    "number": ('{"a":1.2.3,"y":"q"}', [":2", "1.2.3"]),
    "escape": ('{"a":1,"y":"\\\\q"}', [":2", "escape"]),
    "surrogate": ('{"a":1,"y":"\\\\ud800"}', [":2", "escape"]),
    "open string": ('{"a":1,"y":"q', [":2", "quote"]),
}


@pytest.mark.parametrize("name", BAD)
def test_broken_lines(tmp_path, name):
    line, needles = BAD[name]
    (tmp_path / "t.ndjson").write_text('{"a":1,"y":"p"}\n' + line.replace("\\\\", "\\") + "\n")
    refused(run("stats", "t.ndjson", "--label", "y", "-o", "o", folder=tmp_path), 1, "t.ndjson", *needles)


@pytest.mark.parametrize("line,needles", [
    ('{"a":[1,{"b":"]"}],"y":"q"}', ["'a'", "list"]), ('{"a":{"b":1},"y":"q"}', ["'a'", "object"]),
    ('{"a":"word","y":"q"}', ["'a'", "'word'", "--family 'a=categorical'"]), ('{"a":1,"y":"q","new":1}', ["'new'"]),
    ('{"a":1,"y":"q"', ["does not end"])])
def test_wrong_values_behind_the_first_look(tmp_path, line, needles):
    good_lines = '{"a":1,"y":"p"}\n' * 12_000
    (tmp_path / "t.ndjson").write_text(good_lines + line + "\n")
    refused(run("stats", "t.ndjson", "--label", "y", "-o", "o", folder=tmp_path), 1, "t.ndjson:12001", *needles)


def test_nested_columns_can_be_left_out(tmp_path):
    (tmp_path / "t.ndjson").write_text('{"a":1,"tags":["x]","y"],"y":"p"}\n{"tags":{"k":[1]},"a":2,"y":"q"}\n')
    refused(run("stats", "t.ndjson", "--label", "y", "-o", "o", folder=tmp_path), 1, "'tags'", "list", "--ignore 'tags'")
    statistics(tmp_path, "t.ndjson", "--ignore", "tags")
    assert good_json("show", "out.stats", folder=tmp_path)["blocks"][0]["mean"] == [[1], [2]]


def test_json_lists_and_empty_files(tmp_path):
    (tmp_path / "t.json").write_text('[{"a":1,"y":"p"}]')
    refused(run("stats", "t.json", "--label", "y", "-o", "o", folder=tmp_path), 1, "t.json", "one object per line")
    for text in ("", "\n\n"):
        (tmp_path / "t.ndjson").write_text(text)
        refused(run("stats", "t.ndjson", "--label", "y", "-o", "o", folder=tmp_path), 1, "t.ndjson")
