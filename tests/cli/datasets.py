"""The public data sets as the tests of the command line and the script of its references read them."""
import csv
import gzip
import os
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]

MNIST = {"train": ("mnist/train-images-idx3-ubyte.gz", "mnist/train-labels-idx1-ubyte.gz"),
         "test": ("mnist/t10k-images-idx3-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz")}


def data_folder():
    """The folder that SUFFICE_DATA names, or the one beside the project."""
    return Path(os.environ.get("SUFFICE_DATA") or ROOT / ".." / "shared" / "data")


def data_file(name):
    """The path of a data set's file; skips the test where it is absent."""
    file = data_folder() / name
    if not file.exists():
        pytest.skip(f"no file {file}; set SUFFICE_DATA to the folder with the public data sets")
    return file


def read_lines(path):
    """The header and the rows of a gzipped CSV as lines of text; no cell has a line end."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = file.read().splitlines(keepends=True)
    return header, rows


def read_idx(path):
    """Bytes, one row an image."""
    with gzip.open(path, "rb") as file:
        data = file.read()
    shape = np.frombuffer(data, ">i4", count=data[3], offset=4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * len(shape)).reshape(
        (shape[0], -1) if len(shape) > 1 else shape)


def sms_documents(data):
    """Counts of words by number, and labels. A word is a run of ASCII letters and digits, in lower
    case; numbers are in the order of the alphabet, from 0."""
    with gzip.open(data / "sms_spam.csv.gz", "rt", encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    ascii_lower = lambda text: re.sub(r"[A-Z]", lambda m: m.group().lower(), text)
    documents = [re.findall(r"[a-z0-9]+", ascii_lower(row["text"])) for row in table]
    number = {w: i for i, w in enumerate(sorted({w for d in documents for w in d}))}
    counts = []
    for words in documents:
        counts.append({})
        for n in sorted(number[w] for w in words):
            counts[-1][n] = counts[-1].get(n, 0) + 1
    return counts, [row["label"] for row in table]


def libsvm_line(label, counts):
    """"label index:value …" with indices from 1, as the format has it."""
    return " ".join([label] + [f"{index + 1}:{value}" for index, value in counts.items()]) + "\n"


def read_table(path, most=None):
    """The rows of a CSV file, gzipped or not, as dictionaries."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))[:most]


def write_table(path, lines):
    """A CSV file of dictionaries."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    return path
