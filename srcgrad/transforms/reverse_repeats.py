"""Reverses what the backward pass runs again: checkpointed calls, and the trips of loops."""

from __future__ import annotations

import itertools
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load, names_tuple, store, tuple_of
from srcgrad.ir.program import direct_names
from srcgrad.transforms.contributions import Contributions
from srcgrad.transforms.sweep import RepeatedCall, SteppedLoop, Sweep


def as_passed(grads: list[Any], outputs: int | None, target: Any) -> list[Any]:
    """Return the adjoints of the targets of a call as its backward half takes them.

    That has a parameter for each of the `outputs`, if the function returns a tuple, or else one;
    the call may unpack either.
    """
    unpacks = isinstance(target, gast.Tuple)
    if outputs is not None and not unpacks:
        return [gast.Starred(grads[0], gast.Load())]
    if outputs is None and unpacks:
        return [gast.List(grads, gast.Load())]
    return grads


class RepeatedSteps:
    """The steps of what is run again."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep

    def prepare_call(self, statement: Any, derived: RepeatedCall, targets: list[str]) -> list[Any]:
        """Keep what the function is given, so that the backward pass can run it again."""
        passed = [clone(self._sweep.kept(item)) for item in derived.passed]
        statement.value = at(call(derived.forward, *map(clone, passed)), statement)
        target = statement.targets[0]

        def rule(grads: list[Any]) -> tuple[list[Any], Contributions]:
            filled = as_passed(self._sweep.filled(grads, targets), derived.outputs, target)
            return self._spread(call(derived.backward, *passed, *filled), derived.parameters)

        self._sweep.keep_step(statement, targets, rule)
        return [statement]

    def prepare_loop(self, statement: Any, derived: SteppedLoop, targets: list[str]) -> list[Any]:
        """Run a loop by a driver that keeps some of its states."""
        sweep = self._sweep
        steps = sweep.namer.fresh("steps")
        statement.value = at(self._run(derived), statement)
        statement.targets = [gast.Tuple([statement.targets[0], store(steps)], gast.Store())]
        moving = list(itertools.compress(derived.states, derived.moving))
        read = list(itertools.compress(derived.constants, derived.read))

        def rule(grads: list[Any]) -> tuple[list[Any], Contributions]:
            chosen = list(itertools.compress(sweep.filled(grads, targets), derived.moving))
            added = [sweep.zeros_like(clone(sweep.kept(item))) for item in read]
            parts = [tuple_of(chosen), *([tuple_of(added)] if added else [])]
            name = sweep.externals.use_runtime("reverse_steps")
            value = call(name, load(steps), load(derived.backward), *parts)
            return self._spread(value, [*moving, *read])

        sweep.keep_step(statement, targets, rule)
        return [statement]

    def _run(self, derived: SteppedLoop) -> Any:
        kept = self._sweep.kept
        states = tuple_of([clone(kept(item)) for item in derived.states])
        constants = [tuple_of([clone(kept(item)) for item in derived.constants])]
        if not derived.constants and not derived.budget:
            constants = []
        options: dict[str, Any] = {}
        if derived.budget:
            options["budget"] = derived.budget[0]
        if derived.written and (len(derived.states) > 1 or derived.constants):
            options["written"] = gast.Constant(derived.written, None)
        if derived.stops:
            options["stops"] = gast.Constant(True, None)
        name = self._sweep.externals.use_runtime("run_steps")
        return call(name, load(derived.step), derived.indices, states, *constants, **options)

    def _spread(self, value: Any, operands: list[Any]) -> tuple[list[Any], Contributions]:
        """Return statements that bind the parts of a value, and to which operand each belongs."""
        namer = self._sweep.namer
        cells = [direct_names(item)[0] if self._sweep.is_active(item) else "" for item in operands]
        if len(cells) == 1:
            return [], [(cells[0], value)]
        parts = [namer.version(namer.adjoint(cell)) if cell else "_" for cell in cells]
        bind = assign(names_tuple(parts, storing=True), value)
        pairs = zip(cells, parts, strict=True)
        return [bind], [(cell, load(part)) for cell, part in pairs if cell]
