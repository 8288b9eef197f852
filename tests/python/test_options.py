"""Every option of the engine's table is known at every edge: Python, the command line, files."""

import inspect
import sys
import pathlib
import re
import runpy

import pytest

import suffice
from suffice import _core, _options
from suffice.classifier import GenerativeClassifier

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = {row["name"]: row for row in _core.estimate_options()}
MODEL = {name: row for name, row in TABLE.items() if row["in_grids"]}
#: A value of each that is not the default, and what goes with it.
OTHER = {
    "keep": ("2", {}),
    "keep_above": ("5.5", {}),
    "pca": ("1", {}),
    "standardize": ("yes", {"pca": "1"}),
    "lda": ("1", {}),
    "covariance": ("tied", {}),
    "components": ("2", {}),
    "discriminative": ("yes", {"penalty": "1"}),
    "penalty": ("0.5", {"discriminative": "yes"}),
    "shrinkage": ("0.25", {}),
    "target": ("spherical", {"shrinkage": "0.5"}),
    "target_share": ("0.5", {}),
    "towards_tied": ("0.5", {}),
    "pooling": ("1,2,1", {"covariance": "tied"}),
    "tails": ("8", {}),
    "shrink_means": ("1.5", {"covariance": "tied-diag"}),
    "estimate": ("bayes", {}),
    "normalize": ("unbiased", {"shrinkage": "0"}),
    "smoothing": ("0.5", {}),
    "event_model": ("complement", {}),
    "min_rows": ("2", {}),
    "max_words": ("10", {}),
    "idf": ("yes", {}),
    "length_power": ("0.5", {}),
}


def test_the_table_of_this_test_is_complete():
    assert set(OTHER) == set(TABLE)


@pytest.mark.parametrize("function, names, lists", [
    (suffice.Statistics.estimate, TABLE, False),
    (GenerativeClassifier, MODEL, False),
    (suffice.select, MODEL, True),
])
def test_signatures(function, names, lists):
    parameters = inspect.signature(function).parameters
    assert set(names) <= set(parameters)
    for name, row in names.items():
        default = parameters[name].default
        if function is GenerativeClassifier and name == "covariance":
            assert default == "auto"
        elif lists or row["default"] == "none" or (function is GenerativeClassifier and row["is_chosen"]):
            assert default is None
        elif row["values"] == "no|yes":
            assert default is (row["default"] == "yes")
        else:
            assert default == type(default)(row["default"])


@pytest.mark.parametrize("function", [suffice.Statistics.estimate, GenerativeClassifier])
def test_docstrings(function):
    words = " ".join(function.__doc__.split())
    for name in MODEL:
        assert f"{name} : " in words and MODEL[name]["description"] in words


def test_the_source_of_the_estimator_has_them():
    """For editors, grep and help: as script/signatures writes them."""
    source = inspect.getsource(sys.modules["suffice.classifier"])
    for name in MODEL:
        assert f"\n        {name}: " in source and f"\n        self.{name} = {name}\n" in source
    written = runpy.run_path(str(ROOT / "script/signatures"))["written"]
    whole = (ROOT / "python/suffice/classifier.py").read_text(encoding="utf-8")
    assert written(whole) == whole


def test_types():
    """Those that mypy sees."""
    single = {**_options.ModelOptions.__annotations__, **_options.EstimateOptions.__annotations__}
    assert set(single) == set(TABLE)
    assert set(_options.GridOptions.__annotations__) == set(MODEL)


def test_unknown_options_are_refused():
    stats = suffice.Statistics.of([[1.0], [2.0], [6.0], [8.0]], list("aabb"))
    for call in (stats.estimate, GenerativeClassifier, lambda **o: suffice.select([[1.0]], [0], **o)):
        with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
            call(colour="red")


@pytest.mark.parametrize("verb", ["fit", "select"])
def test_help(command_line, verb):
    text = command_line.good(verb, "--help")
    text = " ".join((text.decode() if isinstance(text, bytes) else text).split())
    for name, row in MODEL.items():
        assert f"--{name.replace('_', '-')} " in text
        assert row["description"] in text


#: test_logistic.py has those that sums cannot serve.
OF_SUMS = [name for name in TABLE if name not in ("components", "discriminative", "penalty")]


@pytest.mark.parametrize("name", OF_SUMS)
def test_models_keep_it(command_line, example_data, tmp_path, name):
    """From Python and from the command line, through a file, to `options` and `show --json`."""
    text, beside = OTHER[name]
    stats = suffice.Statistics.load(made(command_line, example_data, tmp_path))
    model = stats.estimate(**{**beside, name: text.split(",") if name == "pooling" else text})
    model.save(tmp_path / "a.suffice")
    assert suffice.Model.load(tmp_path / "a.suffice") == model
    assert str(model.options[name]) == text
    shown = command_line.good_json("show", tmp_path / "a.suffice")["options"]
    assert shown[name] == text or shown[name] == float(text)
    if name not in MODEL:
        return
    flags = [word for key, value in {**beside, name: text}.items()
             for word in (f"--{key.replace('_', '-')}", value)]
    command_line.good("fit", tmp_path / "iris.stats", *flags, "-o", tmp_path / "b.suffice")
    assert (tmp_path / "a.suffice").read_bytes() == (tmp_path / "b.suffice").read_bytes()


@pytest.mark.parametrize("name", MODEL)
def test_lists(command_line, example_data, tmp_path, name):
    """One candidate per value, under the same name, from both edges."""
    text, beside = OTHER[name]
    values = [TABLE[name]["default"], text] if name != "target" else ["diag", text]
    lists = {**{key: [value] for key, value in beside.items()}, name: values}
    words = [word for key, texts in lists.items()
             for word in (f"--{key.replace('_', '-')}", ",".join(texts))]
    by_line = command_line.good_json(
        "select", example_data / "iris.csv", "--label", "species", "--folds", "2", *words,
        "-o", tmp_path / "m.suffice")["candidates"]
    table = suffice.Statistics.load(made(command_line, example_data, tmp_path))
    assert table.labels == ("setosa", "versicolor", "virginica")
    seen = [str(one["options"].get(name, TABLE[name]["default"])) for one in by_line]
    if name in ("smoothing", "event_model", "min_rows", "max_words", "idf", "length_power"):  # no effect on numbers
        assert len(seen) == 1
    else:
        assert [re.sub(r"\.0$", "", value) for value in seen] == values


def made(command_line, example_data, folder):
    path = folder / "iris.stats"
    command_line.good("stats", example_data / "iris.csv", "--label", "species", "-o", path)
    return path
