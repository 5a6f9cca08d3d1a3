"""Holds what the parts of the flattening share: what is known of names, and the statements made."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from srcgrad.errors import InternalError
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir import gast
from srcgrad.ir.build import assign, load
from srcgrad.ir.displays import lists_have
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader
from srcgrad.ir.scopes import Scope


class Varies(Protocol):
    """The names that may carry a derivative, and the test of expressions against them."""

    names: set[str]

    def spread(self, body: list[Any]) -> None:
        """Follow the assignments of statements."""

    def of(self, node: Any) -> bool:
        """Say whether an expression may carry a derivative."""


class Workspace:
    """The state of the flattening of one function.

    Attributes:
        lists, dicts: The names that are bound to lists and dicts, as far as their use shows.
        arrays: The names that are bound to what functions of NumPy return.
        counted: Those that are bound to nothing else, and to what arithmetic gives.
        numbered: Those of the lists that hold numbers, as arithmetic gives them.
        parted: The names of lists of parts of one array.
        held: The names of lists and dicts of the caller that hold nothing but arrays, if what is
            updated in them is taken for one; their entries stay the same.
        sure: Those of the lists that are bound to nothing else.
        changing: The names of lists and dicts that grow or shrink.
        resized: The names of what may get another length, such as sets, by any method or store.
        parts_grow: Whether lists that lie in others may grow by any name.
        sets: The names of sets that are asked for what is in them, and for nothing else.
        asked: The names whose type the function asks for, so that use shows nothing.
        taken: The names of variables, which those of comprehensions must not be.
        carried: The variables made here that live across the trips of loops.
        run: Puts statements of the user's language into normal form.
    """

    def __init__(self, varies: Varies, reader: Reader, namer: Namer, refusals: Refusals) -> None:
        self.varies = varies
        self.reader = reader
        self.namer = namer
        self.refusals = refusals
        self.lists: set[str] = set()
        self.arrays: set[str] = set()
        self.counted: set[str] = set()
        self.numbered: set[str] = set()
        self.parted: set[str] = set()
        self.held: set[str] = set()
        self.sure: set[str] = set()
        self.dicts: set[str] = set()
        self.unordered: set[str] = set()
        self.used_up: set[str] = set()
        self.changing: set[str] = set()
        self.resized: set[str] = set()
        self.parts_grow = False
        self.sets: set[str] = set()
        self.asked: set[str] = set()
        self.taken: set[str] = set()
        self.carried: set[str] = set()
        self._known = (0, 0, 0)
        self._asked: dict[int, tuple[Any, bool]] = {}  # the nodes are kept: they are told by `id`
        self.run: Callable[[list[Any]], None] = _unset
        self._out: list[Any] = []

    def emit(self, statement: Any) -> None:
        """Add a finished statement to the block that is being made."""
        self._out.append(statement)

    def begin(self) -> list[Any]:
        """Start a block of its own; return the one that it is part of."""
        outer, self._out = self._out, []
        return outer

    def end(self, outer: list[Any]) -> list[Any]:
        """Return the finished block and go on with the one around it."""
        done, self._out = self._out, outer
        return done

    @property
    def count(self) -> int:
        """How many statements the block has so far."""
        return len(self._out)

    @property
    def last(self) -> Any:
        """The statement that was added last."""
        return self._out[-1]

    def keep(self, wish: str, value: Any, node: Any) -> Any:
        """Bind a simple value that varies to a new name, and return that."""
        name = self.namer.fresh(wish)
        self.varies.names.add(name)
        self.emit(assign(name, value, node))
        return load(name)

    def note_list(self, name: str, value: Any) -> None:
        """Remember that a new name is bound to a list, if its value is one."""
        if self.is_list(value):
            self.lists.add(name)
        reads = self.parts_grow and isinstance(value, gast.Subscript)
        if reads and not self.is_array(value.value):
            self.resized.add(name)
        if self.is_surely_list(value):
            self.sure.add(name)

    def is_surely_list(self, node: Any) -> bool:
        """Say whether an expression is a list or a tuple, whatever the arguments are."""
        if isinstance(node, gast.Name):
            return node.id in self.sure
        if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Add):
            return self.is_surely_list(node.right) and self.is_surely_list(node.left)
        if isinstance(node, gast.BinOp):
            sides = (node.left, node.right)
            counted = any(isinstance(side, gast.Constant) for side in sides)
            return self.is_list(node) and counted and any(map(self.is_surely_list, sides))
        if isinstance(node, gast.Subscript):
            return isinstance(node.slice, gast.Slice) and self.is_surely_list(node.value)
        return self.is_list(node)

    def is_list(self, node: Any) -> bool:
        """Say whether an expression may be a list or a tuple, and is meant as one."""
        if isinstance(node, gast.Name):
            return node.id in self.lists
        if isinstance(node, gast.BinOp):
            return isinstance(node.op, (gast.Add, gast.Mult)) and self._joins(node)
        if isinstance(node, gast.Subscript):
            return isinstance(node.slice, gast.Slice) and self.is_list(node.value)
        if lists_have(node, self.reader.scope):
            return node.func.attr == "copy" and self.is_list(node.func.value)
        if copies(node, self.reader.scope):
            return self.is_list(node.args[0])
        if isinstance(node, gast.Call):
            callee = self.reader.scope.resolve(node.func)
            if isinstance(callee, FunctionType):
                return self.reader.vocabulary.returns_list(callee)
            return not node.keywords and callee in (list, tuple, sorted)
        return isinstance(node, (gast.List, gast.ListComp, gast.Tuple))

    def _joins(self, node: Any) -> bool:
        """Say whether a sum or product is one of lists; of a long sum each part is asked for."""
        known = len(self.lists), len(self.sure), len(self.arrays)
        if known != self._known:
            self._known, self._asked = known, {}
        found = self._asked.get(id(node))
        if found is None:
            sides = (node.left, node.right)
            lists = any(map(self.is_list, sides)) and not any(map(self.is_array, sides))
            found = self._asked[id(node)] = node, lists
        return found[1]

    def is_array(self, value: Any) -> bool:
        """Say whether a value is surely an array where it meets a list."""
        if isinstance(value, gast.Name):
            return value.id in self.arrays
        if isinstance(value, gast.BinOp):
            return self.is_array(value.left) or self.is_array(value.right)
        if isinstance(value, gast.UnaryOp):
            return self.is_array(value.operand)
        if isinstance(value, gast.Subscript):
            return isinstance(value.slice, gast.Slice) and self.is_array(value.value)
        if lists_have(value, self.reader.scope):
            return self.is_array(value.func.value)
        if copies(value, self.reader.scope):
            return self.is_array(value.args[0])
        primal = self.reader.read(value).primal if isinstance(value, gast.Call) else None
        if self.reader.vocabulary.primitive(primal).gives == "array":
            return True
        return isinstance(primal, np.ufunc) and primal.nin == 1 and "l->l" not in primal.types


def _unset(made: list[Any]) -> None:
    raise InternalError(f"nothing takes {len(made)} statements yet")


def copies(value: Any, scope: Scope) -> bool:
    """Say whether an expression is ``copy.copy(p)``."""
    alone = isinstance(value, gast.Call) and len(value.args) == 1 and not value.keywords
    return alone and scope.resolve(value.func) is copy.copy
