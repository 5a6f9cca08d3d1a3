"""Makes the primal a program that keeps a tape, and runs that tape backwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

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
from srcgrad.checker.lanes import Disagreement, Lane, NotCovered, Now
from srcgrad.checker.witness import Entry, Witness
from srcgrad.ir.build import assign, at, call, clone, index_value, load, store
from srcgrad.ir.walk import blocks_of, names_bound, names_read, walk


class Instrumented:
    """The primal as a tree that can be run, with one function for each entry of the witness."""

    def __init__(
        self, witness: Witness, parameters: list[str], fields: list[str], name: str
    ) -> None:
        self._witness = witness
        self._local = {*parameters, *fields, *_bound(witness.body)}
        self.functions: list[Any] = []
        self.entries: list[Entry] = []
        self.arguments: list[list[str]] = []
        body = self._block(witness.body)
        arguments = gast.arguments([_parameter(p) for p in parameters], [], None, [], [], None, [])
        self.main = gast.FunctionDef(name, arguments, body, [], None, None)

    def _block(self, block: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in block:
            place = id(statement)
            if hasattr(statement, "edit"):
                raise NotCovered("code that is run on adjoints")
            entry = self._witness.entries.get(place)
            if entry is not None:
                done.extend(self._witnessed(statement, entry))
                continue
            if getattr(statement, "in_place", False) and isinstance(statement.value, gast.BinOp):
                done.extend(self._update(statement, None))
                continue
            if place in self._witness.forward:
                before, run = self._witness.forward[place]
                done.extend(self._original(item) for item in [*before, run])
                continue
            if isinstance(statement, gast.AugAssign) and isinstance(
                statement.target, gast.Subscript
            ):
                done.append(_augmented(statement))
                continue
            for part in blocks_of(statement):
                inner = self._block(part)
                part[:] = inner or ([gast.Pass()] if part is statement.body else [])
            done.append(statement)
        return done

    def _original(self, node: Any) -> Any:
        """Return an expression with the names that the primal itself knows."""
        for item in walk(node):
            if isinstance(item, gast.Name):
                item.id = self._name(item.id)
        return node

    def _name(self, name: str) -> str:
        seen = 0
        while name not in self._local and seen < 20:
            seen += 1
            found = self._witness.names.get(name) or self._witness.copies.get(name)
            if found is None:
                break
            name = found
        return name

    def _witnessed(self, statement: Any, entry: Entry) -> list[Any]:
        if getattr(statement, "in_place", False) and isinstance(statement.value, gast.BinOp):
            return self._update(statement, entry)
        before = [self._original(item) for item in entry.before]
        for item in before:
            self._local.update(_bound([item]))
        run = self._original(entry.statement)
        self._local.update(_bound([run]))
        targets = names_bound(statement.targets[0])
        return [*before, run, self._record(entry, targets, {}, statement)]

    def _update(self, statement: Any, entry: Entry | None) -> list[Any]:
        """Run ``y = x + v`` as the update in place that it is."""
        value, (target,) = statement.value, names_bound(statement.targets[0])
        if not isinstance(value.left, gast.Name):
            return [statement]
        old = f"__old_{len(self.entries)}_{target}"
        self._local.add(old)
        keep = assign(old, call("__frozen__", load(value.left.id)), statement)
        sign = gast.Constant(type(value.op).__name__, None)
        made = call("__update__", load(value.left.id), sign, clone(value.right))
        run = assign(target, made, statement)
        if entry is None:
            return [keep, run, at(gast.Expr(call("__cut__", load(target))), statement)]
        renames = {value.left.id: old}
        if entry.in_place is not None:
            before, after = entry.in_place
            renames = {before: old, after: target, value.left.id: old}
        return [keep, run, self._record(entry, [target], renames, statement)]

    def _record(self, entry: Entry, targets: list[str], renames: dict[str, str], like: Any) -> Any:
        """Return the statement that puts an entry on the tape, with what its expressions read."""
        number = len(self.entries)
        self.entries.append(entry)
        given = [f"__grad_{i}" for i in range(len(targets))]
        adjoints: dict[str, str] = {}
        for name, grad in zip(given, entry.grads, strict=False):
            if isinstance(grad, gast.Name):
                adjoints[grad.id] = name
        for item in [*entry.emitted, *[value for _, value in entry.contributions]]:
            for node in walk(item):
                if isinstance(node, gast.Name):
                    if node.id in adjoints:
                        node.id = adjoints[node.id]
                    else:
                        plain = renames.get(node.id) or self._name(node.id)
                        node.id = renames.get(plain, plain)
        bound = _bound(entry.emitted)
        read = [n for item in entry.emitted for n in names_read(item)]
        read += [n for _, value in entry.contributions for n in names_read(value)]
        needed = [
            n for n in dict.fromkeys(read) if n in self._local and n not in bound and n not in given
        ]
        self.arguments.append(needed)
        cells = [self._name(name) for name, _ in entry.contributions]
        for cell in cells:
            if cell not in self._local:
                raise NotCovered(f"a contribution to `{cell}`, which the primal does not know")
        result = gast.List([value for _, value in entry.contributions], gast.Load())
        arguments = [_parameter(name) for name in dict.fromkeys([*given, *needed])]
        signature = gast.arguments(arguments, [], None, [], [], None, [])
        name = f"__entry_{number}"
        self.functions.append(
            gast.FunctionDef(name, signature, [*entry.emitted, gast.Return(result)], [], None, None)
        )
        in_place = gast.Constant(bool(renames), None)
        noted_call = call(
            "__record__", gast.Constant(number, None), load(name), _tuple(targets), _tuple(cells),
            self._read_by(needed, [*targets, *cells, *_operands(like), *_operands(entry.statement)]),  # noqa: E501
            in_place,
        )  # fmt: skip
        return at(gast.Expr(noted_call), like)

    def _read_by(self, needed: list[str], own: list[str]) -> Any:
        """Return the values of names; of those that are none of the statement's, the shapes."""
        known = {*own, *[self._name(item) for item in own]}
        items = [
            load(name) if name in known or name.startswith("__old_") else _shape_of(name)
            for name in needed
        ]
        return gast.Tuple(items, gast.Load())


def _augmented(statement: Any) -> Any:
    """Return ``x[i] op= v`` as a call."""
    target, sign = statement.target, gast.Constant(type(statement.op).__name__, None)
    index = index_value(clone(target.slice))
    made = call("__augment__", clone(target.value), index, sign, clone(statement.value))
    return at(gast.Expr(made), statement)


def _operands(statement: Any) -> list[str]:
    """Return the names that a statement reads or binds."""
    return [node.id for node in walk(statement) if isinstance(node, gast.Name)]


def _shape_of(name: str) -> Any:
    empty = gast.arguments([], [], None, [], [], None, [])
    return call("__shape__", gast.Constant(name, None), gast.Lambda(empty, load(name)))


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


def _tuple(names: list[str]) -> Any:
    return gast.Tuple([load(name) for name in names], gast.Load())


def _parameter(name: str) -> Any:
    node = store(name)
    node.ctx = gast.Param()
    return node


def _bound(block: list[Any]) -> set[str]:
    """Return all names that a block binds."""
    return {
        node.id
        for item in block
        for node in walk(item)
        if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store)
    }


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


def record(
    number: int, function: Any, targets: Any, cells: Any, needed: Any, in_place: bool
) -> None:
    """Put an entry on the tape."""
    run = Now.run
    if run.tape is None:
        return
    for target in targets:
        settle(target, cells)
    run.tape.append(
        ("entry", number, function, targets, cells, tuple(map(frozen, needed)), in_place)
    )


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


def sweep(tape: list[Any], entries: list[Entry], constants: Any) -> None:
    """Run a tape backwards."""
    while tape:
        item = tape.pop()
        _STEPS[item[0]](*item[1:], entries=entries, constants=constants)


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


def _entry(  # noqa: PLR0913 - what is on the tape
    number: int, function: Any, targets: Any, cells: Any, needed: Any, in_place: bool,
    *, entries: list[Entry], constants: Any,
) -> None:  # fmt: skip
    grads = [gradient_of(target) for target in targets]
    if all(map(_is_zero, grads)):
        return
    entry = entries[number]
    for grad, said in zip(grads, entry.grads, strict=False):
        if said is not None and not isinstance(said, gast.Name):
            assumed = constants(said)
            if assumed is not None and field.sub(pair_of(assumed), pair_of(grad)) != ZERO:
                raise Disagreement("an adjoint is taken for a constant that it is not")
    if in_place:
        (target,) = targets
        if isinstance(target, Lane) and not target.number:
            target.adjoint.put(ZERO)
    for cell, value in zip(cells, function(*grads, *needed), strict=True):
        contribute(cell, value)


def _read(base: Lane, parts: Any, found: Lane, **_: Any) -> None:
    pair = found.adjoint.pair
    if pair != ZERO:
        memory = base.adjoint
        memory.root.add_at(memory.path + parts, pair)


def _store(base: Lane, parts: Any, value: Any, **_: Any) -> None:
    memory = base.adjoint
    path = memory.path + parts
    pair = memory.root.read(path)
    if pair == ZERO and not memory.root.writes:
        return
    memory.root.add_at(path, field.sub(ZERO, pair)) if path else memory.put(ZERO)
    if isinstance(value, (Lane, list, tuple)):
        contribute(value, Lane(pair, 0))


def _update(sign: str, target: Lane, value: Any, **_: Any) -> None:
    pair = target.adjoint.pair
    if pair == ZERO:
        return
    if sign not in "+-":
        raise NotCovered(f"an update by `{sign}=`")
    contribute(value, Lane(pair if sign == "+" else field.sub(ZERO, pair), 0))


def _added(sign: str, holder: Lane, parts: Any, value: Any, **_: Any) -> None:
    memory = holder.adjoint
    pair = memory.root.read(memory.path + parts)
    contribute(value, Lane(pair if sign == "+" else field.sub(ZERO, pair), 0))


def _sum(sign: str, total: Lane, entry: Any, value: Any, **_: Any) -> None:
    pair = total.adjoint.pair
    if sign not in "+-":
        if pair != ZERO:
            raise NotCovered(f"an entry is updated by `{sign}=`")
        return
    contribute(entry, Lane(pair, 0))
    contribute(value, Lane(pair if sign == "+" else field.sub(ZERO, pair), 0))


def _cut(target: Any, **_: Any) -> None:
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
