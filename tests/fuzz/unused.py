"""Tells whether an exception came from a computation whose result nothing uses.

Text leaves such a computation out, and with it the exception that it may raise (see *Conventions*
in the documentation). Nobody could keep both short text and these.
"""

from __future__ import annotations

import ast
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from tests.fuzz.loading import Source
from tests.fuzz.modules import Program
from tests.fuzz.reference import CALLS
from tests.fuzz.trees import copied, difference

Attempt = tuple[Any, Any, BaseException | None, set[str]]
Cut = Callable[[Program, Source, BaseException], tuple[Program | None, set[str]]]

_PATIENCE = 12
_NUMBERS = (1.25, -3.5)
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)


def is_of_unused(
    program: Program, source: Source, error: BaseException, k: int, found: tuple[Any, Any]
) -> bool:
    """Say whether a program gives what was `found` without the statements that raise.

    `found` is the value that was returned (None if there is none), and the arguments afterwards.
    Of statements that are used in part the expressions that raise may be any numbers.
    """
    cuts = [_with_number(number) for number in _NUMBERS]
    gives = (_gives(_left_out(program, source, error, k, cut), found) for cut in cuts)
    return _gives(_left_out(program, source, error, k), found) or all(gives)


def _gives(attempts: Iterator[Attempt], found: tuple[Any, Any]) -> bool:
    """Say whether the first attempt that raises nothing gives what was found."""
    for value, used, raised, _ in attempts:
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


def _left_out(
    program: Program, source: Source, error: BaseException, k: int, cut: Cut | None = None
) -> Iterator[Attempt]:
    """Yield what a program does without the statements that raise, one more each time.

    That is the value, the arguments afterwards, what it raises now, and what the last of the
    statements binds.
    """
    given = source
    try:
        for _ in range(_PATIENCE):
            shorter, bound = (cut or _without)(program, source, error)
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


def _with_number(number: float) -> Cut:
    """Return what puts a number in the place of the expression that raised."""

    def cut(
        program: Program, source: Source, error: BaseException
    ) -> tuple[Program | None, set[str]]:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        for name, text in program.modules.items():
            if frame.filename == str(source.folder / f"{name}.py"):
                place = (frame.lineno, frame.colno, frame.end_lineno, frame.end_colno)
                putter = _Putter(place, number)
                tree = ast.fix_missing_locations(putter.visit(ast.parse(text)))
                if putter.done:
                    modules = {**program.modules, name: ast.unparse(tree)}
                    return Program(modules, program.seed), set()
        return None, set()

    return cut


class _Putter(ast.NodeTransformer):
    """Puts a number in the place of an expression."""

    def __init__(self, place: tuple[int | None, ...], number: float) -> None:
        self.place = place
        self.number = number
        self.done = False

    def visit(self, node: ast.AST) -> Any:
        """Replace the expression, or go on inside."""
        is_read = isinstance(node, ast.expr) and not isinstance(
            getattr(node, "ctx", None), ast.Store
        )
        if is_read and not self.done:
            place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            if place == self.place:
                self.done = True
                return ast.copy_location(ast.Constant(self.number), node)
        return super().generic_visit(node)


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
