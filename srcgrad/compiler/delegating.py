"""Lets the gradient of a function that calls itself call the halves that it has anyway."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from srcgrad.compiler.derivation import Derivation
from srcgrad.compiler.following import Passed
from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, load, store, subscript
from srcgrad.ir.edges import followed
from srcgrad.ir.walk import walk
from srcgrad.optimizations.width import WIDEST, width
from srcgrad.transforms.sweep import Facts


@dataclass(slots=True)
class Half:
    """The names of a function's two halves, and how many values it returns as a tuple.

    `gives_array` says that it surely returns an array, once that is known; `keys` which ones the
    adjoints have that it returns as dicts, by their places.
    """

    forward: str
    backward: str
    outputs: int | None
    gives_array: bool = False
    keys: dict[int, frozenset[str]] = field(default_factory=dict)


def keys_returned(backward: list[Any]) -> dict[int, frozenset[str]]:
    """Return the keys of the dicts that the body of a backward half returns, by their places.

    >>> from srcgrad.compiler.doctesting import parse
    >>> [sorted(keys) for keys in keys_returned(parse("g = 1.0; {'w': g, 'b': g}")).values()]
    []
    """
    last = backward[-1] if backward else None
    value = last.value if isinstance(last, gast.Return) else None
    parts = value.elts if isinstance(value, gast.Tuple) else [value]
    return {
        place: frozenset(key.value for key in part.keys)
        for place, part in enumerate(parts)
        if isinstance(part, gast.Dict) and all(isinstance(k, gast.Constant) for k in part.keys)
    }


HalfKey = tuple[Any, tuple[str, ...], tuple[tuple[str, str], ...], Any, Any]


def own_half(derived: Mapping[HalfKey, Half], derivation: Derivation, *, seen: bool) -> Half | None:
    """Return the halves of the entry itself, if they were made for arguments such as it takes."""
    source, program, facts = derivation.source, derivation.program, derivation.facts
    args = source.tree.args
    starred = args.vararg is not None or args.kwarg is not None
    if facts is None or starred or source.leaves or derivation.written or program.returns_tuple:
        return None
    told = Passed()
    if seen:
        given = {name: load(name) for name in program.parameters}
        told = Passed.of(facts.dimensions, given, source.function)
    for (function, wrt, known, its_own, _), half in derived.items():
        same = function is source.function and wrt == program.inputs and its_own == told
        if same and all(_holds(fact, name, derivation, facts) for name, fact in known):
            return half
    return None


def _holds(fact: str, name: str, derivation: Derivation, facts: Facts) -> bool:
    """Say whether what the halves take for granted of an argument is so in the entry."""
    node = load(derivation.program.outputs[0] if name == "return" else name)
    ours = facts.shapes.fact(node)
    return ours == fact or (fact == "number" and ours == "int")


def delegating_body(half: Half, derivation: Derivation, seed: Any, *, value: bool) -> list[Any]:
    """Return the body of a gradient that runs forward and backward by a function's own halves.

    The adjoint of the result is `seed`, an expression of the result's name.
    """
    names = derivation.program.parameters
    output = derivation.program.outputs[0]
    wanted = value or any(getattr(item, "id", "") == output for item in walk(seed))
    forwards = call(half.forward, *map(load, names))
    if not wanted:
        grads = call(half.backward, subscript(forwards, gast.Constant(1, None)), seed)
        if width(grads) <= WIDEST:
            return [gast.Return(grads)]
    saved = "saved" if "saved" not in (*names, output) else derivation.program.namer.fresh("saved")
    parts = gast.Tuple([store(output if wanted else "_"), store(saved)], gast.Store())
    forward = assign(parts, forwards)
    grads = call(half.backward, load(saved), seed)
    result = gast.Tuple([load(output), grads], gast.Load()) if value else grads
    return [forward, gast.Return(result)]


def reached_from(entry: str, definitions: Iterable[Any]) -> set[str]:
    """Return the names of the generated functions that one of them calls, itself included."""
    calls = {
        item.name: {node.id for node in walk(item) if isinstance(node, gast.Name)}
        for item in definitions
    }
    return {entry, *followed([entry], calls)} & calls.keys()
