"""Text columns against scikit-learn's CountVectorizer: MB/s from a CSV to counts, on one core.

    python3 bench/text.py build/suffice ../shared/data/sms_spam.csv.gz

Both sides are measured in turns, and the best of several rounds counts. scikit-learn gets the documents
as a list of strings in memory; reading the CSV is not part of its time.
"""
import argparse
import csv
import gzip
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np


def sms(path, copies):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return rows * copies


def zipf(documents, words_each, vocabulary, seed=1):
    """Documents of words that are drawn with probability ~ 1 / rank."""
    rng = np.random.default_rng(seed)
    weights = np.cumsum(1 / np.arange(1, vocabulary + 1))
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    names = []
    for rank in range(vocabulary):
        length = 2 + int(np.log2(rank + 2) / 2)
        names.append("".join(letters[rng.integers(0, 26, length)]) + np.base_repr(rank, 36).lower())
    names = np.array(names)
    rows = []
    for i in range(documents):
        drawn = np.searchsorted(weights, rng.random(words_each) * weights[-1])
        rows.append(["ab"[i % 2], " ".join(names[drawn])])
    return rows


def write(rows, path):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["label", "text"], *rows])
    return path.stat().st_size / 1e6


# The peak of memory of a child is never below that of the process that starts it: a small one does.
LAUNCH = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
print(status, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3)
"""


def ours(binary, path, folder, *flags):
    """Seconds of CPU, and MB of memory."""
    words = [binary, "stats", path, "--label", "label", "--family", "text=text", "--threads", "1", "--quiet", *flags,
             "-o", folder / "text.stats"]
    said = subprocess.run([sys.executable, "-c", LAUNCH, *map(str, words)], check=True, capture_output=True, text=True)
    status, cpu, memory = map(float, said.stdout.split())
    if status:
        sys.exit(f"suffice failed: {said.stderr}")
    return cpu, memory


def theirs(documents):
    from sklearn.feature_extraction.text import CountVectorizer
    start = time.process_time()
    CountVectorizer().fit_transform(documents)
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path)
    parser.add_argument("sms", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="a tenth of the rows")
    given = parser.parse_args()
    share = 10 if given.small else 1
    corpora = {"SMS spam, repeated": sms(given.sms, 200 // share),
               "Zipf, a million words": zipf(200_000 // share, 100, 1_000_000)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, rows in corpora.items():
            path = folder / "text.csv"
            size = write(rows, path)
            documents = [row[1] for row in rows]
            best = {"suffice": 1e9, "hashed": 1e9, "CountVectorizer": 1e9}
            memory = {}
            for _ in range(given.rounds):
                for side, flags in (("suffice", []), ("hashed", ["--hash-bits", "18"])):
                    cpu, memory[side] = ours(given.binary.absolute(), path, folder, *flags)
                    best[side] = min(best[side], cpu)
                best["CountVectorizer"] = min(best["CountVectorizer"], theirs(documents))
            print(f"{title}: {size:.0f} MB, {len(rows)} documents")
            for side, seconds in best.items():
                shown = f", {memory[side]:.0f} MB of memory" if side in memory else ""
                print(f"  {side:16} {seconds:7.2f} s of CPU  {size / seconds:6.0f} MB/s{shown}")


if __name__ == "__main__":
    main()
