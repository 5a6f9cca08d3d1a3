"""Reads a derivative rule and puts its body in place of a call of it.

What `forward` saves on `ctx` is followed by name into `backward`, so that nothing remains of `ctx`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import (
    call,
    clone,
)
from srcgrad.rules.base import Function
from srcgrad.transforms.rule_bodies import RuleBody, Surroundings
from srcgrad.transforms.rule_forms import (
    FORMS,
    LAYOUTS,
    UNMET,
    Asked,
    Filling,
    Form,
    ask,
    keep,
    names_for,
    operand_kinds,
    stand_ins,
)
from srcgrad.transforms.rule_sources import (
    NotInlinableError,
    RuleSource,
    bind,
    casts_to_reals,
    displayed,
    is_lone_star,
    rule_source,
)
from srcgrad.transforms.rule_trees import (
    needed_part,
    scaled,
)


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
class Inliner(Surroundings):
    """Puts rules in place within one generated function."""

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
        placed = None if own_forward else self._by_form(rule, args, keywords, needs, results)
        if placed is None:
            placed = self._place(rule, args, keywords, needs, results, own_forward=own_forward)
        real = rule.real or casts_to_reals(rule, args, keywords)
        return self._of_reals(placed) if self.keep_complex and real else placed

    def _by_form(
        self,
        rule: type[Function],
        args: Sequence[Any],
        keywords: Mapping[str, Any],
        needs: Callable[[Any], bool],
        results: Sequence[Any],
    ) -> Inlined | None:
        """Return a rule of ours placed as it was at calls of the same form, if that can be said."""
        kinds = operand_kinds(args, keywords)
        source: RuleSource = rule_source(rule)  # type: ignore[arg-type]
        if kinds is None or source.forward.args.vararg is not None:
            return None
        operands = [*args, *keywords.values()]
        layout = LAYOUTS.get((rule, kinds))
        if layout is None:
            layout = self._layout(rule, args, keywords)
            keep(LAYOUTS, (rule, kinds), layout)
        parameters = [operands[item] if item.__class__ is int else item for item in layout]
        needed = tuple(map(needs, parameters))
        key = rule, kinds, needed, len(results), self.keep_complex
        form: Form | None = FORMS.get(key, UNMET)
        if form is UNMET:
            form = self._form(rule, args, keywords, layout, needed, len(results))
            keep(FORMS, key, form)
        if form is None:
            return None
        names = ask(form.before, self.namer, self.externals)
        nodes = {f"<r{place}>": item for place, item in enumerate(results)}

        def followed() -> Inlined:
            return self._place(rule, args, keywords, needs, results, own_forward=False)

        def adjoint(grads: list[Any]) -> tuple[list[Any], list[Any]]:
            if not all(item.__class__ is gast.Name for item in grads):
                return followed().adjoint(grads)
            own = nodes | {f"<g{place}>": item for place, item in enumerate(grads)}
            own |= {f"<a{place}>": item for place, item in enumerate(operands)}
            steps, emitted, values = form.adjoint
            found = names | ask(steps, self.namer, self.externals)
            filling = Filling(operands, own, found)
            return filling.of(emitted), [item and filling.of(item) for item in values]

        def tangent(tangents: list[Any]) -> tuple[list[Any], list[Any]]:
            by_rule = followed().tangent
            assert by_rule is not None
            return by_rule(tangents)

        return Inlined(parameters, [], None, adjoint, tangent if form.pushes else None)

    def _layout(
        self, rule: type[Function], args: Sequence[Any], keywords: Mapping[str, Any]
    ) -> list[Any]:
        """Return which operand each parameter of a rule is, or the expression of its default."""
        source: RuleSource = rule_source(rule)  # type: ignore[arg-type]
        operands = stand_ins([*args, *keywords.values()])
        named = dict(zip(keywords, operands[len(args) :], strict=True))
        if source.is_slope:
            found = operands[:1]
        elif source.is_partials:
            out = {item.id: None for item in source.backward.args.kwonlyargs}
            found, _ = bind(source.backward, operands[: len(args)], {**named, **out}, first=0)
            found = found[: len(found) - len(out)]
        else:
            found, _ = bind(source.forward, operands[: len(args)], named)
        places = {id(item): place for place, item in enumerate(operands)}
        return [places.get(id(item), item) for item in found]

    def _form(
        self,
        rule: type[Function],
        args: Sequence[Any],
        keywords: Mapping[str, Any],
        layout: list[Any],
        needed: Sequence[bool],
        count: int,
    ) -> Form | None:
        """Return what a rule becomes at calls of a form, or None if that cannot be said of all."""
        before, after = Asked("before"), Asked("after")
        operands = stand_ins([*args, *keywords.values()])
        named = dict(zip(keywords, operands[len(args) :], strict=True))
        wanted = {
            id(operands[item] if item.__class__ is int else item): flag
            for item, flag in zip(layout, needed, strict=True)
        }
        asked: Any = before
        later: Any = after
        inliner = Inliner(asked, asked, self.keep_complex, asked.known_rank)
        try:
            placed = inliner._place(
                rule,
                operands[: len(args)],
                named,
                lambda item: wanted[id(item)],
                names_for("r", count),
                own_forward=False,
            )
            if placed.before or any(value is None and name for name, value, *_ in before.steps):
                return None
            inliner.namer = inliner.externals = later
            emitted, values = placed.adjoint(names_for("g", count))
        except NotInlinableError:
            return None
        return Form(before, (after.steps, emitted, values), pushes=placed.tangent is not None)

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
        body = RuleBody(self, source.forward_scope, env, needed, source.forward_counts)
        value, before = body.forward(source.forward, results, own_forward=own_forward)

        def adjoint(grads: list[Any]) -> tuple[list[Any], list[Any]]:
            signature = source.backward.args
            names = [i.id for i in [*signature.posonlyargs, *signature.args]]
            env = dict(zip(names[1:], grads, strict=False))
            if signature.vararg is not None:
                rest = [item or gast.Constant(None, None) for item in grads[len(names) - 1 :]]
                env[signature.vararg.id] = displayed(rest)
            inner = RuleBody(self, source.backward_scope, env, needed, source.counts)
            inner.spread = source.forward.args.vararg is not None and not is_lone_star(args[-1:])
            inner.saved, inner.attributes, inner.context = body.saved, body.attributes, names[0]
            return inner.backward(source.backward)

        def tangent(tangents: list[Any]) -> tuple[list[Any], list[Any]]:
            signature = source.jvp.args
            names = [i.id for i in [*signature.posonlyargs, *signature.args]]
            env = dict(zip(names[1:], tangents, strict=False))
            if signature.vararg is not None:
                env[signature.vararg.id] = displayed(tangents[len(names) - 1 :])
            inner = RuleBody(self, source.jvp_scope, env, needed, source.jvp_counts or {})
            inner.saved, inner.attributes, inner.context = body.saved, body.attributes, names[0]
            return inner.backward(source.jvp)

        if not source.is_plain:
            adjoint([gast.Name("grad", gast.Load(), None, None) for _ in results])
        elif own_forward:  # a user's may do anything with its context
            named, self.namer = self.namer, self.namer.copied()
            taken = [*source.backward.args.posonlyargs, *source.backward.args.args][1:]
            taken += [] if source.backward.args.vararg is None else results
            try:
                adjoint([gast.Name("grad", gast.Load(), None, None) for _ in taken])
            finally:
                self.namer = named
        has_jvp = source.jvp is not None
        return Inlined(parameters, before, value, adjoint, tangent if has_jvp else None)

    def _place_slope(
        self, source: RuleSource, args: Sequence[Any], results: Sequence[Any]
    ) -> Inlined:
        (name,) = [item.id for item in source.backward.args.args]

        def adjoint(grads: list[Any]) -> tuple[list[Any], list[Any]]:
            env = {name: results[0] if name == "y" else args[0]}
            body = RuleBody(self, source.backward_scope, env, [True], source.counts)
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
            body = RuleBody(self, source.backward_scope, dict(env), needed, counts)
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
