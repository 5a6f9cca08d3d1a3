"""Knows which variables and fields hold objects that the run keeps as dicts of their fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from srcgrad.frontend.expand.record_classes import Several, classes_of
from srcgrad.frontend.expand.values import Items, Known, Object
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


_MOST_TURNS: Final = 100
_MOST_BEGUN: Final = 10


@dataclass(slots=True)
class RecordKinds:
    """The objects of one compilation that are dicts of the run.

    Attributes:
        kept: The classes of such objects. At first there are none: objects are taken apart, with a
            variable for each field.
        leaking: The classes of objects that are passed on or kept, which cannot be taken apart.
        made: The classes of which the program makes objects.
        excluded: Those of them whose objects hold what no dict of the run may.
        names: The variables of each function.
        fields: The fields that hold objects, or lists or dicts of such.
        stored: The fields of each class that are bound.
        tagged: The classes whose objects tell them, since some lie beside those of others.
        turns: How often the expansion started anew for what was found.
        begun: How often more objects were kept as dicts.
        opened: The places of comprehensions that make objects, which are written as loops.
    """

    kept: set[type] = field(default_factory=set)
    leaking: set[type] = field(default_factory=set)
    made: set[type] = field(default_factory=set)
    excluded: set[type] = field(default_factory=set)
    names: dict[Any, dict[str, Kind]] = field(default_factory=dict)
    fields: dict[tuple[type, str], Kind] = field(default_factory=dict)
    stored: dict[type, set[str]] = field(default_factory=dict)
    tagged: set[type] = field(default_factory=set)
    opened: set[Any] = field(default_factory=set)
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
        self.begun += 1  # a class that the function defines is another one each time
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
        if self.turns > _MOST_TURNS:
            self.end()

    def end(self) -> None:
        """Take objects apart again."""
        self.kept.clear()
        self._forget()

    def _forget(self) -> None:
        self.names.clear()
        self.fields.clear()
        self.stored.clear()
        self.opened.clear()
        self.tagged.clear()

    def leak(self, *values: Any) -> None:
        """Note that objects, if some values are or hold such, cannot be taken apart."""
        for value in values:
            if isinstance(value, Object):
                self.leaking.add(value.cls)
            elif isinstance(value, Items):
                self.leak(*value.values)
            elif isinstance(value, Known) and isinstance(value.value, type):
                self.leaking.update({value.value} if is_plain_class(value.value) else ())

    def keeps(self, cls: type) -> bool:
        """Say whether objects of a class are dicts of the run."""
        return cls in self.kept and cls not in self.excluded

    def note(self, known: dict[Any, Kind], key: Any, kind: Kind, *, late: bool) -> bool:
        """Note the kind of what is held somewhere; False if it is known to be of another kind.

        Raises:
            KindFoundError: It is `late`: what was read there was taken for something else.
        """
        before = known.get(key)
        merged = kind if before is None else merged_kinds(before, kind)
        if merged is None:
            return False
        if merged != before:
            known[key] = merged
            if late or before is not None:
                raise KindFoundError
        self.tag(merged)
        return True

    def tag(self, kind: Kind) -> None:
        """Let objects of several classes tell theirs.

        Raises:
            KindFoundError: They did not so far.
        """
        inner = kind.entry if isinstance(kind, Holder) else kind
        if isinstance(inner, Holder):
            self.tag(inner)
        if isinstance(inner, Several) and not self.tagged.issuperset(inner.classes):
            self.tagged.update(inner.classes)
            raise KindFoundError


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
