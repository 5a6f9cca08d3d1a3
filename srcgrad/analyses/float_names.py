"""Says which names are surely bound to floats: what is stored in them keeps its fraction."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, is_store, store_target
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import names_bound, root_name, statements
from srcgrad.primitives import Primitive

_PARTS: Final = frozenset(["T", "real", "imag", "flat"])
_OF_DICTS: Final = frozenset(["items", "values", "keys"])
_PASS_ON: Final = (
    *(list, tuple, sorted, reversed, iter, zip, itertools.product, itertools.pairwise),
    *(itertools.combinations, itertools.permutations, itertools.chain, itertools.islice),
    *(itertools.combinations_with_replacement, itertools.cycle, itertools.zip_longest),
)


def float_names(program: Program) -> frozenset[str]:
    """Return the names that are surely bound to floating-point numbers, or containers of them.

    A parameter that a gradient is asked for is: integers are refused at the call. Where the arrays
    that one holds are written into, the call is asked of what they are (`given_holders`).

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x, k):
    ...     a = np.zeros(3)
    ...     b = np.zeros_like(k)
    ...     c = b / 2
    ...     d = x > c
    ...     return np.sum(a * b * c * d)
    ... ''')
    >>> program.inputs = ("x",)
    >>> sorted(float_names(program))
    ['a', 'c', 'out', 'x']
    """
    return _Analysis(program).run()


class _Analysis:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._makers: dict[str, list[Any]] = defaultdict(list)
        self._stored: dict[str, list[Any]] = defaultdict(list)  # which lists and dicts then hold
        self._floats: set[str] = set()  # or, if they hold whole numbers too, arrays of them are
        self._each: set[str] = set()  # so is each part of those
        self._holders: dict[Any, set[str]] = {gast.List: set(), gast.Dict: set()}
        self._outer: dict[Any, set[str]] = {gast.List: set(), gast.Dict: set()}  # which hold such

    def run(self) -> frozenset[str]:
        for statement in statements(self._program.body):
            self._visit(statement)
        self._store_under_all_names()
        self._put_further_out()
        self._floats = {*self._makers, *self._program.inputs, *self._program.floats}
        self._each = set(self._floats)
        size = -1
        while size != (size := self._unsettled()):
            for name in self._makers:
                makers = self._held_by(name)
                if name in self._floats and not all(map(self._is_float, makers)):
                    self._floats.remove(name)
                if name in self._each and not all(map(self._is_each, makers)):
                    self._each.remove(name)
                for kind in (gast.List, gast.Dict):
                    if any(self._may_be(kind, maker) for maker in makers):
                        self._holders[kind].add(name)
                    shown = gast.List(self._stored[name], gast.Load())
                    if any(self._may_hold(kind, item) for item in [*makers, shown]):
                        self._outer[kind].add(name)
        return frozenset(self._floats)

    def _store_under_all_names(self) -> None:
        """Let what is stored by one name of a list or dict be stored by the others: ``s = d``."""
        copies = [
            (name, made.id)
            for name, makers in self._makers.items()
            for made in makers
            if isinstance(made, gast.Name)
        ]
        size = -1
        while size != (size := sum(map(len, self._stored.values()))):
            for pair in copies:
                for name, other in (pair, pair[::-1]):
                    known = {id(value) for value in self._stored[name]}
                    self._stored[name] += [v for v in self._stored[other] if id(v) not in known]

    def _put_further_out(self) -> None:
        """Let lists and dicts hold what is put into those that are read out of them.

        That may be read out again under another name: ``row = rows[0]; row.append(v)``.
        """
        put: dict[str, list[Any]] = defaultdict(list)
        for statement in statements(self._program.body):
            change = change_of(statement)
            if change is not None and change.target is None:
                put[change.name].append(change.value)
            elif is_store(statement) and _is_word(store_target(statement).slice):
                put[getattr(store_target(statement).value, "id", "")].append(statement.value)
        for name, values in put.items():
            for owner in self._owners(name) & self._makers.keys():  # of others nothing is known
                shown = [gast.List([value], gast.Load()) for value in values]
                self._makers[owner] += [item for item in shown if item.elts[0] is not None]

    def _owners(self, name: str) -> set[str]:
        """Return the names of what the value of a name may be read out of."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            made = self._makers.get(waiting.pop(), ())
            read = [m for m in made if isinstance(m, gast.Subscript) and not _is_part(m)]
            new = {root_name(item) or "" for item in read} - found - {"", name}
            found |= new
            waiting += sorted(new)
        return found

    def _held_by(self, name: str) -> list[Any]:
        """Return what a name is made of; an array keeps its type whatever is stored in it."""
        is_array = all(name not in names for names in self._holders.values())
        return self._makers[name] if is_array else [*self._makers[name], *self._stored[name]]

    def _unsettled(self) -> int:
        """Return a number that falls with each step, of which there are only so many."""
        held = sum(map(len, [*self._holders.values(), *self._outer.values()]))
        return len(self._floats) + len(self._each) - held

    def _visit(self, statement: Any) -> None:
        """Note what each name is made of."""
        change = change_of(statement)
        if change is not None and change.target is None:
            joined = None if change.value is None else gast.List([change.value], gast.Load())
            self._makers[change.name].append(joined)
        elif isinstance(statement, gast.For):
            self._iterate(statement.target, statement.iter)
        elif is_store(statement):
            name = getattr(store_target(statement).value, "id", "")
            self._stored[name].append(statement.value)
        elif isinstance(statement, gast.Assign):
            self._note_put(statement.value)
            for target in statement.targets:
                self._note(target, statement.value)
        elif isinstance(statement, gast.Expr):
            self._note_put(statement.value)

    def _note_put(self, value: Any) -> None:
        """Note what a method puts into a dict: ``d.setdefault(k, v)``, and all of an update."""
        func: Any = getattr(value, "func", None)
        name = getattr(getattr(func, "value", None), "id", "")
        if name and getattr(func, "attr", "") == "setdefault":
            self._stored[name] += value.args[1:]
        elif name and getattr(func, "attr", "") == "update":
            self._stored[name].append(None)

    def _iterate(self, target: Any, iterable: Any) -> None:
        """Note what the names of a loop are bound to: parts of what is looped over."""
        called = isinstance(iterable, gast.Call)
        args = iterable.args if called else []
        function = self._program.reader.scope.resolve(iterable.func) if called else None
        parts = target.elts if isinstance(target, gast.Tuple) else []
        if function is enumerate and len(parts) == 2:
            self._note(parts[0], None)
            self._iterate(parts[1], args[0])
        elif function is zip and len(parts) == len(args):
            for part, arg in zip(parts, args, strict=True):
                self._iterate(part, arg)
        elif function is MISSING and getattr(iterable.func, "attr", "") in _OF_DICTS:
            self._iterate_dict(target, iterable.func)
        elif isinstance(iterable, (gast.List, gast.Tuple)):
            for item in iterable.elts:
                self._note(target, item)
        else:
            self._note(target, _items(iterable))

    def _iterate_dict(self, target: Any, method: Any) -> None:
        values = gast.Subscript(method.value, gast.Constant(0, None), gast.Load())
        if method.attr == "items" and isinstance(target, gast.Tuple) and len(target.elts) == 2:
            self._note(target.elts[0], None)
            self._note(target.elts[1], values)
        else:
            self._note(target, values if method.attr == "values" else None)

    def _note(self, target: Any, value: Any) -> None:
        plain = isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple)
        if plain and len(target.elts) == len(value.elts):
            for part, item in zip(target.elts, value.elts, strict=True):
                self._note(part, item)
            return
        whole = isinstance(target, gast.Name) or value is None
        part = value if whole else gast.Subscript(value, gast.Constant(0, None), gast.Load())
        for name in names_bound(target):
            self._makers[name].append(part)

    def _is_float(self, node: Any) -> bool:
        judge = getattr(self, f"_judge_{type(node).__name__}", None)
        return judge is not None and bool(judge(node))

    def _is_each(self, node: Any) -> bool:
        """Say whether all that is in a value is of floats: of ``[1, x]`` the first part is not."""
        if isinstance(node, gast.Name):
            return node.id in self._each
        if isinstance(node, (gast.List, gast.Tuple)):
            return all(map(self._is_each, node.elts))
        if isinstance(node, gast.Dict):
            return all(map(self._is_each, node.values))
        if isinstance(node, gast.IfExp):
            return self._is_each(node.body) and self._is_each(node.orelse)
        if isinstance(node, gast.BinOp) and self._may_be(gast.List, node):
            sides = (node.left, node.right)
            return all(self._is_each(item) for item in sides if self._may_be(gast.List, item))
        if isinstance(node, gast.Call) and self._passes_on(node.func):
            given = [item for item in node.args if not _is_whole(item)]
            return bool(given) and all(map(self._judge_Starred, map(_items, given)))
        return self._is_float(node)

    def _judge_Starred(self, node: Any) -> bool:
        """Judge what a loop goes over: the keys of a dict are not what it holds."""
        return not self._may_be(gast.Dict, node.value) and self._is_each(node.value)

    def _may_be(self, kind: Any, node: Any) -> bool:
        """Say whether a value may be a list of what was put there, which ``+`` joins, or a dict."""
        if isinstance(node, gast.Name):
            return node.id in self._holders[kind]
        if isinstance(node, gast.BinOp):
            return self._may_be(kind, node.left) or self._may_be(kind, node.right)
        if isinstance(node, gast.IfExp):
            return self._may_be(kind, node.body) or self._may_be(kind, node.orelse)
        if isinstance(node, gast.Subscript):
            return self._may_hold(kind, node.value)
        if kind is gast.Dict:
            function = getattr(node, "func", None)
            made = function is not None and self._program.reader.scope.resolve(function) is dict
            return made or isinstance(node, (gast.Dict, gast.DictComp))
        passes = isinstance(node, gast.Call) and self._passes_on(node.func)
        return passes or isinstance(node, (gast.List, gast.Tuple, gast.ListComp))

    def _may_hold(self, kind: Any, node: Any) -> bool:
        """Say whether a value may hold, however deep, what may be a list, or a dict."""
        if isinstance(node, gast.Name):
            return node.id in self._outer[kind]
        if isinstance(node, gast.Subscript):
            return self._may_hold(kind, node.value)
        parts = getattr(node, "elts", None) or getattr(node, "values", [])
        parts = [*parts, *(getattr(node, name, None) for name in ("elt", "value"))]
        shown = isinstance(node, (gast.List, gast.Tuple, gast.Dict, gast.ListComp, gast.DictComp))
        return shown and any(self._may_be(kind, p) or self._may_hold(kind, p) for p in parts)

    def _passes_on(self, func: Any) -> bool:
        """Say whether a function gives what is in its arguments, in some order."""
        function = self._program.reader.scope.resolve(func)
        return any(function is item for item in _PASS_ON)

    def _judge_Name(self, node: Any) -> bool:
        return node.id in self._floats

    def _judge_Constant(self, node: Any) -> bool:
        return node.value is None or isinstance(node.value, (float, complex))

    def _judge_BinOp(self, node: Any) -> bool:
        return (
            isinstance(node.op, gast.Div) or self._is_float(node.left) or self._is_float(node.right)
        )

    def _judge_UnaryOp(self, node: Any) -> bool:
        return not isinstance(node.op, gast.Not) and self._is_float(node.operand)

    def _judge_IfExp(self, node: Any) -> bool:
        return self._is_float(node.body) and self._is_float(node.orelse)

    def _judge_BoolOp(self, node: Any) -> bool:
        return all(map(self._is_float, node.values))

    def _judge_List(self, node: Any) -> bool:
        """Whole numbers beside floats become floats in an array."""
        others = [item for item in node.elts if not _is_whole(item)]
        return all(map(self._is_float, others)) and bool(others or not node.elts)

    _judge_Tuple = _judge_List

    def _judge_Dict(self, node: Any) -> bool:
        return all(map(self._is_float, node.values))

    def _judge_Subscript(self, node: Any) -> bool:
        return self._is_each(node.value)

    def _judge_Attribute(self, node: Any) -> bool:
        if node.attr in _PARTS:
            return self._is_float(node.value)
        return isinstance(self._program.reader.scope.resolve(node), float)

    def _judge_Call(self, node: Any) -> bool:
        operation = self._program.reader.read(node)
        if operation.kind not in ("primitive", "constant"):
            return False
        known = self._program.reader.vocabulary.primitive(operation.primal)
        if "dtype" in operation.keywords:
            return self._is_float_type(operation.keywords["dtype"])
        if known.dtype is not None and len(operation.args) > known.dtype:
            return self._is_float_type(operation.args[known.dtype])
        if isinstance(operation.primal, np.ufunc):
            return self._of_ufunc(operation)
        if known.kind in ("float", "int", "truth", "mixed"):
            return known.kind == "float"
        if known.kind == "first":
            return bool(operation.args) and self._is_float(operation.args[0])
        if operation.kind != "primitive" and known.kind != "promoted":
            return False
        return self._has_float(known, operation)

    def _has_float(self, known: Primitive, operation: Operation) -> bool:
        """Say whether one of the operands that a result is promoted from is of floats."""
        whole = known.shape == "told" or known.least > 2
        operands = operation.args[1:] if whole else operation.args
        if known.kind == "either":
            return all(map(self._is_float, operands))
        return any(map(self._any_float, operands))

    def _any_float(self, node: Any) -> bool:
        parts = node.elts if isinstance(node, (gast.List, gast.Tuple)) else [node]
        return any(map(self._is_float, parts)) or not parts

    def _of_ufunc(self, operation: Operation) -> bool:
        ufunc = operation.primal
        whole, real = ("l" * ufunc.nin, "d" * ufunc.nin)
        results = dict(item.split("->") for item in ufunc.types)
        if not set(results.get(real, "d")) <= set("fdgFDG"):
            return False
        whole_in = set(results.get(whole, "d")) <= set("efdg")
        return whole_in or any(map(self._is_float, operation.args))

    def _is_float_type(self, node: Any) -> bool:
        if isinstance(node, gast.Attribute) and node.attr == "dtype":
            return self._is_float(node.value)
        kind = self._program.reader.scope.resolve(node)
        kind = node.value if isinstance(node, gast.Constant) else kind
        try:
            return kind is not MISSING and np.dtype(kind).kind in "fc"
        except TypeError:
            return False


def _items(node: Any) -> Any:
    return gast.Starred(node, gast.Load())


def _is_whole(node: Any) -> bool:
    return isinstance(node, gast.Constant) and type(node.value) is int


def _is_word(key: Any) -> bool:
    """Say whether a key is that of a dict: an array has none."""
    return isinstance(getattr(key, "value", None), str)


def _is_part(read: Any) -> bool:
    return isinstance(read.slice, gast.Slice)
