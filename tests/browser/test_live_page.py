"""suffice report --live: figures and pictures that follow the controls."""
import shlex
import subprocess

import pytest

from live import agrees, drawn, engine, figure_in_page, make, ready, same, slide
from looks import collisions
from program import BINARY, good, good_json


@pytest.fixture(scope="module")
def folder(tmp_path_factory, data):
    """Live reports of models, with their data beside them."""
    folder = tmp_path_factory.mktemp("live")
    for name in ("penguins", "census_train", "census_test"):
        (folder / f"{name}.csv.gz").symlink_to(data(f"{name}.csv.gz").resolve())
    good("fit", "penguins.csv.gz", "--label", "species", "-o", "penguins.suffice", folder=folder)
    make("report", "penguins.suffice", "penguins.csv.gz", "--live", "-o", "penguins.html", folder=folder)
    good("fit", "census_train.csv.gz", "--label", "income", "--covariance", "tied", "-o", "census.suffice", folder=folder)
    make("report", "census.suffice", "census_test.csv.gz", "--live", "-o", "census.html", folder=folder)
    return folder


@pytest.fixture
def penguins(folder, visit):
    return ready(visit(folder / "penguins.html", 1200))


def priors(page):
    """What the page shows of each class."""
    return {each.get_attribute("aria-label").removeprefix("Prior of "): each.input_value()
            for each in page.locator("#live input.share").all()}


def test_sliders_give_the_figures_of_evaluate(folder, penguins):
    slide(penguins.locator("#live input[type=range]").nth(1), 0.9)
    slide(penguins.locator("#live input[type=range]").first, 0.05)
    shown = priors(penguins)
    assert sum(map(float, shown.values())) == pytest.approx(1, abs=1e-12) and shown["Adelie"] == "0.05"
    flag = ",".join(f"{label}={value}" for label, value in shown.items())
    exact = good_json("evaluate", "penguins.suffice", "penguins.csv.gz", "--prior", flag, folder=folder)
    for name in ("error_rate", "log_loss", "normalized_cost", "normalized_cross_entropy"):
        assert agrees(figure_in_page(penguins, name), exact[name]), name
    cells = penguins.locator("#live table.confusion td").all_inner_texts()
    assert [float(cell) for cell in cells] == [count for row in exact["confusion"]["matrix"] for count in row]
    assert "all 344 rows" in penguins.locator("#live-figures").inner_text()


def test_costs_move_the_decisions(folder, penguins):
    penguins.get_by_label("Where this class is true").select_option(label="Chinstrap")
    penguins.get_by_label("and this one is decided").select_option(label="Adelie")
    slide(penguins.locator("#live input[type=range]").nth(3), 2)
    exact = good_json("evaluate", "penguins.suffice", "penguins.csv.gz", "--cost", "Chinstrap>Adelie=100", folder=folder)
    assert agrees(figure_in_page(penguins, "cost"), exact["cost"])
    penguins.get_by_role("button", name="As at the start").click()
    start = good_json("evaluate", "penguins.suffice", "penguins.csv.gz", folder=folder)
    assert agrees(figure_in_page(penguins, "log_loss"), start["log_loss"])


def test_two_classes_have_an_operating_point(folder, visit):
    page = ready(visit(folder / "census.html", 1200))
    slide(page.locator("#live input[type=range]").first, -1)
    shown = float(priors(page)["<=50K"])
    flags = page.evaluate("JSON.parse(document.getElementById('suffice-page').textContent).rows.slice(1)")
    (folder / "rows.csv").write_text(page.evaluate("suffice.text('rows.csv')"), encoding="utf-8")
    exact = good_json("evaluate", "census.suffice", "rows.csv", *flags, "--prior",
                      f"<=50K={shown},>50K={1 - shown:.4f}", folder=folder)
    for name in ("error_rate", "log_loss"):
        assert agrees(figure_in_page(page, name), exact[name]), name
    ((hit, miss), (alarm, other)) = exact["confusion"]["matrix"]
    words = page.locator("#live-figures p").first.inner_text()
    assert f"{100 * miss / (hit + miss):.4g} % are missed" in words
    assert f"{100 * alarm / (alarm + other):.4g} % of the other rows" in words
    assert "sample of 10000 rows out of 10500" in page.locator("#live-figures").inner_text()


def test_another_estimate_is_that_of_the_command_below(folder, penguins):
    penguins.locator("#covariance").select_option("tied")
    command = penguins.locator("#live pre")
    command.wait_for(state="visible")
    words = shlex.split(command.inner_text())
    assert words[:3] == ["suffice", "fit", "penguins.csv.gz"] and "tied" in words
    subprocess.run([BINARY, *words[1:]], cwd=folder, check=True, capture_output=True)
    same(good_json("show", "changed.suffice", folder=folder), engine(penguins, "show", "changed.suffice"))
    exact = good_json("evaluate", "changed.suffice", "penguins.csv.gz", folder=folder)
    assert agrees(figure_in_page(penguins, "log_loss"), exact["log_loss"])
    assert "better than they will be on others" in penguins.locator("#live-figures").inner_text()


def test_pictures_follow_and_have_their_command(folder, penguins):
    before = penguins.locator("figure[data-what=regions] > svg").inner_html()
    slide(penguins.locator("#live input[type=range]").first, 0.95)
    figure = drawn(penguins, "regions")
    assert figure.locator(":scope > svg").inner_html() != before
    figure.locator("summary").click()
    words = shlex.split(figure.locator("pre").inner_text())
    assert words[:4] == ["suffice", "plot", "penguins.suffice", "penguins.csv.gz"]
    subprocess.run([BINARY, *words[1:]], cwd=folder, check=True, capture_output=True)
    drawn_there = (folder / "regions.svg").read_text(encoding="utf-8")
    # The same picture: all its words, and as many marks.
    assert [text for text in figure.locator(":scope > svg text").all_text_contents()] == [
        text for text in penguins.evaluate("""text => [...new DOMParser().parseFromString(text, "image/svg+xml")
            .querySelectorAll("text")].map(each => each.textContent)""", drawn_there)]


def test_nothing_overlaps_after_a_change(folder, visit):
    for width in (360, 800, 1600):
        page = ready(visit(folder / "penguins.html", width))
        slide(page.locator("#live input[type=range]").first, 0.7)
        drawn(page, "regions")
        assert collisions(page) == []


def test_a_refused_estimate_leaves_the_page_as_it_was(penguins):
    penguins.locator("#covariance").select_option("full")
    penguins.get_by_label("Projection").select_option("lda")
    before = penguins.locator("#live-figures table").first.inner_text()
    penguins.get_by_label("dimensions").fill("700")
    penguins.get_by_label("dimensions").press("Enter")
    penguins.wait_for_function("document.querySelector('#live .alarm').textContent !== ''")
    assert penguins.locator("#live-figures table").first.inner_text() == before


def test_the_page_has_at_most_2_5_megabytes(folder, data, visit):
    images, labels = data("images/test-images-idx3-ubyte.gz"), data("images/test-labels-idx1-ubyte.gz")
    good("fit", images, "--labels", labels, "--covariance", "full", "--pca", "10", "-o", "images.suffice", folder=folder)
    make("report", "images.suffice", images, "--labels", labels, "--live", "-o", "images.html", folder=folder)
    for name in ("penguins", "census", "images"):
        assert (folder / f"{name}.html").stat().st_size <= 2_500_000
    ready(visit(folder / "images.html"))


def test_without_webassembly_or_scripts_the_report_is_there(folder, browser):
    page = browser.new_page()
    page.add_init_script("delete globalThis.WebAssembly")
    page.goto((folder / "penguins.html").as_uri())
    page.wait_for_selector("html[data-ready=no]")
    assert "no WebAssembly" in page.locator(".alarm").inner_text()
    assert page.locator("figure > svg").count() >= 10
    page.close()
    page = browser.new_page()
    text = (folder / "penguins.html").read_text(encoding="utf-8")
    page.route("**/*", lambda route: route.fulfill(
        body=text, content_type="text/html; charset=utf-8",
        headers={"Content-Security-Policy": "script-src 'none'; style-src 'none'"}))
    page.goto("http://report.test/")
    assert "Here they do not run" in page.locator("#live").inner_text()
    for picture in page.locator("figure > svg").all():
        assert picture.bounding_box()["height"] > 100
    page.close()
