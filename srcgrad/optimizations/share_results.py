"""Computes once what the statements of a block compute several times from the same values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Final

from srcgrad.analyses.sharing import Sharing
from srcgrad.analyses.text_calls import called, makes_new
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, load, store
from srcgrad.ir.marks import IN_PLACE
from srcgrad.ir.nodes import Comment
from srcgrad.ir.program import Counts, bound_by, targets_of
from srcgrad.ir.walk import blocks_of, found_in, names_read, root_name, statements, walk
from srcgrad.optimizations.movement import Movement
from srcgrad.optimizations.purity import Purity
from srcgrad.primitives import named
from srcgrad.runtime import slopes

_ARITHMETIC: Final = (gast.Mult, gast.Div, gast.Pow, gast.MatMult)
_FEW: Final = 2
_LEAVES: Final = frozenset({gast.Name, gast.Constant})
_MOST_TURNS: Final = 3
_FARTHEST: Final = 60  # from place to place
_SLOPES: Final = frozenset(n for n, item in vars(slopes).items() if isinstance(item, FunctionType))


@dataclass(slots=True)
class _Place:
    """Where an expression stands: in which statement, in what node, and in which field of it."""

    statement: Any
    holder: Any
    field: Any
    node: Any

    def put(self, name: str) -> None:
        """Read a name there."""
        if isinstance(self.holder, list):
            self.holder[self.field] = load(name)
        else:
            setattr(self.holder, self.field, load(name))


@dataclass(slots=True)
class ResultSharing:
    """Shares what one body computes twice.

    Attributes:
        purity: Says which expressions have no effect.
        is_ours: Says which names the compiler has made.
        is_number: Says which names are surely bound to numbers.
        is_array: Says which names are surely bound to arrays.
        new_name: Makes a name for the value of an expression.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset())
    >>> sharing = ResultSharing(purity, lambda name: name < "u", new_name=lambda node: "new")
    >>> sharing.is_array = {"x", "y"}.__contains__
    >>> def shared(source):
    ...     return text(sharing.run(parse(source)))
    >>> print(shared("a = x * y; b = x * y; z = b + np.sin(x)"))
    a = x * y
    z = a + np.sin(x)
    >>> print(shared("z = 2 * (x * y); a = x * y; w = a * np.sin(x); y = 3; a2 = x * y"))
    a = x * y
    z = 2 * a
    w = a * np.sin(x)
    y = 3
    a2 = x * y
    >>> print(shared("z = x * np.sin(y); w = z / np.sin(y); return np.sin(y)"))
    new = np.sin(y)
    z = x * new
    w = z / new
    return np.sin(y)
    >>> print(shared("grad_t = z * 3; a[i] += grad_t * 0.5; b[i] -= grad_t * 0.5"))
    grad_t = z * 3
    new = grad_t * 0.5
    a[i] += new
    b[i] -= new
    >>> print(shared("a = x * y; b = x * y; b += 1.0; return a, b"))
    a = x * y
    b = x * y
    b += 1.0
    return a, b
    """

    purity: Purity
    is_ours: Callable[[str], bool]
    is_number: Callable[[str], bool] = lambda _: False
    is_array: Callable[[str], bool] = lambda _: False
    new_name: Callable[[Any], str] = lambda _: "value"
    _fixed: Fixed = field(init=False)
    _movement: Movement = field(init=False)
    _gone: set[int] = field(default_factory=set)
    _arrays: set[str] = field(default_factory=set)

    def run(self, body: list[Any]) -> list[Any]:
        """Return `body`, changed in place."""
        for _ in range(_MOST_TURNS):  # what reads one name now may be the same
            self._arrays = _sliced(body)
            blocks = [body, *(part for item in statements(body) for part in blocks_of(item))]
            wanted = [(block, found) for block in blocks if (found := self._repeated(block))]
            if not wanted:
                break
            self._fixed = Fixed(body, self.purity, self.is_number, self.is_array)
            self._movement = Movement(body, self.purity)
            self._gone = set()
            renamed: dict[str, str] = {}
            shared = [
                self._share(block, places, renamed) for block, found in wanted for places in found
            ]
            _rename(body, renamed)
            if not any(shared):
                break
        return body

    # -- what there is

    def _repeated(self, block: list[Any]) -> list[list[_Place]]:
        """Return the places of what a block computes more than once, the largest first."""
        found: dict[Any, list[_Place]] = defaultdict(list)
        for item in block:
            for place in self._places(item):
                found[_key(place.node)].append(place)
        several = [(key, places) for key, places in found.items() if len(places) >= _FEW]
        return [places for _, places in sorted(several, key=lambda pair: -len(repr(pair[0])))]

    def _places(self, statement: Any) -> Iterator[_Place]:
        """Yield what a statement computes that may be shared, where it is an operand or all."""
        if not isinstance(statement, (gast.Assign, gast.AugAssign, gast.Return)):
            return
        waiting: list[tuple[Any, Any]] = []
        if not isinstance(statement, gast.Return):
            waiting.append((statement, "value"))
        waiting += _operands(getattr(statement, "value", None))
        while waiting:
            holder, name = waiting.pop()
            node = holder[name] if holder.__class__ is list else getattr(holder, name)
            if node.__class__ in _LEAVES:  # as most are
                continue
            if self._is_wanted(node):
                yield _Place(statement, holder, name, node)
            if holder is not statement:
                waiting += _operands(node)

    def _is_wanted(self, node: Any) -> bool:
        arithmetic = node.__class__ is gast.BinOp and (
            isinstance(node.op, _ARITHMETIC) or isinstance(node.left, gast.BinOp)
        )
        compares = isinstance(node, gast.Compare) and len(node.ops) == 1
        if not arithmetic and not compares and not _is_costly(node):
            return False
        names = names_read(node)
        plain = arithmetic or compares
        wanted = any(map(self._holds_array, names)) if plain else bool(names)
        return (wanted or self._is_scaled(node)) and self.purity.of(node)

    def _is_scaled(self, node: Any) -> bool:
        """Say whether an expression is an adjoint times a literal."""
        if not isinstance(node, gast.BinOp) or not isinstance(node.left, gast.Name):
            return False
        return isinstance(node.right, gast.Constant) and self.purity.is_adjoint(node.left.id)

    # -- sharing

    def _share(self, block: list[Any], places: list[_Place], renamed: dict[str, str]) -> bool:
        """Let the places of one expression in a block read one name, while it stays the same."""
        group: list[_Place] = []
        shared = False
        for place in places:
            if id(place.node) in self._gone:
                continue
            if group and self._changes(block, group[-1], place):
                shared |= self._settle(block, group, renamed)
                group = []
            group.append(place)
        return self._settle(block, group, renamed) or shared

    def _changes(self, block: list[Any], before: _Place, place: _Place) -> bool:
        """Say whether an expression may be another at the second of two places."""
        start, end = block.index(before.statement), block.index(place.statement)
        if end - start > _FARTHEST:
            return True
        arithmetic = isinstance(place.node, gast.BinOp)
        source = assign("", place.node)
        self._movement.wait(source, "")
        for item in block[start:end]:
            if arithmetic and isinstance(item, Comment):
                return True  # the backward pass has no need of it
            if self._movement.stops(self._movement.effects(item), "", source):
                return True
        return False

    def _settle(self, block: list[Any], group: list[_Place], renamed: dict[str, str]) -> bool:
        """Compute once what stands at several places of a block; say whether that could be."""
        whole = [p for p in group if p.holder is p.statement and self._is_bound_once(p.statement)]
        kept = next((p for p in whole if self._fixed.stays(_name(p))), None)
        operands = [p for p in group if self._is_operand(p)]
        merged = [
            p for p in whole if p is not kept and kept is not None and self._may_merge(kept, p)
        ]
        if kept is None:
            if not self._are_worth_a_line(operands):
                return False
            name = self.new_name(operands[0].node)
            made = at(gast.Assign([store(name)], operands[0].node, None), operands[0].statement)
            block.insert(block.index(operands[0].statement), made)
        else:
            users = [*operands, *merged]
            if not users:
                return False
            name = _name(kept)
            first = min((*users, kept), key=lambda p: block.index(p.statement)).statement
            if first is not kept.statement:
                block.remove(kept.statement)
                block.insert(block.index(first), kept.statement)
        for place in operands:
            place.put(name)
            self._movement.touched(place.statement)
        for place in merged:
            block.remove(place.statement)
            renamed[_name(place)] = name
        for place in group:  # what is inside is looked at in the next turn
            self._gone.update(id(node) for node in walk(place.node))
        return True

    def _is_bound_once(self, statement: Any) -> bool:
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        return isinstance(target, gast.Name) and self._fixed.counts.binds[target.id] == 1

    def _is_operand(self, place: _Place) -> bool:
        """Say whether a value is only read where it stands, so that nobody has it afterwards."""
        if place.holder is not place.statement:
            return True
        target = targets_of(place.statement)[0]
        if isinstance(place.statement, gast.AugAssign):
            return True
        name = root_name(target) or ""
        numbers = all(map(self.is_number, names_read(place.node)))
        return isinstance(target, gast.Subscript) and (numbers or self.is_array(name))

    def _may_merge(self, kept: _Place, other: _Place) -> bool:
        """Say whether one name may stand for two that are bound to the same value."""
        name = _name(other)
        return (
            self.is_ours(name) and self._fixed.stays(name) and self._fixed.apart(_name(kept), name)
        )

    def _are_worth_a_line(self, places: list[_Place]) -> bool:
        """Say whether a value is costly enough, or asked for so often, that it gets a name."""
        node: Any = places[0].node if places else None
        names = names_read(node) if places else []
        if len(places) >= _FEW and self._is_scaled(node):
            counts = self._fixed.counts  # nobody else reads it: its own line computes the product
            if counts.binds[names[0]] == 1 and counts.reads[names[0]] == len(places):
                return True
        if not any(map(self._holds_array, names)):
            return False
        if len(places) > _FEW and isinstance(node, gast.BinOp):
            return True
        if len(places) < _FEW or any(map(self.purity.is_adjoint, names)):
            return False
        if isinstance(node, (gast.Call, gast.Compare)):
            return True
        return isinstance(node.left, gast.BinOp) and isinstance(node.right, gast.BinOp)

    def _holds_array(self, name: str) -> bool:
        return name in self._arrays or self.is_array(name)


def _sliced(body: list[Any]) -> set[str]:
    """Return the names that are bound to slices, and to what is computed of those."""
    found: set[str] = set()
    for item in statements(body):
        value: Any = item.value if isinstance(item, gast.Assign) else None
        value = (
            value.args[0] if getattr(getattr(value, "func", None), "id", "") == "copied" else value
        )
        slices = isinstance(value, gast.Subscript) and found_in(value.slice, gast.Slice)
        computed = bool(found) and isinstance(value, gast.BinOp)
        computed = computed and not found.isdisjoint(names_read(value))
        if slices or computed:
            found.update(bound_by(item))
    return found


class Fixed:
    """The names of a body whose values nothing writes into, and those that are handed out."""

    def __init__(
        self,
        body: list[Any],
        purity: Purity,
        is_number: Callable[[str], bool],
        is_array: Callable[[str], bool],
    ) -> None:
        self.counts = Counts(body)
        self._sharing = Sharing(body, purity.of, is_number, is_array)
        written: set[str] = set()
        given: set[str] = set()
        for item in statements(body):
            written.update(_written(item, purity))
            if isinstance(item, gast.Return) and item.value is not None:
                given.update(names_read(item.value))
        self._written = self._sharing.groups(written)
        self._given = self._sharing.groups(given)

    def stays(self, name: str) -> bool:
        """Say whether a name keeps the value that it is bound to once."""
        return self.counts.binds[name] == 1 and self.is_left_alone(name)

    def is_left_alone(self, name: str) -> bool:
        """Say whether nothing writes into what a name is bound to."""
        return self._sharing.groups([name]).isdisjoint(self._written)

    def is_handed_out(self, name: str) -> bool:
        """Say whether the caller gets a value, or what shares its memory."""
        return not self._sharing.groups([name]).isdisjoint(self._given)

    def apart(self, one: str, other: str) -> bool:
        """Say whether no caller gets both, or one for the other."""
        return self._sharing.groups([one, other]).isdisjoint(self._given)


def _written(statement: Any, purity: Purity) -> Iterator[str]:
    """Yield the names through which a statement may write into memory."""
    value = getattr(statement, "value", None)
    if isinstance(statement, gast.AugAssign) or IN_PLACE.of(statement):
        yield from bound_by(statement)
        yield from names_read(getattr(value, "left", None)) if value is not None else ()
    for target in targets_of(statement):
        if not isinstance(target, gast.Name):
            yield root_name(target) or ""
    if isinstance(statement, gast.Expr) or (value is not None and not purity.of(value)):
        yield from names_read(value)


def _name(place: _Place) -> str:
    return str(place.statement.targets[0].id)


def _operands(node: Any) -> list[tuple[Any, Any]]:
    """Return the fields that hold the operands of an operation."""
    if node.__class__ is gast.BinOp:
        return [(node, "left"), (node, "right")]
    if isinstance(node, gast.UnaryOp):
        return [(node, "operand")]
    if isinstance(node, gast.Call) and (makes_new(node) or _is_of_ours(node)):
        return [(node.args, place) for place in range(len(node.args))]
    if isinstance(node, gast.Call) and getattr(node.func, "attr", "") == "sum":  # as a method
        return [] if isinstance(node.func.value, gast.Name) else [(node.func, "value")]
    return []


def _is_of_ours(node: Any) -> bool:
    """Say whether an expression calls a function of ours that returns what is new."""
    name = getattr(node.func, "id", "")
    known = [item for item in named(name) if item.name.startswith("srcgrad.runtime.")]
    return name in _SLOPES or (bool(known) and all(item.memory == "fresh" for item in known))


def _is_costly(node: Any) -> bool:
    """Say whether an expression calls what acts on each element, moves or adds them up."""
    if not isinstance(node, gast.Call):
        return False
    if called(node).moves and makes_new(node):
        return True
    if node.keywords:
        told = not any(names_read(item.value) for item in node.keywords)
        return told and called(node).shape == "reduced"
    return called(node).acts_on_each_element or getattr(node.func, "id", "") in _SLOPES


def _key(node: Any) -> Any:
    """Return what two expressions have in common that are the same."""
    if node.__class__ is gast.Name:
        return node.id
    if isinstance(node, gast.AST):
        return (
            node.__class__.__name__,
            *[_key(getattr(node, name, None)) for name in node._fields if name != "ctx"],
        )
    if isinstance(node, list):
        return tuple(map(_key, node))
    return type(node).__name__, repr(node)


def _rename(body: list[Any], names: dict[str, str]) -> None:
    for item in body if names else ():
        for node in found_in(item, gast.Name):
            while node.id in names:
                node.id = names[node.id]
