"""Writes calls that write into arrays, such as ``np.add(a, b, out=c)``, as stores by index.

After this pass there is one way to write into an array. The view in ``x.T[0] = v`` gets a name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import CellType
from typing import Any, Final

import numpy as np

from srcgrad.frontend.normalize.counting import bind_outside
from srcgrad.frontend.normalize.nested_calls import NestedCalls
from srcgrad.frontend.normalize.wording import wording
from srcgrad.frontend.refusals import Refusals
from srcgrad.garbage import weakly
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, constant, load, store, subscript
from srcgrad.ir.marks import CASTS, REPEATS
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader, may_not_copy, writes_result
from srcgrad.ir.scopes import MISSING, Binding, Scope, has_meaning
from srcgrad.ir.targets import names_from_target
from srcgrad.ir.walk import blocks_of, found_in, names_read, nodes_in, statements
from srcgrad.runtime import add_at, turns

_VIEW_ATTRIBUTES: Final = frozenset(["T", "mT", "real"])
_VIEW_METHODS: Final = frozenset("reshape ravel transpose swapaxes squeeze diagonal view".split())
_SORTS: Final = frozenset(["sort", "partition"])


class WriteCalls:
    """Rewrites one function body.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> program = program_of("def f(x): return np.sum(x)")
    >>> body = parse('''
    ... np.multiply(a, b, out=c[1:])
    ... d = np.log(a, out=c, where=a > 0)
    ... a.fill(0.0)
    ... a.T[0] += x
    ... np.add.at(a, i, x)
    ... e = a[0] + np.exp(x, out=a)
    ... ''')
    >>> print(text(WriteCalls(program.reader, Namer(["c"])).block(body)))
    c_part = c[1:]
    c_part[...] = np.multiply(a, b)
    where = a > 0
    c[...] = np.where(where, np.log(np.where(where, a, 1)), c)
    d = c
    a[...] = 0.0
    a_t = a.T
    a_t[0] += x
    a[i] += x
    item = a[0]
    a[...] = np.exp(x)
    result_of_exp = a
    e = item + result_of_exp
    """

    def __init__(self, reader: Reader, namer: Namer) -> None:
        self._reader = reader
        self._namer = namer
        self._lists: set[str] = set()
        self._numpy = name_of_numpy(reader)
        self._done: list[Any] = []
        self._nested = NestedCalls(namer, weakly(self._goes_into_out))

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of the function with calls that write as assignments."""
        for node in [node for statement in body for node in found_in(statement, gast.Call)]:
            self._name_target(node)
        for statement in statements(body):
            if isinstance(statement, gast.Assign) and is_list(statement.value):
                self._lists |= {t.id for t in statement.targets if isinstance(t, gast.Name)}
        return self.block(body)

    def block(self, body: list[Any]) -> list[Any]:
        """Return a statement list with calls that write as assignments."""
        outer, self._done = self._done, []
        for statement in body:
            for part in blocks_of(statement):
                part[:] = self.block(part)
            for item in (*self._nested.before(statement), statement):
                self._statement(item)
        done, self._done = self._done, outer
        return done

    def _statement(self, statement: Any) -> None:
        if isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Call):
            if self._call(statement.value, statement):
                return
        elif _is_bound_whole(statement) and isinstance(statement.value, gast.Call):
            out = self._out(statement.value, statement)
            if out is not None:
                statement.value = out
        if isinstance(statement, gast.Assign):
            statement.targets = [self._target(item, statement) for item in statement.targets]
        elif isinstance(statement, gast.AugAssign):
            statement.target = self._target(statement.target, statement)
        self._done.append(statement)

    # -- calls

    def _call(self, node: Any, like: Any) -> bool:
        """Rewrite a call for its effect; say whether that was done."""
        func = node.func
        callee = self._reader.scope.resolve(func)
        if callee is add_at:  # a generated text is read
            return self._add_at(node.args, gast.Add(), like, by="add_at")
        if self._numpy is None:
            return False
        if self._out(node, like) is not None:
            return True
        if callee is not MISSING:
            return self._function(node, callee, like)
        if not isinstance(func, gast.Attribute):
            return False
        if not _is_reached(func.value) or func.attr not in {"fill", "put", "setflags", *_SORTS}:
            return False
        methods = {"fill": self._fill, "put": self._put_method, "setflags": self._set_flag}
        return methods.get(func.attr, self._sort)(node, like)

    def _put_method(self, node: Any, like: Any) -> bool:
        given = gast.Call(node.func, [node.func.value, *node.args], node.keywords)
        return self._function(given, np.put, like)

    def _set_flag(self, node: Any, like: Any) -> bool:
        """Write ``y.setflags(write=w)`` as ``y.flags.writeable = w``; other flags are left."""
        given: list[Any] = [*node.args, *node.keywords]
        if len(given) != 1 or getattr(given[0], "arg", "write") != "write":
            return False
        value = given[0].value if node.keywords else given[0]
        if isinstance(value, gast.Starred):
            return False
        flags = gast.Attribute(node.func.value, "flags", gast.Load())
        target = gast.Attribute(flags, "writeable", gast.Store())
        self._done.append(at(gast.Assign([target], value, None), like))
        return True

    def _fill(self, node: Any, like: Any) -> bool:
        """Write one number everywhere: where an array is given, NumPy broadcasts nothing."""
        if len(node.args) != 1 or node.keywords or isinstance(node.args[0], gast.Starred):
            return False  # which NumPy does not take, or nobody can read
        (value,) = node.args
        target = self._named(node.func.value, like)
        if not isinstance(value, (gast.Constant, gast.UnaryOp)):
            value = self._keep("item", value, like)
            raised = call("ValueError", constant("setting an array element with a sequence."))
            error = at(gast.Raise(raised, None), like)
            self._done.append(at(gast.If(self._np("ndim", clone(value)), [error], []), like))
        self._store(target, gast.Constant(Ellipsis, None), value, like)
        return True

    def _function(self, node: Any, callee: Any, like: Any) -> bool:
        handlers: dict[Any, Callable[..., bool]] = {
            np.copyto: self._copyto,
            np.put: self._put,
            np.putmask: self._putmask,
            np.place: self._place,
            np.fill_diagonal: self._fill_diagonal,
        }
        keywords = {item.arg: item.value for item in node.keywords}
        added = getattr(callee, "__name__", "") == "at" and getattr(callee, "__self__", None)
        if added in (np.add, np.subtract) and len(node.args) == 3 and not keywords:
            op = gast.Add() if added is np.add else gast.Sub()
            return self._add_at(node.args, op, like, by="ufunc")
        if isinstance(added, np.ufunc) and len(node.args) == added.nin + 1 and not keywords:
            return isinstance(node.func, gast.Attribute) and self._in_turns(node, added, like)
        try:
            handler = handlers.get(callee)
        except TypeError:
            return False
        if handler is None or not node.args or not _is_reached(node.args[0]):
            return False
        if any(isinstance(item, gast.Starred) for item in node.args) or None in keywords:
            return False
        try:
            return handler(like, *node.args, **keywords)
        except TypeError:
            return False  # an option that is not understood

    def _copyto(self, like: Any, dst: Any, src: Any, *, where: Any = None) -> bool:
        target = self._named(dst, like)
        value = src if where is None else self._np("where", where, src, clone(target))
        self._store(target, gast.Constant(Ellipsis, None), value, like, casts=True)
        return True

    def _put(self, like: Any, a: Any, ind: Any, v: Any) -> bool:
        target = self._named(a, like)
        if isinstance(v, gast.List) and len(v.elts) != len(getattr(ind, "elts", v.elts)):
            v = self._np("resize", v, constant(len(ind.elts)))
        self._store(target, self._flat(target, ind), v, like)
        return True

    def _putmask(self, like: Any, a: Any, mask: Any, values: Any) -> bool:
        target = self._named(a, like)
        if not isinstance(values, gast.Constant):
            values = self._np("resize", values, gast.Attribute(clone(target), "shape", gast.Load()))
        value = self._np("where", mask, values, clone(target))
        self._store(target, gast.Constant(Ellipsis, None), value, like)
        return True

    def _place(self, like: Any, arr: Any, mask: Any, vals: Any) -> bool:
        target = self._named(arr, like)
        chosen = self._keep("mask", self._np("asarray", mask, load("bool")), like)
        count = self._np("count_nonzero", clone(chosen))
        self._store(target, chosen, self._np("resize", vals, count), like)
        return True

    def _fill_diagonal(self, like: Any, a: Any, val: Any) -> bool:
        target = self._named(a, like)
        shape = gast.Attribute(clone(target), "shape", gast.Load())
        rank = gast.Attribute(clone(target), "ndim", gast.Load())
        places = self._np("diag_indices", call("min", shape), rank)
        self._store(target, places, val, like)
        return True

    def _add_at(self, args: list[Any], op: Any, like: Any, *, by: str) -> bool:
        if not _is_reached(args[0]):
            return False
        target = self._named(args[0], like)
        place = subscript(target, args[1], storing=True)
        update = at(gast.AugAssign(place, op, args[2]), like)
        REPEATS.put(update, by)  # an element that is named twice is added to twice
        self._done.append(update)
        return True

    def _in_turns(self, node: Any, ufunc: np.ufunc, like: Any) -> bool:
        """Write ``np.maximum.at(a, i, b)`` as updates of elements, of which none comes twice."""
        known = self._reader.vocabulary.rule_for(ufunc)
        if known is None or ufunc.nout != 1 or not _is_reached(node.args[0]):
            return False
        target = self._named(node.args[0], like)
        index = self._keep("index", node.args[1], like)
        values = [
            item if isinstance(item, gast.Constant) else self._as_named(item, target, index, like)
            for item in node.args[2:]
        ]
        places, chosen = self._namer.fresh("places"), self._namer.fresh("chosen")
        parts = [
            clone(item) if isinstance(item, gast.Constant) else subscript(item, load(chosen))
            for item in values
        ]
        taken = subscript(clone(target), load(places))
        value = at(gast.Call(node.func.value, [taken, *parts], []), node)
        store_there = assign(subscript(clone(target), load(places), storing=True), value, like)
        CASTS.put(store_there, True)
        name = bind_outside(self._reader, self._namer.fresh("turns"), turns)
        pair = gast.Tuple([store(places), store(chosen)], gast.Store())
        every = call(name, clone(target), clone(index))
        self._done.append(at(gast.For(pair, every, [store_there], [], None), like))
        return True

    def _as_named(self, value: Any, target: Any, index: Any, like: Any) -> Any:
        """Return the values that belong to the elements that an index names, one for each."""
        shape = self._np("shape", subscript(clone(target), clone(index)))
        return self._keep("values", self._np("broadcast_to", value, shape), like)

    def _sort(self, node: Any, like: Any) -> bool:
        owner = node.func.value
        while isinstance(owner, gast.Subscript) and _has_slice(owner.slice):
            owner = owner.value
        if not isinstance(owner, gast.Name) or owner.id in self._lists:
            return False
        if owner.id not in self._reader.scope.local:  # it may be a list
            return False
        target = self._named(node.func.value, like)
        value = self._np(node.func.attr, clone(target), *node.args)
        value.keywords = node.keywords
        self._store(clone(target), gast.Constant(Ellipsis, None), value, like)
        return True

    # -- out=

    def _name_target(self, node: Any) -> None:
        """Give `out`, and what is after it, by name where a call gives it by position."""
        names = names_from_target(node, self._reader)
        if not names or isinstance(self._reader.scope.resolve(node.func), np.ufunc):
            return
        first = len(node.args) - len(names)
        named = [gast.keyword(n, item) for n, item in zip(names, node.args[first:], strict=True)]
        node.args, node.keywords = node.args[:first], [*named, *node.keywords]

    def _out(self, node: Any, like: Any) -> Any:
        """Write what goes into `out` there; return the name of that, or None if there is none."""
        if not self._goes_into_out(node):
            return None
        callee = self._reader.scope.resolve(node.func)
        out = self._given_out(node, callee)
        mask = next((item.value for item in node.keywords if item.arg == "where"), None)
        operands = list(node.args)
        if isinstance(callee, np.ufunc):
            operands = operands[: callee.nin]
        keywords = [item for item in node.keywords if item.arg not in ("out", "where")]
        target = self._named(out, like)
        if callee is np.nan_to_num:  # into what it is given
            operands[:2] = [clone(target), *map(constant, [True] * len(operands[1:2]))]
            keywords = [item for item in keywords if item.arg != "copy"]
        if mask is not None:
            mask = self._keep("where", mask, like)
            one = gast.Constant(1, None)
            operands = [self._np("where", clone(mask), item, clone(one)) for item in operands]
        value: Any = at(gast.Call(node.func, operands, keywords), node)
        if mask is not None:
            value = self._np("where", mask, value, clone(target))
        self._store(clone(target), gast.Constant(Ellipsis, None), value, like, casts=True)
        if callee is np.nan_to_num:  # without axes, a number
            return subscript(target, gast.Tuple([], gast.Load()))
        return target

    def _goes_into_out(self, node: Any) -> bool:
        """Say whether the result of a call goes into an `out` that may be written by index."""
        callee = self._reader.scope.resolve(node.func)
        out = self._given_out(node, callee)
        if out is None or self._numpy is None or not _is_made_or_reached(out):
            return False
        masked = any(item.arg == "where" for item in node.keywords)
        return self._is_known(node, callee) and (isinstance(callee, np.ufunc) or not masked)

    def _given_out(self, node: Any, callee: Any) -> Any:
        out = next((item.value for item in node.keywords if item.arg == "out"), None)
        if may_not_copy(node, callee):
            told = [*node.args[1:2], *[item.value for item in node.keywords if item.arg == "copy"]]
            known = node.args and all(isinstance(item, gast.Constant) for item in told)
            return node.args[0] if known else None
        if isinstance(callee, np.ufunc) and len(node.args) > callee.nin:
            out = node.args[callee.nin] if len(node.args) == callee.nin + 1 else None
        if isinstance(out, gast.Tuple):
            out = out.elts[0] if len(out.elts) == 1 else None
        if isinstance(callee, np.ufunc) and callee.nout > 1:
            return None
        return None if isinstance(out, gast.Constant) else out

    def _is_known(self, node: Any, callee: Any) -> bool:
        vocabulary = self._reader.vocabulary
        if callee is not MISSING:
            known = vocabulary.rule_for(callee) or vocabulary.constant_reason(callee)
            return known is not None
        methods = (*vocabulary.methods, *vocabulary.constant_methods)
        return isinstance(node.func, gast.Attribute) and node.func.attr in methods

    # -- targets

    def _target(self, target: Any, like: Any) -> Any:
        """Give a name to the view that ``x.T[i] = v`` or ``x[0][i] = v`` writes into.

        What ``f(x)[i] += v`` writes into is returned before `v` is computed; ``f(x)[i] = v`` calls
        `f` after that.
        """
        if isinstance(target, (gast.Tuple, gast.List)):
            return target
        if not isinstance(target, gast.Subscript) or isinstance(target.value, gast.Name):
            return target
        whole = target.value
        if isinstance(whole, gast.Attribute) and whole.attr == "flat" and self._numpy is not None:
            if _is_reached(whole.value):
                name = self._named(whole.value, like)
                return subscript(name, self._flat(name, target.slice), storing=True)
            return target
        called = isinstance(whole, gast.Call) and isinstance(like, gast.AugAssign)
        if called or _is_reached(whole):
            target.value = self._named(whole, like)
        return target

    # -- pieces

    def _np(self, name: str, *args: Any) -> Any:
        return call(f"{self._numpy}.{name}", *args)

    def _named(self, value: Any, like: Any) -> Any:
        if isinstance(value, gast.Name):
            return load(value.id)
        return self._keep(wording(value), value, like)

    def _keep(self, wish: str, value: Any, like: Any) -> Any:
        if isinstance(value, gast.Name):
            return load(value.id)
        name = self._namer.fresh(wish)
        self._done.append(assign(store(name), value, like))
        return load(name)

    def _store(
        self, target: Any, index: Any, value: Any, like: Any, *, casts: bool = False
    ) -> None:
        stored = assign(subscript(target, index, storing=True), value, like)
        CASTS.put(stored, casts)  # NumPy asks whether the target takes values of that kind
        self._done.append(stored)

    def _flat(self, target: Any, index: Any) -> Any:
        """Return the index of elements that are counted along all axes."""
        size = gast.Attribute(clone(target), "size", gast.Load())
        shape = gast.Attribute(clone(target), "shape", gast.Load())
        places = subscript(self._np("arange", size), index)
        return self._np("unravel_index", places, shape)


def refuse_inner_writes(
    body: list[Any], reader: Reader, varies: Collection[str], refusals: Refusals
) -> None:
    """Refuse calls with an `out=` of what varies inside of expressions, which only compute."""
    for statement in statements(body):
        whole = getattr(statement, "value", None)
        parts = [part for part in nodes_in(statement) if not isinstance(part, gast.stmt)]
        for node in [node for part in parts for node in found_in(part, gast.Call)]:
            callee = reader.scope.resolve(node.func)
            into_operand = may_not_copy(node, callee)  # said by a name, or of something odd
            if node is whole and not into_operand:
                continue
            writes = into_operand or writes_result(node, callee)
            if writes and not set(names_read(node)).isdisjoint(varies):
                refusals.add(
                    node,
                    "a write into an array inside of an expression is not differentiated by source",
                    "call it in a statement of its own",
                )


def name_of_numpy(reader: Reader) -> str | None:
    """Return the name that the module of a function has for NumPy, or the one that the text gives.

    None where that means something else.
    """
    scope = reader.scope
    names = ["np", "numpy", *(k for k, v in scope.function.__globals__.items() if v is np)]
    found = next((name for name in names if scope.lookup(name) is np), None)
    if found is None and "np" not in scope.local | scope.made and not _has_meaning("np", scope):
        scope.used["np"] = Binding("np", np, CellType(np))
        return "np"
    return found


def _has_meaning(name: str, scope: Scope) -> bool:
    return name in scope.nothing or has_meaning(name, scope.function)


def _is_bound_whole(statement: Any) -> bool:
    """Say whether a statement first computes its value: an update of a name reads no element."""
    updated = isinstance(statement, gast.AugAssign) and isinstance(statement.target, gast.Name)
    return updated or isinstance(statement, gast.Assign)


def _is_reached(value: Any) -> bool:
    """Say whether a value is a variable or a part of one: a view, an entry of a list or dict."""
    while not isinstance(value, gast.Name):
        viewed = isinstance(value, gast.Attribute) and value.attr in _VIEW_ATTRIBUTES
        if viewed or isinstance(value, gast.Subscript):
            value = value.value
        elif (
            isinstance(value, gast.Call)
            and isinstance(value.func, gast.Attribute)
            and value.func.attr in _VIEW_METHODS
        ):
            value = value.func.value
        else:
            return False
    return True


def _has_slice(index: Any) -> bool:
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    return any(isinstance(part, gast.Slice) for part in parts)


def _is_made_or_reached(value: Any) -> bool:
    return isinstance(value, (gast.Call, gast.BinOp)) or _is_reached(value)


def is_list(value: Any) -> bool:
    """Say whether an expression makes a list or a tuple."""
    made = isinstance(value, gast.Call) and getattr(value.func, "id", "") in ("list", "sorted")
    return made or isinstance(value, (gast.List, gast.ListComp, gast.Tuple))
