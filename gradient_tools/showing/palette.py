"""The one palette: Okabe and Ito's colours, told apart by all eyes."""

__all__ = [
    "BLUE",
    "COLORS",
    "GREEN",
    "GREY",
    "INK",
    "ORANGE",
    "PURPLE",
    "SKY",
    "VERMILLION",
    "WHITE",
    "as_text",
]

BLUE, VERMILLION, GREEN = "#0072B2", "#D55E00", "#009E73"
PURPLE, ORANGE, SKY = "#CC79A7", "#E69F00", "#56B4E9"
INK, GREY, WHITE = "#1B1F24", "#6A6F76", "#FFFFFF"

# For lines on white, without the palette's yellow, which is too light for them.
COLORS = (BLUE, VERMILLION, GREEN, "#000000", PURPLE, ORANGE, SKY)


def as_text(colour: str) -> str:
    """Return a colour of the palette so dark that words in it can be read on white.

    >>> as_text(GREEN)
    '#00674B'
    """
    return "#" + "".join(f"{round(0.65 * int(colour[i : i + 2], 16)):02X}" for i in (1, 3, 5))
