"""Says which axes arrays have that are made, put into another order, or computed from matrices."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from srcgrad.analyses.cells import Cells
from srcgrad.analyses.joining import displayed, joined
from srcgrad.analyses.lengths import Lengths
from srcgrad.analyses.reductions import reduced
from srcgrad.analyses.spelled_lengths import Length, Vector, less
from srcgrad.ir import gast
from srcgrad.ir.axes import axes_of
from srcgrad.ir.operations import Operation
from srcgrad.primitives import Primitive

Axes = Callable[[Any], "Vector | None"]


class Operands(Protocol):
    """Knows operands: their axes, and the lengths that integers are."""

    lengths: Lengths
    cells: Cells

    def of(self, node: Any) -> Vector | None:
        """Return the axes of an operand, or None."""

    def is_integer(self, node: Any) -> bool:
        """Say whether an operand is surely an integer."""

    def numbers_in(self, node: Any) -> str:
        """Return what leads from a list to the numbers in it, if it holds nothing else."""

    def counted(self, node: Any) -> Length:
        """Return the length that an integer is, or None."""

    def made(self, node: Any) -> Length:
        """Return the length of an axis that is made as long as an integer is, or None."""


def result_axes(known: Primitive, operation: Operation, operands: Operands) -> Vector | None:
    """Return the axes of a result that are not those of all operands broadcast together."""
    args, of = operation.args, operands.of
    if known.shape == "reduced":
        return reduced(of(args[0]), operation, known.axis)
    if known.shape in ("first", "each", "copy"):
        reshapes = "shape" in operation.keywords or len(args) > 4
        return None if reshapes else of(args[0])
    if known.shape == "told":
        told = args[known.told] if len(args) > known.told else None
        alone = _tells_alone(known, operation, of)
        return made_axes(told, operands, count=operands.made) if alone else None
    if known.shape == "square":
        return _square(operation, operands)
    if known.joins:
        found = joined(known, operation, of, operands.lengths, operands.cells.axes_of_entries)
        if found:
            return found
    if known.axes and (found := _in_letters(known, operation, of)) is not None:
        return found
    if known.signature:
        found = by_signature(known.signature, operation, operands)
        return found[0] if len(found) == 1 else None
    return _in_order(known, operation, operands)


def product_axes(
    left: Vector, right: Vector, *, of_stacks: bool, lengths: Lengths
) -> Vector | None:
    """Return the axes of a product of matrices or vectors; one of stacks goes through both.

    >>> product_axes((2, 3), (3,), of_stacks=True, lengths=Lengths({}))
    (2,)
    >>> product_axes((2, 3), (7, 3, 4), of_stacks=True, lengths=Lengths({}))
    (7, 2, 4)
    >>> product_axes((2, 3), (7, 3, 4), of_stacks=False, lengths=Lengths({}))
    (2, 7, 4)
    """
    if not left or not right:
        return None
    if len(right) == 1:
        return left[:-1]
    if not of_stacks or len(right) == 2 or len(left) == 1:
        return (*left[:-1], *right[:-2], right[-1])
    return (*lengths.join(left[:-2], right[:-2]), left[-2], right[-1])


def made_axes(
    shape: Any,
    operands: Operands,
    times: int = 1,
    count: Callable[[Any], Length] | None = None,
) -> Vector | None:
    """Return the axes that a shape describes: an integer, a display of some, or ``x.shape``."""
    if isinstance(shape, gast.Attribute) and shape.attr == "shape" and times == 1:
        return operands.of(shape.value)
    items = shape.elts if isinstance(shape, (gast.Tuple, gast.List)) else [shape]
    items = items * times
    if shape is None or not items or not all(operands.is_integer(item) for item in items):
        return None
    lengths = [(count or operands.counted)(item) for item in items]
    return tuple(None if isinstance(n, int) and n < 0 else n for n in lengths)


def _tells_alone(known: Primitive, operation: Operation, of: Axes) -> bool:
    """Say whether but numbers nothing has to do with the shape that an argument tells."""
    if not known.told:
        return True
    args, options = operation.args, operation.keywords.keys()
    few = len(args) <= known.told + 2 and options <= {"dtype", "endpoint", "base"}
    return few and all(of(item) == () for item in args[: known.told])


def _square(operation: Operation, operands: Operands) -> Vector | None:
    """Return the axes of a matrix whose first argument tells the number of rows at least."""
    rows, *others = operation.args
    if not others and operation.keywords.keys() <= {"dtype"}:
        return made_axes(rows, operands, 2)
    if others and operands.is_integer(others[0]):
        return made_axes(gast.Tuple([rows, others[0]], gast.Load()), operands)
    return (None, None) if operands.is_integer(rows) else None


def _in_letters(known: Primitive, operation: Operation, of: Axes) -> Vector | None:
    """Return the axes of a result by what a record says in letters.

    What is said of the last axis goes for the one that is told, if it works along the last else.
    """
    axes = axes_of(operation.keywords["axis"]) if [*operation.keywords] == ["axis"] else None
    vector = of(operation.args[0])
    if known.along != "last" or len(operation.args) > 1 or axes is None or not vector:
        return by_letters(known.axes, operation, of)
    if len(axes) != 1 or not -len(vector) <= axes[0] < len(vector):
        return None
    place = axes[0] % len(vector)
    turned = (*vector[:place], *vector[place + 1 :], vector[place])
    alone = Operation(operation.kind, operation.primal, operation.args, {})
    found = by_letters(known.axes, alone, lambda _: turned)
    return None if found is None else (*found[:place], found[-1], *found[place:-1])


def by_letters(said: str, operation: Operation, of: Axes) -> Vector | None:
    """Return the axes of a result by what a record says of them in letters.

    >>> from srcgrad.ir.build import load
    >>> operation = Operation("primitive", None, (load("x"), load("k")), {})
    >>> by_letters("m->mm; mn->k", operation, {"x": (3,), "k": ()}.get)
    >>> of = lambda node: {"x": (3,), "k": ()}[node.id]
    >>> by_letters("m->mm; mn->k", operation, of), by_letters("m,->m'", operation, of)
    ((None, None), (2,))
    """
    for case in said.split(";"):
        given, _, result = case.strip().partition("->")
        parts = given.split(",")
        vectors = [of(item) for item in operation.args[: len(parts)]]
        if len(vectors) < len(parts):
            continue
        pairs = list(zip(parts, vectors, strict=True))
        if all(vector is not None and len(vector) == len(part) for part, vector in pairs):
            plain = len(operation.args) == len(parts) and not operation.keywords
            known = {} if not plain else _by_letter(pairs)
            return tuple(
                less(known.get(letter), len(minus))
                for letter, minus in re.findall("([a-z])('?)", result)
            )
    return None


def _by_letter(pairs: Sequence[tuple[str, Vector | None]]) -> dict[str, Length]:
    """Return the length that each letter stands for, if one is known."""
    found: dict[str, Length] = {}
    for letters, vector in pairs:
        for letter, length in zip(letters, vector or (), strict=True):
            if found.get(letter) is None:
                found[letter] = length
    return found


def by_signature(
    signature: str, operation: Operation, operands: Operands
) -> tuple[Vector | None, ...]:
    """Return the axes of all results of a function of stacks of matrices, or nothing.

    Options may change what is returned, so nothing is said of calls with some. A vector among
    the operands stands for a matrix of one column where no stack is near.
    """
    given, _, made = signature.partition("->")
    cores, results = (re.findall(r"\(([^)]*)\)", side) for side in (given, made))
    keeps = given == made  # whatever the options, as of np.tril
    vectors = [operands.of(item) for item in operation.args[: len(cores) if keeps else None]]
    others = bool(operation.keywords) and not keeps
    if others or len(vectors) != len(cores) or None in vectors:
        return ()
    lead: Vector = ()
    known: dict[str, Length] = {}
    gone = ""
    for core, vector in zip(cores, vectors, strict=True):
        letters = core.split(",")
        if len(vector or ()) < len(letters):
            alone = len(cores) == 1 or any(len(item or ()) > 2 for item in vectors)
            if alone or len(vector or ()) != 1:
                return ()
            gone = letters.pop()
        count = len(letters)
        lead = operands.lengths.join(lead, (vector or ())[:-count])
        for letter, length in zip(letters, (vector or ())[-count:], strict=True):
            _take(letter, length, known, operands.lengths, needed=letter in made)
    letters_of = [[n for n in core.split(",") if n and n != gone] for core in results]
    return tuple((*lead, *(known.get(letter) for letter in letters)) for letters in letters_of)


def _take(
    letter: str, length: Length, known: dict[str, Length], lengths: Lengths, *, needed: bool
) -> None:
    """Let a letter stand for a length, and for no other: NumPy sees to that."""
    before = known.get(letter)
    if before is None:
        known[letter] = length
    elif needed and length is not None:
        lengths.agree(before, length)


def _by_subscripts(operation: Operation, of: Axes, lengths: Lengths) -> Vector | None:
    """Return the axes of what `np.einsum` makes, by the letters that it is told.

    Axes of length one are broadcast to others of the same letter.
    """
    told, *operands = operation.args
    text = getattr(told, "value", None)
    if not isinstance(text, str) or operation.keywords.keys() - {"optimize"}:
        return None
    given, arrow, result = text.replace(" ", "").partition("->")
    vectors = [of(item) for item in operands]
    parts = given.split(",")
    fits = arrow and text.isascii() and "." not in text and len(parts) == len(vectors)
    if not fits or any(v is None or len(v) != len(p) for p, v in zip(parts, vectors, strict=True)):
        return None
    known: dict[str, Length] = {}
    for letters, vector in zip(parts, vectors, strict=True):
        for letter, length in zip(letters, vector or (), strict=True):
            (known[letter],) = lengths.join((known.get(letter, 1),), (length,))
    return tuple(known.get(letter) for letter in result)


def _in_order(known: Primitive, operation: Operation, operands: Operands) -> Vector | None:
    """Return the axes of what puts the entries of one or two operands into a new order."""
    args, of = operation.args, operands.of
    if known.name == "numpy.einsum":
        return _by_subscripts(operation, of, operands.lengths)
    if known.name == "numpy.tensordot":
        return _contracted(operation, of)
    vector = of(args[0])
    converts = known.gives == "array" and known.shape == "ranked" and known.dtype is not None
    if converts and not isinstance(args[0], (gast.List, gast.Tuple)):
        return _converted(operation, vector, operands)
    if known.shape == "flat":
        return _flat(operation, known.axis, vector)
    return None if operation.keywords else _of_plain_call(known, args, operands)


def _contracted(operation: Operation, of: Axes) -> Vector | None:
    """Return the axes of sums of products over the last axes of one operand, the first of another.

    >>> from srcgrad.ir.build import load
    >>> args = (load("x"), load("w"), gast.Constant(1, None))
    >>> vectors = {"x": (5, ("x", 1), 3), "w": (3, 7)}
    >>> _contracted(Operation("primitive", None, args, {}), lambda node: vectors[node.id])
    (5, ('x', 1), 7)
    """
    left, right, *rest = operation.args
    told = [*rest, *(item for name, item in operation.keywords.items() if name == "axes")]
    count = getattr(told[0], "value", None) if told else 2
    ours, theirs = of(left), of(right)
    if type(count) is not int or ours is None or theirs is None or len(told) > 1:
        return None
    if not 0 <= count <= min(len(ours), len(theirs)):
        return None
    return (*ours[: len(ours) - count], *theirs[count:])


def _of_plain_call(known: Primitive, args: tuple[Any, ...], operands: Operands) -> Vector | None:
    """Return the axes of what is put into a new order without options."""
    of = operands.of
    if known.shape == "other" and known.kind == "either":  # one of several operands
        return () if len(args) > 1 and all(of(item) == () for item in args) else None
    if (known.name, len(args)) in (("numpy.reshape", 2), ("numpy.arange", 1)):
        return made_axes(args[-1], operands)
    if len(args) == 2 and (known.shape == "pairs" or known.name == "numpy.outer"):
        flattens = known.shape != "pairs"
        left, right = (of(item) for item in args)
        if left is None or right is None or (flattens and (len(left), len(right)) != (1, 1)):
            return (None, None) if flattens else None
        return (*left, *right)
    if known.name == "numpy.array" and len(args) == 1:
        return displayed(args[0], lambda item: _of_shown(item, operands))
    return _turned(known, args, of(args[0]))


def _converted(operation: Operation, vector: Vector | None, operands: Operands) -> Vector | None:
    """Return the axes of what is made an array, if it is one, or a list of numbers."""
    if operation.keywords.keys() - {"dtype", "copy"}:
        return None
    if vector:
        return vector
    if operands.numbers_in(operation.args[0]).count("*") == 1:
        return (None,)
    entry = operands.cells.axes_of_entries(operation.args[0])
    return None if entry is None else (None, *entry)


def _of_shown(item: Any, operands: Operands) -> Vector | None:
    """Return the axes of an entry of a display: of a list of numbers, one of some length."""
    vector = operands.of(item)
    if vector is None and operands.numbers_in(item).count("*") == 1:
        return (None,)
    return vector


def _flat(operation: Operation, place: int, vector: Vector | None) -> Vector | None:
    """Return the axes of what goes along an axis, or through all entries if none is told."""
    told = operation.args[place] if len(operation.args) > place else None
    told = operation.keywords.get("axis") if told is None else told
    if told is None or not vector:
        return vector if vector and len(vector) == 1 and told is None else None
    axes = axes_of(told)
    return vector if axes is not None and len(axes) == 1 else None


def _turned(known: Primitive, args: tuple[Any, ...], vector: Vector | None) -> Vector | None:
    """Return the axes of an array whose axes change places."""
    if known.name != "numpy.transpose" or vector is None:
        return None
    if len(args) == 1:
        return vector[::-1]
    order = axes_of(args[1]) if len(args) == 2 else None
    if order is None or sorted(a % len(vector) for a in order) != list(range(len(vector))):
        return None
    return tuple(vector[a] for a in order)
