"""Nodes of Python programs: those of the library gast, which hold their fields in slots.

A field in a slot is read four times as fast as one in the dict of a node, and passes read fields
more often than they do anything else; so are `origin`, which most nodes have, and `place`: where a
node stands in the text, of which `lineno` and its like are parts. Copies share it, as nobody writes
into it. Other marks are in the dict, which most nodes are without.

>>> tree = parse("y = f(x)")
>>> tree.body[0].value.args[0].id
'x'
>>> Name("x", Load()).annotation is None
True
>>> tree.body[0].value.place, tree.body[0].value.lineno
((1, 4, 1, 8), 1)
"""

from __future__ import annotations

import ast
from ast import (
    AST,
    NodeTransformer,
    boolop,
    cmpop,
    expr,
    expr_context,
    iter_child_nodes,
    iter_fields,
    operator,
    stmt,
    unaryop,
    walk,
)
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Final

import gast as library  # noqa: TID251 - of which ours are made
from gast import copy_location, dump, gast_to_ast, increment_lineno  # noqa: TID251

from srcgrad.parsing import expression_of, parsed

__all__ = [
    "AST",
    "NodeTransformer",
    "ast_to_gast",
    "boolop",
    "cmpop",
    "copy_location",
    "dump",
    "expr",
    "expr_context",
    "gast_to_ast",
    "get_docstring",
    "increment_lineno",
    "iter_child_nodes",
    "iter_fields",
    "operator",
    "parse",
    "stmt",
    "unaryop",
    "unparse",
    "walk",
]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return a kind of node; they are made below."""


_new: Final = AST.__new__
_PLACE: Final = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_NOWHERE: Final = (None,) * len(_PLACE)
_LISTS: Final = frozenset({"type_params", "type_ignores"})


def _init(self: Any, *args: Any, **others: Any) -> None:
    """Give a node its fields, in their order or by their names; what is left out is None."""
    fields = self._fields
    for name, value in zip(fields, args, strict=False):
        setattr(self, name, value)
    if len(args) != len(fields):
        if len(args) > len(fields):
            message = f"{type(self).__name__} has {len(fields)} fields, not {len(args)}"
            raise TypeError(message)
        for name in fields[len(args) :]:
            setattr(self, name, others.pop(name, None))
    if self._attributes:
        self.origin = self.place = None
    if others:
        _put(self, others)


def _reduce(self: Any) -> Any:
    """Say how copies are made."""
    held = {name: getattr(self, name) for name in type(self).__slots__}
    return type(self), (), {**self.__dict__, **held}


def _put(self: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(self, name, value)


def _part_of_place(number: int) -> property:
    """Return the attribute that is one part of a node's place, as nodes of Python have it."""
    name = _PLACE[number]

    def read(self: Any) -> Any:
        if self.place is None:
            raise AttributeError(name)
        return self.place[number]

    def write(self: Any, value: Any) -> None:
        place = self.place or _NOWHERE
        self.place = (*place[:number], value, *place[number + 1 :])

    return property(read, write)


_PARTS: Final[dict[str, Any]] = {name: _part_of_place(i) for i, name in enumerate(_PLACE)}


def _slotted(kind: type) -> type:
    """Return a kind of node of the library, with slots for its fields and for where it is from."""
    fields, places = vars(kind)["_fields"], vars(kind)["_attributes"]
    space = {"_fields": fields, "_attributes": places, "__module__": __name__}
    space["__slots__"] = (*fields, "origin", "place") if places else fields
    space |= _PARTS if places else {}
    space |= {"__init__": _init, "__reduce__": _reduce, "__setstate__": _put}
    return type(kind.__name__, kind.__bases__, space)


KINDS: Final[dict[str, type]] = {
    name: _slotted(kind)
    for name, kind in vars(library).items()
    if getattr(kind, "__module__", "") == library.Name.__module__ and "_fields" in vars(kind)
}
"""All kinds of nodes, by their names."""
globals().update(KINDS)


def parse(text: str, mode: str = "exec") -> Any:
    """Return the tree of a text."""
    return ast_to_gast(ast.Expression(expression_of(text)) if mode == "eval" else parsed(text))


def unparse(tree: Any) -> str:
    """Return a tree as text, for those who look at it; what runs is printed by `codegen`."""
    return ast.unparse(gast_to_ast(tree))  # noqa: TID251 - only looked at


def get_docstring(node: Any) -> str | None:
    """Return the docstring of a function or a class, without its indentation."""
    first: Any = node.body[0] if node.body else None
    value: Any = getattr(first, "value", None) if isinstance(first, KINDS["Expr"]) else None
    text = getattr(value, "value", None) if isinstance(value, KINDS["Constant"]) else None
    return cleandoc(text) if isinstance(text, str) else None


class _Converted(dict[type, tuple[Any, tuple[str, ...]] | None]):
    """What the nodes of a kind of Python's are here, if anything, and its fields."""

    def __missing__(self, kind: type) -> tuple[Any, tuple[str, ...]] | None:
        ours: Any = KINDS.get(kind.__name__) if issubclass(kind, AST) else None
        self[kind] = None if ours is None else (ours, ours._fields)
        return self[kind]


_CONVERTED: Final = _Converted()
_CONTEXTS: Final = {kind: KINDS[kind.__name__]() for kind in (ast.Load, ast.Store, ast.Del)}
_NAME: Final = KINDS["Name"]


def ast_to_gast(node: Any) -> Any:
    """Return a tree of Python's parser as the same of ours: the same for all versions of Python.

    Contexts, into which nobody writes, are one for all.
    """
    kind = node.__class__
    if kind is list:
        return [ast_to_gast(item) for item in node]
    if kind is ast.Name:
        return _placed(_named(node.id, _CONTEXTS[node.ctx.__class__]), node)
    if kind in _CONTEXTS:
        return _CONTEXTS[kind]
    if not isinstance(node, AST):
        return node
    special = _SPECIAL.get(kind)
    if special is not None:
        return _placed(special(node), node)
    known = _CONVERTED[kind]
    if known is None:
        return None
    made = _new(known[0])
    for name in known[1]:
        part = getattr(node, name, None)
        setattr(made, name, [] if part is None and name in _LISTS else ast_to_gast(part))
    if "place" in known[0].__slots__:
        made.origin = made.place = None
    return _placed(made, node)


def _named(name: str, context: Any, annotation: Any = None, comment: Any = None) -> Any:
    made: Any = _new(_NAME)
    made.id, made.ctx, made.annotation, made.type_comment = name, context, annotation, comment
    made.origin = made.place = None
    return made


def _placed(made: Any, node: Any) -> Any:
    """Give a node the place of one of Python's, and return it."""
    if "lineno" in node.__dict__:
        made.place = place_of(node)
    return made


def place_of(node: Any) -> Any:
    """Return the line and the column where a node stands, and those where it ends, if anywhere.

    Those of Python, a comment among them, have these one by one.
    """
    if "place" in node.__class__.__dict__:
        place = node.place
    else:
        place = tuple([getattr(node, name, None) for name in _PLACE])
    return None if place is None or place[0] is None else place


def put_place(node: Any, place: Any) -> None:
    """Give a node a place, as `place_of` returns it."""
    if "place" in node.__class__.__dict__:
        node.place = place
    else:
        _put(node, dict(zip(_PLACE, place, strict=True)))


def _parameter(node: ast.arg) -> Any:
    annotation = ast_to_gast(node.annotation)
    return _named(node.arg, KINDS["Param"](), annotation, node.type_comment)


def _handler(node: ast.ExceptHandler) -> Any:
    name = _named(node.name, _CONTEXTS[ast.Store]) if node.name else None
    return KINDS["ExceptHandler"](ast_to_gast(node.type), name, ast_to_gast(node.body))


_SPECIAL: Final[dict[type, Any]] = {ast.arg: _parameter, ast.ExceptHandler: _handler}
