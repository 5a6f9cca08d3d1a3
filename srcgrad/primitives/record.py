"""Defines the record of a primitive: all that the compiler knows of it but its derivative."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

Shape = Literal[
    "", "other", "broadcast", "each", "reduced", "first", "ranked", "flat", "told", "number",
    "product", "pairs", "square", "copy",
]  # fmt: skip
Memory = Literal["fresh", "view", "frozen", "itself", "layout", "optional"]
Gives = Literal["", "array", "number", "list", "tuple"]
Kind = Literal["", "float", "truth", "int", "first", "promoted", "either", "mixed"]
Along = Literal["", "all", "flat", "last", "first", "second", "rows", "columns", "new"]
Slope = Literal["", "constant", "steep", "edge"]
Compares = Literal["", "equal", "unequal", "order", "count"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Primitive:
    """What is known of one function; an empty text says that nothing is.

    Attributes:
        name: Its canonical name, such as ``numpy.tanh``.
        rule: The class of its derivative, or None.
        reason: Why there is none, if it is known to have none.
        shape: The shape of the result: that of all operands ``broadcast`` together; the ``first``
            operand's, whose elements are computed one by one if it is that of ``each``; another
            with as many axes at least (``ranked``); that without the axes that are ``reduced``, a
            number if no axis is told; the first operand's or, if no axis is told, ``flat``; that
            ``told`` by the first operand; that of a matrix with so many rows and, if no number of
            columns is told, columns (``square``); a ``number``; that of a matrix ``product``; the
            axes of one operand and then those of another (``pairs``); that of an operand which may
            be a number, array or container of which the result is a ``copy``; none of these
            (``other``), whatever the rule.
        least: How many operands it must have for that shape.
        told: The place of the argument that tells the shape, after numbers.
        axes: The axes of the result by those of the operands, in letters: ``m->mm; mn->k`` of a
            function that makes matrices of vectors and vectors of matrices. A letter that no
            operand has is a length that is not known, ``m'`` is one less than that of ``m``.
            Options change lengths alone.
        axis: The place of the argument that tells the axis of a reduction.
        along: Along which axes it works if none is told: ``all`` of them, all in one row
            (``flat``), or the ``last``. Arrays are joined along the ``first`` axis, the ``second``
            (of vectors, the first), a ``new`` one, or as ``rows`` or ``columns``, if they are
            vectors.
        signature: Which are the last axes, on which it works and before which it carries others
            along, as NumPy writes it of generalised ufuncs.
        gives: The result is an ``array`` even where it has no axes, a ``number`` there, a ``list``
            of arrays, or a ``tuple`` of all operands in one shape.
        kind: The result consists of floats (or complex numbers), truths or ints whatever the
            operands are, of what the ``first`` operand consists of, or of what all of them (but
            one that tells a shape or a condition) are ``promoted`` to, or
            of what ``either`` consists of; or its parts consist of one thing and another
            (``mixed``).
        dtype: The place of the argument that tells the dtype.
        memory: Where the result lies: in ``fresh`` memory; in that of the operand, as a ``view``
            of it, which is ``frozen`` where it cannot be written into. Which of them may depend:
            ``itself`` on the kind and the rank of the operand, which may be the result itself;
            ``layout`` also on its layout and type. It is ``optional`` where only an argument that
            may be left out makes it other than fresh.
        same: The result may be the operand, the very object.
        viewed: Which operands the result may lie in: the first one, or any.
        joins: The first operand may be a list of arrays.
        moves: The elements of the result are elements of the operands at other places, or sums.
        picks: It leaves elements of them out by itself.
        adds: An element of an operand may become several, so that their adjoints add up.
        slope: The derivative of each element is ``constant``; infinite at, or next to, values
            where the function is defined (``steep``), or at the ``edge`` of what it is defined for.
        edge: The size of the number at which the slope is infinite.
        at_zero: It is 0 where an operand is.
        scalar: It is for Python's numbers alone.
        writes: The places of the operands that it writes into.
        stores: It writes its last operand into the first, at what is between.
        asks_kind: It tells of what kind its first operand is, which may then be another elsewhere.
        compares: It asks whether operands are ``equal``, next to each other or not (``unequal``),
            which is larger (``order``), or which elements of one are nothing (``count``).
        tells: It hands what it is given to what keeps it, which is asked for none of it.
        outlines: The places of operands of which it reads the shape and the type alone.
        ranks: It puts in order, or chooses from, what it is given, as its ``key`` says, of which
            nothing is in the result.
    """

    name: str = ""
    rule: Any = None
    reason: str | None = None
    shape: Shape = ""
    least: int = 1
    told: int = 0
    axes: str = ""
    axis: int = 1
    along: Along = ""
    signature: str = ""
    gives: Gives = ""
    kind: Kind = ""
    dtype: int | None = None
    memory: Memory = "fresh"
    same: bool = False
    viewed: Literal["first", "any"] = "first"
    joins: bool = False
    moves: bool = False
    picks: bool = False
    adds: bool = False
    slope: Slope = ""
    edge: int | None = None
    at_zero: bool = False
    scalar: bool = False
    writes: tuple[int, ...] = ()
    stores: bool = False
    asks_kind: bool = False
    compares: Compares = ""
    tells: bool = False
    outlines: tuple[int, ...] = ()
    ranks: bool = False

    @property
    def may_view(self) -> bool:
        """Whether the result may lie in the memory of an operand, with no option told."""
        return self.memory not in ("fresh", "optional")

    @property
    def gives_new(self) -> bool:
        """Whether what a loop over the result takes from it lies in new memory."""
        return self.gives in ("list", "array") and self.memory == "fresh" and not self.joins

    @property
    def mirrors(self) -> bool:
        """Whether it does to an array of zeros like the operand what it does to the operand.

        So that of what is a view of the operand, or itself, the shadow can be had by it.
        """
        plain = self.moves or (self.slope == "constant" and self.memory == "itself")
        return plain and self.memory in ("itself", "layout")

    @property
    def takes_lists(self) -> bool:
        """Whether it is given lists of numbers as often as arrays.

        So are functions of Python's numbers that make one number of many.
        """
        of_many = self.scalar and self.shape == "number"
        return self.joins or of_many or self.name.startswith("builtins.")

    @property
    def chooses(self) -> bool:
        """Whether the result is one of the operands, the very object."""
        return self.same and self.viewed == "any" and self.shape == "other"

    @property
    def is_of_numbers(self) -> bool:
        """Whether it takes Python's numbers, and returns one."""
        return self.scalar and self.shape in ("broadcast", "number")

    @property
    def keeps_axes(self) -> bool:
        """Whether the result has as many axes as the first operand at least."""
        return self.shape in ("first", "each", "ranked")

    @property
    def acts_on_each_element(self) -> bool:
        """Whether each element of the one result array comes from one of each operand."""
        return self.shape in ("broadcast", "each") and not self.scalar

    @property
    def is_split(self) -> bool:
        """Whether the result is a list of views of the operand."""
        return self.gives == "list" and self.memory == "view"


UNKNOWN = Primitive()


def records(prefix: str, names: str, **facts: Any) -> Iterator[Primitive]:
    """Yield a record for each of some names, with the same facts.

    >>> [record.name for record in records("numpy", "zeros ones", shape="told")]
    ['numpy.zeros', 'numpy.ones']
    """
    shared = Primitive(**facts)
    for name in names.split():
        yield replace(shared, name=f"{prefix}.{name}")
