"""Takes expressions that carry derivatives apart: one operation a statement, on names and literals.

Expressions that carry none stay as the user wrote them.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Protocol

import gast

from srcgrad.errors import MissingRuleError, MutationError
from srcgrad.frontend.normalize.loops import index_loop
from srcgrad.frontend.normalize.wording import wording
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir.build import assign, at, clone, load, store, subscript
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Operation, Reader
from srcgrad.ir.program import bound_names
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import names_bound, names_read, statements


class Varies(Protocol):
    """The names that may carry a derivative, and the test of expressions against them."""

    names: set[str]

    def of(self, node: Any) -> bool:
        """Say whether an expression may carry a derivative."""


class Flattener:
    """Rewrites one function body into normal form.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> print(text(program_of('''
    ... def f(x, y):
    ...     return np.sin(x * y[0]) + np.pi / 2
    ... ''').body))
    y_0 = y[0]
    x_times_y_0 = x * y_0
    sin = np.sin(x_times_y_0)
    ratio = np.pi / 2
    out = sin + ratio
    return out
    """

    def __init__(self, varies: Varies, reader: Reader, namer: Namer, refusals: Refusals) -> None:
        self.varies = varies
        self.reader = reader
        self.namer = namer
        self.refusals = refusals
        self.lists: set[str] = set()
        self.dicts: set[str] = set()
        self._out: list[Any] = []

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of the function in normal form."""
        for statement in statements(body):
            targets = statement.targets if isinstance(statement, gast.Assign) else []
            targets = [
                *targets,
                *([statement.target] if isinstance(statement, gast.AugAssign) else []),
            ]
            if targets and self._is_list(statement.value):
                self.lists.update(item.id for item in targets if isinstance(item, gast.Name))
        self.dicts = {
            node.value.id for item in body for node in gast.walk(item) if _treats_as_dict(node)
        }
        return self.block(body)

    def block(self, body: list[Any]) -> list[Any]:
        """Return a statement list in normal form."""
        outer, self._out = self._out, []
        for statement in body:
            handler: Callable[[Any], None] | None
            handler = getattr(self, f"_{type(statement).__name__}", None)
            if handler is None:
                self._out.append(statement)
            else:
                handler(statement)
        done, self._out = self._out, outer
        return done

    # -- statements

    def _Assign(self, node: Any) -> None:
        first, *others = node.targets
        if others:
            value = self.atom(node.value, node)
            for target in node.targets:
                self._bind(target, clone(value), node)
            return
        self._bind(first, node.value, node)

    def _AnnAssign(self, node: Any) -> None:
        if node.value is not None:
            self._bind(node.target, node.value, node)

    def _AugAssign(self, node: Any) -> None:
        target = node.target
        if isinstance(target, gast.Name):
            value = at(gast.BinOp(load(target.id), node.op, node.value), node)
            before = len(self._out)
            self.into(target.id, value, node)
            if len(self._out) > before:
                self._out[-1].in_place = True
            return
        if not self.varies.of(target) and not self.varies.of(node.value):
            self._out.append(node)
            return
        if not self._is_plain_element(target):
            return
        target.slice = self._index(target.slice, node)
        value = self._stored(node.value, target, node)
        if isinstance(node.op, (gast.Add, gast.Sub)):
            self._out.append(at(gast.AugAssign(target, node.op, value), node))
            return
        old = subscript(load(target.value.id), clone(target.slice))
        new = self.atom(at(gast.BinOp(old, node.op, value), node), node)
        self._out.append(assign(target, new, node))

    def _Expr(self, node: Any) -> None:
        if isinstance(node.value, gast.Constant):
            return
        if self.varies.of(node.value):
            self._refuse_call(node.value)
        self._out.append(node)

    def _If(self, node: Any) -> None:
        test = self._test(node.test, node)
        self._out.append(at(gast.If(test, self.block(node.body), self.block(node.orelse)), node))

    def _While(self, node: Any) -> None:
        self._out.append(at(gast.While(node.test, self.block(node.body), []), node))

    def _For(self, node: Any) -> None:
        if self.varies.of(node.iter):
            loop = None
            if not self._runs_over_keys(node):
                rebound = bound_names([node])
                simple = functools.partial(self._sequence, rebound=rebound, node=node)
                loop = index_loop(node, self.reader, self.namer, simple)
            if loop is None:
                self.refusals.add(
                    node.iter,
                    "a loop over this iterable is not differentiated by source",
                    "loop over `range(len(x))` and index",
                )
                return
            node = loop
            self.varies.names.difference_update(names_bound(node.target))
        node.iter = self._iterable(node.iter, node)
        body = self.block(node.body)
        self._out.append(at(gast.For(node.target, node.iter, body, [], None), node))

    def _sequence(self, value: Any, *, rebound: set[str], node: Any) -> Any:
        """Return a name of what a loop runs over that the loop does not bind anew."""
        sequence = self.atom(value, node)
        if getattr(sequence, "id", None) not in rebound:
            return sequence
        name = self.namer.fresh("items")
        self.varies.names.add(name)
        self._out.append(assign(name, sequence, node))
        return load(name)

    def _runs_over_keys(self, loop: Any) -> bool:
        """Say whether a loop surely runs over the keys of a dict, which have no positions."""
        if not isinstance(loop.iter, gast.Name):
            return isinstance(loop.iter, gast.Dict)
        name = loop.iter.id
        return name in self.dicts or any(
            isinstance(item, gast.Subscript)
            and getattr(item.value, "id", None) == name
            and getattr(item.slice, "id", "") in names_bound(loop.target)
            for statement in loop.body
            for item in gast.walk(statement)
        )

    def _Return(self, node: Any) -> None:
        self._out.append(node)

    # -- targets

    def _bind(self, target: Any, value: Any, node: Any) -> None:
        if isinstance(target, gast.Name):
            self.into(target.id, value, node)
        elif isinstance(target, (gast.Tuple, gast.List)):
            self._unpack(target, value, node)
        elif not self.varies.of(target) and not self.varies.of(value):
            self._out.append(assign(target, value, node))
        elif self._is_plain_element(target):
            target.slice = self._index(target.slice, node)
            self._out.append(assign(target, self._stored(value, target, node), node))

    def _stored(self, value: Any, target: Any, node: Any) -> Any:
        """Return the value of a store as a name other than that of the array written into."""
        stored = self.atom(value, node)
        if getattr(stored, "id", None) != target.value.id:
            return stored
        name = self.namer.fresh("item")
        self.varies.names.add(name)
        self._out.append(assign(name, stored, node))
        return load(name)

    def _is_plain_element(self, target: Any) -> bool:
        if isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name):
            return True
        self.refusals.add(
            target,
            "a write into an attribute or a nested element is not differentiated by source",
            "write into a local array and keep that",
            MutationError,
        )
        return False

    def _unpack(self, target: Any, value: Any, node: Any) -> None:
        plain = all(not isinstance(item, gast.Starred) for item in target.elts)
        if (
            isinstance(value, (gast.Tuple, gast.List))
            and len(value.elts) == len(target.elts)
            and plain
        ):
            self._assign_pairwise(target.elts, value.elts, node)
            return
        if not self.varies.of(value):
            self._out.append(assign(target, value, node))
            return
        if not plain:
            self.refusals.add(
                target, "a starred target of values with derivatives", "index instead"
            )
            return
        if self._is_one_value(value, len(target.elts)):
            value = self.atom(value, node)
        names = [self._target_name(item) for item in target.elts]
        targets = gast.Tuple([store(name) for name in names], gast.Store())
        self._out.append(assign(targets, self._operands(value, node), node))
        for item, name in zip(target.elts, names, strict=True):
            if not isinstance(item, gast.Name):
                self.varies.names.add(name)
                self._bind(item, load(name), node)

    def _is_one_value(self, value: Any, wanted: int) -> bool:
        """Say whether a primitive returns one value, whose elements are unpacked then."""
        operation = self.reader.read(value)
        results = self.reader.vocabulary.results
        return operation.kind == "primitive" and results(operation.primal, wanted) == 1

    def _target_name(self, item: Any) -> str:
        return str(item.id) if isinstance(item, gast.Name) else self.namer.fresh("item")

    def _assign_pairwise(self, targets: list[Any], values: list[Any], node: Any) -> None:
        """Assign all values after all are computed, as Python does; swaps stay right."""
        bound = {name for target in targets for name in names_bound(target)}
        simple = not any(bound.intersection(names_read(value)) for value in values[1:])
        if simple and all(isinstance(target, gast.Name) for target in targets):
            for target, value in zip(targets, values, strict=True):
                self._bind(target, value, node)
            return
        kept = []
        for target, value in zip(targets, values, strict=True):
            name = self.namer.version(target.id) if isinstance(target, gast.Name) else None
            name = name or self.namer.fresh(wording(value))
            if self.varies.of(value):
                self.varies.names.add(name)
            self.into(name, value, node)
            kept.append(name)
        for target, name in zip(targets, kept, strict=True):
            self._bind(target, load(name), node)

    # -- expressions

    def into(self, name: str, value: Any, node: Any) -> None:
        """Emit the statements that compute `value` and bind it to `name`."""
        if isinstance(value, gast.IfExp) and self.varies.of(value):
            test = self._test(value.test, node)
            then = self._branch(name, value.body, node)
            other = self._branch(name, value.orelse, node)
            self._out.append(at(gast.If(test, then, other), node))
            return
        done = self._operands(value, node) if self.varies.of(value) else value
        self._out.append(assign(name, done, node))

    def _branch(self, name: str, value: Any, node: Any) -> list[Any]:
        outer, self._out = self._out, []
        self.into(name, value, node)
        done, self._out = self._out, outer
        return done

    def atom(self, value: Any, node: Any) -> Any:
        """Return `value` if it is simple, or a new name bound to it."""
        if isinstance(value, gast.Name) or (self._is_cheap(value) and not self.varies.of(value)):
            return value
        name = self.namer.fresh(wording(value))
        if self.varies.of(value):
            self.varies.names.add(name)
        self.into(name, value, node)
        return load(name)

    def _operands(self, value: Any, node: Any) -> Any:
        """Return one operation with its operands made simple."""
        operation = self.reader.read(value)
        if operation.kind == "unknown":
            self._refuse_call(value)
            return value
        if operation.kind == "primitive" and not self._fits_rule(operation, value):
            return value
        if isinstance(value, gast.BinOp):
            if not self._is_arithmetic(value):
                return value
            value.left, value.right = self.atom(value.left, node), self.atom(value.right, node)
        elif isinstance(value, gast.UnaryOp):
            value.operand = self.atom(value.operand, node)
        elif isinstance(value, gast.Subscript):
            value.value = self.atom(value.value, node)
            value.slice = self._index(value.slice, node)
        elif isinstance(value, gast.Attribute):
            value.value = self.atom(value.value, node)
        elif isinstance(value, (gast.Tuple, gast.List)):
            value.elts = [self.atom(item, node) for item in value.elts]
        elif isinstance(value, gast.Dict):
            value.values = [self.atom(item, node) for item in value.values]
        elif isinstance(value, gast.Call):
            self._call_operands(value, node, shown=operation.kind != "user")
        return value

    def _fits_rule(self, operation: Operation, value: Any) -> bool:
        """Refuse options that the rule of a primitive does not know, such as `out=`."""
        rule = self.reader.vocabulary.rule_for(operation.primal)
        try:
            _signature(rule).bind(None, *operation.args, **operation.keywords)
        except TypeError:
            name = self.reader.vocabulary.canonical_name(operation.primal)
            self.refusals.add(
                value,
                f"the call of `{name}` with these arguments has no derivative rule",
                "write it without `out=`, `where=` and rare options",
                MutationError if "out" in operation.keywords else MissingRuleError,
            )
            return False
        return True

    def _is_arithmetic(self, value: Any) -> bool:
        """Refuse `+` and `*` of lists, which join and repeat them."""
        sides = [value.left, value.right]
        lists = [side for side in sides if self._is_list(side)]
        if len(lists) < 2 and not any(self.varies.of(side) for side in lists):
            return True
        self.refusals.add(
            value,
            "joining or repeating lists of values with derivatives is not differentiated by source",
            "use np.concatenate or np.stack",
        )
        return False

    def _is_list(self, node: Any) -> bool:
        if isinstance(node, gast.Name):
            return node.id in self.lists
        if isinstance(node, gast.BinOp):
            return self._is_list(node.left) or self._is_list(node.right)
        return isinstance(node, (gast.List, gast.ListComp, gast.Tuple))

    def _call_operands(self, call: Any, node: Any, *, shown: bool) -> None:
        func = call.func
        if isinstance(func, gast.Attribute) and self.reader.scope.resolve(func) is MISSING:
            func.value = self.atom(func.value, node)
        operand = self._argument if shown else self.atom
        call.args = [operand(item, node) for item in call.args]
        for item in call.keywords:
            item.value = operand(item.value, node)

    def _argument(self, value: Any, node: Any) -> Any:
        """A display of arrays, as `np.concatenate` takes, stays in the call."""
        if isinstance(value, (gast.Tuple, gast.List)):
            value.elts = [self.atom(item, node) for item in value.elts]
            return value
        return self.atom(value, node)

    def _index(self, index: Any, node: Any) -> Any:
        if isinstance(index, gast.Tuple):
            index.elts = [self._index(item, node) for item in index.elts]
            return index
        if isinstance(index, gast.Slice) or self._is_cheap(index, inside_index=True):
            return index
        name = self.namer.fresh(wording(index))
        self._out.append(assign(name, index, node))
        return load(name)

    def _test(self, test: Any, node: Any) -> Any:
        if isinstance(test, (gast.Name, gast.Constant)):
            return test
        name = self.namer.fresh("test")
        self._out.append(assign(name, test, node))
        return load(name)

    def _iterable(self, iterable: Any, node: Any) -> Any:
        if not (
            isinstance(iterable, gast.Call) and self.reader.scope.resolve(iterable.func) is range
        ):
            return iterable
        arguments = []
        for item in iterable.args:
            if self._is_cheap(item, inside_index=True):
                arguments.append(item)
            else:
                name = self.namer.fresh(wording(item))
                self._out.append(assign(name, item, node))
                arguments.append(load(name))
        iterable.args = arguments
        return iterable

    def _is_cheap(self, node: Any, *, inside_index: bool = False) -> bool:
        """Say whether an expression costs nothing to evaluate again."""
        if node is None or isinstance(node, (gast.Constant, gast.Name)):
            return True
        if isinstance(node, (gast.Tuple, gast.List)):
            return all(self._is_cheap(item, inside_index=inside_index) for item in node.elts)
        if isinstance(node, gast.UnaryOp):
            return isinstance(node.operand, gast.Constant) or (
                inside_index and self._is_cheap(node.operand, inside_index=True)
            )
        if isinstance(node, gast.Slice):
            return all(
                self._is_cheap(part, inside_index=True)
                for part in (node.lower, node.upper, node.step)
            )
        if isinstance(node, gast.BinOp) and inside_index:
            return self._is_cheap(node.left, inside_index=True) and self._is_cheap(
                node.right, inside_index=True
            )
        return self._is_size(node) or self.reader.scope.resolve(node) is not MISSING

    def _is_size(self, node: Any) -> bool:
        """Say whether an expression is `x.shape`, `x.shape[0]`, `x.ndim` or `len(x)`."""
        if isinstance(node, gast.Subscript):
            return isinstance(node.slice, gast.Constant) and self._is_size(node.value)
        if isinstance(node, gast.Attribute):
            return self.reader.constant_attribute(node) and isinstance(node.value, gast.Name)
        return (
            isinstance(node, gast.Call)
            and self.reader.scope.resolve(node.func) is len
            and isinstance(node.args[0], gast.Name)
        )

    def _refuse_call(self, value: Any) -> None:
        if isinstance(value, gast.Call):
            callee = self.reader.scope.resolve(value.func)
            name = getattr(value.func, "attr", None) or getattr(value.func, "id", "this")
            if callee is not MISSING:
                name = self.reader.vocabulary.canonical_name(callee)
            self.refusals.add(
                value,
                f"the call of `{name}` has no derivative rule",
                "write a `Function` with its forward and backward and call `apply`",
                MissingRuleError,
            )
            return
        kind = type(value).__name__
        self.refusals.add(
            value,
            f"this expression ({kind}) on values with derivatives is not differentiated by source",
            "write it as statements, or leave it to the tape with fallback='tape'",
        )


def _treats_as_dict(node: Any) -> bool:
    """Say whether a node is ``p["key"]``, ``p.items`` or the like, with a name for `p`."""
    if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name):
        return isinstance(getattr(node.slice, "value", None), str)
    return (
        isinstance(node, gast.Attribute)
        and isinstance(node.value, gast.Name)
        and node.attr in ("items", "keys", "values", "get")
    )


@functools.cache
def _signature(rule: Any) -> inspect.Signature:
    return inspect.signature(rule.forward)
