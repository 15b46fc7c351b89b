"""The documentation: sphinx-build -W --keep-going -b html docs docs/_build/html."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # where Sphinx finds `making`

from making import stand_ins  # needs the path

stand_ins.install()

project = "fsmkit"
author = "The fsmkit authors"
copyright = "2026, The fsmkit authors"  # noqa: A001  # Sphinx wants this name
release = version = installed_version("fsmkit")
html_title = f"fsmkit {release}"
html_logo = html_favicon = "../fsmkit/inspector/page/icon.svg"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "making.sphinx_pages",
    "making.browser",
    "making.search",
]
viewcode_line_numbers = True
copybutton_prompt_text = "$ "
exclude_patterns = [
    "_build",
    "benchmarks_library.md",
    "benchmarks_table.md",
    "making",
]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

default_role = "code"  # docstrings put names in single backticks
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False  # callbacks are described in FsmAction
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
toc_object_entries = False

html_theme = "furo"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#2563eb",
        "color-brand-content": "#2563eb",
    },
    "dark_css_variables": {
        "color-brand-primary": "#8ab4ff",
        "color-brand-content": "#8ab4ff",
    },
}
pygments_dark_style = "github-dark"
html_static_path = ["_static"]
html_css_files = ["fsmkit.css", "gallery.css"]
html_extra_path = ["llms.txt"]
html_js_files = ["gallery.js", "film.js"]
html_search_scorer = str(Path(__file__).parent / "making" / "search_scorer.js")
html_copy_source = False
html_show_sphinx = False
