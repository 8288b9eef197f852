"""Several meanings of the same columns, compared by `select`."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

from ._options import MODEL_OPTIONS

if TYPE_CHECKING:
    from ._selection import Selection

#: `family` and `transforms` without lists, and the values of the columns that had one.
Meaning = tuple[Any, Any, dict[str, str]]

#: What is compared, and what decides between equals.
_CRITERIA = {
    "log-loss": ("log_loss", "error_rate"),
    "error": ("error_rate", "log_loss"),
    "cost": ("cost", "log_loss"),
}


def meanings_of(family: Any, transforms: Any) -> list[Meaning]:
    """All combinations of the lists."""
    return [
        (families, transformations, {**some, **others})
        for families, some in _choices(family)
        for transformations, others in _choices(transforms)
    ]


def _choices(rules: Any) -> list[tuple[Any, dict[str, str]]]:
    if not isinstance(rules, Mapping):
        return [(rules, {})]
    lists = {name: [v] if isinstance(v, str) else list(v) for name, v in rules.items()}
    return [
        (chosen, {name: word for name, word in chosen.items() if len(lists[name]) > 1})
        for words in product(*lists.values())
        for chosen in [dict(zip(lists, words))]
    ]


def best_meaning(
    select: Callable[..., Selection], meanings: list[Meaning], by: str, one_se: bool, *table: Any,
    predictions: bool, **keywords: Any,
) -> Selection:
    """The candidates of all meanings as one selection; the best is estimated again, with its
    predictions if they are wanted."""
    candidates, places = [], []
    for place, (family, transforms, columns) in enumerate(meanings):
        found = select(*table, family=family, transforms=transforms, **keywords)
        candidates += [{"columns": columns, **one} for one in found.candidates]
        places += [place] * len(found.candidates)
    ranking, best = _ranked(candidates, *_CRITERIA[by], one_se)
    family, transforms, _ = meanings[places[best]]
    chosen = {name: candidates[best]["options"].get(name) for name in MODEL_OPTIONS}
    keywords = {name: value for name, value in keywords.items() if name not in MODEL_OPTIONS}
    selection = select(
        *table, family=family, transforms=transforms, predictions=predictions, **keywords, **chosen
    )
    selection._candidates, selection._ranking, selection._best = candidates, ranking, best
    selection._hints = []
    return selection


def _ranked(
    candidates: list[dict[str, Any]], score: str, tie: str, one_se: bool
) -> tuple[list[int], int]:
    """As the engine ranks those of one meaning."""
    ranking = sorted(
        range(len(candidates)),
        key=lambda j: (1, 0.0, 0.0) if "error" in candidates[j]
        else (0, candidates[j][score], candidates[j][tie]),
    )
    best = ranking[0]
    limit = candidates[best][score] + candidates[best][f"{score}_se"] * one_se
    for j in ranking:
        one = candidates[j]
        if one_se and "error" not in one and one[score] <= limit:
            if one["parameters"] < candidates[best]["parameters"]:
                best = j
    return ranking, best
