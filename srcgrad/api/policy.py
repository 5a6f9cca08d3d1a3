"""Holds what every derivative may be told of how it is taken: engine, fallback and check."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar, get_args

from srcgrad.api.refusal import describe, warn_of, warn_uncompiled
from srcgrad.api.surroundings import own_copies
from srcgrad.errors import ArgumentError, UnsupportedError
from srcgrad.insight.once import Once
from srcgrad.insight.switch import ANYTHING


@dataclass(frozen=True, slots=True)
class NumbaBackend:
    """The backend "numba" with options; `numba` makes it.

    Attributes:
        parallel: Whether nests of loops over arrays run on several cores.
        boundscheck: Whether indices are looked at.
    """

    parallel: bool = False
    boundscheck: bool = True

    def __post_init__(self) -> None:
        """Refuse what is neither true nor false.

        Raises:
            ArgumentError: An option is of another type.
        """
        for name, value in (("parallel", self.parallel), ("boundscheck", self.boundscheck)):
            if type(value) is not bool:
                raise ArgumentError(f"{name}={value!r} is neither True nor False")

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return f"numba(parallel={self.parallel}, boundscheck={self.boundscheck})"

    def options(self) -> dict[str, bool]:
        """Return those options that are not the usual, as Numba has them."""
        given = {"parallel": True} if self.parallel else {}
        return given if self.boundscheck else {**given, "boundscheck": False}


def numba(*, parallel: bool = False, boundscheck: bool = True) -> NumbaBackend:
    """Return the backend "numba" with options: ``sg.grad(f, backend=sg.numba(parallel=True))``.

    Args:
        parallel: Let nests of loops over whole arrays run on several cores. That pays for large
            arrays alone, and sums are added up in another order.
        boundscheck: Look at indices. Without that, one out of bounds reads or overwrites whatever
            is there.

    Raises:
        ArgumentError: An option is neither True nor False.
    """
    return NumbaBackend(parallel, boundscheck)


Backend = Literal["auto", "numpy", "tape", "numba", "cupy", "dask"] | NumbaBackend
_NAMES: Final = ("auto", "numpy", "tape", "numba", "cupy", "dask")
Fallback = Literal["warn", "tape", "error"]
Given = TypeVar("Given")
_BACKENDS: Final = ", ".join(map(repr, _NAMES))


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """How a derivative is taken; `policy_of` makes them, one of each kind.

    Attributes:
        fallback: What to do with a program that source transformation refuses.
        backend: What runs it: generated text, by NumPy or compiled, or the tape.
        verify: Whether each new text is compared with the other engine and with differences.
        pure: Whether the caller's arguments stay as they are, whatever the function writes.
    """

    fallback: Fallback = "warn"
    backend: Backend = "auto"
    verify: bool = False
    pure: bool = False

    def __reduce__(self) -> Any:
        """Pickle by parts, so that there is still one of each kind."""
        return policy_of, (self.fallback, self.backend, self.verify, self.pure)

    def __post_init__(self) -> None:
        """Refuse what is not there.

        Raises:
            ArgumentError: There is no such backend or fallback.
        """
        if self.verify:
            ANYTHING.on = True
        if not isinstance(self.backend, NumbaBackend) and self.backend not in _NAMES:
            raise ArgumentError(
                f"backend={self.backend!r} is not one of {_BACKENDS}",
                hint="leave it out for 'auto'",
            )
        if self.fallback not in get_args(Fallback):
            raise ArgumentError(
                f"fallback={self.fallback!r} is not one of 'warn', 'tape' and 'error'",
                hint="leave it out for 'warn'",
            )

    @property
    def compiles(self) -> bool:
        """Whether Numba is to compile what runs."""
        return self.backend == "numba" or isinstance(self.backend, NumbaBackend)

    @property
    def loop_options(self) -> dict[str, bool]:
        """What Numba is told beside the usual."""
        return self.backend.options() if isinstance(self.backend, NumbaBackend) else {}

    @property
    def asks_tape(self) -> bool:
        """Whether the tape is asked for, so that no text is made."""
        return self.backend == "tape"

    def refuse_text(self, primal: Any) -> None:
        """Raise if no text is to be made.

        Raises:
            UnsupportedError: The tape is asked for.
        """
        if self.asks_tape:
            raise UnsupportedError(
                f"`{describe(primal)}` runs on the tape, as `backend='tape'` asks: it has no text",
                hint="leave backend= out for a derivative by source",
            )

    def with_fallback(self, fallback: Fallback) -> Policy:
        """Return the same with another fallback."""
        return _one_of_each(fallback, self.backend, self.verify, self.pure)

    def with_verify(self) -> Policy:
        """Return the same, with a look at each new text."""
        return _one_of_each(self.fallback, self.backend, True, self.pure)

    def options(self) -> dict[str, Any]:
        """Return the options as derivatives take them."""
        how = {"fallback": self.fallback, "backend": self.backend}
        return {**how, "verify": self.verify, "pure": self.pure}

    def lent(self, arguments: Given, f: Callable[..., Any]) -> Given:
        """Return arguments that a function may write into."""
        return own_copies(f, arguments) if self.pure else arguments

    def with_own_containers(self, arguments: Given, f: Callable[..., Any]) -> Given:
        """Return arguments whose lists and dicts a text may write into: it copies arrays itself."""
        return self.lent(arguments, f) if self.pure and _holds_containers(arguments) else arguments


def policy_of(fallback: Fallback, backend: Backend, verify: bool, pure: bool = False) -> Policy:
    """Return how a derivative is taken; they are keys, told apart by identity, which is fast.

    Raises:
        ArgumentError: There is no such backend or fallback.
    """
    try:
        return _one_of_each(fallback, backend, verify, pure)
    except TypeError:  # it is no key either
        return Policy(fallback, backend, verify, pure)


def _holds_containers(arguments: Any) -> bool:
    args, kwargs = arguments if isinstance(arguments, tuple) else ((), arguments)
    return any(isinstance(item, (list, dict, tuple)) for item in (*args, *kwargs.values()))


_one_of_each: Final = functools.cache(Policy)
USUAL: Final = policy_of("warn", "auto", False)


class Fall:
    """Says of one derivative that the tape takes over.

    Attributes:
        policy: How the derivative is taken.
        primal: The user's function.
    """

    __slots__ = ("_slow", "_tape", "policy", "primal")

    def __init__(self, policy: Policy, primal: Any) -> None:
        self.policy = policy
        self.primal = primal
        self._tape = Once()
        self._slow = Once()

    def back(self, refusal: UnsupportedError) -> None:
        """Raise the refusal, or warn of it once and go on, as the policy says.

        Raises:
            UnsupportedError: The policy is to raise it.
        """
        if self.policy.asks_tape:
            return
        if self.policy.fallback == "error":
            raise refusal
        if self.policy.fallback == "warn" and self._tape.is_due():
            warn_of(refusal, self.primal)

    def to_numpy(self, refusal: UnsupportedError) -> None:
        """Say once that a text is not compiled, so that NumPy runs it, or raise that.

        Raises:
            UnsupportedError: The policy is to raise it.
        """
        if self.policy.fallback == "error":
            raise refusal
        if self.policy.fallback == "warn" and self._slow.is_due():
            warn_uncompiled(refusal, self.primal)
