"""Names that a person would take for one, and cells that a spreadsheet would take for a formula."""
import unicodedata

import pytest

from program import good, good_json, refused, rows_of, run


def warnings(folder, labels):
    """What stats says of a table with these labels."""
    (folder / "t.csv").write_text("x,y\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels * 3)),
                                  encoding="utf-8")
    done = run("stats", "t.csv", "--label", "y", "-o", "out.stats", folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stderr.decode()


@pytest.mark.parametrize("pair", ["Cat cat", "É é", "Straße STRAßE", "Ωmega ωmega", "Жук жук", "ŁÓDŹ łódź",
                                  unicodedata.normalize("NFC", "Ångström") + " " + unicodedata.normalize("NFD", "Ångström"),
                                  unicodedata.normalize("NFC", "Việt") + " " + unicodedata.normalize("NFD", "VIỆT")])
def test_labels_that_differ_in_case_or_normal_form(tmp_path, pair):
    a, b = pair.split()
    said = warnings(tmp_path, [a, b, "other"])
    assert "warning" in said and "different classes" in said
    assert f"'{min(a, b, key=str.encode)}'" in said and f"'{max(a, b, key=str.encode)}'" in said


@pytest.mark.parametrize("pair", ["cat car", "e é", "a b", "и й", "ø o", "1 2"])
def test_labels_that_are_different(tmp_path, pair):
    assert "different classes" not in warnings(tmp_path, [*pair.split(), "other"])


def test_every_letter_as_python_has_it(tmp_path):
    """All pairs of a letter and its other case or form, each as the levels of one column: the program warns
    of what Python calls equal."""
    letters = [chr(c) for c in (*range(0xc0, 0x180), *range(0x391, 0x3cf), *range(0x400, 0x482), *range(0x1ea0, 0x1efa))
               if unicodedata.category(chr(c)) in ("Lu", "Ll")]
    pairs = []
    for letter in letters:
        for other in {letter.lower(), unicodedata.normalize("NFD", letter), unicodedata.normalize("NFD", letter.lower())}:
            if other != letter and len(unicodedata.normalize("NFC", other)) == 1:
                pairs.append((letter, other))
    assert len(pairs) > 500
    names = [f"c{i}" for i in range(len(pairs))]
    lines = [",".join([pair[k] for pair in pairs] + ["pq"[k]]) for k in (0, 1)]
    (tmp_path / "t.csv").write_text(",".join([*names, "y"]) + "\n" + "\n".join(lines * 3) + "\n", encoding="utf-8")
    said = run("stats", "t.csv", "--label", "y", "-o", "out.stats", folder=tmp_path).stderr.decode()
    missed = [pair for name, pair in zip(names, pairs) if f"'{name}'" not in said]
    assert missed == []


# ---- Spreadsheets

FORMULAS = ["=1+1", "+cmd", "-x", "@SUM(a)", "=HYPERLINK(\"http://a\",\"b\")"]


def test_safe_csv(tmp_path):
    labels = [*FORMULAS, "-1", "+2.5", "plain"]
    cells = ['"' + label.replace('"', '""') + '"' for label in labels]
    (tmp_path / "t.csv").write_text("x,=c,y\n" + "".join(
        f"{100 * i + k},{cells[i]},{cells[i]}\n" for i in range(len(labels)) for k in range(4)))
    good("fit", "t.csv", "--label", "y", "--covariance", "diag", "-o", "m", folder=tmp_path)
    plain = rows_of(good("predict", "m", "t.csv", folder=tmp_path))
    safe = rows_of(good("predict", "m", "t.csv", "--safe-csv", folder=tmp_path))
    assert {row["label"] for row in plain} == set(labels)
    for a, b in zip(plain, safe):
        assert b["label"] == ("'" if a["label"] in FORMULAS else "") + a["label"]
    drawn = rows_of(good("sample", "m", "-n", "50", "--safe-csv", folder=tmp_path))
    assert all(row["y"].lstrip("'") in labels and not row["y"].startswith(("=", "@")) for row in drawn)
    assert all(not cell.startswith(("=", "@")) for row in drawn for cell in (*row, *row.values()))
    numbers = [row["x"] for row in drawn]  # those below 0 stay as they are
    assert numbers == [row["x"] for row in rows_of(good("sample", "m", "-n", "50", folder=tmp_path))]
    assert any(number.startswith("-") for number in numbers)
    refused(run("predict", "m", "t.csv", "--safe-csv", "--json", folder=tmp_path), 2, "--safe-csv", "--json")
    good_json("predict", "m", "t.csv", "--safe-csv", "-o", "out.csv", folder=tmp_path)
    assert "'=1+1" in (tmp_path / "out.csv").read_text()
