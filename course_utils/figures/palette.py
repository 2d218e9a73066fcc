"""The one palette of the course: Okabe and Ito's colours, told apart by all eyes."""

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
]

BLUE, VERMILLION, GREEN = "#0072B2", "#D55E00", "#009E73"
PURPLE, ORANGE, SKY = "#CC79A7", "#E69F00", "#56B4E9"
INK, GREY, WHITE = "#1B1F24", "#6A6F76", "#FFFFFF"

# For lines on white, without the palette's yellow, which is too light for them.
COLORS = (BLUE, VERMILLION, GREEN, "#000000", PURPLE, ORANGE, SKY)
