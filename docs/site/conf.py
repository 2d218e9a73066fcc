"""How Sphinx makes the site: `make site` calls it. Nothing here runs a cell or asks the network."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import finding  # noqa: E402
import pages  # noqa: E402

from course_staff.site.sources import write_sources  # noqa: E402

# The address of the repository, as https://github.com/owner/name. Without one, no page links to a
# file of the repository.
REPOSITORY = os.environ.get("COURSE_REPOSITORY", "").rstrip("/")

project = "Hands-on GradientTape"
author = "The maintainers of Hands-on GradientTape"
copyright = f"{author}. Texts: CC BY 4.0. Code: Apache-2.0"
language = "en"
extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton"]
root_doc = "index"

nb_execution_mode = "off"
nb_code_prompt_show = "Show the {type}"
nb_code_prompt_hide = "Hide the {type}"
nb_merge_streams = True
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["mystnb.unknown_mime_type"]

default_role = "code"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
# A prompt, and what a program prints, are not to be copied.
copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = "div:not(.output) > div.highlight pre"

html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = [str(HERE / "_static")]
html_favicon = str(HERE / "_static" / "icon.svg")
html_css_files = ["site.css"]
html_js_files = ["excerpts.js"]
html_search_scorer = str(HERE / "_static" / "scorer.js")
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": project},
    "header_links_before_dropdown": 4,
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "show_prev_next": True,
    "show_version_warning_banner": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {name: [] for name in ("index", "start", "causes", "glossary", "teaching", "built")}


def setup(app):
    """Write the sources, and let `pages` finish what Sphinx makes of them."""
    terms = write_sources(ROOT, Path(app.srcdir), REPOSITORY)
    pages.finish_pages(app, terms)
    finding.prepare_search(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
