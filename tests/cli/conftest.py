"""End-to-end tests of the command line: the real program on real files.

The program is the one that SUFFICE_BINARY names, or build/suffice; datasets.py has the data sets. Tests of
absent files are skipped, with the reason.
"""
import shutil

import pytest

import postgres as postgres_server
import program
from datasets import data_file


def pytest_runtest_setup(item):
    program.require_binary()


@pytest.fixture(scope="session")
def data():
    """A function from a data set's file name to its path."""
    return data_file


@pytest.fixture(scope="session")
def postgres_or_none():
    """A PostgreSQL server, or None."""
    try:
        with postgres_server.server() as server:
            yield server
    except postgres_server.NoServer as reason:
        print(reason)
        yield None


@pytest.fixture
def postgres(postgres_or_none):
    if not postgres_or_none:
        pytest.skip("no PostgreSQL server could be started (Debian: postgresql)")
    return postgres_or_none


@pytest.fixture(scope="session")
def spark():
    pytest.importorskip("pyspark", reason="no Python module pyspark to run Spark SQL; script/install_spark installs it")
    if not shutil.which("java"):
        pytest.skip("no java (Debian: default-jre-headless) to run Spark SQL")
    from pyspark.sql import SparkSession
    session = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
               .config("spark.sql.shuffle.partitions", "1").getOrCreate())
    yield session
    session.stop()
