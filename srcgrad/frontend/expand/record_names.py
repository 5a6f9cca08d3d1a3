"""Knows which variables of the text hold objects that the run keeps as dicts, or lists of such."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.record_calls import kinds_in, place_of
from srcgrad.frontend.expand.record_kinds import Holder, Kind, KindFoundError
from srcgrad.frontend.expand.values import Method, Recorded, Value
from srcgrad.ir import gast
from srcgrad.ir.build import clone, load

if TYPE_CHECKING:
    from srcgrad.frontend.expand.interpreter import Interpreter


class RecordNames(Part):
    """The part of the expansion that deals with variables for objects that are dicts of the run."""

    def __init__(self, frame: Interpreter) -> None:
        super().__init__(frame)
        self._given = kinds_in(frame.env)
        self._looked_up: dict[str, Kind] = {}
        self._bound_objects: set[str] = set()
        self._awaited: set[str] = set()
        self._bound_plainly: dict[str, list[Any]] = {}
        self._plain_here: dict[str, list[Any]] = {}  # and in which block that was

    @property
    def key(self) -> Any:
        """What tells a function, with what objects it is given, from others."""
        return place_of(self.frame.code), self._given

    @property
    def _names(self) -> dict[str, Kind]:
        return self.session.records.names.setdefault(self.key, {})

    def looked(self, expression: Any) -> Value:
        """Return what a variable of the text holds, if that is known to be objects."""
        if not self.session.records.on or not isinstance(expression, gast.Name):
            return expression
        kind = self._names.get(expression.id)
        if kind is None:
            return expression
        self._looked_up[expression.id] = kind
        return Recorded(kind, expression)

    def refuse_mistaken(self, node: Any) -> None:
        """Refuse variables that were taken for objects, and were bound to something else.

        What a variable holds is known from an expansion before, in which names may have been
        others: it is forgotten once.

        Raises:
            KindFoundError: It was forgotten.
        """
        for name, kind in self._looked_up.items():
            values = self._bound_plainly.get(name, [])
            objects = isinstance(kind, Holder) or name in self._bound_objects
            if not objects or not all(_may_stand_for(kind, value) for value in values):
                self._forget(name)
                self.refuse_several(name, node)
            if not all(map(is_empty, values)):
                self.session.records.note_absent(kind)

    def _forget(self, name: str) -> None:
        place = self.key, name
        if place not in self.session.records.forgotten:
            self.session.records.forgotten.add(place)
            self._names.pop(name, None)
            raise KindFoundError

    def note_name(self, name: str, kind: Kind, node: Any) -> None:
        """Note what a variable holds."""
        late = name in self._bound_plainly
        self._bound_objects.add(name)
        if not self.session.records.note(self._names, name, kind, late=late):
            self.refuse_several(name, node)

    def refuse_several(self, what: str, node: Any) -> None:
        self.frame.refuse(
            node, f"`{what}`, which holds objects of one class or another", "use two names"
        )

    def bind(self, name: str, value: Recorded, node: Any) -> None:
        """Let a variable of the text hold an object, or a list or dict of such.

        One that holds something else so far means another variable from here on.
        """
        if self._plain_here.get(name) is self.frame.out and name not in self._names:
            self.frame.env[name] = self.keep(value, name, node)
            return
        self.frame.env.pop(name, None)
        self.frame.imports.pop(name, None)
        self.frame.own.add(name)
        self.note_name(name, value.kind, node)
        self.frame.bind(name, clone(value.expression), node)

    def keep(self, value: Recorded, wish: str, node: Any) -> Recorded:
        """Bind an object to a new variable, which means it whatever is bound after that."""
        name = self.frame.variable(wish)
        self.frame.temporaries.add(name)
        self.bind(name, value, node)
        return Recorded(value.kind, load(name))

    def settled(self, value: Value, node: Any) -> Value:
        """Return a static value that means the same object, whatever is bound after that."""
        if isinstance(value, Method) and isinstance(value.owner, Recorded):
            return Method(value.function, self.lasting(value.owner, "owner", node))
        return self.lasting(value, "part", node) if isinstance(value, Recorded) else value

    def lasting(self, value: Recorded, wish: str, node: Any) -> Recorded:
        """Return an object by a name that is not bound anew, unless it is read at once."""
        text = value.expression
        fixed = isinstance(text, gast.Name) and text.id in self.frame.bound_once
        if fixed or self.frame.at_once or not self.frame.hoistable:
            return value
        if not isinstance(text, gast.Name) and self.frame.disturbs(node):
            self.frame.refuse_order(node)
        return self.keep(value, wish, node)

    def note_plain(self, name: str, value: Any, node: Any) -> None:
        """Note that a variable is bound to what is not known to be an object, or to hold some."""
        if not self.session.records.on:
            return
        if name in self._awaited:
            self._awaited.discard(name)  # a loop binds it, to an object
            return
        self._bound_plainly.setdefault(name, []).append(value)
        if form_of(value) or is_none(value):
            self._plain_here.pop(name, None)
        else:
            self._plain_here[name] = self.frame.out
        known = self._names.get(name)
        if isinstance(known, Holder) and not known.form and form_of(value):
            self.note_name(name, Holder(known.entry, form_of(value)), node)

    def bind_targets(self, target: Any, kind: Kind, node: Any) -> None:
        """Note what the targets of a loop, or of what is unpacked, hold."""
        if kind is None:
            return
        if isinstance(target, gast.Name):
            self.note_name(target.id, kind, node)
            self._awaited.add(target.id)
        elif isinstance(kind, tuple) and len(kind) == len(getattr(target, "elts", ())):
            for part, inner in zip(target.elts, kind, strict=True):
                self.bind_targets(part, inner, node)
        else:
            self.frame.refuse(node, "unpacking what may be an object", "unpack in the loop's body")

    def note_place(self, place: Any, kind: Holder, node: Any) -> None:
        """Note what a list or dict of the text holds, into which an object is put."""
        records = self.session.records
        if isinstance(place, gast.Name):
            self.note_name(place.id, kind, node)
            raise KindFoundError
        if not isinstance(place, gast.Subscript):
            return
        cls = self._kind_of_text(place.value)
        if not isinstance(cls, type):
            self.note_place(place.value, Holder(kind), node)
            return
        field = cls, getattr(place.slice, "value", "")
        if not records.note(records.fields, field, kind, late=True):
            self.refuse_several(f"{cls.__name__}.{field[1]}", node)

    def _kind_of_text(self, text: Any) -> Kind:
        """Return what a variable of the text, a field or an entry holds."""
        if isinstance(text, gast.Name):
            return self._names.get(text.id)
        kind = self._kind_of_text(text.value) if isinstance(text, gast.Subscript) else None
        if isinstance(kind, Holder):
            return kind.entry
        key = getattr(getattr(text, "slice", None), "value", "")
        return self.session.records.fields.get((kind, key)) if isinstance(kind, type) else None


def _may_stand_for(kind: Kind, value: Any) -> bool:
    """Say whether a value may be an object, or a list or dict of such, by what it is."""
    if isinstance(kind, Holder):
        return bool(form_of(value))
    return is_none(value)


def is_none(value: Any) -> bool:
    """Say whether an expression is None."""
    return isinstance(value, gast.Constant) and value.value is None


def is_empty(value: Any) -> bool:
    """Say whether an expression makes a list or dict with nothing in it."""
    if isinstance(value, gast.Call):
        return getattr(value.func, "id", "") in ("list", "dict") and not value.args
    shown = [getattr(value, "elts", None), getattr(value, "keys", None)]
    return [] in shown


def form_of(value: Any) -> str:
    """Return whether an expression makes a list or a dict; an empty text of others."""
    if isinstance(value, (gast.Dict, gast.DictComp)):
        return "dict"
    if isinstance(value, (gast.List, gast.ListComp)):
        return "list"
    if isinstance(value, gast.BinOp):
        return form_of(value.left) or form_of(value.right)
    name = getattr(getattr(value, "func", None), "id", "")
    return name if name in ("list", "dict") else ""
