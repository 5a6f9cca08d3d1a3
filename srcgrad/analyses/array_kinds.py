"""Says which names are surely bound to arrays, and which may be numbers that `+=` binds anew."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from srcgrad.analyses.entries import Entries
from srcgrad.analyses.shapes import Shapes
from srcgrad.ir import gast
from srcgrad.ir.displays import lists_have
from srcgrad.ir.marks import IN_PLACE
from srcgrad.ir.operations import Operation, given_for
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.walk import found_in, names_bound, names_read, statements, walk
from srcgrad.locks import kept_property

_OF_ARRAYS = frozenset(["shape", "ndim", "size", "dtype", "T", "flat"])


class ArrayKinds:
    """What kind of value the names of a program may be bound to."""

    def __init__(self, program: Program, shapes: Shapes) -> None:
        self._program = program
        self._shapes = shapes

    def selects(self, read: Any) -> bool:
        """Say whether ``x[index]`` is surely a copy, since `index` is a list or made of truths."""
        parts = read.slice.elts if isinstance(read.slice, gast.Tuple) else [read.slice]
        if not isinstance(read.value, gast.Name) or read.value.id not in self.arrays:
            return False
        return any(
            isinstance(part, gast.List) or getattr(part, "id", "") in self._truths for part in parts
        )

    @kept_property
    def _truths(self) -> set[str]:
        """The names that are bound to comparisons."""
        makers: dict[str, list[bool]] = defaultdict(list)
        for statement in statements(self._program.body):
            for name in _targets(statement):
                makers[name].append(isinstance(getattr(statement, "value", None), gast.Compare))
        return {name for name, found in makers.items() if all(found)}

    def is_immutable(self, left: Any, target: Any) -> bool:
        """Say whether ``left += v`` surely binds a new number (for a 0-d array it does not)."""
        if self._shapes.fact(left) == "int":
            return True
        may_be_array = left.id in self._without_axes or left.id in self._from_parameters
        return self._shapes.is_number(target) and not may_be_array

    @kept_property
    def _from_parameters(self) -> set[str]:
        """Return the names that may be bound to what the caller gave, which may be a 0-d array."""
        links: list[tuple[str, str]] = []
        for statement in statements(self._program.body):
            if isinstance(statement, gast.Assign) and isinstance(statement.value, gast.Name):
                links += [(statement.value.id, name) for name in _targets(statement)]
            elif IN_PLACE.of(statement) and isinstance(statement.value, gast.BinOp):
                left = statement.value.left
                if isinstance(left, gast.Name):
                    links += [(left.id, name) for name in _targets(statement)]
        given = self._program.given
        found = {n for n in self._program.parameters if given.get(n) not in ("int", "number")}
        size = -1
        while len(found) != size:
            size = len(found)
            found |= {target for source, target in links if source in found}
        return found

    @kept_property
    def _without_axes(self) -> frozenset[str]:
        """The names that may be bound to arrays without axes, which ``+=`` writes into."""
        found: set[str] = set()
        size = -1
        while size != (size := len(found)):
            for statement in statements(self._program.body):
                if isinstance(statement, gast.Assign) and self._keeps_array(statement, found):
                    found.update(_targets(statement))
        return frozenset(found)

    def _keeps_array(self, statement: Any, found: set[str]) -> bool:
        operation = self._program.operation(statement)
        if operation.kind == "copy" or IN_PLACE.of(statement):
            value = statement.value
            source = value.left if isinstance(value, gast.BinOp) else value
            return any(name in found for name in direct_names(source))
        vocabulary = self._program.reader.vocabulary
        entries = self._program.once(Entries).read(statement)
        if entries is not None:
            nodes = [node for value in entries for node in walk(value)]
            return any(isinstance(n, gast.Call) or getattr(n, "id", "") in found for n in nodes)
        if operation.primal is vocabulary.getitem:
            return any(getattr(part, "value", 0) is Ellipsis for part in walk(operation.args[1]))
        if operation.primal is None or operation.kind not in ("primitive", "constant"):
            return False
        known = vocabulary.primitive(operation.primal)
        return known.name.startswith("numpy.") and known.gives != "number"

    @kept_property
    def arrays(self) -> set[str]:
        """Return the names that are bound to arrays on all paths, never to lists or dicts."""
        made: list[tuple[str, Any]] = []
        makes: dict[str, list[tuple[str, Any]]] = defaultdict(list)  # what is made of each name
        for statement in statements(self._program.body):
            if isinstance(statement, gast.Assign):
                whole = isinstance(statement.targets[0], gast.Name)
                made += [(name, statement if whole else None) for name in _targets(statement)]
        for name, maker in made:
            for read in names_read(maker.value) if maker is not None else ():
                makes[read].append((name, maker))
        arrays = {name for name, _ in made} - set(self._program.parameters)
        waiting = made
        while waiting:
            name, maker = waiting.pop()
            if name in arrays and (maker is None or not self._makes_array(maker, arrays)):
                arrays.remove(name)
                waiting += makes[name]
        return arrays | self._shown()

    def _shown(self) -> set[str]:
        """Return the names used as only arrays are: ``x.shape``, ``x[i, :]``, ``x[[i, j]]``."""
        found: set[str] = set()
        for statement in self._program.body:
            for node in found_in(statement, gast.Attribute, gast.Subscript):
                if not isinstance(node.value, gast.Name):
                    continue
                by_attribute = isinstance(node, gast.Attribute) and node.attr in _OF_ARRAYS
                by_index = isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Tuple)
                slices = by_index and any(isinstance(i, gast.Slice) for i in node.slice.elts)
                listed = isinstance(node, gast.Subscript) and isinstance(node.slice, gast.List)
                if by_attribute or slices or listed:
                    found.add(node.value.id)
        return found

    def _makes_array(self, statement: Any, arrays: set[str]) -> bool:
        operation = self._program.operation(statement)
        if operation.kind == "copy":
            return all(name in arrays for name in direct_names(operation.args[0]))
        if isinstance(statement.value, gast.BinOp):  # of two lists it would be a list
            names = [name for arg in operation.args for name in direct_names(arg)]
            if isinstance(statement.value.op, gast.Mult) and len(names) == 2 == len({*names}) + 1:
                return True
            return any(name in arrays for name in names) or (
                not isinstance(statement.value.op, (gast.Add, gast.Mult))
                or any(_is_float(arg) for arg in operation.args)
            )
        if operation.kind == "user":
            return self._gives_array(operation, arrays)
        if operation.primal is None or operation.kind not in ("primitive", "constant"):
            return False
        if operation.primal is self._program.reader.vocabulary.getitem:
            return all(name in arrays for name in direct_names(operation.args[0]))
        if lists_have(statement.value, self._program.reader.scope):
            return all(name in arrays for name in direct_names(operation.args[0]))
        name = self._program.reader.vocabulary.canonical_name(operation.primal)
        return name.startswith("numpy.")

    def _gives_array(self, operation: Operation, arrays: set[str]) -> bool:
        """Say whether a call of a user's function gives an array, if some names are arrays."""
        vocabulary = self._program.reader.vocabulary
        if vocabulary.returns_array(operation.primal):
            return True
        value = given_for(operation, vocabulary.parameter_returned(operation.primal))
        return isinstance(value, gast.Name) and value.id in arrays


def _is_float(node: Any) -> bool:
    return isinstance(node, gast.Constant) and isinstance(node.value, float)


def _targets(statement: Any) -> list[str]:
    return [name for target in getattr(statement, "targets", []) for name in names_bound(target)]
