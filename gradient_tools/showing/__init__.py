"""What all that is shown shares: the palette, and the card on which a result stands.

Neither needs matplotlib.
"""
