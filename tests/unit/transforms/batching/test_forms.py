"""Calls of every form over a batch are those of each example, also beside writes, or refused."""

from __future__ import annotations

import ast
import linecache
import os
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.transforms.batching.facts import Fact
from srcgrad.transforms.batching.state import State
from tests.refusals import skip_refused
from tests.unit.transforms.batching.examples import OF_ALL, OF_EACH, Batch, leaves
from tests.unit.transforms.batching.forms import FORMS

STEP = int(os.environ.get("SRCGRAD_BATCHED_FORMS_STEP", "12"))  # 1 for all of them
USES = {
    "read": "r = {call}\n    return r",
    "bound before a write": "r = {call}\n    {name}[...] = {name}[...] * 2 + 1\n    return r",
    "written": "r = {call}\n    r += 3\n    return r, {name}",
    "chosen": "r = {call}\n    if s > 1:\n        r = r / 2\n    return r",
    "written in part": "r = {call}\n    r[..., :1] = 3\n    return r, {name}",
}
WRITABLE = ("x", "m", "w", "v", "q", "t")


def _programs() -> list[tuple[str, str]]:
    calls = dict.fromkeys(call for family in FORMS.values() for call in family)
    return [
        (use, call)
        for call in calls
        for names in [_operands(call)]
        for use in USES
        if not names.isdisjoint(OF_EACH)
        and (use == "read" or not names.isdisjoint(WRITABLE))
        and zlib.crc32(f"{use} {call}".encode()) % STEP == 0
    ]


def _operands(call: str) -> set[str]:
    """Return the names in a call."""
    text = f"def f():\n    {call}"
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def program_of(use: str, call: str) -> Callable[..., Any]:
    """Return a program that does something with the result of a call."""
    known = _operands(USES[use].format(call=call, name="s"))
    names = [name for name in (*OF_EACH, *OF_ALL) if name in known]
    written = next((name for name in WRITABLE if name in names), "")
    own = "".join(f"    {name} = {name} * 1\n" for name in names if name in WRITABLE)
    text = f"def f({', '.join(names)}):\n{own}    {USES[use].format(call=call, name=written)}\n"
    file = f"<form {use} {call}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    scope: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), scope)
    function: Callable[..., Any] = scope["f"]
    return function


def _one_by_one(batch: Batch) -> list[Any]:
    try:
        each = batch.one_by_one()
        for parts in zip(*map(leaves, each), strict=True):
            np.stack(parts)
    except Exception as error:  # noqa: BLE001 - NumPy has many
        pytest.skip(f"no such program: {error}")
    return each


def _said(monkeypatch: pytest.MonkeyPatch) -> list[Fact]:
    """Return what is said of the result of the call, as the program is written anew."""
    facts: list[Fact] = []
    bind = State.bind

    def bound(state: State, name: str, fact: Fact) -> None:
        bind(state, name, fact)
        if name == "r":
            facts.append(fact)

    monkeypatch.setattr(State, "bind", bound)
    return facts


def _is_of(fact: Fact, values: list[Any]) -> bool:
    """Say whether a fact is that of the values of examples; their elements may be of less."""
    if fact.kind not in ("array", "number"):
        return not isinstance(values[0], (np.ndarray, np.generic, float, int, complex))
    kind = "array" if isinstance(values[0], np.ndarray) else "number"
    largest = np.result_type(*map(np.asarray, values)).kind.replace("u", "i")
    kinds = "bifc"
    fits = not fact.dtype or kinds.index(largest) <= kinds.index(fact.dtype)
    return fact.kind == kind and fact.rank == np.ndim(values[0]) and fits


@pytest.mark.parametrize(("use", "call"), _programs())
def test_a_call_over_a_batch_is_that_of_each_example(
    use: str, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = Batch(program_of(use, call))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        each = _one_by_one(batch)
        said = _said(monkeypatch)
        try:
            found = batch.together()
        except sg.UnsupportedError as refusal:
            skip_refused(refusal)
    parts = [list(leaves(value)) for value in each]
    for mine, *theirs in zip(leaves(found), *parts, strict=True):
        wanted = np.stack(theirs)
        assert np.asarray(mine).dtype.kind == wanted.dtype.kind
        np.testing.assert_allclose(mine, wanted, rtol=1e-12, atol=1e-13)
    if use == "read":
        assert _is_of(said[-1], each), (said[-1], each[0])
