"""What the tests of live pages have in common."""
import importlib.util
from pathlib import Path

import pytest

from program import good

ROOT = Path(__file__).resolve().parents[2]


def reason_to_skip():
    """Where there is no engine for pages, or it or their script is older than its sources."""
    found = importlib.util.spec_from_file_location("web_run", ROOT / "tests" / "web" / "run.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    script = ROOT / "build" / "web" / "page.js"
    if module.reason_to_skip():
        return module.reason_to_skip()
    if not script.exists() or any(source.stat().st_mtime > script.stat().st_mtime
                                  for source in (ROOT / "web" / "page").iterdir()):
        return "the script of pages is older than its sources; script/web builds it again"
    return None


def make(*words, folder):
    """A live page."""
    good(*words, folder=folder, timeout=300)


def ready(page):
    page.wait_for_selector("html[data-ready]", timeout=60000)
    assert page.evaluate("document.documentElement.dataset.ready") == "yes"
    return page


def drawn(page, what):
    """The figure, drawn again after the last change."""
    figure = page.locator(f"figure[data-what='{what}']:not([data-model])")
    figure.scroll_into_view_if_needed()
    page.wait_for_selector(f"figure[data-what='{what}']:not([data-model])[data-state='drawn']", timeout=60000)
    return figure


def slide(locator, value):
    locator.evaluate("""(slider, value) => {
      slider.value = value;
      slider.dispatchEvent(new Event("input", {bubbles: true}));
    }""", str(value))


def engine(page, *words):
    """The JSON object that a command prints in the page."""
    return page.evaluate("words => suffice.json(...words)", list(words))


def figure_in_page(page, name):
    text = page.locator(f"#live-figures tr[data-figure='{name}'] td").nth(1).inner_text()
    return float(text.removesuffix(" %")) / (100 if text.endswith(" %") else 1)


def agrees(shown, exact, digits=4):
    """A number with this many significant digits."""
    return abs(shown - exact) <= 0.5000001 * 10 ** -(digits - 1) * max(abs(exact), 1e-300) or shown == exact


def same(a, b, tolerance=1e-9):
    """Equal JSON values, numbers to a relative tolerance."""
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            same(a[key], b[key], tolerance)
    elif isinstance(a, list):
        assert len(a) == len(b)
        for one, other in zip(a, b):
            same(one, other, tolerance)
    elif isinstance(a, (int, float)) and not isinstance(a, bool):
        assert b == pytest.approx(a, rel=tolerance, abs=tolerance)
    else:
        assert a == b
