"""Parts a function into blocks: what is run whole or not at all."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
Node = ast.stmt | ast.expr
_Jump = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True, slots=True)
class Block:
    """Statements of a list from a place on, or an expression that is not always run."""

    first: Node
    last: Node
    statements: list[ast.stmt] | None = None
    place: int = 0


def blocks_of(function: Function) -> list[Block]:
    """Return the blocks of a function: its body first.

    A block begins behind a colon, and behind a statement that may have left the list: what follows
    an ``if`` that returns is run by few of the tests that run the ``if``.
    """
    found = []
    for block in _lists(function):
        for place, node in enumerate(block):
            if place == 0 or _may_jump(block[place - 1]):
                found.append(Block(node, block[-1], block, place))
    return found + [Block(node, node) for node in _choices(function)]


def decided_by(function: Function) -> Iterator[tuple[Node, list[Node]]]:
    """Yield each condition with the first nodes of the blocks that it decides about."""
    rest = {
        id(node): block[place + 1 : place + 2]
        for block in _lists(function)
        for place, node in enumerate(block)
    }
    for node in ast.walk(function):
        if isinstance(node, (ast.If, ast.While)):
            yield node.test, [*node.body[:1], *node.orelse[:1], *rest.get(id(node), [])]
        elif isinstance(node, ast.IfExp):
            yield node.test, [node.body, node.orelse]
        elif isinstance(node, ast.BoolOp):
            yield node, list(node.values[1:])
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            for test in (test for part in node.generators for test in part.ifs):
                yield test, [node.elt]


def _lists(function: Function) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements of a function."""
    waiting: list[list[ast.stmt]] = [function.body]
    while waiting:
        block = waiting.pop()
        yield block
        waiting += reversed([inner for node in block for inner in _inner(node)])


def _inner(node: ast.AST) -> list[list[ast.stmt]]:
    """Return the lists of statements right inside of one."""
    found = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    found += [part.body for part in getattr(node, "handlers", getattr(node, "cases", ()))]
    return [block for block in found if isinstance(block, list) and block]


def _may_jump(node: ast.stmt) -> bool:
    """Say whether what follows a statement may be left out."""
    waiting: list[ast.AST] = list(ast.iter_child_nodes(node))
    while waiting:
        part = waiting.pop()
        if isinstance(part, _Jump):
            return True
        if not isinstance(part, (*Function.__args__, ast.expr)):
            waiting += ast.iter_child_nodes(part)
    return False


def _choices(function: Function) -> list[ast.expr]:
    """Return the expressions that are run on a condition, or many times."""
    found: list[ast.expr] = []
    for node in ast.walk(function):
        if isinstance(node, ast.IfExp):
            found += [node.body, node.orelse]
        elif isinstance(node, ast.BoolOp):
            found += node.values[1:]
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            found.append(node.elt)
        elif isinstance(node, ast.DictComp):
            found.append(node.value)
        elif isinstance(node, ast.Lambda):
            found.append(node.body)
    return found
