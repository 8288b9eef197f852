"""The options of estimation. The engine's table describes them; here they have Python's types, and
signatures and documentation are made from both.
"""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from textwrap import fill
from typing import Any, TypedDict, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import _core


class OtherOptions(TypedDict, total=False):
    """One value of each option but the covariance; None: not given."""

    keep: int | None
    keep_above: float | None
    pca: int | float | str | None
    standardize: bool | str
    lda: int | None
    components: int | str
    discriminative: bool | str
    penalty: float | str
    shrinkage: float | str | None
    target: str | None
    target_share: float | str | None
    towards_tied: float
    tails: float | str | None
    shrink_means: float | str | None
    estimate: str
    normalize: str
    smoothing: float | str | None
    event_model: str
    min_rows: float
    max_words: int | None
    idf: bool | str
    length_power: float


class ModelOptions(OtherOptions, total=False):
    """The options of GenerativeClassifier."""

    covariance: str


class EstimateOptions(OtherOptions, total=False):
    """The options of Statistics.estimate beside the covariance."""

    pooling: ArrayLike | None


class GridOptions(TypedDict, total=False):
    """One value of each option, or several to choose among."""

    keep: int | Sequence[int | None] | None
    keep_above: float | Sequence[float | None] | None
    pca: int | float | str | Sequence[int | float | str | None] | None
    standardize: bool | str | Sequence[bool | str] | None
    lda: int | Sequence[int | None] | None
    components: int | str | Sequence[int | str] | None
    covariance: str | Sequence[str] | None
    discriminative: bool | str | Sequence[bool | str] | None
    penalty: float | str | Sequence[float | str] | None
    shrinkage: float | str | Sequence[float | str] | None
    target: str | Sequence[str] | None
    target_share: float | str | Sequence[float | str] | None
    towards_tied: float | Sequence[float] | None
    tails: float | str | Sequence[float | str] | None
    shrink_means: float | str | Sequence[float | str | None] | None
    estimate: str | Sequence[str] | None
    normalize: str | Sequence[str] | None
    smoothing: float | str | Sequence[float | str] | None
    event_model: str | Sequence[str] | None
    min_rows: float | Sequence[float] | None
    max_words: int | Sequence[int | None] | None
    idf: bool | str | Sequence[bool | str] | None
    length_power: float | Sequence[float] | None


#: The engine's rows by name, in its order.
TABLE: dict[str, dict[str, Any]] = {row["name"]: row for row in _core.estimate_options()}
#: The values of an option that is a bool here.
NO_OR_YES = "no|yes"
#: Those that `select` and GenerativeClassifier have too.
MODEL_OPTIONS = tuple(name for name, row in TABLE.items() if row["in_grids"])


def default_of(name: str) -> float | str | bool | None:
    """As a value of Python."""
    text: str = TABLE[name]["default"]
    if TABLE[name]["values"] == NO_OR_YES:
        return text == "yes"
    if text == "none":
        return None
    try:
        return int(text) if name == "components" else float(text)
    except ValueError:
        return text


def fit_default_of(name: str) -> float | str | bool | None:
    """That of GenerativeClassifier, which chooses what is not given."""
    if name == "covariance":
        return "auto"
    return None if TABLE[name]["is_chosen"] else default_of(name)


def given_options(options: Mapping[str, Any]) -> dict[str, str]:
    """The texts of those options of `fit` that are given: where one may be chosen, also its
    default. None is no value, and neither is "auto" of the covariance, which is what is left out."""
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(given.get("covariance"), str) and given["covariance"] == "auto":
        del given["covariance"]
    chosen = {name: text_of(name, value) for name, value in given.items() if TABLE[name]["is_chosen"]}
    return engine_options(given) | chosen


def engine_options(given: Mapping[str, Any]) -> dict[str, str]:
    """The texts that the engine reads. An option at its default is not given: the engine may then
    choose what goes with the others (no shrinkage beside `towards_tied`, the target of "oas")."""
    texts = {name: text_of(name, value) for name, value in given.items() if value is not None}
    return {name: text for name, text in texts.items() if text != TABLE[name]["default"]}


def engine_grid(given: Mapping[str, Any]) -> dict[str, list[str]]:
    """Lists of texts by name. A single value is a list of one; None is no list."""
    return {
        name: [text_of(name, value) for value in as_list(values)]
        for name, values in given.items()
        if values is not None
    }


def as_list(values: Any) -> Iterable[Any]:
    if isinstance(values, np.ndarray):
        return list(values.ravel())
    is_single = isinstance(values, (str, Real)) or not isinstance(values, Iterable)
    return [values] if is_single else values


def text_of(name: str, value: Any) -> str:
    """A value as the engine reads it."""
    values: str = TABLE[name]["values"]
    if values == "NUMBERS":
        return ",".join(repr(float(number)) for number in np.ravel(np.asarray(value, np.float64)))
    if value is None:
        return "none"
    if isinstance(value, str):
        return str(value)
    if values == NO_OR_YES and isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise ValueError(f"{name}={value!r}: choose one of these: {values.replace('|', ', ')}")
    return str(int(value)) if isinstance(value, Integral) else repr(float(value))


def require_known(given: Mapping[str, object], names: Iterable[str], function: str) -> None:
    """What Python does with a keyword that a function does not have."""
    for name in given:
        if name not in names:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")


Function = TypeVar("Function", bound=Callable[..., Any])


Default = Callable[[str], float | str | bool | None]


def with_options(
    names: Iterable[str], *, lists: bool = False, default: Default = default_of
) -> Callable[[Function], Function]:
    """Gives a function with **options the parameters `names` instead: in its signature, and where
    its docstring has the line "{options}"."""
    names = tuple(names)

    def change(function: Function) -> Function:
        signature = _signature(function, names, (lambda name: None) if lists else default)
        function.__signature__ = signature  # type: ignore[attr-defined]
        function.__doc__ = documented(function.__doc__, names, default)
        return function

    return change


def documented(
    text: str | None, names: Iterable[str], default: Default = default_of
) -> str | None:
    """A docstring with the engine's descriptions in the place of its line "{options}"."""
    for line in (text or "").splitlines():
        if text is not None and line.strip() == "{options}":
            indent = line[: -len("{options}")]
            entries = "\n".join(described(name, indent, default) for name in names)
            return text.replace(line, entries)
    return text


def described(name: str, indent: str, default_for: Default) -> str:
    """The entry of a docstring."""
    row = TABLE[name]
    default = default_for(name)
    text: str = row["description"]
    if default is None and row["is_chosen"]:
        text += f" None: chosen where covariance is 'auto', otherwise {row['default']}."
    words = fill(
        text, 100, initial_indent=indent + "    ", subsequent_indent=indent + "    ",
        break_on_hyphens=False,
    )
    values = "bool" if row["values"] == NO_OR_YES else row["values"].replace("|", ", ")
    return f"{indent}{name} : {values}, default {default!r}\n{words}"


def _signature(
    function: Callable[..., Any], names: Sequence[str], default: Default
) -> inspect.Signature:
    """That of the function, with `names` before its other keywords instead of **options."""
    kinds = inspect.Parameter
    own = inspect.signature(function).parameters
    others = [one for one in own.values() if one.kind is not kinds.VAR_KEYWORD]
    positional = [one for one in others if one.kind is not kinds.KEYWORD_ONLY]
    keywords = [
        kinds(name, kinds.KEYWORD_ONLY, default=default(name))
        for name in names
        if name not in own
    ]
    return inspect.Signature([*positional, *keywords, *others[len(positional) :]])
