"""Knows which variables and fields hold objects that the run keeps as dicts of their fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from srcgrad.frontend.expand.record_classes import Several, classes_of
from srcgrad.frontend.expand.values import Choice, Items, Known, Object
from srcgrad.runtime.objects import is_plain_class

Kind = Any
"""The class of an object, or `Several`; a `Holder` of such, or a tuple of kinds, in which None
stands for anything else."""

TAG = "class"
"""The key of what tells the class of an object that may be of several; no field is called so."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The kind of a list or dict whose entries are objects.

    Attributes:
        entry: The kind of its entries.
        form: Whether it is a ``"list"`` or a ``"dict"``; an empty text where that is not known.
    """

    entry: Kind
    form: str = ""


class KindFoundError(Exception):
    """What a variable or a field holds came to light after it was taken for something else."""


_MOST_TURNS: Final = 40
_MOST_BEGUN: Final = 10


@dataclass(slots=True)
class RecordKinds:
    """The objects of one compilation that are dicts of the run.

    Attributes:
        kept: The classes of such objects. At first there are none: objects are taken apart, with a
            variable for each field.
        leaking: The classes of objects that are passed on or kept, which cannot be taken apart.
        made: The classes of which the program makes objects.
        flattened: The named tuples that became plain tuples somewhere.
        excluded: Those of them whose objects hold what no dict of the run may.
        names: The variables of each function.
        forgotten: The variables of which it was forgotten once what they hold.
        fields: The fields that hold objects, or lists or dicts of such.
        results: What functions return that are given objects and call themselves.
        doubted: Those functions, in this turn, that return what is not known to be such, too.
        empty: Of the fields of each class, whether all that was stored so far is None.
        stored: The fields of each class that are bound.
        tagged: The classes whose objects tell them, since some lie beside those of others.
        absent: The classes for objects of which None may stand somewhere, in a variable or a list.
        relied: Those of which it was relied on that it does not.
        stale: Whether more is known by now than what the expansion began with.
        turns: How often the expansion started anew for what was found.
        begun: How often more objects were kept as dicts.
        opened: The places of comprehensions that make objects, which are written as loops.
    """

    kept: set[type] = field(default_factory=set)
    leaking: set[type] = field(default_factory=set)
    made: set[type] = field(default_factory=set)
    flattened: set[type] = field(default_factory=set)
    excluded: set[type] = field(default_factory=set)
    names: dict[Any, dict[str, Kind]] = field(default_factory=dict)
    forgotten: set[Any] = field(default_factory=set)
    fields: dict[tuple[type, str], Kind] = field(default_factory=dict)
    results: dict[Any, Kind] = field(default_factory=dict)
    doubted: set[Any] = field(default_factory=set)
    empty: dict[tuple[type, str], bool] = field(default_factory=dict)
    stored: dict[type, set[str]] = field(default_factory=dict)
    tagged: set[type] = field(default_factory=set)
    opened: set[Any] = field(default_factory=set)
    absent: set[type] = field(default_factory=set)
    relied: set[type] = field(default_factory=set)
    stale: bool = False
    turns: int = 0
    begun: int = 0

    @property
    def on(self) -> bool:
        """Whether there are any."""
        return bool(self.kept)

    def begin(self) -> bool:
        """Keep more objects as dicts from now on; False if there are no more.

        First those of classes that were met where they cannot be taken apart, then all.
        """
        self.begun += 1
        if self.turns > _MOST_TURNS or self.begun > _MOST_BEGUN:
            return False
        more = self.leaking - self.kept - self.excluded
        if not more and self.leaking:
            more = self.made - self.kept - self.excluded
        self.kept |= more
        self._forget()
        return bool(more)

    def turn(self) -> None:
        """Note that the expansion starts anew; keep no objects as dicts if that has no end."""
        self.turns += 1
        self.doubted.clear()
        self.relied.clear()
        self.stale = False
        if self.turns > _MOST_TURNS:
            self.end()

    def end(self) -> None:
        """Take objects apart again."""
        self.kept.clear()
        self._forget()

    def _forget(self) -> None:
        self.names.clear()
        self.forgotten.clear()
        self.fields.clear()
        self.results.clear()
        self.doubted.clear()
        self.empty.clear()
        self.stored.clear()
        self.opened.clear()
        self.stale = False
        self.tagged.clear()
        self.flattened.clear()
        self.absent.clear()
        self.relied.clear()

    def leak(self, *values: Any) -> None:
        """Note that objects, if some values are or hold such, cannot be taken apart."""
        for value in values:
            if isinstance(value, Object):
                self.leaking.add(value.cls)
            elif isinstance(value, Items):
                self.leak(*value.values)
            elif isinstance(value, Choice):
                self.leak(value.then, value.other)
            elif isinstance(value, Known) and isinstance(value.value, type):
                self.leaking.update({value.value} if is_plain_class(value.value) else ())

    def note_absent(self, kind: Kind) -> None:
        """Note that None may stand for an object, or for what is in a list or dict of such."""
        while isinstance(kind, Holder):
            kind = kind.entry
        self.absent.update(classes_of(kind))
        self.stale = self.stale or not self.relied.isdisjoint(classes_of(kind))

    def note_stored(self, cls: type, name: str, *, none: bool) -> None:
        """Note whether None is stored into a field."""
        before = self.empty.get((cls, name))
        self.empty[cls, name] = none and before is not False
        self.stale = self.stale or (before is True and not none)

    def are_there(self, classes: tuple[type, ...]) -> bool:
        """Say whether what may be of some classes surely is an object, and rely on it."""
        if not self.absent.isdisjoint(classes):
            return False
        self.relied.update(classes)
        return True

    def may_be_flattened(self, name: str) -> bool:
        """Say whether an attribute may be the field of a named tuple that is a plain one now."""
        return any(name in cls._fields for cls in self.flattened)  # type: ignore[attr-defined]

    def keeps(self, cls: type) -> bool:
        """Say whether objects of a class are dicts of the run."""
        return cls in self.kept and cls not in self.excluded

    def note(self, known: dict[Any, Kind], key: Any, kind: Kind, *, late: bool) -> bool:
        """Note the kind of what is held somewhere; False if it is known to be of another kind.

        If it is `late`, what was read there was taken for something else.
        """
        before = known.get(key)
        merged = kind if before is None else merged_kinds(before, kind)
        if merged is None:
            return False
        if merged != before:
            known[key] = merged
            self.stale = self.stale or late or before is not None
        self.tag(merged)
        return True

    def tag(self, kind: Kind) -> None:
        """Let objects of several classes tell theirs."""
        inner = kind.entry if isinstance(kind, Holder) else kind
        if isinstance(inner, Holder):
            self.tag(inner)
        if isinstance(inner, Several) and not self.tagged.issuperset(inner.classes):
            self.tagged.update(inner.classes)
            self.stale = True


def merged_kinds(first: Kind, second: Kind) -> Kind:
    """Return the kind that two kinds are; None if they are not alike.

    >>> merged_kinds(Holder(int), Holder(int, "list"))
    Holder(entry=<class 'int'>, form='list')
    >>> merged_kinds(Holder(int, "dict"), Holder(int, "list")) is None
    True
    >>> merged_kinds(int, Several((float, int)))
    Several(classes=(<class 'int'>, <class 'float'>))
    """
    if first == second:
        return first
    ours, theirs = classes_of(first), classes_of(second)
    if ours and theirs:
        every = tuple(dict.fromkeys((*ours, *theirs)))
        told_apart = len({cls.__name__ for cls in every}) == len(every)
        return Several(every) if told_apart else None
    if not isinstance(first, Holder) or not isinstance(second, Holder):
        return None
    entry = merged_kinds(first.entry, second.entry)
    if entry is None or (first.form and second.form and first.form != second.form):
        return None
    return Holder(entry, first.form or second.form)
