"""What is said of values while a program is written for a batch holds for the values of a run."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.transforms.batching.facts import Fact
from srcgrad.transforms.batching.state import State
from tests.differences import copied
from tests.programs import test_agreement
from tests.programs.corpus import PROGRAMS, Program, sample
from tests.programs.test_batched import EXAMPLES, RAISE, together
from tests.refusals import skip_refused

STEP = int(os.environ.get("SRCGRAD_BATCHED_FACTS_STEP", "4"))  # 1 for all of them

assert test_agreement.__doc__  # it fills the corpus


class Said:
    """The facts that names were bound to, when their function was last written."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._facts: dict[Any, dict[str, list[Fact]]] = {}
        begin, bind = State.__init__, State.bind

        def begun(state: State, source: Any, *args: Any, **kwargs: Any) -> None:
            begin(state, source, *args, **kwargs)
            given = tuple((name, kind_of(fact)) for name, fact in state.parameters.items())
            own = self._facts[source.function, given] = {}  # an earlier round knew less
            for name, fact in state.parameters.items():
                own[name] = [fact]
            vars(self).setdefault("states", {})[id(state)] = own

        def bound(state: State, name: str, fact: Fact) -> None:
            bind(state, name, fact)
            vars(self)["states"][id(state)].setdefault(name, []).append(fact)

        patch.setattr(State, "__init__", begun)
        patch.setattr(State, "bind", bound)

    def of(self, name: str, parameters: tuple[str, ...]) -> list[Fact]:
        """Return all that was said of a name, in functions of such parameters."""
        every = [
            own
            for (_, given), own in self._facts.items()
            if {known[0] for known in given} <= {*parameters}
        ]
        return [fact for own in every for fact in own.get(name, ())]


def kind_of(fact: Fact) -> Any:
    """Return what a fact says but where its memory was made."""
    items = None if fact.items is None else tuple(map(kind_of, fact.items))
    return fact.kind, fact.batched, fact.rank, fact.dtype, items


def fits(value: Any, fact: Fact) -> bool:
    """Say whether a value may be what a fact says."""
    if not fact.is_numeric:
        kinds = {"tuple": tuple, "list": list, "dict": dict, "text": str, "none": type(None)}
        return isinstance(value, kinds.get(fact.kind, object))
    if not isinstance(value, (np.ndarray, np.generic, int, float, complex)):
        return False
    if fact.rank is not None and np.ndim(value) != fact.rank + fact.batched:
        return False
    if fact.kind == "number" and fact.rank:
        return False
    if not fact.batched and (fact.kind == "array") is not isinstance(value, np.ndarray):
        return fact.kind == "array" and fact.rank == 0
    kinds = "biufc"  # the real part of a complex array may still be called complex
    return not fact.dtype or kinds.index(np.asarray(value).dtype.kind) <= kinds.index(fact.dtype)


@pytest.mark.parametrize(
    "program",
    sample((p for p in PROGRAMS.values() if not p.name.endswith(RAISE)), STEP),
    ids=lambda p: p.name,
)
def test_values_of_a_batch_are_what_was_said_of_them(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, wrong = Said(monkeypatch), set()
    axes = tuple(None if kind in ("n", "l", "k") else 0 for kind in program.kinds)
    drawn = [program.arguments(seed) for seed in range(EXAMPLES)]
    args = tuple(
        drawn[0][i] if axis is None else together([given[i] for given in drawn])
        for i, axis in enumerate(axes)
    )
    batched = sg.vmap(program.function, axes, fallback="error")

    def seen(frame: Any, event: str, _: Any) -> Any:
        if "_batch_" not in frame.f_code.co_filename:
            return None
        if event in ("line", "return"):
            code = frame.f_code
            for name, value in frame.f_locals.items():
                facts = said.of(name, code.co_varnames[: code.co_argcount])
                if facts and not callable(value) and not any(fits(value, fact) for fact in facts):
                    wrong.add(f"{name} = {value!r} is none of {facts}")
        return seen

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            batched(*copied(args))
        except sg.NotBatchedError as refusal:
            skip_refused(refusal)
        before = sys.gettrace()
        sys.settrace(seen)
        try:
            batched(*copied(args))
        finally:
            sys.settrace(before)
    assert not wrong
