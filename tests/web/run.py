#!/usr/bin/env python3
"""Compares the WebAssembly module of script/web with the program, in Node.

usage: run.py PROGRAM [ARGUMENT OF NODE --test]...

Exit code 77, with the reason, where there is no module, no Node, or the module is older than its
sources.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "web"
SKIPPED = 77


def reason_to_skip():
    if not (BUILD / "suffice.wasm").exists():
        return "there is no module; script/web builds it"
    if not shutil.which("node"):
        return "there is no Node"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    if int(version.strip("v\n").split(".")[0]) < 18:
        return f"Node {version.strip()} is older than 18"
    # What its objects were compiled from, headers included.
    listed = subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], capture_output=True, text=True).stdout
    sources = [Path(BUILD, line.strip()) for line in listed.splitlines() if line.startswith("    ")]
    built = (BUILD / "suffice.wasm").stat().st_mtime
    if not sources or any(not source.exists() or source.stat().st_mtime > built for source in sources):
        return "the module is older than its sources; script/web builds it again"
    return None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    reason = reason_to_skip()
    if reason:
        print(f"Skipped: {reason}")
        return SKIPPED
    environment = os.environ | {"SUFFICE_BINARY": str(Path(sys.argv[1]).absolute()),
                                "SUFFICE_MODULE": str(BUILD)}
    return subprocess.run(["node", *sys.argv[2:], "--test", HERE], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
