"""Calls functions that return what they write in the place of those that write into arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from srcgrad.frontend.normalize.alone import Alone, makes_container
from srcgrad.frontend.normalize.counting import bind_outside
from srcgrad.frontend.normalize.threaded import Threaded, threaded
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, store, subscript, tuple_of
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader
from srcgrad.ir.walk import blocks_of, found_in


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that was written anew.

    Attributes:
        before: The statement that held it.
        lines: Those in the place of that.
        made: Of these, the one that calls.
        states: The variables that it binds anew to what was written.
        others: What else it is given.
    """

    before: Any
    lines: list[Any]
    made: Any
    states: tuple[str, ...]
    others: list[Any]


class ThreadedCalls:
    """Rewrites calls of one function body, and takes back in the end what may not be.

    Attributes:
        names: The variables that were made for that.
    """

    def __init__(self, reader: Reader, namer: Namer) -> None:
        self._reader = reader
        self._namer = namer
        self._calls: list[_Call] = []
        self._bound: dict[FunctionType, str] = {}
        self.names: set[str] = set()

    def of(self, call: Any, given: dict[str, Any]) -> Threaded | None:
        """Return the function that a call may call instead, whose parameters get what is `given`.

        What is written must be variables of the caller's own, each by itself.
        """
        callee = self._reader.scope.resolve(call.func)
        found = threaded(callee, self._reader.vocabulary)
        if found is None:
            return None
        operands = [given[state] for state in found.states]
        names = [item.id for item in operands if isinstance(item, gast.Name)]
        own = all(name in self._reader.scope.local for name in names)
        new = [item for item in operands if makes_container(item, self._reader) or _is_none(item)]
        apart = len(set(names)) == len(names) and len(names) + len(new) == len(operands)
        return found if own and apart else None

    def rewrite(
        self,
        statement: Any,
        found: Threaded,
        given: dict[str, Any],
        new: Callable[[str], str],
    ) -> list[Any]:
        """Return the statements for one whose value is a call, with names that `new` makes."""
        call = statement.value
        callee = self._reader.scope.resolve(call.func)
        lead: list[Any] = []
        for state in found.states:
            if not isinstance(given[state], gast.Name):  # new, and the callee's alone
                name = new(state)
                lead.append(assign(name, clone(given[state]), statement))
                given = {**given, state: load(name)}
        states = tuple(given[state].id for state in found.states)
        others = [given[name] for name in found.parameters if name not in found.states]
        args = [clone(given[name]) for name in found.parameters]
        value = at(gast.Call(load(self._name(callee, found)), args, []), call)
        targets, after = self._results(statement, found, new)
        every = [*targets, *map(store, states)]
        target = every[0] if len(every) == 1 else tuple_of(every, storing=True)
        made = assign(target, value, statement)
        if found.returned is not None and not isinstance(statement, gast.Expr):
            after[-1].value = load(given[found.returned].id)
        lines = [*lead, made, *after]
        self._calls.append(_Call(statement, lines, made, states, others))
        return lines

    def _results(
        self, statement: Any, found: Threaded, new: Callable[[str], str]
    ) -> tuple[list[Any], list[Any]]:
        """Return what the results are bound to, and the statements that do the rest with them."""
        count = 1 if found.results is None else found.results
        if isinstance(statement, gast.Expr):
            return [store(new("unused")) for _ in range(count)], []
        plain = isinstance(statement, gast.Assign) and len(statement.targets) == 1
        target = statement.targets[0] if plain else None
        if found.results is None and isinstance(target, gast.Name):
            return [clone(target)], []
        if found.results and isinstance(target, gast.Tuple):
            parts = target.elts
            if len(parts) == found.results and all(isinstance(p, gast.Name) for p in parts):
                return list(map(clone, parts)), []
        names = [new("result") for _ in range(count)]
        value = (
            tuple_of([load(name) for name in names])
            if found.results is not None
            else load(names[0])
        )
        rest = clone(statement)
        rest.value = gast.Constant(None, None) if found.results == 0 else at(value, statement)
        return [store(name) for name in names], [rest]

    def _name(self, callee: FunctionType, found: Threaded) -> str:
        """Return the name by which the caller knows a function that was made here."""
        if callee not in self._bound:
            name = self._namer.fresh(f"{callee.__name__}_threaded")
            self._bound[callee] = bind_outside(self._reader, name, found.function)
        return self._bound[callee]

    def settled(self, body: list[Any], parameters: list[str]) -> list[Any]:
        """Return the body with those calls as they were that write into what has other names.

        Arrays are written into instead, with what the call returns. A call is left as it was, too,
        that is given what it writes into once more, and where an error may be caught: what was
        written before that would be lost.
        """
        if not self._calls:
            return body
        made = {id(item.made) for item in self._calls}
        alone = Alone(body, parameters, self._reader, lambda statement: id(statement) in made)
        back: dict[int, list[Any]] = {}
        for item in self._calls:
            shared = [n for n in item.states if not alone.at(item.made, n, item.others)]
            arrays = all(alone.is_array_apart(item.made, n, item.others) for n in shared)
            if alone.is_attempted(item.made) or not arrays:
                back.update({id(line): [] for line in item.lines})
                back[id(item.made)] = [item.before]
            elif shared:
                back[id(item.made)] = self._written_back(item.made, shared)
        return _replaced(body, back) if back else body

    def _written_back(self, made: Any, names: list[str]) -> list[Any]:
        """Return a call that binds other names, and the stores of these into arrays."""
        new = {name: self._new(f"{name}_after") for name in names}
        for target in found_in(made.targets[0], gast.Name):
            target.id = new.get(target.id, target.id)
        whole = gast.Constant(..., None)
        stores = [
            assign(subscript(load(name), clone(whole), storing=True), load(new[name]), made)
            for name in names
        ]
        return [made, *stores]

    def _new(self, wish: str) -> str:
        name = self._namer.fresh(wish)
        self._reader.scope.local |= {name}
        self.names.add(name)
        return name


def _replaced(block: list[Any], lines: dict[int, list[Any]]) -> list[Any]:
    for statement in block:
        for inner in blocks_of(statement):
            inner[:] = _replaced(inner, lines)
    return [new for statement in block for new in lines.get(id(statement), [statement])]


def _is_none(value: Any) -> bool:
    return isinstance(value, gast.Constant) and value.value is None
