"""Says through which names a call may write into memory."""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.asked_sets import asked_sets
from srcgrad.ir.marks import SETTLED
from srcgrad.ir.operations import Reader, may_not_copy
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.scopes import MISSING, is_library_method, uncached
from srcgrad.ir.walk import blocks_of, found_in, names_bound, names_read, root_name, statements
from srcgrad.runtime import add_entries, add_to_shadows
from srcgrad.runtime.objects import runs_own_code
from srcgrad.spans import Placed

_LIST_METHODS: Final = frozenset(
    {"append", "extend", "insert", "sort", "pop", "fill", "update", "clear"}
)

_ADDERS: Final = (add_entries, add_to_shadows)
"""Functions that write into their first argument."""

_DRAWS: Final = frozenset({"permutation", "choice"})
"""Methods of random generators that take elements, or places, from what they are given."""

_MAKERS: Final = (np.random.default_rng, np.random.RandomState)

_TEXTS: Final = (gast.Constant, gast.JoinedStr)
"""What has methods that write into nothing: ``"{}".format(x)``."""

Report = Callable[[Any, str, str], None]

_BLOCKS: Final = frozenset(["body", "orelse", "finalbody", "handlers", "cases"])

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
        self._gone_through: dict[str, set[str]] = {}
        self._sets = asked_sets(program.body)

    def of(self, statement: Any) -> list[str]:
        """Return the names into whose memory the calls in a statement may write."""
        header = _header(statement)
        if header is None:
            return []
        calls = found_in(header, gast.Call)
        if not calls:
            return []
        self._gone_through = _gone_through(header)
        return [
            name
            for node in calls
            if not _takes_at_random(self._program.reader, node)
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
        tells = reader.vocabulary.is_report(reader.scope.resolve(call.func))
        follows = operation.kind != "primitive" and not SETTLED.of(call) and not tells
        if follows and (called := self._handed_on(call)) is not None:
            return self._written_by_user(statement, called, call, anything=True)
        callee = uncached(reader.scope.resolve(call.func))
        if callee is MISSING:
            return self._written_by_method(call)
        return self._written_by_callee(statement, callee, call)

    def _written_by_callee(self, statement: Any, callee: Any, call: Any) -> list[str]:
        if isinstance(callee, type) and runs_own_code(callee):
            return self._kept_by_object(statement, callee, call)
        vocabulary = self._program.reader.vocabulary
        known = vocabulary.rule_for(callee) or vocabulary.constant_reason(callee)
        known = known or is_library_method(callee)
        if known or isinstance(callee, type) or callee is sorted or _is_apart(callee):
            return self._out_keyword(call)
        if isinstance(callee, FunctionType) and callee not in _ADDERS:
            return self._written_by_user(statement, callee, call)
        first = callee in _ADDERS
        return [n for arg in call.args[: 1 if first else None] for n in direct_names(arg)]

    def _written_by_method(self, call: Any) -> list[str]:
        if isinstance(call.func, gast.Attribute) and call.func.attr in _LIST_METHODS:
            name = root_name(call.func.value)
            return [name] if name is not None else []
        owner = getattr(getattr(call.func, "value", None), "id", "")
        if owner in self._sets:  # what is put into it must be hashed, and has no memory
            return [owner]
        if isinstance(getattr(call.func, "value", None), _TEXTS):
            return []
        if self._known_method(call.func):
            return self._out_keyword(call)
        return [n for arg in call.args for n in direct_names(arg)]

    def _handed_on(self, call: Any) -> FunctionType | None:
        """Return a writing function that a call is given, which it may call with anything."""
        reader = self._program.reader
        for item in _given(call):
            function = uncached(reader.scope.resolve(item))
            if not isinstance(function, FunctionType) or reader.vocabulary.rule_for(function):
                continue
            if reader.vocabulary.how_written(function) is not None:
                return function
        return None

    def _known_method(self, func: Any) -> bool:
        vocabulary = self._program.reader.vocabulary
        return isinstance(func, gast.Attribute) and (
            func.attr in vocabulary.methods or func.attr in vocabulary.constant_methods
        )

    def _written_by_user(
        self, statement: Any, callee: FunctionType, call: Any, *, anything: bool = False
    ) -> list[str]:
        """A function that writes into what it is given is understood if it writes constants."""
        operands, elsewhere = self._program.reader.vocabulary.written_operands(callee, call)
        names = self._names(_given(call) if anything else operands)
        passed = self._names(_given(call))
        if elsewhere or (names and any(map(self._is_varied, passed))):
            what = self._program.reader.vocabulary.how_written(callee) or "its arguments"
            message = f"the call of `{callee.__qualname__}`, which writes into {what}"
            self._report(statement, Placed.like(message, what), "return the new value instead")
            return []
        return names

    def _kept_by_object(self, statement: Any, made: type, call: Any) -> list[str]:
        """An object that is asked something may write into what it was made with."""
        passed = self._names(_given(call))
        if any(map(self._is_varied, passed)):
            self._report(
                statement,
                f"a `{made.__qualname__}`, whose methods may write into what it is made with",
                "pass its attributes",
            )
        return passed

    def _names(self, operands: list[Any]) -> list[str]:
        """Return the names that operands read, and what comprehensions bind them to."""
        read = dict.fromkeys(name for item in operands for name in names_read(item))
        lookup = self._program.reader.scope.lookup
        found: dict[str, None] = {}
        for name in read:
            if isinstance(lookup(name), (ModuleType, type, BuiltinFunctionType, FunctionType)):
                continue  # of ``np.sqrt(x)``, or what makes an operand: ``range(3)``, ``helper(x)``
            found.update(dict.fromkeys(sorted(self._gone_through.get(name, {name}))))
        return list(found)

    def _out_keyword(self, call: Any) -> list[str]:
        if may_not_copy(call, self._program.reader.scope.resolve(call.func)):
            return [n for arg in call.args[:1] for n in direct_names(arg)]
        return [n for item in call.keywords if item.arg == "out" for n in direct_names(item.value)]


def _gone_through(header: Any) -> dict[str, set[str]]:
    """Return the names that comprehensions bind, with the names that they go through for them."""
    found: dict[str, set[str]] = {}
    for node in found_in(header, gast.comprehension):
        sources = {n for name in names_read(node.iter) for n in found.get(name, {name})}
        for name in names_bound(node.target):
            found.setdefault(name, {name}).update(sources)
    return found


def _given(call: Any) -> list[Any]:
    return [*call.args, *[item.value for item in call.keywords]]


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


def _header(statement: Any) -> Any:
    """Return what a statement evaluates itself, without the statements in it."""
    if not isinstance(statement, gast.stmt):
        return None
    if not blocks_of(statement):
        return statement
    parts = [part for name, part in gast.iter_fields(statement) if name not in _BLOCKS]
    flat = [item for part in parts for item in (part if isinstance(part, list) else [part])]
    return gast.Module([item for item in flat if isinstance(item, gast.AST)], [])


def _is_apart(callee: Any) -> bool:
    return callee is next or callee is iter or getattr(callee, "__module__", None) in _APART
