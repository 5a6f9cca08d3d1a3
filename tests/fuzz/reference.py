"""What a program does and how it changes, by running it as plain Python."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzz.loading import Copy, Source
from tests.fuzz.trees import copied, difference, direction, flat, leaves, moved

# the lengths n and m of the calls in a row; before the third the outside changes
CALLS = ((4, 3), (6, 2), (4, 3))
LARGEST = 1e4


class UnusableError(Exception):
    """No judgement: the program has a kink here, grows without bound or is not finite."""


@dataclass
class Call:
    """What one call of the plain function does."""

    value: Any  # what is returned, as it was when the function returned
    used: tuple[Any, ...]  # the arguments after the call
    state: dict[str, Any]  # what the modules hold after the call
    error: BaseException | None = None


class Reference:
    """The plain function, at its calls in a row."""

    def __init__(self, source: Source, calls: int = len(CALLS)) -> None:
        self.source = source
        copy = source.load()
        before = copy.state()
        self.calls = [self._call(copy, k) for k in range(calls)]
        after = self.calls[0].state
        self.is_stateful = difference(after, before, 0) is not None
        self._clean = source.load()
        copy.unload()

    def close(self) -> None:
        """Forget the modules."""
        self._clean.unload()

    def _call(self, copy: Copy, k: int) -> Call:
        if k == 2:
            copy.outside()
        args = copy.arguments(k, CALLS[k])
        value, error = None, None
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # NumPy's warnings say what is not finite or not meant
            try:
                value = copied(copy.main.program(*args))
            except Warning as warning:
                raise UnusableError(str(warning)) from None
            except Exception as raised:
                error = raised
        numbers = np.abs(flat(value)) if error is None else np.zeros(0)
        if error is None and not numbers.size:
            raise UnusableError("no number is returned")
        if not np.all(numbers < LARGEST):
            raise UnusableError("too large")
        return Call(value, args, copy.state(), error)

    def at(self, k: int, args: tuple[Any, ...]) -> np.ndarray:
        """Return the numbers of the result for other arguments, in the state of a call."""
        copy = self._clean
        if self.is_stateful or k == 2:
            copy = self.source.load()
            try:
                for earlier in range(k):
                    copy.main.program(*copy.arguments(earlier, CALLS[earlier]))
                if k == 2:
                    copy.outside()
                return flat(copied(copy.main.program(*args)))
            finally:
                copy.unload()
        return flat(copied(copy.main.program(*args)))

    def slopes(self, k: int, rng: np.random.Generator) -> Slopes:
        """Return how the result changes along a random direction.

        Raises:
            UnusableError: Differences of several steps, or of both sides, do not agree.
        """
        args = self.source_arguments(k)
        along = direction(args, rng)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("error")
            try:
                slope = self._slope(k, args, along)
                exact = self._complex_slope(k, args, along)
            except UnusableError:
                raise
            except Exception as error:
                raise UnusableError(f"a step away: {error}") from None
        if any(getattr(leaf, "dtype", None) == np.float32 for _, leaf in leaves(args)):
            return Slopes(along, slope, 3e-3)
        # a step that is not analytic, as of `np.var`, agrees only nearly
        near = exact is not None and np.allclose(exact, slope, rtol=1e-8, atol=1e-8)
        if near:
            assert exact is not None
            return Slopes(along, exact, 3e-8)
        return Slopes(along, slope, 1e-6)

    def source_arguments(self, k: int) -> tuple[Any, ...]:
        """Return the arguments of a call, of the classes of the clean copy."""
        return self._clean.arguments(k, CALLS[k])

    def _slope(self, k: int, args: Any, along: Any) -> np.ndarray:
        """Return central differences of fourth order, if they can be trusted."""
        here = self.at(k, moved(args, along, 0.0))
        found = []
        for step in (1e-3, 4e-4):
            ends = [self.at(k, moved(args, along, step * i)) for i in (-2, -1, 1, 2)]
            if any(end.shape != here.shape for end in ends):
                raise UnusableError("the result has another shape a step away")
            far, near = ends[3] - ends[0], ends[2] - ends[1]
            right = (4 * ends[2] - ends[3] - 3 * here) / (2 * step)
            left = (3 * here - 4 * ends[1] + ends[0]) / (2 * step)
            found.append(((8 * near - far) / (12 * step), right, left))
        (first, _, _), (slope, right, left) = found
        scale = 1 + np.abs(slope)
        if not np.all(np.abs(first - slope) <= 2e-7 * scale):
            raise UnusableError("steps disagree")
        if not np.all(np.abs(right - left) <= 1e-3 * scale):
            raise UnusableError("a kink")
        if np.any(np.abs(slope) > LARGEST):
            raise UnusableError("too steep")
        return slope

    def _complex_slope(self, k: int, args: Any, along: Any) -> np.ndarray | None:
        """Return the slope by a complex step, if the function takes complex numbers."""
        if _is_complex(args):
            return None
        try:
            return self.at_complex(k, moved(args, along, 1e-30j))
        except Exception:
            return None

    def at_complex(self, k: int, args: Any) -> np.ndarray | None:
        """Return the imaginary parts of the result by the step, or None if it is not told."""
        if self.is_stateful or k == 2 or _is_complex(self.calls[k].value):
            return None
        value = copied(self._clean.main.program(*args))
        parts = []
        for _, leaf in leaves(value):
            numbers = np.asarray(leaf)
            if numbers.dtype.kind == "c":
                parts.append(numbers.ravel().imag * 1e30)
            elif numbers.dtype.kind == "f":
                parts.append(np.zeros(numbers.size))
        return np.concatenate(parts) if parts else None

    def curvature(self, k: int, along: Any) -> float:
        """Return the second derivative of a number along a direction.

        Raises:
            UnusableError: Differences of two steps do not agree.
        """
        args = self.source_arguments(k)
        found = []
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("error")
            try:
                for step in (4e-3, 2e-3):
                    e = [
                        float(self.at(k, moved(args, along, step * i))[0])
                        for i in (-2, -1, 0, 1, 2)
                    ]
                    found.append(
                        (-e[0] + 16 * e[1] - 30 * e[2] + 16 * e[3] - e[4]) / (12 * step**2)
                    )
                    third = (e[4] - 2 * e[3] + 2 * e[1] - e[0]) / (2 * step**3)
            except Exception as error:
                raise UnusableError(f"a step away: {error}") from None
        if not abs(found[0] - found[1]) <= 1e-6 * (1 + abs(found[1])) or abs(third) > 1e5:
            raise UnusableError("steps disagree")
        return found[1]


@dataclass
class Slopes:
    """A direction, and how the result changes along it."""

    along: Any
    slope: np.ndarray
    bound: float


def _is_complex(value: Any) -> bool:
    return any(np.iscomplexobj(leaf) for _, leaf in leaves(value))
