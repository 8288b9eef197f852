"""Schema: what the columns mean."""
from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import suffice
from suffice import Schema, Statistics


def test_families_blocks_and_label():
    schema = Schema({"age": "gaussian", "sex": "categorical", "size": "gaussian"}, label="class")
    assert len(schema) == 3
    assert schema.names == ["age", "sex", "size"]
    assert schema.families == {"age": "gaussian", "sex": "categorical", "size": "gaussian"}
    assert schema.blocks == [("gaussian", ["age", "size"]), ("categorical", ["sex"])]
    assert schema.label == "class" and Schema({"a": "poisson"}).label is None
    apart = Schema(schema.families, blocks=[["sex"], ["age"], ["size"]])
    assert apart.blocks == [("categorical", ["sex"]), ("gaussian", ["age"]), ("gaussian", ["size"])]
    assert apart != schema


def test_levels_that_are_known_to_exist():
    schema = Schema({"c": "categorical", "x": "gaussian"}, levels={"c": ["no", "yes"]})
    assert schema.levels == {"c": ["no", "yes"]}
    stats = Statistics.of({"c": ["yes", "yes"], "x": [1.0, 2.0]}, [0, 0], schema=schema)
    assert stats.blocks[0]["levels"] == [["no", "yes"]]
    assert stats.blocks[0]["count"][0].tolist() == [[0, 2]]


@pytest.mark.parametrize("families, options, words", [
    ({"a": "normal"}, {}, "famil"),
    ({}, {}, "feature"),
    ({"": "gaussian"}, {}, "name"),
    ({"a": "gaussian"}, {"label": "a"}, "cannot be both a feature and the label"),
    ({"a": "gaussian"}, {"blocks": [["b"]]}, "blocks: there is no feature 'b'"),
    ({"a": "gaussian", "b": "poisson"}, {"blocks": [["a", "b"]]}, "block"),
    ({"a": "gaussian", "b": "gaussian"}, {"blocks": [["a"]]}, "b"),
    ({"a": "gaussian"}, {"levels": {"b": ["x"]}}, "levels: there is no feature 'b'"),
])
def test_schemas_that_cannot_be(families, options, words):
    with pytest.raises(ValueError) as caught:
        Schema(families, **options)
    assert words in str(caught.value)


def test_equal_hashed_copied_and_pickled():
    families = {"a": "gaussian", "b": "categorical", "c": "gaussian"}
    schema = Schema(families, blocks=[["c"], ["b"], ["a"]], label="y", levels={"b": ["u", "v"]})
    twin = Schema(families, blocks=[["c"], ["b"], ["a"]], label="y", levels={"b": ["u", "v"]})
    assert schema == twin and hash(schema) == hash(twin) and len({schema, twin}) == 1
    for other in (copy.copy(schema), copy.deepcopy(schema), pickle.loads(pickle.dumps(schema))):
        assert other == schema
    assert schema != Schema(families) and schema != 3
    assert eval(repr(schema), {"Schema": Schema}) == schema
    assert "… 12 more" in repr(Schema({f"f{j}": "poisson" for j in range(20)}))


def test_inferred_from_data():
    assert Schema.of(np.zeros((2, 2))).families == {"x0": "gaussian", "x1": "gaussian"}
    mixed = {"n": [1, 2], "t": ["a", "b"], "b": [True, False], "y": [0, 1], "w": [1.0, 1.0]}
    schema = Schema.of(mixed, label="y", weight="w")
    assert schema.families == {"n": "gaussian", "t": "categorical", "b": "categorical"}
    assert schema.label == "y"
    assert set(Schema.of(mixed, "categorical").families.values()) == {"categorical"}
    # The last rule that fits counts, as on the command line.
    rules = {"*": "gaussian", "?": "categorical", "n": "poisson"}
    assert Schema.of(mixed, rules).families["n"] == "poisson"
    assert Schema.of(mixed, {"n": "poisson", "*": "categorical"}).families["n"] == "categorical"
    named = {"a[0]": [1.0], "a0": [1.0]}
    assert Schema.of(named, {"a[*": "poisson"}).families == {"a[0]": "poisson", "a0": "gaussian"}
    with pytest.raises(ValueError, match="X has no column 'q'"):
        Schema.of(mixed, label="q")


def test_a_mapping_is_a_schema():
    assert Statistics({"a": "poisson"}).schema == Schema({"a": "poisson"})
    with pytest.raises(ValueError, match="Schema or a mapping"):
        Statistics(["a"])


def test_statistics_and_models_have_it():
    schema = Schema({"a": "gaussian"}, label="y")
    stats = Statistics(schema).update([[1.0], [2.0]], [0, 0])
    assert stats.schema == schema == stats.estimate().schema


def test_errors_are_value_errors():
    assert issubclass(suffice.Error, ValueError)
    assert issubclass(suffice.InvalidArgument, suffice.Error)
    assert issubclass(suffice.DataError, suffice.Error)
    assert issubclass(suffice.SingularError, suffice.Error)
    assert issubclass(suffice.FileError, OSError)
