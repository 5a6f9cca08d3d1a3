"""Colours generated text for a terminal, if there is one and pygments is installed."""

from __future__ import annotations

import os
import sys


def highlight(source: str) -> str:
    """Return `source` with ANSI colours, or as it is where they would not be seen as colours."""
    if "NO_COLOR" in os.environ or not sys.stdout.isatty():
        return source
    try:
        import pygments  # noqa: PLC0415 - optional, and slow to import
        from pygments.formatters import TerminalFormatter  # noqa: PLC0415
        from pygments.lexers import PythonLexer  # noqa: PLC0415
    except ImportError:
        return source
    coloured: str = pygments.highlight(source, PythonLexer(), TerminalFormatter())
    return coloured
