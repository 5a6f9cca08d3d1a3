"""Finds stores of a vector into memory that it lies in itself, with another step.

NumPy stores one element after another there, over what it has yet to read: after ``x[::2] = x[:3]``
of six numbers ``x[4]`` is the second one, not the third. So an adjoint of the whole is another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.displays import makes_list
from srcgrad.ir.marks import IN_PLACE
from srcgrad.ir.program import Program, is_store
from srcgrad.ir.walk import names_bound, root_name, statements


def uneven_stores(program: Program, varied: Collection[str]) -> list[Any]:
    """Return the stores of what varies that may go on in other steps than what they read.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> program = program_of('''
    ... def f(x):
    ...     y = x * 2.0
    ...     y[1:] = y[:-1]
    ...     y[::2] = y[:2]
    ...     return np.sum(y)
    ... ''')
    >>> print(text(uneven_stores(program, {"y", "y_part", "y_part_2"})))
    y[::2] = y_part_2
    """
    stores = [
        statement
        for statement in statements(program.body)
        if is_store(statement)
        and isinstance(statement, gast.Assign)
        and isinstance(statement.value, (gast.Name, gast.Subscript))
        and root_name(statement.value) in varied
    ]
    if not stores:
        return []
    views = _Views(program)
    return [item for item in stores if views.are_uneven(item.targets[0], item.value)]


class _Views:
    """What lies in the memory of what."""

    def __init__(self, program: Program) -> None:
        self._reader = program.reader
        self._makers: dict[str, list[Any]] = defaultdict(list)
        for statement in statements(program.body):
            if isinstance(statement, gast.Assign) and not is_store(statement):
                for target in statement.targets:
                    self._note(target, statement)
            elif isinstance(statement, gast.For):
                self._note(statement.target, statement)

    def _note(self, target: Any, statement: Any) -> None:
        value = statement.iter if isinstance(statement, gast.For) else statement.value
        if IN_PLACE.of(statement) and isinstance(value, gast.BinOp):
            value = value.left
        for name in names_bound(target):
            self._makers[name].append(value)

    def are_uneven(self, target: Any, value: Any) -> bool:
        """Say whether two views may lie in one memory and go on in different steps."""
        if self._is_list(target.value):
            return False  # it stores one thing, whatever lies in what it is
        (bases, strides), (others, paces) = self._traced(target), self._traced(value)
        if bases.isdisjoint(others) or _are_mirrored(target, self._read(value)):
            return False
        differing = strides ^ paces
        turned = len(differing) == 1 and "USub" in next(iter(differing))  # NumPy copies then
        return bool(differing) and not turned

    def _is_list(self, node: Any) -> bool:
        """Say whether a name is bound to nothing but lists and dicts that are written out."""
        made = self._makers.get(getattr(node, "id", ""), [])
        return bool(made) and all(makes_list(v) or isinstance(v, gast.Dict) for v in made)

    def _read(self, value: Any) -> Any:
        """Return what a name is bound to, if that is one thing."""
        made = self._makers.get(getattr(value, "id", ""), [])
        return made[0] if len(made) == 1 else value

    def _traced(self, node: Any) -> tuple[set[str], set[str]]:
        """Return the names of what was made in the memory that a value may lie in.

        And what makes its elements lie apart there on the way: slices with steps, columns, calls.
        """
        bases: set[str] = set()
        strides: set[str] = set()
        seen: set[str] = set()
        waiting = [node]
        while waiting:
            item = waiting.pop()
            if not isinstance(item, gast.Name):
                waiting += self._passed_on(item)
                strides.update(self._strides(item))
            elif item.id not in seen:
                seen.add(item.id)
                made = self._makers.get(item.id, [])
                viewed = [value for value in made if self._passed_on(value)]
                waiting += viewed
                if len(viewed) < len(made) or not made:
                    bases.add(item.id)
        return bases, strides

    def _strides(self, value: Any) -> list[str]:
        """Return what makes the elements of a view lie farther apart than those that it views."""
        if isinstance(value, gast.Attribute):
            return ["T"] if value.attr in ("T", "mT") else []
        if isinstance(value, gast.Call):
            operation = self._reader.read(value)
            known = self._reader.vocabulary.primitive(operation.primal)
            spreads = known.may_view and not known.is_split and not known.chooses
            return [gast.dump(value)] if spreads else []
        if not isinstance(value, gast.Subscript):
            return []
        index = value.slice
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        slices = [isinstance(part, gast.Slice) for part in parts]
        found = [gast.dump(p.step) for p in parts if isinstance(p, gast.Slice) and p.step]
        is_column = any(slices[: len(parts) - 1]) and not slices[-1]
        return [*found, "column"] if is_column else found

    def _passed_on(self, value: Any) -> list[Any]:
        """Return the expressions in whose memory that of another may lie; none if it is new."""
        if isinstance(value, gast.Name):
            return [value]
        if isinstance(value, (gast.Subscript, gast.Attribute, gast.Starred)):
            return [value.value]
        if isinstance(value, (gast.Tuple, gast.List)):
            return list(value.elts)
        if isinstance(value, gast.Dict):
            return list(value.values)
        if isinstance(value, gast.IfExp):
            return [value.body, value.orelse]
        if not isinstance(value, gast.Call):
            return []
        operation = self._reader.read(value)
        is_known = operation.kind in ("primitive", "constant") and operation.primal is not None
        if is_known and not self._reader.vocabulary.primitive(operation.primal).may_view:
            return []
        return list(operation.args)


def _are_mirrored(target: Any, value: Any) -> bool:
    """Say whether a part of a row of a matrix is stored into that of a column, or back."""
    if not isinstance(target, gast.Subscript) or not isinstance(value, gast.Subscript):
        return False
    if not isinstance(target.slice, gast.Tuple) or not isinstance(value.slice, gast.Tuple):
        return False
    same = gast.dump(target.value) == gast.dump(value.value)
    turned = [gast.dump(part) for part in reversed(value.slice.elts)]
    return same and [gast.dump(part) for part in target.slice.elts] == turned
