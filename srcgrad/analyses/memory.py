"""What is known of the memory of one program: who shares it, and what is written when."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from srcgrad.analyses.shadowed import Shadowed


@dataclass(slots=True)
class Problem:
    """A write that cannot be differentiated, and why."""

    statement: Any
    message: str
    hint: str


@dataclass(slots=True)
class Storage:
    """What is known of memory in one program.

    Attributes:
        problems: The writes to refuse.
        scalars: Parameters that must not be arrays, since the program updates them by ``+=``.
        mutated: The names that may be bound to memory that is written after it is made.
        axisless: The names of numbers that may be arrays without axes, which writes change.
        written: The names by which memory is written.
        lists: The names that are bound to lists made in the program.
        mirror: The names whose adjoints mirror their storage.
        outside: The names of what is written that the caller or the module may reach, if not by
            another name.
        reshaped: The names that may be bound to lists and dicts that are changed in place.
        arrays: The names that are surely bound to arrays; a section of one is a view of it.
        own: The changes and stores of lists and dicts that the program has made, by identity.
    """

    problems: list[Problem] = field(default_factory=list)
    scalars: set[str] = field(default_factory=set)
    mutated: set[str] = field(default_factory=set)
    axisless: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    lists: set[str] = field(default_factory=set)
    own: set[int] = field(default_factory=set)
    reshaped: set[str] = field(default_factory=set)
    arrays: set[str] = field(default_factory=set)
    writes: dict[str, list[int]] = field(default_factory=dict)
    order: dict[int, int] = field(default_factory=dict)
    loops: list[tuple[int, int, set[str]]] = field(default_factory=list)
    mirror: Shadowed = field(default_factory=Shadowed)
    outside: set[str] = field(default_factory=set)

    def written_after(self, name: str, statement: Any) -> bool:
        """Say whether the memory of `name` may be written after `statement` has run."""
        here = self.order[id(statement)]
        for write in self.writes.get(name, ()):
            if write > here:
                return True
            if any(
                a <= write <= b and a <= here <= b and name not in made for a, b, made in self.loops
            ):
                return True
        return False
