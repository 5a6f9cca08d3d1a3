"""Rewrites what is done with lists and dicts of objects that the run keeps as dicts."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.frontend.expand.part import Part, callee
from srcgrad.frontend.expand.record_classes import classes_of
from srcgrad.frontend.expand.record_kinds import Holder, Kind
from srcgrad.frontend.expand.values import Known, Local, Method, Recorded, RecordMethod, Value
from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone, load

Bound = dict[str, Value]

_PUTS: Final = ("append", "insert", "appendleft", "extend")
_TAKES: Final = ("pop", "popleft", "get")
_PLAIN: Final = ("keys", "clear", "reverse")
_SIZES: Final = (len, bool)
_ENDS: Final = (max, min)
_COPIES: Final = (list, tuple, reversed)


class RecordHolders(Part):
    """The part of the expansion that deals with lists and dicts of objects."""

    def note_put(self, node: Any, args: list[Value]) -> None:
        """Note what a list holds into which ``rows.append(v)`` puts an object."""
        func = node.func
        if not self.session.records.on or not isinstance(func, gast.Attribute):
            return
        if func.attr in _PUTS and args:
            args[-1] = self.frame.records.whole(args[-1], node)
        if func.attr in _PUTS and args and isinstance(args[-1], Recorded):
            kind = args[-1].kind
            entry = kind.entry if func.attr == "extend" and isinstance(kind, Holder) else kind
            self.frame.record_names.note_place(func.value, Holder(entry, "list"), node)

    @callee(RecordMethod)
    def _call_method(
        self, callee: RecordMethod, args: list[Value], keywords: Bound, node: Any
    ) -> Value:
        owner, name = callee.owner, callee.name
        func = gast.Attribute(clone(owner.expression), name, gast.Load())
        if name == "sort" and not args:
            made = self._ordered(list, owner, keywords, node)
            if made is not None:
                return at(gast.Call(func, [], made.expression.keywords), node)
        if keywords:
            self.frame.records.refuse_leak(owner, node)
        if name in _PUTS and args:
            args = [*args[:-1], self.frame.records.whole(args[-1], node)]
            whole = owner.kind if name == "extend" else owner.kind.entry
            self._widen(owner, whole, args[-1], node)
            self.frame.records.must_be(whole, args[-1], node)
            before = [self.frame.plain(value, node) for value in args[:-1]]
            given = [*before, self.frame.records.text(args[-1], node)]
            return at(gast.Call(func, given, []), node)
        made_text = at(gast.Call(func, [self.frame.plain(v, node) for v in args], []), node)
        return made_text if name in _PLAIN else self._given(callee, args, made_text, node)

    def _widen(self, owner: Recorded, whole: Kind, value: Value, node: Any) -> None:
        """Note that a list holds objects of another class, too, if one of such is put in."""
        given = classes_of(self.frame.records.kind_of(value))
        if given and classes_of(whole) and not {*given} <= {*classes_of(whole)}:
            kind = Holder(self.frame.records.kind_of(value), owner.kind.form)
            self.frame.record_names.note_place(owner.expression, kind, node)

    def _given(self, callee: RecordMethod, args: list[Value], made: Any, node: Any) -> Value:
        """Return what a method gives that reads or takes out objects."""
        kind, name = callee.owner.kind, callee.name
        if name == "get":
            self.session.records.note_absent(kind)
        if name in _TAKES and len(args) < 2:
            return Recorded(kind.entry, made)
        if name == "copy" and not args:
            return Recorded(kind, made)
        if name == "values" and not args:
            return Recorded(Holder(kind.entry, "list"), made)
        return self.frame.records.refuse_leak(callee.owner, node)

    # -- functions of Python

    def called(self, callee: Known, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return what a function of Python gives for objects, or for lists of such."""
        first, function = args[0] if args else None, callee.value
        if not isinstance(first, Recorded):
            return None
        if function is isinstance and len(args) == 2:
            return self._is_instance(first, args[1], node)
        kind = first.kind
        if not isinstance(kind, Holder):
            return None
        text = clone(first.expression)
        if function in _SIZES:
            return at(call(function.__name__, text), node)
        if len(args) != 1 or kind.form != "list":
            return None
        if function in _COPIES:
            return Recorded(kind, at(call(function.__name__, text), node))
        return self._ordered(function, first, keywords, node) if function in _ORDERS else None

    def _is_instance(self, value: Recorded, asked: Value, node: Any) -> Value | None:
        cls = asked.value if isinstance(asked, Known) else None
        if not isinstance(cls, type) or not classes_of(value.kind):
            return None
        return self.frame.records.is_of_one(value, cls, node)

    def _ordered(
        self, function: Any, rows: Recorded, keywords: Bound, node: Any
    ) -> Recorded | None:
        """Return ``max(rows, key=lambda row: row.x)``, or so."""
        key = keywords.get("key")
        if not isinstance(key, (Local, Known, Method)) or not keywords.keys() <= {"key", "reverse"}:
            return None
        made = at(call(function.__name__, clone(rows.expression)), node)
        for name, value in keywords.items():
            asks = value is key
            text = self._key(key, rows.kind.entry, node) if asks else self.frame.plain(value, node)
            made.keywords.append(gast.keyword(name, text))
        return Recorded(rows.kind.entry if function in _ENDS else rows.kind, made)

    def _key(self, function: Value, kind: Kind, node: Any) -> Any:
        """Return the function of a key as a lambda that reads the fields of a dict."""
        name = self.frame.fresh("item")
        with self.frame.conditional():
            value = self.frame.call(function, [Recorded(kind, load(name))], {}, node)
        args = gast.arguments([gast.Name(name, gast.Param())], [], None, [], [], None, [])
        return at(gast.Lambda(args, self.frame.plain(value, node)), node)


_ORDERS: Final = (*_ENDS, sorted)
