"""The static report in a browser: from disk, on every screen, with scripts and styles blocked."""
import random

import pytest

from looks import collisions, lowest_contrast
from program import good

HOSTILE = ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(2)>", "😀 &amp; العربية‮"]


def write(path, header, rows):
    quote = lambda cell: '"' + str(cell).replace('"', '""') + '"'
    path.write_text("\n".join(",".join(map(quote, row)) for row in [header, *rows]) + "\n",
                    encoding="utf-8")


def clouds(names, rows, features):
    """Rows of classes whose means lie on a grid. The seed is 7."""
    draw = random.Random(7)
    return [[round(draw.gauss(3 * (c % 5) if j % 2 else 3 * (c // 5), 1), 4) for j in range(features)] + [name]
            for c, name in enumerate(names) for _ in range(rows)]


@pytest.fixture(scope="module")
def report(tmp_path_factory, data):
    """A function from a name to a report."""
    folder = tmp_path_factory.mktemp("reports")
    made = {}

    def of_table(name, names, rows=20, features=3, columns=None, *flags):
        table = folder / f"{name}.csv"
        write(table, (columns or [f"x{j}" for j in range(features)]) + ["class"],
              clouds(names, rows, features))
        good("fit", table, "--label", "class", "--covariance", "tied", "-o", folder / f"{name}.suffice")
        return table

    def make(name):
        model = folder / f"{name}.suffice"
        flags = []
        if name in ("penguins", "iris"):
            tables = [data(f"{name}.csv.gz")]
            good("fit", *tables, "--label", "species", "-o", model)
        elif name == "census":
            good("fit", data("census_train.csv.gz"), "--label", "income", "--covariance", "tied", "-o", model)
            tables = [data("census_test.csv.gz")]
        elif name == "images":
            tables = [data("images/test-images-idx3-ubyte.gz")]
            flags = ["--labels", data("images/test-labels-idx1-ubyte.gz")]
            good("fit", *tables, *flags, "--covariance", "full", "--pca", "10", "-o", model)
        elif name == "26 classes":
            tables = [of_table(name, [chr(65 + c) for c in range(26)])]
        elif name == "100 classes":
            tables = [of_table(name, [f"class number {c}" for c in range(100)])]
        elif name == "100 features":
            tables = [of_table(name, ["a", "b"], 150, 100)]
        elif name == "long names":
            tables = [of_table(name, [f"a class whose name goes on {'and on ' * 12} {c}" for c in range(3)],
                               40, 2, [f"a feature whose name goes on {'and on ' * 12} {j}" for j in range(2)])]
        elif name == "hostile names":
            tables = [of_table(name, HOSTILE, 40, 2, ["<b>x", "'\"&"])]
        elif name == "one row":
            tables = [of_table(name, ["a", "b"])]
            tables[0].write_text("".join(tables[0].read_text().splitlines(True)[:2]))
        page = folder / f"{name}.html"
        good("report", model, *tables, *flags, "-o", page)
        return page

    return lambda name: made.setdefault(name, None) or made.update({name: make(name)}) or made[name]


EVERY = ["penguins", "iris", "census", "images", "26 classes", "100 classes", "100 features",
         "long names", "hostile names", "one row"]


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("width", [360, 800, 1600])
def test_nothing_overlaps_on_any_screen(report, visit, name, width):
    assert collisions(visit(report(name), width)) == []


@pytest.mark.parametrize("name", ["penguins", "census", "100 classes"])
def test_dark_screens_and_paper_can_be_read(report, visit, name):
    for page in (visit(report(name)), visit(report(name), dark=True)):
        ratio, text = lowest_contrast(page)
        assert ratio >= 4.5, text
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(media="print")
    ratio, text = lowest_contrast(page)
    assert ratio >= 4.5, text
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)" != dark
    assert not page.locator("details").first.is_visible()


def test_names_are_text(report, visit):
    page = visit(report("hostile names"))
    assert page.locator("img, script").count() == 0
    words = page.locator("table.rows td").all_inner_texts()
    assert HOSTILE[0] in words and HOSTILE[1] in words
    assert any(word.startswith("😀 &amp; العربية") for word in words)


def test_with_scripts_and_styles_blocked_all_pictures_show(report, browser):
    text = report("penguins").read_text(encoding="utf-8")
    page = browser.new_page(viewport={"width": 800, "height": 900})
    page.route("**/*", lambda route: route.fulfill(
        body=text, content_type="text/html; charset=utf-8",
        headers={"Content-Security-Policy": "script-src 'none'; style-src 'none'; img-src 'none'"}))
    page.goto("http://report.test/")
    pictures = page.locator("figure > svg")
    assert pictures.count() >= 10
    for picture in pictures.all():
        box = picture.bounding_box()
        assert box["width"] > 400 and box["height"] > 100
    colours = page.evaluate("""() => [...new Set([...document.querySelectorAll("svg path")].map(
        path => getComputedStyle(path).stroke))]""")
    assert len(colours) >= 4  # the curves of three classes and the axes
    assert page.locator("h2", has_text="Figures").is_visible()
    page.close()
