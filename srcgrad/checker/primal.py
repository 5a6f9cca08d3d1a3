"""Knows what statements of the primal leave on a tape, and runs that tape backwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.checker import field
from srcgrad.checker.arithmetic import (
    arithmetic,
    is_varied,
    key_of,
    pair_arithmetic,
    pair_of,
    taken_apart,
)
from srcgrad.checker.field import ZERO
from srcgrad.checker.lanes import Lane
from srcgrad.checker.runs import Disagreement, NotCovered, Now
from srcgrad.ir import gast


def shape_only(name: str, read: Any) -> Any:
    """Return what has the shape of a value, but not its entries."""
    try:
        value = read()
    except NameError:
        value = None
    hidden = (
        field.hashed(field.code_of(f"hidden {name}"), 1),
        field.hashed(field.code_of(name), 2),
    )
    if isinstance(value, Lane):
        return Lane(hidden, value.token, number=value.number, dims=value.dims)
    if isinstance(value, (int, float)):
        return value
    return Lane(hidden, field.code_of(name)) if value is None else value


def frozen(value: Any) -> Any:
    """Return what a value is now, whatever is written later."""
    if isinstance(value, Lane):
        if value.number:
            return value
        made = value.copied()
        made.token, made.dims = value.token, value.dims
        return made
    if isinstance(value, list):
        return [frozen(item) for item in value]
    if type(value) is tuple:
        return tuple(frozen(item) for item in value)
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in value.items()}
    return value


_SIGNS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**", "FloorDiv": "//", "Mod": "%",
    "MatMult": "@", "BitAnd": "&", "BitOr": "|", "BitXor": "^",
}  # fmt: skip


def update(left: Any, sign: str, right: Any) -> Any:
    """Do ``left op= right`` without a tape, and return the result."""
    run = Now.run
    tape, run.tape = run.tape, None
    try:
        return updated(left, _SIGNS[sign], right)
    finally:
        run.tape = tape


def updated(left: Any, sign: str, right: Any) -> Any:
    """Return ``left op= right``."""
    if isinstance(left, Lane) and not left.number and sign in ("+", "-", "*", "/", "**"):
        varied = left.varied or is_varied(right)
        left.put(pair_arithmetic(sign, left.pair, right), varied=varied)
        return left
    if isinstance(left, Lane) and not left.number and sign in ("//", "%"):
        found = arithmetic(sign, left, right)
        if isinstance(found, Lane):
            left.put(found.pair, varied=found.varied)
            return left
    if isinstance(left, list) and sign == "+":
        left += right if not isinstance(right, Lane) else list(right)
        return left
    if isinstance(left, (list, tuple)) and sign in "+*":
        return left + right if sign == "+" else left * right
    if not isinstance(left, Lane) and not isinstance(right, Lane):
        import operator  # noqa: PLC0415

        table = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
                 "**": operator.pow, "//": operator.floordiv, "%": operator.mod, "&": operator.and_,
                 "|": operator.or_, "^": operator.xor}  # fmt: skip
        return table[sign](left, right)
    return arithmetic(sign, left, right)


def settle(target: Any, cells: Any) -> None:
    """Note that the contributions of a result are known."""
    if isinstance(target, Lane):
        target.cut = False
        if target.root is not target and not any(
            isinstance(cell, Lane) and cell.root is target.root and cell is target for cell in cells
        ):
            target.apart()
            target.root.fixed = "memory is written of which a view is differentiated by its value"
    elif isinstance(target, (list, tuple)):
        for item in target:
            settle(item, cells)
    elif isinstance(target, dict):
        for item in target.values():
            settle(item, cells)


def augment(holder: Any, key: Any, sign: str, value: Any) -> None:
    """Do ``holder[key] op= value``."""
    run = Now.run
    sign = _SIGNS[sign]
    if isinstance(holder, Lane):
        parts = key_of(key, holder.dims)[0]
        if sign not in "+-":
            raise NotCovered(f"an element is updated by `{sign}=`")
        if run.tape is not None:
            run.tape.append(("added", sign, holder, parts, value))
        pair = pair_of(value)
        holder.root.add_at(holder.path + parts, pair if sign == "+" else field.sub(ZERO, pair))
        holder.root.varied_ = holder.root.varied_ or is_varied(value)
        return
    entry = holder[key]
    if isinstance(entry, Lane) and not entry.number:
        entry += value if sign == "+" else -value
        return
    tape, run.tape = run.tape, None
    try:
        total = updated(entry, sign, value)
    finally:
        run.tape = tape
    if tape is not None and isinstance(total, Lane):
        tape.append(("sum", sign, total, entry, value))
    holder[key] = total


def cut(target: Any) -> None:
    """Note an update in place that nobody says the contributions of."""
    run = Now.run
    if run.tape is not None:
        run.tape.append(("cut", target))


# -- backwards


def sweep(tape: list[Any]) -> None:
    """Run a tape backwards."""
    while tape:
        item = tape.pop()
        _STEPS[item[0]](*item[1:])


def contribute(target: Any, value: Any) -> None:
    """Add to the adjoint of a value, entry by entry if it is a container."""
    if value is None:
        return
    if isinstance(target, Lane):
        pair, writes = taken_apart(value)
        if pair != ZERO or writes:
            target.adjoint.increase(pair, writes=writes)
    elif isinstance(target, dict):
        if isinstance(value, (dict, Lane)):
            for key in target:
                if not isinstance(value, dict) or key in value:
                    contribute(target[key], value[key])
        else:
            raise NotCovered("an adjoint of a dict")
    elif isinstance(target, (list, tuple)):
        if isinstance(value, (float, int)) and value == 0:
            return
        for place, item in enumerate(target):
            contribute(item, value[place])


def gradient_of(value: Any) -> Any:
    """Return the adjoint of a value as the expressions of a witness read it."""
    if isinstance(value, Lane):
        memory = value.adjoint
        made = Lane(memory.pair, value.token, number=value.number, dims=value.dims)
        if memory.root is memory and memory.writes:
            made.base = memory.base
            made.writes = dict(memory.writes)
        return made
    if isinstance(value, dict):
        return {key: gradient_of(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [gradient_of(item) for item in value]
    return 0.0


def _is_zero(value: Any) -> bool:
    if isinstance(value, Lane):
        return value.pair == ZERO
    if isinstance(value, dict):
        return all(map(_is_zero, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_is_zero, value))
    return True


def _entry(record: Any, targets: Any, cells: Any, read: dict[str, Any], leaves_out: bool) -> None:
    grads = [gradient_of(target) for target in targets]
    if all(map(_is_zero, grads)):
        return
    if leaves_out:
        raise NotCovered("an adjoint leaves out an operand that varies")
    for grad, said in zip(grads, record.entry.grads, strict=False):
        if said is not None and not isinstance(said, gast.Name):
            assumed = _constant(said)
            if assumed is not None and field.sub(pair_of(assumed), pair_of(grad)) != ZERO:
                raise Disagreement("an adjoint is taken for a constant that it is not")
    if record.in_place:
        (target,) = targets
        if isinstance(target, Lane) and not target.number:
            target.adjoint.put(ZERO)
    for cell, value in zip(cells, record.contributions(grads, read), strict=True):
        contribute(cell, value)


def _constant(said: Any) -> Any:
    """Return what an adjoint was taken for, if that is a number."""
    if isinstance(said, gast.UnaryOp) and isinstance(said.op, gast.USub):
        inner = _constant(said.operand)
        return None if inner is None else -inner
    return said.value if isinstance(said, gast.Constant) else None


def _read(base: Lane, parts: Any, found: Lane) -> None:
    pair = found.adjoint.pair
    if pair != ZERO:
        memory = base.adjoint
        memory.root.add_at(memory.path + parts, pair)


def _store(base: Lane, parts: Any, value: Any) -> None:
    memory = base.adjoint
    path = memory.path + parts
    pair = memory.root.read(path)
    if pair == ZERO and not memory.root.writes:
        return
    memory.root.add_at(path, field.sub(ZERO, pair)) if path else memory.put(ZERO)
    if isinstance(value, (Lane, list, tuple)):
        contribute(value, Lane(pair, 0))


def _update(sign: str, target: Lane, value: Any) -> None:
    pair = target.adjoint.pair
    if pair == ZERO:
        return
    if sign not in "+-":
        raise NotCovered(f"an update by `{sign}=`")
    contribute(value, Lane(pair if sign == "+" else field.sub(ZERO, pair), 0))


def _added(sign: str, holder: Lane, parts: Any, value: Any) -> None:
    memory = holder.adjoint
    pair = memory.root.read(memory.path + parts)
    contribute(value, Lane(pair if sign == "+" else field.sub(ZERO, pair), 0))


def _sum(sign: str, total: Lane, entry: Any, value: Any) -> None:
    pair = total.adjoint.pair
    if sign not in "+-":
        if pair != ZERO:
            raise NotCovered(f"an entry is updated by `{sign}=`")
        return
    contribute(entry, Lane(pair, 0))
    contribute(value, Lane(pair if sign == "+" else field.sub(ZERO, pair), 0))


def _cut(target: Any) -> None:
    if isinstance(target, Lane) and target.varied and target.adjoint.pair != ZERO:
        raise Disagreement("an update of a value with a derivative has no adjoint")


_STEPS: dict[str, Callable[..., None]] = {
    "added": _added,
    "sum": _sum,
    "entry": _entry,
    "read": _read,
    "store": _store,
    "update": _update,
    "cut": _cut,
}
