"""The program reads and writes the same bytes in every locale and time zone. A locale with decimal commas is
compiled by the test where the system's localedef can; elsewhere an installed one is used, or the test is
skipped.
"""
import os
import shutil
import subprocess

import pytest

from program import content, good, run

ROWS = "a,b,y\n" + "".join(f"{i % 7}.25,{i * i % 11 / 4},{'pqé'[i % 3]}\n" for i in range(60))
COMMA = "de_DE.UTF-8"


@pytest.fixture(scope="module")
def comma(tmp_path_factory):
    """Variables of an environment in which 1.5 is written 1,5."""
    folder = tmp_path_factory.mktemp("locales")
    environment = {"LC_ALL": COMMA, "LANG": COMMA, "LOCPATH": str(folder)}
    if shutil.which("localedef"):
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / COMMA)], capture_output=True)
    if not (folder / COMMA).exists():
        environment.pop("LOCPATH")
    said = subprocess.run(["locale", "decimal_point"], env=os.environ | environment, capture_output=True)
    if said.stdout.strip() != b",":
        pytest.skip(f"no locale {COMMA}, and none could be made (Debian: locales)")
    return environment


def everything(folder, environment):
    """The output of all verbs, and the files that they wrote."""
    folder.mkdir()
    (folder / "t.csv").write_text(ROWS, encoding="utf-8")
    said = []
    for line in ("fit t.csv --label y -o m", "stats t.csv --label y -o s", "show m", "show m --json", "show s",
                 "predict m t.csv --output proba,loglik", "evaluate m t.csv", "evaluate m t.csv --json",
                 "select t.csv --label y --folds 3 --shrinkage 0,0.5 -o c", "sample m -n 5", "merge s s -o d",
                 "predict m t.csv --prior p=0.5,q=0.25,é=0.25 --reject 0.125", "export m --to c -o e.h",
                 "export m --to sql -o e.sql", "export m --to json -o e.json",
                 "plot m --what correlations -o p.svg", "fit t.csv --label y --shrinkage 0,5 -o x"):
        done = run(*line.split(), folder=folder, environment=environment)
        words = b"" if line.startswith("select") else done.stdout  # select says how long it took
        said.append((line, done.returncode, words, done.stderr))
    return said, content(folder)


def test_a_locale_with_decimal_commas(tmp_path, comma):
    plain = everything(tmp_path / "plain", {"LC_ALL": "C"})
    there = everything(tmp_path / "there", comma)
    for a, b in zip(plain[0], there[0]):
        assert a == b
    assert plain[1] == there[1]


def test_time_zones(tmp_path):
    plain = everything(tmp_path / "plain", {"TZ": "UTC"})
    assert everything(tmp_path / "there", {"TZ": "Pacific/Chatham"}) == plain


def test_the_library_inside_a_process_with_commas(tmp_path, comma):
    """The program itself never asks for the locale of the user; Python does."""
    good("fit", "t.csv", "--label", "y", "-o", "m", folder=_table(tmp_path))
    code = ("import locale, suffice; locale.setlocale(locale.LC_ALL, '');"
            "assert locale.localeconv()['decimal_point'] == ',';"
            "suffice.Model.load('m').save('again')")
    python = os.environ.get("SUFFICE_PYTHON") or shutil.which("python3")
    done = subprocess.run([python, "-c", code], cwd=tmp_path, env=os.environ | comma, capture_output=True)
    if b"ModuleNotFoundError" in done.stderr:
        pytest.skip("the Python package is not installed")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def _table(folder):
    (folder / "t.csv").write_text(ROWS, encoding="utf-8")
    return folder
