"""Finds the names of a text that are bound outside of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def free_names(tree: Any) -> list[ast.Name]:
    """Return the nodes of names that are read and bound nowhere inside, in the order of the text.

    What the statements of a module define counts as bound outside: a definition may call itself.

    >>> [node.id for node in free_names(ast.parse("def f(x): return [x + i for i in NAMES]"))]
    ['NAMES']
    """
    found = [node for statement in tree.body for node in _in(statement, frozenset())]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def _in(node: Any, bound: frozenset[str]) -> Iterator[ast.Name]:
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in bound:
            yield node
    elif isinstance(node, _FUNCTIONS):
        yield from _in_function(node, bound)
    elif isinstance(node, ast.ClassDef):
        for part in [*node.decorator_list, *node.bases, *[k.value for k in node.keywords]]:
            yield from _in(part, bound)
        inside = _bound_in(node.body)
        for statement in node.body:  # methods do not see the names of the class
            is_method = isinstance(statement, _FUNCTIONS)
            yield from _in(statement, bound if is_method else bound | inside)
    elif isinstance(node, _COMPREHENSIONS):
        targets = {
            name.id
            for item in node.generators
            for name in ast.walk(item.target)
            if isinstance(name, ast.Name)
        }
        for child in ast.iter_child_nodes(node):
            yield from _in(child, bound | targets)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _in(child, bound)


def _in_function(node: Any, bound: frozenset[str]) -> Iterator[ast.Name]:
    outside = [*getattr(node, "decorator_list", ()), *_annotations(node)]
    outside += [item for item in [*node.args.defaults, *node.args.kw_defaults] if item is not None]
    for part in outside:
        yield from _in(part, bound)
    body = node.body if isinstance(node.body, list) else [node.body]
    inside = bound | {item.arg for item in parameters(node.args)} | _bound_in(body)
    for part in body:
        yield from _in(part, frozenset(inside))


def _annotations(node: Any) -> list[Any]:
    every = [item.annotation for item in parameters(node.args)] + [getattr(node, "returns", None)]
    return [item for item in every if item is not None]


def parameters(arguments: Any) -> list[Any]:
    """Return all parameters of a function, in order."""
    rest = [arguments.vararg] if arguments.vararg else []
    options = [arguments.kwarg] if arguments.kwarg else []
    return [*arguments.posonlyargs, *arguments.args, *rest, *arguments.kwonlyargs, *options]


def default_of(arguments: Any) -> dict[str, Any]:
    """Return the defaults of parameters, by their names."""
    plain = [*arguments.posonlyargs, *arguments.args]
    pairs = list(zip(reversed(plain), reversed(arguments.defaults), strict=False))
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {item.arg: default for item, default in pairs if default is not None}


def _bound_in(body: list[Any]) -> frozenset[str]:
    """Return the names that statements bind, without those of functions inside."""
    found: set[str] = set()
    outer: set[str] = set()
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
            waiting += node.decorator_list
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            outer.update(node.names)
        found.update(_binds(node))
        if isinstance(node, _COMPREHENSIONS):  # of what is inside only `:=` binds outside
            waiting += [item for item in ast.walk(node) if isinstance(item, ast.NamedExpr)]
        else:
            waiting += ast.iter_child_nodes(node)
    return frozenset(found - outer)


def _binds(node: Any) -> list[str]:
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [item.asname or item.name.split(".")[0] for item in node.names]
    name = getattr(node, "rest" if isinstance(node, ast.MatchMapping) else "name", None)
    named = (ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping)
    return [name] if isinstance(node, named) and name else []


def bound_anywhere(node: Any) -> frozenset[str]:
    """Return all names that are bound inside of a definition, in whatever scope."""
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.arg):
            found.add(part.arg)
        elif part is not node and isinstance(part, (ast.FunctionDef, ast.ClassDef)):
            found.add(part.name)
        found.update(_binds(part))
    return frozenset(found)
