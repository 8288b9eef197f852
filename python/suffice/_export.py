"""Models in forms that other programs run, as text, bytes or files."""
from __future__ import annotations

import os
import secrets
from typing import Literal

from . import _core

Target = Literal["c", "sql", "onnx", "json"]
Dialect = Literal["duckdb", "postgres", "sqlite", "spark"]
Real = Literal["double", "float"]
Input = Literal["columns", "matrix"]
Exported = str | bytes | None


def words_of(**options: str | None) -> dict[str, str]:
    """The options that were given, for the engine, which knows which target has which."""
    return {name: value for name, value in options.items() if value is not None}


def delivered(data: bytes, to: str, path: str | os.PathLike[str] | None) -> Exported:
    """Text, or bytes where the target is binary; nothing where they went to a file, which appears
    whole or not at all."""
    if path is None:
        return data if _core.is_binary_export(to) else data.decode()
    target = os.fspath(path)
    beside = f"{target}.{secrets.token_hex(4)}.tmp"
    try:
        with open(beside, "wb") as file:
            file.write(data)
        os.replace(beside, target)
    except BaseException as error:
        if os.path.exists(beside):
            os.remove(beside)
        if isinstance(error, OSError):  # about the file that was asked for
            raise OSError(error.errno, error.strerror, target) from None
        raise
    return None
