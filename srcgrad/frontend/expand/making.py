"""Makes real functions of trees, so that what is derived can be looked at, called, compiled."""

from __future__ import annotations

import ast
from types import CellType, FunctionType
from typing import Any

from srcgrad.errors import InternalError
from srcgrad.frontend.expand.scoping import free_names
from srcgrad.frontend.expand.values import Home
from srcgrad.frontend.source import FunctionSource, attach
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, store
from srcgrad.ir.rewriting import Rewriter
from srcgrad.ir.walk import walk
from srcgrad.runtime.wrappers import module_of


def make_function(
    tree: Any,
    home: Home,
    source: FunctionSource,
    temporaries: frozenset[str] = frozenset(),
    leaves: tuple[Any, ...] = (),
    results: frozenset[str] = frozenset(),
) -> FunctionType:
    """Return the function of a tree: its names are those of `home`, its lines those of `source`."""
    tree = _Told().visit(tree)
    free = free_names(tree)
    cells = [name for name in free if name in home.cells]
    inner = _plain(tree)
    while inner.name in free and inner.name not in cells:
        inner.name += "_"  # it reads a global called like itself, which `factory` would hide
    arguments = gast.arguments([_parameter(name) for name in cells], [], None, [], [], None, [])
    result = gast.Return(gast.Name(inner.name, gast.Load(), None, None))
    factory = gast.FunctionDef("factory", arguments, [inner, result], [], None, None, [])
    module: Any = ast.fix_missing_locations(gast.gast_to_ast(gast.Module([factory], [])))
    made: dict[str, Any] = {}
    code = compile(module, source.file, "exec", dont_inherit=True)
    exec(code, home.globals, made)  # noqa: S102 - the user's own statements
    template = made["factory"](*[None for _ in cells])
    if not isinstance(template, FunctionType):
        raise InternalError("a tree of a function did not make one")
    closure = tuple(home.cells[name] for name in template.__code__.co_freevars)
    named = template.__code__.replace(co_name=tree.name, co_qualname=tree.name)
    function = FunctionType(named, home.globals, tree.name, None, closure)
    function.__module__ = module_of(source.function)
    function.__defaults__ = _placeholders(tree.args.defaults)
    function.__kwdefaults__ = {
        item.id: None
        for item, default in zip(tree.args.kwonlyargs, tree.args.kw_defaults, strict=True)
        if default is not None
    } or None
    lines = source.lines
    made_source = FunctionSource(function, tree, source.file, lines, temporaries, leaves, results)
    attach(function, made_source)
    return function


class _Told(Rewriter):
    """Writes what ``"odd" is None`` gives, of which Python warns; it comes from known arguments."""

    def __init__(self) -> None:
        self._told: set[int] = set()

    def visit_Compare(self, node: Any) -> Any:
        self.generic_visit(node)
        operands = [node.left, *node.comparators]
        if not all(isinstance(item, gast.Constant) for item in operands) or len(operands) > 2:
            return node
        if not isinstance(node.ops[0], (gast.Is, gast.IsNot)):
            return node
        same = operands[0].value is operands[1].value
        told = at(gast.Constant(same is isinstance(node.ops[0], gast.Is), None), node)
        self._told.add(id(told))
        return told

    def visit_BoolOp(self, node: Any) -> Any:
        self.generic_visit(node)
        stops = isinstance(node.op, gast.Or)
        kept = []
        for item in node.values:
            told = id(item) in self._told
            if not told or item.value is stops or item is node.values[-1]:
                kept.append(item)
            if told and item.value is stops:
                break
        node.values = kept
        return node if len(kept) > 1 else kept[0]


def as_lambda(tree: Any, node: Any) -> Any:
    r"""Return a function of one expression as a lambda, which has no annotations.

    >>> from srcgrad.compiler.doctesting import text
    >>> tree = gast.parse("def f(a: float, *, b: int) -> float:\n    return a * b").body[0]
    >>> print(text([gast.Expr(as_lambda(tree, tree))]))
    lambda a, *, b: a * b
    """
    return at(gast.Lambda(unannotated(tree.args), tree.body[0].value), node)


def unannotated(args: Any) -> Any:
    """Take the annotations away from parameters."""
    for name in walk(args):
        if isinstance(name, gast.Name):
            name.annotation = None
    return args


def _plain(tree: Any) -> Any:
    tree = clone(tree)
    tree.decorator_list, tree.returns = [], None
    tree.args.defaults = [gast.Constant(None, None) for _ in tree.args.defaults]
    tree.args.kw_defaults = [item and gast.Constant(None, None) for item in tree.args.kw_defaults]
    unannotated(tree.args)
    return tree


def _placeholders(defaults: list[Any]) -> tuple[None, ...] | None:
    return tuple(None for _ in defaults) or None


def _parameter(name: str) -> Any:
    node = store(name)
    node.ctx = gast.Param()
    return node


def definition(name: str, arguments: list[str], body: list[Any], like: Any) -> Any:
    """Return a definition with positional parameters."""
    args = gast.arguments([_parameter(item) for item in arguments], [], None, [], [], None, [])
    tree = gast.FunctionDef(name, args, body, [], None, None, [])
    tree.lineno, tree.col_offset = like.lineno, like.col_offset
    tree.end_lineno = getattr(like, "end_lineno", like.lineno)
    tree.end_col_offset = getattr(like, "end_col_offset", 0)
    return tree


def cell(value: Any) -> CellType:
    """Return a closure cell that holds a value."""
    return CellType(value)
