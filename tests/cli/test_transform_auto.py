"""fit --transform auto: signed logarithms where they predict better, and what fit reports about them."""
import gzip
import math

import numpy as np
import pytest

from program import good, good_json, refused, rows_of, run

AUTO = ["--covariance", "auto"]


def table(path, rows=500, seed=1):
    """Two log-normal columns, one with zeros and both signs, a normal one and one of words."""
    random = np.random.default_rng(seed)
    lines = ["price,debt,age,town,kind"]
    for i in range(rows):
        k = i % 2
        price = math.exp(3 + k + 1.2 * random.normal())
        debt = 0 if random.random() < 0.3 else math.copysign(math.exp(k + 1.5 * random.normal()), random.normal())
        lines.append(f"{price:.6g},{debt:.6g},{30 + 4 * k + 5 * random.normal():.5g},{'uvw'[i % 3]},{'ab'[k]}")
    path.write_text("\n".join(lines) + "\n")
    return path


def transforms(said):
    return {column["name"]: column.get("transform") for column in said["columns"]}


def fitted(*words, folder, **keywords):
    said = good_json("fit", *words, "--label", "kind", "-o", folder / "m.suffice", **keywords)
    return said, (folder / "m.suffice").read_bytes()


@pytest.mark.parametrize("rows", [500, 3000])  # all rows are sampled, or the file is read again
def test_logarithms_are_found(rows, tmp_path):
    said, _ = fitted(table(tmp_path / "t.csv", rows), *AUTO, folder=tmp_path)
    assert transforms(said)["price"].startswith("signed-log:")
    assert transforms(said)["town"] is None
    better = said["better_columns"]
    assert better["log_loss"] == said["choice"]["log_loss"] < better["log_loss_before"]
    plain, _ = fitted(tmp_path / "t.csv", *AUTO, "--transform", "none", folder=tmp_path)
    assert better["log_loss_before"] == plain["choice"]["log_loss"]
    assert "better_columns" not in plain and set(transforms(plain).values()) == {None}
    text = good("fit", tmp_path / "t.csv", "--label", "kind", *AUTO, "--verbose", "-o", tmp_path / "m.suffice")
    [line] = [line for line in text.splitlines() if "signed logarithm" in line]
    assert "of 3 columns of numbers" in line and "instead of" in line
    options = [line for line in text.splitlines() if line.startswith("Options: covariance ")]
    assert options == [line for line in good("show", tmp_path / "m.suffice", "--verbose").splitlines()
                       if line.startswith("Options: ")]
    found = [f"'{name}={transform}'" for name, transform in transforms(said).items() if transform]
    assert options[0].endswith(f", transform {', '.join(found)}")
    assert "signed-log:" in text and "signed-log(price" in good("show", tmp_path / "m.suffice")


def test_columns_transformed_by_hand_give_the_same_answers(tmp_path):
    path = table(tmp_path / "t.csv")
    said, _ = fitted(path, *AUTO, folder=tmp_path)
    answers = rows_of(good("predict", tmp_path / "m.suffice", path, "--output", "proba,loglik", "--digits", "full"))
    rows, shift = rows_of(path.read_text()), np.zeros(500)
    for name, transform in transforms(said).items():
        if transform:
            scale = float(transform.partition(":")[2] or 1)
            for i, row in enumerate(rows):
                x = float(row[name])
                row[name] = repr(math.copysign(math.log1p(abs(x) / scale), x))
                shift[i] -= math.log(scale + abs(x))  # log of the derivative 1/(s + |x|)
    hand = tmp_path / "hand.csv"
    hand.write_text("\n".join(",".join(line) for line in [list(rows[0]), *map(dict.values, rows)]) + "\n")
    fitted(hand, *AUTO, "--transform", "none", folder=tmp_path)
    expected = rows_of(good("predict", tmp_path / "m.suffice", hand, "--output", "proba,loglik", "--digits", "full"))
    for label in "ab":
        found, wanted = (np.array([float(row[f"proba:{label}"]) for row in of]) for of in (answers, expected))
        assert np.allclose(found, wanted, rtol=0, atol=1e-9)
        found, wanted = (np.array([float(row[f"loglik:{label}"]) for row in of]) for of in (answers, expected))
        assert np.allclose(found, wanted + shift, rtol=1e-9, atol=1e-9)


def test_threads_files_packing_and_pipes_change_nothing(tmp_path):
    path = table(tmp_path / "t.csv", 5000)
    expected = fitted(path, *AUTO, folder=tmp_path)
    assert expected[0]["better_columns"]
    header, *rows = path.read_text().splitlines(keepends=True)
    folder = tmp_path / "parts"
    folder.mkdir()
    for k, (first, last) in enumerate(((0, 7), (7, 4000), (4000, 5000))):
        with gzip.open(folder / f"{k}.csv.gz", "wt") as part:
            part.writelines([header, *rows[first:last]])
    for words in ((path, "--threads", "1"), (path, "--threads", "3"), (folder, "--threads", "2")):
        said, model = fitted(*words, *AUTO, folder=tmp_path)
        assert said["better_columns"] == expected[0]["better_columns"]
        assert model == expected[1]
    small = table(tmp_path / "small.csv", 600)
    assert fitted(small, *AUTO, folder=tmp_path)[1] == fitted(
        "-", "--format", "csv", *AUTO, folder=tmp_path, input=small.read_bytes())[1]


def test_formats_change_nothing(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    random = np.random.default_rng(3)
    k = np.arange(4000) % 2
    x = np.exp(0.7 * k[:, None] + 1.5 * random.normal(size=(4000, 3))).round(4) * (random.random((4000, 3)) < 0.5)
    lines = [",".join(map(repr, map(float, row))) + f",{c}" for row, c in zip(x, k)]
    (tmp_path / "t.csv").write_text("\n".join(["x0,x1,x2,kind", *lines]) + "\n")
    parquet.write_table(arrow.table({"x0": x[:, 0], "x1": x[:, 1], "x2": x[:, 2], "kind": k}),
                        tmp_path / "t.parquet")
    sparse = (" ".join([str(c), *(f"{j + 1}:{float(v)!r}" for j, v in enumerate(row) if v)]) for row, c in zip(x, k))
    (tmp_path / "t.svm").write_text("\n".join(sparse) + "\n")
    expected, model = fitted(tmp_path / "t.csv", *AUTO, folder=tmp_path)
    assert expected["better_columns"]
    for name in ("t.parquet", "t.svm"):
        said, other = fitted(tmp_path / name, *AUTO, folder=tmp_path)
        assert said["better_columns"] == expected["better_columns"] and other == model


def test_what_is_named_stays(tmp_path):
    path = table(tmp_path / "t.csv")
    said, _ = fitted(path, *AUTO, "--transform", "debt=signed-log:2", folder=tmp_path)
    assert transforms(said) == {"price": None, "debt": "signed-log:2", "age": None, "town": None}
    said, _ = fitted(path, *AUTO, "--transform", "auto", "--transform", "debt=signed-log:2,age=none",
                     folder=tmp_path)
    assert transforms(said)["price"].startswith("signed-log:")
    assert transforms(said) | {"price": ""} == {"price": "", "debt": "signed-log:2", "age": None, "town": None}
    said, _ = fitted(path, *AUTO, "--transform", "price=auto", folder=tmp_path)
    assert transforms(said)["price"].startswith("signed-log:")
    assert transforms(said)["debt"] is None


def test_a_covariance_that_is_named_keeps_columns_unless_asked(tmp_path):
    path = table(tmp_path / "t.csv")
    said, plain = fitted(path, "--covariance", "tied", folder=tmp_path)
    assert set(transforms(said).values()) == {None}
    said, _ = fitted(path, "--covariance", "tied", "--transform", "auto", folder=tmp_path)
    found = {name: transform for name, transform in transforms(said).items() if transform}
    assert found["price"].startswith("signed-log:")
    assert said["options"]["covariance"] == "tied" and "choice" not in said and "calibration" not in said
    flags = [word for name, transform in found.items() for word in ("--transform", f"{name}={transform}")]
    _, model = fitted(path, "--covariance", "tied", "--transform", "auto", folder=tmp_path)
    assert model == fitted(path, "--covariance", "tied", *flags, folder=tmp_path)[1] != plain


def test_a_long_pipe_cannot_be_read_twice(tmp_path):
    rows = table(tmp_path / "t.csv", 3000).read_bytes()
    words = ("fit", "-", "--label", "kind", "-o", tmp_path / "m.suffice", *AUTO)
    result = run(*words, input=rows)
    assert result.returncode == 0 and b"--transform" not in result.stderr
    assert "signed-log" not in good("show", tmp_path / "m.suffice")
    result = run(*words, "--transform", "auto", input=rows)
    assert result.returncode == 0 and b"--transform auto reads the rows a second time" in result.stderr


@pytest.mark.parametrize("words, needles", [
    (["stats", "t.csv", "--transform", "auto", "-o", "s.stats"], ["--transform auto is for fit"]),
    (["select", "t.csv", "--transform", "price=auto", "-o", "m"], ["--transform auto is for fit"]),
    (["fit", "t.csv", "--transform", "auto", "--covariance", "full", "--shrinkage", "loo", "-o", "m"],
     ["--shrinkage loo", "--transform auto"]),
    (["fit", "t.csv", "--transform", "auto", "--like", "x.suffice", "-o", "m"], ["--like", "'x.suffice'"]),
    (["fit", "t.csv", "--transform", "automatic", "-o", "m"], ["auto, none or COLUMN=TRANSFORMATION"])])
def test_contradictions(words, needles, tmp_path):
    table(tmp_path / "t.csv")
    refused(run(*words, "--label", "kind", folder=tmp_path), 2, *needles)


def test_columns_that_have_no_logarithm(tmp_path):
    path = table(tmp_path / "t.csv", 300)
    header, *lines = path.read_text().splitlines()
    odd = [f"{i == 7:d},5,{'' if i % 3 else 1e140 if i == 9 else 1e-140 * (i % 2)}" for i in range(300)]
    path.write_text("\n".join(["single,same,wide," + header, *(f"{a},{b}" for a, b in zip(odd, lines))]) + "\n")
    said, _ = fitted(path, *AUTO, folder=tmp_path)
    assert transforms(said)["single"] is None and transforms(said)["same"] is None
    assert transforms(said)["price"].startswith("signed-log:")
    good("predict", tmp_path / "m.suffice", path)
    path.write_text(path.read_text() + "0,5,1,inf,1,30,u,a\n")
    refused(run("fit", path, "--label", "kind", *AUTO, "-o", tmp_path / "m.suffice"), 1, "inf", "'price'")
