"""Compiles what is left of a function without the parts that are refused."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from srcgrad.compiler import Generated, one_program
from srcgrad.errors import LeftOutError, UnsupportedError, reached
from srcgrad.frontend.left_out import Part
from srcgrad.frontend.parts import leaving_out, parts_of

_MOST: Final = 10
"""How often a function is compiled in vain, each time without what was refused before."""
_MOST_SMALL: Final = 4
"""How often without the smallest parts: where there are many, larger ones hold several."""
_CATCHING: Final = frozenset(
    ["BaseException", "Exception", "RuntimeError", "NotImplementedError", "suppress"]
)


class Search:
    """Looks for the parts without which a function is not refused, in all of its compilations.

    What one compilation leaves out is left out of the next from the start.
    """

    def __init__(self) -> None:
        self._tries = 0
        self._parts: dict[Part, str] = {}
        self._told: dict[str, UnsupportedError] = {}

    def compiled(
        self, make: Callable[[], Generated], refusal: UnsupportedError
    ) -> Generated | None:
        """Return the text of a refused function without the parts that are refused, or None.

        There is none if every call comes by what is refused, if the function may catch what the
        text raises instead, or if it may have written into its arguments by then.
        """
        found = self._without(make, refusal, whole=False)
        if found is None:
            self._parts, self._told = {}, {}
            found = self._without(make, refusal, whole=True)
        if found is None or found.written or _may_catch(found.source):
            return None
        return found

    def _without(
        self, make: Callable[[], Generated], refusal: UnsupportedError, *, whole: bool
    ) -> Generated | None:
        known = bool(self._parts)
        while self._tries < (_MOST if whole else _MOST_SMALL):
            found = parts_of(refusal, whole=whole)
            if not (known or found.keys() - self._parts.keys()):
                return None
            known = False
            self._parts |= found
            plain = type(refusal)(diagnostics=refusal.diagnostics)  # without what it was found in
            self._told |= dict.fromkeys(found.values(), plain)
            self._tries += 1
            try:
                with leaving_out(self._parts), one_program():
                    made = replace(make(), left_out=self._told)
            except UnsupportedError as other:
                refusal = other
                continue
            self._tries = 0
            return made
        return None


def refusal_of(
    error: Exception, left_out: Mapping[str, UnsupportedError]
) -> UnsupportedError | None:
    """Return why the part is refused that a call has reached, if that is what an error says."""
    why = reached(error)
    if why is None:
        return None
    return left_out.get(why, LeftOutError(why)).with_traceback(None)


def _may_catch(text: str) -> bool:
    """Say whether a text may catch the error of a part that is left out."""
    tree = ast.parse(text)
    handlers: list[Any] = [node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)]
    if any(item.type is None for item in handlers):
        return True
    caught = [node for item in handlers for node in ast.walk(item.type)]
    items = [node for node in ast.walk(tree) if isinstance(node, ast.withitem)]
    managers = [node for item in items for node in ast.walk(item)]
    names = {getattr(node, "id", getattr(node, "attr", "")) for node in (*caught, *managers)}
    return not _CATCHING.isdisjoint(names)
