"""Rewrites what Numba does not take: loops that run backwards, options of reductions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import call, clone, constant, dotted, load, store, subscript
from srcgrad.ir.marks import DOWNWARD
from srcgrad.ir.names import free_name
from srcgrad.ir.walk import found_in, walk
from srcgrad.targets.loops.nest import PARALLEL
from srcgrad.targets.loops.vector import FUNCTIONS

_LIBRARY: Final = "srcgrad.targets.loops.names"
_VECTORS: Final = "srcgrad.targets.loops.vector"
_BLOCKS: Final = ("body", "orelse", "finalbody")
_REDUCTIONS: Final = frozenset("sum max min mean prod amax amin any all".split())
_TYPES: Final = {"float": "float64", "int": "int64", "bool": "bool_"}
_JOINING: Final = frozenset("concatenate hstack vstack column_stack dstack".split())
_KEEPING: Final = frozenset({"kept_if", "kept_unless"})
_OF_TUPLES: Final = frozenset({"split_like", "shared_each"})
EFFECTS: Final = frozenset("print input open warn write seed".split())


class Statements:
    """Rewrites the functions of one text.

    Attributes:
        refused: What was met that is not compiled, each with its line.
        used: The names of ours that were written.
    """

    def __init__(self, records: Mapping[str, Sequence[str]]) -> None:
        self.refused: list[tuple[str, int]] = []
        self._records = {frozenset(fields): name for name, fields in records.items()}
        self._fields = {name: tuple(fields) for name, fields in records.items()}
        self.used: set[str] = set()
        self._names: set[str] = set()

    def imports(self) -> list[Any]:
        """Return the imports that the rewritten functions need."""
        names = sorted(self.used - {PARALLEL})
        vectors = [name for name in names if name in FUNCTIONS]
        parts = {_LIBRARY: [name for name in names if name not in vectors], _VECTORS: vectors}
        return [
            gast.ImportFrom(module, [gast.alias(name, None) for name in found], 0)
            for module, found in parts.items()
            if found
        ]

    def rewrite(self, function: Any) -> None:
        """Rewrite a function in place."""
        self._names = {item.id for item in found_in(function, gast.Name)}
        self._line = function.lineno
        function.body = self._block(function.body)

    def _block(self, body: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in body:
            self._line = getattr(statement, "lineno", None) or self._line
            before = len(done)
            done += self._statement(statement)
            for item in done[before:]:
                if not hasattr(item, "lineno") or not item.lineno:
                    item.lineno = self._line
        return done

    def _statement(self, statement: Any) -> list[Any]:
        self._refuse_effects(statement)
        before: list[Any] = []
        if isinstance(statement, gast.For):
            before = self._loop(statement)
        for name in _BLOCKS:
            if getattr(statement, name, None):
                setattr(statement, name, self._block(getattr(statement, name)))
        self._expressions(statement)
        if isinstance(statement, gast.Delete):
            return [*before, *map(self._deleted, statement.targets)]
        return [*before, statement]

    def _deleted(self, target: Any) -> Any:
        """Return what takes an entry out of a list."""
        if isinstance(target, gast.Subscript) and not isinstance(target.slice, gast.Slice):
            self.used.add("taken_out")
            return gast.Expr(call("taken_out", target.value, target.slice))
        if isinstance(target, gast.Subscript):
            self.refused.append(("a part of a list that is deleted", self._line))
        return gast.Delete([target])

    def _refuse_effects(self, statement: Any) -> None:
        for node in found_in(statement, gast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
            if name in EFFECTS:
                self.refused.append((f"`{name}`, whose effect is outside", self._line))
        for node in found_in(statement, gast.Attribute):
            if node.attr == "random":
                self.refused.append(("random numbers, which Numba draws otherwise", self._line))

    # -- loops

    def _loop(self, loop: Any) -> list[Any]:
        """Write a loop over ``reversed(...)`` with an index that counts down."""
        iterated = loop.iter
        if not (_is_call(iterated, "reversed") and len(iterated.args) == 1):
            return []
        (sequence,) = iterated.args
        if _is_call(sequence, "range"):
            loop.iter = _downward(sequence.args)
            if not _is_downward(sequence):
                DOWNWARD.put(loop, list(map(clone, sequence.args)))
            return []
        before: list[Any] = []
        if not isinstance(sequence, gast.Name):
            name = free_name("items", self._names)
            before = [gast.Assign([store(name)], sequence, None)]
            sequence = load(name)
        trip = free_name("trip", self._names)
        loop.iter = _downward([call("len", sequence)])
        taken = gast.Assign([loop.target], subscript(sequence, load(trip)), None)
        loop.target = store(trip)
        loop.body.insert(0, taken)
        return before

    # -- expressions

    def _expressions(self, statement: Any) -> None:
        for node in reversed(list(walk(statement))):  # what is inside first
            for field in getattr(node, "_fields", ()):
                if field in _BLOCKS and isinstance(node, gast.stmt):
                    continue
                part = getattr(node, field, None)
                if isinstance(part, list):
                    part[:] = [self._expression(item) for item in part]
                elif isinstance(part, gast.AST):
                    setattr(node, field, self._expression(part))

    def _expression(self, node: Any) -> Any:
        if isinstance(node, gast.Dict) and self._records:
            return self._record(node)
        if isinstance(node, gast.Subscript):
            key = getattr(node.slice, "value", None)
            if isinstance(node.slice, gast.Constant) and isinstance(key, str):
                return gast.Attribute(node.value, key, node.ctx)
        if isinstance(node, gast.Call):
            return self._call(node)
        return node

    def _record(self, node: Any) -> Any:
        keys: list[Any] = [getattr(key, "value", None) for key in node.keys]
        name = self._records.get(frozenset(keys)) if all(type(k) is str for k in keys) else None
        if name is None:
            return node
        given = dict(zip(keys, node.values, strict=True))
        return call(name, *[given[field] for field in self._fields[name]])

    def _call(self, node: Any) -> Any:
        function = node.func
        is_split = getattr(function, "id", "") in _OF_TUPLES and len(node.args) > 1
        if is_split and isinstance(node.args[1], gast.List):
            node.args[1] = gast.Tuple(node.args[1].elts, gast.Load())  # of a length that is known
        if getattr(function, "id", "") in _KEEPING:
            grad, test = node.args
            chosen = [grad, constant(0.0)]
            return call("np.where", test, *(chosen if function.id == "kept_if" else chosen[::-1]))
        if getattr(function, "id", "") == "dot_along":
            product = gast.BinOp(node.args[0], gast.Mult(), node.args[1])
            function = gast.Attribute(product, "sum", gast.Load())
            node = gast.Call(function, [], node.keywords)
        _name_types(node)
        if getattr(function, "attr", "") in _JOINING and isinstance(node.args[0], gast.List):
            node.args[0] = gast.Tuple(node.args[0].elts, gast.Load())  # which Numba joins alone
        options = {item.arg: item.value for item in node.keywords}
        if getattr(function, "attr", "") == "pop" and len(node.args) == 1:
            self.used.add("taken_out")
            return call("taken_out", function.value, node.args[0])
        if getattr(function, "attr", "") == "roll":
            return self._roll(node, function, options)
        if isinstance(function, gast.Attribute) and function.attr in _REDUCTIONS:
            return self._reduction(node, function, options)
        return node

    def _roll(self, node: Any, function: Any, options: Mapping[str, Any]) -> Any:
        """Write a turn along axes as a call of ours, since Numba turns all entries in a row."""
        axis = node.args[2] if len(node.args) == 3 else options.get("axis")
        is_numpy = getattr(function.value, "id", "") == "np" and options.keys() <= {"axis"}
        if not is_numpy or len(node.args) < 2 or not _are_axes(axis):
            return node
        self.used.add("roll_along")
        return call("roll_along", node.args[0], node.args[1], axis)

    def _reduction(self, node: Any, function: Any, options: Mapping[str, Any]) -> Any:
        """Write a reduction along an axis as a call of ours, since Numba lacks most of these."""
        is_numpy = isinstance(function.value, gast.Name) and function.value.id == "np"
        args = list(node.args) if is_numpy else [function.value, *node.args]
        if not options.keys() <= {"axis", "keepdims"} or not 0 < len(args) <= 2:
            return node
        axis = args[1] if len(args) == 2 else options.get("axis")
        keeps = options.get("keepdims")
        if axis is None and keeps is None:
            return node
        name = {"amax": "max", "amin": "min"}.get(function.attr, function.attr) + "_along"
        self.used.add(name)
        return call(name, args[0], axis or constant(None), keeps or constant(False))


def _name_types(node: Any) -> None:
    """Write the types of numbers in a call as those of NumPy, which Numba knows."""
    for item in node.keywords:
        if item.arg == "dtype" and getattr(item.value, "id", "") in _TYPES:
            item.value = dotted(f"np.{_TYPES[item.value.id]}")
    place = {"astype": 0, "array": 1, "asarray": 1}.get(getattr(node.func, "attr", ""))
    if place is not None and len(node.args) > place:
        wanted = getattr(node.args[place], "id", "")
        if wanted in _TYPES:
            node.args[place] = dotted(f"np.{_TYPES[wanted]}")


def _is_call(node: Any, name: str) -> bool:
    return (
        isinstance(node, gast.Call)
        and isinstance(node.func, gast.Name)
        and node.func.id == name
        and not node.keywords
    )


def _are_axes(axis: Any) -> bool:
    """Say whether an expression writes down an axis, or several."""
    if isinstance(axis, gast.Tuple):
        return bool(axis.elts) and all(map(_are_axes, axis.elts))
    axis = axis.operand if isinstance(axis, gast.UnaryOp) else axis
    return getattr(axis, "value", None) is not None


def _downward(args: Sequence[Any]) -> Any:
    """Return the range that goes through another from its end."""
    if len(args) == 1:
        return call("range", _less_one(args[0]), constant(-1), constant(-1))
    if len(args) == 2:
        return call("range", _less_one(args[1]), _less_one(args[0]), constant(-1))
    start, stop, step = args
    if _is_minus_one(step):
        return call("range", _one_more(stop), _one_more(start))
    count = call("len", call("range", start, stop, step))
    last = gast.BinOp(start, gast.Add(), gast.BinOp(_less_one(count), gast.Mult(), step))
    before = gast.BinOp(start, gast.Sub(), step)
    return call("range", last, before, gast.UnaryOp(gast.USub(), step))


def _is_minus_one(node: Any) -> bool:
    is_negative = isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub)
    return is_negative and getattr(node.operand, "value", None) == 1


def _is_downward(node: Any) -> bool:
    """Say whether a range counts down by one."""
    return len(node.args) == 3 and _is_minus_one(node.args[2])


def _one_more(node: Any) -> Any:
    """Return ``node + 1``.

    >>> from srcgrad.codegen.printer import to_source
    >>> [to_source(_one_more(gast.parse(text, mode="eval").body)) for text in ("n - 2", "-1", "i")]
    ['n - 1', '0', 'i + 1']
    """
    if _is_minus_one(node):
        return constant(0)
    if isinstance(node, gast.Constant) and type(node.value) is int:
        return constant(node.value + 1)
    is_less = isinstance(node, gast.BinOp) and isinstance(node.op, gast.Sub)
    by = getattr(node.right, "value", None) if is_less else None
    if type(by) is int and by > 0:
        return node.left if by == 1 else gast.BinOp(node.left, gast.Sub(), constant(by - 1))
    return gast.BinOp(node, gast.Add(), constant(1))


def _less_one(node: Any) -> Any:
    if isinstance(node, gast.Constant) and type(node.value) is int:
        return constant(node.value - 1)
    is_sum = isinstance(node, gast.BinOp) and isinstance(node.op, gast.Add)
    if is_sum and getattr(node.right, "value", None) == 1:
        return node.left
    return gast.BinOp(node, gast.Sub(), constant(1))
