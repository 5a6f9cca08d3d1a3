"""Finds what expressions hold by one walk, for all that is asked of them."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.walk import READING

_NAME, _LOAD, _BINARY, _CALL = gast.Name, gast.Load, gast.BinOp, gast.Call
_NOTED: Final = frozenset({gast.Subscript, gast.Attribute, gast.NamedExpr, gast.Yield, gast.Await})


class Look:
    """What some expressions hold, as it was when they were looked at.

    Attributes:
        reads: The names that they read, in order, with repetitions.
        noted: The nodes in them that may do something, or that read a part of something.
    """

    __slots__ = ("noted", "reads")

    def __init__(self, nodes: list[Any]) -> None:
        """Look at expressions.

        >>> look = Look([gast.parse("a.T + f(b)[a]").body[0].value])
        >>> look.reads, [type(item).__name__ for item in look.noted]
        (['a', 'f', 'b', 'a'], ['Attribute', 'Subscript', 'Call'])
        """
        self.reads: list[str] = []
        self.noted: list[Any] = []
        found, reading, stack = self.reads.append, READING, nodes[::-1]
        take, put = stack.pop, stack.append
        while stack:
            item = take()
            kind = item.__class__
            if kind is _NAME:
                if item.ctx.__class__ is _LOAD:
                    found(item.id)
            elif kind is _BINARY:
                stack += item.right, item.left
            elif kind is _CALL:
                self.noted.append(item)
                if item.keywords:
                    stack += item.keywords[::-1]
                stack += item.args[::-1]
                put(item.func)
            elif kind is list:
                stack += item[::-1]
            else:
                if kind in _NOTED:
                    self.noted.append(item)
                fields = reading[kind]
                if fields:
                    for name in fields:
                        part = getattr(item, name, None)
                        if part:  # many lists are empty
                            put(part)
