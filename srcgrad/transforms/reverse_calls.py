"""Reverses calls of users' functions by their derived halves."""

from __future__ import annotations

from typing import Any

from srcgrad.errors import MissingRuleError
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, load, store
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import direct_names
from srcgrad.transforms.contributions import Contributions
from srcgrad.transforms.reverse_repeats import RepeatedSteps, as_passed
from srcgrad.transforms.sweep import RepeatedCall, SteppedLoop, Sweep


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
        copied = self._copied_by(operation)
        passed = [
            item if place in copied else self._sweep.kept(item)
            for place, item in enumerate(derived.passed)
        ]
        statement.value = at(call(derived.forward, *passed), statement)
        statement.value.keywords = []
        target = statement.targets[0]
        statement.targets = [gast.Tuple([target, store(saved)], gast.Store())]

        def rule(grads: list[Any]) -> tuple[list[Any], Contributions]:
            filled = as_passed(self._sweep.filled(grads, targets), derived.outputs, target)
            value = call(derived.backward, load(saved), *filled)
            cells = [name for item in derived.parameters for name in direct_names(item)]
            if len(cells) == 1:
                return [], [(cells[0], value)]
            parts = [self._sweep.namer.version(self._sweep.namer.adjoint(cell)) for cell in cells]
            names = gast.Tuple([store(part) for part in parts], gast.Store())
            return [assign(names, value)], [
                (cell, load(part)) for cell, part in zip(cells, parts, strict=True)
            ]

        self._sweep.keep_step(statement, targets, rule)
        return [statement]

    def _copied_by(self, operation: Operation) -> set[int]:
        """Return the places of the parameters that a function copies before all else."""
        states = self._sweep.program.reader.vocabulary.states_returned(operation.primal)
        code = getattr(operation.primal, "__code__", None)
        return {code.co_varnames.index(name) for name in states} if code is not None else set()

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
