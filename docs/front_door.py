"""Make what the README and the site show first: python docs/front_door.py.

It is what the tools return. The README takes pictures of it, which a browser draws, light and dark;
the site's first page takes it as it is, so that it can be read aloud and its tape be stepped
through. It needs the extra ``browser``, and chromium or Google Chrome.
"""

import html
import shutil
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from playwright.sync_api import sync_playwright

from course_utils import start_lesson

PICTURES = Path(__file__).parent / "pictures"
PAGE = """<!doctype html>
<style>
  :root {{ color-scheme: {scheme}; --jp-ui-font-color0: {ink}; --jp-ui-font-color1: {ink};
          --jp-layout-color0: {paper}; --jp-layout-color1: {paper}; --jp-border-color1: #888; }}
  body {{ margin: 0; background: {paper}; color: {ink}; font: 15px/1.45 system-ui, sans-serif; }}
  main {{ width: {width}px; padding: 14px 18px; }}
  .cell {{ background: {cell}; padding: .6em .9em; margin: 0 0 .6em; white-space: pre-wrap; }}
  pre, code {{ font: 13.5px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; }}
</style>
<main>{body}</main>
"""
THEMES = {
    "light": {"scheme": "light", "paper": "#ffffff", "ink": "#1f2328", "cell": "#f3f4f6"},
    "dark": {"scheme": "dark", "paper": "#0d1117", "ink": "#e6edf3", "cell": "#1c2129"},
}


WRONG_ANSWER = """\
def step_for_regression(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply(gradients, model.trainable_variables)
    return loss


check("09.1", step_for_regression)"""
MISSING_GRADIENT = """\
w = tf.Variable(3.0)
with ExplainingTape() as tape:
    rounded = tf.round(2 * w)
    loss = (rounded - 5) ** 2
assert tape.gradient(loss, w) is None
tape.explain()"""
DRAWN_TAPE = """\
def loss(w):
    rounded = tf.round(2 * w)
    return (rounded - 5) ** 2


play_tape(loss, tf.Variable(3.0))"""


def run(code: str) -> Any:
    """Return what the last line of a cell gives, run as a notebook runs it."""
    done = InteractiveShell.instance().run_cell(code, store_history=True)
    done.raise_error()
    return done.result


def as_html(code: str, shown: str) -> str:
    """Return code as a cell of a notebook shows it, and below it what it gives."""
    return f'<pre class="cell">{html.escape(code)}</pre>{shown}'


def as_markdown(code: str, shown: str) -> str:
    """Return the same for a page of the site."""
    return f"```python\n{code}\n```\n\n```{{raw}} html\n<div>{shown}</div>\n```\n"


def main() -> None:
    """Write each picture, once for a light page and once for a dark one."""
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    PICTURES.mkdir(exist_ok=True)
    start_lesson("01")
    run("import tensorflow as tf\nfrom course_utils import ExplainingTape, check, play_tape")
    programs = {
        "wrong_answer": WRONG_ANSWER,
        "missing_gradient": MISSING_GRADIENT,
        "drawn_tape": DRAWN_TAPE,
    }
    bodies = {}
    for name, code in programs.items():
        shown = run(code)._repr_html_()
        (PICTURES / f"{name}.md").write_text(as_markdown(code, shown), encoding="utf-8")
        bodies[name] = as_html(code, shown)
    bodies["missing_gradient"] += bodies.pop("drawn_tape")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        for theme, colours in THEMES.items():
            page = browser.new_page(color_scheme=theme, device_scale_factor=2)
            for name, body in bodies.items():
                page.set_content(PAGE.format(body=body, width=720, **colours))
                for end in page.get_by_role("button", name="End").all():
                    end.click()
                page.locator("main").screenshot(path=PICTURES / f"{name}-{theme}.png")
        browser.close()


if __name__ == "__main__":
    main()
