"""Reads a derivative rule and puts its body in place of a call of it.

What `forward` saves on `ctx` is followed by name into `backward`, so that nothing remains of `ctx`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import gast
import numpy as np

from srcgrad import runtime
from srcgrad.ir.build import (
    attribute,
    call,
    called,
    clone,
    load,
    load_for_rule,
    made,
    stands_alone,
    store,
)
from srcgrad.ir.names import Namer
from srcgrad.ir.scopes import MISSING, Scope
from srcgrad.ir.walk import names_bound
from srcgrad.rules.base import Function
from srcgrad.transforms.externals import Externals
from srcgrad.transforms.folding import Folder
from srcgrad.transforms.rule_sources import (
    Env,
    NotInlinableError,
    RuleSource,
    bind,
    casts_to_reals,
    rule_source,
)
from srcgrad.transforms.rule_trees import (
    displayed,
    is_none,
    is_plain_display,
    last_return,
    matched,
    needed_part,
    scaled,
    spread,
)
from srcgrad.transforms.runtime_calls import is_sequence_call, is_shape, shorten


@dataclass(slots=True)
class Inlined:
    """A rule in the place of one call of it.

    Attributes:
        parameters: The operand of each parameter of `forward`, as `needs` and gradients count them.
        before: Statements of a user's `forward` that run before the value is there.
        value: The expression of the value, or None where the user's own call computes it.
        adjoint: Makes the backward statements and one gradient for each parameter (None for none).
        tangent: Makes the statements of `jvp` and the tangents of the results, if there is a `jvp`.
    """

    parameters: list[Any]
    before: list[Any]
    value: Any
    adjoint: Callable[[list[Any]], tuple[list[Any], list[Any]]]
    tangent: Callable[[list[Any]], tuple[list[Any], list[Any]]] | None = None


@dataclass(slots=True)
class Inliner:
    """Puts rules in place within one generated function.

    `rebinds` says that sums of adjoints are bound anew, not added to in place.
    `primal_name(node)` may rename an operand where `backward` reads its value (see `storage`).
    """

    namer: Namer
    externals: Externals
    keep_complex: bool = True
    known_rank: Callable[[Any], int | None] = field(default=lambda _: None)
    rebinds: bool = False

    def place(
        self,
        rule: type[Function],
        args: Sequence[Any],
        keywords: Mapping[str, Any],
        needs: Callable[[Any], bool],
        results: Sequence[Any],
        *,
        own_forward: bool,
    ) -> Inlined:
        """Return `rule` placed at a call with the given operands and result names.

        `own_forward` says that the forward body is the user's and must be emitted, not only read.

        Raises:
            NotInlinableError: A test of the rule does not fold, or it uses unusual syntax.
        """
        placed = self._place(rule, args, keywords, needs, results, own_forward=own_forward)
        real = rule.real or casts_to_reals(rule, args, keywords)
        return self._of_reals(placed) if self.keep_complex and real else placed

    def _of_reals(self, placed: Inlined) -> Inlined:
        """Let the gradient of a rule for real numbers refuse operands that turn out complex."""

        def adjoint(grads: list[Any]) -> tuple[list[Any], list[Any]]:
            check = self.externals.use_runtime("of_reals")
            operands = [clone(item) for item in placed.parameters if isinstance(item, gast.Name)]
            return placed.adjoint([call(check, grads[0], *operands), *grads[1:]])

        return replace(placed, adjoint=adjoint)

    def _place(
        self,
        rule: type[Function],
        args: Sequence[Any],
        keywords: Mapping[str, Any],
        needs: Callable[[Any], bool],
        results: Sequence[Any],
        *,
        own_forward: bool,
    ) -> Inlined:
        source: RuleSource = rule_source(rule)  # type: ignore[arg-type]
        if source.is_slope:
            return self._place_slope(source, args, results)
        if source.is_partials:
            return self._place_partials(rule, args, keywords, needs, results[0])
        parameters, env = bind(source.forward, args, keywords)
        needed = [needs(item) for item in parameters]
        body = _Body(self, source.forward_scope, env, needed, source.forward_counts)
        value, before = body.forward(source.forward, results, own_forward=own_forward)

        def adjoint(grads: list[Any]) -> tuple[list[Any], list[Any]]:
            signature = source.backward.args
            names = [i.id for i in [*signature.posonlyargs, *signature.args]]
            env = dict(zip(names[1:], grads, strict=False))
            if signature.vararg is not None:
                rest = [item or gast.Constant(None, None) for item in grads[len(names) - 1 :]]
                env[signature.vararg.id] = displayed(rest)
            inner = _Body(self, source.backward_scope, env, needed, source.counts)
            inner.spread = source.forward.args.vararg is not None
            inner.saved, inner.attributes, inner.context = body.saved, body.attributes, names[0]
            return inner.backward(source.backward)

        def tangent(tangents: list[Any]) -> tuple[list[Any], list[Any]]:
            signature = source.jvp.args
            names = [i.id for i in [*signature.posonlyargs, *signature.args]]
            env = dict(zip(names[1:], tangents, strict=False))
            if signature.vararg is not None:
                env[signature.vararg.id] = displayed(tangents[len(names) - 1 :])
            inner = _Body(self, source.jvp_scope, env, needed, source.jvp_counts or {})
            inner.saved, inner.attributes, inner.context = body.saved, body.attributes, names[0]
            return inner.backward(source.jvp)

        if not source.is_plain:
            adjoint([gast.Name("grad", gast.Load(), None, None) for _ in results])
        has_jvp = source.jvp is not None
        return Inlined(parameters, before, value, adjoint, tangent if has_jvp else None)

    def _place_slope(
        self, source: RuleSource, args: Sequence[Any], results: Sequence[Any]
    ) -> Inlined:
        (name,) = [item.id for item in source.backward.args.args]

        def adjoint(grads: list[Any]) -> tuple[list[Any], list[Any]]:
            env = {name: results[0] if name == "y" else args[0]}
            body = _Body(self, source.backward_scope, env, [True], source.counts)
            emitted, (slope,) = body.backward(source.backward)
            if self.keep_complex:
                slope = call(self.externals.use_runtime("conj"), slope)
            grad = clone(grads[0])
            if isinstance(slope, gast.BinOp) and isinstance(slope.op, gast.Div):
                return emitted, [scaled(grad, slope)]
            return emitted, [gast.BinOp(grad, gast.Mult(), slope)]

        return Inlined(list(args[:1]), [], None, adjoint)

    def _place_partials(
        self,
        rule: type[Function],
        args: Sequence[Any],
        keywords: Mapping[str, Any],
        needs: Callable[[Any], bool],
        result: Any,
    ) -> Inlined:
        source = rule_source(rule)  # type: ignore[arg-type]
        tree = source.backward
        out = {item.id: result for item in tree.args.kwonlyargs}
        parameters, env = bind(tree, args, {**keywords, **out}, first=0)
        parameters = parameters[: len(parameters) - len(out)]
        needed = [needs(item) for item in parameters]

        def adjoint(grads: list[Any]) -> tuple[list[Any], list[Any]]:
            wanted, counts = needed_part(rule, tuple(needed))  # type: ignore[arg-type]
            body = _Body(self, source.backward_scope, dict(env), needed, counts)
            emitted, parts = body.backward(wanted)
            summed = self.externals.use_runtime("unbroadcast")
            values: list[Any] = []
            for item, part in zip(parameters, parts, strict=True):
                if part is None:
                    values.append(None)
                    continue
                slope = (
                    call(self.externals.use_runtime("conj"), part) if self.keep_complex else part
                )
                values.append(call(summed, scaled(clone(grads[0]), slope), clone(item)))
            return emitted, values

        return Inlined(parameters, [], None, adjoint)


_SIMPLE: Final = (gast.Name, gast.Constant)
_SPECIAL: Final = {
    gast.ListComp: "_comprehension",
    gast.Call: "_call",
    gast.Subscript: "_subscript",
    gast.BinOp: "_arithmetic",
}


class _Body:
    """Follows the straight-line body of one half of a rule by substitution."""

    def __init__(
        self,
        inliner: Inliner,
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
        self._folder = Folder(self._shortcut_name, inliner.known_rank)

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
        given, done = node.__dict__, {}
        for name in node._fields:
            part = given.get(name)
            if part.__class__ is list:
                done[name] = [self._expression(item) for item in part]
            else:
                done[name] = part if stands_alone(part) else self._expression(part)
        return made(node.__class__, done)

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
        if part.ifs or not isinstance(items, (gast.Tuple, gast.List)):
            raise NotInlinableError
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

    def _shortcut_name(self, func: Any) -> str | None:
        name = getattr(func, "id", None)
        return name if name in runtime.SHORTCUTS else None


def _is_negative(value: Any) -> bool:
    """Say whether a value is a literal below zero."""
    minus = isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub)
    return minus and isinstance(value.operand, gast.Constant)
