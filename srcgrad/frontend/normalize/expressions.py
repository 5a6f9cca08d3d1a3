"""Takes expressions that carry derivatives apart: one operation a statement, on simple operands."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError, MutationError
from srcgrad.frontend.callees import is_library
from srcgrad.frontend.joining import joins_of
from srcgrad.frontend.normalize.cheapness import is_cheap
from srcgrad.frontend.normalize.containers import Containers
from srcgrad.frontend.normalize.selects import nested_where
from srcgrad.frontend.normalize.starred import with_counted_star
from srcgrad.frontend.normalize.unwritten import why_not
from srcgrad.frontend.normalize.wording import wording
from srcgrad.frontend.normalize.workspace import Workspace
from srcgrad.frontend.normalize.writes import name_of_numpy
from srcgrad.frontend.weak_memory import bound, signature_of
from srcgrad.garbage import weakly
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load
from srcgrad.ir.idioms import idiom_of
from srcgrad.ir.operations import Operation
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import names_read
from srcgrad.rules.library import is_default
from srcgrad.spans import Placed


class Expressions:
    """Makes the statements that compute the expressions of one function."""

    def __init__(self, work: Workspace) -> None:
        self._work = work
        self._varies = work.varies
        self._reader = work.reader
        self._namer = work.namer
        self._refusals = work.refusals
        self.containers = Containers(work, weakly(self.atom))

    def into(self, name: str, value: Any, node: Any) -> None:
        """Emit the statements that compute `value` and bind it to `name`."""
        if isinstance(value, gast.BoolOp) and self._varies.of(value):
            value = self._chosen(value, node)
        if isinstance(value, gast.IfExp) and self._varies.of(value):
            test = self.test(value.test, node)
            then = self._branch(name, value.body, node)
            other = self._branch(name, value.orelse, node)
            self._work.emit(at(gast.If(test, then, other), node))
            return
        if self._varies.of(value) or self._runs_over_keys(value):
            made = self.containers.making(name, value, node)
            if made is not None:
                self._work.run(made)
                return
            value = self.operands(value, node)
        self._work.emit(assign(name, value, node))

    def _runs_over_keys(self, value: Any) -> bool:
        """Say whether a dict of constants gets the keys of another, whose entries vary."""
        return isinstance(value, gast.DictComp) and any(
            isinstance(part.iter, gast.Name) and self._varies.of(part.iter)
            for part in value.generators
        )

    def _chosen(self, value: Any, node: Any) -> Any:
        """Return ``a or b`` as ``a if a else b``, with a name for `a`."""
        first, *others = value.values
        first = self.atom(first, node)
        rest = others[0] if len(others) == 1 else at(gast.BoolOp(value.op, others), value)
        if isinstance(value.op, gast.And):
            return at(gast.IfExp(clone(first), rest, first), value)
        return at(gast.IfExp(clone(first), first, rest), value)

    def _branch(self, name: str, value: Any, node: Any) -> list[Any]:
        outer = self._work.begin()
        self.into(name, value, node)
        return self._work.end(outer)

    def atom(self, value: Any, node: Any) -> Any:
        """Return `value` if it is simple, or a new name bound to it."""
        if isinstance(value, gast.Name) or (self._stays(value) and not self._varies.of(value)):
            return value
        if isinstance(value, gast.Starred):
            used_up = self.containers.as_list(value.value)
            return gast.Starred(self.atom(used_up, node), gast.Load())
        name = self._namer.fresh(wording(value))
        if self._varies.of(value):
            self._varies.names.add(name)
        self._work.note_list(name, value)
        self.into(name, value, node)
        return load(name)

    def operands(self, value: Any, node: Any) -> Any:
        """Return one operation with its operands made simple."""
        value, operation = self._spelled(value)
        if isinstance(value, gast.Call) and operation.primal is self._reader.vocabulary.getitem:
            read = gast.Subscript(*operation.args, gast.Load())  # as rules of ours spell it
            return self.operands(gast.copy_location(read, value), node)
        if operation.kind == "unknown":
            self.refuse(value)
            return value
        if operation.kind == "primitive" and not self._fits_rule(operation, value):
            return value
        if isinstance(value, gast.BinOp):
            self._arithmetic(value, node)
        elif isinstance(value, gast.UnaryOp):
            value.operand = self.atom(value.operand, node)
        elif isinstance(value, gast.Subscript) and self._reader.computing_owner(value) is not None:
            value.slice = self._argument(value.slice, node)
        elif isinstance(value, gast.Subscript):
            value.value = self.atom(value.value, node)
            value.slice = self.index(value.slice, node)
        elif isinstance(value, gast.Attribute):
            value.value = self.atom(value.value, node)
        elif isinstance(value, (gast.Tuple, gast.List)):
            value.elts = [self.atom(item, node) for item in value.elts]
        elif isinstance(value, gast.Dict):
            value.values = [self.atom(item, node) for item in value.values]
        elif isinstance(value, gast.Call):
            self._by_position(operation, value)
            self._call_operands(value, node, shown=operation.kind != "user")
        return value

    def _spelled(self, value: Any) -> tuple[Any, Operation]:
        """Return an expression as it is compiled, and what it does."""
        value = with_counted_star(value, self._work)
        operation = self._reader.read(value)
        nested = nested_where(value, operation)
        return (value, operation) if nested is None else (nested, self._reader.read(nested))

    def _refuse_lists_joined(self, operation: Operation, value: Any) -> None:
        """Refuse to hand a list to a function that is compiled as if it got an array."""
        if operation.kind != "user" or not isinstance(operation.primal, FunctionType):
            return
        order = operation.primal.__code__.co_varnames
        given = [*zip(order, operation.args, strict=False), *operation.keywords.items()]
        lists = [name for name, item in given if self._work.is_surely_list(item)]
        if not lists:
            return
        for join in joins_of(operation.primal):
            if join.name in lists and not join.depth:
                self._refusals.add(
                    value,
                    f"`{operation.primal.__name__}` may join, repeat or update the list that is "
                    f"given as `{join.name}`",
                    "give it an array, such as np.stack of the list",
                )
                return

    def _arithmetic(self, value: Any, node: Any) -> None:
        """Make the operands of arithmetic simple, or the one of what is known as a whole."""
        idiom = idiom_of(value, self._reader.scope)
        if idiom is not None:
            idiom.replace(self.atom(idiom.operand, node))
        elif self._is_arithmetic(value):
            value.left, value.right = self.atom(value.left, node), self.atom(value.right, node)

    def operands_of(self, call: Any, node: Any) -> Any:
        """Return a call with its arguments made simple."""
        self._call_operands(call, node, shown=False)
        return call

    def _fits_rule(self, operation: Operation, value: Any) -> bool:
        """Refuse options that the rule of a primitive does not know, such as `out=`."""
        rule = self._reader.vocabulary.rule_for(operation.primal)
        self._drop_defaults(operation, value)
        given = bound(rule.forward, (None, *operation.args), operation.keywords)
        if given is None or not _is_none(given.get("out")):
            name = self._reader.vocabulary.canonical_name(operation.primal)
            self._refusals.add(
                value,
                f"the call of `{name}` with these arguments has no derivative rule",
                "write it without `out=`, `where=` and rare options",
                MutationError if "out" in operation.keywords else MissingRuleError,
            )
            return False
        return not self._casts_to_integers(given.get("dtype"), operation, value)

    def _drop_defaults(self, operation: Operation, call: Any) -> None:
        """Leave out what a call says that is so without it, such as ``output=None``."""
        vocabulary = self._reader.vocabulary
        known = signature_of(vocabulary.rule_for(operation.primal).forward).parameters
        for item in [item for item in getattr(call, "keywords", ()) if item.arg not in known]:
            said = item.value.value if isinstance(item.value, gast.Constant) else MISSING
            if said is not MISSING and is_default(operation.primal, item.arg, said):
                call.keywords.remove(item)
                del operation.keywords[item.arg]

    def _by_position(self, operation: Operation, call: Any) -> None:
        """Write ``np.dot(a=x, b=y)`` as ``np.dot(x, y)``: operands are looked for by position."""
        if operation.kind != "primitive":
            return
        rule = self._reader.vocabulary.rule_for(operation.primal)
        _, *parameters = signature_of(rule.forward).parameters.values()
        required = [
            p.name for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
        ]
        for name in required[len(operation.args) :]:
            given = [keyword for keyword in call.keywords if keyword.arg == name]
            if not given:
                return
            call.keywords.remove(given[0])
            call.args.append(given[0].value)

    def _casts_to_integers(self, dtype: Any, operation: Operation, value: Any) -> bool:
        """Refuse a calculation in integers, which has no derivative, such as a sum in them."""
        known = self._reader.scope.resolve(dtype) if isinstance(dtype, gast.AST) else MISSING
        known = getattr(dtype, "value", known) if isinstance(dtype, gast.Constant) else known
        if known is MISSING or not self._reader.vocabulary.loses(operation.primal, known):
            return False
        name = self._reader.vocabulary.canonical_name(operation.primal)
        self._refusals.add(
            value,
            f"the call of `{name}` calculates in integers, which cuts off the derivative",
            "leave `dtype` out, or use srcgrad.stop_gradient if that is meant",
            MissingRuleError,
        )
        return True

    def _is_arithmetic(self, value: Any) -> bool:
        """Make arrays of lists that meet arrays; refuse to join and to repeat lists."""
        sides = [value.left, value.right]
        lists = [side for side in sides if self._work.is_list(side)]
        if not lists or self._with_arrays(value, lists):
            return True
        self._refusals.add(
            value,
            "arithmetic with what may be a list, or joining it, is not differentiated by source",
            "use np.asarray of it, np.concatenate or np.stack",
        )
        return False

    def _with_arrays(self, value: Any, lists: list[Any]) -> bool:
        """Write ``a / [1.0, 2.0]`` as NumPy takes it, if the other operand is surely an array."""
        other = value.left if lists == [value.right] else value.right
        if len(lists) != 1 or not self._is_array_beside(value.op, other):
            return False
        converted = self._converted(lists)
        if converted is not None and other is value.left:
            value.right = converted[0]
        elif converted is not None:
            value.left = converted[0]
        return converted is not None

    def _is_array_beside(self, op: Any, other: Any) -> bool:
        """Say whether what meets a list is an array: a list takes part in few operations itself."""
        if not isinstance(op, (gast.Add, gast.Mult)):
            return not isinstance(op, gast.Mod)  # of a text
        return self._work.is_array(other)

    def _converted(self, values: list[Any]) -> list[Any] | None:
        """Return values with the lists among them as arrays; None where NumPy has no name."""
        numpy = name_of_numpy(self._reader)
        if numpy is None:
            return None
        function = gast.Attribute(load(numpy), "asarray", gast.Load())
        return [
            at(gast.Call(clone(function), [item], []), item) if self._work.is_list(item) else item
            for item in values
        ]

    def _call_operands(self, call: Any, node: Any, *, shown: bool) -> None:
        func = call.func
        if isinstance(self._reader.read(call).primal, np.ufunc):
            call.args = self._converted(call.args) or call.args
        if isinstance(func, gast.Attribute) and self._reader.scope.resolve(func) is MISSING:
            func.value = self.atom(func.value, node)
        if not shown:
            self._refuse_lists_joined(self._reader.read(call), call)
        operand = self._argument if shown else self.atom
        call.args = [operand(item, node) for item in call.args]
        for item in call.keywords:
            item.value = operand(item.value, node)

    def _argument(self, value: Any, node: Any) -> Any:
        """A display of known length, as `np.concatenate` takes, stays in the call."""
        value = self.containers.as_list(value)
        starred = any(isinstance(item, gast.Starred) for item in getattr(value, "elts", ()))
        if isinstance(value, (gast.Tuple, gast.List)) and not (starred and self._varies.of(value)):
            value.elts = [self.atom(item, node) for item in value.elts]
            return value
        return self.atom(value, node)

    def index(self, index: Any, node: Any) -> Any:
        """Return an index made of names, literals and plain arithmetic."""
        opened = any(isinstance(item, gast.Starred) for item in getattr(index, "elts", ()))
        if isinstance(index, gast.Tuple) and not opened:
            index.elts = [self.index(item, node) for item in index.elts]
            return index
        if isinstance(index, gast.Slice) and not self._stays(index, inside_index=True):
            parts = [getattr(index, name) for name in ("lower", "upper", "step")]
            return gast.Slice(*[p if p is None else self._bound(p, node) for p in parts])
        if isinstance(index, gast.Slice) or self._stays(index, inside_index=True):
            return index
        name = self._namer.fresh(wording(index))
        self._work.emit(assign(name, index, node))
        return load(name)

    def _stays(self, value: Any, *, inside_index: bool = False) -> bool:
        """Say whether an expression may be evaluated again later, with the same result."""
        if not is_cheap(self._reader, value, inside_index=inside_index):
            return False
        changing = self._work.changing | self._work.resized
        return not changing or changing.isdisjoint(names_read(value))

    def _bound(self, value: Any, node: Any, wish: str | None = None) -> Any:
        """Bind a value without derivatives to a name, unless it may be evaluated again."""
        if self._stays(value, inside_index=True):
            return value
        called = isinstance(value, gast.Call)
        name = self._namer.fresh(wish if wish and called else wording(value))
        self._work.emit(assign(name, value, node))
        return load(name)

    def test(self, test: Any, node: Any) -> Any:
        """Return a condition as a name."""
        if getattr(test, "id", None) in self._work.changing:
            test = gast.Compare(call("len", test), [gast.Gt()], [gast.Constant(0, None)])
        if isinstance(test, (gast.Name, gast.Constant)):
            return test
        name = self._namer.fresh("test")
        self._work.emit(assign(name, test, node))
        return load(name)

    def iterable(self, iterable: Any, node: Any) -> Any:
        """Return what a loop runs over, with the arguments of `range` made simple."""
        if not (
            isinstance(iterable, gast.Call) and self._reader.scope.resolve(iterable.func) is range
        ):
            return iterable
        arguments = []
        for item in iterable.args:
            stays = self._stays(item, inside_index=True)
            arguments.append(item if stays else self._bound(item, node, "count"))
        iterable.args = arguments
        return iterable

    def _writes(self, callee: FunctionType, value: Any) -> bool:
        """Refuse the call of a function for its writes, if it has any."""
        if is_library(callee):  # it has no rule, whatever it would write
            return False
        what = self._reader.vocabulary.how_written(callee)
        if what is not None:
            name = callee.__qualname__
            message = Placed.like(f"the call of `{name}`, which writes into {what}", what)
            self._refusals.add(value, message, "return the new value instead", MutationError)
        return what is not None

    def refuse(self, value: Any) -> None:
        """Note that an expression has no derivative, and why."""
        if isinstance(value, gast.Call):
            callee = self._reader.scope.resolve(value.func)
            name = getattr(value.func, "attr", None) or getattr(value.func, "id", "this")
            known = why_not(str(name))
            if callee is not MISSING:
                name = self._reader.vocabulary.canonical_name(callee)
                known = why_not(str(name)) or self._reader.vocabulary.why_not(callee)
            if known is None and isinstance(callee, FunctionType) and self._writes(callee, value):
                return
            usual = f"the call of `{name}` has no derivative rule"
            hint = "write a `Function` with its forward and backward and call `apply`"
            self._refusals.add(value, *(known or (usual, hint)), MissingRuleError)
            return
        kind = type(value).__name__
        self._refusals.add(
            value,
            f"this expression ({kind}) on values with derivatives is not differentiated by source",
            "write it as statements, or leave it to the tape with fallback='tape'",
        )


@functools.cache
def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, gast.Constant) and value.value is None)
