"""Parses texts as trees of gast, on any number of threads at once."""

from __future__ import annotations

import ast
from typing import Any, Final

import gast
from gast.ast3 import Ast3ToGAst

from srcgrad.parsing import parsed

_new: Final = gast.AST.__new__


def gast_parsed(text: str) -> Any:
    """Parse a text as a tree that is the same for all versions of Python.

    Raises:
        SyntaxError: It is not Python.

    >>> gast.unparse(gast_parsed("y  =  x*x")).strip()
    'y = x * x'
    """
    return as_gast(parsed(text))


def as_gast(tree: Any) -> Any:
    """Return a tree of Python's parser as the same of gast, as `gast.ast_to_gast` does, but faster.

    >>> trees = [ast.parse("def f(x, *y): return [a for a in x[1:]] if -x**2 < 1.5 else g(*y)")]
    >>> [gast.dump(as_gast(tree)) == gast.dump(gast.ast_to_gast(tree)) for tree in trees]
    [True]
    """
    return _Conversion().visit(tree)


class _Kinds(dict[type, tuple[Any, tuple[str, ...]] | None]):
    """What the nodes of a kind are in gast, if anything, and the fields in which others may be."""

    def __missing__(self, kind: type) -> tuple[Any, tuple[str, ...]] | None:
        fields: tuple[str, ...] = getattr(kind, "_fields", ())
        other = getattr(gast, kind.__name__, None)
        inner = tuple(name for name in fields if name != "ctx")
        self[kind] = None if other is None else (other, inner)
        return self[kind]


class _HasForm(dict[type, bool]):
    """Whether gast has the nodes of a kind in another form than Python, and knows it itself."""

    def __missing__(self, kind: type) -> bool:
        name = f"visit_{kind.__name__}"
        own = getattr(Ast3ToGAst, name, None)
        self[kind] = own is not None and own is not getattr(ast.NodeVisitor, name, None)
        return self[kind]


_KINDS: Final = _Kinds()
_HAS_FORM: Final = _HasForm()
_CONTEXTS: Final = {ast.Load: gast.Load(), ast.Store: gast.Store(), ast.Del: gast.Del()}


class _Conversion(Ast3ToGAst):  # type: ignore[misc]
    """Goes through a tree; contexts, into which nobody writes, are one for all."""

    def _visit(self, node: Any) -> Any:
        kind = node.__class__
        if kind is list:
            return [self._visit(item) for item in node]
        if kind is ast.Name:
            made = _new(gast.Name)
            given = made.__dict__
            given.update(node.__dict__)
            given["ctx"] = _CONTEXTS[node.ctx.__class__]
            given["annotation"] = given["type_comment"] = None
            return made
        if not isinstance(node, ast.AST):
            return node
        return self.visit(node) if _HAS_FORM[kind] else self.generic_visit(node)

    def generic_visit(self, node: Any) -> Any:
        """Return the same node of gast; nothing if that lacks it."""
        known = _KINDS[node.__class__]
        if known is None:
            return None
        made, given = _new(known[0]), node.__dict__
        values = made.__dict__
        values.update(given)
        for name in known[1]:
            part = given.get(name)
            if part.__class__ is list or isinstance(part, ast.AST):
                values[name] = self._visit(part)
        if "ctx" in given:
            values["ctx"] = _CONTEXTS[given["ctx"].__class__]
        return made
