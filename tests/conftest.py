"""Figures are drawn without a window, and two workers share the tests file by file.

The answers to the exercises are one file and most of the work, so they are shared lesson by lesson.
"""

import os
import shutil

import matplotlib
import pytest

matplotlib.use("agg")

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        lesson = ""
        if item.path.name == "test_galleries.py" and hasattr(item, "callspec"):
            lesson = item.callspec.params.get("exercise_id", "")[:2]
        item.add_marker(pytest.mark.xdist_group(f"{item.path.name}-{lesson}"))


def missing(what):
    """Skip where a part is missing; fail where the tests were asked for by their own target."""
    give_up = pytest.fail if os.environ.get("COURSE_BROWSER") == "required" else pytest.skip
    give_up(what)


@pytest.fixture(scope="session")
def browser():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing(
            "The tests in a browser need Playwright: run `make browser-test` or `make site-test`."
        )
    path = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if path is None:
        missing(
            "The tests in a browser need Chromium: install Debian's package `chromium`, "
            "`apt-get install chromium`."
        )
    with sync_playwright() as playwright:
        # Without its sandbox, because that does not start for root, as in a container.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
