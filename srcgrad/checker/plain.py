"""Makes trees of `gast` those of `ast`, to be run and not to be read: all stands on one line."""

from __future__ import annotations

import ast
from typing import Any, Final

import gast

_AST: Final[Any] = ast  # its constructors take fields by position, which stubs do not always say
_PLACE: Final = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
_ATOMS: Final[dict[Any, Any]] = {
    kind: getattr(ast, name)()
    for group in (gast.expr_context, gast.operator, gast.unaryop, gast.cmpop, gast.boolop)
    for name, kind in vars(gast).items()
    if isinstance(kind, type) and issubclass(kind, group) and hasattr(ast, name)
}


def plain(node: Any) -> Any:
    r"""Return a tree that Python compiles.

    >>> ast.unparse(plain(gast.parse("def f(x, *y, z=1):\n    return x[0] + z")))
    'def f(x, *y, z=1):\n    return x[0] + z'
    """
    if isinstance(node, list):
        return [plain(item) for item in node]
    if not isinstance(node, gast.AST):
        return node
    kind = type(node)
    atom = _ATOMS.get(kind)
    if atom is not None:
        return atom
    if kind is gast.Name:
        return ast.Name(node.id, plain(node.ctx), **_PLACE)
    if kind is gast.Constant:
        return ast.Constant(node.value, None, **_PLACE)
    special: Any = _SPECIAL.get(kind)
    if special is not None:
        return special(node)
    own: Any = getattr(ast, kind.__name__)
    made = own(*[plain(getattr(node, name, None)) for name in own._fields])
    made.lineno, made.col_offset, made.end_lineno, made.end_col_offset = 1, 0, 1, 0
    return made


def _argument(node: Any) -> Any:
    return None if node is None else ast.arg(node.id, None, None, **_PLACE)


def _arguments(node: Any) -> Any:
    return ast.arguments(
        [_argument(item) for item in node.posonlyargs],
        [_argument(item) for item in node.args],
        _argument(node.vararg),
        [_argument(item) for item in node.kwonlyargs],
        plain(node.kw_defaults),
        _argument(node.kwarg),
        plain(node.defaults),
    )


def _handler(node: Any) -> Any:
    name = getattr(node.name, "id", node.name)
    return ast.ExceptHandler(plain(node.type), name, plain(node.body), **_PLACE)


def _function(node: Any) -> Any:
    parts = plain(node.args), plain(node.body), plain(node.decorator_list), None, None
    return _AST.FunctionDef(node.name, *parts, *_NO_TYPES, **_PLACE)


def _try(node: Any) -> Any:
    """Return a `try`, or its blocks, if its handlers were moved elsewhere."""
    parts = [plain(part) for part in (node.body, node.handlers, node.orelse, node.finalbody)]
    if node.handlers or node.finalbody:
        return _AST.Try(*parts, **_PLACE)
    return ast.If(ast.Constant(True, None, **_PLACE), [*parts[0], *parts[2]], [], **_PLACE)


_NO_TYPES: Final[tuple[Any, ...]] = ([],) if "type_params" in ast.FunctionDef._fields else ()
_SPECIAL: Final[dict[Any, Any]] = {
    gast.arguments: _arguments,
    gast.ExceptHandler: _handler,
    gast.FunctionDef: _function,
    gast.Try: _try,
    gast.Module: lambda node: ast.Module(plain(node.body), []),
}
