"""Says which names are bound to the tuples, lists and dicts that a program writes out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from srcgrad.analyses.axes import is_position
from srcgrad.analyses.integers import Integers
from srcgrad.ir import gast
from srcgrad.ir.program import Program
from srcgrad.ir.walk import statements, walk

DISPLAYS: Final = ("tuple", "list", "dict")


class ShownContainers:
    """The containers of a program.

    It is given the statements that bind each name, what is put in, and what says of a name whether
    that holds no other containers.
    """

    def __init__(
        self,
        program: Program,
        integers: Integers,
        makers: Mapping[str, list[Any]],
        puts: Mapping[str, list[Any]],
        gives_arrays: Callable[[str], object],
    ) -> None:
        self._program = program
        self._integers = integers
        self._makers = makers
        self._puts = puts
        self._gives_arrays = gives_arrays

    def may_be_shown(self, name: str, seen: Collection[str] = ()) -> bool:
        """Say whether a name may be bound to a tuple or list made in the program."""
        if name in seen:
            return False
        seen = {*seen, name}
        for statement in self._makers.get(name, []):
            if not isinstance(statement, gast.Assign):
                return True
            operation = self._program.operation(statement)
            if operation.kind in DISPLAYS or self.lists_arrays(statement.value):
                return True
            if operation.kind == "unpack" and self._may_give_display(statement.value.id, seen):
                return True
            if operation.kind == "copy" and self.may_be_shown(statement.value.id, seen):
                return True
        return False

    def _may_give_display(self, source: str, seen: Collection[str]) -> bool:
        """Say whether what is unpacked may hold tuples or lists."""
        if not self.is_shown(source):
            return True
        return any(
            self.may_be_shown(item.id, seen)
            if isinstance(item, gast.Name)
            else not self._makes_array(item)
            for item in self.entries_of(source)
        )

    def lists_arrays(self, value: Any) -> bool:
        """Say whether an expression makes a list of new arrays, as ``[np.zeros(n) for ...]``."""
        return isinstance(value, gast.ListComp) and self._makes_array(value.elt)

    def _makes_array(self, value: Any) -> bool:
        primal = self._program.reader.read(value).primal
        return self._program.reader.vocabulary.primitive(primal).gives == "array"

    def may_be_inner(self, name: str, seen: Collection[str] = ()) -> bool:
        """Say whether a name may be bound to a list or dict that another one holds."""
        if name in seen:
            return False
        seen = {*seen, name}
        for statement in self._makers.get(name, []):
            value = getattr(statement, "value", None)
            if isinstance(value, gast.Name) and self.may_be_inner(value.id, seen):
                return True
            source = value if isinstance(value, gast.Name) else getattr(value, "value", None)
            held = self.entries_of(source.id) if isinstance(source, gast.Name) else []
            if any(self._may_be_container(item, seen) for item in held):
                return True
        return False

    def _may_be_container(self, entry: Any, seen: Collection[str]) -> bool:
        if isinstance(entry, gast.Starred):
            return self._may_spread_containers(entry.value, seen)
        if isinstance(entry, gast.Name):
            return self.may_be_shown(entry.id) or self.may_be_inner(entry.id, seen)
        return isinstance(entry, (gast.List, gast.Tuple, gast.Dict))

    def _may_spread_containers(self, value: Any, seen: Collection[str]) -> bool:
        name = getattr(value, "id", "")
        if not self.is_shown(name):
            return not self._gives_arrays(name)
        return any(self._may_be_container(item, seen) for item in self.entries_of(name))

    def entries_of(self, name: str) -> list[Any]:
        """Return what the displays that a name is bound to hold, and what is put into them."""
        makers = [item for item in self._makers.get(name, []) if isinstance(item, gast.Assign)]
        shown = [self._program.operation(item) for item in makers]
        held = [arg for item in shown if item.kind in DISPLAYS for arg in item.args]
        return [*held, *self._puts.get(name, ())]

    def is_shown(self, name: str, seen: Collection[str] = ()) -> bool:
        """Say whether a name is bound to nothing but tuples, lists and dicts of the program."""
        if name in seen:
            return True
        makers = self._makers.get(name, [])
        return bool(makers) and all(self._makes_display(item, {*seen, name}) for item in makers)

    def _makes_display(self, statement: Any, seen: Collection[str]) -> bool:
        if not isinstance(statement, gast.Assign):
            return False
        if self.lists_arrays(statement.value):
            return True
        kind = self._program.operation(statement).kind
        if kind == "copy":
            return self.is_shown(statement.value.id, seen)
        if isinstance(statement.value, gast.Subscript):
            return self._reads_display(statement.value, seen)
        return kind in DISPLAYS and isinstance(statement.targets[0], gast.Name)

    def _reads_display(self, read: Any, seen: Collection[str]) -> bool:
        """Say whether an expression reads one of the displays that another one holds."""
        if not isinstance(read.value, gast.Name) or isinstance(read.slice, gast.Slice):
            return False
        held = self.entries_of(read.value.id) if self.is_shown(read.value.id, seen) else []
        return bool(held) and all(
            self.is_shown(item.id, seen)
            if isinstance(item, gast.Name)
            else isinstance(item, (gast.List, gast.Tuple, gast.Dict))
            for item in held
        )

    def holds_views(self, name: str) -> bool:
        """Say whether a name is bound to nothing but the lists of views that `np.split` makes.

        A part that was unpacked is none of them.
        """
        primitive = self._program.reader.vocabulary.primitive
        makers = [
            self._program.operation(item)
            if isinstance(item, gast.Assign) and isinstance(item.targets[0], gast.Name)
            else None
            for item in self._makers.get(name, [])
        ]
        return bool(makers) and all(
            item is not None and item.primal is not None and primitive(item.primal).is_split
            for item in makers
        )

    def is_read_by_position(self, name: str) -> bool:
        """Say whether a list is read entry by entry only: a part of it is another list."""
        return all(
            is_position(node.slice, self._integers)
            for statement in statements(self._program.body)
            for node in walk(statement)
            if isinstance(node, gast.Subscript) and getattr(node.value, "id", "") == name
        )
