"""Says to Sphinx how the pages are built: `make docs`."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.pycode import ModuleAnalyzer

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
html_static_path = ["static"]
html_css_files = ["site.css"]


def setup(app: Any) -> None:
    """Show one signature of each function, and what is generated in colours."""
    analyze = ModuleAnalyzer.analyze

    def without_overloads(analyzer: ModuleAnalyzer) -> None:
        analyze(analyzer)
        analyzer.overloads.clear()  # they are for type checkers

    ModuleAnalyzer.analyze = without_overloads  # type: ignore[method-assign]
    app.connect("doctree-read", colour_generated)


def colour_generated(app: Any, page: nodes.document) -> None:
    """Let printed texts that are Python be coloured as such."""
    del app
    for block in page.findall(nodes.literal_block):
        text = block.astext()
        if block.get("language") == "text" and text.startswith(("import ", "from ", "def ")):
            block["language"] = "python"
