"""Says which functions return what carries no derivative: masks, truths, counts and places."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final

from srcgrad.analyses.variation import Variation
from srcgrad.frontend.callees import is_library
from srcgrad.frontend.left_out import marks
from srcgrad.frontend.places_of_writes import how_written
from srcgrad.frontend.remembered import nothing_changes, tree_to_read
from srcgrad.ir import gast
from srcgrad.ir.operations import Reader, may_not_copy, writes_result
from srcgrad.ir.scopes import scope_of
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import walk
from srcgrad.primitives.methods import WRITING

_NOT_FOLLOWED: Final = (
    *(gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda),
    *(gast.Yield, gast.YieldFrom, gast.Await, gast.Global, gast.Nonlocal),
    *(gast.NamedExpr, gast.Match, gast.With, gast.AsyncWith, gast.AsyncFor, gast.Try, gast.Delete),
    *(gast.Import, gast.ImportFrom),
)
"""What `Variation` follows in normal form alone, and this here follows nowhere."""


def passes_on(function: Any, vocabulary: Vocabulary, active: frozenset[Any] = frozenset()) -> bool:
    """Say whether what a function returns may carry derivatives of its arguments; True in doubt.

    >>> from srcgrad.compiler.vocabulary import VOCABULARY
    >>> def where(x):
    ...     if x.ndim == 1:
    ...         return x > 0, 0
    ...     return (x > 0).any(axis=1), 1
    >>> def scaled(x):
    ...     return 2 * x if x.ndim else 0
    >>> passes_on(where, VOCABULARY), passes_on(scaled, VOCABULARY)
    (False, True)
    """
    with nothing_changes() as memory:
        question = "passes on", id(vocabulary)
        if (question, function) in active:  # found by the outer call of the same function
            return memory.assumed(question, function, False)

        def find() -> bool:
            return _may_pass(function, vocabulary, active | {(question, function)})

        return memory.found(question, function, find)


def _may_pass(function: Any, vocabulary: Vocabulary, active: frozenset[Any]) -> bool:
    if not isinstance(function, FunctionType) or is_library(function):
        return True
    tree = tree_to_read(function)
    if tree is None:
        return True
    if not isinstance(tree.body, list) or how_written(function, vocabulary) is not None:
        return True
    nodes = [node for statement in tree.body for node in walk(statement)]
    if any(isinstance(node, _NOT_FOLLOWED) or marks(node) is not None for node in nodes):
        return True  # what is left out of the text is run where the call itself is
    reader = Reader(scope_of(function, tree, with_imports=True), vocabulary)
    if any(map(_runs_call, nodes)) or any(_may_write(node, reader) for node in nodes):
        return True
    args = tree.args
    starred = [item for item in (args.vararg, args.kwarg) if item is not None]
    given = [item.id for item in (*args.posonlyargs, *args.args, *args.kwonlyargs, *starred)]
    variation = _Inside(given, reader, active)
    variation.spread(tree.body)
    results = [node.value for node in nodes if isinstance(node, gast.Return)]
    return any(variation.of(value) for value in results if value is not None)


def _runs_call(node: Any) -> bool:
    """Say whether a statement is a call, which is made for what it changes."""
    return isinstance(node, gast.Expr) and not isinstance(node.value, gast.Constant)


def _may_write(node: Any, reader: Reader) -> bool:
    """Say whether an expression is a call that may write into what it is given."""
    if not isinstance(node, gast.Call):
        return False
    if isinstance(node.func, gast.Attribute) and node.func.attr in WRITING:
        return True
    callee = reader.scope.resolve(node.func)
    if writes_result(node, callee) or may_not_copy(node, callee):
        return True
    own = isinstance(callee, FunctionType) and reader.vocabulary.rule_for(callee) is None
    return own and how_written(callee, reader.vocabulary) is not None


class _Inside(Variation):
    """What varies in a function whose arguments all do, with an eye on those that it calls."""

    def __init__(self, inputs: list[str], reader: Reader, active: frozenset[Any]) -> None:
        super().__init__(inputs, reader)
        self._active = active

    def _of_Call(self, node: Any) -> bool:
        if not super()._of_Call(node):
            return False
        callee, vocabulary = self._reader.scope.resolve(node.func), self._reader.vocabulary
        own = isinstance(callee, FunctionType) and vocabulary.rule_for(callee) is None
        return not own or passes_on(callee, vocabulary, self._active)
