"""Keeps the source after each pass, when somebody wants to see it."""

from __future__ import annotations

from typing import Any

import gast

from srcgrad.codegen.printer import to_source


class Stages:
    """The text of the function after each pass; nothing is printed unless `wanted`."""

    def __init__(self, *, wanted: bool = False) -> None:
        self.texts: dict[str, str] = {}
        self._wanted = wanted

    def note(self, name: str, tree: Any) -> None:
        """Keep the text of `tree` under the name of the pass that made it."""
        if self._wanted and name not in self.texts:
            body = tree if isinstance(tree, list) else [tree]
            self.texts[name] = to_source(gast.Module(body, []))
