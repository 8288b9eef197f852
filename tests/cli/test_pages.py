#!/usr/bin/env python3
"""The terminal sessions of README.md and of pages in docs, typed again.

Every line `$ command` in a ```console block, with the lines `> …` that continue it, is run with the
real program, one after the other, in a folder that has the files of examples/data; what follows it must be what the command prints. A line
`…` stands for any lines that the page leaves out. Numbers written with all their digits may differ
in the last ones, which depend on the CPU; so does the time at the end of a candidate of `select`.

As a program it writes the pages anew, with what the commands print now: test_pages.py --write
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import postgres
from datasets import ROOT
from program import BINARY, CALM

PAGES = ["README.md", "docs/tutorial.md", "docs/choosing.md", "docs/selection.md", "docs/outliers.md", "docs/export.md",
         "docs/scale.md", "docs/coming_from.md", "docs/missing.md", "docs/tests.md", "docs/drift.md"]
CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
LONG_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d{11,}(?:e[-+]?\d+)?(?!\w)")
TIME = re.compile(r"(?<= ± )(\S+)((?: +\d+)?) +[\d.]+ m?s *$")  # after the number of parameters
TIME_HEADING = re.compile(r" +time *$")  # the column is as wide as its figures
SKIPPED_LINES = "…"


def steps_of(block):
    """Pairs of a command and the lines shown below it. The first line must be a command."""
    steps = []
    for line in block.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif steps and not steps[-1][1] and (line == ">" or line.startswith("> ")):
            steps[-1] = (steps[-1][0] + "\n" + line[2:], [])
        else:
            assert steps, f"a console block begins with '{line}', which is no command"
            steps[-1][1].append(line)
    return steps


def same_line(shown, printed):
    """Equal, except for times and the last digits of numbers that have them all."""
    shown, printed = (TIME_HEADING.sub(" time", TIME.sub(r"\1\2", line))
                      for line in (shown, printed))
    if LONG_NUMBER.sub("#", shown) != LONG_NUMBER.sub("#", printed):
        return False
    return all(float(a) == pytest.approx(float(b), rel=1e-9, abs=0)
               for a, b in zip(LONG_NUMBER.findall(shown), LONG_NUMBER.findall(printed)))


def same_lines(shown, printed):
    """Whether the lines shown are those printed, where `…` is any number of lines, also none."""
    if not shown:
        return not printed
    if shown[0] == SKIPPED_LINES:
        return any(same_lines(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and same_line(shown[0], printed[0]) and same_lines(shown[1:], printed[1:])


def as_shown(command):
    return "$ " + command.replace("\n", "\n> ").replace("\n> \n", "\n>\n")


def printed_by(command, folder, environment):
    """The lines on standard output and standard error, as a terminal shows them."""
    search = os.pathsep.join([str(BINARY.parent), str(Path(sys.executable).parent), os.environ["PATH"]])
    result = subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                            env=CALM | environment | {"PATH": search, "LC_ALL": "C.UTF-8"})
    return result.stdout.splitlines()


def can_run(block, environment):
    """Whether what a block needs beside our program is there."""
    has = lambda *names: all(importlib.util.find_spec(name) for name in names)
    return (("to_parquet" not in block or (has("pandas", "pyarrow") and (BINARY.parent / "suffice_arrow.so").exists()))
            and ("import duckdb" not in block or has("duckdb"))
            and ("onnxruntime" not in block or has("numpy", "onnxruntime"))
            and ("psql" not in block or "PGHOST" in environment))


def run_page(text, folder, environment):
    """Yields each command with the lines shown and printed; (None, block, None) for a block that
    cannot be run here."""
    for file in (ROOT / "examples/data").glob("*.csv"):
        shutil.copy(file, folder)
    for block in CONSOLE.findall(text):
        if not can_run(block, environment):
            yield None, block, None
            continue
        for command, shown in steps_of(block):
            yield command, shown, printed_by(command, folder, environment)


@pytest.mark.parametrize("page", PAGES)
def test_sessions(page, tmp_path, request):
    wrong, left_out, commands = [], 0, 0
    text = (ROOT / page).read_text(encoding="utf-8")
    server = request.getfixturevalue("postgres_or_none") if "psql" in text else None
    for command, shown, printed in run_page(text, tmp_path, server.environment if server else {}):
        if command is None:
            left_out += 1
            continue
        commands += 1
        if not same_lines(shown, printed):
            wrong.append("\n".join([as_shown(command), *printed]))
    assert commands > 1, f"{page} has no terminal session"
    if wrong:
        pytest.fail(f"{page} is out of date; the program prints (and test_pages.py --write writes)\n"
                    + "\n\n".join(wrong), pytrace=False)
    if left_out:
        pytest.skip(f"all but {left_out} sessions of {page}, which need Python packages, Arrow C++ or PostgreSQL")


def test_what_counts_as_the_same():
    """The comparison itself: what it must accept and what it must not."""
    assert same_lines(["a", "…", "d"], ["a", "b", "c", "d"])
    assert same_lines(["a", "…"], ["a"])
    assert not same_lines(["a", "…", "d"], ["a", "b", "c"])
    assert not same_lines(["a"], ["a", "b"])
    assert not same_lines(["a", "b"], ["a"])
    assert same_line("x,0.9999996095241489,1e-5", "x,0.9999996095241488,1e-5")
    assert not same_line("x,0.9999996095241489", "x,0.9999996195241489")
    assert not same_line("rate 0.0116", "rate 0.0117")
    assert same_line("   full  0.02 ± 0.011  0.05 ± 0.002    12 ms", "   full  0.02 ± 0.011  0.05 ± 0.002  1.2 s")
    assert same_line("   covariance  log-loss  time", "   covariance  log-loss   time")
    assert not same_line("   covariance  log-loss  time", "   covariance  cost  time")
    assert not same_line("   full  0.02 ± 0.011  0.05 ± 0.002  12 ms", "   full  0.02 ± 0.011  0.05 ± 0.003  12 ms")


def write(page):
    """The page with what its commands print now; sessions with `…` that still hold are kept."""
    text = (ROOT / page).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        try:
            with postgres.server() as server:
                steps = list(run_page(text, folder, server.environment))
        except postgres.NoServer:
            steps = list(run_page(text, folder, {}))

    def anew(match):
        if steps[0][0] is None:
            return steps.pop(0)[1]
        lines = []
        for _ in steps_of(match.group()):
            command, shown, printed = steps.pop(0)
            lines += [as_shown(command), *(shown if same_lines(shown, printed) else printed)]
        return "\n".join(lines) + "\n"

    (ROOT / page).write_text(CONSOLE.sub(anew, text), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    for name in PAGES:
        write(name)
