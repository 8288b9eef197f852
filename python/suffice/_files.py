"""Reading files of statistics and of models, each by its own class."""
from __future__ import annotations

import os
from typing import Protocol, TypeVar

from . import _core
from ._errors import FileError

T = TypeVar("T", covariant=True)


class _Loads(Protocol[T]):
    @staticmethod
    def load(path: str) -> T: ...


def load(kind: _Loads[T], name: str, path: str | os.PathLike[str]) -> T:
    """The contents of a file that must hold `name`, "statistics" or "model"."""
    file = os.fspath(path)
    found = _core.file_kind(file)
    if found == name:
        return kind.load(file)
    advice = (
        "Model.load reads it; statistics cannot be made from a model"
        if found == "model"
        else "Statistics.load reads it, and estimate makes a model of them"
    )
    error = FileError(f"'{file}' holds {'a model' if found == 'model' else found}: {advice}")
    error.filename = file
    raise error
