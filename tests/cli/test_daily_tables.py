"""Tables as people have them: an id, the index of a data frame, booleans of several writers."""
from program import good, good_json, rows_of


def test_kept_columns_come_first(tmp_path):
    """Text as it is written, numbers of the model as numbers, missing cells empty."""
    (tmp_path / "t.csv").write_text("id,x,y,paid\n007,1,a,True\n,2.50,a,no\n\"x,9\",3,b,\n010,5,b,yes\n")
    good("fit", "t.csv", "--label", "y", "--features", "x", "--covariance", "tied", "-o", "m", folder=tmp_path)
    rows = rows_of(good("predict", "m", "t.csv", "--keep", "id,pai*,x", folder=tmp_path))
    assert list(rows[0]) == ["id", "x", "paid", "label"]
    assert [row["id"] for row in rows] == ["007", "", "x,9", "010"]
    assert [row["x"] for row in rows] == ["1", "2.5", "3", "5"]
    assert [row["paid"] for row in rows] == ["True", "no", "", "yes"]
    answer = good_json("predict", "m", "t.csv", "--keep", "id", folder=tmp_path)
    assert [row[0] for row in answer["rows"]] == ["007", None, "x,9", "010"]


def test_digits(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,a\n3,b\n5,b\n")
    good("fit", "t.csv", "--label", "y", "--covariance", "tied", "-o", "m", folder=tmp_path)
    full, three = [rows_of(good("predict", "m", "t.csv", "--output", "proba,logpx", "--digits", digits,
                                folder=tmp_path)) for digits in ("full", "3")]
    for row, short in zip(full, three):
        for name in ("proba:a", "proba:b", "logpx"):
            assert short[name] == f"{float(row[name]):.3g}"


def test_the_index_of_a_frame_is_left_out(tmp_path):
    """As pandas and R write it; a flag that names it takes it."""
    (tmp_path / "plain.csv").write_text("x,y\n1,a\n2,a\n3,b\n5,b\n")
    (tmp_path / "index.csv").write_text(",x,y\n0,1,a\n1,2,a\n2,3,b\n3,5,b\n")
    for name in ("plain", "index"):
        good("fit", f"{name}.csv", "--label", "y", "-o", name, folder=tmp_path)
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "index").read_bytes()
    assert "1 column left out: 'Unnamed: 0'" in good("fit", "index.csv", "--label", "y", "-o", "m",
                                                   folder=tmp_path)
    good("fit", "index.csv", "--label", "y", "--features", "Unnamed: 0", "-o", "m", folder=tmp_path)
    assert good_json("show", "m", folder=tmp_path)["blocks"][0]["features"] == ["Unnamed: 0"]


def test_booleans_have_one_spelling(tmp_path):
    """Python writes True, R writes TRUE, typed files have true."""
    text = "f,y\n{t},a\n{t},a\n{f},b\n{t},b\n{f},b\n"
    for name, t, f in (("python", "True", "False"), ("r", "TRUE", "FALSE"), ("plain", "true", "false")):
        (tmp_path / f"{name}.csv").write_text(text.format(t=t, f=f))
        good("fit", f"{name}.csv", "--label", "y", "-o", name, folder=tmp_path)
        assert (tmp_path / name).read_bytes() == (tmp_path / "python").read_bytes()
    answers = [good("predict", "python", f"{name}.csv", "--output", "loglik", folder=tmp_path)
               for name in ("python", "r", "plain")]
    assert answers[0] == answers[1] == answers[2]
