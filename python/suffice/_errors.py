"""What goes wrong. An error is data: where it is, what is wrong and what to do.

The text is written from these attributes when it is shown. So an error is moved to another row, or
gets the caller's names, by setting an attribute.
"""
from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence


class Error(ValueError):
    """The base of what the engine refuses, except files."""

    #: What is wrong, and what to do.
    sentence: str
    advice: str
    #: Where: the row (from 0), the class, the features; None or empty where there is none.
    row: int | None
    label: str
    features: list[str]
    #: The partition, state or file that the row is counted in; empty where there is one table.
    source: str = ""

    def __init__(
        self,
        sentence: str = "",
        advice: str = "",
        *,
        row: int | None = None,
        label: str = "",
        features: Sequence[str] = (),
    ) -> None:
        super().__init__(sentence, advice)
        self.sentence, self.advice = sentence, advice
        self.row, self.label, self.features = row, label, list(features)

    def __str__(self) -> str:
        from . import _core  # which imports this module

        text = _core.message(self.sentence, self.advice, self.row, self.label, self.features)
        return f"{self.source}: {text}" if self.source else text


class InvalidArgument(Error):
    """An option, a shape or a name that cannot be right whatever the data."""


class DataError(Error):
    """Data that a family cannot describe; has row, feature and label."""

    @property
    def feature(self) -> str:
        """The feature whose value is wrong; empty where it is none."""
        return self.features[0] if self.features else ""


class SingularError(Error):
    """A covariance without inverse; has label, rank, dimension and the dependent features."""

    rank: int = 0
    dimension: int = 0


class FileError(OSError):
    """A file that cannot be read or written; has filename, line and column (from 1, 0: unknown)."""

    line: int = 0
    column: int = 0

    def __str__(self) -> str:  # an OSError with a filename would show that instead of the sentence
        return str(self.args[0])


def placed(error: Exception, source: str) -> Exception:
    """The error, whose text begins with the partition, state or file that it is about."""
    if isinstance(error, Error):
        error.source = f"{source}: {error.source}" if error.source else source
        return error
    text = f"{source}: {error}"
    if isinstance(error, OSError):
        moved = FileError(text)
        moved.filename = error.filename
        return moved
    for kind in (ImportError, TypeError):
        if isinstance(error, kind):
            return kind(text)
    return ValueError(text)


class SufficeWarning(UserWarning):
    """Something that can be computed, but was probably not meant so."""


def warn(text: str) -> None:
    """A SufficeWarning at the line outside of this package that led here."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "suffice":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, SufficeWarning, stacklevel=level + 1)


for _kind in (Error, InvalidArgument, DataError, SingularError, FileError, SufficeWarning):
    _kind.__module__ = "suffice"
