"""Finds the constructs of the language that a function uses, for the table of what is covered."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

LOOPS = (ast.For, ast.While)
FUNCTIONS = (ast.FunctionDef, ast.Lambda)
COMPREHENSIONS = {
    ast.ListComp: "list comprehension",
    ast.DictComp: "dict comprehension",
    ast.SetComp: "set comprehension",
    ast.GeneratorExp: "generator expression",
}
STATEMENTS = {
    ast.If: "`if`",
    ast.While: "`while`",
    ast.Match: "`match`",
    ast.With: "`with`",
    ast.Assert: "`assert`",
    ast.Raise: "`raise`",
    ast.Delete: "`del`",
    ast.Global: "`global`",
    ast.Nonlocal: "`nonlocal`",
    ast.Import: "import inside a function",
    ast.ImportFrom: "import inside a function",
    ast.AnnAssign: "annotated assignment",
    ast.Break: "`break`",
    ast.Continue: "`continue`",
}
EXPRESSIONS = {
    ast.IfExp: "conditional expression",
    ast.NamedExpr: "`:=`",
    ast.Lambda: "lambda",
    ast.Dict: "dict display",
    ast.List: "list display",
    ast.Set: "set display",
    ast.BoolOp: "`and`, `or`",
    ast.JoinedStr: "f-string",
    ast.MatMult: "`@`",
    ast.Starred: "star in a call, target or display",
    **COMPREHENSIONS,
}
ITERATED = ("range", "enumerate", "zip", "reversed", "sorted", "map", "filter")
GROWING = {"append", "extend", "insert", "pop", "remove", "clear", "reverse", "sort", "setdefault"}
DICT_METHODS = {"items", "keys", "values", "get", "update"}
WRITERS = {"copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis", "fill", "resize"}

BUILTINS = {"sum", "max", "min", "map", "filter", "isinstance", "print", "float", "super", "sorted"}

Finder = Callable[[ast.AST], str | None]


def constructs(function: Callable[..., Any]) -> set[str]:
    """Return what a function's own text is made of, but for names, numbers and operators."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    body = tree.body[0]
    assert isinstance(body, ast.FunctionDef)
    body.decorator_list = []  # the corpus' own
    found = set(_signature(body.args))
    for node in ast.walk(body):
        found.update(name for finder in FINDERS if (name := finder(node)))
    found |= set(_nested(body)) | set(_returns(body)) | set(_callees(body, function))
    return found


def _signature(args: ast.arguments) -> Iterator[str]:
    if args.vararg or args.kwarg:
        yield "`*args`, `**kwargs` parameters"
    if args.kwonlyargs or args.posonlyargs:
        yield "keyword-only and positional-only parameters"
    if args.defaults or any(args.kw_defaults):
        yield "default arguments"


def _statement(node: ast.AST) -> str | None:
    return STATEMENTS.get(type(node)) or EXPRESSIONS.get(type(node))


def _loop(node: ast.AST) -> str | None:
    if not isinstance(node, ast.For):
        return None
    called = node.iter.func if isinstance(node.iter, ast.Call) else None
    if isinstance(called, ast.Name) and called.id in ITERATED:
        return f"`for` over `{called.id}`"
    if isinstance(called, ast.Attribute) and called.attr in DICT_METHODS:
        return f"`for` over `.{called.attr}()`"
    return "`for` over an array or sequence"


def _loop_else(node: ast.AST) -> str | None:
    return "`else` of a loop" if isinstance(node, LOOPS) and node.orelse else None


def _try(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Try):
        return None
    return "`try`/`finally`" if node.finalbody else "`try`/`except`"


def _assignment(node: ast.AST) -> str | None:
    if isinstance(node, ast.AugAssign):
        return f"augmented assignment of {_place(node.target)}"
    if not isinstance(node, ast.Assign):
        return None
    if len(node.targets) > 1:
        return "chained assignment"
    target = node.targets[0]
    if isinstance(target, (ast.Tuple, ast.List)):
        if isinstance(node.value, (ast.Tuple, ast.List)):
            return "tuple assignment, swap"
        return "unpacking"
    return f"assignment to {_place(target)}" if not isinstance(target, ast.Name) else None


def _place(target: ast.AST) -> str:
    if isinstance(target, ast.Attribute):
        return "an attribute"
    if isinstance(target, ast.Subscript):
        inside = ast.walk(target.slice)
        return "a slice" if any(isinstance(n, ast.Slice) for n in inside) else "an element"
    return "a name"


def _method(node: ast.AST) -> str | None:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return None
    name = node.func.attr
    if name in GROWING:
        return f"`.{name}()`"
    if name in DICT_METHODS:
        return "`.items()`, `.keys()`, `.values()`, `.get()`, `.update()`"
    if name in WRITERS:
        return "NumPy functions that write"
    return "`ufunc.at`" if name == "at" else None


def _keyword(node: ast.AST) -> str | None:
    named = isinstance(node, ast.keyword) and node.arg in ("out", "where")
    return f"`{node.arg}=`" if named else None


def _builtin(node: ast.AST) -> str | None:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return None
    return f"`{node.func.id}()`" if node.func.id in BUILTINS else None


def _chained(node: ast.AST) -> str | None:
    return "chained comparison" if isinstance(node, ast.Compare) and len(node.ops) > 1 else None


FINDERS: tuple[Finder, ...] = (
    _statement,
    _loop,
    _loop_else,
    _try,
    _assignment,
    _method,
    _keyword,
    _builtin,
    _chained,
)


def _nested(body: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(body):
        if isinstance(node, ast.FunctionDef) and node is not body:
            yield "nested function"
            if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(node)):
                yield "generator function"
        if isinstance(node, ast.ClassDef):
            yield "class inside a function"
        if isinstance(node, LOOPS) and any(
            isinstance(n, LOOPS) for part in node.body for n in ast.walk(part)
        ):
            yield "nested loops"


def _returns(body: ast.FunctionDef) -> Iterator[str]:
    """Tell returns in loops and early returns, outside of functions inside."""

    def visit(statements: list[ast.stmt], looped: bool, nested: bool) -> Iterator[str]:
        for node in statements:
            if isinstance(node, ast.Return) and (looped or nested):
                yield "`return` inside a loop" if looped else "early `return`"
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                continue
            for part in ("body", "orelse", "finalbody"):
                inner = getattr(node, part, [])
                yield from visit(inner, looped or isinstance(node, LOOPS), True)

    yield from visit(body.body, False, False)


def _callees(body: ast.FunctionDef, function: Callable[..., Any]) -> Iterator[str]:
    """Tell calls of Python functions and classes that the function's globals name."""
    for node in ast.walk(body):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            callee = function.__globals__.get(node.func.id)  # type: ignore[attr-defined]
            kind = "recursion" if callee is function else _kind_of_callee(callee)
            if kind:
                yield kind


def _kind_of_callee(callee: Any) -> str | None:
    if isinstance(callee, FunctionType):
        return "call of a Python function"
    if isinstance(callee, type):
        return "object of a class"
    if callee is None or type(callee).__module__ == "builtins":
        return None
    return "call of a callable object"
