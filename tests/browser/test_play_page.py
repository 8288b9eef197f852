"""suffice play: the engine in a page, used by hand."""
import csv
import gzip
import io
import math
import shlex
import subprocess

import pytest
from scipy.stats import norm

from live import drawn, engine, make, ready, same, slide
from looks import collisions, lowest_contrast
from program import BINARY, good_json

HEIGHTS, LINE, NOTEBOOK, COPIES, PROJECTED, PIXELS, WORDS, OUTLYING, BETA = "0", "1", "5", "6", "7", "9", "10", "11", "12"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("play")
    make("play", "-o", "play.html", folder=folder)
    assert (folder / "play.html").stat().st_size <= 2_500_000
    return folder / "play.html"


@pytest.fixture
def page(file, visit):
    return ready(visit(file, 1200))


def choose(page, example):
    page.select_option("#example", example)
    assert page.locator("#alarm").inner_text() == ""


def answer(page, label, column):
    return float(page.locator(f"#question tr[data-class='{label}'] td").nth(column).inner_text())


def rows_of(page, name):
    return list(csv.reader(io.StringIO(page.evaluate("name => suffice.text(name)", name))))[1:]


def drop(page, name, content):
    """A file dropped on the page."""
    page.evaluate("""([name, bytes]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], name));
      document.dispatchEvent(new DragEvent("drop", {dataTransfer: transfer, bubbles: true, cancelable: true}));
    }""", [name, list(content)])


def said(page, *words):
    """Waits for a message with all these words."""
    page.wait_for_function("document.getElementById('alarm').textContent !== ''")
    for word in words:
        assert word in page.locator("#alarm").inner_text()


def test_the_question_of_174_cm(page):
    density = {"F": norm.pdf(174, 161.82, math.sqrt(46.89)), "M": norm.pdf(174, 175.33, math.sqrt(52.89))}
    for label in "FM":
        assert answer(page, label, 2) == pytest.approx(density[label], rel=1e-3)
    assert answer(page, "M", 3) == pytest.approx(density["M"] / (density["F"] + density["M"]), rel=1e-3)
    page.get_by_label("Prior of F").fill("0.9")
    page.get_by_label("Prior of F").press("Enter")
    assert answer(page, "M", 3) == pytest.approx(
        0.1 * density["M"] / (0.9 * density["F"] + 0.1 * density["M"]), rel=1e-3)
    drawn(page, "regions")


def test_a_point_far_away_is_an_outlier(page):
    choose(page, NOTEBOOK)  # the figures are those of the lecture's notebook
    assert answer(page, "1", 2) == pytest.approx(0.0004241607796223462, rel=1e-3)
    assert answer(page, "2", 2) == pytest.approx(0.18761051638386636, rel=1e-3)
    assert answer(page, "2", 3) == pytest.approx(0.9988708473130806, rel=1e-3)
    assert page.locator("#question .alarm").count() == 0
    page.get_by_role("button", name="[10, 10]").click()
    assert answer(page, "1", 2) == pytest.approx(1.8913598119743637e-79, rel=1e-3)
    assert answer(page, "2", 2) == pytest.approx(1.054195308869829e-33, rel=1e-3)
    assert "means little" in page.locator("#question .alarm").inner_text()


def test_copies_of_a_feature_multiply_the_ratio(page):
    ratio = {}
    for count in (1, 10):
        choose(page, COPIES)
        slide(page.locator("legend:has-text('The example') ~ label input"), count)
        columns = [f"x{j + 1}" for j in range(count)]
        page.evaluate("text => suffice.write('q.csv', text)", ",".join(columns) + "\n" + ",".join(["2"] * count) + "\n")
        table = page.evaluate("suffice.run('predict', 'model.suffice', 'q.csv', '--output', 'llr')")
        ratio[count] = float(table.splitlines()[1].split(",")[1])
    assert ratio[10] == pytest.approx(10 * ratio[1], rel=1e-9)


@pytest.mark.parametrize("example", [str(k) for k in range(13)])
def test_every_example_can_be_seen_on_every_screen(file, visit, example):
    for width in (360, 800, 1600):
        page = ready(visit(file, width))
        choose(page, example)
        first = page.locator("figure").first.get_attribute("data-what")
        assert drawn(page, first).locator("svg").count() > 0
        assert collisions(page) == []


def test_dark_screens_can_be_read(file, visit):
    page = ready(visit(file, dark=True))
    drawn(page, "regions")
    ratio, text = lowest_contrast(page)
    assert ratio >= 4.5, text


def test_samples_are_drawn_from_the_model(page):
    choose(page, PIXELS)
    assert page.locator("#samples .pixels").count() == 18
    choose(page, WORDS)
    words = page.locator("#samples p").all_inner_texts()
    assert len(words) == 12 and all(len(text.split()) == 12 for text in words)
    page.get_by_role("button", name="Draw others").click()
    assert page.locator("#samples p").all_inner_texts() != words


@pytest.mark.parametrize("name", ["penguins", "iris"])
@pytest.mark.parametrize("how", ["dropped", "picked"])
def test_a_table_gives_the_model_of_the_command_line(page, data, tmp_path, name, how):
    content = gzip.decompress(data(f"{name}.csv.gz").read_bytes())
    if how == "dropped":
        drop(page, f"{name}.csv", content)
    else:
        page.set_input_files("#file", data(f"{name}.csv.gz"))  # packed
    page.wait_for_function("name => document.getElementById('about').textContent.startsWith(name)", arg=name)
    assert page.locator("#label").input_value() == "species"
    command = shlex.split(page.locator("#fit-command").inner_text())
    assert command[:2] == ["suffice", "fit"]
    (tmp_path / f"{name}.csv").write_bytes(content)
    subprocess.run([BINARY, *command[1:]], cwd=tmp_path, check=True, capture_output=True)
    same(good_json("show", "model.suffice", folder=tmp_path), engine(page, "show", "model.suffice"))
    drawn(page, "regions")


def test_points_are_edited_with_the_mouse(page):
    choose(page, LINE)
    figure = drawn(page, "regions")
    before = rows_of(page, "line.csv")
    box = figure.locator("svg svg").bounding_box()
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 0.9 * box["height"])
    page.wait_for_function("n => suffice.text('line.csv').trim().split('\\n').length === n + 2", arg=len(before))
    added = rows_of(page, "line.csv")
    assert added[:-1] == before and added[-1][2] == "a"
    drawn(page, "regions")
    handle = page.locator(".handles circle").first
    at = handle.bounding_box()
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    page.mouse.down()
    page.mouse.move(at["x"] + 60, at["y"] - 30, steps=4)
    page.mouse.up()
    page.wait_for_function("row => suffice.text('line.csv').split('\\n')[1] !== row", arg=",".join(before[0]))
    moved = rows_of(page, "line.csv")
    assert moved[1:] == added[1:]
    assert float(moved[0][0]) > float(before[0][0]) and float(moved[0][1]) > float(before[0][1])
    drawn(page, "regions")
    page.locator(".handles circle").last.dblclick()
    page.wait_for_function("n => suffice.text('line.csv').trim().split('\\n').length === n + 1", arg=len(before))
    drawn(page, "regions")


def test_points_are_edited_with_the_keyboard(page):
    choose(page, LINE)
    drawn(page, "regions")
    before = rows_of(page, "line.csv")
    page.locator("figure:not([data-model]) .handles circle[tabindex='0']").focus()
    page.keyboard.press("n")
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Row 3,")
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_function("row => suffice.text('line.csv').split('\\n')[3] !== row", arg=",".join(before[2]))
    moved = rows_of(page, "line.csv")
    assert float(moved[2][0]) > float(before[2][0]) and moved[2][1:] != [] and moved[:2] == before[:2]
    drawn(page, "regions")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Row 3,")
    page.keyboard.press("Delete")
    page.wait_for_function("n => suffice.text('line.csv').trim().split('\\n').length === n", arg=len(before))
    assert rows_of(page, "line.csv") == before[:2] + before[3:]


def test_sliders_move_with_the_keyboard(page):
    first = page.locator("fieldset input[type=range]").first
    first.focus()
    shown = page.get_by_label("Prior of F").input_value()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    assert float(page.get_by_label("Prior of F").input_value()) > float(shown)


@pytest.mark.parametrize("name, content, words", [
    ("noise.csv", bytes(range(256)), ["noise.csv", "not a text file"]),
    ("words.csv", b"Once upon a time\nthere was a file\n", ["words.csv", "not a table"]),
    ("empty.csv", b"", ["not a table"]),
    ("same.csv", b"x,class\n" + b"1,a\n2,a\n" * 20, ["at least two classes"]),
    ("many.csv", b"x,class\n" + b"".join(b"%d,c%d\n" % (i, i // 2) for i in range(2400)), ["1200 classes", "1000"]),
    ("unlabelled.csv", b"x,class\n" + b"1,\n2,\n" * 20, ["label"]),
])
def test_what_is_no_table_is_refused_and_all_stays(page, name, content, words):
    drawn(page, "regions")
    before = page.locator("#fit-command").inner_text(), page.locator("figure[data-what=regions] svg").first.inner_html()
    drop(page, name, content)
    said(page, *words)
    assert (page.locator("#fit-command").inner_text(),
            page.locator("figure[data-what=regions] svg").first.inner_html()) == before
    slide(page.locator("fieldset input[type=range]").first, 1)  # what was there still answers
    assert answer(page, "M", 3) > 0


def test_another_label_can_be_chosen(page):
    drop(page, "guess.csv", b"first,second,id\n" + b"".join(
        b"%s,%d,%d\n" % (b"ab"[i % 2:i % 2 + 1], i * i % 7, i) for i in range(1100)))
    page.wait_for_function("document.getElementById('about').textContent.startsWith('guess.csv')")
    assert page.locator("#label").input_value() == "first"
    page.select_option("#label", "id")
    said(page, "1100 classes")
    assert page.locator("#label").input_value() == "first"
    page.select_option("#label", "second")
    page.wait_for_function("document.getElementById('about').textContent.includes('4 classes')")


def test_hostile_names_are_text(page):
    name = "<img src=x onerror=alert(1)>"
    rows = "".join(f'"{label}",{k % 5},{k % 3}\n' for k in range(40) for label in (name, "</script>😀"))
    drop(page, "<b>.csv", f"class,<i>x,'y'\n{rows}".encode())
    page.wait_for_function("document.getElementById('about').textContent.includes('2 classes')")
    assert page.locator("#live-figures th", has_text=name).count() == 2
    drawn(page, "confusion")
    assert page.locator("main img, main b, main i:not(.pixels i)").count() == 0


def test_without_webassembly_or_scripts_the_page_says_so(file, browser):
    page = browser.new_page()
    page.add_init_script("delete globalThis.WebAssembly")
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready=no]")
    assert "needs scripts and WebAssembly" in page.locator("#live").inner_text()
    assert "no WebAssembly" in page.locator(".alarm").inner_text()
    page.close()
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert "needs scripts and WebAssembly" in page.locator("#live").inner_text()
    context.close()


def points_of(figure):
    return figure.locator(".handles circle").count()


@pytest.mark.parametrize("example", [LINE, "2", "3", "4", OUTLYING])
def test_logistic_regression_stands_beside_the_model(page, example):
    choose(page, example)
    drawn(page, "regions")
    page.wait_for_function("document.querySelector('figure[data-model]')?.dataset.state === 'drawn'")
    pair = page.locator("figure[data-what='regions']")
    assert pair.count() == 2
    assert points_of(pair.nth(0)) == points_of(pair.nth(1)) > 60
    commands = page.locator("#fit-command").inner_text().splitlines()
    assert len(commands) == 2 and "--discriminative" in commands[1]
    assert engine(page, "show", "twin.suffice")["options"]["discriminative"] == "yes"


def test_both_models_follow_a_point(page):
    choose(page, LINE)
    drawn(page, "regions")
    page.wait_for_function("document.querySelector('figure[data-model]')?.dataset.state === 'drawn'")
    before = [engine(page, "show", "model.suffice")["blocks"][0]["mean"],
              engine(page, "show", "twin.suffice")["logistic"]["weights"]]
    handle = page.locator("figure[data-model] .handles circle").first  # of the twin's picture
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 80, box["y"] - 60, steps=4)
    page.mouse.up()
    page.wait_for_function("before => JSON.parse(suffice.run('show', 'model.suffice', '--json')).blocks[0].mean[0][0] "
                           "!== before", arg=before[0][0][0])
    after = [engine(page, "show", "model.suffice")["blocks"][0]["mean"],
             engine(page, "show", "twin.suffice")["logistic"]["weights"]]
    assert after[0] != before[0] and after[1] != before[1]
    page.uncheck("#beside")
    assert page.locator("figure[data-what='regions']").count() == 1
    assert len(page.locator("#fit-command").inner_text().splitlines()) == 1


def test_an_outlying_row_is_certain_for_both(page):
    choose(page, OUTLYING)
    page.get_by_role("button", name="[12, 8]").click()
    assert answer(page, "b", 3) > 0.999 and answer(page, "b", 4) > 0.999
    assert "means little" in page.locator("#question .alarm").inner_text()


def estimates(page):
    cells = page.locator("#beta-estimates td.n").all_inner_texts()
    return [float(cell) if cell[0].isdigit() else cell for cell in cells]


# The lecture's extreme case n = 1: frequency 1 (or 0), mode under Beta(2, 2) 2/3, mean 3/5.
def test_pseudo_counts_of_the_classes(page):
    choose(page, BETA)
    first, second = (page.locator(f"#beta label:has-text('Pseudo-counts of {label}') input") for label in "ab")
    slide(first, 2)
    slide(second, 2)
    frequency, mode, mean = estimates(page)
    assert frequency in (0, 1)
    assert [mode, mean] == pytest.approx([2 / 3, 3 / 5] if frequency == 1 else [1 / 3, 2 / 5], abs=1e-3)
    assert page.locator("#beta svg path").count() == 3
    slide(page.locator("#beta label:has-text('Labels that are known') input"), 40)
    slide(first, 6)
    assert estimates(page)[2] == pytest.approx((14 + 6) / (40 + 8), abs=1e-3)
    page.get_by_role("button", name="Decide with the posterior mean").click()
    assert float(page.get_by_label("Prior of a").input_value()) == pytest.approx(20 / 48, abs=1e-3)
    counted = engine(page, "evaluate", "model.suffice", "labels.csv", "--prior", "train:a=6,b=2")["prior"]
    assert counted[0] == pytest.approx(20 / 48, abs=1e-12)


def test_a_word_that_a_class_never_had(page):
    choose(page, WORDS)
    smoothing = page.locator("legend:has-text('The example') ~ label input")

    def of(label):
        return page.locator(f"#document tr[data-class='{label}'] td").all_inner_texts()[1:]
    assert float(of("sport")[1]) > 0.9
    slide(smoothing, 0)
    assert of("sport")[0] == "−∞"
    row = page.locator("#word-shares tr:has-text('butter') td").all_inner_texts()
    assert row[2] == "0" or row[1] == "0"
    page.locator("input[aria-label='Words']").fill("goal team score coach")
    assert float(of("sport")[1]) > 0.99
