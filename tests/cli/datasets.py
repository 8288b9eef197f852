"""Data sets by name, for the tests of the command line, of pages and of the Python package.

What a clone has is enough: iris and penguins lie in examples/data, wine, breast cancer and digits in
scikit-learn, and made_data.py draws the others. They are written to build/test-data when they are first
asked for, or all of them by `datasets.py` as a program. Any other name is one of the public data sets that
published figures are about, in the folder that SUFFICE_DATA names or beside the project.
"""
import csv
import gzip
import importlib.util
import io
import os
import re
from pathlib import Path

import numpy as np
import pytest

import made_data

ROOT = Path(__file__).resolve().parents[2]
MADE = Path(os.environ.get("SUFFICE_TEST_DATA") or ROOT / "build" / "test-data")

MNIST = {"train": ("mnist/train-images-idx3-ubyte.gz", "mnist/train-labels-idx1-ubyte.gz"),
         "test": ("mnist/t10k-images-idx3-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz")}
IMAGES = {part: (f"images/{part}-images-idx3-ubyte.gz", f"images/{part}-labels-idx1-ubyte.gz")
          for part in ("train", "test")}


# ---- What a clone has

def as_csv(columns):
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    return text.getvalue().encode()


def of_scikit_learn(file):
    """The bytes of a table that scikit-learn comes with; it need not be imported."""
    found = importlib.util.find_spec("sklearn")
    if not found:
        pytest.skip("no scikit-learn, which has this data set; script/install_python installs it")
    return (Path(found.submodule_search_locations[0]) / "datasets" / "data" / file).read_bytes()


def named_classes(file, features, label):
    """The first line of the file has the classes' names, the last column their numbers."""
    first, *lines = of_scikit_learn(file).decode().splitlines()
    classes = first.split(",")[2:]
    rows = [line.rpartition(",") for line in lines]
    return "".join(f"{line}\n" for line in [",".join([*features, label]),
                                            *(f"{x},{classes[int(y)]}" for x, _, y in rows)]).encode()


WINE = ("alcohol malic_acid ash alcalinity_of_ash magnesium total_phenols flavanoids nonflavanoid_phenols "
        "proanthocyanins color_intensity hue od280_od315_of_diluted_wines proline").split()
CELLS = ("radius texture perimeter area smoothness compactness concavity concave_points symmetry "
         "fractal_dimension").split()
PIXELS = [f"p{row}{column}" for row in range(8) for column in range(8)]


def digits():
    return gzip.decompress(of_scikit_learn("digits.csv.gz")).decode().replace("\r", "")


def idx(array):
    """Bytes as the IDX format has them."""
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">i4").tobytes() + array.tobytes()


def pictures(part, which):
    table = np.array([line.split(",") for line in digits().split()], float)
    return idx(made_data.images(part, table[:, :-1], table[:, -1])[which])


HERE = {
    "iris.csv.gz": lambda: (ROOT / "examples" / "data" / "iris.csv").read_bytes(),
    "penguins.csv.gz": lambda: (ROOT / "examples" / "data" / "penguins.csv").read_bytes(),
    "wine.csv.gz": lambda: named_classes("wine_data.csv", WINE, "cultivar"),
    "breast_cancer_wdbc.csv.gz": lambda: named_classes(
        "breast_cancer.csv", [f"{kind}_{what}" for kind in ("mean", "se", "worst") for what in CELLS], "diagnosis"),
    "digits.csv.gz": lambda: (",".join([*PIXELS, "digit"]) + "\n" + digits()).encode(),
    "glyphs.csv.gz": lambda: as_csv(made_data.glyphs()),
    "census_train.csv.gz": lambda: as_csv(made_data.census("train")),
    "census_test.csv.gz": lambda: as_csv(made_data.census("test")),
    "passengers.csv.gz": lambda: as_csv(made_data.passengers()),
    "mail.csv.gz": lambda: as_csv(made_data.mail()),
    "messages.csv.gz": lambda: as_csv(made_data.messages()),
    **{name: lambda part=part, which=which: pictures(part, which)
       for part, names in IMAGES.items() for which, name in enumerate(names)},
}
SOURCES = [Path(__file__), Path(made_data.__file__)]


def data_folder():
    """The folder of the public data sets: the one that SUFFICE_DATA names, or the one beside the project."""
    return Path(os.environ.get("SUFFICE_DATA") or ROOT / ".." / "shared" / "data")


def data_file(name):
    """The path of a data set's file; skips the test where it is absent."""
    if name in HERE:
        return made(name)
    file = data_folder() / name
    if not file.exists():
        pytest.skip(f"no file {file}; set SUFFICE_DATA to the folder with the public data sets")
    return file


def made(name):
    """The path of a file in build/test-data, which is written if it is absent or older than what makes it."""
    file = MADE / name
    if not file.exists() or file.stat().st_mtime < max(source.stat().st_mtime for source in SOURCES):
        content = gzip.compress(HERE[name](), 1, mtime=0)
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_name(f".{os.getpid()}-{file.name}")  # tests run in several processes
        unfinished.write_bytes(content)
        unfinished.replace(file)
    return file


# ---- Reading them

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
    """word_counts of the public messages in a folder."""
    return word_counts(data / "sms_spam.csv.gz")


def word_counts(path):
    """Counts of words by number, and labels. A word is a run of ASCII letters and digits, in lower
    case; numbers are in the order of the alphabet, from 0."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
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


if __name__ == "__main__":
    for each in HERE:
        print(made(each))
