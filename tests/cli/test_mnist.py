"""The table of examples/mnist: sixteen models from one statistics file, against the lecture's figures."""
import importlib.util

import pytest

import program
from datasets import MNIST, ROOT


def example():
    """The script as a module."""
    path = ROOT / "examples" / "mnist" / "table.py"
    spec = importlib.util.spec_from_file_location("mnist_table", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def table(data, tmp_path_factory):
    """The script's module and its error rates in per cent."""
    for file in MNIST["train"] + MNIST["test"]:
        data(file)
    script = example()
    train, test = script.files_of(data("mnist"))
    statistics = tmp_path_factory.mktemp("mnist") / "mnist.stats"
    script.sum_up(program.BINARY, *train, statistics)
    return script, script.error_rates(program.BINARY, statistics, *test)


def test_lecture(table):
    script, rates = table
    lecture = {(covariance, projection): rate for covariance, row in script.LECTURE.items()
               for projection, rate in zip(script.PROJECTIONS, row, strict=True)}
    assert len(lecture) == 16 and rates == pytest.approx(lecture, abs=0.1)


def test_lda_whitens(table):
    """After LDA the within-class covariance is the identity, so tied is naive tied; and LDA keeps
    what a tied model of the same components needs."""
    _, rates = table
    assert rates["tied", "PCA 100, LDA 9"] == rates["tied-diag", "PCA 100, LDA 9"]
    assert rates["tied", "PCA 100, LDA 9"] == pytest.approx(rates["tied", "PCA 100"], abs=0.011)
