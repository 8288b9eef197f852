"""The code of a page, run: its ```python blocks one after the other in one namespace and one folder.

What a block prints stands in the ```text block right after it, letter for letter; a block that prints
nothing has none. As a program it writes the pages anew, with what the code prints now: pages.py --write
"""
from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "docs/python.md", "docs/sklearn.md", "docs/outliers.md", "docs/logistic.md",
         "docs/coming_from.md"]
CODE = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<text>.*?)^```\n)?",
                  re.MULTILINE | re.DOTALL)


def run(page: str, folder: Path) -> list[tuple[re.Match[str], str]]:
    """Each block with what it prints, warnings too, in a folder that has the files of examples/data."""
    for file in (ROOT / "examples/data").glob("*.csv"):
        shutil.copy(file, folder)
    namespace: dict[str, object] = {"__name__": "__main__"}
    text = (ROOT / page).read_text(encoding="utf-8")
    done = []
    with changed_folder(folder), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, category, *rest: print(f"{category.__name__}: {message}")
        for match in CODE.finditer(text):
            out = io.StringIO()
            line = text.count("\n", 0, match.start("code"))
            with contextlib.redirect_stdout(out):
                try:
                    exec(compile("\n" * line + match["code"], page, "exec"), namespace)
                except Exception:
                    print(traceback.format_exc())
            done.append((match, out.getvalue()))
    return done


@contextlib.contextmanager
def changed_folder(folder: Path) -> Iterator[None]:  # contextlib.chdir is of Python 3.11
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def write(page: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        printed = [text for _, text in run(page, Path(folder))]

    def anew(match: re.Match[str]) -> str:
        text = printed.pop(0)
        return f"```python\n{match['code']}```\n" + (f"\n```text\n{text}```\n" if text else "")

    path = ROOT / page
    path.write_text(CODE.sub(anew, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    for name in PAGES:
        write(name)
