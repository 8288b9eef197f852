"""Packages that are used where present, and named where they are needed and absent."""
from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

# What pip calls a package, where that is not the name that is imported.
_ON_PYPI = {"sklearn": "scikit-learn"}


def optional(name: str, purpose: str) -> ModuleType:
    """The module `name`, or an ImportError that says what it is needed for."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        top = name.partition(".")[0]
        package = _ON_PYPI.get(top, top)
        raise ImportError(
            f"{purpose} needs the package {package}: pip install {package} ({error})", name=top
        ) from error


def loaded(name: str) -> Any | None:
    """The module if it has been imported. An object of a package's type can exist only then."""
    return sys.modules.get(name)


def available(name: str) -> Any | None:
    """The module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
