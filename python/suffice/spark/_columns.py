"""Columns of Spark frames: their types as kinds, and what is selected for the executors."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import functions as F
from pyspark.sql import types as T

from .._data import matched
from .._partials import Header, Plan, vector_features, with_vector_blocks
from .._schema import Schema, schema_of
from .._source import Kind, listed, not_numbers, require_distinct, unsupported

#: The column that a hash of the key is put in.
FOLD = "suffice fold"


def named(name: str) -> Any:
    """The column of this very name, which may have dots."""
    return F.col("`" + name.replace("`", "``") + "`")


def is_vector(kind: Any) -> bool:
    if isinstance(kind, T.ArrayType):
        return isinstance(kind.elementType, T.NumericType)
    return type(kind).__name__ == "VectorUDT"


def kind_of(name: str, kind: Any) -> Kind:
    """What a column holds. Raises ValueError for a type that no family describes."""
    if isinstance(kind, (T.NumericType, T.NullType)):
        return "number"
    if isinstance(kind, T.BooleanType):
        return "bool"
    if isinstance(kind, (T.StringType, T.CharType, T.VarcharType)):
        return "name"
    raise unsupported(name, kind.simpleString())


def kind_of_label(name: str, kind: Any) -> str:
    """What the values of a column of classes are."""
    if isinstance(kind, T.IntegralType):
        return "int"
    if isinstance(kind, T.NumericType):
        return "float"
    if isinstance(kind, T.BooleanType):
        return "bool"
    if isinstance(kind, (T.StringType, T.CharType, T.VarcharType)):
        return "str"
    raise ValueError(
        f"the label '{name}' has the type {kind.simpleString()}; cast it to a string or a number"
    )


def expression(field: Any) -> Any:
    """The column as executors get it: vectors as arrays, decimals as doubles."""
    column = named(field.name)
    if type(field.dataType).__name__ == "VectorUDT":
        from pyspark.ml.functions import vector_to_array

        column = vector_to_array(column)
    elif isinstance(field.dataType, T.ArrayType):
        column = column.cast("array<double>")
    elif isinstance(field.dataType, T.DecimalType):
        column = column.cast("double")
    return column.alias(field.name)


class Frame:
    """A Spark frame, whose columns are looked at by name and type alone."""

    def __init__(self, df: Any) -> None:
        fields = getattr(getattr(df, "schema", None), "fields", None)
        if fields is None:
            raise ValueError(f"df must be a data frame of Spark, not {type(df).__name__}")
        self.df = df
        self.names = require_distinct([field.name for field in fields])
        self.fields = {field.name: field for field in fields}

    def field(self, name: str, what: str) -> Any:
        if name not in self.fields:
            raise ValueError(f"{what}: df has no column '{name}'; it has {listed(self.names)}")
        return self.fields[name]

    def length_of(self, name: str) -> int:
        """The length of the vectors of a column: from its metadata, or from the first of them."""
        known = (self.fields[name].metadata or {}).get("ml_attr", {}).get("num_attrs")
        if known:
            return int(known)
        size = self.df.where(named(name).isNotNull()).select(
            F.size(expression(self.fields[name]))
        )
        first = size.first()
        if first is None:
            raise ValueError(f"column '{name}' has no vector: all of its rows are null")
        return int(first[0])

    def vectors_of(self, schema: Schema) -> dict[str, int]:
        """The columns of vectors that features of the schema are read from."""
        wanted = set(schema.columns)
        lengths = {}
        for name, field in self.fields.items():
            if is_vector(field.dataType):
                length = 0
                while vector_features(name, length + 1)[-1] in wanted:
                    length += 1
                if length:
                    lengths[name] = length
        return lengths

    def header(self, columns: Sequence[str], vectors: Mapping[str, int]) -> Header:
        """The columns with vectors as one column for each number."""
        found: list[tuple[str, Kind]] = []
        for name in columns:
            if name in vectors:
                found += [(one, "number") for one in vector_features(name, vectors[name])]
            else:
                found.append((name, kind_of(name, self.field(name, "features").dataType)))
        return Header(found)

    def inputs(self, schema: Schema) -> tuple[list[Any], dict[str, int]]:
        """What a model with this schema is given, and the columns of vectors in it. Raises where a
        column is absent or has another type than the schema needs."""
        vectors = self.vectors_of(schema)
        wanted = set(schema.columns)
        plain = [name for name in self.names if name in wanted]
        header = self.header([*vectors, *plain], vectors)
        for column in matched(header, schema):
            if header.kind(column.position) == "name" and column.family != "categorical":
                raise not_numbers(column.name, column.family)
        return [expression(self.fields[name]) for name in (*vectors, *plain)], vectors

    def plan(
        self,
        label: str | None,
        weight: str | None,
        *,
        fold: str | None = None,
        key: Sequence[str] = (),
        features: Sequence[str] | None = None,
        schema: Schema | Mapping[str, str] | None = None,
        family: str | Mapping[str, str] | None = None,
        transforms: Mapping[str, str] | None = None,
        covariance: str = "full",
    ) -> tuple[Plan, list[Any]]:
        """What all partitions agree on, and the columns that they get."""
        if schema is not None:
            if family is not None or transforms is not None or features is not None:
                raise ValueError("features, family and transforms are for a schema that is inferred")
            schema = schema_of(schema)
            label = label or schema.label
        if not label:
            raise ValueError("label is missing: give the name of the column with the classes")
        kind_of_label(label, self.field(label, "label").dataType)
        beside = [label]
        if weight is not None:
            if kind_of(weight, self.field(weight, "weight").dataType) != "number":
                raise ValueError(f"the weight '{weight}' must be a column of numbers")
            beside.append(weight)
        if fold is not None:
            self.field(fold, "folds")
            beside.append(fold)
        for name in beside:
            if beside.count(name) > 1:
                raise ValueError(f"column '{name}' cannot be two of label, weight and fold")
        if schema is None:
            left_out = {*beside, *key}
            wanted = features or [name for name in self.names if name not in left_out]
            vectors = {
                name: self.length_of(name)
                for name in wanted
                if is_vector(self.field(name, "features").dataType)
            }
            for name in wanted:
                if name in beside:
                    raise ValueError(f"column '{name}' cannot be a feature as well")
            if not wanted:
                raise ValueError(f"df has no column left to learn from beside {listed(self.names)}")
            found = Schema._of(self.header(wanted, vectors), family, transforms)
            schema = Schema(found.families, label=label, transforms=found.transforms)
            if vectors:
                schema = with_vector_blocks(schema, vectors)
        columns, vectors = self.inputs(schema)
        columns += [expression(self.fields[name]) for name in beside]
        plan = Plan(schema, label, weight, fold, covariance, vectors)
        return plan, columns
