"""Running the program, and reading what it says."""
import csv
import io
import json
import os
import subprocess
from pathlib import Path

import pytest

from datasets import ROOT

BINARY = Path(os.environ.get("SUFFICE_BINARY") or ROOT / "build" / "suffice").absolute()
CALM = {k: v for k, v in os.environ.items() if k not in ("SUFFICE_THREADS", "NO_COLOR")}
if "SUFFICE_TEST_THREADS" in os.environ:  # script/sweep
    CALM["SUFFICE_THREADS"] = os.environ["SUFFICE_TEST_THREADS"]


def require_binary():
    """Skips the test where there is no program."""
    if not BINARY.exists():
        pytest.skip(f"no program {BINARY}; build it (script/build) or set SUFFICE_BINARY")


def run(*words, input=b"", folder=None, environment=None, timeout=60):
    """The finished process; standard output and standard error as bytes."""
    return subprocess.run([str(BINARY), *map(str, words)], input=input, capture_output=True,
                          cwd=folder, env=CALM | (environment or {}), timeout=timeout)


def start(*words, folder=None, **keywords):
    """A running process."""
    return subprocess.Popen([str(BINARY), *map(str, words)], cwd=folder, env=CALM,
                            stderr=subprocess.PIPE, **keywords)


def good(*words, **keywords):
    """Standard output as text, of a command that must succeed."""
    result = run(*words, **keywords)
    assert result.returncode == 0, f"{words}: {result.stderr.decode(errors='replace')}"
    return result.stdout.decode()


def good_json(*words, **keywords):
    """The one JSON object that --json prints."""
    return json.loads(good(*words, "--json", **keywords))


def rows_of(text):
    """CSV as a list of dictionaries."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


def refused(result, code, *needles):
    """The command failed as the contract has it: this exit code, a message of a few lines that has
    all `needles`, nothing on standard output, no sign of a crash."""
    message = result.stderr.decode(errors="replace")
    assert result.returncode == code, f"exit code {result.returncode}: {message}"
    assert message.startswith("suffice: "), message
    assert len(message.strip().splitlines()) <= 6, message
    assert len(message) < 2000, message
    for crash in ("terminate", "what()", "std::", "Traceback", "Segmentation", "Sanitizer", " 0x"):
        assert crash not in message
    assert result.stdout == b"", result.stdout[:500]
    for needle in needles:
        assert str(needle) in message, f"{needle!r} is not in: {message}"
    return message


def content(folder):
    """Every file below a folder and its bytes, to see that a command left nothing behind."""
    return {p.relative_to(folder): p.read_bytes() for p in sorted(Path(folder).rglob("*"))
            if p.is_file() and not p.is_symlink()}
