"""Says which names are surely integers: loop counters, sizes and sums of those."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import subscript
from srcgrad.ir.program import Program, bound_names, targets_of
from srcgrad.ir.walk import names_bound, names_read, root_name, statements, walk


class Integers:
    """The integer names of a program in normal form.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x, n):
    ...     m = len(x) // 2
    ...     for i in range(n):
    ...         x = x * i / m
    ...     return x
    ... ''')
    >>> sorted(Integers(program).names)
    ['i_2', 'm', 'n']
    >>> program = program_of('''
    ... def f(x, edges):
    ...     for i, j in edges:
    ...         x = x[i] * x[j]
    ...     return x
    ... ''')
    >>> program.given["edges"], program.places["edges"] = "matrix", "integers"
    >>> sorted(Integers(program).names)
    ['i_2', 'j_2']
    """

    def __init__(self, program: Program) -> None:
        self._scope = program.reader.scope
        self._reader = program.reader
        self._given_whole = _arrays_of_integers(program)
        self.names = {name for name, fact in program.given.items() if fact == "int"}
        self._ranges = self._named_ranges(program)
        for statement in program.body:  # what a range surely runs to is an integer
            if isinstance(statement, gast.For) and self.is_range(statement.iter):
                self.names.update(_whole(statement.iter.args, program.parameters))
        self._bound = bound_names(program.body) | set(program.parameters)
        assigned = self._assigned(program)
        given = frozenset(self.names)
        self.names.update(assigned)  # a counter is an integer if it was one before its step
        size = -1
        while size != (size := len(self.names)):
            for name, values in assigned.items():
                surely = name not in self.names or name in given or all(map(self.of, values))
                if not surely:
                    self.names.discard(name)

    def _assigned(self, program: Program) -> dict[str, list[Any]]:
        """Return what each name is bound to; None is what is not understood."""
        unknown = set(program.parameters) - self.names
        assigned: dict[str, list[Any]] = {name: [None] for name in unknown}
        for statement in statements(program.body):
            if isinstance(statement, gast.For):
                counters = self._counters(statement.target, statement.iter)
                depth = 1 + _nesting(statement.target)
                entry = self._entry(statement.iter, depth) if depth > 0 else None
                for name in names_bound(statement.target):
                    value = gast.Constant(0, None) if name in counters else entry
                    assigned.setdefault(name, []).append(value)
            for target in statement.targets if isinstance(statement, gast.Assign) else ():
                whole = isinstance(target, gast.Name)
                value = statement.value if whole else self._entry_unpacked(target, statement.value)
                for name in names_bound(target):
                    assigned.setdefault(name, []).append(value)
        return assigned

    def _counters(self, target: Any, iterable: Any) -> set[str]:
        """Return the names that count the trips of a loop, as of ``enumerate`` and ``range``.

        So do those that an array of integers gives.
        """
        if self._is_range(iterable):
            return {target.id} if isinstance(target, gast.Name) else set()
        if (axes := self._axes_of_whole(iterable)) is not None:
            return set(names_bound(target)) if axes == _nesting(target) + 1 else set()
        if not isinstance(iterable, gast.Call) or iterable.keywords:
            return set()
        callee, args = self._scope.resolve(iterable.func), iterable.args
        if callee is reversed and len(args) == 1:
            return self._counters(target, args[0])
        targets = target.elts if isinstance(target, (gast.Tuple, gast.List)) else []
        if callee is zip and len(args) == len(targets):
            pairs = zip(targets, args, strict=True)
            return {name for pair in pairs for name in self._counters(*pair)}
        if callee is enumerate and len(args) == 1 and len(targets) == 2:
            inside = self._counters(targets[1], args[0])
            return inside | {n for n in [getattr(targets[0], "id", None)] if n is not None}
        return set()

    def _entry_unpacked(self, target: Any, value: Any) -> Any:
        """Return an integer in the place of each name in ``n, d = x.shape``; else None."""
        plain = isinstance(target, (gast.Tuple, gast.List)) and all(
            isinstance(item, gast.Name) for item in target.elts
        )
        if plain and self._is_shape(value):
            return gast.Constant(0, None)
        return self._entry(value, 1) if plain else None

    def _entry(self, node: Any, depth: int) -> Any:
        """Return what stands for an entry of a part of a given array of integers; else None."""
        if root_name(node) not in self._given_whole:
            return None
        for _ in range(depth):
            node = subscript(node, gast.Constant(0, None))
        return node

    def _axes_of_whole(self, node: Any) -> int | None:
        """Return how many axes a part of a given array of integers has, or None if it is none."""
        if isinstance(node, gast.Name):
            return self._given_whole.get(node.id)
        if not isinstance(node, gast.Subscript) or not self._given_whole:
            return None
        axes = self._axes_of_whole(node.value)
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        taken = sum(not isinstance(part, gast.Slice) for part in parts)
        plain = all(isinstance(part, gast.Slice) or self.of(part) for part in parts)
        return axes - taken if plain and axes is not None and len(parts) <= axes else None

    def _is_shape(self, node: Any) -> bool:
        if isinstance(node, gast.Call):
            return self._scope.resolve(node.func) is np.shape
        return isinstance(node, gast.Attribute) and node.attr == "shape"

    def _is_outer_integer(self, name: str) -> bool:
        """Say whether a name that the function does not bind is that of an integer."""
        return name not in self._bound and type(self._scope.lookup(name)) is int

    def of(self, node: Any) -> bool:
        """Say whether an expression is surely one integer."""
        if isinstance(node, gast.Constant):
            return type(node.value) is int
        if isinstance(node, gast.Name):
            return node.id in self.names or self._is_outer_integer(node.id)
        if isinstance(node, gast.UnaryOp):
            return isinstance(node.op, (gast.USub, gast.UAdd)) and self.of(node.operand)
        if isinstance(node, gast.BinOp):
            arithmetic = isinstance(
                node.op, (gast.Add, gast.Sub, gast.Mult, gast.FloorDiv, gast.Mod)
            )
            return arithmetic and self.of(node.left) and self.of(node.right)
        if isinstance(node, gast.Subscript):
            whole = self._is_shape(node.value) and self.of(node.slice)
            return whole or self._axes_of_whole(node) == 0
        if isinstance(node, gast.Call):
            return self._gives_integer(node)
        return isinstance(node, gast.Attribute) and node.attr in ("ndim", "size")

    def _gives_integer(self, call: Any) -> bool:
        """Say whether a call gives an integer, as ``len(x)`` and the most of several do."""
        callee = self._scope.resolve(call.func)
        if callee in (len, int):
            return True
        if callee not in (max, min, sum) or call.keywords:
            return False
        if len(call.args) == 1:
            return self._holds_integers(call.args[0])
        return callee is not sum and all(map(self.of, call.args))

    def _holds_integers(self, comprehension: Any) -> bool:
        """Say whether a comprehension gives integers, whatever it goes through."""
        if not isinstance(comprehension, (gast.GeneratorExp, gast.ListComp)):
            return False
        bound = {n for part in comprehension.generators for n in names_bound(part.target)}
        entry = comprehension.elt
        plain = isinstance(entry, gast.Call) or bound.isdisjoint(names_read(entry))
        return plain and self.of(entry)

    def _is_range(self, node: Any) -> bool:
        return getattr(node, "id", "") in self._ranges or self.is_range(node)

    def is_range(self, node: Any) -> bool:
        """Say whether an expression makes a range."""
        return isinstance(node, gast.Call) and self._scope.resolve(node.func) is range

    def _named_ranges(self, program: Program) -> set[str]:
        """Return the names that are bound to ranges and nothing else."""
        made, others = set[str](), set(program.parameters)
        for statement in statements(program.body):
            for target in targets_of(statement):
                alone = isinstance(statement, gast.Assign) and isinstance(target, gast.Name)
                ranges = alone and self.is_range(statement.value)
                (made if ranges else others).update(names_bound(target))
        return made - others


def _arrays_of_integers(program: Program) -> dict[str, int]:
    """Return the parameters that are arrays of integers, with how many axes they have."""
    if not program.places:
        return {}
    kept = set(program.places) - set(bound_names(program.body))
    ranks = {"vector": 1, "matrix": 2}
    given = {name: ranks.get(program.given.get(name, ""), 0) for name in kept}
    return {n: axes for n, axes in given.items() if axes and program.places[n] == "integers"}


def _nesting(target: Any) -> int:
    """Return how many axes each entry has that a loop's target takes: none, or one by its parts."""
    parts = getattr(target, "elts", None)
    return 0 if parts is None else 1 if all(isinstance(p, gast.Name) for p in parts) else -2


def _whole(args: list[Any], parameters: tuple[str, ...]) -> set[str]:
    """Return the parameters in sums and differences of names and integer literals."""
    found: set[str] = set()
    for node in args:
        for item in walk(node):
            if isinstance(item, gast.Name) and item.id in parameters:
                found.add(item.id)
            elif not isinstance(
                item, (gast.BinOp, gast.Add, gast.Sub, gast.Constant, gast.Load, gast.Name)
            ):
                return found
    return found
