"""What is known of the names whose adjoints mirror their storage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Maker = Literal[
    "copy", "view", "maybe", "either", "display", "unpack", "fresh", "update", "nothing", "number"
]
"""How a statement binds a name: to memory that has a name, to a view of it (surely, perhaps, or
perhaps to what its rule alone gives back), to a container of such, to new memory, to the same
memory changed in place, to None or a number."""


class NotShadowedError(Exception):
    """A name cannot get a shadow."""


@dataclass(slots=True)
class Shadowed:
    """The names with shadows.

    Attributes:
        names: The names.
        makers: How each binding makes its name, by the identity of the statement.
        bases: Of those that bind a view or new memory, what it may be a view of, as ``"either"``.
        conditions: What must hold of the arguments for the updates to be writes.
        updates: The statements ``y = y * v`` that write into memory in place.
        settled: The stores ``xs[i] = v`` of what was updated in place, and so is there already, by
            identity, with the statement that updates it.
        numbers: The names that may be bound to numbers, which have shadows without axes.
        lists: The names that are bound to the lists of views that `np.split` makes.
        links: Pairs of names that share memory: what is written under one is read under the other.
        changing: The names of lists and dicts that are changed after they were read.
        entries: The names of the lists and dicts whose entries have adjoints of their own, if they
            are no such lists and dicts.
        replaced: The stores into those, by identity, with ``"list"`` or ``"dict"``.
        put: The stores of lists and dicts into those, by identity.
        outside: The names of arrays that are there before the function is called: of its module,
            or of the function around it.
    """

    names: set[str] = field(default_factory=set)
    makers: dict[int, Maker] = field(default_factory=dict)
    bases: dict[int, str] = field(default_factory=dict)
    conditions: dict[str, None] = field(default_factory=dict)
    updates: set[int] = field(default_factory=set)
    settled: dict[int, Any] = field(default_factory=dict)
    links: list[tuple[str, str]] = field(default_factory=list)
    numbers: set[str] = field(default_factory=set)
    lists: set[str] = field(default_factory=set)
    changing: set[str] = field(default_factory=set)
    entries: set[str] = field(default_factory=set)
    put: set[int] = field(default_factory=set)
    replaced: dict[int, str] = field(default_factory=dict)
    outside: set[str] = field(default_factory=set)

    def add(self, other: Shadowed) -> None:
        """Take in the names of another group."""
        self.names |= other.names
        self.makers.update(other.makers)
        self.bases.update(other.bases)
        self.conditions.update(other.conditions)
        self.updates |= other.updates
        self.settled.update(other.settled)
        self.links += other.links
        self.numbers |= other.numbers
        self.lists |= other.lists
        self.changing |= other.changing
        self.entries |= other.entries
        self.replaced.update(other.replaced)
        self.outside |= other.outside
