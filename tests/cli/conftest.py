"""End-to-end tests of the command line: the real program on real files.

The program is the one that SUFFICE_BINARY names, or build/suffice; the public data sets lie in the
folder that SUFFICE_DATA names, or beside the project. Tests of absent files are skipped, with the reason.
"""
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
