"""Says through which names a call may write into memory."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

import gast
import numpy as np

from srcgrad.ir.operations import Reader
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.scopes import MISSING, is_library_method, uncached
from srcgrad.ir.walk import names_bound, names_read, root_name, statements, walk
from srcgrad.runtime import add_entries, add_to_shadows

_LIST_METHODS: Final = frozenset(
    {"append", "extend", "insert", "sort", "pop", "fill", "update", "clear"}
)

_ADDERS: Final = (add_entries, add_to_shadows)
"""Functions that write into their first argument."""

_DRAWS: Final = frozenset({"permutation", "choice"})
"""Methods of random generators that take elements, or places, from what they are given."""

_MAKERS: Final = (np.random.default_rng, np.random.RandomState)

Report = Callable[[Any, str, str], None]

_APART = frozenset({"warnings", "logging", "time"})
"""Modules whose functions write into no memory of the program's, whatever else they change."""


class CallWrites:
    """The writes of the calls of one program; `report` notes what cannot be understood.

    `is_varied(name)` says whether a name depends on an input.
    """

    def __init__(self, program: Program, is_varied: Callable[[str], bool], report: Report) -> None:
        self._program = program
        self._is_varied = is_varied
        self._report = report

    def of(self, statement: Any) -> list[str]:
        """Return the names into whose memory the calls in a statement may write."""
        header = _header(statement)
        if header is None:
            return []
        return [
            name
            for node in walk(header)
            if isinstance(node, gast.Call) and not _takes_at_random(self._program.reader, node)
            for name in self._written_by(statement, node)
        ]

    def _written_by(self, statement: Any, call: Any) -> list[str]:
        reader = self._program.reader
        operation = reader.read(call)
        passed = {name for arg in operation.args for name in direct_names(arg)}
        if operation.kind == "taped" and any(map(self._is_varied, passed)):
            return []  # it gets copies, and the tape refuses a write into them
        if operation.kind == "class":
            shifted = gast.Call(call.func, [gast.Constant(None, None), *call.args], call.keywords)
            return self._written_by_user(statement, operation.primal.forward, shifted)
        callee = uncached(reader.scope.resolve(call.func))
        if callee is not MISSING:
            known = reader.vocabulary.rule_for(callee) or reader.vocabulary.constant_reason(callee)
            known = known or is_library_method(callee)
            if known or isinstance(callee, type) or callee is sorted or _is_apart(callee):
                return self._out_keyword(call)
            if isinstance(callee, FunctionType) and callee not in _ADDERS:
                return self._written_by_user(statement, callee, call)
            first = callee in _ADDERS
            return [n for arg in call.args[: 1 if first else None] for n in direct_names(arg)]
        if isinstance(call.func, gast.Attribute) and call.func.attr in _LIST_METHODS:
            name = root_name(call.func.value)
            return [name] if name is not None else []
        if self._known_method(call.func):
            return self._out_keyword(call)
        return [n for arg in call.args for n in direct_names(arg)]

    def _known_method(self, func: Any) -> bool:
        vocabulary = self._program.reader.vocabulary
        return isinstance(func, gast.Attribute) and (
            func.attr in vocabulary.methods or func.attr in vocabulary.constant_methods
        )

    def _written_by_user(self, statement: Any, callee: FunctionType, call: Any) -> list[str]:
        """A function that writes into what it is given is understood if it writes constants."""
        operands, elsewhere = self._program.reader.vocabulary.written_operands(callee, call)
        names = [name for operand in operands for name in names_read(operand)]
        given = [*call.args, *[item.value for item in call.keywords]]
        passed = {name for item in given for name in names_read(item)}
        if elsewhere or (names and any(map(self._is_varied, passed))):
            what = self._program.reader.vocabulary.how_written(callee) or "its arguments"
            self._report(
                statement,
                f"the call of `{callee.__qualname__}`, which writes into {what}",
                "return the new value instead",
            )
            return []
        return names

    def _out_keyword(self, call: Any) -> list[str]:
        if self._program.reader.scope.resolve(call.func) is np.nan_to_num and _may_not_copy(call):
            return [n for arg in call.args[:1] for n in direct_names(arg)]
        return [n for item in call.keywords if item.arg == "out" for n in direct_names(item.value)]


def _takes_at_random(reader: Reader, call: Any) -> bool:
    """Say whether a call is `permutation` or `choice` of a generator, which only read."""
    if getattr(call.func, "attr", "") not in _DRAWS:
        return False
    callee = uncached(reader.scope.resolve(call.func))
    return callee is MISSING or reader.vocabulary.is_draw(callee)


def draws_anew(program: Program, value: Any) -> bool:
    """Say whether a call takes elements at random by a generator made here: they are copies."""
    if not isinstance(value, gast.Call) or not _takes_at_random(program.reader, value):
        return False
    owner = value.func.value
    made = [
        item.value
        for item in statements(program.body)
        if isinstance(item, gast.Assign)
        and isinstance(owner, gast.Name)
        and owner.id in [name for target in item.targets for name in names_bound(target)]
    ]
    return bool(made) and all(
        isinstance(item, gast.Call) and program.reader.scope.resolve(item.func) in _MAKERS
        for item in made
    )


def _may_not_copy(call: Any) -> bool:
    """Say whether a call of `nan_to_num` may work in place."""
    given = [*call.args[1:2], *[item.value for item in call.keywords if item.arg == "copy"]]
    return any(getattr(item, "value", None) is not True for item in given)


def _header(statement: Any) -> Any:
    if isinstance(statement, gast.For):
        return statement.iter
    if isinstance(statement, (gast.If, gast.While)):
        return statement.test
    if isinstance(statement, (gast.Assign, gast.Expr, gast.AugAssign)):
        return statement.value
    return None


def _is_apart(callee: Any) -> bool:
    return callee is next or callee is iter or getattr(callee, "__module__", None) in _APART
