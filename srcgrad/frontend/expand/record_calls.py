"""Calls functions of objects that the run keeps as dicts, and that call themselves."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.expand.order import place
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.record_classes import classes_of
from srcgrad.frontend.expand.scoping import free_names
from srcgrad.frontend.expand.values import Code, Recorded, Value
from srcgrad.ir import gast
from srcgrad.ir.walk import found_in


class RecordCalls(Part):
    """The part of the expansion that deals with functions that are given, or return, objects."""

    def go_in_place(self, tree: Any, given: list[Value]) -> bool:
        """Say whether a call stands in the place of its function for the objects it is given.

        What calls itself, as what goes down a tree does, is a function of its own.
        """
        return self.frame.records.are_among(given) and not _calls_itself(tree)

    def calls_itself(self, tree: Any, given: list[Value]) -> bool:
        """Say whether a function calls itself by its name, or as a method of other objects."""
        among = self.frame.records.are_among(given) and _calls_itself(tree)
        return among or tree.name in free_names(tree)

    @property
    def returns_objects(self) -> bool:
        """Whether the function may return objects, which others are put in place for."""
        return not self.frame.begins and _calls_itself(self.frame.code.tree)

    def returned(self, value: Recorded, node: Any) -> Any:
        """Return the text of an object that a function of its own returns; note of what kind.

        Raises:
            KindFoundError: Calls of it have been taken to return something else.
        """
        records, key = self.session.records, self.frame.record_names.key
        if not records.note(records.results, key, value.kind, late=True):
            self.frame.record_names.refuse_several("return", node)
        return self.frame.records.text(value, node)

    def note_plain(self, value: Any, node: Any) -> None:
        """Note that a function of its own returns what is no object that it knows."""
        kind = self.session.records.results.get(self.frame.record_names.key)
        if kind is None:
            return
        none = isinstance(value, gast.Constant) and value.value is None
        if not none or not classes_of(kind):
            self.session.records.doubted.add(self.frame.record_names.key)
        self.session.records.note_absent(kind)

    def refuse_doubted(self, node: Any) -> None:
        """Refuse functions that return an object on one path, and something else on another.

        That is known in the end: what they are given may have come to light since then.
        """
        if self.session.records.doubted:
            self.frame.record_names.refuse_several("return", node)

    def result(self, code: Code, env: dict[str, Value], call: Any) -> Value:
        """Return what a function of its own gives: an object, if it is known to return such."""
        kind = self.session.records.results.get((place_of(code), kinds_in(env)))
        return call if kind is None else Recorded(kind, call)


def place_of(code: Code) -> Any:
    """Return where a definition stands, which is the same in each turn."""
    return code.source.file, code.tree.name, place(code.tree)


def kinds_in(env: dict[str, Value]) -> tuple[tuple[str, Any], ...]:
    """Return what kinds of objects the names of a function begin with."""
    objects = ((n, v.kind) for n, v in sorted(env.items()) if isinstance(v, Recorded))
    return tuple(objects)


def _calls_itself(tree: Any) -> bool:
    """Say whether a function calls itself, or a method of its name."""
    for call in found_in(tree, gast.Call):
        owner = getattr(getattr(call.func, "value", None), "func", None)
        named = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if named == tree.name and getattr(owner, "id", "") != "super":
            return True
    return False
