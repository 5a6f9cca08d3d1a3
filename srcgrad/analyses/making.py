"""Says of each name of a program where it is bound, and how steep the steps are that make it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.analyses.selectors import CURVED, PLAIN, STEEP, STEEP_AT_THE_EDGE, STEEP_ITSELF, Mask
from srcgrad.analyses.zeros import tells_truth, zero_outside
from srcgrad.ir import gast
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names, is_store, operand_names
from srcgrad.ir.walk import blocks_of, names_bound, names_read


class Making:
    """Where the names of a program are bound, and what by.

    Attributes:
        homes: The blocks that bind a name, by their identity.
        around: The block around each branch of a condition.
        misplaced: The parameters, and names that are read before they are bound, or in loops.
        truths: Names of what surely consists of truth values.
        zeros: Where names of numbers can be other than zero.
        late: Variables of loops over ranges that do not begin at 0.
        stores: Whether memory is written.
        unpacks: Whether one statement binds several names.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._primitive = program.reader.vocabulary.primitive
        self._levels: dict[str, int] = {}
        self._own: dict[str, int] = {}
        self.homes: dict[str, list[int]] = {}
        self.around: dict[int, int] = {}
        self.misplaced: set[str] = set(program.parameters)
        self.truths: set[str] = set()
        self.zeros: dict[str, Mask] = {}
        self.late: set[str] = set()
        self.stores = self.unpacks = False
        self._made: list[tuple[str, Operation]] = []
        self._numbers: dict[int, tuple[int, int]] = {}  # of each block, and of the last one in it
        self._find_homes(program.body)
        self._find_zeros()

    def is_once(self, name: str) -> bool:
        """Say whether a name is bound once, and read in that block and the branches in it alone."""
        return len(self.homes.get(name, ())) == 1 and name not in self.misplaced

    def is_bound_once(self, name: str) -> bool:
        """Say whether a name is bound by one statement, wherever it is read."""
        return len(self.homes.get(name, ())) == 1

    def is_bound_within(self, name: str, branch: Any) -> bool:
        """Say whether a name is bound in the branches of an `if`, and nowhere else."""
        homes = self.homes.get(name, ())
        spans = [self._numbers[id(part)] for part in (branch.body, branch.orelse)]
        numbers = [self._numbers[home][0] for home in homes]
        return bool(homes) and all(any(a <= n <= b for a, b in spans) for n in numbers)

    def level(self, name: str) -> int:
        """Return how bad the derivative of a value is."""
        return self._own.get(name, self._levels.get(name, PLAIN))

    @property
    def is_steep(self) -> bool:
        """Whether the derivative of anything may be infinite somewhere."""
        return any(level >= STEEP for level in self._levels.values())

    def _find_homes(self, block: list[Any]) -> None:
        """Note the block that binds each name, and which names are read before or outside it."""
        number = len(self._numbers)
        self._numbers[id(block)] = number, number
        for statement in block:
            for name in self._read_by(statement):
                if not self._is_around(name, id(block)):
                    self.misplaced.add(name)
            if isinstance(statement, gast.Assign):
                self.unpacks = self.unpacks or isinstance(statement.targets[0], gast.Tuple)
                for target in statement.targets:
                    for name in names_bound(target):
                        self.homes.setdefault(name, []).append(id(block))
                self._note_level(statement)
            elif isinstance(statement, gast.For):
                self._note_start(statement)
            self.stores = self.stores or is_store(statement)
            for part in blocks_of(statement):
                if isinstance(statement, gast.If):
                    self.around[id(part)] = id(block)
                self._find_homes(part)
        self._numbers[id(block)] = number, len(self._numbers) - 1

    def _find_zeros(self) -> None:
        for name, operation in self._made:
            zero = zero_outside(operation, self.truths, self.zeros)
            if zero is not None and self.is_bound_once(name):
                self.zeros[name] = zero

    def _read_by(self, statement: Any) -> Sequence[str]:
        """Return the names that a statement reads by itself, not in its blocks."""
        if isinstance(statement, gast.Assign):
            vocabulary = self._program.reader.vocabulary
            return operand_names(self._program.operation(statement), vocabulary)
        if list(blocks_of(statement)):
            return names_read(getattr(statement, "iter", None) or gast.Pass())
        return names_read(statement)

    def _note_start(self, loop: Any) -> None:
        """Note the variable of a loop over ``range(start, ...)`` that does not begin at 0."""
        ends = getattr(loop.iter, "args", [])
        counts = getattr(getattr(loop.iter, "func", None), "id", "") == "range"
        if counts and len(ends) == 2 and getattr(ends[0], "value", None) != 0:
            self.late.update(names_bound(loop.target))

    def _is_around(self, name: str, block: int) -> bool:
        """Say whether a name is bound once, in a block or in one that this is a branch of."""
        homes = self.homes.get(name, ())
        around: int | None = block if len(homes) == 1 else None
        while around is not None and homes != [around]:
            around = self.around.get(around)
        return around is not None

    def _note_level(self, statement: Any) -> None:
        operation = self._program.operation(statement)
        target = statement.targets[0]
        if not isinstance(target, gast.Name):
            return
        signs = (np.isnan, np.isfinite, np.isinf)
        if operation.primal in signs or tells_truth(statement.value, self.truths):
            self.truths.add(target.id)
        self._made.append((target.id, operation))
        if not self.each_element(operation):
            return
        below = [
            self._levels.get(name, PLAIN) for arg in operation.args for name in direct_names(arg)
        ]
        own = self._level_of(operation)
        self._levels[target.id] = max([own, *below])
        if own == STEEP:
            edge = self._primitive(operation.primal).slope == "edge"
            self._own[target.id] = STEEP_AT_THE_EDGE if edge else STEEP_ITSELF

    def _level_of(self, operation: Operation) -> int:
        primal, args = operation.primal, operation.args
        slope = self._primitive(primal).slope
        if slope == "constant":
            return PLAIN
        if primal is np.multiply and any(isinstance(arg, gast.Constant) for arg in args):
            return PLAIN
        if primal is np.divide and isinstance(args[1], gast.Constant):
            return PLAIN
        if primal is np.power and _number(args[1]) >= 1:
            return CURVED
        return STEEP if slope in ("steep", "edge") else CURVED

    def each_element(self, operation: Operation) -> bool:
        """Say whether a step makes each element of one element of each operand."""
        if operation.kind != "primitive" or operation.keywords:
            return False
        return self._primitive(operation.primal).acts_on_each_element


def _number(node: Any) -> float:
    value = node.value if isinstance(node, gast.Constant) else None
    return float(value) if isinstance(value, (int, float)) else 0.0
