"""Follows the body of one half of a derivative rule, with what a call puts into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from srcgrad import runtime
from srcgrad.ir import gast
from srcgrad.ir.build import (
    attribute,
    called,
    clone,
    load,
    load_for_rule,
    stands_alone,
    store,
)
from srcgrad.ir.names import Namer
from srcgrad.ir.scopes import MISSING, Scope
from srcgrad.ir.walk import names_bound
from srcgrad.transforms.externals import Externals
from srcgrad.transforms.folding import Folder
from srcgrad.transforms.rule_sources import (
    Env,
    NotInlinableError,
)
from srcgrad.transforms.rule_trees import (
    is_none,
    is_plain_display,
    last_return,
    matched,
    spread,
)
from srcgrad.transforms.runtime_calls import is_sequence_call, is_shape, shorten

_SIMPLE: Final = (gast.Name, gast.Constant)
_SPECIAL: Final = {
    gast.ListComp: "_comprehension",
    gast.Call: "_call",
    gast.Subscript: "_subscript",
    gast.BinOp: "_arithmetic",
}


@dataclass(slots=True)
class Surroundings:
    """The generated function in which rules are put in place.

    `rebinds` says that sums of adjoints are bound anew, not added to in place.
    """

    namer: Namer
    externals: Externals
    keep_complex: bool = True
    known_rank: Callable[[Any], int | None] = field(default=lambda _: None)
    rebinds: bool = False


class RuleBody:
    """Follows the straight-line body of one half of a rule by substitution."""

    def __init__(
        self,
        inliner: Surroundings,
        scope: Scope,
        env: Env,
        needed: list[bool],
        counts: Mapping[str, int],
    ) -> None:
        self.inliner = inliner
        self.scope = scope
        self.env = env
        self.needed = needed
        self.counts = counts
        self.saved: list[Any] = []
        self.attributes: Env = {}
        self.context = ""
        self.emitted: list[Any] = []
        self.spread = False  # whether forward takes *args, so that a tuple holds one gradient each
        self._results: tuple[list[str], Sequence[Any]] = ([], ())
        self._value: Any = None
        self._own = True
        self._folder = Folder(_shortcut_name, inliner.known_rank)

    # -- the two halves

    def forward(
        self, tree: Any, results: Sequence[Any], *, own_forward: bool
    ) -> tuple[Any, list[Any]]:
        """Follow `forward`; return the expression of the value and the statements before it."""
        self.context = [*tree.args.posonlyargs, *tree.args.args][0].id
        self._own = own_forward
        returned = last_return(tree)
        outputs = [returned] if isinstance(returned, gast.Name) else getattr(returned, "elts", [])
        names = [item.id for item in outputs if isinstance(item, gast.Name)]
        if isinstance(returned, gast.Name) and len(results) > 1:  # each name is one item of it
            results = [gast.Tuple([clone(item) for item in results], gast.Load())]
        named = bool(names) and len(names) == len(results) and not (set(names) & set(self.env))
        self._results = (names if named else [], results)
        value = self._block(tree.body)
        return (value if self._value is None else self._value), self.emitted

    def backward(self, tree: Any) -> tuple[list[Any], list[Any]]:
        """Follow `backward` (or a slope); return its statements and the gradients it returns."""
        returned = self._block(tree.body)
        items = returned.elts if isinstance(returned, gast.Tuple) else [returned]
        if self.spread and len(items) == 1 and is_sequence_call(items[0]):
            whole = self.inliner.namer.fresh("grad_parts")
            self.emitted.append(gast.Assign([store(whole)], items[0], None))
            indices = [gast.Constant(i, None) for i in range(len(self.needed))]
            items = [gast.Subscript(load(whole), index, gast.Load()) for index in indices]
        return self.emitted, [None if is_none(item) else item for item in items]

    # -- statements

    def _block(self, body: list[Any]) -> Any:
        for statement in body:
            if isinstance(statement, gast.Return):
                return self._expression(statement.value) if self._own else None
            if isinstance(statement, gast.If):
                done = self._if(statement)
                if done is not None:
                    return done
            elif isinstance(statement, gast.Assign):
                self._assign(statement)
            elif isinstance(statement, gast.Expr):
                self._effect(statement.value)
            else:
                raise NotInlinableError
        return None

    def _if(self, statement: Any) -> Any:
        answer = self._folder.test(self._expression(statement.test))
        if answer is None:
            raise NotInlinableError
        return self._block(statement.body if answer else statement.orelse)

    def _effect(self, value: Any) -> None:
        if isinstance(value, gast.Constant):
            return
        func = getattr(value, "func", None)
        if not (isinstance(func, gast.Attribute) and self._is_context(func.value)):
            raise NotInlinableError
        if func.attr != "save_for_backward":
            raise NotInlinableError
        self.saved = spread([self._expression(item) for item in value.args])

    def _assign(self, statement: Any) -> None:
        (target,) = statement.targets
        names, results = self._results
        bound = names_bound(target)
        if names and bound == names:
            self._output(statement.value, results)
            return
        if isinstance(target, gast.Tuple):
            self._assign_tuple(target, statement.value)
        else:
            self._assign_one(target, self._expression(statement.value))

    def _output(self, value: Any, results: Sequence[Any]) -> None:
        if self._own:
            self._value = self._expression(value)
        for name, result in zip(self._results[0], results, strict=True):
            self.env[name] = result

    def _assign_tuple(self, target: Any, value: Any) -> None:
        if isinstance(value, gast.Attribute) and self._is_context(value.value):
            items: Any = (self.saved or ()) if value.attr == "saved_tensors" else ()
        else:
            done = self._expression(value)
            items = done.elts if isinstance(done, (gast.Tuple, gast.List)) else None
        if items is None:
            names = [self.inliner.namer.fresh(name) for name in names_bound(target)]
            targets = gast.Tuple([store(name) for name in names], gast.Store())
            self.emitted.append(gast.Assign([targets], done, None))
            items = [load(name) for name in names]
        for part, item in matched(target.elts, list(items)):
            self._assign_one(part, item)

    def _assign_one(self, target: Any, value: Any) -> None:
        if isinstance(target, gast.Attribute) and self._is_context(target.value):
            self.attributes[target.attr] = value
        elif isinstance(target, gast.Name):
            simple = isinstance(value, _SIMPLE) or is_shape(value) or _is_negative(value)
            simple = simple or (is_plain_display(value) and _are_simple(value.elts))
            if not simple and self.counts.get(target.id, 0) > 1:
                name = self.inliner.namer.fresh(target.id)
                self.emitted.append(gast.Assign([store(name)], value, None))
                value = load(name)
            self.env[target.id] = value
        else:
            raise NotInlinableError

    # -- expressions

    def _expression(self, node: Any) -> Any:
        """Return `node` with the rule's names replaced by those of the generated function."""
        if isinstance(node, gast.Name):
            return clone(self.env[node.id]) if node.id in self.env else self._free(node)
        if stands_alone(node):
            return node
        if isinstance(node, gast.IfExp):
            answer = self._folder.test(self._expression(node.test))
            if answer is not None:
                return self._expression(node.body if answer else node.orelse)
        if isinstance(node, (gast.Compare, gast.BoolOp)):
            done = self._rebuilt(node)
            answer = self._folder.test(done)
            return done if answer is None else gast.Constant(answer, None)
        if isinstance(node, gast.Attribute):
            return self._attribute(node)
        if isinstance(node, gast.Subscript) and self._is_needs(node.value):
            return gast.Constant(self.needed[node.slice.value], None)
        special: str | None = _SPECIAL.get(type(node))
        return self._rebuilt(node) if special is None else getattr(self, special)(node)

    def _attribute(self, node: Any) -> Any:
        if self._is_context(node.value):
            return self._from_context(node)
        if self.scope.resolve(node) is not MISSING:
            return attribute(self._free_or_path(node.value), node.attr)
        return self._rebuilt(node)

    def _rebuilt(self, node: Any) -> Any:
        done: list[Any] = []
        for name in node._fields:
            part = getattr(node, name)
            if part.__class__ is list:
                done.append([self._expression(item) for item in part])
            else:
                done.append(part if stands_alone(part) else self._expression(part))
        return node.__class__(*done)

    def _subscript(self, node: Any) -> Any:
        """Read an item of a display at once."""
        done = self._rebuilt(node)
        place = getattr(done.slice, "value", None)
        if isinstance(done.value, (gast.Tuple, gast.List)) and type(place) is int:
            return clone(done.value.elts[place])
        return done

    def _arithmetic(self, node: Any) -> Any:
        """Leave out what an option at its default does not change: ``x - 0`` and ``x / 1``."""
        done = self._rebuilt(node)
        value = getattr(done.right, "value", None)
        idle = {gast.Sub: 0, gast.Div: 1}.get(type(done.op))
        return done.left if type(value) is int and value == idle else done

    def _free_or_path(self, node: Any) -> Any:
        return self._free(node) if isinstance(node, gast.Name) else self._expression(node)

    def _call(self, node: Any) -> Any:
        callee = self.scope.resolve(node.func)
        name = getattr(callee, "__name__", "")
        from_runtime = callee is not MISSING and getattr(runtime, name, None) is callee
        args = [self._expression(item) for item in node.args]
        if from_runtime and name in runtime.COMPLEX_ONLY and not self.inliner.keep_complex:
            return args[0]
        if callee is len and is_plain_display(args[0]):
            return gast.Constant(len(args[0].elts), None)
        if callee is np.shape and is_plain_display(args[0]) and self._are_numbers(args[0].elts):
            return gast.Tuple([gast.Constant(len(args[0].elts), None)], gast.Load())
        keywords = [gast.keyword(item.arg, self._expression(item.value)) for item in node.keywords]
        if from_runtime:
            args = shorten(name, args)
            if name in runtime.SHORTCUTS:
                func = load(name)
            else:
                func = load(self.inliner.externals.use_runtime(name))
        else:
            func = self._expression(node.func)
        return called(func, args, keywords)

    def _are_numbers(self, items: list[Any]) -> bool:
        """Say whether items surely have no axes, so that a row of them has one."""
        return bool(items) and all(self.inliner.known_rank(item) == 0 for item in items)

    def _comprehension(self, node: Any) -> Any:
        """Unroll ``[f(a) for a in arrays]`` where the arrays are displayed in the call."""
        (part,) = node.generators
        items = self._expression(part.iter)
        if part.ifs or not isinstance(items, (gast.Tuple, gast.List, gast.Name)):
            raise NotInlinableError
        if isinstance(items, gast.Name):
            name = self.inliner.namer.fresh(part.target.id)
            self.env[part.target.id] = load(name)
            each = gast.comprehension(store(name), items, [], 0)
            kept = gast.ListComp(self._expression(node.elt), [each])
            del self.env[part.target.id]
            return kept
        done = []
        for item in items.elts:
            self.env[part.target.id] = item
            done.append(self._expression(node.elt))
        del self.env[part.target.id]
        return gast.List(done, gast.Load())

    def _from_context(self, node: Any) -> Any:
        if node.attr == "saved_tensors":
            return gast.Tuple([clone(item) for item in self.saved], gast.Load())
        if node.attr == "needs_input_grad":
            flags = [gast.Constant(flag, None) for flag in self.needed]
            return gast.Tuple(flags, gast.Load())
        if node.attr not in self.attributes:
            raise NotInlinableError
        return clone(self.attributes[node.attr])

    def _free(self, node: Any) -> Any:
        value = self.scope.lookup(node.id)
        if value is MISSING:
            raise NotInlinableError
        module = self.scope.function.__module__
        own = getattr(value, "__module__", None) or ""
        importer = own if own.startswith("srcgrad.runtime.") else module
        return load_for_rule(self.inliner.externals.name_of(value, node.id, lambda: importer))

    def _is_context(self, node: Any) -> bool:
        return isinstance(node, gast.Name) and node.id == self.context

    def _is_needs(self, node: Any) -> bool:
        return (
            isinstance(node, gast.Attribute)
            and node.attr == "needs_input_grad"
            and self._is_context(node.value)
        )


def _shortcut_name(func: Any) -> str | None:
    name = getattr(func, "id", None)
    return name if name in runtime.SHORTCUTS else None


def _are_simple(items: list[Any]) -> bool:
    """Say whether items can be written out wherever one of them, or all, are read."""
    return all(isinstance(item, _SIMPLE) for item in items)


def _is_negative(value: Any) -> bool:
    """Say whether a value is a literal below zero."""
    minus = isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub)
    return minus and isinstance(value.operand, gast.Constant)
