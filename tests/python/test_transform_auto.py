"""GenerativeClassifier(transforms="auto"): the command line's transformations, from any kind of table."""
import numpy as np
import pandas
import pytest

import suffice


def frame(rows=600, seed=5):
    random = np.random.default_rng(seed)
    k = np.arange(rows) % 2
    return pandas.DataFrame({"price": np.exp(3 + k + 1.2 * random.normal(size=rows)),
                             "age": 30 + 4 * k + 5 * random.normal(size=rows),
                             "kind": np.array(["a", "b"])[k]})


@pytest.mark.parametrize("rows", [600, 3000])
def test_the_columns_are_the_command_lines(rows, command_line, tmp_path):
    table = frame(rows)
    table.to_csv(tmp_path / "t.csv", index=False)
    said = command_line.good_json("fit", tmp_path / "t.csv", "--label", "kind", "--covariance", "auto",
                                  "-o", tmp_path / "m.suffice")
    clf = suffice.GenerativeClassifier(covariance="auto").fit(pandas.read_csv(tmp_path / "t.csv"), "kind")
    assert clf.better_columns_ == said["better_columns"]
    assert clf.choice_ == said["choice"]
    assert clf.schema_.transforms["price"].startswith("signed-log:")
    assert clf.model_ == suffice.Model.load(tmp_path / "m.suffice")


def test_columns_transformed_by_hand_give_the_same_answers():
    table = frame()
    X, y = table[["price", "age"]].to_numpy(), table["kind"]
    clf = suffice.GenerativeClassifier(covariance="auto").fit(X, y)
    Z = X.copy()
    for name, transform in clf.schema_.transforms.items():
        j, scale = int(name[1:]), float(transform.partition(":")[2] or 1)
        Z[:, j] = np.sign(X[:, j]) * np.log1p(np.abs(X[:, j]) / scale)
    hand = suffice.GenerativeClassifier(covariance="auto", transforms="none").fit(Z, y)
    assert clf.schema_.transforms and not hand.schema_.transforms
    assert np.allclose(clf.predict_proba(X), hand.predict_proba(Z), atol=1e-9)


def test_what_is_named_stays():
    X, y = frame().drop(columns="kind"), frame()["kind"]
    fit = lambda transforms, **options: suffice.GenerativeClassifier(
        transforms=transforms, **options).fit(X, y).schema_.transforms
    auto = {"covariance": "auto"}
    assert fit("none", **auto) == {} == fit(None, covariance="tied")
    assert fit({"age": "log"}, **auto) == {"age": "log"}
    both = fit({"*": "auto", "age": "log"}, **auto)
    assert both["age"] == "log" and both["price"].startswith("signed-log:")
    assert fit("auto", covariance="tied")["price"].startswith("signed-log:")
    assert "age" not in fit({"price": "auto"}, **auto)


def test_a_named_model_is_not_chosen():
    X, y = frame().drop(columns="kind"), frame()["kind"]
    clf = suffice.GenerativeClassifier(transforms="auto", covariance="tied").fit(X, y)
    by_hand = suffice.GenerativeClassifier(transforms=clf.schema_.transforms, covariance="tied").fit(X, y)
    assert clf.model_ == by_hand.model_
    assert not hasattr(clf, "choice_") and clf.better_columns_["log_loss"] > 0


def test_what_cannot_be():
    X, y = frame().drop(columns="kind"), frame()["kind"]
    with pytest.raises(ValueError, match='give "auto", "none", or a mapping'):
        suffice.GenerativeClassifier(transforms="log").fit(X, y)
    with pytest.raises(ValueError, match="transforms='auto' needs all rows at once"):
        suffice.GenerativeClassifier(transforms="auto").partial_fit(X, y)
    with pytest.raises(ValueError, match="transforms='auto' reads the rows twice"):
        suffice.GenerativeClassifier(transforms="auto").fit(iter([(X, y)]), None)
    clf = suffice.GenerativeClassifier(covariance="auto").fit(X, y)
    clf.fit(X[["age"]], y)
    assert not hasattr(clf, "better_columns_")
