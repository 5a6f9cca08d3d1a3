"""Holds the marks: what passes note on the nodes of a tree beside what Python's grammar says.

Each is declared here once: its type, what it means where it is absent, and whether a copy of its
node has it, too. No pass sets an attribute of a node that is neither a mark nor a field.
"""

from __future__ import annotations

from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

MARKS: Final[dict[str, Mark[Any]]] = {}
"""All marks, by the names under which nodes hold them."""


class Mark(Generic[T]):
    """One thing that can be noted on a node.

    `clone` gives the copy of a node those marks that are `copied`, and `twin` all of them.

    >>> from srcgrad.ir import gast
    >>> update = gast.parse("x = x * 2").body[0]
    >>> IN_PLACE.of(update), IN_PLACE.is_on(update)
    (False, False)
    >>> IN_PLACE.put(update, True)
    >>> IN_PLACE.of(update), IN_PLACE.is_on(update)
    (True, True)
    """

    __slots__ = ("absent", "copied", "name")

    def __init__(self, name: str, absent: T, *, copied: bool = False) -> None:
        self.name: Final = name
        self.absent: Final = absent
        self.copied: Final = copied
        MARKS[name] = self

    def of(self, node: Any) -> T:
        """Return what is noted on a node, or what its absence means."""
        found: T = getattr(node, self.name, self.absent)
        return found

    def is_on(self, node: Any) -> bool:
        """Say whether anything is noted on a node."""
        return hasattr(node, self.name)

    def put(self, node: Any, value: T) -> None:
        """Note something on a node."""
        setattr(node, self.name, value)

    def take_off(self, node: Any) -> None:
        """Forget what is noted on a node, if anything is."""
        vars(node).pop(self.name, None)


class SlotMark(Mark[T]):
    """A mark for which nodes have a slot, in which there is always something.

    >>> from srcgrad.ir import gast
    >>> node = gast.Constant(1, None)
    >>> ORIGIN.is_on(node), ORIGIN.put(node, "here"), ORIGIN.is_on(node)
    (False, None, True)
    """

    __slots__ = ()

    def is_on(self, node: Any) -> bool:
        """Say whether anything is noted on a node."""
        return getattr(node, self.name, self.absent) is not self.absent

    def take_off(self, node: Any) -> None:
        """Forget what is noted on a node, if anything is."""
        if self.is_on(node):
            setattr(node, self.name, self.absent)


# -- of all nodes

ORIGIN: Final = SlotMark[Any]("origin", None, copied=True)
"""Where the user wrote it (`ir.origins.Origin`)."""

OF_RULE: Final = Mark("of_rule", absent=False, copied=True)
"""On a name: it is one of ours, whatever the user's own like it means."""

ADJOINT: Final = Mark("adjoint", "", copied=True)
"""On an expression: the name of the adjoint that it is, and that stood there before."""

SETTLED: Final = Mark("settled", absent=False, copied=True)
"""On a call: its result has no derivative, or is read by numbers that say what they depend on."""

# -- of statements: where their text stands

IS_PRIMAL: Final = Mark("is_primal", absent=False)
"""It is the user's line itself, which needs no comment that tells so."""

ALSO: Final = Mark[tuple[tuple[int, int], ...]]("also", (), copied=True)
"""The user's lines beside its own that it belongs to, first and last ones."""

TAKES_LINE: Final = Mark("takes_line", absent=False)
"""It took the line of what was put into it, and takes that of the next one."""

# -- of writes

IN_PLACE: Final = Mark("in_place", absent=False)
"""``x = x + v`` was ``x += v``: of an array, it writes into its memory."""

GUARDED: Final = Mark("guarded", absent=False)
"""``x_2 = x + v`` was ``x += v``, which may give another type or shape, or write elsewhere."""

UPDATES_ENTRY: Final = Mark("updates_entry", absent=False)
"""``a[i] = a_i`` was ``a[i] += v``: an entry that is a list or an array is written in place."""

REPEATS: Final = Mark("repeats", "")
"""On ``a[i] += v``: how to spell that an element counts as often as `i` names it."""

CASTS: Final = Mark("casts", absent=False)
"""A store for which NumPy asks whether the array takes values of that kind."""

EDIT: Final = Mark[Any]("edit", None)
"""The block that changes an adjoint here (`transforms.edits.Edit`)."""

PUTS_BACK: Final = Mark("puts_back", absent=False, copied=True)
"""It keeps a number that is overwritten, or writes it back where the way back has come to."""

# -- of branches, trips and attempts

CLOSING: Final = Mark("closing", absent=False)
"""It binds, where a branch or a trip ends, what goes by one name after it."""

LEAVES: Final = Mark("leaves", absent=False)
"""A branch with which its loop ends."""

NATURAL: Final = Mark("natural", absent=False)
"""A `break` that stands for the loop's own condition: the `else` is run after it."""

KNOWN: Final = Mark[str | bool]("known", absent=False)
"""A `return` of what is kept as the result already; a name is the flag that says so."""

OF_ERRORS: Final = Mark("of_errors", absent=False)
"""A `with` that only says how NumPy speaks of errors."""

ATTEMPT: Final = Mark[Any]("attempt", None)
"""On a branch: the `try` whose failure it asks for."""

RESCUED: Final = Mark("rescued", absent=False, copied=True)
"""A `try` after whose failure the program goes on."""

EXPOSED: Final = Mark[set[str]]("exposed", set())
"""On a `try`: the names that are read after its body has failed half-way."""

RENEWED: Final = Mark[set[str]]("renewed", set())
"""On a `try`: the names that its body binds and nobody reads from before it."""

UNSEEN: Final = Mark("unseen", absent=False)
"""A statement in a `try`: nobody reads what it writes once the body has failed."""

CAUGHT: Final = Mark[list[Any]]("caught", [])
"""On an `except`: the statements that keep what it caught."""

# -- of adjoints that a reverse pass makes

VECTOR: Final = Mark[Any]("vector", None)
"""On an adjoint of equal entries: the lengths of its axes, or None."""

IS_SCALED: Final = Mark("is_scaled", absent=False)
"""On such an adjoint: it is an array without axes, as arithmetic would have made."""

IS_ENTRY: Final = Mark("is_entry", absent=False)
"""On a contribution: an entry that was taken out of an adjoint, and belongs to nobody else."""

KEEPS_SHAPE: Final = Mark[bool | None]("keeps_shape", None)
"""On ``unbroadcast(grad, x)``: only the shape of `x` is needed of what `x` was."""

COUNTS: Final = Mark("counts", absent=False)
"""A loop of the backward pass that counts the same numbers as its loop, or the first of them."""

IS_RECORD: Final = Mark("is_record", absent=False)
"""``saved.append(...)`` of what the backward pass reads."""

# -- of loops that are compiled

DOWNWARD: Final = Mark[Any]("downward", None)
"""On a loop that runs backward: the arguments of the `range` that it turned round."""

IS_LOOKED_AT: Final = Mark("is_looked_at", absent=False)
"""An entry of an array, at an index of which it is known that it lies inside."""
