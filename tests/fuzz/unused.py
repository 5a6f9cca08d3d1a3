"""Tells whether an exception came from a computation whose result nothing uses.

Text leaves such a computation out, and with it the exception that it may raise (see *Conventions*
in the documentation). Nobody could keep both short text and these.
"""

from __future__ import annotations

import ast
import re
import traceback
import warnings
from collections.abc import Iterator
from typing import Any

from tests.fuzz.loading import Source
from tests.fuzz.modules import Program
from tests.fuzz.reference import CALLS
from tests.fuzz.trees import copied, difference

_PATIENCE = 12
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)


def is_of_unused(
    program: Program, source: Source, error: BaseException, k: int, found: tuple[Any, Any]
) -> bool:
    """Say whether a program gives what was `found` without the statements that raise.

    `found` is the value that was returned (None if there is none), and the arguments afterwards.
    """
    for value, used, raised, _ in _left_out(program, source, error, k):
        if raised is None:
            wanted, after = found
            same = wanted is None or difference(wanted, value, 1e-10) is None
            return same and difference(after, used, 0) is None
    return False


def is_after_unused(
    program: Program, source: Source, error: BaseException, k: int, found: BaseException
) -> bool:
    """Say whether a program raises what was `found` without the statements that raise before.

    What nobody could read any more without them is used.
    """
    lost: set[str] = set()
    for _, _, raised, bound in _left_out(program, source, error, k):
        lost |= bound
        if type(raised) is type(found) and str(raised) == str(found):
            return lost.isdisjoint(re.findall(r"\w+", str(found)))
    return False


Attempt = tuple[Any, Any, BaseException | None, set[str]]


def _left_out(program: Program, source: Source, error: BaseException, k: int) -> Iterator[Attempt]:
    """Yield what a program does without the statements that raise, one more each time.

    That is the value, the arguments afterwards, what it raises now, and what the last of the
    statements binds.
    """
    given = source
    try:
        for _ in range(_PATIENCE):
            shorter, bound = _without(program, source, error)
            if shorter is None:
                return
            if source is not given:
                source.remove()
            program, source = shorter, Source(shorter, given.folder.parent)
            value, used, raised = _called(source, k)
            yield value, used, raised, bound
            if raised is None:
                return
            error = raised
    finally:
        if source is not given:
            source.remove()


def _called(source: Source, k: int) -> tuple[Any, Any, BaseException | None]:
    copy = source.load()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for earlier in range(k + 1):
                if earlier == 2:
                    copy.outside()
                args = copy.arguments(earlier, CALLS[earlier])
                value = copied(copy.main.program(*args))
    except Exception as raised:
        return None, None, raised
    else:
        return value, args, None
    finally:
        copy.unload()


def _without(
    program: Program, source: Source, error: BaseException
) -> tuple[Program | None, set[str]]:
    """Return the program without the simple statement that raised, and what that binds."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        for name, text in program.modules.items():
            if frame.filename != str(source.folder / f"{name}.py"):
                continue
            tree = ast.parse(text)
            cutter = _Cutter((frame.lineno or 0, frame.colno))
            tree = ast.fix_missing_locations(cutter.visit(tree))
            if not cutter.done:
                return None, set()
            return Program({**program.modules, name: ast.unparse(tree)}, program.seed), cutter.bound
    return None, set()


class _Cutter(ast.NodeTransformer):
    """Puts `pass` in the place of a simple statement, or what `:=` binds in it."""

    def __init__(self, place: tuple[int, int | None]) -> None:
        self.line, self.column = place
        self.done = False
        self.bound: set[str] = set()

    def _is_here(self, node: ast.stmt) -> bool:
        """Say whether a statement is at the place, of several in one line the one in its column."""
        if not node.lineno <= self.line <= (node.end_lineno or 0):
            return False
        if self.column is None:
            return True
        start = (node.lineno, node.col_offset)
        end = (node.end_lineno or 0, node.end_col_offset or 0)
        return start <= (self.line, self.column) < end

    def generic_visit(self, node: ast.AST) -> Any:
        """Replace the statement, or go on inside."""
        if isinstance(node, _SIMPLE) and not self.done and self._is_here(node):
            self.done = True
            bound = [item for item in ast.walk(node) if isinstance(item, ast.NamedExpr)]
            alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.NamedExpr)
            if bound and not alone:
                return [ast.copy_location(ast.Expr(item), node) for item in bound]
            names = [item for item in ast.walk(node) if isinstance(item, ast.Name)]
            self.bound = {item.id for item in names if isinstance(item.ctx, ast.Store)}
            return ast.copy_location(ast.Pass(), node)
        return super().generic_visit(node)
