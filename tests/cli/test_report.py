"""suffice report: one HTML page that a browser and a parser can read."""
from html.parser import HTMLParser

import pytest

from program import good, good_json, refused, run

VOID = {"meta", "br", "path", "line", "rect"}


class Page(HTMLParser):
    """Checks that elements nest; keeps the text, headings and what a browser would load."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.loads = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.loads += [value for name, value in attributes if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return "\n".join(self.words)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    rows = ["x,y,<kind>,class"]
    for i in range(40):
        rows.append(f"{i % 7},{'' if i == 3 else i % 5},{'odd' if i % 2 else '<b>even'},"
                    f"{'<script>' if i % 7 + i % 5 > 5 else 'b&w'}")
    (folder / "train.csv").write_text("\n".join(rows) + "\n")
    good("fit", "train.csv", "--label", "class", "--covariance", "tied", "-o", "tied.suffice",
         folder=folder)
    good("fit", "train.csv", "--label", "class", "--covariance", "diag", "-o", "diag.suffice",
         folder=folder)
    return folder


def test_a_page_has_the_figures_of_evaluate(folder):
    good("report", "tied.suffice", "train.csv", "-o", "page.html", folder=folder)
    page = Page((folder / "page.html").read_text(encoding="utf-8"))
    found = good_json("evaluate", "tied.suffice", "train.csv", folder=folder)
    assert f"{found['log_loss']:.4g}" in page.text
    assert f"{found['detection']['cllr']:.4g}" in page.text
    for heading in ("Which classes are confused", "Errors at every prior", "Misses and false alarms",
                    "Where each class is decided", "The rows with the highest loss",
                    "How to make this page again"):
        assert heading in page.words
    assert "suffice report tied.suffice train.csv -o page.html" in page.text
    assert page.loads == []  # nothing comes from elsewhere


def test_names_are_text_and_never_markup(folder):
    good("report", "tied.suffice", "train.csv", "-o", "page.html", folder=folder)
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert "<script" not in text and "<b>" not in text
    assert "<script>" in Page(text).text


def test_the_worst_row_is_the_one_with_the_highest_loss(folder):
    good("report", "tied.suffice", "train.csv", "-o", "page.html", folder=folder)
    lines = good("predict", "tied.suffice", "train.csv", "--output", "proba", "--digits", "full", folder=folder)
    import csv
    import io
    answers = list(csv.DictReader(io.StringIO(lines)))
    truth = [row["class"] for row in csv.DictReader(open(folder / "train.csv", encoding="utf-8"))]
    of_truth = [float(row[f"proba:{label}"]) for row, label in zip(answers, truth)]
    worst = of_truth.index(min(of_truth)) + 1
    words = Page((folder / "page.html").read_text(encoding="utf-8")).words
    assert next(word for word in words if word.startswith("row ")) == f"row {worst}"


def test_two_models_and_a_model_alone(folder):
    good("report", "tied.suffice", "diag.suffice", "train.csv", "-o", "two.html", folder=folder)
    two = Page((folder / "two.html").read_text(encoding="utf-8"))
    assert two.words.count("tied.suffice") > 5 and two.words.count("diag.suffice") > 5
    good("report", "diag.suffice", "-o", "alone.html", folder=folder)
    alone = Page((folder / "alone.html").read_text(encoding="utf-8"))
    assert "Where each class is decided" in alone.words and "Figures" not in alone.words
    assert "the model has no correlations" in alone.text


def test_the_page_is_the_same_for_any_number_of_threads(folder):
    pages = []
    for threads in ("1", "3"):
        good("report", "tied.suffice", "train.csv", "-o", "page.html", "--threads", threads,
             folder=folder)
        pages.append((folder / "page.html").read_text(encoding="utf-8").split("How to make")[0])
    assert pages[0] == pages[1]


def test_what_cannot_be_shown_is_refused(folder):
    (folder / "other.csv").write_text(
        "x,y,<kind>,class\n1,2,odd,c\n2,4,odd,c\n3,4,odd,d\n5,1,odd,d\n")
    good("fit", "other.csv", "--label", "class", "--covariance", "tied-diag", "-o", "other.suffice",
         folder=folder)
    refused(run("report", "tied.suffice", "other.suffice", "train.csv", folder=folder), 1,
            "other classes")
    refused(run("report", "tied.suffice", "other.csv", folder=folder), 1, "label that the model")
    refused(run("report", "tied.suffice", "train.csv", "-o", "no/such/page.html", folder=folder), 1,
            "no")
    (folder / "unlabelled.csv").write_text("x,y,<kind>\n1,2,odd\n")
    refused(run("report", "tied.suffice", "unlabelled.csv", folder=folder), 1, "class")
    assert not (folder / "report.html").exists()


def test_missing_values_are_those_of_columns(data, tmp_path):
    """Indicators of a column's levels are several features, but the cells are those of the column."""
    table = data("penguins.csv.gz")
    good("fit", table, "--label", "species", "--categories", "within", "-o", tmp_path / "m.suffice")
    good("report", tmp_path / "m.suffice", table, "-o", tmp_path / "r.html")
    words = [word.strip() for word in Page((tmp_path / "r.html").read_text(encoding="utf-8")).words]
    cells = [word for word in words if word]
    first = cells.index("missing") + 1  # behind the heading
    shares = dict(zip(cells[first::2], cells[first + 1::2]))
    # 11 of 344 birds have no sex, 2 no measurements.
    assert shares["sex"] == "3.2 %" and shares["bill_length_mm"] == "0.581 %"
    assert not any("=" in name for name in list(shares)[:6]) and "island" not in shares
