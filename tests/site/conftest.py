"""The site, built once, and what was built read once."""

import os
import subprocess
import sys
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OUTPUT = ROOT / "build" / "site" / "html"


class Page(HTMLParser):
    """One built page: its addresses, its anchors, its images, its text."""

    def __init__(self, path: Path):
        super().__init__()
        self.path = path
        self.ids, self.links, self.loaded, self.images = set(), [], [], []
        self.html = path.read_text(encoding="utf-8")
        self.feed(self.html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if "id" in attributes:
            self.ids.add(attributes["id"])
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag == "img":
            self.images.append(attributes)
        address = attributes.get("src") or (tag == "link" and attributes.get("href"))
        if address and attributes.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(address)


@pytest.fixture(scope="session")
def built():
    """Build the site as `make site` does, without a warning, and return where it is."""
    try:
        import myst_nb  # noqa: F401
    except ImportError:
        give_up = pytest.fail if os.environ.get("COURSE_BROWSER") == "required" else pytest.skip
        give_up("The site needs Python 3.11 and the extra `site`: run `make site-test`.")
    source = OUTPUT.with_name("source")
    source.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "sphinx", "-E", "-W", "--keep-going", "-q"]
    done = subprocess.run(
        [*command, "-c", ROOT / "docs" / "site", source, OUTPUT],
        cwd=ROOT,
        env={key: value for key, value in os.environ.items() if key != "COURSE_REPOSITORY"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return OUTPUT


@pytest.fixture(scope="session")
def pages(built):
    """Return every page by its path, as ``"lessons/01_first_tape.html"``."""
    found = {path.relative_to(built).as_posix(): path for path in built.rglob("*.html")}
    return {name: Page(path) for name, path in found.items() if not name.startswith("_static")}


@pytest.fixture(scope="session")
def address(built):
    """Serve the pages on this machine, and return where."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=built)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
