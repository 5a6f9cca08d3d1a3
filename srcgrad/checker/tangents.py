"""Carries tangents beside lanes: what a program does to memory, it does to its tangents at once.

The memory of an adjoint (`Lane.adjoint`) holds the tangent: that of a view is the same view of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from srcgrad.checker import field, primal
from srcgrad.checker.arithmetic import (
    arithmetic,
    is_number,
    is_varied,
    key_of,
    pair_arithmetic,
    pair_of,
    taken_apart,
)
from srcgrad.checker.field import ZERO, Pair, code_of, hashed
from srcgrad.checker.lanes import Lane
from srcgrad.checker.library import HANDLERS, handler
from srcgrad.checker.memory import Path
from srcgrad.checker.runs import NotCovered, Now
from srcgrad.checker.sharing import copied, share_memory

SIGNS: Final = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**", "FloorDiv": "//", "Mod": "%",
    "MatMult": "@", "BitAnd": "&", "BitOr": "|", "BitXor": "^",
}  # fmt: skip


class Tangents:
    """Stands where a tape does, and does to tangents what is done to values.

    Attributes:
        unknown: Why tangents that were read are not known.
        parted: The memory of whose parts some have tangents of their own.
    """

    def __init__(self) -> None:
        self.unknown: list[str] = []
        self.parted: set[int] = set()

    def append(self, item: Any) -> None:
        """Do what an item of a tape says, before the value is written."""
        _STEPS[item[0]](*item[1:])


# -- reading tangents


def tangent_of(value: Any) -> Any:
    """Return the tangent of a value, entry by entry of containers."""
    if isinstance(value, Lane):
        if value.root.cut and value.own_adjoint is None:
            return _unknown(value, "an operation on what varies is said to have no derivative")
        memory = value.adjoint
        made = Lane(memory.base, value.token, number=value.number, dims=value.dims)
        if value.root is not value:
            made.root, made.path = memory.root, memory.path
        elif memory.writes:
            made.writes = dict(memory.writes)
        made.bundle = value.bundle
        return made
    if isinstance(value, dict):
        return {key: tangent_of(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        Now.run.go_through(len(value))
        return [tangent_of(item) for item in value]
    return 0.0


def _unknown(value: Lane, reason: str) -> Lane:
    """Return a tangent that is no other."""
    tape = Now.run.tape
    place = len(tape.unknown) if isinstance(tape, Tangents) else 0
    if isinstance(tape, Tangents):
        tape.unknown.append(reason)
    entry = hashed(code_of("unknown tangent"), value.pair, place)
    return Lane((entry, hashed(entry)), value.token, number=value.number, dims=value.dims)


def is_zero(value: Any) -> bool:
    """Say whether a tangent is zero throughout."""
    if isinstance(value, dict):
        return all(map(is_zero, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(is_zero, value))
    return pair_of(value) == ZERO


# -- giving tangents


def settle(target: Any, tangent: Any) -> None:
    """Give a result its tangent, entry by entry of containers.

    Raises:
        NotCovered: It lies in memory that has another.
    """
    if isinstance(target, Lane):
        _settle_lane(target, tangent)
    elif isinstance(target, dict):
        for key, item in target.items():
            settle(item, _part(tangent, key))
    elif isinstance(target, (list, tuple)):
        for place, item in enumerate(target):
            settle(item, _part(tangent, place))
    elif isinstance(target, (int, float)) and not is_zero(tangent):
        raise NotCovered("a plain number has a tangent")


def _settle_lane(target: Lane, tangent: Any) -> None:
    root = target.root
    is_new = root.cut or root.own_adjoint is None
    if not is_new or (target.path and target.own_adjoint is not None):
        if target.adjoint.pair != pair_of(tangent):
            raise NotCovered("a view whose tangent is not the same view of a tangent")
        return
    if target.path:
        target.apart()  # a part of a result of which the rest is not known
        if isinstance(Now.run.tape, Tangents):
            Now.run.tape.parted.add(id(root))
    else:
        root.cut = False
    pair, writes = _parts_of(tangent)
    target.adjoint.base, target.adjoint.writes = pair, dict(writes) if writes else None


def _parts_of(tangent: Any) -> tuple[Pair, dict[Path, Pair] | None]:
    """Return a tangent as its memory holds it; the items of a tuple can be read back."""
    if isinstance(tangent, (list, tuple)):
        return ZERO, {key_of(i, None)[0]: pair_of(item) for i, item in enumerate(tangent)}
    return taken_apart(tangent)


def _part(tangent: Any, key: Any) -> Any:
    if isinstance(tangent, Lane):
        path = key_of(key, None)[0]
        return Lane(tangent.root.read(tangent.path + path), hashed(tangent.token, path))
    if isinstance(tangent, (int, float)) or tangent is None:
        return 0.0
    return tangent[key]


def push(function: Callable[..., Any], targets: Any, silent: Any, operands: Any) -> None:
    """Give the results of a statement the tangent that a rule says."""
    run = Now.run
    tape, run.tape = run.tape, None
    if not isinstance(tape, Tangents):
        return
    try:
        tangent = function(*operands)
    finally:
        run.tape = tape
    settle(targets, tangent)
    for value in silent:
        if not is_zero(tangent_of(value)):
            tape.unknown.append("a tangent leaves out an operand that varies")
            _spoil(targets)


def _spoil(target: Any) -> None:
    if isinstance(target, Lane):
        target.root.cut = True
    elif isinstance(target, (list, tuple)):
        for item in target:
            _spoil(item)


def constant(targets: Any) -> None:
    """Note that results have no derivative."""
    if isinstance(targets, Lane):
        if targets.root is targets:
            targets.cut = targets.varied_ = False
    elif isinstance(targets, (list, tuple)):
        for item in targets:
            constant(item)


def unpacked(value: Any, count: int) -> Any:
    """Return the results of a function one by one; they share no memory."""
    if not isinstance(value, Lane) or not value.bundle:
        return value
    whole = tangent_of(value)
    found = []
    for place in range(count):
        path = key_of(place, None)[0]
        made = Lane(value.read(path), hashed(value.token, path), varied=value.varied)
        settle(made, _part(whole, place))
        found.append(made)
    return found


# -- updates


def slope_of(sign: str, a: Any, b: Any) -> Any:
    """Return the tangent of an operation by the rules of calculus.

    Raises:
        NotCovered: There is none in this table.
    """
    a_dot, b_dot = tangent_of(a), tangent_of(b)
    if sign == "+":
        return _plus(a_dot, b_dot)
    if sign == "-":
        return _plus(a_dot, _times(b_dot, -1))
    if sign == "*":
        return _plus(_times(a_dot, b), _times(b_dot, a))
    if sign == "/":
        moved = _times(_times(b_dot, a), -1)
        return arithmetic("/", _plus(a_dot, arithmetic("/", _lane(moved), b)), b)
    if sign == "**" and isinstance(b, (int, float)):
        return _times(a_dot, _times(a ** (b - 1), b))
    if is_zero(a_dot) and is_zero(b_dot):
        return 0.0
    raise NotCovered(f"an update by `{sign}=`")


def _lane(value: Any) -> Lane:
    return value if isinstance(value, Lane) else Lane(pair_of(value), number=is_number(value))


def _plus(a: Any, b: Any) -> Lane:
    return _lane(arithmetic("+", _lane(a), b))


def _times(a: Any, b: Any) -> Lane:
    return _lane(arithmetic("*", _lane(a), b))


def update(left: Any, sign: str, right: Any) -> Any:
    """Do ``left op= right`` to a variable, and return what it is then."""
    sign = SIGNS[sign]
    if not is_number(left):
        if isinstance(left, Lane):
            return _IN_PLACE[sign](left, right) if sign in _IN_PLACE else _new(left, sign, right)
        return primal.updated(left, sign, right)
    return _new(left, sign, right)


_IN_PLACE: Final[dict[str, Callable[[Lane, Any], Any]]] = {
    "+": Lane.__iadd__, "-": Lane.__isub__, "*": Lane.__imul__, "/": Lane.__itruediv__,
    "**": Lane.__ipow__,
}  # fmt: skip


def _new(left: Any, sign: str, right: Any) -> Any:
    run = Now.run
    tape, run.tape = run.tape, None
    try:
        total = primal.updated(left, sign, right)
        if isinstance(total, Lane) and tape is not None:
            tangent = slope_of(sign, left, right)
            settle(total, tangent)
    finally:
        run.tape = tape
    return total


def update_entry(holder: Any, key: Any, sign: str, value: Any) -> None:
    """Do ``holder[key] op= value``."""
    part = holder[key]
    if isinstance(part, Lane) and isinstance(holder, Lane) and part.root is holder.root:
        update(part, sign, value)
    elif isinstance(holder, Lane) and SIGNS[sign] in "+-":
        primal.augment(holder, key, sign, value)
    else:
        holder[key] = update(part, sign, value)


def _read(base: Lane, parts: Any, found: Lane) -> None:
    memory = base.adjoint
    pair = memory.root.read(memory.path + parts)
    if base.root.cut:
        found.cut = True
    elif pair != ZERO:
        found.adjoint.put(pair)


def _written(holder: Lane) -> Lane:
    """Return the memory of the tangent of what is written into."""
    if id(holder.root) in Now.run.tape.parted:
        raise NotCovered("memory is written of which parts have tangents of their own")
    return holder.adjoint


def _store(holder: Lane, parts: Any, value: Any) -> None:
    memory = _written(holder)
    path = memory.path + parts
    pair = pair_of(tangent_of(value))
    if path:
        memory.root.add_at(path, field.sub(pair, memory.root.read(path)))
    else:
        memory.put(pair)
        holder.root.cut = False


def _update(sign: str, target: Lane, value: Any) -> None:
    memory, run = _written(target), Now.run
    tape, run.tape = run.tape, None
    try:
        if sign in "+-":
            pair, writes = taken_apart(tangent_of(value), sign == "-")
            memory.increase(pair, writes=writes)
        elif sign == "*":
            change = _times(tangent_of(value), target)
            memory.put(pair_arithmetic("*", memory.pair, value))
            pair, writes = taken_apart(change)
            memory.increase(pair, writes=writes)
        else:
            memory.put(pair_of(slope_of(sign, target, value)))
    finally:
        run.tape = tape


def _added(sign: str, holder: Lane, parts: Any, value: Any) -> None:
    memory = _written(holder)
    pair = pair_of(tangent_of(value))
    memory.root.add_at(memory.path + parts, pair if sign == "+" else field.sub(ZERO, pair))


def _sum(sign: str, total: Lane, entry: Any, value: Any) -> None:
    run = Now.run
    tape, run.tape = run.tape, None
    try:
        settle(total, slope_of(sign, entry, value))
    finally:
        run.tape = tape


_STEPS: Final[dict[str, Callable[..., None]]] = {
    "read": _read,
    "store": _store,
    "update": _update,
    "added": _added,
    "sum": _sum,
}


@handler("srcgrad.runtime.copied_like")
def copied_like(tangent: Any, _: Any) -> Any:
    """Return a copy of a tangent."""
    return copied(tangent)


@handler("srcgrad.runtime.tangent_of_view")
def tangent_of_view(tangent: Any, _: Any, part: Any, whole: Any) -> Any:
    """Return the view of a tangent, or a copy of it."""
    return tangent if share_memory(part, whole) else copied(tangent)


# -- functions that add in place, for programs that are gradients themselves


def _adding(name: str, *names: str) -> Callable[..., Any]:
    """Make a function the meaning of names where tangents are carried."""
    former = HANDLERS[name]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def chosen(*args: Any, **keywords: Any) -> Any:
            carried = isinstance(Now.run.tape, Tangents)
            return function(*args, **keywords) if carried else former(*args, **keywords)

        return handler(name, *names)(chosen)

    return decorate


@_adding("srcgrad.runtime.add_at", "numpy.add.at", "ufunc.at.add")
def add_at(buffer: Any, index: Any, grad: Any) -> None:
    """Add to a part of an array, or an entry of a container."""
    if isinstance(buffer, Lane):
        primal.augment(buffer, index, "Add", grad)
    else:
        buffer[index] = accumulate(buffer[index], grad)


@handler("numpy.subtract.at", "ufunc.at.subtract")
def subtract_at(buffer: Any, index: Any, value: Any) -> None:
    """Subtract from a part of an array, as often as it is named."""
    primal.augment(buffer, index, "Sub", value)


@_adding("srcgrad.runtime.accumulate")
def accumulate(total: Any, grad: Any) -> Any:
    """Return a sum, entry by entry of containers."""
    if isinstance(total, dict):
        return {key: accumulate(item, grad[key]) for key, item in total.items()}
    if isinstance(total, (list, tuple)):
        return [accumulate(item, grad[place]) for place, item in enumerate(total)]
    if grad is None or not (is_varied(total) or is_varied(grad)):
        return total if grad is None else total + grad
    return _new(total if is_number(total) else total.copied(), "+", grad)
