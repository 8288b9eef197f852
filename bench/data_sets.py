"""The public data sets of the benchmarks: where they are, what their columns are, how they are split.

Needs nothing but Python. A set with test rows of its own keeps them; the others are dealt into folds,
stratified by class, the same in every run.
"""
import collections
import csv
import dataclasses
import gzip
import os
import pathlib
import random
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("SUFFICE_DATA") or ROOT / ".." / "shared" / "data")
FOLDS = 10
FEW_ROWS, DEALS = 1000, 3  # fewer rows are dealt into folds this many times: a handful of errors means little


@dataclasses.dataclass(frozen=True)
class DataSet:
    name: str
    files: tuple            # one table; or training rows and test rows
    label: str = ""         # the column; images have their labels in a file of their own
    ignore: tuple = ()      # columns
    features: tuple = ()    # columns or patterns; all others if there are none
    words: int = 0          # > 0: the table has texts; this many frequent words are counted instead
    test_from: int = 0      # > 0: the number of the first test row, in one table
    is_test: str = ""       # a file with a column of 0 and 1, in the order of the rows

    @property
    def images(self):
        return "images-idx3" in self.files[0]

    @property
    def in_folds(self):
        return len(self.files) == 1 and not self.test_from and not self.is_test

    def flags(self):
        """What the program is told about the columns."""
        told = {"--label": self.label, "--ignore": ",".join(self.ignore), "--features": ",".join(self.features)}
        return [word for flag, value in told.items() if value for word in (flag, value)]

    def missing(self, data):
        """The files that are not there."""
        paths = [data / file for file in (*self.files, self.is_test) if file]
        paths += [labels_of(path) for path in paths if self.images]
        return [str(path) for path in paths if not path.exists()]


def labels_of(images):
    return images.with_name(images.name.replace("images-idx3", "labels-idx1"))


def labels_flag(path):
    return ["--labels", labels_of(path)] if "images-idx3" in path.name else []


IRIS = DataSet("iris", ("iris.csv.gz",), "species")
PENGUINS = DataSet("penguins", ("penguins.csv.gz",), "species", ignore=("year",))
PENGUIN_BILLS = DataSet("penguins, bills only", ("penguins.csv.gz",), "species", features=("bill_*",))
WINE = DataSet("wine", ("wine.csv.gz",), "cultivar")
BREAST_CANCER = DataSet("breast cancer", ("breast_cancer_wdbc.csv.gz",), "diagnosis")
TITANIC = DataSet("titanic", ("titanic.csv.gz",), "Survived",
                  ignore=("PassengerId", "Name", "Ticket", "Cabin"))
SPAMBASE = DataSet("spambase", ("spambase.csv.gz",), "is_spam")
SPAMBASE_ESL = DataSet("spambase, split of ESL", ("spambase.csv.gz",), "is_spam",
                       is_test="spambase_esl_split.csv.gz")
SMS_50 = DataSet("SMS, 50 words", ("sms_spam.csv.gz",), "label", words=50)
SMS_300 = DataSet("SMS, 300 words", ("sms_spam.csv.gz",), "label", words=300)
LETTER = DataSet("letter", ("letter.csv.gz",), "letter")
LETTER_SPLIT = DataSet("letter", ("letter.csv.gz",), "letter", test_from=16000)
ADULT = DataSet("adult", ("adult_train.csv.gz", "adult_test.csv.gz"), "income")
ADULT_NUMBERS = DataSet("adult, numbers only", ADULT.files, "income", features=(
    "age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"))
OPTICAL_DIGITS = DataSet("optical digits", ("optdigits_train.csv.gz", "optdigits_test.csv.gz"), "digit")
MNIST = DataSet("MNIST", ("mnist/train-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz"))


def read_table(path):
    """The header and the rows, as text."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def write_table(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def word_counts(header, rows, words):
    """How often each of the most frequent words of all texts occurs in each text."""
    label, text = header.index("label"), header.index("text")
    texts = [re.findall(r"[a-z0-9]+", row[text].lower()) for row in rows]
    frequency = collections.Counter(word for found in texts for word in found)
    frequent = sorted(frequency, key=lambda word: (-frequency[word], word))[:words]
    counts = [collections.Counter(found) for found in texts]
    return (["label"] + [f"word_{word}" for word in frequent],
            [[row[label]] + [count[word] for word in frequent] for row, count in zip(rows, counts)])


def dealt(labels, folds, seed):
    """The fold of each row: the rows of each class are shuffled and dealt in turn, and the next class
    begins where the last one ended."""
    of_class = collections.defaultdict(list)
    for row, label in enumerate(labels):
        of_class[label].append(row)
    shuffled = []
    for label in sorted(of_class):
        random.Random(f"{seed} {label}").shuffle(of_class[label])
        shuffled += of_class[label]
    fold_of = [0] * len(labels)
    for position, row in enumerate(shuffled):
        fold_of[row] = position % folds
    return fold_of


def whole_table(data_set, data, folder):
    """The path of one table with all rows."""
    path = data / data_set.files[0]
    if not data_set.words:
        return path
    return write_table(folder / "words.csv", *word_counts(*read_table(path), data_set.words))


def splits(data_set, data, folder):
    """The paths of training and test rows: one pair, or one for each fold of each deal. Files that have to
    be written are written into `folder`."""
    if len(data_set.files) == 2:
        return [tuple(data / file for file in data_set.files)]
    header, rows = read_table(data / data_set.files[0])
    if data_set.words:
        header, rows = word_counts(header, rows, data_set.words)
    if data_set.test_from:
        deals = [[0 if row >= data_set.test_from else -1 for row in range(len(rows))]]
    elif data_set.is_test:
        deals = [[0 if cell == "1" else -1 for (cell,) in read_table(data / data_set.is_test)[1]]]
    else:
        label = header.index(data_set.label)
        deals = [dealt([row[label] for row in rows], FOLDS, seed)
                 for seed in range(DEALS if len(rows) < FEW_ROWS else 1)]
    pairs = []
    for fold_of in deals:
        for fold in range(max(fold_of) + 1):
            train = [row for row, f in zip(rows, fold_of, strict=True) if f != fold]
            test = [row for row, f in zip(rows, fold_of, strict=True) if f == fold]
            pairs.append((write_table(folder / f"train-{len(pairs)}.csv", header, train),
                          write_table(folder / f"test-{len(pairs)}.csv", header, test)))
    return pairs
