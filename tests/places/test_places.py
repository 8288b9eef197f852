"""A checkout in an unusual place: blanks and Unicode in its path, read-only, without git, used from another
folder by a person who is not root, has no sudo and no HOME.

The library is not built again for this: one small target is, and the program that was built is copied. With
SUFFICE_PLACES=all the whole program is built there.
"""
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ["SUFFICE_BINARY"])
NOBODY = 65534
LEFT_OUT = [str(ROOT / name) for name in ("build", ".git", ".venv")]
WHOLE = os.environ.get("SUFFICE_PLACES") == "all"


@pytest.fixture(scope="module")
def place():
    """A folder that everybody may enter, with blanks and letters of several scripts."""
    folder = Path(tempfile.mkdtemp(prefix="a place, größer als 日本 "))
    folder.chmod(0o755)
    yield folder
    for path in folder.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def clone(place):
    """The sources as an archive has them, read-only."""
    copy = place / "the sources"
    shutil.copytree(ROOT, copy, ignore=lambda folder, names:
                    [name for name in names if f"{folder}/{name}" in LEFT_OUT or name == "__pycache__"])
    for path in [copy, *copy.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o555 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o444)
    return copy


@pytest.fixture(scope="module")
def tools(place):
    """A folder with the programs of the PATH that everybody may run, without git and sudo."""
    folder = place / "bin"
    folder.mkdir()
    for each in os.environ["PATH"].split(":"):
        for program in Path(each).glob("*"):
            real, mine = program.resolve(), folder / program.name
            if program.name not in ("git", "sudo") and not mine.is_symlink() and all(
                    other.exists() and other.stat().st_mode & stat.S_IXOTH for other in (real, *real.parents)):
                mine.symlink_to(program)
    return folder


@pytest.fixture
def writable(place):
    """A folder for the person."""
    folder = Path(tempfile.mkdtemp(prefix="été ", dir=place))
    folder.chmod(0o777)
    return folder


def as_somebody(words, tools, *before, root=False, **environment):
    """The finished process of a person who has nothing but the tools; `before` is searched for programs first."""
    somebody = {} if root or os.geteuid() != 0 else {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd="/",
                          stdin=subprocess.DEVNULL, timeout=1800, **somebody,
                          env={"PATH": ":".join(map(str, [*before, tools]))} | environment)


def content(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def stand_in(folder, name, text):
    """A program that is called instead of the real one."""
    (folder / name).write_text("#!/bin/sh\n" + text)
    (folder / name).chmod(0o755)


@pytest.mark.parametrize("words", [["script/install_dependencies"], ["script/build"], ["script/build", "program"],
                                   ["script/demo"], ["script/test"], ["script/test", "--all"]], ids=" ".join)
def test_missing_packages_are_named_and_nothing_else_happens(words, clone, tools, writable):
    stand_in(writable, "dpkg-query", "exit 1\n")
    for name in ("apt-get", "cmake", "pip", "ninja"):
        stand_in(writable, name, f"echo called >> '{writable}/calls'\n")
    before = content(clone)
    done = as_somebody([clone / words[0], *words[1:]], tools, writable)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "Missing Debian packages: " in said and "To install them: sudo apt-get install" in said
    for package in ("g++", "cmake", "libeigen3-dev"):
        assert package in said
    assert not (writable / "calls").exists()
    assert content(clone) == before


def test_a_build_in_a_folder_elsewhere(clone, tools, writable):
    """Nothing is written into the sources."""
    before = content(clone)
    words = ["program"] if WHOLE else ["program", "cli_line"]
    done = as_somebody([clone / "script" / "build", "--no-install", "--folder", writable / "a build", *words], tools)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert content(clone) == before
    assert (writable / "a build" / "cli" / "libcli_line.a").exists()
    if WHOLE:
        check_program(writable / "a build" / "suffice", clone, tools, writable)


def check_program(program, clone, tools, folder):
    """One pass from a table to an answer, and an error with the path in it."""
    model = folder / "ein Modell ä.suffice"
    table = clone / "examples" / "data" / "iris.csv"
    assert as_somebody([program, "fit", table, "--label", "species", "-o", model], tools).returncode == 0
    done = as_somebody([program, "predict", model, table], tools)
    assert done.returncode == 0 and done.stdout.splitlines()[:2] == ["label", "setosa"]
    done = as_somebody([program, "fit", clone / "ни одного.csv", "--label", "species", "-o", model], tools)
    assert done.returncode == 1 and f"{clone}/ни одного.csv" in done.stderr


@pytest.fixture
def program(place):
    """The program that was built, moved with what lies beside it."""
    folder = Path(tempfile.mkdtemp(prefix="ein Programm ", dir=place))
    folder.chmod(0o755)
    for file in [PROGRAM, *PROGRAM.parent.glob("suffice_arrow.so"), *PROGRAM.parent.glob("lib*.so.*")]:
        shutil.copy(file, folder)
    return folder / PROGRAM.name


def test_the_program_elsewhere(program, clone, tools, writable):
    check_program(program, clone, tools, writable)


def test_tests_elsewhere(program, clone, tools, writable):
    """The tests of the command line, from the read-only sources, on a program that lies elsewhere."""
    done = as_somebody([sys.executable, clone / "tests" / "cli" / "run.py", program, "-k", "test_evaluation"],
                       tools, root=True, SUFFICE_DATA=str(writable), SUFFICE_TEST_DATA=str(writable / "made"),
                       TMPDIR=str(writable))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert " passed" in done.stdout and "failed" not in done.stdout


def test_checks_without_git(clone, tools, writable):
    """All C++ files are looked at."""
    stand_in(writable, "clang-format", f"printf '%s\\n' \"$@\" > '{writable}/words'\n")
    done = as_somebody([clone / "script" / "format", "--check"], tools, writable)
    assert (writable / "words").exists(), done.stderr
    files = [path for path in clone.rglob("*.[ch]pp")]
    looked_at = (writable / "words").read_text(encoding="utf-8").splitlines()[2:]
    assert sorted(looked_at) == sorted(f"./{path.relative_to(clone)}" for path in files) and len(files) > 300
    for check in ("check_layers", "check_readme"):
        here, there = (as_somebody([folder / "script" / check], tools, root=True) for folder in (ROOT, clone))
        assert (here.returncode, here.stdout, here.stderr) == (there.returncode, there.stdout, there.stderr)
