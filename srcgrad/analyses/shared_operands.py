"""Says whose memory the values of a program may lie in: those of its assignments, and displays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from srcgrad.analyses.array_kinds import ArrayKinds
from srcgrad.analyses.call_writes import draws_anew
from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.elements import ANY
from srcgrad.analyses.entries import Entries, copied_list
from srcgrad.analyses.outside_attributes import holders_of_memory
from srcgrad.analyses.outside_numbers import OutsideNumbers
from srcgrad.analyses.plain_names import copies_of
from srcgrad.analyses.shapes import Shapes
from srcgrad.ir import gast
from srcgrad.ir.displays import repeated_entries
from srcgrad.ir.new_arrays import NewArrays
from srcgrad.ir.operations import Operation, may_return_operand, operands_viewed
from srcgrad.ir.program import Program, bound_names, count_reads, direct_names, targets_of
from srcgrad.ir.walk import (
    blocks_of,
    found_in,
    names_bound,
    names_read,
    root_name,
    statements,
    walk,
)


class SharedOperands:
    """The names whose memory a value may lie in.

    Attributes:
        said: Outside memory by the names that it is an attribute of, or that hand it out.
    """

    def __init__(
        self,
        program: Program,
        shapes: Shapes,
        dimensions: Dimensions,
        kinds: ArrayKinds,
        outside: OutsideNumbers,
        is_number: Callable[[Any], bool],
    ) -> None:
        self._program = program
        self._shapes = shapes
        self._dimensions = dimensions
        self._kinds = kinds
        self._outside = outside
        self._own = bound_names(program.body)
        self._is_number = is_number
        self.said: dict[str, str] = {}

    def of(self, value: Any, operation: Operation) -> list[str]:
        """Return the names whose memory the value of an assignment may share."""
        vocabulary = self._program.reader.vocabulary
        if isinstance(value, (gast.IfExp, gast.BoolOp)):
            ends = value.values if isinstance(value, gast.BoolOp) else [value.body, value.orelse]
            read = self._program.reader.read
            return [name for end in ends for name in self.of(end, read(end))]
        held = self._held_by(value, operation)
        if held is not None:
            return [name for arg in held for name in self._direct(arg)]
        if operation.primal is vocabulary.getitem:
            return self._shared_by_part(value)
        if operation.kind == "primitive":
            return self._viewed(operation)
        if operation.kind == "user" and isinstance(value, gast.Call):
            returned = vocabulary.returned_operands(operation.primal, value)
            whole = self._returned_whole(operation.primal, value, returned)
            names = [n for item in whole if item is not value.func for n in names_read(item)]
            given = self.local([n for n in names if not self.is_float(n)])
            return given + self._handed_out(value.func) if value.func in returned else given
        if operation.kind in ("user", "class"):
            return [n for arg in operation.args for n in self._direct(arg)]
        passes_on = isinstance(value, gast.Call) and operation.kind != "constant"
        if not passes_on or draws_anew(self._program, value):
            return self._held_outside(value)
        return self.local(self._handed(value))

    def _returned_whole(self, callee: Any, call: Any, returned: list[Any]) -> list[Any]:
        """Return the operands in whose memory a result may lie, and is no number in it."""
        elements = self._program.reader.vocabulary.elements_returned(callee, call)
        numbers = [
            item
            for item in elements
            if isinstance(item, gast.Name)
            and self._shapes.element_is_number(
                gast.Subscript(item, gast.Constant(0, None), gast.Load())
            )
        ]
        return [item for item in returned if not any(item is number for number in numbers)]

    def _handed(self, value: Any) -> list[str]:
        """Return the names that a call of what is not known reads; not those asked for shapes."""
        asked = [
            id(name)
            for item in found_in(value, gast.Attribute)
            if self._program.reader.constant_attribute(item)
            for name in found_in(item, gast.Name)
        ]
        names = found_in(value, gast.Name)
        return [name.id for name in names if id(name) not in asked]

    def _held_by(self, value: Any, operation: Operation) -> Sequence[Any] | None:
        """Return what a copy, a display or the copy of a list holds; None of anything else."""
        copied = copied_list(self._program, value)
        if copied is not None:
            return () if self._holds_numbers(copied) else (copied,)
        repeated = repeated_entries(value)
        if repeated:
            return repeated
        if operation.kind == "unpack" and self._program.once(_unpacked_apart).get(id(value)):
            return ()
        shown = repeated is not None or operation.kind in (
            "copy",
            "unpack",
            "tuple",
            "list",
            "dict",
        )
        return operation.args if shown else None

    def _viewed(self, operation: Operation) -> list[str]:
        """Return the names whose memory what a primitive returns may lie in."""
        known = self._program.reader.vocabulary.primitive(operation.primal)
        if known.chooses and len(operation.args) == 1 and self._holds_numbers(operation.args[0]):
            return []
        views = known.may_view or may_return_operand(known, operation)
        viewed = operands_viewed(known, operation) if views else []
        if known.name.startswith("numpy."):  # of a list it makes an array
            viewed = [item for item in viewed if not self._is_list(item)]
        names = [n for arg in viewed for n in direct_names(arg) if not self.is_float(n)]
        held = [n for arg in viewed for n in self._held_outside(arg)]
        return [*self.local(names), *held]

    def _shared_by_part(self, value: Any) -> list[str]:
        """Return the names whose memory ``value[...]`` may lie in."""
        of_shape = isinstance(value.value, gast.Attribute) and (
            self._program.reader.constant_attribute(value.value)
        )
        number = self._shapes.element_is_number(value) or self._outside.reads_number(value)
        if of_shape or number or self._kinds.selects(value) or self._is_element(value):
            return []
        if isinstance(value.slice, gast.Slice) and self._holds_numbers(value.value):
            return []
        if isinstance(value.value, gast.Call):
            return self.of(value.value, self._program.reader.read(value.value))
        return names_read(value.value)

    def _is_element(self, value: Any) -> bool:
        """Say whether ``a[i, j]`` is a number of an array, by the axes that this surely has.

        Of a list it may be an array without axes, and so it is with an ellipsis, of an array.
        """
        parts = value.slice.elts if isinstance(value.slice, gast.Tuple) else ()
        whole = any(isinstance(item, gast.Constant) and item.value is ... for item in parts)
        is_array = bool(parts) or getattr(value.value, "id", None) in self._kinds.arrays
        return is_array and not whole and self._dimensions.of_place(value) == ()

    def _is_list(self, node: Any) -> bool:
        """Say whether an operand is surely a list or tuple, made here or given, of numbers then."""
        if isinstance(node, gast.Name):
            made = self._program.once(Entries).of(node.id) is not None
            return made or node.id in self._program.once(_lists_given)
        return isinstance(node, (gast.List, gast.Tuple))

    def _holds_numbers(self, node: Any) -> bool:
        """Say whether a name is bound to lists of numbers that the program has made."""
        held = self._program.once(Entries).of(node.id) if isinstance(node, gast.Name) else None
        return held is not None and all(map(self._is_number, held))

    def _direct(self, arg: Any) -> list[str]:
        """Return the names that an operand is, or whose memory it displays, also by parts."""
        if isinstance(arg, gast.Name):
            return [arg.id]
        if isinstance(arg, gast.Starred):  # of what holds numbers it takes those
            numbers = self._dimensions.rank(arg.value) == 1
            numbers = numbers or self._dimensions.numbers_in(arg.value) == ANY
            return [] if numbers else self._direct(arg.value)
        if isinstance(arg, (gast.Tuple, gast.List, gast.Set, gast.Dict)):
            parts = arg.values if isinstance(arg, gast.Dict) else arg.elts
            return [name for part in parts for name in self._direct(part)]
        if isinstance(arg, (gast.Constant, gast.Slice)):
            return []
        if isinstance(arg, gast.Attribute):
            return self._held_outside(arg)
        return self.of(arg, self._program.reader.read(arg))

    def _held_outside(self, arg: Any) -> list[str]:
        found = holders_of_memory(self._program, arg)
        self.said.update(found)
        return list(found)

    def _handed_out(self, function: Any) -> list[str]:
        """Return the name by which a function is called that returns what is outside."""
        name = root_name(function)
        if name is None or name in self._own:
            return []
        self.said[name] = f"{name}()"
        return [name]

    def local(self, names: list[str]) -> list[str]:
        lookup = self._program.reader.scope.lookup
        return [name for name in names if not _is_code(lookup(name))]

    def is_float(self, name: str) -> bool:
        """Say whether a name is a number of the caller's: an array of it is new memory."""
        return name in self._program.once(_floats_given)


def _floats_given(program: Program) -> set[str]:
    """Return the parameters that are numbers in a call, and the names bound to nothing else."""
    given = {name for name in program.parameters if program.given.get(name) == "number"}
    return copies_of(program, given) if given else given


def _lists_given(program: Program) -> set[str]:
    """Return the parameters that are lists of numbers in a call, and names of nothing else."""
    known = program.given
    of_numbers = {text.partition("[")[0] for text, fact in known.items() if fact == "number"}
    lists = {n for n in program.parameters if known.get(n) in ("list", "tuple")} & of_numbers
    return copies_of(program, lists) if lists else lists


def _is_code(value: Any) -> bool:
    """Say whether a name means a function, class or module, which are no memory to write into."""
    return callable(value) or isinstance(value, ModuleType)


def _unpacked_apart(program: Program) -> dict[int, bool]:
    """Return the identities of new arrays that are unpacked where they are made, and read no more.

    So their rows are all that is left of them, and nothing else lies in what one lies in.
    """
    reads = count_reads(program.body)
    nodes = [node for item in program.body for node in walk(item)]
    new = NewArrays(program.reader, nodes, program.parameters)
    found: dict[int, bool] = {}
    inner = (block for item in statements(program.body) for block in blocks_of(item))
    for block in (program.body, *inner):
        made: dict[str, Any] = {}
        for item in block:
            for target in targets_of(item):
                made.update(dict.fromkeys(names_bound(target), item))
            value = getattr(item, "value", None)
            name = value.id if isinstance(value, gast.Name) else ""
            plain = isinstance(item, gast.Assign) and isinstance(item.targets[0], gast.Tuple)
            if plain and name in made and reads[name] == 1 and not _is_starred(item.targets[0]):
                found[id(value)] = new.is_new(value)
    return found


def _is_starred(target: Any) -> bool:
    return any(isinstance(item, gast.Starred) for item in target.elts)
