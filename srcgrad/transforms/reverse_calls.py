"""Reverses calls of users' functions by their derived halves."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from srcgrad.analyses.threaded_states import threaded_states
from srcgrad.errors import MissingRuleError
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, load, store
from srcgrad.ir.marks import IS_ENTRY
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, bound_by, direct_names, is_store, store_target
from srcgrad.ir.walk import root_name, statements
from srcgrad.transforms.adjoints import Status
from srcgrad.transforms.contributions import Contributions
from srcgrad.transforms.reverse_repeats import RepeatedSteps, as_passed
from srcgrad.transforms.sweep import RepeatedCall, SteppedLoop, Sweep


def _keys_shown(program: Program) -> dict[str, frozenset[str]]:
    """Return the keys of the dicts that are displayed and not written, by their names."""
    shown: dict[str, frozenset[str]] = {}
    written = {root_name(store_target(s)) for s in statements(program.body) if is_store(s)}
    for statement in statements(program.body):
        value = getattr(statement, "value", None)
        if not isinstance(statement, gast.Assign) or not isinstance(value, gast.Dict):
            continue
        if all(isinstance(key, gast.Constant) for key in value.keys):
            keys = frozenset(key.value for key in value.keys)
            shown.update((n, keys) for n in bound_by(statement) if n not in shown)
    return {name: keys for name, keys in shown.items() if name not in written}


class CallSteps:
    """The steps of calls."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self._repeats = RepeatedSteps(sweep)

    def prepare_user(self, statement: Any, operation: Operation, targets: list[str]) -> list[Any]:
        derived = self._sweep.derive_call(statement, operation, self._sweep.facts)
        if isinstance(derived, RepeatedCall):
            return self._repeats.prepare_call(statement, derived, targets)
        if isinstance(derived, SteppedLoop):
            return self._repeats.prepare_loop(statement, derived, targets)
        saved = self._sweep.namer.fresh("saved")
        states = threaded_states(statement, operation, self._sweep.program.reader.vocabulary)
        places = [item.place for item in states]
        threaded = {n for item in states for n in direct_names(item.given)}
        passed = [
            self._given_away(item) if place in places else self._sweep.kept(item)
            for place, item in enumerate(derived.passed)
        ]
        statement.value = at(call(derived.forward, *passed), statement)
        statement.value.keywords = []
        target = statement.targets[0]
        statement.targets = [gast.Tuple([target, store(saved)], gast.Store())]

        def rule(grads: list[Any]) -> tuple[list[Any], Contributions]:
            filled = self._sweep.filled(grads, targets)
            for place in range(len(filled) - len(states), len(filled)):
                filled[place] = self._owned(targets[place], filled[place])
            passed = as_passed(filled, derived.outputs, target)
            if derived.gives_array and derived.outputs is None and len(targets) > 1:
                self._sweep.externals.use_numpy()
                passed = [call("np.array", passed[0])]
            value = call(derived.backward, load(saved), *passed)
            cells = [name for item in derived.parameters for name in direct_names(item)]
            if len(cells) == 1:
                if cells[0] in threaded:
                    IS_ENTRY.put(value, True)
                return [], [(cells[0], self._completed(cells[0], value, derived.keys.get(0)))]
            parts = [self._sweep.namer.version(self._sweep.namer.adjoint(cell)) for cell in cells]
            names = gast.Tuple([store(part) for part in parts], gast.Store())
            handed = [
                (cell, self._completed(cell, load(part), derived.keys.get(place)))
                for place, (cell, part) in enumerate(zip(cells, parts, strict=True))
            ]
            for cell, part in handed:
                if cell in threaded:
                    IS_ENTRY.put(part, True)
            return [assign(names, value)], handed

        self._sweep.keep_step(statement, targets, rule)
        return [statement]

    def _completed(self, cell: str, grads: Any, keys: Collection[str] | None) -> Any:
        """Return the adjoint of a dict with all its keys: a function returns those that it reads.

        Who gave the argument is given what was read, and nothing else.
        """
        sweep = self._sweep
        there = cell in sweep.adjoints.state or cell in sweep.adjoints.parts
        if keys is None or there or cell in sweep.program.parameters:
            return grads
        if keys == sweep.program.once(_keys_shown).get(cell):
            return grads
        zeros = call(sweep.externals.use_runtime("zeros_like"), load(cell))
        return gast.Dict([None, None], [zeros, grads])

    def _given_away(self, item: Any) -> Any:
        """Return what a function copies itself, if it is an array, and else writes into."""
        if self._sweep.rank(item):
            return item
        return call(self._sweep.externals.use_runtime("kept_apart"), item)

    def _owned(self, cell: str, grad: Any) -> Any:
        """Return an adjoint that a function may write into: a copy of what may be another's."""
        if self._sweep.consumed.get(cell) is not Status.SHARED:
            return grad
        return call(self._sweep.externals.use_runtime("copied"), grad)

    def prepare_taped(self, statement: Any, operation: Operation, targets: list[str]) -> list[Any]:
        """Run the call on the tape, for want of a rule and of source, and keep its pullback."""
        sweep = self._sweep
        callee = statement.value.func
        flags = [gast.Constant(sweep.is_active(item), None) for item in operation.args]
        inside = any(sweep.is_active(item) for item in operation.keywords.values())
        if inside or len(targets) != 1:
            what = "a call of a function without source, with a keyword or several results"
            hint = "pass values with derivatives by position, and return one value"
            sweep.refused.append((statement, what, hint, MissingRuleError))
            return [statement]
        sweep.taped.append((statement, operation.primal))
        pullback = sweep.namer.fresh(f"pull_{targets[0]}")
        value = call(
            sweep.externals.use_runtime("on_tape"),
            callee,
            gast.Tuple(flags, gast.Load()),
            *operation.args,
        )
        value.keywords = statement.value.keywords
        statement.value = at(value, statement)
        target = statement.targets[0]
        statement.targets = [gast.Tuple([target, store(pullback)], gast.Store())]

        def rule(grads: list[Any]) -> tuple[list[Any], Contributions]:
            cells = [item.id for item in operation.args if sweep.is_active(item)]
            pulled = call(pullback, *as_passed(sweep.filled(grads, targets), None, target))
            if len(cells) == 1:
                return [], [(cells[0], pulled)]
            parts = [sweep.namer.version(sweep.namer.adjoint(cell)) for cell in cells]
            names = gast.Tuple([store(part) for part in parts], gast.Store())
            pairs = zip(cells, parts, strict=True)
            return [assign(names, pulled)], [(cell, load(part)) for cell, part in pairs]

        sweep.keep_step(statement, targets, rule)
        return [statement]
