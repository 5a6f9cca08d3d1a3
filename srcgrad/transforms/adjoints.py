"""Keeps account of which adjoints exist at a point of the backward pass, and adds to them."""

from __future__ import annotations

import enum
from typing import Any

import gast

from srcgrad.ir.build import add_assign, assign, call, clone, load, method, store
from srcgrad.ir.names import Namer
from srcgrad.transforms.externals import Externals


class Status(enum.Enum):
    """What may be done with the array that an adjoint is bound to."""

    SHARED = "it may be another's, or a view: make a new one to change it"
    OWNED = "it is nobody else's: add to it in place"


State = dict[str, Status]

_FRESH = (gast.BinOp, gast.UnaryOp)


class Adjoints:
    """Emits the statements that accumulate adjoints, and tracks their state.

    An adjoint that is not in the state is zero and has no variable yet: the first contribution is
    assigned, not added.
    """

    def __init__(self, namer: Namer, externals: Externals) -> None:
        self.state: State = {}
        self.models: dict[str, Any] = {}
        self._namer = namer
        self._externals = externals

    def name(self, cell: str) -> str:
        """Return the variable that holds the adjoint of `cell`."""
        return self._namer.adjoint(cell)

    def accumulate(self, cell: str, value: Any, like: Any, status: Status | None = None) -> list[Any]:
        """Return the statements that add `value` to the adjoint of `cell`."""
        name = self.name(cell)
        held = self.state.get(cell)
        if held is None:
            self.state[cell] = status or _status_of(value)
            return [assign(name, value, like)]
        self.state[cell] = Status.OWNED
        if held is Status.OWNED:
            return [_add_in_place(name, value, like)]
        return [assign(name, gast.BinOp(load(name), gast.Add(), value), like)]

    def zeros(self, cell: str, like: Any, model: str | None = None) -> Any:
        """Return the statement that starts the adjoint of `cell` at zero, and note that it exists."""
        self.state[cell] = Status.OWNED
        zeros = call(self._externals.use_runtime("zeros_like"), self._model(cell, model))
        return assign(self.name(cell), zeros, like)

    def _model(self, cell: str, name: str | None) -> Any:
        """Return an expression of the shape and kind of the adjoint."""
        if name is None and cell in self.models:
            return clone(self.models[cell])
        return load(name or cell)

    def need(self, cell: str, like: Any) -> list[Any]:
        """Return what makes sure that the adjoint exists and may be written into."""
        held = self.state.get(cell)
        if held is None:
            return [self.zeros(cell, like)]
        if held is Status.OWNED:
            return []
        self.state[cell] = Status.OWNED
        name = self.name(cell)
        return [assign(name, method(load(name), "copy"), like)]


def _status_of(value: Any) -> Status:
    return Status.OWNED if isinstance(value, _FRESH) else Status.SHARED


def _add_in_place(name: str, value: Any, like: Any) -> Any:
    if isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub):
        node = add_assign(store(name), clone(value.operand), like)
        node.op = gast.Sub()
        return node
    return add_assign(store(name), value, like)
