"""Makes objects of plain classes: by `__init__`, as dataclasses and as named tuples."""

from __future__ import annotations

import dataclasses
import inspect
from types import FunctionType, SimpleNamespace
from typing import Any, Final

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.expand.assumptions import InClasses
from srcgrad.frontend.expand.changing_fields import ChangingFieldError
from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import (
    Items,
    Known,
    Object,
    Recorded,
    Static,
    Value,
    is_literal,
)
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone
from srcgrad.ir.names import bare
from srcgrad.runtime.objects import is_named_tuple

_MOST_INSIDE: Final = 4  # objects that are made while such are made


class Constructing(Part):
    """The part of the expansion that makes objects."""

    def construct(
        self, cls: type, args: list[Value], keywords: dict[str, Value], node: Any
    ) -> Value | None:
        if issubclass(cls, BaseException) or type(cls).__call__ is not type.__call__:
            return None
        plain = cls.__new__ is object.__new__ or is_named_tuple(cls)
        if not plain and (cls is not SimpleNamespace or args):
            return None
        name = snake(cls.__name__)
        kept = self.session.records.keeps(cls)
        made = Object(cls, self.frame.wished or (bare(name) if kept else name) or "item")
        self.frame.wished = ""
        self.frame.depths[id(made)] = self.frame.depth
        self.session.kept.append(made)
        self.session.records.made.add(cls)
        if not self.frame.hoistable:
            self.session.records.leak(made)
        if is_named_tuple(cls):
            filled = self._construct_tuple(made, args, keywords, node)
            return filled and self._finished(made, node)
        init = inspect.getattr_static(cls, "__init__")
        self.session.assume(InClasses(cls.__mro__, "__init__"), init)
        if cls is SimpleNamespace:
            for name, value in keywords.items():
                self.set_field(made, name, value, node)
        elif _is_made_by_dataclass(cls, init):
            self._construct_dataclass(made, args, keywords, node)
        elif isinstance(init, FunctionType):
            if not self.frame.hoistable:
                self.frame.open_next_time()
                self.frame.refuse(node, "making an object here", "make it in a statement before")
            self.session.functions[init] = None
            code = self.session.code(init)
            if sum(item is code.tree for item in self.frame.inlined) >= _MOST_INSIDE:
                what = f"a `{cls.__name__}` that makes ever more of its kind"
                self.frame.refuse(node, what, "make them in a loop")
            bound = self.frame.calls.bound_to(init, [made, *args], keywords, node)
            self._keep_rest(code.tree.args.vararg, bound, node)
            self.frame.placing.inline(code, bound, {}, node)
        elif args or keywords:
            return None
        return self._finished(made, node)

    def _keep_rest(self, rest: Any, bound: dict[str, Value], node: Any) -> None:
        """Keep what ``*rest`` takes in a variable, where only the run tells how much that is."""
        held = None if rest is None else bound[rest.id]
        values = held.values if isinstance(held, Items) else []
        if any(isinstance(item, gast.Starred) for item in values):
            whole = gast.Tuple(values, gast.Load())
            bound[rest.id] = self.frame.keep(rest.id, at(whole, node), node)

    def _finished(self, made: Object, node: Any) -> Value:
        self.frame.changed = True
        kept = self.session.records.keeps(made.cls)
        return self.frame.records.made(made, node) if kept else made

    def _construct_tuple(
        self, made: Object, args: list[Value], keywords: dict[str, Value], node: Any
    ) -> Object | None:
        names = made.cls._fields  # type: ignore[attr-defined]
        defaults = made.cls._field_defaults  # type: ignore[attr-defined]
        given = {**dict(zip(names, args, strict=False)), **keywords}
        if len(args) > len(names) or not set(given) <= set(names):
            return None
        for name in names:
            if name not in given and name not in defaults:
                return None
            value = given[name] if name in given else self.frame.constant(defaults[name], name)
            self.set_field(made, name, value, node)
        return made

    def _construct_dataclass(
        self, made: Object, args: list[Value], keywords: dict[str, Value], node: Any
    ) -> None:
        cls = made.cls
        fields = [item for item in dataclasses.fields(cls) if item.init]
        positional = [item.name for item in fields if not item.kw_only]
        given = {**dict(zip(positional, args, strict=False)), **keywords}
        every: dict[str, Any] = getattr(cls, "__dataclass_fields__")  # noqa: B009 - of a base, too
        inits = [v for v in every.values() if _is_init_only(v)]
        if inits or len(args) > len(positional) or not set(given) <= {f.name for f in fields}:
            self.frame.refuse(
                node, f"this way of making a `{cls.__name__}`", "give its fields by name"
            )
        for item in dataclasses.fields(cls):
            if item.name in given:
                value = given[item.name]
            elif item.default is not dataclasses.MISSING:
                value = self.frame.lookup.outside(
                    item.default, self.frame.constant(item.default, item.name), None
                )
            elif item.default_factory is not dataclasses.MISSING:
                value = self._made_by(item.default_factory, node)
            elif not item.init:
                continue
            else:
                self.frame.refuse(
                    node, f"a `{cls.__name__}` without `{item.name}`", "give the field"
                )
            self.set_field(made, item.name, value, node)
        if hasattr(cls, "__post_init__"):
            post = inspect.getattr_static(cls, "__post_init__")
            self.session.functions[post] = None
            self.frame.placing.inline(
                self.session.code(post), self.frame.calls.bound_to(post, [made], {}, node), {}, node
            )

    def _made_by(self, factory: Any, node: Any) -> Value:
        if factory is list:
            return gast.List([], gast.Load())
        return (
            gast.Dict([], []) if factory is dict else self.frame.call(Known(factory), [], {}, node)
        )

    def set_field(self, made: Object, name: str, value: Value, node: Any) -> None:
        if isinstance(value, Recorded):
            self.frame.objects.bind_recorded(made, name, value, node)
            return
        value = self.as_bound(made, name, value)
        if isinstance(value, Static) or self.is_told(made, name, value):
            made.fields[name] = value
            return
        if isinstance(value, gast.Constant):
            made.fields[name] = self.frame.objects.field_of(made, name)
            self.frame.bind(made.fields[name].id, value, node)
            return
        made.fields[name] = self.frame.keep(f"{made.name}_{name}", value, node)
        self.frame.of_fields.add(made.fields[name].id)

    def as_bound(self, owner: Object, name: str, value: Value) -> Value:
        """Return what a field is bound to: the display of a known list into which is written."""
        if isinstance(value, Items) and (owner.cls, name) in self.session.changing:
            return value.as_written() or value
        grows = (owner.cls, name) in self.session.growing  # functions are put into it later on
        if grows and isinstance(value, gast.List) and not value.elts:
            return Items("list", [])
        if grows and isinstance(value, gast.Dict) and not value.keys:
            return Items("dict", [], [])
        return value

    def keep_as_list(self, owner: Any, known: Value) -> None:
        """Let a field that holds a list of values be a variable, since that is written.

        Raises:
            ChangingFieldError: It was none before.
        """
        if isinstance(owner, gast.Attribute) and isinstance(known, Items) and known.as_written():
            holder = self.frame.value(clone(owner.value))
            if isinstance(holder, Object) and owner.attr in holder.fields:
                raise ChangingFieldError(holder.cls, owner.attr)

    def made_by(
        self, function: Any, args: list[Value], keywords: dict[str, Value], node: Any
    ) -> Value | None:
        """Return the object that a function makes of constants, by its fields.

        None if it makes none, or if the run has to make it.
        """
        code, before, env = self.session.code(function), len(self.frame.out), dict(self.frame.env)
        try:
            bound = self.frame.calls.bound_to(function, args, keywords, node)
            made = self.frame.placing.call_in_place(code, code.source.name, bound, {}, node)
        except (NeedsInlineError, UnsupportedSyntaxError):
            made = None
        if isinstance(made, (Object, Recorded)):
            return made
        del self.frame.out[before:]
        self.frame.env = env
        return None

    def is_told(self, owner: Object, name: str, value: Value) -> bool:
        """Say whether a field is known to be what it is bound to: None, a bool or a text.

        It needs no variable as long as no path or trip binds it, which comes to light on the way.
        """
        return is_literal(value) and (owner.cls, name) not in self.session.changing


def _is_init_only(item: Any) -> bool:
    return "_FIELD_INITVAR" in repr(getattr(item, "_field_type", ""))


def _is_made_by_dataclass(cls: type, init: Any) -> bool:
    options = getattr(cls, "__dataclass_params__", None)
    code = getattr(init, "__code__", None)
    generated = code is not None and code.co_filename.startswith("<")
    return options is not None and options.init and generated


def snake(name: str) -> str:
    """Return the name of a class as that of a variable.

    >>> snake("HeatPump")
    'heat_pump'
    """
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))
