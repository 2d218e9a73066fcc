"""What a person does in JupyterLab: open, run, type, press keys, look."""

import json
import re
import time
from collections.abc import Callable
from itertools import count

import nbformat

# A prompt may end with the number with which it began, so what it says between is noted.
WATCH = """
cell => {
  const prompt = cell.querySelector(".jp-InputPrompt");
  cell.started = false;
  new MutationObserver(() => { cell.started ||= prompt.textContent.includes("*"); }).observe(
    prompt, {childList: true, characterData: true, subtree: true});
}
"""
DONE = """
cell => {
  const prompt = cell.querySelector(".jp-InputPrompt").textContent;
  return cell.started !== false && /\\[\\d+\\]/.test(prompt);
}
"""
WORKSPACES = count()  # each remembers how wide its windows were
PATIENCE = 240_000  # milliseconds; TensorFlow may start while the machine does other work


class NotebookPage:
    """One window of JupyterLab, and the notebook in front of it."""

    def __init__(self, page, lab):
        self.page, self.lab = page, lab
        page.set_default_timeout(PATIENCE)

    def open(self, path: str) -> None:
        """Open a notebook, in a workspace of its own, and wait for its kernel."""
        workspace = f"{self.lab.address}/lab/workspaces/{next(WORKSPACES)}"
        self.page.goto(f"{workspace}/tree/{path}")
        self.panel.locator(".jp-Cell").first.wait_for()
        self.wait_for_kernel()

    def wait_for_kernel(self) -> None:
        self.page.locator("#jp-main-statusbar", has_text="| Idle").wait_for()

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Wait for what happens outside the browser."""
        end = time.monotonic() + PATIENCE / 1000
        while not is_so():
            assert time.monotonic() < end
            self.page.wait_for_timeout(200)

    def choose_theme(self, name: str) -> None:
        """Set the theme as JupyterLab's settings do, for what is opened next."""
        address = f"{self.lab.address}/lab/api/settings/@jupyterlab/apputils-extension:themes"
        data = {"raw": json.dumps({"theme": name})}
        assert self.page.request.put(address, data=data).ok

    @property
    def panel(self):
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")

    def code(self, fragment: str, nth: int = 0):
        """Return the code cell with this text."""
        return self.panel.locator(".jp-CodeCell", has_text=fragment).nth(nth)

    def source(self, name: str, fragment: str) -> str:
        """Return the text of a code cell as the notebook's file has it."""
        cells = nbformat.read(self.lab.folder / "notebooks" / f"{name}.ipynb", 4).cells
        return next(c.source for c in cells if c.cell_type == "code" and fragment in c.source)

    def heading(self, text: str):
        """Return the cell with this heading of a section."""
        title = self.page.locator("h2", has_text=text)
        return self.panel.locator(".jp-MarkdownCell", has=title)

    def unfold(self, heading: str) -> None:
        """Show what is folded below a heading, by a click on its button."""
        cell = self.heading(heading)
        cell.evaluate("cell => cell.scrollIntoView()")
        button = cell.locator(".jp-showHiddenCellsButton")
        if button.is_visible():  # else somebody saved the notebook unfolded
            button.click()

    def figures_are_described(self, name: str) -> bool:
        """Tell whether it shows figures, if the worked notebook has any, each with a text."""
        worked = (self.lab.folder / "solutions" / f"{name}.ipynb").read_text("utf-8")
        figures = self.panel.locator(".jp-OutputArea-output img").all()
        has_all = bool(figures) == ("image/png" in worked or "<img" in worked)
        return has_all and all(figure.get_attribute("alt") for figure in figures)

    def prompt(self, cell) -> str:
        return cell.locator(".jp-InputPrompt").text_content().strip()

    def start(self, cell) -> None:
        """Select a cell and press Shift+Enter, again where the kernel was not there yet."""
        cell.evaluate(WATCH)
        while not cell.evaluate("cell => cell.started"):
            cell.locator(".jp-InputPrompt").click()
            self.page.keyboard.press("Shift+Enter")
            self.page.wait_for_timeout(500)

    def run(self, cell) -> str:
        """Run a cell, wait until it is done, and return what it shows."""
        self.start(cell)
        self.wait_until_done(cell)
        return self.shown(cell)

    def wait_until_done(self, cell) -> None:
        """Wait until a cell that was started, or is to run for the first time, has its number."""
        self.page.wait_for_function(DONE, arg=cell.element_handle())

    def shown(self, cell) -> str:
        """Return the text of a cell's outputs."""
        return cell.locator(".jp-OutputArea").first.text_content()

    def type_into(self, cell, text: str) -> None:
        """Replace the text of a cell."""
        cell.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+A")
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Escape")

    def add_cell_below(self, cell, text: str):
        """Add a code cell with a text, and return it."""
        cell.locator(".jp-InputPrompt").click()
        self.page.keyboard.press("b")
        self.type_into(self.panel.locator(".jp-CodeCell.jp-mod-active"), text)
        return self.code(text.splitlines()[-1])

    def menu(self, *path: str) -> None:
        """Choose an entry of a menu, such as ``("Run", "Run All Cells")``."""
        self.page.locator(".lm-MenuBar-item", has_text=re.compile(f"^{path[0]}$")).click()
        label = self.page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{path[1]}"))
        label.first.click()

    def run_all_above(self, cell) -> None:
        """Start every cell above this one."""
        cell.locator(".jp-InputPrompt").click()
        self.menu("Run", "Run All Above Selected Cell")

    def restart_and_run_all(self) -> None:
        """Restart the kernel and run every cell; wait for the last."""
        self.menu("Kernel", "Restart Kernel…")
        self.page.locator(".jp-Dialog .jp-mod-accept").click()
        self.page.locator("#jp-main-statusbar", has_text="Restarting").wait_for()
        self.wait_for_kernel()
        self.menu("Run", "Run All Cells")
        self.wait_until_done(self.panel.locator(".jp-CodeCell").last)

    def interrupt(self, cell) -> None:
        """Press what ends a running cell, and wait until it is done."""
        self.page.keyboard.press("Escape")
        self.page.keyboard.type("ii")
        self.wait_until_done(cell)

    def save(self) -> None:
        self.page.keyboard.press("ControlOrMeta+S")
        self.page.locator(".lm-DockPanel-tabBar .lm-mod-current:not(.jp-mod-dirty)").wait_for()
