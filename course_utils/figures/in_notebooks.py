"""Figures in a notebook: sharp on a dense screen, small in the file, and with words beside them."""

import os
from base64 import b64encode
from html import escape
from io import BytesIO
from math import isfinite
from typing import TYPE_CHECKING, Any

from gradient_tools.showing.palette import COLORS, WHITE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["figure_in_words", "image_in_html", "prepare_figures"]

_DENSITY = 2  # dots of the picture for one of the screen's
_COLOURS = 256  # more would double the file, and no figure here needs them
_MOST_TEXTS = 40


def prepare_figures() -> None:
    """Give figures the course's style, and in a notebook sharp pictures with words."""
    import matplotlib as mpl
    from IPython import get_ipython

    mpl.rcParams.update(
        {
            "axes.prop_cycle": mpl.rcsetup.cycler(color=COLORS),
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlelocation": "left",
            "figure.constrained_layout.use": True,
            "figure.dpi": 110,
            # Opaque, so that dark labels stay readable on JupyterLab's dark theme.
            "figure.facecolor": WHITE,
            "figure.figsize": (6.4, 3.6),
            "font.size": 10.5,
            "image.cmap": "cividis",
            "lines.linewidth": 2.0,
            "savefig.facecolor": WHITE,
        }
    )
    shell = get_ipython()
    if shell is not None:
        import matplotlib.pyplot as plt
        from matplotlib.figure import Figure

        plt.switch_backend(plt.get_backend())  # Starting it sets its formats.
        shell.display_formatter.formatters["image/png"].pop(Figure, None)
        shell.display_formatter.mimebundle_formatter.for_type(Figure, _picture)


def figure_in_words(figure: "Figure") -> str:
    """Say what a figure shows, made from what is drawn in it.

    A drawing that can say more of itself, such as ``plot_tape``, says it in the gid of its Axes.

    Examples
    --------
    >>> from course_utils import plot_history
    >>> figure_in_words(plot_history({"loss": [1.0, 0.5]}).figure)
    'Figure of loss against epoch. Line training from (1, 1) to (2, 0.5).'
    """
    return " ".join(ax.get_gid() or _axes_in_words(ax) for ax in figure.axes)


def _axes_in_words(ax: "Axes") -> str:
    said = [ax.get_title() or ax.get_title(loc="left")]
    if ax.get_xlabel() and ax.get_ylabel():
        said.append(f"Figure of {ax.get_ylabel()} against {ax.get_xlabel()}")
    if scales := [f"{axis} log" for axis in "xy" if getattr(ax, f"get_{axis}scale")() == "log"]:
        said.append(f"Scales: {', '.join(scales)}")
    said += [_line(*line.get_data(orig=False), str(line.get_label())) for line in ax.lines]
    if ax.images:
        said.append(f"{len(ax.images)} image{'s' if len(ax.images) > 1 else ''}")
    names_of_lines = {str(line.get_label()) for line in ax.lines}
    if ax.axison and not any(map(isfinite, ax.dataLim.get_points().ravel())):
        said.append("Nothing is drawn")
    texts = [text.get_text() for text in ax.texts if text.get_text() not in names_of_lines]
    if any(texts):
        said.append("Texts: " + ", ".join(" ".join(text.split()) for text in texts[:_MOST_TEXTS]))
    return " ".join(f"{sentence.rstrip('.')}." for sentence in said if sentence)


def _line(x: Any, y: Any, label: str) -> str:
    points = [(float(a), float(b)) for a, b in zip(x, y, strict=True) if b == b]  # no gaps
    if len(points) < 2:
        return ""
    ends = " to ".join(f"({a:.3g}, {b:.3g})" for a, b in (points[0], points[-1]))
    return f"Line{'' if label.startswith('_') else f' {label}'} from {ends}"


def image_in_html(png: str, about: dict[str, Any]) -> str:
    """Return a PNG, in base64, as HTML with its size and words.

    JupyterLab shows a plain PNG without the words, and prefers HTML.

    >>> image_in_html("iVBORw0K", {"width": 8, "height": 6, "alt": "2 < 3"})
    '<img width="8" alt="2 &lt; 3" src="data:image/png;base64,iVBORw0K">'
    """
    words = escape(about["alt"])
    # Without its height, which follows from the width where a window is narrow.
    return f'<img width="{about["width"]}" alt="{words}" src="data:image/png;base64,{png.strip()}">'


def _picture(figure: "Figure") -> tuple[dict[str, str], dict[str, Any]] | None:
    """Return the PNG of a figure, and its size and words for the page that shows it."""
    from IPython.core.pylabtools import print_figure
    from PIL import Image

    png = print_figure(figure, fmt="png", dpi=_DENSITY * figure.dpi)
    if png is None:  # nothing is drawn
        return None
    image = Image.open(BytesIO(png)).convert("RGBA")
    on_white = Image.alpha_composite(Image.new("RGBA", image.size, WHITE), image).convert("RGB")
    flat, options = on_white.quantize(_COLOURS - 1, dither=Image.Dither.NONE), {}
    clear = image.getchannel("A").point(lambda alpha: 255 * (alpha == 0))
    if clear.getbbox():  # with one more colour, which is none
        colours = flat.getpalette() or []
        options["transparency"] = len(colours) // 3
        flat.paste(options["transparency"], mask=clear)
        flat.putpalette([*colours, 255, 255, 255])
    small = BytesIO()
    flat.save(small, "png", optimize=True, **options)
    width, height = (length // _DENSITY for length in image.size)
    about = {"width": width, "height": height, "alt": figure_in_words(figure)}
    shown = {"image/png": b64encode(small.getvalue()).decode()}
    if "JPY_SESSION_NAME" in os.environ:  # set by JupyterLab's server, and not where it is stored
        shown["text/html"] = image_in_html(shown["image/png"], about)
    return shown, {"image/png": about}
