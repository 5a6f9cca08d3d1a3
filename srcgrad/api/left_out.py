"""Compiles what is left of a function without the parts that are refused."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import FunctionType
from typing import Any, Final

from srcgrad.api.kept_outside import may_keep, runs_parts
from srcgrad.api.surroundings import DRAWS
from srcgrad.codegen.printer import to_source
from srcgrad.compiler import Generated, one_program
from srcgrad.errors import UnsupportedError
from srcgrad.frontend.left_out import Part
from srcgrad.frontend.parts import leaving_out, parts_of
from srcgrad.frontend.remembered import anew
from srcgrad.frontend.source import find_source, is_made
from srcgrad.ir import gast
from srcgrad.ir.walk import found_in
from srcgrad.parsing import parsed

_MOST: Final = 10
"""How often a function is compiled in vain, each time without what was refused before."""
_MOST_SMALL: Final = 4
"""How often without the smallest parts: where there are many, larger ones hold several."""
_MOST_VAIN: Final = 2
"""How often parts are looked for in vain where the same is refused."""
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
        self._vain: Counter[str] = Counter()

    def compiled(
        self, make: Callable[[], Generated], refusal: UnsupportedError
    ) -> Generated | None:
        """Return the text of a refused function without the parts that are refused, or None.

        There is none if every call comes by what is refused, if the function may catch what the
        text raises instead, or if it may have written into its arguments by then, or drawn at
        random: the tape runs it once more from its beginning. Nor is there if the text calls a
        function with such a part as it is, which writes there. What was looked for in vain for
        other arguments is not looked for again and again.
        """
        if self._vain[str(refusal)] >= _MOST_VAIN:
            return None
        found = self._found(make, refusal)
        self._vain[str(refusal)] += found is None
        return found

    def _found(self, make: Callable[[], Generated], refusal: UnsupportedError) -> Generated | None:
        found = self._without(make, refusal, whole=False)
        if found is None and parts_of(refusal, whole=True).keys() - self._parts.keys():
            self._parts, self._told = {}, {}
            found = self._without(make, refusal, whole=True)
        if found is None or found.written or may_keep(self._parts, found):
            return None
        texts = dict(_texts_of(found))
        if any(runs_parts(self._parts, found, *text) for text in texts.items()):
            return None
        return None if any(map(_may_catch, texts)) or any(map(may_draw, texts)) else found

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
                with leaving_out(self._parts), anew(), one_program():
                    made = replace(make(), left_out=self._told)
            except UnsupportedError as other:
                refusal = other
                continue
            self._tries = 0
            return made
        return None


def _texts_of(generated: Generated) -> Iterator[tuple[ast.Module, Mapping[str, Any]]]:
    """Yield the text, and those of the functions of our own making that it calls as they are.

    With each come the names that stand around it.
    """
    yield parsed(generated.source), {}
    for value in generated.bound.values():
        if isinstance(value, FunctionType) and is_made(value):
            text = to_source(gast.Module([find_source(value).tree], []))
            yield parsed(text), value.__globals__


def may_draw(tree: ast.Module) -> bool:
    """Say whether a text may draw random numbers."""
    modules, drawing = set[str](), set[str]()
    for node in found_in(tree, ast.Import, ast.ImportFrom):
        home = getattr(node, "module", None) or ""
        for name in node.names:
            if "random" in (*home.split("."), *name.name.split(".")):
                drawing.add(name.asname or name.name)
            elif not home or f"{home}.{name.name}" in sys.modules:
                modules.add(name.asname or name.name)
    return any(_draws(node.func, modules, drawing) for node in found_in(tree, ast.Call))


def _draws(func: ast.expr, modules: set[str], drawing: set[str]) -> bool:
    if not isinstance(func, ast.Attribute):
        return getattr(func, "id", "") in drawing
    owner = func.value
    of_module = getattr(owner, "id", "") in modules
    of_random = getattr(owner, "attr", "") == "random"
    return func.attr in DRAWS and (of_random or not of_module)


def _may_catch(tree: ast.Module) -> bool:
    """Say whether a text may catch the error of a part that is left out."""
    handlers: list[Any] = [node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)]
    if any(item.type is None for item in handlers):
        return True
    caught = [node for item in handlers for node in ast.walk(item.type)]
    items = [node for node in ast.walk(tree) if isinstance(node, ast.withitem)]
    managers = [node for item in items for node in ast.walk(item)]
    names = {getattr(node, "id", getattr(node, "attr", "")) for node in (*caught, *managers)}
    return not _CATCHING.isdisjoint(names)
