"""Collects the equivalents of one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

Primal = Callable[..., Any]
Written = TypeVar("Written", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Equivalent:
    """What stands for a function: another one, and the functions that it is given first.

    Attributes:
        option: The name and place of an option that must be one of `values`, or be given at all
            if there are none; it is left out of the call if `values` name it.
    """

    function: Callable[..., Any]
    lead: tuple[Any, ...] = ()
    option: tuple[str, int] | None = None
    values: tuple[Any, ...] = ()


@dataclass(slots=True)
class EquivalentTable:
    """The equivalents of one module; a function may have one for each value of an option."""

    found: dict[Primal, list[Equivalent]] = field(default_factory=dict)

    def of(
        self,
        primal: Primal,
        *lead: Any,
        option: tuple[str, int] | None = None,
        values: tuple[Any, ...] = (),
    ) -> Callable[[Written], Written]:
        """Register the decorated function as an equivalent of `primal`."""

        def add(function: Written) -> Written:
            written_out(function)
            entry = Equivalent(function, lead, option, values)
            self.found.setdefault(primal, []).append(entry)
            return function

        return add

    def freeze(self) -> Mapping[Primal, tuple[Equivalent, ...]]:
        """Return a copy that cannot grow."""
        return {primal: tuple(entries) for primal, entries in self.found.items()}


def written_out(function: Written) -> Written:
    """Mark a function of ours that is differentiated from its source, as a user's is."""
    function.__srcgrad_written_out__ = True  # type: ignore[attr-defined]
    return function


def in_place(function: Written) -> Written:
    """Mark a function of ours whose text is put into that of its caller."""
    function.__srcgrad_in_place__ = True  # type: ignore[attr-defined]
    return written_out(function)
