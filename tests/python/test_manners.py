"""How the package behaves beside others: what it imports, what it does without them, the GIL, Ctrl-C,
threads."""
from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import suffice

OPTIONAL = ["scipy", "sklearn", "pandas", "polars", "pyarrow", "pyspark", "dask"]

# Makes imports of the named packages fail as if they were not installed.
HIDE = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
"""


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True,
                            timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_import_loads_numpy_only():
    loaded = run("""
        import sys, suffice
        print(*{name.partition(".")[0] for name in sys.modules})
    """).split()
    assert "numpy" in loaded
    assert not set(loaded) & set(OPTIONAL)


def test_arrays_need_numpy_only():
    """Statistics, models, decisions and files work where nothing but NumPy is installed."""
    assert run(HIDE.format(packages=OPTIONAL) + textwrap.dedent("""
        import os, tempfile
        import numpy as np, suffice
        X = np.array([[0.0], [2.0], [10.0], [12.0]]); y = ["a", "a", "b", "b"]
        statistics = suffice.Statistics.of(X, y)
        model = statistics.estimate(covariance="tied", shrinkage=0)
        print(*model.decide(X, priors="uniform"), *model.blocks[0]["covariance"].ravel())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.suffice")
            model.save(path)
            print(suffice.Model.load(path) == model)
        for name in %r:
            assert name not in sys.modules
    """ % OPTIONAL)) == "a a b b 1.0\nTrue\n"


@pytest.mark.parametrize("use, names", [
    ("suffice.GenerativeClassifier", "scikit-learn"),
    ("from suffice import GenerativeClassifier", "scikit-learn"),
    ("import suffice.sklearn", "scikit-learn"),
    ("import suffice.spark", "pip install pyspark"),
    ("import suffice.dask", "pip install dask"),
])
def test_absent_package_is_named(use, names):
    said = run(HIDE.format(packages=OPTIONAL) + textwrap.dedent(f"""
        import suffice
        try:
            {use}
        except ImportError as error:
            print(error)
    """))
    assert names in said and "install" in said, said


def test_dir_has_the_lazy_names():
    assert set(suffice.__all__) <= set(dir(suffice))


def test_the_gil_is_released():
    """Another thread of Python goes on while the engine works: it takes many turns, not one at the
    beginning and one at the end."""
    X = np.broadcast_to(np.arange(400.0), (1_600_000, 400))  # many rows without memory
    y = np.arange(len(X), dtype=np.int8) & 1
    statistics = suffice.Statistics.of(X[:10], y[:10])
    turns, done = [], threading.Event()

    def other():
        while not done.is_set():
            turns.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=other)
    thread.start()
    begin = time.perf_counter()
    statistics.update(X, y)
    end = time.perf_counter()
    done.set()
    thread.join()
    within = [t for t in turns if begin + 0.25 * (end - begin) < t < end - 0.25 * (end - begin)]
    assert len(within) > 5, f"{len(within)} of {len(turns)} turns in the middle of {end - begin:.2f} s"


@pytest.mark.parametrize("setup, work, unchanged", [
    ("statistics = suffice.Statistics.of(X[:1000], y[:1000]); before = statistics.copy()",
     "statistics.update(X, y)", "statistics == before"),
    ("statistics = suffice.Statistics.of(X[:1000], y[:1000]); before = statistics.copy()",
     "statistics.update((X, y) for _ in range(1))", "statistics == before"),
    ("model = suffice.Statistics.of(rng.standard_normal((2000, 400)), y[:2000]).estimate()\n"
     "before = model.copy()", "model.decide(X)", "model == before"),
    ("", "suffice.select(X, y)", "True"),
    ("clf = suffice.GenerativeClassifier()", "clf.fit(X, y)", "not hasattr(clf, 'statistics_')"),
    ("rows = rng.standard_normal((300_000, 100))",  # a factorisation for each
     "suffice.select(rows, y[:300_000], covariance='full', shrinkage=0.1, folds='loo')", "True"),
], ids=["update", "batches", "decide", "sums of folds", "fit", "scores of candidates"])
def test_ctrl_c(setup, work, unchanged):
    """SIGINT ends a long call with KeyboardInterrupt, and nothing has changed. Without it the call
    would take a minute."""
    code = textwrap.dedent("""
        import sys
        import numpy as np, suffice
        rng = np.random.default_rng(1)
        X = np.broadcast_to(rng.standard_normal((1, 400)), (30_000_000, 400))
        y = np.arange(len(X), dtype=np.int8) & 1
        {setup}
        print("ready", flush=True)
        try:
            {work}
        except KeyboardInterrupt:
            print("stopped", {unchanged}, flush=True)
        else:
            print("finished", flush=True)
    """).format(setup=setup, work=work, unchanged=unchanged)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n", process.stderr.read()
            time.sleep(3)  # until the labels are encoded and the engine is at work
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (out, err, process.returncode) == ("stopped True\n", "", 0)


def test_n_jobs_is_the_number_of_threads():
    """Counted in a process of its own, where no other threads come and go."""
    one, three = map(int, run("""
        import os, threading, time
        import numpy as np, suffice

        def threads(n_jobs):
            seen, done = [], threading.Event()
            def watch():
                while not done.is_set():
                    seen.append(len(os.listdir("/proc/self/task")))
                    time.sleep(0.001)
            watcher = threading.Thread(target=watch)
            watcher.start()
            suffice.Statistics.of(X, y, n_jobs=n_jobs)
            done.set()
            watcher.join()
            return max(seen)

        X = np.broadcast_to(np.arange(400.0), (1_600_000, 400))
        y = np.arange(len(X), dtype=np.int8) & 1
        print(threads(1), threads(3))
    """).split())
    assert three == one + 2


@pytest.mark.parametrize("wrong", [0, 1.5, "two"])
def test_n_jobs_that_is_no_number_of_threads(wrong):
    with pytest.raises(ValueError, match="n_jobs"):
        suffice.Statistics.of([[1.0], [2.0]], [0, 1], n_jobs=wrong)


def test_n_jobs_changes_no_bit():
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((5000, 30)), rng.integers(0, 3, 5000)
    one = suffice.Statistics.of(X, y, n_jobs=1)
    for n_jobs in (2, 3, -1, None):
        assert suffice.Statistics.of(X, y, n_jobs=n_jobs) == one
    model = one.estimate()
    first = model.log_likelihood(X, n_jobs=1)
    for n_jobs in (2, -1, None):
        assert np.array_equal(model.log_likelihood(X, n_jobs=n_jobs), first)


def test_exit_while_a_daemon_thread_is_in_a_call():
    """The interpreter ends threads that want its lock back; the process must not be aborted by that."""
    assert run("""
        import threading, time
        import numpy as np, suffice
        X = np.random.default_rng(0).normal(size=(20_000, 30)); y = np.arange(20_000) % 3
        def work():
            while True:
                suffice.Statistics.of(X, y, n_jobs=1)
        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.3)
        print("done")
    """) == "done\n"


def test_exit_while_a_daemon_thread_reads_rows_again():
    """The same where the engine asks for rows several times. Threads want the lock while the last
    module is taken down, which lasts half a second here."""
    assert run("""
        import threading, time
        import numpy as np, suffice
        X = np.random.default_rng(0).normal(size=(60, 60)); y = np.arange(60) % 5
        model = suffice.Statistics.of(X, y).estimate(covariance="tied")
        def work(progress=None):
            while True:
                model.twin(X, y, penalty=1.0, n_jobs=1, progress=progress)
        for i in range(16):
            told = (lambda share: None) if i % 4 == 0 else None
            threading.Thread(target=work, args=[told], daemon=True).start()
        class Late:
            def __del__(self, sleep=time.sleep):
                sleep(0.5)
        late = Late()
        time.sleep(0.3)
        print("done", flush=True)
    """) == "done\n"


def test_exit_while_a_daemon_thread_computes_between_two_readings():
    """Such a thread wants the lock when the interpreter is gone already."""
    assert run("""
        import threading, time
        import numpy as np, suffice
        X = np.random.default_rng(0).normal(size=(100, 300)); y = np.arange(100) % 5
        model = suffice.Statistics.of(X, y).estimate(covariance="tied", shrinkage="auto")
        def work():
            while True:
                model.twin(X, y, penalty=1.0, n_jobs=1)
        for _ in range(16):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.3)
        print("done", flush=True)
    """) == "done\n"
