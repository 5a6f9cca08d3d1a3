"""Writes the functions that run halves compiled: the value alone, and there and back in one.

What the way there keeps, lists of numbers mostly, would have to become objects of Python between
two compiled functions, and come back from them. Going there anew costs less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.names import free_name
from srcgrad.ir.parsing import gast_parsed

_TEXT: Final = '''

def {value}({given}):
    """Return what `{name}` returns."""
    value, _ = {forward}({given})
    return value


def {adjoints}({all}):
    """Return what `{backward}` makes of the adjoint, after `{forward}`."""
    _, saved = {forward}({given})
    return {backward}(saved{seeds})
'''


@dataclass(frozen=True, slots=True)
class Ways:
    """The text of both functions.

    Attributes:
        text: The text, to be put after that of the halves.
        value: The name of the function that returns the value.
        adjoints: The name of the one that takes the arguments and the adjoints of the results.
    """

    text: str
    value: str
    adjoints: str


def both_ways(source: str, forward: str, backward: str) -> Ways:
    """Return what runs halves, whose text is given, in one call each."""
    functions = {
        item.name: item for item in gast_parsed(source).body if isinstance(item, gast.FunctionDef)
    }
    taken = {*functions, "saved", "value", "_"}
    name = forward.removesuffix("_forward")
    value, adjoints = free_name(f"{name}_value", taken), free_name(f"{name}_adjoints", taken)
    given = [
        item if item not in taken else free_name(item, taken) for item in _names(functions[forward])
    ]
    seeds = [free_name(item, {*taken, *given}) for item in _names(functions[backward])[1:]]
    text = _TEXT.format(
        name=name,
        value=value,
        adjoints=adjoints,
        forward=forward,
        backward=backward,
        given=", ".join(given),
        all=", ".join([*given, *seeds]),
        seeds="".join(f", {item}" for item in seeds),
    )
    return Ways(text, value, adjoints)


def _names(function: Any) -> list[str]:
    return [item.id for item in (*function.args.posonlyargs, *function.args.args)]
