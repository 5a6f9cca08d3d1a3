"""Tells whether an exception came from a computation whose result nothing uses.

Text leaves such a computation out, and with it the exception that it may raise (see *Conventions*
in the documentation). Nobody could keep both short text and these.
"""

from __future__ import annotations

import ast
import traceback
import warnings
from typing import Any

from tests.fuzz.loading import Source
from tests.fuzz.modules import Program
from tests.fuzz.reference import CALLS
from tests.fuzz.trees import copied, difference

_PATIENCE = 5
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)


def is_of_unused(
    program: Program, source: Source, error: BaseException, k: int, found: tuple[Any, Any]
) -> bool:
    """Say whether a program gives what was `found` without the statements that raise.

    `found` is the value that was returned (None if there is none), and the arguments afterwards.
    """
    given = source
    try:
        for _ in range(_PATIENCE):
            shorter = _without(program, source, error)
            if shorter is None:
                return False
            if source is not given:
                source.remove()
            program, source = shorter, Source(shorter, given.folder.parent)
            value, used, raised = _called(source, k)
            if raised is None:
                wanted, after = found
                same = wanted is None or difference(wanted, value, 1e-10) is None
                return same and difference(after, used, 0) is None
            error = raised
        return False
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


def _without(program: Program, source: Source, error: BaseException) -> Program | None:
    """Return the program without the simple statement at which an exception was raised."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        for name, text in program.modules.items():
            if frame.filename != str(source.folder / f"{name}.py"):
                continue
            tree = ast.parse(text)
            cutter = _Cutter(frame.lineno or 0)
            tree = ast.fix_missing_locations(cutter.visit(tree))
            if not cutter.done:
                return None
            return Program({**program.modules, name: ast.unparse(tree)}, program.seed)
    return None


class _Cutter(ast.NodeTransformer):
    """Puts `pass` in the place of the simple statement on a line."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.done = False

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Replace the statement, or go on inside."""
        here = isinstance(node, _SIMPLE) and node.lineno <= self.line <= (node.end_lineno or 0)
        if here and not self.done:
            self.done = True
            return ast.copy_location(ast.Pass(), node)
        return super().generic_visit(node)
