"""suffice.fit and GenerativeClassifier.fit: the command line's models from any kind of rows, and what
held-out rows, singular densities and one reading mean, worked out by hand."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import suffice

pandas = pytest.importorskip("pandas")
sklearn_da = pytest.importorskip("sklearn.discriminant_analysis")
LinearDiscriminantAnalysis = sklearn_da.LinearDiscriminantAnalysis


def table(rows=400, seed=7):
    """Numbers, a category and words of groups; some cells are empty."""
    random = np.random.default_rng(seed)
    kind = random.choice(["a", "b", "c"], rows, p=[0.5, 0.3, 0.2])
    shift = np.select([kind == "a", kind == "b"], [0.0, 1.0], 2.0)
    size = random.normal(shift)
    colour = np.where(random.random(rows) < 0.2 + 0.2 * shift, "red", "blue").astype(object)
    colour[random.random(rows) < 0.05] = None
    return pandas.DataFrame({
        "size": size,
        "price": np.exp(random.normal(3 + shift, 1.2)),
        "weight": random.normal(size=rows) + size,
        "colour": colour,
        "person": np.array([f"p{i % 23}" for i in range(rows)]),
        "kind": kind,
    })  # fmt: skip


def read(frame, tmp_path):
    """The frame in a file, and as it is read from there."""
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    return path, pandas.read_csv(path)


#: Options of suffice.fit, and the same as flags.
ASKED = {
    "choice": ({}, []),
    "tied": ({"covariance": "tied"}, ["--covariance", "tied"]),
    "no calibration": ({"calibration": "none"}, ["--calibration", "none"]),
    "calibrated": (
        {"covariance": "full", "calibration": "auto"},
        ["--covariance", "full", "--calibration", "auto"],
    ),
    "tails": ({"covariance": "full", "tails": "auto"}, ["--covariance", "full", "--tails", "auto"]),
    "strength": (
        {"covariance": "full", "shrinkage": "loo"},
        ["--covariance", "full", "--shrinkage", "loo"],
    ),
    "threshold": (
        {"covariance": "tied-diag", "shrink_means": "auto"},
        ["--covariance", "tied-diag", "--shrink-means", "auto"],
    ),
    "columns": (
        {"covariance": "tied", "transforms": "auto", "categories": "auto"},
        ["--covariance", "tied", "--transform", "auto", "--categories", "auto"],
    ),
    "within": (
        {"covariance": "tied", "categories": "within"},
        ["--covariance", "tied", "--categories", "within"],
    ),
    "mixture": (
        {"covariance": "diag", "components": 2, "n_init": 2},
        ["--covariance", "diag", "--components", "2", "--restarts", "2"],
    ),
    "regression": ({"discriminative": True, "penalty": 2}, ["--discriminative", "--penalty", "2"]),
    "groups": ({"groups": "person"}, ["--fold-column", "person"]),
    "calibrated by groups": (
        {"groups": "person", "covariance": "full", "calibration": "auto"},
        ["--fold-column", "person", "--covariance", "full", "--calibration", "auto"],
    ),
    "kept": ({"covariance": "full", "keep": 2}, ["--covariance", "full", "--keep", "2"]),
}


@pytest.mark.parametrize("name", ASKED)
def test_the_model_is_the_command_lines(name, command_line, tmp_path):
    options, flags = ASKED[name]
    frame = table().drop(columns=[] if "groups" in options else ["person"])
    path, frame = read(frame, tmp_path)
    said = command_line.good_json(
        "fit", path, "--label", "kind", *flags, "-o", tmp_path / "m.suffice"
    )
    expected = suffice.Model.load(tmp_path / "m.suffice")
    found = suffice.fit(frame, "kind", **options)
    assert found.model == expected
    assert found.rows == said["rows"] == 400 and found.unlabelled_rows == 0
    assert found.choice == said.get("choice")
    assert found.better_columns == said.get("better_columns")
    if found.calibration is not None:
        for figure in ("folds", "log_loss_before", "log_loss"):
            assert found.calibration[figure] == said["calibration"][figure]
    assert (found.calibration is not None) == ("calibrated" in name)
    assert (found.strength is not None) == (name == "strength")
    assert (found.threshold is not None) == (name == "threshold")
    assert (found.mixture is not None) == (name == "mixture")
    assert bool(found.better_columns) == (
        name in ("choice", "no calibration", "tails", "columns")
    )
    assert suffice.fit(path, "kind", **options).model == expected
    groups = options.get("groups")
    options = {key: value for key, value in options.items() if key != "groups"}
    clf = suffice.GenerativeClassifier(**options).fit(frame, "kind", groups=groups)
    assert clf.model_ == expected and clf.statistics_ == found.statistics
    for attribute in ("choice", "better_columns", "mixture"):
        assert getattr(clf, attribute + "_", None) == getattr(found, attribute)


def test_weights_text_and_named_columns(command_line, tmp_path):
    frame = table()[["size", "weight", "kind"]]
    random = np.random.default_rng(5)
    frame["copies"] = random.integers(0, 4, len(frame)) / 2
    words = {"a": ["sun", "sea"], "b": ["sea", "snow"], "c": ["snow", "ice", "sea"]}
    frame["words"] = [" ".join(random.choice(words[kind], 4)) for kind in frame["kind"]]
    frame["visits"] = random.poisson(1.0 + (frame["kind"] == "b"))
    path, frame = read(frame, tmp_path)
    flags = ["--family", "words=text", "--family", "visits=poisson", "--transform", "size=signed-log:2"]
    command_line.good("fit", path, "--label", "kind", "--weight", "copies", *flags,
                      "--covariance", "full", "-o", tmp_path / "m.suffice")  # fmt: skip
    expected = suffice.Model.load(tmp_path / "m.suffice")
    options = {
        "family": {"words": "text", "visits": "poisson"},
        "transforms": {"size": "signed-log:2"},
        "covariance": "full",
    }
    assert suffice.fit(frame, "kind", "copies", **options).model == expected
    assert suffice.fit(path, "kind", "copies", **options).model == expected
    clf = suffice.GenerativeClassifier(**options).fit(frame, "kind", "copies")
    assert clf.model_ == expected
    # As arrays, and by a schema.
    X = frame.drop(columns=["kind", "copies"])
    by_arrays = suffice.fit(X, frame["kind"], frame["copies"].to_numpy(), **options).model
    np.testing.assert_array_equal(by_arrays.log_likelihood(X), expected.log_likelihood(X))
    schema = suffice.Schema.of(
        frame, options["family"], label="kind", weight="copies", transforms=options["transforms"]
    )
    found = suffice.fit(
        frame, sample_weight="copies", schema=schema, covariance="full", transforms="none"
    )
    assert found.model == expected


def test_sparse_rows(command_line, tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    random = np.random.default_rng(6)
    counts = random.poisson(0.3, (300, 20))
    counts[0, 19] = 1  # so that the file is as wide
    y = random.integers(1, 4, 300)
    with open(tmp_path / "t.libsvm", "w") as file:
        for label, row in zip(y, counts):
            cells = " ".join(f"{j + 1}:{row[j]}" for j in np.flatnonzero(row))
            file.write(f"{label} {cells}\n")
    for flags, options in (([], {}), (["--smoothing", "0.5"], {"smoothing": 0.5})):
        command_line.good("fit", tmp_path / "t.libsvm", "--family", "*=multinomial", *flags,
                          "-o", tmp_path / "m.suffice")  # fmt: skip
        expected = suffice.Model.load(tmp_path / "m.suffice")
        X = sparse.csr_matrix(counts.astype(float))
        for rows in (X, X.tocsc(), counts.astype(float)):
            found = suffice.fit(rows, y, family="multinomial", **options)
            np.testing.assert_allclose(
                found.model.log_likelihood(X), expected.log_likelihood(X), rtol=1e-12
            )
        assert suffice.fit(tmp_path / "t.libsvm", family="multinomial", **options).model == expected


def test_partial_fit_leaves_out_rows_without_a_label():
    frame = table()[["size", "weight", "kind"]]
    X, y = frame.drop(columns="kind"), frame["kind"].to_numpy(object)
    hidden = np.arange(len(y)) % 3 == 0
    partly = np.where(hidden, None, y)
    options = {"covariance": "tied", "unlabelled": "ignore"}
    parts = suffice.GenerativeClassifier(**options)
    for begin in (0, 150):
        end = begin + 150 if begin == 0 else len(y)
        parts.partial_fit(X[begin:end], partly[begin:end])
    whole = suffice.GenerativeClassifier(**options).fit(X, partly)
    shown = suffice.GenerativeClassifier(covariance="tied").fit(X[~hidden], y[~hidden])
    for other in (whole, shown):
        np.testing.assert_allclose(parts.predict_proba(X), other.predict_proba(X), rtol=1e-9)
    with pytest.raises(ValueError, match="unlabelled='use' needs all rows at once"):
        suffice.GenerativeClassifier(unlabelled="use").partial_fit(X, partly)


def test_rows_without_a_label(command_line, tmp_path):
    frame = table().drop(columns="person")
    frame.loc[40:, "kind"] = None
    path, frame = read(frame, tmp_path)
    flags = ["--label", "kind", "--covariance", "tied", "--unlabelled", "use"]
    said = command_line.good_json("fit", path, *flags, "-o", tmp_path / "m.suffice")
    found = suffice.fit(frame, "kind", covariance="tied", unlabelled="use")
    assert (found.rows, found.unlabelled_rows) == (400, 360) == (
        said["rows"], said["unlabelled_rows"]
    )  # fmt: skip
    assert found.mixture["unlabelled_rows"] == 360
    expected = suffice.Model.load(tmp_path / "m.suffice")
    X = frame.drop(columns="kind")
    np.testing.assert_allclose(found.model.posterior(X), expected.posterior(X), atol=1e-9)
    # Of files the reader leaves them out.
    with pytest.warns(suffice.SufficeWarning, match="360 rows have no label"):
        of_file = suffice.fit(path, "kind", covariance="tied")
    assert (of_file.rows, of_file.unlabelled_rows) == (400, 360)
    ignored = suffice.fit(frame, "kind", covariance="tied", unlabelled="ignore")
    first = suffice.fit(frame.head(40), "kind", covariance="tied")
    np.testing.assert_allclose(ignored.model.posterior(X), first.model.posterior(X), rtol=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert suffice.fit(path, "kind", covariance="tied", unlabelled="ignore") .model == of_file.model
    with pytest.raises(ValueError, match="reads files"):
        suffice.fit(path, "kind", covariance="tied", unlabelled="use")


def test_every_kind_of_rows_gives_the_same():
    frame = table(3000)[["size", "price", "weight", "kind"]]
    X, y = frame.drop(columns="kind"), frame["kind"].to_numpy()
    expected = suffice.fit(X.to_numpy(), y)
    scores = expected.model.log_likelihood(X.to_numpy())
    pyarrow = pytest.importorskip("pyarrow")
    arrow = pyarrow.Table.from_pandas(frame)
    for rows, label in [(X, y), (np.asfortranarray(X), y), (frame, "kind"), (arrow, "kind"),
                        (dict(frame), "kind")]:  # fmt: skip
        found = suffice.fit(rows, label)
        np.testing.assert_array_equal(found.model.log_likelihood(X.to_numpy() if len(
            found.model.schema) and found.model.schema._numbered else X), scores)
        assert found.choice == expected.choice


def test_what_can_be_read_only_once():
    """The choice needs one reading; transformations would need a second one."""
    frame = table()[["size", "weight", "kind"]]
    pyarrow = pytest.importorskip("pyarrow")
    arrow = pyarrow.Table.from_pandas(frame)
    expected = suffice.fit(frame, "kind", transforms="none")
    # As few rows as these are in the sample, from which they can be read again.
    assert suffice.fit(arrow.to_reader(100), "kind", transforms="none").model == expected.model
    batches = suffice.fit((frame[i : i + 50] for i in range(0, 400, 50)), "kind", transforms="none")
    assert batches.choice["rows"] == 400
    X = frame.drop(columns="kind")
    np.testing.assert_allclose(batches.model.posterior(X), expected.model.posterior(X), rtol=1e-9)
    pairs = suffice.fit(iter([(X[:200], frame.kind[:200]), (X[200:], frame.kind[200:])]),
                        covariance="tied")  # fmt: skip
    assert pairs.rows == 400
    for options in ({"transforms": "auto"}, {"shrinkage": "loo"}, {"components": 2}):
        with pytest.raises(ValueError, match="reads the rows twice.*RecordBatchReader"):
            suffice.fit(arrow.to_reader(100), "kind", **options)
    with pytest.raises(ValueError, match="no batches"):
        suffice.fit(iter([]), "kind")


def test_sums_alone(command_line, tmp_path):
    path, frame = read(table().drop(columns="person"), tmp_path)
    statistics = suffice.Statistics.of(frame, "kind")
    statistics.save(tmp_path / "t.stats")
    for options, flags in (({}, []), ({"covariance": "tied"}, ["--covariance", "tied"])):
        command_line.good("fit", tmp_path / "t.stats", *flags, "-o", tmp_path / "m.suffice")
        found = suffice.fit(statistics, **options)
        assert found.model == suffice.Model.load(tmp_path / "m.suffice")
        assert found.statistics == statistics and found.choice is None
        by_estimator = suffice.GenerativeClassifier.from_statistics(statistics, **options)
        assert by_estimator.model_ == found.model
    assert any("no rows" in note or "need rows" in note for note in suffice.fit(statistics).notes)
    for options, wish in (
        ({"shrinkage": "loo"}, "shrinkage='loo'"),
        ({"components": 2}, "components"),
        ({"discriminative": True}, "discriminative=True"),
        ({"transforms": "auto"}, "transforms='auto'"),
        ({"calibration": "auto"}, "calibration='auto'"),
    ):
        with pytest.raises(suffice.InvalidArgument, match=f"^{wish} needs the rows again"):
            suffice.fit(statistics, **options)
    with pytest.raises(ValueError, match="y is for rows"):
        suffice.fit(statistics, "kind")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"estimate": "map"},
        {"estimate": "bayes"},
        {"covariance": "full", "target_share": 0.5},
        {"towards_tied": 0.5, "covariance": "full"},
        {"shrinkage": 0},
        {"shrinkage": 0, "covariance": "full"},
    ],
    ids=str,
)
def test_regression_where_densities_are_singular(options, command_line, tmp_path):
    """A column that gives the class away, and one that repeats another, have no density. They only
    say what a missing number is replaced by, so nothing else may depend on how they are shrunk."""
    random = np.random.default_rng(3)
    y = np.arange(60) % 2
    x = random.normal(y, 1.0)
    frame = pandas.DataFrame({"x": x, "twice": 2 * x, "gives": y.astype(float), "y": y})
    clf = suffice.GenerativeClassifier(discriminative=True, penalty=1, **options)
    clf.fit(frame, "y")
    found = clf.model_.logistic
    # scikit-learn's, on the same terms.
    from sklearn.linear_model import LogisticRegression

    X = frame.drop(columns="y").to_numpy()
    if options.get("covariance") != "full":
        scaled = (X - X.mean(axis=0)) / X.std(axis=0)
        peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(scaled, y)
        np.testing.assert_allclose(
            clf.predict_proba(frame.drop(columns="y")), peer.predict_proba(scaled), atol=1e-6
        )
    frame.to_csv(tmp_path / "t.csv", index=False)
    flags = [
        word
        for name, value in options.items()
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    command_line.good("fit", tmp_path / "t.csv", "--label", "y", "--discriminative", "--penalty", "1",
                      *flags, "-o", tmp_path / "m.suffice")  # fmt: skip
    same = suffice.Model.load(tmp_path / "m.suffice").logistic
    np.testing.assert_array_equal(found["weights"], same["weights"])


def test_rows_of_a_group_are_left_out_together():
    """Against linear discriminant analysis, fitted again without each fold: groups are dealt to ten
    folds in turn, as they are met."""
    frame = table()
    X, y = frame[["size", "weight"]].to_numpy(), frame["kind"].to_numpy()
    groups = frame["person"].to_numpy()
    found = suffice.fit(
        X, y, groups=groups, covariance="tied", shrinkage=0, calibration="auto", transforms="none"
    )
    number = {group: i for i, group in enumerate(dict.fromkeys(groups))}
    folds = np.array([number[group] % 10 for group in groups])
    losses = []
    for fold in range(10):
        inside, outside = folds == fold, folds != fold
        model = LinearDiscriminantAnalysis(solver="lsqr").fit(X[outside], y[outside])
        proba = model.predict_proba(X[inside])
        losses += [-np.log(p[list(model.classes_).index(k)]) for p, k in zip(proba, y[inside])]
    assert found.calibration["folds"] == 10 and len(number) == 23
    assert found.calibration["log_loss_before"] == pytest.approx(np.mean(losses), rel=1e-9)
    shares = np.unique(y, return_counts=True)[1] / len(y)
    assert found.calibration["frequency_log_loss"] == pytest.approx(-shares @ np.log(shares), rel=0.02)
    for wrong, message in (
        (groups[:-1], "groups has 399"),
        ("colour", "no name|missing"),
        ("absent", "no column 'absent'"),
    ):
        with pytest.raises(ValueError, match=message):
            suffice.fit(frame, "kind", groups=wrong)
    with pytest.raises(ValueError, match="groups has no effect"):
        suffice.fit(X, y, groups=groups, covariance="tied")
    with pytest.raises(ValueError, match="groups"):
        suffice.fit(X, y, groups=groups, shrinkage="loo")


@pytest.mark.parametrize("kind", ["array", "frame", "batches", "file"])
def test_errors_have_their_place(kind, tmp_path):
    frame = table()[["size", "weight", "kind"]]
    frame.loc[321, "weight"] = np.inf
    X, y = frame.drop(columns="kind"), frame["kind"]
    frame.to_csv(tmp_path / "t.csv", index=False)
    rows, label = {
        "array": (X.to_numpy(), y),
        "frame": (frame, "kind"),
        "batches": (iter([frame[:300], frame[300:]]), "kind"),
        "file": (tmp_path / "t.csv", "kind"),
    }[kind]
    error = suffice.FileError if kind == "file" else suffice.DataError
    with pytest.raises(error) as caught:
        suffice.fit(rows, label)
    if kind == "file":
        assert caught.value.line == 323 and "'weight'" in str(caught.value)
    else:
        assert caught.value.row == 321 and caught.value.feature in ("weight", "x1")


def test_progress_and_what_it_raises():
    random = np.random.default_rng(2)
    X, y = random.normal(size=(2000, 40)), np.arange(2000) % 4
    told = []
    suffice.fit(X, y, progress=lambda what, share: told.append((what, share)))
    assert "choosing a model" in {what for what, _ in told}
    assert all(0 <= share <= 1 for _, share in told)

    def stop(what, share):
        raise RuntimeError(what)

    with pytest.raises(RuntimeError, match="choosing a model|reading"):
        suffice.fit(X, y, progress=stop)


def test_the_value():
    frame = table().drop(columns="person")
    found = suffice.fit(frame, "kind", components="auto", n_init=1)
    again = pickle.loads(pickle.dumps(found))
    assert again.model == found.model and again.statistics == found.statistics
    assert again.choice == found.choice and again.mixture == found.mixture
    chosen = found.choice["candidates"][found.choice["chosen"]]
    assert chosen["log_loss"] == found.choice["log_loss"] < found.choice["prior_log_loss"]
    text = repr(suffice.fit(frame, "kind"))
    assert text.startswith("Fit to 400 rows\nModel of ") and "class frequencies alone" in text
    with pytest.raises(AttributeError):
        found.model = None
    # The same rows on any number of threads.
    one, three = (suffice.fit(frame, "kind", n_jobs=n) for n in (1, 3))
    assert one.model == three.model and one.choice == three.choice


def test_classes_keep_their_values():
    X = np.random.default_rng(0).normal(size=(60, 2))
    for values in ([3, 1, 2], [True, False], ["b", "a"], [2.5, -1.0]):
        y = np.array(values)[np.arange(60) % len(values)]
        found = suffice.fit(X, y, covariance="diag")
        assert set(found.model.decide(X)) <= set(values)
        assert found.model.classes_.dtype == found.statistics.classes_.dtype == y.dtype
    with pytest.raises(ValueError, match="different kinds"):
        suffice.fit(iter([(X, [1, 2] * 30), (X, ["a", "b"] * 30)]), covariance="diag")


def test_what_is_refused():
    X, y = np.arange(12.0).reshape(6, 2), list("aaabbb")
    for options, message in [
        ({"calibration": "yes"}, "calibration='yes'"),
        ({"unlabelled": "maybe"}, "unlabelled='maybe'"),
        ({"categories": "inside"}, "categories='inside'"),
        ({"transforms": "log"}, "transforms='log'"),
        ({"missing": "some"}, "missing is 'some'"),
        ({"covariance": "round"}, "covariance"),
        ({"schema": {"x0": "gaussian", "x1": "gaussian"}, "family": "poisson"}, "give no schema"),
        ({"penalty": 3}, "penalty is for logistic regression"),
        ({"covariance": "diag", "missing": "em"}, "missing='em' is for full and tied"),
    ]:
        with pytest.raises(ValueError, match=message):
            suffice.fit(X, y, **options)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        suffice.fit(X, y, colour="red")
    with pytest.raises(ValueError, match="y is missing"):
        suffice.fit(X)
