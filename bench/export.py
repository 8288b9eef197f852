"""Exported models beside those of other exporters, of the same data: ONNX beside skl2onnx, C beside emlearn
and m2cgen. Prints tables in Markdown.

usage: export.py PROGRAM [--repeats N]

Needs scikit-learn, onnxruntime, skl2onnx 1.20, m2cgen 0.10, emlearn 0.23 and cc, in an environment of its own.
Times are the best of several runs in one thread; nothing else should run meanwhile.
"""
import argparse
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import onnxruntime
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

ROWS = 1000  # of a batch; the intermediate numbers of larger ones leave the caches
MODELS = {"naive Bayes": (GaussianNB, "diag"), "LDA": (LinearDiscriminantAnalysis, "tied"),
          "QDA": (lambda: QuadraticDiscriminantAnalysis(reg_param=1e-3), "full")}


def tables():
    """Noise makes constant pixels vary, which QDA needs."""
    random = np.random.default_rng(1)
    for name, load in (("iris, 4 × 3", load_iris), ("wdbc, 30 × 2", load_breast_cancer),
                       ("digits, 64 × 10", load_digits)):
        x, y = load(return_X_y=True)
        x = (x + random.normal(scale=0.01 * np.maximum(1, x.std(0)), size=x.shape)).astype(np.float32).astype(float)
        yield name, x, np.array([f"c{label}" for label in y])


class Fitted:
    """Our model of a table, in a folder."""

    def __init__(self, program, folder, x, y, covariance):
        self.program, self.folder = program, Path(folder)
        header = ",".join([f"x{j}" for j in range(x.shape[1])] + ["y"])
        lines = [",".join([*map(repr, row.tolist()), label]) for row, label in zip(x, y)]
        (self.folder / "table.csv").write_text("\n".join([header, *lines]) + "\n")
        self.run("fit", "table.csv", "--label", "y", "--covariance", covariance, "--tails", "normal",
                 "--calibration", "none", "-o", "model.suffice")

    def run(self, *words):
        subprocess.run([self.program, *words, "--quiet"], cwd=self.folder, check=True)

    def export(self, target, *words):
        self.run("export", "model.suffice", "--to", target, *words, "-o", f"model.{target}")
        return (self.folder / f"model.{target}").read_bytes()


def graph_times(graphs, x, repeats):
    """µs per row of a large batch, and µs of a single row, of several graphs by turns; their labels."""
    sessions = []
    for data, outputs in graphs:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 3
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        sessions.append((session, session.get_inputs()[0].name, outputs))
    best = np.full((len(graphs), 2), np.inf)
    for _ in range(repeats):
        for g, (session, name, outputs) in enumerate(sessions):
            for kind, rows in enumerate((x, x[:1])):
                begin = time.perf_counter()
                session.run(outputs, {name: rows})
                best[g, kind] = min(best[g, kind], (time.perf_counter() - begin) / len(rows) * 1e6)
    return best, [session.run(outputs, {name: x})[0] for session, name, outputs in sessions]


def onnx_table(program, repeats):
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType
    print("| ONNX | | suffice: µs per row | skl2onnx | one row: µs | skl2onnx | bytes | skl2onnx |")
    print("|---|---|---|---|---|---|---|---|")
    for name, x, y in tables():
        many = np.tile(x, (ROWS // len(x) + 1, 1))[:ROWS]
        for model, (make, covariance) in MODELS.items():
            estimator = make().fit(x, y)
            with tempfile.TemporaryDirectory() as folder:
                ours = Fitted(program, folder, x, y, covariance)
                for real, kind, number in (("double", DoubleTensorType, np.float64),
                                           ("float", FloatTensorType, np.float32)):
                    theirs = to_onnx(estimator, initial_types=[("X", kind([None, x.shape[1]]))], target_opset=17,
                                     options={id(estimator): {"zipmap": False}}).SerializeToString()
                    own = ours.export("onnx", "--input", "matrix", "--real", real,
                                      *(["--relative"] if covariance == "tied" else []))
                    (a, b), labels = graph_times([(own, ["label", "posterior"]), (theirs, None)],
                                                 many.astype(number), repeats)
                    same = np.mean(labels[0] == labels[1])
                    print(f"| {name} | {model}, {real} ({same:.1%} equal labels) | {a[0]:.2f} | {b[0]:.2f} | "
                          f"{a[1]:.0f} | {b[1]:.0f} | {len(own)} | {len(theirs)} |", flush=True)


def decisions_per_second(folder, source, include, repeats):
    """ns per decision, bytes of code and tables, and the classes of all rows."""
    (folder / "run.c").write_text(source)
    subprocess.run(["cc", "-O2", f"-I{include}", "-c", "run.c", "-o", "run.o"], cwd=folder, check=True)
    subprocess.run(["cc", "run.o", "-lm", "-o", "run"], cwd=folder, check=True)
    sizes = subprocess.run(["size", "-A", "run.o"], cwd=folder, capture_output=True, text=True, check=True).stdout
    size = sum(int(line.split()[1]) for line in sizes.splitlines()
               if line.startswith((".text", ".rodata", ".data")))
    best, classes = np.inf, None
    for _ in range(repeats):
        words = subprocess.run(["./run"], cwd=folder, capture_output=True, text=True, check=True).stdout.split()
        best, classes = min(best, float(words[0])), np.array(words[1:], int)
    return best, size, classes


PROGRAM = """#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>
{includes}
static {type} rows[{rows}][{columns}];
static int decided[{rows}];
{functions}
int main(void) {{
  struct timespec a, b;
  int i, k;
  FILE *file = fopen("rows.bin", "rb");
  if (!file || fread(rows, sizeof rows, 1, file) != 1) return 1;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (k = 0; k < 10; ++k)
    for (i = 0; i < {rows}; ++i) decided[i] = {decide};
  clock_gettime(CLOCK_MONOTONIC, &b);
  printf("%g\\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / (10.0 * {rows}));
  for (i = 0; i < {rows}; ++i) printf("%d\\n", decided[i]);
  return 0;
}}
"""


def c_table(program, repeats):
    import emlearn
    import m2cgen
    print("| C | | ns per decision | bytes | labels equal to scikit-learn's |")
    print("|---|---|---|---|---|")
    for name, x, y in tables():
        for model, (make, covariance) in MODELS.items():
            estimator = make().fit(x, y)
            expected = np.searchsorted(estimator.classes_, estimator.predict(x))
            with tempfile.TemporaryDirectory() as folder:
                folder = Path(folder)
                ours = Fitted(program, folder, x, y, covariance)

                def report(who, functions, decide, number, includes, include="."):
                    x.astype(number).tofile(folder / "rows.bin")
                    source = PROGRAM.format(includes=includes, rows=len(x), columns=x.shape[1], functions=functions,
                                            type={"float64": "double", "float32": "float"}[np.dtype(number).name],
                                            decide=decide)
                    time_, size, classes = decisions_per_second(folder, source, include, repeats)
                    print(f"| {name} | {model}: {who} | {time_:.0f} | {size} | {np.mean(classes == expected):.1%} |",
                          flush=True)

                for real, number in (("double", np.float64), ("float", np.float32)):
                    ours.export("c", "--name", "m", "--real", real, *(["--relative"] if covariance == "tied" else []))
                    labels = sorted(set(y))
                    (folder / "model.h").write_bytes((folder / "model.c").read_bytes())
                    assert labels == [str(label) for label in estimator.classes_]
                    report(f"suffice {real}", "", "m_decide(rows[i])", number, '#include "model.h"')
                if model == "LDA":  # m2cgen has no LDA, but takes its weights as a logistic regression's
                    linear = LogisticRegression()
                    linear.classes_, linear.coef_, linear.intercept_ = (np.arange(len(estimator.classes_)),
                                                                        estimator.coef_, estimator.intercept_)
                    wide = len(estimator.classes_) > 2
                    body = ("double s[%d]; int c, best = 0; score(x, s); for (c = 1; c < %d; ++c) if (s[c] > s[best]) "
                            "best = c; return best;" % (len(labels), len(labels)) if wide else "return score(x) > 0;")
                    code = m2cgen.export_to_c(linear)
                    if not wide and "void score" in code:
                        body = "double s[2]; score(x, s); return s[1] > s[0];"
                    report("m2cgen", f"{code}\nstatic int decide(double *x) {{ {body} }}", "decide(rows[i])",
                           np.float64, "")
                if model == "naive Bayes":
                    try:
                        numbered = GaussianNB().fit(x, np.searchsorted(labels, y))
                        emlearn.convert(numbered).save(file=str(folder / "other.h"), name="other")
                        report("emlearn", "", f"other_predict(rows[i], {x.shape[1]})", np.float32,
                               '#include "other.h"', emlearn.includedir)
                    except Exception as error:  # it gives up on more than ten classes, for example
                        print(f"| {name} | {model}: emlearn | {type(error).__name__}: {str(error)[:60]} | | |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--repeats", type=int, default=30)
    words = parser.parse_args()
    warnings.simplefilter("ignore")
    program = str(Path(words.program).absolute())
    onnx_table(program, words.repeats)
    print()
    c_table(program, max(3, words.repeats // 6))


if __name__ == "__main__":
    main()
