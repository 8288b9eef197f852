"""suffice plot: pictures as SVG that a person and a program can read."""

import xml.etree.ElementTree as xml

import pytest

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
def model(suffice, table):
    path = table.parent / "square.suffice"
    suffice("fit", table, "--label", "class", "--covariance", "tied", "-o", path)
    return path


def picture(text):
    root = xml.fromstring(text)
    assert root.tag == SVG + "svg"
    assert root.get("role") == "img"
    assert root.find(SVG + "title").text and root.find(SVG + "desc").text
    return root


@pytest.mark.parametrize(
    "what", ["densities", "posteriors", "regions", "ellipses", "correlations", "confusion"]
)
def test_every_picture_is_well_formed(suffice, model, table, what, tmp_path):
    path = tmp_path / "picture.svg"
    suffice("plot", model, table, "--what", what, "-o", path)
    texts = [e.text for e in picture(path.read_text()).iter(SVG + "text")]
    assert any(label in texts for label in ("a", "x"))


def test_a_picture_needs_no_rows(suffice, model):
    picture(suffice("plot", model, "--what", "regions").stdout)


def test_rows_are_drawn_on_top(suffice, model, table):
    without = suffice("plot", model, "--what", "regions").stdout
    with_rows = suffice("plot", model, table, "--what", "regions").stdout
    assert with_rows.count("M") > without.count("M") + 50
    assert with_rows == suffice("plot", model, table, "--what", "regions").stdout


def test_priors_move_the_border(suffice, model):
    pictures = {
        prior: suffice("plot", model, "--what", "regions", "--features", "x", "--prior", prior).stdout
        for prior in ("uniform", "a=0.99,b=0.01")
    }

    def width_of_first_band(text):
        bands = [e for e in picture(text).iter(SVG + "rect") if e.get("fill-opacity") == "0.18"]
        return float(bands[0].get("width"))

    assert len(set(pictures.values())) == 2
    # b is decided on the left, where x is small; with a nearly certain beforehand it has less room.
    assert width_of_first_band(pictures["a=0.99,b=0.01"]) < width_of_first_band(pictures["uniform"])


def test_mistakes(suffice, model, table, tmp_path):
    def refused(*words):
        return suffice("plot", model, *words, expect=None)

    assert refused().returncode == 2
    assert refused("--what", "pie").returncode == 2
    missing = refused("--what", "regions", "--features", "z")
    assert missing.returncode == 1 and "'x'" in missing.stderr
    kind = refused("--what", "regions", "--features", "kind")
    assert kind.returncode == 1 and "categorical" in kind.stderr
    assert refused("--what", "confusion").returncode == 2
    nowhere = refused("--what", "regions", "-o", tmp_path / "none" / "picture.svg")
    assert nowhere.returncode == 1 and not (tmp_path / "none").exists()
