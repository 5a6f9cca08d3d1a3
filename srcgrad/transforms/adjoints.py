"""Keeps account of which adjoints exist at a point of the backward pass, and adds to them."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from srcgrad.analyses.text_calls import makes_new
from srcgrad.ir import gast
from srcgrad.ir.build import (
    add_assign,
    assign,
    at,
    call,
    clone,
    constant,
    load,
    store,
    subscript,
    twin,
)
from srcgrad.ir.marks import IS_SCALED, VECTOR
from srcgrad.ir.names import Namer
from srcgrad.ir.walk import found_in, names_read
from srcgrad.transforms.contributions import is_uniform
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

    Attributes:
        state: The adjoints that exist now.
        wide: The cells whose adjoints are surely complex, if complex numbers may come.
        uniform: Adjoints with equal entries, which have no variable yet: each is a call
            ``np.broadcast_to(number, shape)``, spelled out only if the number alone will not do.
        borrowed: Adjoints that are another's, which is not needed any more: they are read under its
            name until they are added to.
        models: Expressions of the shape of adjoints of what is no plain name.
        parts: Containers that were read from others: their adjoint is that same part of the other's
            adjoint, written in place.
        mirrored: Names whose adjoint exists from the start and is written in place only.
        roots: The variables of those adjoints that lie in memory of their own.
        own: The variables of adjoints that a caller has given away: they may be written into.
        rebinds: Whether sums are bound anew, as suits a text that is differentiated again.
        may_be_container: Says whether a name may be bound to a container, for all that is known.
        unpacked: Names of the several results of one call, some of which may be of integers.
    """

    def __init__(
        self,
        namer: Namer,
        externals: Externals,
        is_number: Callable[[str], bool],
        *,
        keep_complex: bool = False,
        is_result: Callable[[str], bool],
        may_be_container: Callable[[str], bool],
    ) -> None:
        self._keep_complex = keep_complex
        self._is_result = is_result
        self.rebinds = False
        self.may_be_container = may_be_container
        self.unpacked: frozenset[str] = frozenset()
        self._is_number = is_number
        self.state: State = {}
        self.uniform: dict[str, Any] = {}
        self.borrowed: dict[str, str] = {}
        self.models: dict[str, Any] = {}
        self.parts: dict[str, tuple[str, Any]] = {}
        self.mirrored: frozenset[str] = frozenset()
        self.wide: set[str] = set()
        self.roots: frozenset[str] = frozenset()
        self.own: frozenset[str] = frozenset()
        self._namer = namer
        self._externals = externals

    def is_result(self, cell: str) -> bool:
        """Say whether a name keeps the result of the function, which is given once and not changed.

        Its adjoint comes from one place, and is read only where the result was given.
        """
        return self._is_result(cell)

    def is_plain_number(self, cell: str) -> bool:
        """Say whether the adjoint of a name is a real number, which 0.0 can start."""
        return not self._keep_complex and self._is_number(cell)

    def exists(self, cell: str) -> bool:
        """Say whether there is an adjoint of `cell` that may differ from zero."""
        return cell in self.state or cell in self.mirrored

    def is_whole(self, cell: str) -> bool:
        """Say whether the adjoint of `cell` can be bound anew: nothing else shares its memory."""
        return cell in self.state and self.is_plain(cell)

    def is_plain(self, cell: str) -> bool:
        """Say whether nothing else shares the memory of the adjoint of `cell`, if there is one."""
        return cell not in self.mirrored and cell not in self.parts

    def consume(self, cell: str) -> Status | None:
        """Forget the adjoint of `cell`, made here; return what may be done with its array."""
        return Status.OWNED if cell in self.mirrored else self.state.pop(cell, None)

    def name(self, cell: str) -> str:
        """Return the variable that holds the adjoint of `cell`."""
        return self.borrowed.get(cell) or self._namer.adjoint(cell)

    def release(self, cell: str) -> str:
        """Return the variable that holds the adjoint of `cell`, which is consumed now."""
        return self.borrowed.pop(cell, None) or self._namer.adjoint(cell)

    def own_name(self, cell: str) -> str:
        """Return the variable that adjoints of `cell` are assigned to; nothing is borrowed then."""
        self.borrowed.pop(cell, None)
        return self._namer.adjoint(cell)

    def given_for(self, outputs: Sequence[str]) -> dict[str, str]:
        """Return the names under which a backward pass is given the adjoints of outputs.

        Of what lies in memory with a shadow it is another name: the shadow is made on the way
        there, and what is given is added to it.
        """
        found = {name: self._namer.adjoint(name) for name in outputs}
        for name in self.mirrored.intersection(outputs):
            variable = self._namer.adjoint(self._namer.base(name))
            found[name] = self._namer.fresh(f"{variable}_given")
        return found

    def accumulate(
        self, cell: str, value: Any, like: Any, status: Status | None = None
    ) -> list[Any]:
        """Return the statements that add `value` to the adjoint of `cell`."""
        if cell in self.mirrored:
            entries = value.args[0] if is_uniform(value) else value
            if self.may_be_container(cell):
                function = self._externals.use_runtime("add_to_shadows")
                shadow = load(self._namer.adjoint(cell))
                return [at(gast.Expr(call(function, shadow, entries)), like)]
            return [_add_in_place(self._namer.adjoint(cell), entries, like)]
        if cell in self.uniform and not self.is_result(cell) and self._spreads(value):
            entries = self.uniform.pop(cell).args[0]
            self.state[cell] = Status.OWNED
            total = gast.BinOp(entries, gast.Add(), value)
            return [*self.vacate(cell, like), assign(self.own_name(cell), total, like)]
        lead = self.spell_uniform(like, [cell])
        held = None if self.is_result(cell) else self.state.get(cell)
        if held is not None and is_uniform(value):
            value = value.args[0]  # it is spread by the addition itself
        if held is None:
            self.state[cell] = status or _status_of(value)
            self.wide.discard(cell)
            if isinstance(value, gast.Name) and value.id != self._namer.adjoint(cell):
                self.borrowed[cell] = value.id
                return []
            return [*self.vacate(cell, like), assign(self.own_name(cell), value, like)]
        self.state[cell] = Status.OWNED
        in_place = not self._keep_complex or cell in self.wide  # it may be real, the value complex
        in_place = in_place and not self.rebinds
        if held is Status.OWNED and cell not in self.borrowed and in_place:
            return [*lead, _add_in_place(self.name(cell), value, like)]
        lead += self.vacate(cell, like)
        before = load(self.name(cell))  # vacating may have moved it
        return [*lead, assign(self.own_name(cell), gast.BinOp(before, gast.Add(), value), like)]

    def _spreads(self, value: Any) -> bool:
        """Say whether what is added to equal entries is surely as large as the whole adjoint."""
        computed = isinstance(value, gast.BinOp) or makes_new(value)
        return computed and not is_uniform(value) and not self.rebinds and not self._keep_complex

    def vacate(self, cell: str, like: Any) -> list[Any]:
        """Give the adjoints that borrow the variable of `cell` their own, before it is assigned."""
        name = self._namer.adjoint(cell)
        found = [c for c, held in self.borrowed.items() if held == name and c != cell]
        kept = self._keep_numbers(like, {name})
        return kept + self.spell_out(like, found) if found else kept

    def _keep_numbers(self, like: Any, assigned: set[str]) -> list[Any]:
        """Keep aside the numbers of equal entries that lie in variables which are assigned now."""
        done: list[Any] = []
        for name in sorted(assigned):
            readers = [c for c, entries in self.uniform.items() if name in names_read(entries)]
            if not readers:
                continue
            aside = self._namer.version(name)
            done.append(assign(aside, load(name), like))
            for cell in readers:
                entries = self.uniform[cell] = twin(self.uniform[cell])
                for item in found_in(entries.args[0], gast.Name):
                    item.id = aside if item.id == name else item.id
        return done

    def spell_uniform(self, like: Any, cells: Iterable[str] | None = None) -> list[Any]:
        """Return the statements that bind uniform adjoints (all, or those of `cells`) as arrays."""
        wanted = sorted(self.uniform) if cells is None else [c for c in cells if c in self.uniform]
        done: list[Any] = []
        for cell in wanted:
            done += self.vacate(cell, like)
            uniform = self.uniform.pop(cell)
            if IS_SCALED.of(uniform):  # an array, as arithmetic would have made
                uniform = self._filled(cell, uniform.args[0])
                self.state[cell] = Status.OWNED
            done.append(assign(self.own_name(cell), uniform, like))
        return done

    def _filled(self, cell: str, number: Any) -> Any:
        """Return an array of the shape of `cell` that holds one number."""
        filled = call("np.full_like", load(cell), number)
        kind = "complex" if self._keep_complex else "float" if cell in self.unpacked else ""
        if kind:
            filled.keywords = [gast.keyword("dtype", load(kind))]
        return filled

    def spell_out(self, like: Any, cells: Iterable[str] | None = None) -> list[Any]:
        """Return the statements that give adjoints (all, or some) variables of their own."""
        done = self.spell_uniform(like, cells)
        wanted = set(self.borrowed) if cells is None else set(cells) & set(self.borrowed)
        if not wanted:
            return done
        size = -1
        while len(wanted) != size:  # whoever borrows what is assigned now needs a variable too
            size = len(wanted)
            taken = {self._namer.adjoint(cell) for cell in wanted}
            wanted |= {cell for cell, held in self.borrowed.items() if held in taken}
        moves = {self._namer.adjoint(cell): self.borrowed.pop(cell) for cell in sorted(wanted)}
        self.state.update(dict.fromkeys(wanted, Status.SHARED))
        return done + self._keep_numbers(like, set(moves)) + self._move(moves, like)

    def set_aside(self, like: Any, targets: Iterable[str], own: set[str]) -> list[Any]:
        """Move adjoints out of variables that others will get when the variables `own` are needed.

        Whoever borrows one of those is given its own variable then, and that may be the one which
        an adjoint of `targets`, about to be read, lies in.
        """
        moved = set(own)
        size = -1
        while len(moved) != size:
            size = len(moved)
            moved |= {self._namer.adjoint(c) for c, held in self.borrowed.items() if held in moved}
        done: list[Any] = []
        for target in targets:
            held = self.borrowed.get(target)
            if held is not None and held in moved - own:
                aside = self._namer.version(held)
                done.append(assign(aside, load(held), like))
                self.borrowed[target] = aside
        return done

    def _move(self, moves: dict[str, str], like: Any) -> list[Any]:
        """Return the assignments of a parallel copy, in an order that loses nothing."""
        done: list[Any] = []
        while moves:
            free = [target for target in moves if target not in moves.values()]
            if free:
                target = free[0]
            else:  # all that are left go round in circles: keep one aside
                target = next(iter(moves))
                aside = self._namer.version(target)
                done.append(assign(aside, load(target), like))
                moves = {t: aside if s == target else s for t, s in moves.items()}
            done.append(assign(target, load(moves.pop(target)), like))
        return done

    def zeros(self, cell: str, like: Any, model: str | None = None) -> Any:
        """Return the statement that starts the adjoint of `cell` at zero, and note that it exists.

        Nothing may borrow its variable then: call `spell_out` or `vacate` before.
        """
        self.state[cell] = Status.OWNED
        self.wide.add(cell)
        if model is None and cell not in self.models and self.is_plain_number(cell):
            return assign(self.own_name(cell), constant(0.0), like)
        maker = "complex_zeros_like" if self._keep_complex else "zeros_like"
        zeros = call(self._externals.use_runtime(maker), self._model(cell, model))
        return assign(self.own_name(cell), zeros, like)

    def _model(self, cell: str, name: str | None) -> Any:
        """Return an expression of the shape and kind of the adjoint."""
        if name is None and cell in self.models:
            return clone(self.models[cell])
        return load(name or cell)

    def need(self, cell: str, like: Any) -> list[Any]:
        """Return what makes sure that the adjoint exists and may be written into."""
        if cell in self.mirrored:
            return []
        held = self.state.get(cell)
        if held is None and cell in self.parts:
            return self._need_part(cell, like)
        if held is None:
            return [*self.vacate(cell, like), self.zeros(cell, like)]
        if cell in self.parts or (held is Status.OWNED and cell not in self.borrowed):
            return self._widen(cell, like)
        if self._is_number(cell) or (held is Status.OWNED and self.borrowed[cell] in self.own):
            done = self.spell_out(like, [cell])
            self.state[cell] = Status.OWNED
            return [*done, *self._widen(cell, like)]
        self.state[cell] = Status.OWNED
        uniform = self.uniform.pop(cell, None)
        if uniform is not None and VECTOR.of(uniform) == ():
            filled = self._filled(cell, uniform.args[0])
            if self._keep_complex:
                self.wide.add(cell)
            return [*self.vacate(cell, like), assign(self.own_name(cell), filled, like)]
        lead = self.vacate(cell, like)
        held_in = uniform if uniform is not None else load(self.name(cell))
        copy = call(self._externals.use_runtime("copied"), held_in)
        return [*lead, assign(self.own_name(cell), copy, like), *self._widen(cell, like)]

    def _widen(self, cell: str, like: Any) -> list[Any]:
        """Make an adjoint complex that may be real, before complex numbers are written into it."""
        known = cell in self.wide or cell in self.parts or self._is_number(cell)
        if not self._keep_complex or known:
            return []
        self.wide.add(cell)
        wide = call(self._externals.use_runtime("as_complex"), load(self.name(cell)))
        return [assign(self.own_name(cell), wide, like)]

    def _need_part(self, cell: str, like: Any) -> list[Any]:
        """Find the adjoint of a part in the adjoint of the whole."""
        whole, index = self.parts[cell]
        done = self.need(whole, like)
        part: Any = load(self.name(whole))
        if index is not None:
            part = subscript(part, clone(index))
        self.state[cell] = Status.OWNED
        return [*done, *self.vacate(cell, like), assign(self.own_name(cell), part, like)]


def _status_of(value: Any) -> Status:
    return Status.OWNED if isinstance(value, _FRESH) else Status.SHARED


def _add_in_place(name: str, value: Any, like: Any) -> Any:
    if isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub):
        node = add_assign(store(name), clone(value.operand), like)
        node.op = gast.Sub()
        return node
    return add_assign(store(name), value, like)
