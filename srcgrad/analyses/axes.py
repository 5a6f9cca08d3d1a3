"""Says on what condition a name is bound to an array with axes, which `+=` writes into."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.given_holders import Conditions, GivenHolders
from srcgrad.analyses.integers import Integers
from srcgrad.ir import gast
from srcgrad.ir.axes import axes_of
from srcgrad.ir.changes import change_of
from srcgrad.ir.marks import IN_PLACE
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names, is_store, store_target
from srcgrad.ir.walk import statements
from srcgrad.primitives import Primitive

_SURELY: Final[Conditions] = ()
_SHOWN: Final = ("tuple", "list", "dict")
Seen = Mapping[str, tuple[int, bool]]
"""What is being asked: of how many axes names must have more, and if they must have any at all.

It is asked of the entries of a list or dict under ``name[]``.
An array without axes is written into, too, but what is computed of it is a number.
"""
_Ask = Callable[[Seen], Conditions | None]
_NO_ARRAYS: Final = ("int", "number", "list", "tuple", "dict")


class Axes:
    """The conditions under which the names of a program are bound to arrays.

    Attributes:
        assumed: What is assumed for reads of ``x[i]`` to be rows, by the identity of the read.
        holders: The lists, tuples and dicts of the caller.
    """

    def __init__(
        self,
        program: Program,
        dimensions: Dimensions,
        integers: Integers,
        makers: dict[str, list[Any]],
        puts: Mapping[str, list[Any]],
    ) -> None:
        self._program = program
        self._dimensions = dimensions
        self._integers = integers
        self._makers = makers
        self._puts = puts
        self.assumed: dict[int, Conditions] = {}
        self.holders = GivenHolders(program, integers)
        self._computes = 0  # how many operations there are between what is asked and what is met
        self._known: dict[tuple[str, int, bool], Conditions | None] = {}
        self._met: set[str] = set()  # what was asked of before, and so is taken for granted

    def of(self, name: str) -> Conditions | None:
        """Return the conditions on arguments; none if it is sure, None if nothing is known."""
        return self._of_name(name, 0, {})

    def of_entries(self, name: str, index: Any) -> Conditions | None:
        """Return the conditions under which what a list or dict holds at an index has axes."""
        return self._of_entries(name, 0, {}, _word(index))

    def of_starred(self, node: Any) -> Conditions | None:
        """Return the conditions under which all that ``*xs`` gives has axes."""
        return self._of_starred(node, 0, {})

    def is_dict(self, name: str) -> bool:
        """Say whether a name is bound to nothing but dicts that are written out."""
        makers = self._makers.get(name, [])
        return bool(makers) and all(
            isinstance(item, gast.Assign) and self._program.operation(item).kind == "dict"
            for item in makers
        )

    def _of_name(self, name: str, more: int, seen: Seen) -> Conditions | None:
        """Say when `name` has more than `more` axes.

        That of a name is taken for granted of the values which it had in the trips before. What
        must have had still more, as ``a`` in ``a = a[0]``, loses axes from trip to trip.
        """
        if name in self._program.parameters:
            fact = self._program.given.get(name)
            known = {"vector": 1, "matrix": 2}.get(fact or "")
            if known is not None:
                return _SURELY if known > more else None
            if fact == "array" and not more:
                return _SURELY
            return None if fact in _NO_ARRAYS else (f"np.ndim({name}) > {more}",)
        rank = self._dimensions.rank(gast.Name(name, gast.Load(), None, None))
        if rank is not None:
            return _SURELY if rank > more else None
        makers = self._makers.get(name, [])

        def ask(asked: Seen) -> Conditions | None:
            return _all(self._of_maker(item, more, asked) for item in makers)

        return self._once(name, more, seen, ask)

    def _once(self, key: str, more: int, seen: Seen, ask: _Ask) -> Conditions | None:
        """Return what is known, what is taken for granted, or what `ask` says.

        An answer for which nothing was taken for granted holds whatever is asked. Without those,
        what is computed of a name twice is asked for twice, and that of it four times.
        """
        question = key, more, self._computes > 0
        if question in self._known:
            return self._known[question]
        if key in seen:
            before, computes = seen[key]
            if more > before or computes or not self._computes:
                self._met.add(key)
                return None if more > before else _SURELY
        outside, self._met = self._met, set()
        found = ask({**seen, key: (more, self._computes > 0)})
        self._met.discard(key)
        if not self._met:
            self._known[question] = found
        self._met |= outside
        return found

    def _of_maker(self, statement: Any, more: int, seen: Seen) -> Conditions | None:
        if not isinstance(statement, gast.Assign):
            return None
        taken = change_of(statement)
        if taken is not None:
            return self._of_entries(taken.name, more, seen)
        operation = self._program.operation(statement)
        if isinstance(statement.targets[0], gast.Tuple):
            return self._of_parts(operation, more, seen)
        found = self._of_value(statement.value, operation, more, seen)
        if IN_PLACE.of(statement):  # an array stays what it is, without axes, too
            found = _any((found, self._of_node(operation.args[0], more, seen)))
        return found

    def _of_value(
        self, value: Any, operation: Operation, more: int, seen: Seen
    ) -> Conditions | None:
        """Say when the value of an expression, which does `operation` last, has more axes."""
        if operation.kind == "copy":
            return self._of_name(value.id, more, seen)
        if operation.primal is self._program.reader.vocabulary.getitem:
            return self._of_read(value, more, seen)
        if operation.kind not in ("primitive", "constant"):
            return None
        known = self._program.reader.vocabulary.primitive(operation.primal)
        sure = not self._computes or _has_axes_always(known, operation)
        if known.gives in ("array", "list") and not more and sure:
            return _SURELY
        if known.shape == "reduced":
            return self._of_reduction(known, operation, more, seen)
        return self._of_operands(known, operation, more, seen)

    def _of_operand(self, node: Any, more: int, seen: Seen) -> Conditions | None:
        """Say when an operand has more axes: what is computed of an array without is a number."""
        self._computes += 1
        found = self._of_node(node, more, seen)
        self._computes -= 1
        return found

    def _of_node(self, node: Any, more: int, seen: Seen) -> Conditions | None:
        if isinstance(node, gast.Name):
            return self._of_name(node.id, more, seen)
        if isinstance(node, gast.Starred):
            return self._of_starred(node, more, seen)
        if isinstance(node, gast.Constant):
            return None
        return self._of_value(node, self._program.reader.read(node), more, seen)

    def _of_starred(self, node: Any, more: int, seen: Seen) -> Conditions | None:
        if not isinstance(node.value, gast.Name):
            return None
        name = node.value.id
        if self.holders.of(name):
            return None if more else self.holders.all_arrays(name)
        entries = self._of_entries(name, more, seen)
        return self._of_name(name, more + 1, seen) if entries is None else entries

    def _of_reduction(
        self, known: Primitive, operation: Operation, more: int, seen: Seen
    ) -> Conditions | None:
        """What is reduced along axes that are told has as many less than the operand."""
        told = [*operation.args[known.axis : known.axis + 1], operation.keywords.get("axis")]
        axes = axes_of(told[0]) if told[0] is not None else None
        if axes is None:
            return None
        return self._of_operand(operation.args[0], more + len(axes), seen)

    def _of_parts(self, operation: Operation, more: int, seen: Seen) -> Conditions | None:
        """Say when all of the parts of what is unpacked have axes."""
        if operation.kind == "unpack":
            whole = operation.args[0].id
            if self.holders.of(whole):
                return None if more else self.holders.all_arrays(whole)
            entries = self._of_entries(whole, more, seen)
            return self._of_name(whole, more + 1, seen) if entries is None else entries
        if operation.kind != "primitive":
            return None
        return self._of_listed(operation, more, seen)

    def _of_listed(self, operation: Operation, more: int, seen: Seen) -> Conditions | None:
        """Say when all arrays have axes that a function returns several of."""
        known = self._program.reader.vocabulary.primitive(operation.primal)
        if known.gives == "tuple":
            return _any(self._of_operand(arg, more, seen) for arg in operation.args)
        if not known.is_split:
            return None
        return self._of_operand(operation.args[0], more, seen) if more else _SURELY

    def _of_entries(
        self, name: str, more: int, seen: Seen, word: str | None = None
    ) -> Conditions | None:
        """Say when all entries of a tuple, list or dict have axes, or those under one word."""
        put = self._puts.get(name, ())
        if not all(isinstance(value, gast.Name) for value in put):
            return None
        makers = self._makers.get(name, [None])

        def ask(seen: Seen) -> Conditions | None:
            asked = {**seen, name: (more, self._computes > 0)}
            found = _all(
                itertools.chain(
                    (self._of_name(value.id, more, asked) for value in put),
                    (self._of_made(item, more, seen, asked, word) for item in makers),
                )
            )
            if name not in seen:  # else what was met may be what is asked outside
                self._met.discard(name)
            return found

        return self._once(f"{name}[{word or ''}]", more, seen, ask)

    def _of_made(
        self, statement: Any, more: int, seen: Seen, asked: Seen, word: str | None
    ) -> Conditions | None:
        """Say when all entries have axes of what a statement binds a name to."""
        if not isinstance(statement, gast.Assign):
            return None
        operation, value = self._program.operation(statement), statement.value
        if operation.kind == "copy" and not self._is_met(value.id, seen):
            return self._of_entries(value.id, more, asked, word)
        if operation.kind in _SHOWN:
            held = _under(word, value, operation)
            return _all(self._of_node(arg, more, seen) for arg in held) if held else _SURELY
        if isinstance(value, gast.Subscript):
            return self._of_inner_entries(value, more, asked, word)
        if isinstance(value, gast.ListComp):
            return self._of_node(value.elt, more, seen)
        if operation.kind == "primitive" and isinstance(statement.targets[0], gast.Name):
            return self._of_listed(operation, more, asked)
        return None

    def _is_met(self, name: str, seen: Seen) -> bool:
        """Say whether a name is being asked of, and note that what is said depends on it."""
        if name in seen:
            self._met.add(name)
        return name in seen

    def _of_inner_entries(
        self, read: Any, more: int, seen: Seen, word: str | None
    ) -> Conditions | None:
        """Say when all entries of the displays have axes that a read of another one may give."""
        holder = getattr(read.value, "id", "")
        makers = self._makers.get(holder, [])
        shown = [self._program.operation(m) for m in makers if isinstance(m, gast.Assign)]
        if not shown or any(item.kind not in _SHOWN for item in shown):
            return None
        if self._is_met(holder, seen):
            return None
        held = [arg for item in shown for arg in item.args] + [*self._puts.get(holder, ())]
        asked = {**seen, holder: (more, self._computes > 0)}
        if not all(isinstance(item, gast.Name) for item in held):
            return None
        return _all(self._of_entries(item.id, more, asked, word) for item in held)

    def _of_operands(
        self, known: Primitive, operation: Operation, more: int, seen: Seen
    ) -> Conditions | None:
        """What is computed entry by entry has the axes of the operand with most."""
        first = operation.args[:1] if known.keeps_axes else ()
        operands = operation.args if known.shape == "broadcast" else first
        if known.shape == "told" and getattr(operation.args[0], "attr", "") == "shape":
            operands = (operation.args[0].value,)
        if known.may_view and known.gives != "number":  # it is an array as the operand is
            return _any(self._of_node(arg, more, seen) for arg in operands)
        return _any(self._of_operand(arg, more, seen) for arg in operands)

    def _of_read(self, read: Any, more: int, seen: Seen) -> Conditions | None:
        parts = read.slice.elts if isinstance(read.slice, gast.Tuple) else [read.slice]
        if not isinstance(read.value, gast.Name):
            return None
        if self.is_dict(read.value.id):
            return self._of_entries(read.value.id, more, seen)
        if self.holders.of(read.value.id):
            return None if more else self.holders.is_array(read)
        key = getattr(read.slice, "value", None)
        if isinstance(key, str) and read.value.id in self._program.parameters:
            return (f"np.ndim({read.value.id}[{key!r}]) > {more}",)
        if not all(is_basic(part, self._integers) for part in parts):
            return None
        entries = self._of_entries(read.value.id, more, seen)
        if entries is not None:
            return entries
        positions = sum(is_position(part, self._integers) for part in parts)
        slices = sum(isinstance(part, gast.Slice) for part in parts)
        if slices > more:
            return _SURELY
        ask = self._of_operand if positions == len(parts) else self._of_node  # c[()] is a number
        condition = ask(read.value, more + positions, seen)
        if condition is not None and positions == len(parts):
            self.assumed[id(read)] = condition
        return condition


def _word(index: Any) -> str | None:
    """Return the word that an index of a dict is."""
    word = getattr(index, "value", None)
    return word if isinstance(word, str) else None


def _under(word: str | None, display: Any, operation: Operation) -> Sequence[Any]:
    """Return what a display holds, of a dict with plain keys what it holds under one word."""
    keys = [_word(key) for key in getattr(display, "keys", ())]
    if word is None or word not in keys or None in keys:
        return operation.args
    return [display.values[place] for place, key in enumerate(keys) if key == word]


def _has_axes_always(known: Primitive, operation: Operation) -> bool:
    """Say whether what a function that gives arrays returns is none without axes.

    That is so where it neither keeps the axes of an operand nor is told some.
    """
    if known.shape == "told":
        shape = operation.args[0] if operation.args else None
        return bool(getattr(shape, "elts", None)) or isinstance(shape, (gast.Name, gast.Constant))
    told = len(operation.args) > 1 or bool(operation.keywords)  # as for `reshape`
    views = known.may_view and (told or known.same)
    return known.shape in ("", "flat", "square") and not views


def _all(found: Iterable[Conditions | None]) -> Conditions | None:
    """Say when all of some values have axes; nothing is known of none.

    The others are not asked for where one has none: each may ask for as many again.
    """
    together: dict[str, None] | None = None
    for conditions in found:
        if conditions is None:
            return None
        together = {**(together or {}), **dict.fromkeys(conditions)}
    return None if together is None else tuple(together)


def _any(found: Iterable[Conditions | None]) -> Conditions | None:
    """Say when one of some values has axes: that of which least is to be asked."""
    least: Conditions | None = None
    for conditions in found:
        if conditions is not None and (least is None or len(conditions) < len(least)):
            least = conditions
        if least == _SURELY:
            break
    return least


def is_basic(part: Any, integers: Integers) -> bool:
    """Say whether a part of an index is surely no index array."""
    if isinstance(part, gast.Slice):
        return True
    if isinstance(part, gast.Constant):
        return part.value is None or part.value is Ellipsis or type(part.value) is int
    return integers.of(part)


def is_position(part: Any, integers: Integers) -> bool:
    """Say whether a part of an index takes one position of an axis, and so the axis away."""
    plain = isinstance(part, gast.Constant) and type(part.value) is int
    return plain or integers.of(part)


def indexed_names(program: Program) -> set[str]:
    """Return the names that are written into by an index, or sliced: numbers cannot be."""
    stores = [item for item in statements(program.body) if is_store(item)]
    found = {name for item in stores for name in direct_names(store_target(item).value)}
    for statement in program.body:  # what surely runs
        value = getattr(statement, "value", None)
        if isinstance(value, gast.Subscript) and isinstance(value.value, gast.Name):
            found.add(value.value.id)
    return found
