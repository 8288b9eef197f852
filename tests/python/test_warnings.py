"""The hints of the command line in Python: the same columns, as warnings, and at the caller's line."""
import warnings

import numpy as np
import pandas as pd
import pytest

import suffice


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    n = 1200
    y = rng.integers(0, 2, n)
    return pd.DataFrame({"soil": rng.choice(rng.choice(np.arange(2702, 8777), 40, False), n), "kind": rng.integers(0, 3, n),
                         "height": rng.normal(2000 + 200 * y, 90).round(), "text": [f"t{i}" for i in range(n)],
                         "row": np.arange(n), "when": pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d"),
                         "city": [f"c{i % 150}" for i in range(n)], "y": np.array(["a", "b"])[y]})


def said(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    assert all(w.category is suffice.SufficeWarning and w.filename == __file__ for w in caught)
    return [str(w.message) for w in caught]


def test_columns_that_were_not_meant_so(table):
    texts = said(lambda: suffice.Statistics.of(table, "y"))
    assert len(texts) == 5 and "--" not in "".join(texts)
    row, codes, text, when, city = texts
    assert "'row' counts the rows" in row and "leave the column 'row' out" in row
    assert "'soil', 'kind'" in codes and "family={'soil': 'categorical', 'kind': 'categorical'}" in codes
    assert "'text' has 1,200 different values in 1,200 rows" in text
    assert "'when' has dates" in when and "'city' has 150 different values" in city


def test_every_edge_that_infers_a_schema(table):
    expected = said(lambda: suffice.Statistics.of(table, "y"))
    assert said(lambda: suffice.Statistics().update(table, "y")) == expected
    small = table[["soil", "kind", "height", "y"]]
    codes = said(lambda: suffice.Statistics.of(small, "y"))
    assert len(codes) == 1
    assert said(lambda: suffice.select(small, "y", covariance="diag")) == codes
    clf = suffice.GenerativeClassifier(covariance="diag")
    assert said(lambda: clf.fit(small.drop(columns="y"), small["y"])) == codes
    array = small.drop(columns="y").to_numpy()
    assert "'x0', 'x1'" in said(lambda: suffice.Statistics.of(array, small["y"]))[0]


def test_a_family_that_is_given_ends_the_hint(table):
    small = table[["soil", "kind", "height", "y"]]
    both = {"soil": "categorical", "kind": "gaussian"}
    assert said(lambda: suffice.Statistics.of(small, "y", family=both)) == []
    assert said(lambda: suffice.select(small, "y", family=both, covariance="diag")) == []
    assert said(lambda: suffice.GenerativeClassifier(family="gaussian", covariance="diag").fit(small[["kind"]], small["y"])) == []
    schema = suffice.Schema.of(small, label="y")
    assert said(lambda: suffice.Statistics(schema).update(small)) == []
    stats = suffice.Statistics.of(small[["soil", "y"]], "y", family={"soil": "categorical"})
    assert said(lambda: stats.update(small[["soil", "y"]])) == []  # only first rows are looked at


def test_the_command_line_names_the_same_columns(table, tmp_path, command_line):
    table.to_csv(tmp_path / "t.csv", index=False)
    done = command_line.run("stats", "t.csv", "--label", "y", "-o", "s", folder=tmp_path)
    lines = [line.partition(": ")[2] for line in done.stderr.decode().splitlines()
             if line.startswith(("warning: ", "hint: "))]
    texts = said(lambda: suffice.Statistics.of(table, "y"))
    assert {line.rpartition("; ")[0] for line in lines} == {text.rpartition("; ")[0] for text in texts}


def test_priors_are_scaled(tmp_path):
    stats = suffice.Statistics.of([[1.0], [2.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    model = stats.estimate(covariance="tied")
    expected = model.posterior([[3.2]], priors=[0.75, 0.25])
    (tmp_path / "p.csv").write_text("class,n\nb,1\na,3\n")
    (tmp_path / "p.json").write_text('{"b": 1, "a": 3}')
    for priors in ([3, 1], {"b": 1, "a": 3}, tmp_path / "p.csv", str(tmp_path / "p.json")):
        texts = said(lambda: np.testing.assert_array_equal(model.posterior([[3.2]], priors=priors), expected))
        assert texts == ["the priors sum to 4 and are scaled to sum to 1"]
    assert suffice.Priors(model, [3, 1]).probabilities.tolist() == [0.75, 0.25]
    with pytest.raises(ValueError, match="sum to 0"):
        suffice.Priors(model, [0, 0])
    (tmp_path / "p.csv").write_text("class,n\nb,1\nq,3\n")
    with pytest.raises(suffice.FileError, match="p.csv:3.*no class 'q'"):
        model.decide([[3.2]], priors=tmp_path / "p.csv")


def test_costs_in_files(tmp_path):
    stats = suffice.Statistics.of([[1.0], [2.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    expected = suffice.Costs(stats, [[0, 1], [7, 0]])
    (tmp_path / "m.csv").write_text("true\\decided,b,a\nb,0,7\na,1,0\n")
    (tmp_path / "l.csv").write_text("truth,decision,price\nb,a,7\n")
    (tmp_path / "c.json").write_text('{"b": {"a": 7}}')
    for name in ("m.csv", "l.csv", "c.json"):
        assert suffice.Costs(stats, tmp_path / name) == expected
        assert stats.estimate(covariance="tied").decide([[2.95]], costs=str(tmp_path / name)).tolist() == ["b"]
    assert stats.estimate(covariance="tied").decide([[2.95]]).tolist() == ["a"]
