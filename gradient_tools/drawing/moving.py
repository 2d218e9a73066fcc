"""The moving picture of a tape: forward, then back, one operation a step."""

from base64 import b64encode
from collections.abc import Callable
from html import escape
from string import Template
from typing import Any

from ..recording.running import record_tape
from .folding import Folded, fold
from .shapes import Picture
from .stepping import steps_of
from .vector import DARK, LIGHT, svg_of

__all__ = ["DIMMED", "MovingTape", "play_tape"]

_COLOURS = (
    "--ink:var(--jp-content-font-color1,{});--paper:var(--jp-layout-color0,{});--grey:{};--part:{}%"
)
DIMMED = 65, 50  # % of ink, light and dark, in the text of a box whose step is still to come
# Without the script the picture is still and whole, and the steps are a list below it. This is also
# what is printed. Only on a screen are later steps dimmed or hidden.
_THEME = Template("""
.course-tape-moves{outline-offset:-2px;padding:.5em;overflow-x:auto}
.course-tape-moves .course-tape{$light}
@media (prefers-color-scheme:dark){.course-tape-moves .course-tape{$dark}}
:is([data-jp-theme-light=true],[data-theme=light]) .course-tape-moves .course-tape{$light}
:is([data-jp-theme-light=false],[data-theme=dark]) .course-tape-moves .course-tape{$dark}
@media screen{
.course-tape-moves .card:not(.on){--hue:var(--grey);--tint:0%}
.course-tape-moves .card:not(.on) text{fill:color-mix(in srgb,var(--ink) var(--part),var(--paper))}
.course-tape-moves .edge:not(.on),.course-tape-moves .card:not(.on)>.face{opacity:.5}
.course-tape-moves .later:not(.on){visibility:hidden}
.course-tape-moves .now>.face{stroke-width:3.5}
.course-tape-moves li:not(.now){display:none}
}
@media print{.course-tape-moves>p{display:none}}
.course-tape-moves p{margin:.3em 0!important}
.course-tape-moves table{font-size:.9em!important;table-layout:auto!important;width:auto!important}
.course-tape-moves :is(th,td){padding:.2em .5em!important;white-space:normal!important}
.course-tape-moves .card:focus{outline:2px solid currentColor}
.course-tape-moves ol{list-style:none;margin:0!important;padding:0!important}
.course-tape-moves button{font-family:var(--jp-ui-font-family,inherit);line-height:2;
font-size:var(--jp-ui-font-size1,.85em);padding:0 .9em;margin-right:.3em;cursor:pointer;
color:var(--jp-ui-font-color1,inherit);background:var(--jp-layout-color2,#8882);
border:1px solid var(--jp-border-color1,#888);border-radius:var(--jp-border-radius,2px)}
.course-tape-moves button:hover{background:var(--jp-layout-color3,#8884)}
.course-tape-moves button:focus-visible{outline:2px solid var(--jp-brand-color1,currentColor)}
""").substitute(light=_COLOURS.format(*LIGHT, DIMMED[0]), dark=_COLOURS.format(*DARK, DIMMED[1]))
_SCRIPT = """
document.querySelectorAll(".course-tape-moves:not(.ready)").forEach(function (root) {
  var still = root.querySelector("img"), steps = root.querySelectorAll("li"), now = 0;
  var bytes = Uint8Array.from(atob(still.src.split(",")[1]), function (c) {
    return c.charCodeAt(0);
  });
  var holder = document.createElement("div");
  holder.innerHTML = new TextDecoder().decode(bytes);
  var drawing = holder.firstChild, style = document.createElement("style");
  style.textContent = THEME;
  var controls = document.createElement("p");
  controls.innerHTML = "BUTTONS<output></output> <small>or the arrow keys</small>";
  root.prepend(style, controls);
  var about = document.createElement("p");
  about.textContent = "Point at a box to see its details.";
  still.replaceWith(drawing, about);
  root.classList.add("ready");
  root.tabIndex = 0;
  function show(step) {
    now = Math.max(0, Math.min(steps.length - 1, step));
    steps.forEach(function (each, i) { each.classList.toggle("now", i === now); });
    drawing.querySelectorAll("[data-at]").forEach(function (each) {
      each.classList.toggle("on", Number(each.dataset.at) <= now);
    });
    drawing.querySelectorAll("[data-card]").forEach(function (each) {
      each.classList.toggle("now", each.dataset.card === steps[now].dataset.card);
    });
    root.querySelector("output").textContent = "Step " + now + " of " + (steps.length - 1);
  }
  function move(name) {
    show({first: 0, back: now - 1, on: now + 1, last: steps.length - 1}[name]);
  }
  root.addEventListener("click", function (event) {
    var name = event.target.getAttribute("data-move");
    if (name) { move(name); }
  });
  ["focusin", "mouseover"].forEach(function (kind) {
    drawing.addEventListener(kind, function (event) {
      var card = event.target.closest(".card");
      if (card) { about.textContent = card.getAttribute("aria-label"); }
    });
  });
  root.addEventListener("keydown", function (event) {
    // Every other key is the page's: Ctrl+S saves the notebook, Shift+Enter runs the cell.
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) { return; }
    var name = {Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last"}[event.key];
    if (name) { move(name); event.preventDefault(); event.stopPropagation(); }
    if (event.target.closest("button") && /^(Enter| )$/.test(event.key)) {
      event.stopPropagation();
    }
  });
  show(0);
});
"""
_BUTTONS = "".join(
    f"<button type='button' data-move='{name}'>{text}</button>"
    for name, text in (("first", "Start"), ("back", "◀ Back"), ("on", "Step ▶"), ("last", "End"))
)


class MovingTape:
    """What `play_tape` returns: a notebook shows it; elsewhere it is its description."""

    def __init__(self, folded: Folded) -> None:
        self.steps, times = steps_of(folded)
        self.title, self.description = folded.title, folded.description
        self.svg = svg_of(Picture(folded), times)

    def __repr__(self) -> str:
        return self.description

    def _repr_html_(self) -> str:
        """Return the drawing with its controls; nothing in it comes from elsewhere."""
        picture = b64encode(self.svg.encode()).decode()
        steps = "".join(
            f"<li{'' if each.card is None else f' data-card={each.card}'}>{each.html}</li>"
            for each in self.steps
        )
        script = _SCRIPT.replace("BUTTONS", _BUTTONS).replace("THEME", f"`{_THEME}`")
        return (
            f'<div class="course-tape-moves" role="group" aria-label="{escape(self.title)}">'
            f'<img src="data:image/svg+xml;base64,{picture}" alt="{escape(self.description)}">'
            f'<ol aria-live="polite">{steps}</ol>'
            f"<script>{script}</script></div>"
        )


def play_tape(f: Callable[..., Any], *inputs: Any, depth: int = 1) -> MovingTape:
    """Go through what a tape records of ``f(*inputs)``: forward, then back, step by step.

    The drawing is that of ``plot_tape``. Buttons or the arrow keys go on by one operation. In the
    backward pass each step shows the upstream gradient, the local slope, their product, and the
    line of the program. A path without gradient ends where the gradient is lost, with the cause. If
    an operation mixes entries, as a matrix product does, it has no single slope. Then only the
    resulting gradient is shown.

    Parameters
    ----------
    f, *inputs, depth
        As for ``plot_tape``.

    Returns
    -------
    MovingTape
        Shown if it is the last value of a cell. The picture follows the theme. Without scripts it
        is whole and still. ``steps`` holds the text of each step, ``description`` the whole drawing
        in words, and ``svg`` only the picture.

    Raises
    ------
    TypeError, ValueError
        If there is nothing to draw; see ``record_tape``.

    Examples
    --------
    >>> moving = play_tape(lambda x: x**2, 3.0)
    >>> moving
    Tape of y: 1 operation. Source x is 3.0; ∂y/∂x = 6.0. y = x² of x is 9.0; ∂y/∂y = 1.0.
    """
    return MovingTape(fold(record_tape(f, *inputs), depth))
