"""Knows members of enumerations: which one it is, and what it stands for, is known before a run."""

from __future__ import annotations

import inspect
from enum import Enum
from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import Known, Method, Value, is_literal
from srcgrad.ir import gast
from srcgrad.runtime.objects import is_member, is_plain_class

_NAMES: Final = ("__name__", "__qualname__")


class Members(Part):
    """The part of the expansion that deals with members of enumerations.

    A class does not let its members be bound anew, so none of this is looked at again.
    """

    def of(self, owner: Known, name: str, node: Any) -> Value | None:
        """Return the member that a class has under a name, or what a member has; else None.

        What a class is called is known, too.
        """
        kind = owner.value
        if name in _NAMES and isinstance(kind, type) and is_plain_class(kind):
            return gast.Constant(getattr(kind, name), None)
        if not is_enumeration(owner.value) and not is_member(owner.value):
            return None
        expression = gast.Attribute(self.frame.plain(owner, node), name, gast.Load())
        if is_member(owner.value):
            return self._of_member(owner.value, name, expression, node)
        return self._of_class(owner.value, name, expression)

    def _of_member(self, member: Enum, name: str, expression: Any, node: Any) -> Value:
        """Return what a member stands for, its name, what a property gives, or a method."""
        if name in ("name", "value") and not name_is_own(type(member), name):
            return self.frame.calls.stored(getattr(member, name), expression)
        found = inspect.getattr_static(type(member), name, None)
        owner = Known(member)
        if isinstance(found, property):
            return self.frame.call(Known(found.fget), [owner], {}, node)
        if isinstance(found, FunctionType):
            return Method(Known(found), owner)
        if isinstance(found, classmethod):
            return Method(Known(found.__func__), Known(type(member)))
        return expression

    def _of_class(self, kind: Any, name: str, expression: Any) -> Value | None:
        """Return the member of a class that has a name; None if it has none."""
        found = kind.__members__.get(name) if is_enumeration(kind) else None
        return Known(found, expression) if is_member(found) else None

    def by_key(self, owner: Value, key: Any) -> Value | None:
        """Return the member that ``Kind["FIRST"]`` is."""
        kind = owner.value if isinstance(owner, Known) else None
        if not is_enumeration(kind) or not is_literal(key) or type(key.value) is not str:
            return None
        return self._of_class(kind, key.value, None)

    def called(self, member: Any) -> Method | None:
        """Return the method that a call of a member is of, if its class has one."""
        call = inspect.getattr_static(type(member), "__call__", None)
        if not is_member(member) or not isinstance(call, FunctionType):
            return None
        return Method(Known(call), Known(member))

    def by_value(self, kind: Any, args: list[Value], keywords: Any) -> Value | None:
        """Return the member that ``Kind("first")`` is, by what it stands for."""
        if not is_enumeration(kind) or keywords or len(args) != 1:
            return None
        (given,) = args
        if isinstance(given, Known) and type(given.value) is kind and is_member(given.value):
            return given
        if not isinstance(given, gast.Constant):
            return None
        found: Any = kind._value2member_map_.get(given.value)
        same = is_member(found) and type(found.value) is type(given.value)
        return Known(found) if same else None


def is_enumeration(kind: Any) -> bool:
    """Say whether a class is an enumeration.

    >>> is_enumeration(Enum("Way", "UP DOWN")), is_enumeration(int), is_enumeration(3)
    (True, False, False)
    """
    return isinstance(kind, type) and issubclass(kind, Enum)


def name_is_own(kind: type, name: str) -> bool:
    """Say whether an enumeration has something of its own under a name, such as ``value``."""
    return next(base for base in kind.__mro__ if name in vars(base)) is not Enum
