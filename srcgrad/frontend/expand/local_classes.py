"""Makes classes that a function defines, so that its objects can be taken apart like others."""

from __future__ import annotations
import __future__ as future

import ast
import dataclasses
import functools
import typing
from collections.abc import Iterator
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from srcgrad.frontend.expand.order import place
from srcgrad.frontend.expand.scoping import free_names
from srcgrad.frontend.expand.values import Known
from srcgrad.frontend.private_names import with_private_names
from srcgrad.frontend.source import FunctionSource, attach
from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.walk import names_read, walk

if TYPE_CHECKING:
    from srcgrad.frontend.expand.interpreter import Interpreter

_OF_METHODS: Final = (property, staticmethod, classmethod, functools.cached_property)
_FIELDS: Final = (dataclasses.dataclass, dataclasses.field, typing.NamedTuple)
_INNER: Final = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)


def local_class(frame: Interpreter, node: Any) -> type | None:
    """Return the class that a definition in a function makes at each call; None if it may vary.

    It must say all that it is by itself: its methods read what they are given and what is outside
    of the function.
    """
    if not all(_is_plain(frame, item) for item in node.body) or node.keywords:
        return None
    known = [*map(_undecorated, node.decorator_list), *node.bases]
    if not all(isinstance(_meaning(frame, item), type | FunctionType) for item in known):
        return None
    if any(_meaning(frame, _undecorated(item)) not in _FIELDS for item in node.decorator_list):
        return None
    if not _taken_from_outside(node).isdisjoint(_of_function(frame, node.name)):
        return None
    given = _given(frame, node)
    key = frame.code.source.function, place(node), tuple(given), tuple(map(id, given.values()))
    if key not in frame.session.local_classes:  # what is known of its objects outlasts a turn
        try:
            frame.session.local_classes[key] = _made(frame, node, given), given
        except RecursionError:  # of ours: see `deeply`
            raise
        except Exception:  # noqa: BLE001 - whatever its class raises, it does so at the call
            return None
    return frame.session.local_classes[key][0]


def _is_plain(frame: Interpreter, statement: Any) -> bool:
    """Say whether a statement of a class is a method, or binds a literal or a field."""
    if isinstance(statement, gast.FunctionDef):
        found = [_meaning(frame, item) for item in statement.decorator_list]
        setters = [getattr(item, "attr", "") == "setter" for item in statement.decorator_list]
        defaults = [*statement.args.defaults, *filter(None, statement.args.kw_defaults)]
        return all(map(_is_literal, defaults)) and all(
            kind in _OF_METHODS or sets for kind, sets in zip(found, setters, strict=True)
        )
    if isinstance(statement, (gast.Assign, gast.AnnAssign)):
        value = statement.value
        made = isinstance(value, gast.Call) and _meaning(frame, value.func) in _FIELDS
        return value is None or made or _is_literal(value)
    return isinstance(statement, gast.Pass) or (
        isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Constant)
    )


def _is_literal(node: Any) -> bool:
    plain = (gast.Constant, gast.Tuple, gast.UnaryOp, gast.BinOp, gast.operator, gast.unaryop)
    return all(isinstance(item, plain) for item in walk(node))


def _undecorated(node: Any) -> Any:
    return node.func if isinstance(node, gast.Call) else node


def _meaning(frame: Interpreter, node: Any) -> Any:
    """Return the object that a name, or an attribute of a module, means; None if it is unknown."""
    if isinstance(node, gast.Attribute):
        return getattr(_meaning(frame, node.value), node.attr, None)
    found = frame.look(node.id) if isinstance(node, gast.Name) else None
    return found.value if isinstance(found, Known) else None


def _taken_from_outside(node: Any) -> set[str]:
    """Return the names that a class reads, and does not bind itself."""
    methods = [item for item in node.body if isinstance(item, gast.FunctionDef)]
    found = {name for item in methods for name in free_names(item)}
    heads = [*node.decorator_list, *node.bases]
    for item in methods:
        heads += [*item.decorator_list, *item.args.defaults, *filter(None, item.args.kw_defaults)]
    heads += [item for item in node.body if not isinstance(item, gast.FunctionDef)]
    found |= {name for head in heads for name in names_read(head)}
    return found - {item.name for item in methods}


def _of_function(frame: Interpreter, name: str) -> set[str]:
    """Return what means something else in each call of a function, but for a class of a name."""
    known = {key for key, value in frame.env.items() if isinstance(value, Known)}
    return (frame.own | frame.locals | {*frame.env, *frame.home.cells}) - known - {name}


def _given(frame: Interpreter, node: Any) -> dict[str, Any]:
    """Return what a class reads of the function around it, all of which is known."""
    given = {k: v.value for k, v in frame.env.items() if isinstance(v, Known)}
    return {name: given[name] for name in sorted(_taken_from_outside(node)) if name in given}


def _made(frame: Interpreter, node: Any, given: dict[str, Any]) -> type:
    source = frame.code.source
    params = [gast.Name(name, gast.Param(), None, None) for name in given]
    args = gast.arguments(params, [], None, [], [], None, [])
    result = gast.Return(gast.Name(node.name, gast.Load(), None, None))
    factory = gast.FunctionDef("factory", args, [clone(node), result], [], None, None, [])
    module: Any = ast.fix_missing_locations(gast.gast_to_ast(gast.Module([factory], [])))
    flags = source.function.__code__.co_flags & future.annotations.compiler_flag
    code = compile(module, source.file, "exec", flags, dont_inherit=True)
    space: dict[str, Any] = {}
    exec(code, frame.home.globals, space)  # noqa: S102 - the user's own statements
    made: type = space["factory"](**given)
    trees = {item.lineno: item for item in node.body if isinstance(item, gast.FunctionDef)}
    for function in _functions_of(made):
        tree = _tree_of(function, trees)
        if tree is not None:
            attach(function, FunctionSource(function, tree, source.file, source.lines))
    return made


def _functions_of(made: type) -> Iterator[FunctionType]:
    for item in list(vars(made).values()):
        parts = [item, *(getattr(item, name, None) for name in ("fget", "fset", "func"))]
        parts.append(getattr(item, "__func__", None))
        yield from (part for part in parts if isinstance(part, FunctionType))


def _tree_of(function: FunctionType, trees: dict[int, Any]) -> Any:
    """Return the definition of a method as the text of a function has it."""
    line = function.__code__.co_firstlineno
    named = [tree for tree in trees.values() if tree.name == function.__name__]
    first = [t for t in named if line in (t.lineno, *(d.lineno for d in t.decorator_list))]
    if not first:
        return None
    plain = clone(first[0])
    plain.decorator_list, plain.returns = [], None
    plain_ast: Any = ast.fix_missing_locations(gast.gast_to_ast(gast.Module([plain], [])))
    renamed: Any = with_private_names(plain_ast, function.__code__)
    return gast.ast_to_gast(renamed).body[0]
