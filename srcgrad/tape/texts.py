"""Refuses numbers that plain code on the tape reads from the text of values with derivatives.

The text of a tensor is remembered while a function runs, digit for digit. What makes numbers of
text asks whether the text that it gets says any of that.
"""

from __future__ import annotations

import ast
import functools
import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from srcgrad.errors import NotDifferentiableError
from srcgrad.tape.core import Core, requires_grad
from srcgrad.tape.modes import STATE
from srcgrad.tape.refusing import refusal

ANY_TEXT: Final = "%"
"""Among what was spoken: which text a value went into is not known."""

_NUMERAL: Final = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_MANY: Final = 10_000


class Spoken(set[str]):
    """What was made of values that carry derivatives, and tells their digits.

    Attributes:
        hashes: What stands for such values where they are keys.
        asked: How often one was asked for it.
        equals: What was found to be equal to such a value, without being one.
        differences: What was taken from such a value or it from, by the key of the step.
        near: The identities of what such a value was found to be next to, by their difference.
    """

    def __init__(self) -> None:
        super().__init__()
        self.hashes: set[int] = set()
        self.asked = 0
        self.equals: list[Any] = []
        self.differences: dict[Any, int] = {}
        self.near: set[int] = set()


def hashed(tensor: Core, value: Any) -> int:
    """Return what stands for a value where it is a key; strict mode remembers it."""
    found = hash(value)
    if STATE.spoken is not None and requires_grad(tensor):
        STATE.spoken.asked += 1
        STATE.spoken.hashes.add(found)
    return found


@functools.wraps(hash)
def _hash(value: Any, /) -> int:
    before = getattr(STATE.spoken, "asked", 0)
    found = hash(value)
    if getattr(STATE.spoken, "asked", 0) != before:
        STATE.spoken.hashes.add(hash(found))  # of a large number it is another
    return found


def spoken(tensor: Core, text: str) -> str:
    """Return a text made of a tensor; strict mode remembers it, lest it be read as a number."""
    if STATE.spoken is not None and requires_grad(tensor):
        STATE.spoken.update((text.strip(), *re.findall(_NUMERAL, text)))
    return text


def refuse_spoken(*values: Any) -> None:
    """Refuse to read numbers from texts, or containers of texts, that say a tensor's digits."""
    if STATE.spoken and any(map(says, _texts_in(values))):
        raise refusal(
            NotDifferentiableError,
            "reading as a number the text of a value that a gradient is asked for would cut it "
            "off from its gradient",
            "round with np.round, or use srcgrad.stop_gradient if it is meant to be a constant",
        )


def says(text: str) -> bool:
    """Say whether a text says any digits of a value that carries a derivative."""
    spoken: set[str] = STATE.spoken
    if ANY_TEXT in spoken or text.strip() in spoken:
        return True
    if not spoken.isdisjoint(re.findall(_NUMERAL, text)):
        return True
    return len(spoken) < _MANY and any("." in item and item in text for item in spoken)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (bytes, bytearray)):
        yield value.decode("latin-1")
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            yield from _texts_in(item)
    elif isinstance(value, dict):
        yield from _texts_in([*value, *value.values()])
    elif isinstance(value, (io.StringIO, io.BytesIO)):
        yield from _texts_in(value.getvalue())
    elif type(value) is np.ndarray and value.dtype.kind in "USO":
        yield from _texts_in(value.ravel().tolist())


def reading(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what stands in for a function that makes numbers of text."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if STATE.spoken:
            refuse_spoken(args, kwargs)
        return function(*args, **kwargs)

    return call


@functools.wraps(eval)
def _evaluate(source: Any, globals: Any = None, locals: Any = None, /) -> Any:
    refuse_spoken(source)
    frame = sys._getframe(1)
    outer = frame.f_globals if globals is None else globals
    inner = locals if locals is not None else frame.f_locals if globals is None else globals
    return eval(source, outer, inner)  # noqa: S307 - the user's own call


READERS: Final[dict[Any, Any]] = {
    **{function: reading(function) for function in (ast.literal_eval, json.loads, json.load)},
    eval: _evaluate,
    hash: _hash,
}
OF_NUMPY: Final = ("fromstring", "loadtxt", "genfromtxt")
"""The functions of NumPy that read numbers from text."""
