"""Writes functions that write into what they are given as functions that return it.

What cannot be put in the place of its call, since it calls itself, works on copies then, and its
caller goes on with those: the state is threaded through the calls, as in a language without writes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

from srcgrad.errors import SrcgradError
from srcgrad.frontend.callees import ELSEWHERE, given_to
from srcgrad.frontend.effects import Written, written_by
from srcgrad.frontend.expand.making import definition, make_function
from srcgrad.frontend.expand.values import Home
from srcgrad.frontend.left_out import leaves_out
from srcgrad.frontend.named_targets import with_named_targets
from srcgrad.frontend.parameter_parts import bound_anew
from srcgrad.frontend.remembered import source_to_read, tree_to_read
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, method, names_tuple, tuple_of
from srcgrad.ir.jumps import falls_through
from srcgrad.ir.names import Namer
from srcgrad.ir.scopes import scope_of
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import blocks_of, statements, walk, without_docstring
from srcgrad.primitives.methods import WRITING

_MARK: Final = "__srcgrad_threaded__"
_STATES: Final = "__srcgrad_states__"
_UPDATED: Final = "__srcgrad_states_updated__"
_SCOPES: Final = (
    *(gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda),
    *(gast.Global, gast.Nonlocal, gast.Yield, gast.YieldFrom, gast.Await),
)
"""What a function may not hold: it might bind or keep what is written elsewhere."""


@dataclass(frozen=True, slots=True)
class Threaded:
    """A function that returns what another one writes into what it is given.

    Attributes:
        function: It takes the same parameters, and leaves what it is given as it is.
        parameters: Their names, in order.
        states: Those of which it returns what is in them at the end, after what the other returns.
        results: How many values the other returns as a tuple; None for a single one, 0 for none.
        returned: The state that the other one returns itself, whenever it ends; or None.
    """

    function: FunctionType
    parameters: tuple[str, ...]
    states: tuple[str, ...]
    results: int | None
    returned: str | None


def threaded(function: FunctionType, vocabulary: Vocabulary) -> Threaded | None:
    """Return what stands for a function that writes into parameters alone; None if nothing can."""
    if leaves_out():  # then its source is not what it is at other times
        return None
    written = written_by(function, vocabulary)
    known: dict[Written, Threaded | None] = function.__dict__.setdefault(_MARK, {})
    if written not in known:
        known[written] = _made(function, written, vocabulary)
    return known[written]


def _made(function: FunctionType, written: Written, vocabulary: Vocabulary) -> Threaded | None:
    try:
        source = source_to_read(function)
    except SrcgradError:
        return None
    tree = with_named_targets(clone(source.tree))
    args = tree.args
    names = [item.id for item in [*args.posonlyargs, *args.args, *args.kwonlyargs]]
    states = [name for name in names if name in written.parameters]
    starred = args.vararg is not None or args.kwarg is not None
    if ELSEWHERE in written.parameters or starred or not states:
        return None
    lead = list(itertools.takewhile(_gives_default, without_docstring(tree.body)))
    body = without_docstring(tree.body)[len(lead) :]
    nodes = [node for line in body for node in walk(line)]
    apart = bound_anew(nodes).isdisjoint(states) and not any(
        isinstance(node, _SCOPES) for node in nodes
    )
    if not body or not apart or not all(_is_written(n, function, vocabulary) for n in states):
        return None
    returned = _state_returned(body, states, function)
    results = _thread(body, states, function)
    copies = [assign(name, method(load(name), "copy"), body[0]) for name in states]
    made = definition(function.__name__, names, [*lead, *copies, *body], tree)
    new = make_function(made, Home.of(function), source, source.temporaries)
    setattr(new, _STATES, tuple(states))
    setattr(new, _UPDATED, written.deeply.intersection(states))
    return Threaded(new, tuple(names), tuple(states), results, returned)


def _gives_default(statement: Any) -> bool:
    """Say whether a statement is ``if memo is None: memo = {}``, or so."""
    if not isinstance(statement, gast.If) or statement.orelse or len(statement.body) != 1:
        return False
    test, (line,) = statement.test, statement.body
    asks = isinstance(test, gast.Compare) and isinstance(test.ops[0], gast.Is)
    if not asks or not isinstance(line, gast.Assign) or not _is_none(test.comparators[0]):
        return False
    name = getattr(test.left, "id", None)
    return [getattr(target, "id", "") for target in line.targets] == [name]


def _asks_itself(function: FunctionType) -> Callable[[Any], bool]:
    """Return a test of whether an expression is a call of the function itself."""
    scope = scope_of(function, source_to_read(function).tree)
    return lambda value: isinstance(value, gast.Call) and scope.resolve(value.func) is function


def _state_returned(body: list[Any], states: list[str], function: FunctionType) -> str | None:
    """Return the state that a function returns wherever it ends, and let it return nothing instead.

    ``return f(a, n - 1)``, of itself, becomes a call without a result.
    """
    is_own = _asks_itself(function)

    def hands_on(value: Any, state: str) -> bool:
        if not is_own(value):
            return getattr(value, "id", None) == state
        given = given_to(function, value, frozenset((state,)))
        return [getattr(item, "id", None) for item in given] == [state]

    for state in states if not falls_through(body) else ():
        if all(hands_on(item.value, state) for item in _returns(body)):
            _before_returns(body, is_own, lambda value: (gast.Expr(value), None))
            for item in _returns(body):
                item.value = None
            return state
    return None


def _returns(body: list[Any]) -> list[Any]:
    return [item for item in statements(body) if isinstance(item, gast.Return)]


def _before_returns(
    block: list[Any], wanted: Callable[[Any], bool], split: Callable[[Any], tuple[Any, Any]]
) -> None:
    """Split what is returned, if it is `wanted`, into a statement before, and the new value."""
    for place in reversed(range(len(block))):
        statement = block[place]
        for inner in blocks_of(statement):
            _before_returns(inner, wanted, split)
        if isinstance(statement, gast.Return) and wanted(statement.value):
            before, statement.value = split(statement.value)
            block.insert(place, at(before, statement))


def states_returned(function: Any) -> tuple[str, ...]:
    """Return the parameters whose states are the last results of a function that was made here."""
    found: tuple[str, ...] = getattr(function, _STATES, ())
    return found


def states_updated(function: Any) -> frozenset[str]:
    """Return those of them of which it may update in place what they hold."""
    found: frozenset[str] = getattr(function, _UPDATED, frozenset())
    return found


def keep_states(made: FunctionType, function: FunctionType) -> None:
    """Let a function that was made of another say of its states what that does."""
    for mark in (_STATES, _UPDATED):
        if hasattr(function, mark):
            setattr(made, mark, getattr(function, mark))


def _is_written(
    name: str,
    function: FunctionType,
    vocabulary: Vocabulary,
    active: frozenset[Any] = frozenset(),
) -> bool:
    """Say whether a parameter is surely what can be written into, and copied: no number."""
    if (function, name) in active:
        return False
    tree = tree_to_read(function)
    if tree is None:
        return False
    scope = scope_of(function, tree)
    for node in (node for line in tree.body for node in walk(line)):
        if _stores_into(node, name):
            return True
        callee = scope.resolve(node.func) if isinstance(node, gast.Call) else None
        if isinstance(callee, FunctionType) and any(
            _is_written(parameter, callee, vocabulary, active | {(function, name)})
            for parameter in _given_as(name, callee, node)
        ):
            return True
    return False


def _stores_into(node: Any, name: str) -> bool:
    """Say whether a node is ``name[...]`` that is stored into, or ``name.append(v)``."""
    if isinstance(node, gast.Subscript):
        return not isinstance(node.ctx, gast.Load) and getattr(node.value, "id", None) == name
    func: Any = getattr(node, "func", None)
    writes = isinstance(func, gast.Attribute) and func.attr in WRITING
    return writes and getattr(func.value, "id", None) == name


def _given_as(name: str, callee: FunctionType, call: Any) -> list[str]:
    """Return the parameters of a callee that are bound to a variable."""
    code = callee.__code__
    return [
        parameter
        for parameter in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if [getattr(v, "id", None) for v in given_to(callee, call, frozenset((parameter,)))]
        == [name]
    ]


def _thread(body: list[Any], states: list[str], function: FunctionType) -> int | None:
    """Let a function return its states, too; say how many values it returned before."""
    results = (
        0 if all(_is_none(item.value) for item in _returns(body)) else _several(body, function)
    )
    if falls_through(body):
        body.append(at(gast.Return(None), body[-1]))
    for item in _returns(body):
        value = gast.Constant(None, None) if item.value is None else item.value
        own = [] if results == 0 else value.elts if results is not None else [value]
        every = [*own, *map(load, states)]
        item.value = at(every[0] if len(every) == 1 else tuple_of(every), item)
    return results


def _several(body: list[Any], function: FunctionType) -> int | None:
    """Return how many values a function returns as a tuple wherever it ends, or None.

    ``return f(n - 1)``, of itself, then unpacks the results and returns them.
    """
    is_own = _asks_itself(function)
    values = [item.value for item in _returns(body)]
    shown = [value for value in values if not is_own(value)]
    sizes = {len(v.elts) if isinstance(v, gast.Tuple) else None for v in shown}
    starred = any(isinstance(e, gast.Starred) for v in shown for e in getattr(v, "elts", ()))
    size = sizes.pop() if len(sizes) == 1 and not starred and not falls_through(body) else None
    if size is None:
        return None
    names = [node.id for line in body for node in walk(line) if isinstance(node, gast.Name)]
    namer = Namer([*names, *function.__code__.co_varnames])
    results = [namer.fresh("result") for _ in range(size)]

    def unpacked(value: Any) -> tuple[Any, Any]:
        return assign(names_tuple(results, storing=True), value), names_tuple(results)

    _before_returns(body, is_own, unpacked)
    return size


def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, gast.Constant) and value.value is None)
