"""Runs a derivative in parts: loops compiled, and a front in Python that calls them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import FunctionType, ModuleType
from typing import Any, Final, cast

import numpy as np

from srcgrad.backends import jit
from srcgrad.codegen.loader import in_scope, load
from srcgrad.codegen.tracebacks import LineMap
from srcgrad.ir import gast
from srcgrad.ir.parsing import gast_parsed
from srcgrad.ir.walk import found_in, root_name, walk
from srcgrad.targets.loops.cutting import Cut, cut
from srcgrad.targets.loops.exposed import stored_in
from srcgrad.targets.loops.statements import EFFECTS
from srcgrad.targets.loops.text import LoopsText

_BLOCKS: Final = ("body", "orelse", "finalbody", "handlers")
_DEEPEST: Final = 4  # parts of parts
_RULE: Final = "# ---- "


class Parts:
    """A derivative in parts.

    Attributes:
        run: The front: it takes what the text for NumPy takes.
        left: The lines of loops that hold nothing that is compiled.
        has_effects: Whether it may do more than to calculate, so that it must not run twice.
    """

    def __init__(self, subject: Any, found: Cut, make: Callable[[Any], Any]) -> None:
        space = vars(subject.module)
        namespace = {name: space[name] for name in subject.bound if name in space}
        module = load(found.source, subject.entry, namespace, found.lines)
        made = vars(module)
        self._source = found.source
        self._pieces: dict[str, Any] = {}
        self.left = found.left
        self.has_effects = _has_effects(found.source, space)
        for piece in found.pieces:
            part = replace(
                subject,
                source=found.source,
                entry=piece.name,
                function=in_scope(cast(FunctionType, made[piece.name]), space),
                lines=found.lines,
                written=piece.written.any,
                fixed=piece.written.entries,
                alone=piece.written.alone,
                lists=tuple(sorted(piece.written.lists)),
                retyped=False,
            )
            self._pieces[piece.name] = make(part)
            space[piece.name] = self._pieces[piece.name].run
        for name in found.fronts:
            space[name] = in_scope(cast(FunctionType, made[name]), space)
        self.run = in_scope(cast(FunctionType, made[subject.entry]), space)

    def text(self) -> LoopsText:
        """Return the front, and the texts of its parts as they are compiled."""
        tree = gast_parsed(self._source)
        lines = self._source.splitlines()
        compiled = {name: item.text for name, item in self._pieces.items() if item.text is not None}
        for item in reversed(tree.body):
            if isinstance(item, gast.FunctionDef) and item.name in compiled:
                lines[item.lineno - 1 : item.end_lineno + 2] = []
        shown = ["\n".join(lines).rstrip() + "\n"]
        for name, text in compiled.items():
            rule = f"{_RULE}{name} "
            shown.append(f"{rule}{'-' * (100 - len(rule))}\n\n{text.source}")
        return LoopsText("\n\n".join(shown), LineMap(), (), (), False, None, False)

    def were_compared(self) -> bool:
        """Say whether each part gave, in its first call, what NumPy gives."""
        return all(item.compiled for item in self._pieces.values())


def cut_at(subject: Any, line: int, names: frozenset[str] = frozenset()) -> Cut | None:
    """Return the text of a derivative in parts around a line that is not compiled, 0 for none.

    Whatever reads certain names, which hold what Numba does not take, is not compiled either.
    """
    if subject.entry.count("_part") >= _DEEPEST:
        return None
    tree = gast_parsed(subject.source)
    functions = {item.name for item in tree.body if isinstance(item, gast.FunctionDef)}
    space = vars(subject.module)

    def is_kept(statement: Any) -> bool:
        last = max(
            getattr(statement, "lineno", 0) or 0,
            *(getattr(part, "end_lineno", 0) or 0 for part in _own(statement)),
        )
        if (getattr(statement, "lineno", 0) or 0) <= line <= last:
            return True
        nodes = [node for part in _own(statement) for node in walk(part)]
        if any(isinstance(node, gast.Name) and node.id in names for node in nodes):
            return True
        return any(_is_unknown(node, functions, space) for node in nodes)

    return cut(subject.source, subject.entry, subject.lines, is_kept, space)


def _own(statement: Any) -> list[Any]:
    """Return the expressions of a statement, without the statements in it."""
    parts = [
        part
        for name, value in gast.iter_fields(statement)
        if name not in _BLOCKS
        for part in (value if isinstance(value, list) else [value])
        if isinstance(part, gast.AST)
    ]
    return parts or [statement]


def _is_unknown(node: Any, functions: set[str], space: Mapping[str, Any]) -> bool:
    """Say whether a node calls what Numba does not know, or what has effects."""
    if not isinstance(node, gast.Call):
        return False
    path = _path_of(node.func)
    if not path:
        return False  # a method
    if path[-1] in EFFECTS or "random" in path:
        return True
    if path[0] in functions or path[0] == "reversed":
        return False
    function = space.get(path[0], getattr(builtins, path[0], None))
    if len(path) > 1 and function is None:
        return False  # a method of a value
    for name in path[1:]:
        function = getattr(function, name, None)
    return function is None or not jit.knows(function)


def _path_of(node: Any) -> list[str]:
    names: list[str] = []
    while isinstance(node, gast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return [node.id, *names] if isinstance(node, gast.Name) else []


def _has_effects(source: str, space: Mapping[str, Any]) -> bool:
    """Say whether a text may do more than to calculate: by calls, or by what it writes outside."""
    return any(
        _calls_for_effect(node, space)
        if isinstance(node, gast.Call)
        else _writes_outside(node, own)
        for function in gast_parsed(source).body
        if isinstance(function, gast.FunctionDef)
        for own in [
            stored_in([function]) | {item.id for item in found_in(function.args, gast.Name)}
        ]
        for node in walk(function)
    )


def _calls_for_effect(node: Any, space: Mapping[str, Any]) -> bool:
    path = _path_of(node.func)
    if path and (path[-1] in EFFECTS or "random" in path):
        return True
    found = space.get(path[0]) if path else None
    if found is None:
        return False
    if len(path) > 1 and not isinstance(found, (ModuleType, type)):
        return not isinstance(found, np.ndarray)  # whose methods calculate; a list's may change it
    owner = getattr(found, "__name__" if len(path) > 1 else "__module__", None) or "numpy"
    return str(owner).partition(".")[0] not in _PURE


def _writes_outside(node: Any, own: set[str]) -> bool:
    """Say whether a node writes a field of an object, or into what no name of the function is."""
    if isinstance(node, (gast.Global, gast.Nonlocal)):
        return True
    if not isinstance(node, (gast.Attribute, gast.Subscript)) or isinstance(node.ctx, gast.Load):
        return False
    return isinstance(node, gast.Attribute) or root_name(node) not in own


_PURE: Final = frozenset({"numpy", "math", "cmath", "scipy", "srcgrad", "builtins"})
