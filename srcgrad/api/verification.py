"""Compares a new derivative with the other engine and with differences, where a user asks for it.

Three numbers are compared: the derivative along a direction (of the result, weighed, if that is no
number) by the text, by forward mode on the tape, and by differences. The engines share rules, which
differences would show; differences are rough, and say nothing at a kink or beside noise, where the
engines must agree. So a text is refused if differences are sure that it is wrong, or if the tape is
and differences do not side with the text.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from srcgrad.api.aftermath import Aftermath, agree, difference, picture, shared_memory
from srcgrad.api.probing import (
    NO_SLOPE,
    Leaves,
    Slope,
    drawn,
    filled,
    inner,
    moved,
    parts_like,
    places,
    precision,
    slope_of,
)
from srcgrad.api.refusal import describe, warn_unverified
from srcgrad.api.structures import float_leaves
from srcgrad.api.surroundings import Surroundings
from srcgrad.errors import Diagnostic, VerificationError
from srcgrad.insight.switch import Brief, in_brief
from srcgrad.runtime.noticed import NOTICED
from srcgrad.spans import Span

Arguments = dict[str, Any]

_HINT: Final = (
    "use backend='tape' if that agrees with differences, and report the function; "
    "a rule of your own is compared too"
)
_MOST: Final = 64  # leaves of the arguments to look for the wrong one in
_LONG: Final = (
    0.2  # seconds that a function takes, of which the tape may take a thousand times more
)
_VERY_LONG: Final = 2.0  # seconds that nobody who did not ask would wait for several times


class Claim(NamedTuple):
    """A derivative that a text says, with what it is compared with.

    All functions take arguments by name, which they may write into.

    Attributes:
        kind: What it is, in a user's words.
        function: The user's function, to name it and to find what it reaches.
        names: The parameters that it is by.
        arguments: Those of the call; they are copied.
        value: Returns what is differentiated.
        text: Returns, for arguments, directions and weights, the adjoints of the arguments or the
            tangent of the value.
        push: The other engine: returns the value and its tangent for arguments and directions.
        pull: The other engine in reverse: returns the adjoints for arguments and weights.
        gives_adjoints: Whether the text returns adjoints.
        said: What the text says the value is, added as it runs.
    """

    kind: str
    function: Callable[..., Any]
    names: Sequence[str]
    arguments: Arguments
    value: Callable[[Arguments], Any]
    text: Callable[[Arguments, list[Any], Any], Any]
    push: Callable[[Arguments, list[Any]], Any]
    pull: Callable[[Arguments, Any], Any]
    gives_adjoints: bool
    said: list[Any]


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What was found along one direction."""

    text: float
    tape: float | None
    slope: Slope
    scale: float
    eps: float

    @property
    def gap(self) -> float:
        """How far the engines may be apart."""
        return 20 * math.sqrt(self.eps) * self.scale + 16 * self.eps * self.slope.size

    @property
    def slack(self) -> float:
        """How far differences may be off, beside their own error."""
        rough: float = max(1e-4, 10 * self.eps ** (1 / 3))
        largest = max(abs(self.text), abs(self.slope.value))
        return rough * (largest + 0.01 * self.scale) + 10 * self.slope.error

    @property
    def engines_agree(self) -> bool:
        """Whether text and tape do; not if the tape says nothing."""
        if self.tape is None:
            return False
        if not math.isfinite(self.text):
            return not math.isfinite(self.tape)
        return abs(self.text - self.tape) <= self.gap

    @property
    def differences_object(self) -> bool:
        """Whether differences are sure of something else than the text."""
        if not math.isfinite(self.slope.value):
            return False
        if not math.isfinite(self.text):
            return self.slope.tells(max(abs(self.slope.value), self.scale) * 1e-2)
        return abs(self.text - self.slope.value) > self.slack

    @property
    def is_wrong(self) -> bool:
        """Whether the text is; NaN is not, unless the tape has a number: it misleads nobody."""
        if not math.isfinite(self.text):
            return self.tape is not None and math.isfinite(self.tape) and self.differences_object
        if self.engines_agree or self.tape is None or not math.isfinite(self.tape):
            return self.differences_object
        apart = abs(self.text - self.tape)
        if self.slope.tells(apart):
            return abs(self.text - self.slope.value) > abs(self.tape - self.slope.value)
        return not self.slope.holds(self.text, self.slack - 10 * self.slope.error)

    @property
    def says_nothing(self) -> bool:
        """Whether there is nothing that the text was compared with."""
        return self.tape is None and not math.isfinite(self.slope.value)


def verify(claim: Claim) -> None:
    """Compare a text with the other engine and with differences, at copies of the arguments.

    Raises:
        VerificationError: It is wrong.
    """
    given = [claim.arguments[name] for name in claim.names]
    leaves = float_leaves(tuple(given))
    if not any(np.size(leaf) for leaf in leaves):
        return
    brief = in_brief() or Brief()
    try:
        check = _Check(claim, leaves)
    except Exception as error:  # noqa: BLE001 - user's objects say in any way that they have no copy
        brief.too_dear = True
        warn_unverified(claim.kind, claim.function, f"its arguments cannot be copied: {error}")
        return
    brief.too_dear = check.is_too_dear
    if not check.runs:
        return  # the call itself says what is wrong
    if in_brief():
        fault = check.fault()
        if fault:
            raise check.refusal(fault)
        if not brief.is_new():
            return
        brief.compared = check.is_as_on_the_tape()
        if brief.compared:
            return
    numbers = check.numbers(check.directions)
    if numbers is None:
        return
    if numbers.says_nothing:
        warn_unverified(claim.kind, claim.function, "neither the tape nor differences tell it")
    if numbers.is_wrong and check.confirms(numbers):
        raise check.error(numbers)
    brief.compared = True


class _Check:
    """The comparison of one text."""

    def __init__(self, claim: Claim, leaves: Leaves) -> None:
        self._claim = claim
        self._kept = copy.deepcopy(claim.arguments)  # noqa: TID251 - values, no trees
        self._surroundings = Surroundings(claim.function)
        self._leaves = leaves
        self.directions = drawn(leaves, 1, to_scale=True)
        edits, stops = NOTICED.edits, NOTICED.stops
        start = time.perf_counter()
        value, self._aftermath = self._watched(claim.value)
        seconds = time.perf_counter() - start if in_brief() else 0.0
        self._by_differences_alone = seconds > _LONG
        self.is_too_dear = value is not _FAILED and seconds >= _VERY_LONG
        self.runs = value is not _FAILED and not self.is_too_dear
        self._edits, self._stops = NOTICED.edits > edits, NOTICED.stops > stops
        self._value = None if value is _FAILED else copy.deepcopy(value)  # noqa: TID251
        self._like = None if value is _FAILED else float_leaves(value)
        self._weights = drawn(self._like or [], 2, to_scale=False)
        if claim.gives_adjoints and len(self._weights) == 1 and np.ndim(self._weights[0]) == 0:
            self._weights = [np.ones_like(self._weights[0])]
        self._eps = precision(tuple(leaves), self._value)
        self._found: Any = None

    def _fresh(self) -> Arguments:
        return copy.deepcopy(self._kept)  # noqa: TID251

    def _run(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return what a function gives, without effect on its surroundings."""
        try:
            with self._surroundings.kept():
                return function(*args)
        except Exception:  # noqa: BLE001 - the user's code and the engines may raise anything
            return _FAILED

    def _watched(self, function: Callable[..., Any], *args: Any) -> tuple[Any, Aftermath | None]:
        """Return what a function gives for arguments, and what it leaves behind if that counts."""
        given = self._fresh()
        if not in_brief():
            return self._run(function, given, *args), None
        try:
            with self._surroundings.kept() as printed:
                found = function(given, *args)
                left = Aftermath(picture(given), self._surroundings.picture(), printed.getvalue())
        except Exception as error:  # noqa: BLE001 - the user's code and the engines may raise anything
            self._raised = error
            return _FAILED, None
        self._given = given
        return found, left

    # -- what is not the derivative, and the derivative number by number

    def fault(self) -> str:
        """Return what the text does that the function does not; empty if it is nothing."""
        claim = self._claim
        seeds = self._seeds(self.directions)
        self._found, left = self._watched(claim.text, seeds, self._adjoint())
        if claim.gives_adjoints and self._found is not _FAILED:
            self._found = tuple(self._found)
        if self._aftermath is None:
            return ""
        if left is None:
            brief, raised = in_brief(), type(self._raised).__name__
            if brief is not None and not brief.tells_errors:
                return ""
            return "" if self._on_tape() is _FAILED else f"it raises {raised} at these arguments"
        near = math.sqrt(self._eps) * 10
        found = difference(left, self._aftermath, near)
        if not found and claim.said and not self._is_value(claim.said[-1]):
            found = "it returns another value than the function does"
        if found:
            given = self._given
            value, again = self._watched(claim.value)
            if again is None or difference(again, self._aftermath, near):
                return ""  # the function does something else each time
            self._given = given
            return found if self._is_value(value) else ""
        if not claim.gives_adjoints:
            return ""
        names = [(f"the argument `{name}`", value) for name, value in self._given.items()]
        return shared_memory(self._found, names)

    def _is_value(self, value: Any) -> bool:
        """Say whether a value is that of the function, as far as its numbers can be compared."""
        if len(float_leaves(value)) != len(self._like or []):
            return True
        return self._is_alike(value)

    def is_as_on_the_tape(self) -> bool:
        """Say whether each number is the one that the tape has.

        Then only a rule could be wrong, and whoever was doubted took the rules as given.
        """
        if self._found is _FAILED or self._by_differences_alone:
            return False
        found = self._on_tape()
        if found is _FAILED:
            return False
        like: Any = self._value
        if self._claim.gives_adjoints:
            like = tuple(self._kept[name] for name in self._claim.names)
        try:
            pairs = zip(parts_like(like, self._found), parts_like(like, found), strict=True)
            return agree(list(pairs), 20 * math.sqrt(self._eps), self._eps)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError):
            return False  # they are of other structures

    def _on_tape(self) -> Any:
        """Return the adjoints, or the tangent, that the tape has."""
        claim = self._claim
        if claim.gives_adjoints:
            found = self._run(claim.pull, self._fresh(), self._adjoint())
            return found if found is _FAILED else tuple(found)
        found = self._run(claim.push, self._fresh(), self._seeds(self.directions))
        return found if found is _FAILED else found[1]

    def refusal(self, fault: str) -> VerificationError:
        """Return the error of a text that does something else than the function."""
        claim = self._claim
        message = f"the {claim.kind} of `{describe(claim.function)}` is wrong: {fault}"
        return VerificationError(
            diagnostics=[Diagnostic(VerificationError.code, message, self._span(), _HINT, (fault,))]
        )

    def _span(self) -> Span | None:
        code = getattr(self._claim.function, "__code__", None)
        return None if code is None else Span(code.co_filename, code.co_firstlineno)

    # -- the three numbers

    def numbers(self, directions: Leaves) -> _Numbers | None:
        """Return what is found along directions; None if the text raises, which its call says."""
        found = self._by_text(directions)
        if found is None:
            return None
        text, size = found
        tape, slope = self._by_tape(directions), self._by_differences(directions, self._eps**0.25)
        known = [size, abs(slope.value), 0.0 if tape is None else abs(tape)]
        scale = max((item for item in known if math.isfinite(item)), default=0.0)
        numbers = _Numbers(text, tape, slope, scale, self._eps)
        if not numbers.is_wrong and not math.isnan(slope.value):
            return numbers
        closer = self._by_differences(directions, 2 * self._eps**0.5)  # short of steps nearby
        return _Numbers(text, tape, closer, scale, self._eps)

    def _by_text(self, directions: Leaves) -> tuple[float, float] | None:
        seeds = self._seeds(directions)
        found, self._found = self._found, None  # of a run that was watched, for these directions
        if found is None:
            found = self._run(self._claim.text, self._fresh(), seeds, self._adjoint())
        if found is _FAILED:
            return None
        if not self._claim.gives_adjoints:
            return inner(self._weights, parts_like(self._value, found))
        given = tuple(self._kept[name] for name in self._claim.names)
        return inner(directions, parts_like(given, tuple(found)))

    def _by_tape(self, directions: Leaves) -> float | None:
        """Return what the tape says: in forward mode, if it has that and no adjoint is edited."""
        claim = self._claim
        if self._by_differences_alone:
            return None
        found: Any = _FAILED
        if not (self._edits and claim.gives_adjoints):
            found = self._run(claim.push, self._fresh(), self._seeds(directions))
        if found is not _FAILED:
            return self._weighed(found[1]) if self._is_alike(found[0]) else None
        if claim.gives_adjoints:
            found = self._run(claim.pull, self._fresh(), self._adjoint())
        return None if found is _FAILED else self._product(directions, found)

    def _weighed(self, tangent: Any) -> float | None:
        try:
            return inner(self._weights, parts_like(self._value, tangent))[0]
        except (TypeError, ValueError, KeyError, IndexError, AttributeError):
            return None  # it is of another structure, and says nothing

    def _product(self, directions: Leaves, adjoints: Any) -> float:
        given = tuple(self._kept[name] for name in self._claim.names)
        return inner(directions, parts_like(given, tuple(adjoints)))[0]

    def _by_differences(self, directions: Leaves, step: float) -> Slope:
        if self._stops or (self._edits and self._claim.gives_adjoints):
            return NO_SLOPE  # the derivative is another on purpose

        def at(place: float) -> tuple[float, float]:
            arguments = self._fresh()
            ways = iter(directions)
            for name in self._claim.names:
                arguments[name] = moved(arguments[name], ways, place)
            found = self._run(self._claim.value, arguments)
            if found is _FAILED or not self._is_alike(found, only_shapes=place != 0):
                return math.nan, 0.0  # at 0 it is alike unless memory was shared on purpose
            return inner(self._weights, float_leaves(found))

        return slope_of(at, step, self._eps)

    def _is_alike(self, value: Any, *, only_shapes: bool = False) -> bool:
        """Say whether another run gave the same value, or one of the same shapes."""
        ours, theirs = self._like or [], float_leaves(value)
        if [np.shape(leaf) for leaf in ours] != [np.shape(leaf) for leaf in theirs]:
            return False
        near = math.sqrt(self._eps) * 10
        pairs = zip(ours, theirs, strict=True)
        return only_shapes or all(
            np.allclose(a, b, rtol=near, atol=near, equal_nan=True) for a, b in pairs
        )

    def _seeds(self, directions: Leaves) -> list[Any]:
        """Return directions in the structures of the arguments."""
        rest: Iterator[Any] = iter(directions)
        given = [self._kept[name] for name in self._claim.names]
        return [filled(item, [next(rest) for _ in float_leaves(item)]) for item in given]

    def _adjoint(self) -> Any:
        return filled(self._value, self._weights)

    # -- what is wrong

    def confirms(self, numbers: _Numbers) -> bool:
        """Say whether the text is wrong in more than one way to look at it."""
        if not self._is_repeatable(numbers):
            return False
        if not (numbers.engines_agree or numbers.tape is None):
            return True
        own = drawn(self._leaves, 3, to_scale=True, of_each=True)  # by the size of each number
        there = self.numbers(own)
        return there is not None and there.is_wrong and self._is_smooth(own, there.slope)

    def _is_smooth(self, directions: Leaves, slope: Slope) -> bool:
        """Say whether slopes along two directions add up to that along their sum.

        They need not where a function is made of pieces, though it may have a slope each way.
        """
        return all(self._adds_up(directions, slope, seed) for seed in (4, 5))

    def _adds_up(self, directions: Leaves, slope: Slope, seed: int) -> bool:
        others = drawn(self._leaves, seed, to_scale=True, of_each=True)
        pairs = list(zip(directions, others, strict=True))
        ways = [(a + b) / 2 for a, b in pairs], [(a - b) / 2 for a, b in pairs]
        found = [self._by_differences(way, 2 * self._eps**0.5) for way in ways]
        gap = abs(sum(item.value for item in found) - slope.value)
        errors = slope.error + sum(item.error for item in found)
        sizes = abs(slope.value) + sum(abs(item.value) for item in found)
        slack = 10 * errors + max(1e-4, 10 * self._eps ** (1 / 3)) * sizes
        return bool(gap <= slack)

    def _is_repeatable(self, numbers: _Numbers) -> bool:
        """Say whether text and tape give the same once more, so that nothing is drawn anew."""
        found, tape = self._by_text(self.directions), self._by_tape(self.directions)
        same = found is not None and _is_same(found[0], numbers.text)
        if tape is None or numbers.tape is None:
            return same and tape is numbers.tape
        return same and _is_same(tape, numbers.tape)

    def error(self, numbers: _Numbers) -> VerificationError:
        """Return the error, with the argument that is wrong."""
        claim = self._claim
        argument, shown = self._located(numbers)
        where = "along a direction in all arguments" if argument is None else f"in `{argument}`"
        tape = "refuses it" if shown.tape is None else f"{shown.tape:.12g}"
        told = math.isfinite(shown.slope.value)
        differences = (
            f"{shown.slope.value:.12g}, to {shown.slope.error:.1g}" if told else "no number"
        )
        details = (
            f"by this text:    {shown.text:.12g}",
            f"by the tape:     {tape}",
            f"by differences:  {differences}",
        )
        error = VerificationError(
            diagnostics=[
                Diagnostic(
                    VerificationError.code,
                    f"the {claim.kind} of `{describe(claim.function)}` is wrong {where}",
                    self._span(),
                    _HINT,
                    details,
                )
            ]
        )
        error.by_text, error.by_tape = shown.text, shown.tape
        error.by_differences, error.argument = shown.slope.value, argument
        return error

    def _located(self, numbers: _Numbers) -> tuple[str | None, _Numbers]:
        """Return the argument that is wrong, if it is one alone, and the numbers for it."""
        given = [self._kept[name] for name in self._claim.names]
        found: list[tuple[float, str, _Numbers]] = []
        for place, name in list(enumerate(places(given, self._claim.names)))[:_MOST]:
            only = [
                way if i == place else np.zeros_like(way) for i, way in enumerate(self.directions)
            ]
            here = self.numbers(only)
            if here is not None and here.is_wrong:
                expected = here.slope.value if math.isfinite(here.slope.value) else here.tape or 0.0
                found.append((abs(here.text - expected), name, here))
        if not found:
            return None, numbers
        _, name, here = max(found, key=lambda item: item[0] if item[0] == item[0] else math.inf)
        return name, here


_FAILED: Final = object()


def _is_same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other)) or math.isclose(one, other)
