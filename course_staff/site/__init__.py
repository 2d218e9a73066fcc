"""The course as pages: what Sphinx reads, made from the notebooks and the stored outputs.

Nothing is executed here. ``sources`` writes it all; ``docs/site/conf.py`` calls it.
"""
