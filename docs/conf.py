"""Says to Sphinx how the pages are built: `make docs`."""

from __future__ import annotations

import srcgrad

project = "srcgrad"
author = "srcgrad developers"
version = release = srcgrad.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
myst_heading_anchors = 3
default_role = "literal"  # docstrings write names in single backticks
highlight_language = "none"  # a fence that names no language is a terminal, or a text
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autosummary_generate = False
python_maximum_signature_line_length = 88
toc_object_entries = False

html_theme = "furo"
html_title = f"srcgrad {release}"
html_copy_source = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
