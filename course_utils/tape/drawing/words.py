"""A tape's drawing in words, for whoever cannot see it, made from what is drawn."""

from .folding import Folded

__all__ = ["in_words", "title_in_words"]


def title_in_words(folded: Folded) -> str:
    """Return what the picture shows, in one line."""
    operations = sum(card.kind != "source" for card in folded.cards)
    plural = "s" if operations != 1 else ""
    targets = ", ".join(card.title.partition(" = ")[0] for card in folded.cards if card.is_target)
    return f"Tape of {targets or 'a function'}: {operations} operation{plural}"


def in_words(folded: Folded) -> str:
    """Return the cards in the order of computing, with their values and gradients."""
    lines = [f"{title_in_words(folded)}."]
    for i, card in enumerate(folded.cards):
        read = [folded.cards[a].title.partition(" = ")[0] for a, b in folded.uses if b == i]
        source = "Source " if card.kind == "source" else ""
        of = f" of {', '.join(dict.fromkeys(read))}" if read else ""
        value = f" is {card.value}" if card.value else ""
        gradient = ", ".join([*card.gradient, *card.details])
        lines.append(f"{source}{card.title}{of}{value}; {gradient}.")
    return " ".join([*lines, *folded.notes])
