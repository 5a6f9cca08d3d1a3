"""Writes slices that have names where they are used as indices: ``u[inner]`` is ``u[1:-1]``.

So all passes see what a section is of, and the text says it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import assign, clone, constant, load
from srcgrad.ir.names import Namer
from srcgrad.ir.rewriting import replace_in
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import blocks_of, found_in, names_read, walk

_NAMES: Final = (gast.Name, gast.Call, gast.Subscript)
_SIMPLE: Final = (gast.Name, gast.Constant, gast.UnaryOp, gast.BinOp, gast.operator, gast.unaryop)
_SINGLE: Final = (gast.Constant, gast.Name)
_MAKER: Final[Any] = type(np.s_)
_MOST_ENDS: Final = 3
_ENDS: Final = {"lower": "start", "upper": "stop", "step": "step"}


def with_written_slices(body: list[Any], scope: Scope, namer: Namer) -> list[Any]:
    """Return a body whose indices say themselves what they are slices of.

    A name stands for a slice, or for a tuple with one, if it is bound once and read only after
    that. An end that is computed, or that may change, gets a name of its own there. A slice of
    outside is one of numbers.

    >>> from srcgrad.compiler.doctesting import parse, reader_of, text
    >>> scope = reader_of(slice=slice, n=3).scope
    >>> body = parse("inner = slice(1, n); y[inner] = x[inner, 0] + x[np.s_[2:, ...]]; f(inner)")
    >>> print(text(with_written_slices(body, scope, Namer())))
    inner_stop = n
    inner = slice(1, inner_stop)
    y[1:inner_stop] = x[1:inner_stop, 0] + x[2:, ...]
    f(inner)
    """
    if not any(isinstance(index, _NAMES) for index in _indices(body)):
        return body
    slices = _Slices(scope, namer, Counter(_bound(body)))
    body = slices.block(body)
    for part in body:
        for item in found_in(part, gast.Subscript):
            item.slice = slices.written(item.slice)
    read = {name for part in body for name in names_read(part)}
    return _without(body, slices.known.keys() - read)


def _indices(body: list[Any]) -> Iterator[Any]:
    """Yield indices, and the parts of them."""
    for part in body:
        for item in found_in(part, gast.Subscript):
            yield from (item.slice, *getattr(item.slice, "elts", ()))


class _Slices:
    """Finds out which names stand for slices, and writes these into indices.

    Attributes:
        known: The names, each with what it stands for.
    """

    def __init__(self, scope: Scope, namer: Namer, bound: Counter[str]) -> None:
        self.known: dict[str, Any] = {}
        self._scope = scope
        self._namer = namer
        self._bound = bound

    def block(self, body: list[Any]) -> list[Any]:
        """Note the slices of a block; return it with names for ends that are computed."""
        found: list[Any] = []
        for place, statement in enumerate(body):
            for inner in blocks_of(statement):
                inner[:] = self.block(inner)
            for name, value in _bindings(statement):
                meant = self._slices(value) if self._bound[name] == 1 else None
                rest = [] if meant is None else body[place + 1 :]
                if 0 < _reads(rest, name) == _reads(body, name):
                    found += self._note(name, meant, value, statement, set(_bound(rest)))
            found.append(statement)
        return found

    def _note(
        self, name: str, meant: Any, value: Any, statement: Any, changing: set[str]
    ) -> list[Any]:
        """Note what a name stands for: a slice or a tuple with one.

        Return the statements that give names to ends, which `value` reads then.
        """
        parts = getattr(meant, "elts", [meant])
        ends = [(part, end, getattr(part, end, None)) for part in parts for end in _ENDS]
        kept = [item for item in ends if item[2] is not None and not self._stays(item[2], changing)]
        single = (part for part in parts if not isinstance(part, gast.Slice))
        if not all(self._stays(part, changing) for part in single):
            return []
        if kept and value is not statement.value:
            return []  # one among others, which are evaluated in their order
        made = []
        for part, end, held in kept:
            variable = self._namer.fresh(f"{name}_{_ENDS[end]}")
            made.append(assign(variable, held, statement))
            replace_in(value, held, load(variable))
            setattr(part, end, load(variable))
        self.known[name] = meant
        return made

    def _slices(self, node: Any) -> Any | None:
        """Return a slice, or a tuple with one, as an index; None of what is neither."""
        if isinstance(node, gast.Slice):
            return node
        if isinstance(node, gast.Tuple):
            parts = [self._part_of_tuple(part) for part in node.elts]
            some = any(isinstance(part, gast.Slice) for part in parts)
            return gast.Tuple(parts, gast.Load()) if some and None not in parts else None
        maker: Any = self._scope.resolve(node.value) if isinstance(node, gast.Subscript) else None
        if isinstance(maker, _MAKER):
            listed = maker.maketuple and not isinstance(node.slice, gast.Tuple)
            return self._slices(gast.Tuple([node.slice], gast.Load()) if listed else node.slice)
        if not isinstance(node, gast.Call) or self._scope.resolve(node.func) is not slice:
            return None
        starred = any(isinstance(end, gast.Starred) for end in node.args)
        if node.keywords or starred or not 0 < len(node.args) <= _MOST_ENDS:
            return None
        ends = [None if getattr(end, "value", ...) is None else end for end in node.args]
        return gast.Slice(*([None, *ends, None] if len(ends) == 1 else [*ends, None][:_MOST_ENDS]))

    def _part_of_tuple(self, part: Any) -> Any | None:
        """Return a part of a tuple that is an index: a slice, a number, a name or the like."""
        known = self.known.get(getattr(part, "id", ""))
        if isinstance(known, gast.Slice):
            return clone(known)
        if self._scope.resolve(part) is np.newaxis:
            return constant(None)
        return self._slices(part) or (part if isinstance(part, _SINGLE) else None)

    def _stays(self, end: Any, changing: set[str]) -> bool:
        """Say whether an expression means the same wherever the slice is read."""
        names = set(names_read(end))
        simple = all(isinstance(item, _SIMPLE) for item in walk(end))
        return simple and self._scope.local.issuperset(names) and not names & changing

    def written(self, index: Any) -> Any:
        """Return an index with its slices written out."""
        whole = self._meant(index)
        if whole is None and isinstance(index, gast.Tuple):
            index.elts = [self._part(part) for part in index.elts]
        return index if whole is None else whole

    def _part(self, part: Any) -> Any:
        """Return a part of an index; a tuple among them is no slice but selects."""
        meant = self._meant(part)
        return part if meant is None or isinstance(meant, gast.Tuple) else meant

    def _meant(self, node: Any) -> Any | None:
        """Return the slice, or the tuple with slices, that an expression is; None of others."""
        if not isinstance(node, gast.Name):
            return None if isinstance(node, gast.Tuple) else self._slices(node)
        if node.id in self.known:
            return clone(self.known[node.id])
        return _displayed(self._scope.lookup(node.id))


def _bindings(statement: Any) -> list[tuple[str, Any]]:
    """Return the names that an assignment binds, each with its value, as far as it says that."""
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return []
    target, value = statement.targets[0], statement.value
    pairs = [(target, value)]
    if isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple):
        fits = len(target.elts) == len(value.elts)
        pairs = list(zip(target.elts, value.elts, strict=True)) if fits else []
    return [(name.id, item) for name, item in pairs if isinstance(name, gast.Name)]


def _displayed(value: Any) -> Any | None:
    """Return the display of a slice of numbers, or of a tuple with one, from outside."""
    if type(value) is slice:
        ends = value.start, value.stop, value.step
        if all(end is None or type(end) is int for end in ends):
            return gast.Slice(*(None if end is None else constant(end) for end in ends))
    if type(value) is tuple and slice in map(type, value):
        parts = [_displayed(part) or _plain(part) for part in value]
        return None if None in parts else gast.Tuple(parts, gast.Load())
    return None


def _plain(value: Any) -> Any | None:
    return constant(value) if value is None or value is ... or type(value) is int else None


def _bound(body: list[Any]) -> Iterator[str]:
    """Yield a name each time that it is bound; what is declared to be another's twice."""
    for part in body:
        for name in found_in(part, gast.Name):
            if not isinstance(name.ctx, gast.Load):
                yield name.id
        for declared in found_in(part, gast.Global, gast.Nonlocal):
            yield from [*declared.names, *declared.names]


def _reads(block: list[Any], name: str) -> int:
    names = (item for part in block for item in found_in(part, gast.Name))
    return sum(item.id == name and isinstance(item.ctx, gast.Load) for item in names)


def _without(body: list[Any], names: set[str]) -> list[Any]:
    """Return a body that does not bind slices which nothing reads any more."""
    if not names:
        return body
    found = []
    for statement in body:
        for block in blocks_of(statement):
            block[:] = _without(block, names) or [gast.Pass()]
        bound = _bindings(statement)
        if not bound or not names.issuperset(name for name, _ in bound):
            found.append(statement)
    return found
