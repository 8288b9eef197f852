"""Pages as a person sees them, in Chromium without a network."""
import os
import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))

import program  # noqa: E402
from datasets import data_file  # noqa: E402
from live import reason_to_skip  # noqa: E402

NO_LIVE_PAGES = reason_to_skip()
collect_ignore = ["test_live_page.py", "test_play_page.py"] if NO_LIVE_PAGES else []


def pytest_terminal_summary(terminalreporter):
    if NO_LIVE_PAGES:
        terminalreporter.line(f"Live pages were not tested: {NO_LIVE_PAGES}")


def pytest_runtest_setup(item):
    program.require_binary()


@pytest.fixture(scope="session")
def data():
    """A function from a data set's file name to its path."""
    return data_file


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["SUFFICE_CHROMIUM"],
                                             args=["--no-sandbox"])
        yield browser
        browser.close()


class Visit:
    """An open page and what it did: requests beside its own file, and errors."""

    def __init__(self, page):
        self.page, self.requests, self.errors = page, [], []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.errors.append("a dialog"), dialog.dismiss()))
        page.on("console", lambda message: message.type in ("error", "warning")
                and self.errors.append(message.text))

    def open(self, file):
        self.page.goto(Path(file).absolute().as_uri())
        return self.page


@pytest.fixture
def visit(browser):
    """A function that opens a file from disk. At the end no page has asked for anything else, or
    complained."""
    visits, pages = [], []

    def open_file(file, width=800, dark=False, **keywords):
        page = browser.new_page(viewport={"width": width, "height": 900},
                                color_scheme="dark" if dark else "light", **keywords)
        pages.append(page)
        visits.append(Visit(page))
        return visits[-1].open(file)

    yield open_file
    for page in pages:
        page.close()
    for one in visits:
        assert one.errors == []
        assert [url for url in one.requests if not url.startswith(("file:", "data:", "blob:"))] == []
        assert sum(url.startswith("file:") for url in one.requests) == 1
