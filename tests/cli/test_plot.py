"""suffice plot: pictures as SVG that a person and a program can read."""

import xml.etree.ElementTree as xml

import pytest

from program import good, refused, run

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Two classes in a square: a below the diagonal, b above it, mirrored."""
    path = tmp_path_factory.mktemp("plot") / "square.csv"
    rows = ["x,y,kind,class"]
    for i in range(12):
        for j in range(12):
            if abs(i - j) > 1:
                rows.append(f"{i},{j},{'even' if i % 2 == 0 else 'odd'},{'a' if i > j else 'b'}")
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def model(table):
    path = table.parent / "square.suffice"
    good("fit", table, "--label", "class", "--covariance", "tied", "-o", path)
    return path


def picture(text):
    root = xml.fromstring(text)
    assert root.tag == SVG + "svg"
    assert root.get("role") == "img"
    assert root.find(SVG + "title").text and root.find(SVG + "desc").text
    return root


@pytest.mark.parametrize(
    "what", ["densities", "posteriors", "regions", "ellipses", "correlations", "confusion",
             "bayes-error", "det", "roc", "reliability", "ratios"]
)
def test_every_picture_is_well_formed(model, table, what, tmp_path):
    path = tmp_path / "picture.svg"
    good("plot", model, table, "--what", what, "-o", path)
    texts = ["".join(e.itertext()) for e in picture(path.read_text()).iter(SVG + "text")]
    assert any(text.endswith(("a", "x", "a against b")) for text in texts)


def test_a_picture_needs_no_rows(model):
    picture(good("plot", model, "--what", "regions"))


def test_rows_are_drawn_on_top(model, table):
    without = good("plot", model, "--what", "regions")
    with_rows = good("plot", model, table, "--what", "regions")
    assert with_rows.count("M") > without.count("M") + 50
    assert with_rows == good("plot", model, table, "--what", "regions")


def test_priors_move_the_border(model):
    pictures = {
        prior: good("plot", model, "--what", "regions", "--features", "x", "--prior", prior)
        for prior in ("uniform", "a=0.99,b=0.01")
    }

    def width_of_first_band(text):
        bands = [e for e in picture(text).iter(SVG + "rect") if e.get("fill-opacity") == "0.18"]
        return float(bands[0].get("width"))

    assert len(set(pictures.values())) == 2
    # b is decided on the left, where x is small; with a nearly certain beforehand it has less room.
    assert width_of_first_band(pictures["a=0.99,b=0.01"]) < width_of_first_band(pictures["uniform"])


def test_decisions_by_a_projection_are_shown_over_the_features(table, tmp_path):
    path = tmp_path / "direction.suffice"
    good("fit", table, "--label", "class", "--ignore", "kind", "--covariance", "tied", "--lda", "1",
         "-o", path)
    root = picture(good("plot", path, table, "--what", "regions"))
    assert root.find(SVG + "title").text == "Decision regions over x and y"
    panel = root.find(SVG + "svg")
    left, top, width, height = map(float, panel.get("viewBox").split())
    assert panel.get("data-x") == panel.get("data-y")  # the classes are mirrored: so is the border
    corners = f"M{left:g} {top + height:g}L{left + width:g} {top + height:g}L{left + width:g} {top:g}"
    assert panel.find(SVG + "path").get("d").startswith(corners)  # a lies below the diagonal
    refused(run("plot", path, "--what", "regions"), 1, "two numeric features")


def test_mistakes(model, tmp_path):
    refused(run("plot", model), 2, "--what")
    refused(run("plot", model, "--what", "pie"), 2, "densities")
    refused(run("plot", model, "--what", "confusion"), 2, "labels")
    refused(run("plot", model, "--what", "roc"), 2, "labels")
    refused(run("plot", model, "--what", "regions", "--features", "z"), 1, "'x'")
    refused(run("plot", model, "--what", "regions", "--features", "kind"), 1, "categorical")
    nowhere = tmp_path / "none" / "picture.svg"
    refused(run("plot", model, "--what", "regions", "-o", nowhere), 1, "none")
