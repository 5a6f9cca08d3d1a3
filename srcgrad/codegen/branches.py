"""Compiles a text with marks in its branches, which tell which of them a run has taken.

Both ways of a test have one, also where nothing stands; a loop has one for its first trip, for a
second one and for none; each statement in a `try` has one, since an exception may come between.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import CodeType
from typing import Any, Final

from srcgrad.ir.depth import deeply
from srcgrad.parsing import parsed

MARK: Final = "__srcgrad_ran__"
_AGAIN: Final = "__srcgrad_again_{}"
_LOOPS: Final = (ast.For, ast.While)

Wanted = Callable[[int], bool]


class Branches:
    r"""The branches of one text, by numbers.

    Attributes:
        lines: The line at which each begins.
        catches: Whether the text catches exceptions.

    >>> branches = Branches("def f(x):\n    if x:\n        x = 2\n    return x")
    >>> branches.lines  # of the function, and of both ways of the test
    [2, 3, 2]
    """

    @deeply
    def __init__(self, text: str) -> None:
        self._text = text
        marker = _Marker(lambda _: True)
        self.catches = any(isinstance(item, ast.Try) for item in ast.walk(marker.marked(text)))
        self.lines = marker.lines

    @deeply
    def code(self, filename: str, wanted: Wanted) -> dict[str, CodeType]:
        """Return the functions of the text as code that calls `MARK` in some branches."""
        tree = ast.fix_missing_locations(_Marker(wanted).marked(self._text))
        whole = compile(tree, filename, "exec", dont_inherit=True)
        return {item.co_name: item for item in whole.co_consts if isinstance(item, CodeType)}


class _Marker(ast.NodeTransformer):
    """Puts marks into a tree."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._tries = 0
        self.lines: list[int] = []

    def marked(self, text: str) -> ast.Module:
        """Return the tree of a text, with marks in its functions."""
        tree: ast.Module = self.visit(parsed(text))
        return tree

    def _call(self, at: Any) -> ast.Call | None:
        """Return the call that marks the next branch; None if nobody wants to know."""
        number = len(self.lines)
        self.lines.append(at.lineno)
        if not self._wanted(number):
            return None
        return ast.Call(ast.Name(MARK, ast.Load()), [ast.Constant(number)], [])

    def _mark(self, at: Any) -> list[ast.stmt]:
        call = self._call(at)
        return [] if call is None else [_placed(ast.Expr(call), at)]

    def _block(self, block: list[Any], at: Any) -> list[Any]:
        """Return the statements of a branch with its mark; `at` is where it would stand."""
        found = [] if self._tries and block else self._mark(block[0] if block else at)
        for statement in block:
            found += self._mark(statement) if self._tries else []
            done = self.visit(statement)
            found += done if isinstance(done, list) else [done]
        return found

    # -- statements

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        tries, self._tries = self._tries, 0
        said = node.body[:1] if ast.get_docstring(node) is not None else []
        node.body = [*said, *self._block(node.body[len(said) :], node)]
        self._tries = tries
        return node

    def visit_If(self, node: ast.If) -> Any:
        node.test = self.visit(node.test)
        node.body = self._block(node.body, node)
        node.orelse = self._block(node.orelse, node)
        return node

    def visit_For(self, node: ast.For) -> Any:
        node.iter = self.visit(node.iter)
        return self._loop(node)

    def visit_While(self, node: ast.While) -> Any:
        node.test = self.visit(node.test)
        return self._loop(node)

    def _loop(self, node: Any) -> list[Any]:
        flag = _AGAIN.format(len(self.lines))
        again, none = self._mark(node), self._mark(node)
        node.body = self._block(node.body, node)
        node.orelse = self._block(node.orelse, node) if node.orelse else []
        if not (again or none):
            return [node]
        if again:
            node.body.insert(0, _placed(ast.If(_read(flag), again, []), node))
        node.body.insert(len(again), _placed(_bound(flag, value=True), node))
        after = [_placed(ast.If(ast.UnaryOp(ast.Not(), _read(flag)), none, []), node)]
        return [_placed(_bound(flag, value=False), node), node, *(after if none else [])]

    def visit_Try(self, node: ast.Try) -> Any:
        self._tries += 1
        node.body = self._block(node.body, node)
        for handler in node.handlers:
            handler.body = self._block(handler.body, handler)
        if node.handlers:  # without any there is no `else`
            node.orelse = self._block(node.orelse, node)
        node.finalbody = self._block(node.finalbody, node) if node.finalbody else []
        self._tries -= 1
        return node

    # -- expressions

    def _marked_value(self, value: Any) -> Any:
        """Return an expression that marks that it was reached: ``mark or value``."""
        done = self.visit(value)
        call = None if isinstance(value, ast.Constant) else self._call(value)
        return done if call is None else ast.copy_location(ast.BoolOp(ast.Or(), [call, done]), done)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        node.test = self.visit(node.test)
        node.body, node.orelse = self._marked_value(node.body), self._marked_value(node.orelse)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        node.values = [self.visit(node.values[0]), *map(self._marked_value, node.values[1:])]
        return node

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        node.generators = [self.visit(item) for item in node.generators]
        node.elt = self._marked_value(node.elt)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        node.body = self._marked_value(node.body)
        return node


def _placed(statement: Any, at: Any) -> Any:
    """Return a statement that stands, like all in it, at the place of another."""
    for item in ast.walk(statement):
        if not hasattr(item, "lineno"):
            ast.copy_location(item, at)
    return statement


def _read(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _bound(name: str, *, value: bool) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value))
