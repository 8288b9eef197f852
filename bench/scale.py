#!/usr/bin/env python3
"""Statistics on clusters: a Spark of a master and two workers with one CPU each on this machine, and a
Dask cluster of two processes, over Parquet files.

Ways take turns, and the smallest time of each counts. A first turn that is not counted starts Java and
Python processes. Everything that a call does is in its time, from files to merged sums or a model.

  script/bench --scale [--quick] [--share F] [--repeats N] [--write]

dask-ml is compared where it is installed. `--share 0.2` takes a fifth of the rows.
"""

import argparse
import contextlib
import datetime
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings

import numpy as np
import pyarrow
import pyarrow.parquet

warnings.simplefilter("ignore")
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

import pyspark  # noqa: E402
from compare import ROOT, machine  # noqa: E402

import suffice  # noqa: E402

CLASSES = 10
FILES = 16
SHAPES = [(10_000_000, 20), (1_000_000, 200)]


def write_rows(folder, rows, features, offset=0.0):
    """Files of normal numbers, whose means differ by class."""
    rng = np.random.default_rng(features)
    folder.mkdir()
    for number in range(FILES):
        count = rows // FILES
        y = rng.integers(0, CLASSES, count)
        X = rng.standard_normal((features, count)) + 0.3 * np.sin(np.arange(features)[:, None] + y) + offset
        columns = {f"x{j}": X[j] for j in range(features)} | {"y": y}
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / f"part-{number:02}.parquet",
                                    compression="none", use_dictionary=["y"], row_group_size=100_000)


@contextlib.contextmanager
def spark_cluster(folder):
    """The session of a standalone cluster of two workers, and the processes of the workers."""
    home = pathlib.Path(pyspark.__file__).parent
    port = free_port()
    environment = os.environ | {"SPARK_HOME": str(home), "SPARK_NO_DAEMONIZE": "1",
                                "SPARK_WORKER_DIR": str(folder / "work"),
                                "SPARK_LOCAL_DIRS": str(folder / "local")}

    def start(*words):
        return subprocess.Popen([str(home / "bin" / "spark-class"), *map(str, words)], env=environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                start_new_session=True)

    master = start("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", port,
                   "--webui-port", free_port())
    time.sleep(6)
    url = f"spark://127.0.0.1:{port}"
    workers = [start("org.apache.spark.deploy.worker.Worker", "--cores", 1, "--memory", "3g", "--host",
                     "127.0.0.1", "--webui-port", free_port(), url) for _ in range(2)]
    time.sleep(6)
    session = (pyspark.sql.SparkSession.builder.master(url).appName("scale")
               .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
               .config("spark.executor.memory", "2g").config("spark.driver.memory", "2g")
               .config("spark.driver.host", "127.0.0.1")
               .config("spark.local.dir", str(folder / "local")).getOrCreate())
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session, workers
    finally:
        session.stop()
        for process in (*workers, master):
            end(process)


def end(process):
    """The process and those that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def measured(ways, repeats):
    """The smallest time of each way, and what it returned; ways take turns."""
    best, answers = dict.fromkeys(ways, float("inf")), {}
    for turn in range(repeats + 1):
        for name, way in ways.items():
            begin = time.perf_counter()
            answers[name] = way()
            if turn:
                best[name] = min(best[name], time.perf_counter() - begin)
                print(f"  {name}: {best[name]:.1f} s", flush=True)
    return best, answers


def nothing(batches):
    """An empty mapInArrow: the rows come to Python, and that is all."""
    rows = sum(batch.num_rows for batch in batches)
    yield pyarrow.record_batch({"n": [rows]})


def naive_bayes(frame, features):
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import VectorAssembler

    names = [f"x{j}" for j in range(features)]
    rows = VectorAssembler(inputCols=names, outputCol="features").transform(frame)
    return NaiveBayes(modelType="gaussian", labelCol="y").fit(rows.select("features", "y"))


def error_of(found, truth):
    """Of variances, relative; the largest."""
    return float(np.abs(found / truth - 1).max())


def in_spark(session, workers, folder, rows, features, repeats):
    import suffice.spark

    frame = session.read.parquet(str(folder))
    ways = {
        "Spark, empty mapInArrow": lambda: frame.mapInArrow(nothing, "n long").collect(),
        "Spark, suffice.spark.statistics": lambda: suffice.spark.statistics(frame, "y"),
        "Spark, statistics_of_files":
            lambda: suffice.spark.statistics_of_files(session, str(folder), "y"),
        "Spark, pyspark.ml NaiveBayes (diagonal)": lambda: naive_bayes(frame, features),
    }
    return measured(ways, repeats)


def in_dask(folder, features, repeats):
    import dask.dataframe
    from distributed import Client, LocalCluster

    import suffice.dask

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50,
                      memory_limit="4GiB") as cluster, Client(cluster):
        frame = dask.dataframe.read_parquet(str(folder))
        names = [f"x{j}" for j in range(features)]
        ways = {"Dask, read_parquet alone": lambda: dask.compute(
                    [dask.delayed(len)(part) for part in frame.to_delayed()]),
                "Dask, suffice.dask.statistics": lambda: suffice.dask.statistics(frame, "y")}
        try:
            from dask_ml.naive_bayes import GaussianNB

            X, y = (frame[of].to_dask_array().compute_chunk_sizes() for of in (names, "y"))
            GaussianNB().fit(X[:1000], y[:1000])
            ways["Dask, dask-ml GaussianNB (diagonal)"] = lambda: dask.compute(GaussianNB().fit(X, y).sigma_)
        except Exception as error:
            print(f"  dask-ml: {type(error).__name__}: {str(error).splitlines()[0]}")
        return measured(ways, repeats)


def cancellation(session, folder):
    """Variances of numbers at an offset: their largest relative errors."""
    import suffice.spark

    lines = []
    for offset in (0.0, 1e3, 1e6, 1e9):
        place = folder / f"offset-{offset:g}"
        write_rows(place, 160_000, 3, offset)
        frame = session.read.parquet(str(place))
        table = pyarrow.parquet.read_table(place).to_pandas()
        table[["x0", "x1", "x2"]] -= offset  # without rounding
        truth = table.groupby("y")[["x0", "x1", "x2"]].var(ddof=0).to_numpy()
        ours = suffice.spark.statistics(frame, "y").estimate("diag", shrinkage=0).blocks[0]["covariance"]
        theirs = naive_bayes(frame, 3).sigma.toArray()
        lines.append((offset, error_of(theirs, truth), error_of(ours, truth), int((theirs <= 0).sum())))
    return lines


def killed_worker(session, workers, folder):
    """One worker dies during the pass; the result, and whether it is the same."""
    import suffice.spark

    frame = session.read.parquet(str(folder))
    begin = time.perf_counter()
    before = suffice.spark.statistics(frame, "y")
    whole = time.perf_counter() - begin
    killer = threading.Timer(whole / 2, end, [workers[0]])
    killer.start()
    begin = time.perf_counter()
    after = suffice.spark.statistics(frame, "y")
    took = time.perf_counter() - begin
    killer.join()
    return after == before, whole, took


def scatter_error(found, truth):
    """Relative to √(S_ii S_jj), the largest."""
    a, b = found.blocks[0]["scatter"], truth.blocks[0]["scatter"]
    diagonal = np.sqrt(np.einsum("kii->ki", b))
    return float((np.abs(a - b) / (diagonal[:, :, None] * diagonal[:, None, :])).max())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rows, to see whether it runs")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="also into bench/scale.md")
    given = parser.parse_args()
    share = 0.002 if given.quick else given.share
    folder = pathlib.Path(tempfile.mkdtemp(prefix="suffice-scale-"))
    other_work = "; the CPUs had other work, so the times are upper bounds" if os.getloadavg()[1] > 0.5 else ""
    lines = [f"{machine()}; pyspark {pyspark.__version__}, a master and two workers of one CPU each; Dask "
             f"with two processes; Parquet without compression in {FILES} files; {CLASSES} classes; "
             f"{datetime.date.today()}; smallest of {given.repeats} turns{other_work}", ""]
    try:
        with spark_cluster(folder) as (session, workers):
            for rows, features in SHAPES:
                rows = int(rows * share) // FILES * FILES
                place = folder / f"rows-{features}"
                print(f"{rows} × {features}", flush=True)
                write_rows(place, rows, features)
                size = sum(file.stat().st_size for file in place.iterdir())
                truth = suffice.Statistics.of(str(place), "y")
                times, answers = in_spark(session, workers, place, rows, features, given.repeats)
                more = in_dask(place, features, given.repeats)
                times, answers = times | more[0], answers | more[1]
                one = measured({"one process, Statistics.of":
                                lambda: suffice.Statistics.of(str(place), "y")}, given.repeats)
                times, answers = times | one[0], answers | one[1]
                lines += [f"## {rows:,} rows × {features} features ({size / 1e9:.2f} GB)", "",
                          "| way | s | million rows / s | largest error of the scatter |",
                          "| --- | --- | --- | --- |"]
                for name, seconds in times.items():
                    answer = answers[name]
                    error = f"{scatter_error(answer, truth):.0e}" if isinstance(
                        answer, suffice.Statistics) else ""
                    lines.append(f"| {name} | {seconds:.2f} | {rows / seconds / 1e6:.2f} | {error} |")
                state = len(answers["Spark, suffice.spark.statistics"].to_bytes())
                lines += ["", f"A state is {state:,} bytes.", ""]
            lines += ["## An offset", "", "Largest relative error of the variances of 160,000 rows.", "",
                      "| offset | pyspark.ml NaiveBayes | variances ≤ 0 there | suffice.spark |",
                      "| --- | --- | --- | --- |"]
            lines += [f"| {offset:g} | {theirs:.1e} | {negative} of {3 * CLASSES} | {ours:.1e} |"
                      for offset, theirs, ours, negative in cancellation(session, folder)]
            same, whole, took = killed_worker(session, workers, folder / f"rows-{SHAPES[0][1]}")
            lines += ["", "## A killed worker", "",
                      f"One of the two workers was killed in the middle of the pass: {took:.1f} s instead of "
                      f"{whole:.1f} s, and the sums are "
                      + ("the same to the last bit." if same else "DIFFERENT."), ""]
            assert same, "a killed worker has changed the sums"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    text = "# On clusters\n\n" + "\n".join(lines)
    print(text)
    if given.write:
        (ROOT / "bench" / "scale.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
