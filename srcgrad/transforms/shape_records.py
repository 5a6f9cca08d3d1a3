"""Keeps the shape of a stored value, not the value, where the backward pass needs only that."""

from __future__ import annotations

from collections import Counter
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, load
from srcgrad.ir.marks import CLOSING, KEEPS_SHAPE
from srcgrad.ir.names import Namer
from srcgrad.ir.program import bound_names, is_store, targets_of
from srcgrad.ir.walk import blocks_of, found_in, names_bound, names_read, statements


def keep_shapes(primal: list[Any], adjoint: list[Any], namer: Namer) -> bool:
    """Let a mirrored loop read shapes; return whether any shape is kept now.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... part = x * u[i]
    ... u[i + 1] = part
    ... ''')
    >>> back = parse('''
    ... grad_part = unbroadcast(grad_u[i + 1], part)
    ... grad_x = grad_x + grad_part * u[i]
    ... ''')
    >>> KEEPS_SHAPE.put(back[0].value, True)
    >>> keep_shapes(body, back, Namer(["part", "x", "u"]))
    True
    >>> print(text(body))
    part = x * u[i]
    part_shape = np.shape(part)
    u[i + 1] = part
    >>> print(text(back))
    grad_part = unbroadcast(grad_u[i + 1], part_shape)
    grad_x = grad_x + grad_part * u[i]
    """
    made = _bound_once(primal)
    computed = _computed(primal) if any(is_store(item) for item in statements(primal)) else set()
    asked = _asked(adjoint, computed)
    reads = Counter(name for statement in adjoint for name in names_read(statement))
    rebound = bound_names(adjoint)
    names: dict[str, str] = {}
    for name, places in asked.items():
        if name in made and name not in rebound and reads[name] == len(places):
            names[name] = namer.fresh(f"{namer.base(name)}_shape")
            for node in places:
                node.args[1] = load(names[name])
                KEEPS_SHAPE.put(node, False)
    if names:
        _measure(primal, names)
    return bool(names)


def _bound_once(block: list[Any]) -> set[str]:
    """Return the names that one assignment binds, which no trip carries on to the next."""
    binds: Counter[str] = Counter()
    for statement in statements(block):
        targets = [n for t in targets_of(statement) for n in names_bound(t)]
        plain = isinstance(statement, gast.Assign) and not CLOSING.of(statement)
        binds.update(targets if plain else targets * 2)
    return {name for name, count in binds.items() if count == 1}


def _computed(block: list[Any]) -> set[str]:
    """Return the names of what is computed of slices: to keep its shape alone saves memory."""
    lines = [item for item in statements(block) if isinstance(item, gast.Assign)]
    found: set[str] = set()
    parts: set[str] = set()
    size = -1
    while size != (size := len(found) + len(parts)):
        for line in lines:
            names = [name for target in line.targets for name in names_bound(target)]
            if _is_slice(line.value):
                parts.update(names)
            elif isinstance(line.value, gast.BinOp) and (found | parts).intersection(
                names_read(line.value)
            ):
                found.update(names)
    return found


def _is_slice(node: Any) -> bool:
    if not isinstance(node, gast.Subscript):
        return False
    items = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
    return any(isinstance(item, gast.Slice) for item in items)


def _asked(block: list[Any], computed: set[str]) -> dict[str, list[Any]]:
    """Find the calls that need only the shape of their second argument, by its name."""
    found: dict[str, list[Any]] = {}
    for statement in block:
        for node in found_in(statement, gast.Call):
            if getattr(node.func, "id", "") == "unbroadcast":
                like = node.args[1]
                wanted = KEEPS_SHAPE.of(node)
                if wanted is None:
                    wanted = getattr(like, "id", "") in computed
                if wanted and isinstance(like, gast.Name):
                    found.setdefault(like.id, []).append(node)
    return found


def _measure(block: list[Any], names: dict[str, str]) -> None:
    """Bind the shapes right after what they are shapes of."""
    for statement in list(block):
        for part in blocks_of(statement):
            _measure(part, names)
        targets = [n for t in getattr(statement, "targets", []) for n in names_bound(t)]
        for name in reversed([n for n in targets if n in names]):
            shape = assign(names[name], call("np.shape", load(name)), statement)
            CLOSING.put(shape, CLOSING.of(statement))
            block.insert(_position(block, statement) + 1, shape)


def _position(block: list[Any], statement: Any) -> int:
    return next(i for i, item in enumerate(block) if item is statement)
