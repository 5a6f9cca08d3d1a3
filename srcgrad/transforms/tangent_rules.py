"""Builds the tangent of a primitive's value from the tangents of its operands.

Most of it follows from what a rule declares of itself (see `rules.base.Function`): a linear
function maps tangents as it maps values, and a slope that `backward` multiplies by serves forward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from srcgrad import runtime
from srcgrad.frontend.weak_memory import signature_of
from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, clone, load
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import direct_names
from srcgrad.rules.base import Context, Elementwise, Function
from srcgrad.transforms.rule_sources import NotInlinableError, is_lone_star, whole_parameters
from srcgrad.transforms.templates import Inlined, Inliner

_RESHAPES = (np.ravel, np.reshape, runtime.flatten)
_CASTS = ("dtype", "out", "retstep")
_SEED = "<grad>"  # stands for the gradient in the text of a rule; no variable is called so


class NoTangentError(Exception):
    """A call whose tangent does not follow from its rule; the operand's name, if it is one."""


@dataclass(slots=True)
class Pushed:
    """The tangent of one value.

    Attributes:
        tangent: Its expression.
        after: Statements that come before the tangent and after the value.
        before: Statements that come before the value.
        value: An expression to use for the value, or None for the user's own.
    """

    tangent: Any
    after: list[Any] = field(default_factory=list)
    before: list[Any] = field(default_factory=list)
    value: Any = None

    def keep(self, placed: Inlined) -> None:
        """Take over what a rule in place does before and for the value; one rule may, not two."""
        if self.before and placed.before:
            raise NoTangentError
        self.before = self.before or placed.before
        self.value = self.value if placed.value is None else placed.value


class TangentRules:
    """Builds the tangents of one program's primitives.

    `dot(name)` is the name of a tangent, or None where the value has none; `full(name)` is that
    tangent in the shape of its value, where `dot` may lack axes that broadcasting brings back.
    `number(node)` says whether an operand is surely a single number, and `resolve(node)` is the
    object that a dotted name means.
    """

    def __init__(
        self,
        inliner: Inliner,
        dot: Callable[[str], str | None],
        full: Callable[[str], Any],
        number: Callable[[Any], bool],
        resolve: Callable[[Any], Any],
    ) -> None:
        self._inliner = inliner
        self._externals = inliner.externals
        self._dot = dot
        self._full = full
        self._number = number
        self._resolve = resolve

    def of(
        self, value: Any, operation: Operation, rule: type[Function], results: list[str]
    ) -> Pushed:
        """Return the tangent of the value that is bound to `results`.

        Raises:
            NoTangentError: The rule does not tell.
        """
        operands = _Operands(operation, rule)
        if operation.primal in _RESHAPES and operands.says("order", "AK"):
            raise NoTangentError  # that of the value, which need not be that of the tangent
        if not any(self._varies(i) for i in operands.every if operands.name(i) not in rule.inert):
            return Pushed(call(self._externals.use_runtime("zeros_like"), load(results[0])))
        if "jvp" in vars(rule) and not operands.gives(_CASTS[1:]):
            return self._by_jvp(_Step(value, operation, rule, operands, results))
        if not issubclass(rule, Elementwise) and self._casts(operands):
            raise NoTangentError
        pushed = Pushed(None)
        parts: list[Any] = []
        together = [item for item in operands.of(rule.linear) if self._varies(item)]
        if together:
            spreads = rule.spreads and all(isinstance(item, gast.Name) for item in together)
            parts.append(self._linear(value, operands.of(rule.linear), spreads=spreads))
        rest = [
            item
            for item in operands.every
            if self._varies(item)
            and item not in together
            and operands.name(item) not in (*rule.inert, *whole_parameters(rule))
        ]
        step = _Step(value, operation, rule, operands, results)
        parts += [self._alone(step, item, pushed) for item in rest]
        if not parts:  # nothing but shapes comes from what varies
            parts = [call(self._externals.use_runtime("zeros_like"), load(results[0]))]
        pushed.tangent = sum_of(parts)
        return pushed

    def _casts(self, operands: _Operands) -> bool:
        """Say whether a result may be other than floats, or lie in memory that is given."""
        kind = operands.option("dtype") if operands.gives(["dtype"]) else None
        if operands.gives(_CASTS[1:]) or kind is None:
            return operands.gives(_CASTS)
        owner = self._resolve(kind.value) if isinstance(kind, gast.Attribute) else np
        value = kind.value if isinstance(kind, gast.Constant) else self._resolve(kind)
        fixed = str if isinstance(kind, gast.Constant) else type  # words of a module may change
        lasts = isinstance(value, fixed) and isinstance(owner, ModuleType)
        return not lasts or not _is_of_floats(value)

    # -- one operand after the other

    def _alone(self, step: _Step, item: Any, pushed: Pushed) -> Any:
        """Return what the tangent of one operand adds, the others held."""
        rule = step.rule
        if step.operands.name(item) in rule.multilinear and isinstance(item, gast.Name):
            return replaced(step.value, {id(item): self._tangent(item)})
        if issubclass(rule, Elementwise) or (rule.elementwise and isinstance(item, gast.Name)):
            return self._by_slope(step, item, load(self._name(item)), pushed)
        if rule.reduces and item is step.operands.every[0] and len(step.results) == 1:
            return self._by_reduction(step, item, pushed)
        raise NoTangentError

    def _by_slope(self, step: _Step, item: Any, tangent: Any, pushed: Pushed) -> Any:
        """Read the slope off `backward`, which is linear in the gradient: put the tangent there."""
        if not self._inliner.keep_complex or step.rule.holomorphic:
            return self._slope_times(step, item, tangent, pushed)
        if not step.rule.gives_real:
            raise NoTangentError
        slope = self._slope_times(step, item, gast.Constant(1.0, None), pushed)
        self._externals.use_numpy()
        return call("np.real", gast.BinOp(call("np.conj", slope), gast.Mult(), tangent))

    def _slope_times(self, step: _Step, item: Any, tangent: Any, pushed: Pushed) -> Any:
        try:
            placed = self._place(step, lambda node: node is item)
            emitted, values = placed.adjoint([load(_SEED)])
        except NotInlinableError as failure:
            raise NoTangentError from failure
        slopes = [
            value
            for operand, value in zip(placed.parameters, values, strict=False)
            if operand is item and value is not None
        ]
        if len(slopes) != 1:
            raise NoTangentError
        pushed.keep(placed)
        *after, slope = [_forwards(node, tangent) for node in [*emitted, slopes[0]]]
        pushed.after += after
        return slope

    def _by_reduction(self, step: _Step, item: Any, pushed: Pushed) -> Any:
        if self._inliner.keep_complex or step.operands.gives(("q", "where", "mean")):
            raise NoTangentError
        result = load(step.results[0])
        seed = gast.Constant(1.0, None)
        if not step.operands.is_default(("axis", "keepdims")) and not self._number(result):
            seed = call("np.ones_like", result)
        slope = self._by_slope(step, item, seed, pushed)
        self._externals.use_numpy()
        product = gast.BinOp(load(self._name(item)), gast.Mult(), slope)
        if step.rule.selects:
            product = call(self._externals.use_runtime("shares"), load(self._name(item)), slope)
        total = call("np.sum", product)
        for option in ("axis", "keepdims"):
            given = step.operands.option(option)
            if given is not None:
                total.keywords.append(gast.keyword(option, given))
        return total

    def _by_jvp(self, step: _Step) -> Pushed:
        if self._inliner.keep_complex and not step.rule.holomorphic:
            raise NoTangentError
        try:
            placed = self._place(step, self._varies)
            if placed.tangent is None:
                raise NoTangentError
            given = self._all_given(placed.parameters, step)
            emitted, values = placed.tangent(given)
        except NotInlinableError:
            return self._called(step)
        tangent = values[0] if len(values) == 1 else gast.Tuple(values, gast.Load())
        pushed = Pushed(tangent, emitted)
        pushed.keep(placed)
        return pushed

    def _place(self, step: _Step, needs: Callable[[Any], bool]) -> Inlined:
        results = [load(name) for name in step.results]
        args, keywords = step.operation.args, step.operation.keywords
        return self._inliner.place(
            step.rule, args, keywords, needs, results, own_forward=step.own_forward
        )

    def _called(self, step: _Step) -> Pushed:
        """Call a rule's own `forward` and `jvp` where their bodies cannot be put in place."""
        rule, operands = step.rule, step.operands.every
        context = self._inliner.namer.fresh("ctx")
        name = self._externals.name_of(rule, rule.__name__, lambda: rule.__module__)
        maker = self._externals.name_of(Context, "Context", lambda: Context.__module__)
        flags = [gast.Constant(self._varies(item), None) for item in operands]
        begin = assign(context, call(maker, gast.Tuple(flags, gast.Load())))
        value = call(f"{name}.forward", load(context), *map(clone, step.operation.args))
        value.keywords = [
            gast.keyword(key, clone(item)) for key, item in step.operation.keywords.items()
        ]
        tangents = self._all_given(operands, step)
        return Pushed(call(f"{name}.jvp", load(context), *tangents), [], [begin], value)

    def _all_given(self, operands: Sequence[Any], step: _Step) -> list[Any]:
        """Return the tangents of operands as a `jvp` gets them, with the star of a lone list."""
        given = [self._given(item, step) for item in operands]
        starred = len(given) == 1 and is_lone_star(step.operation.args)
        return [gast.Starred(given[0], gast.Load())] if starred else given

    def _given(self, item: Any, step: _Step) -> Any:
        """Return the tangent of an operand as a `jvp` gets it: None for none.

        So it is in a list that is given to a Function of the user's; of ours, such a list is taken
        for an array, and has zeros there.
        """
        if not self._varies(item):
            return gast.Constant(None, None)
        if step.own_forward and isinstance(item, (gast.Tuple, gast.List)):
            return type(item)([self._given(entry, step) for entry in item.elts], gast.Load())
        return self._tangent(item)

    # -- operands together

    def _linear(self, value: Any, group: Iterable[Any], *, spreads: bool) -> Any:
        """Return the same call on tangents; what has none counts as zero.

        Where the call `spreads` its operands over each other, tangents may lack axes.
        """
        group = list(group)
        if isinstance(value, gast.BinOp):
            return self._sum(value)
        if isinstance(value, gast.Subscript):  # np.r_[a, b] shows what it joins
            group = [entry for item in group for entry in getattr(item, "elts", [item])]
        swaps: dict[int, Any] = {}
        for item in group:
            if not self._varies(item):
                swaps[id(item)] = self._zero(item)
            elif spreads:
                swaps[id(item)] = load(self._name(item))
            else:
                swaps[id(item)] = self._tangent(item)
        return replaced(value, swaps)

    def _sum(self, value: Any) -> Any:
        """Return the tangent of ``a + b`` or ``a - b``, without terms that are zero."""
        left, right = (load(self._name(s)) if self._varies(s) else None for s in _sides(value))
        if left is None:
            return gast.UnaryOp(gast.USub(), right) if isinstance(value.op, gast.Sub) else right
        return left if right is None else gast.BinOp(left, value.op, right)

    def _zero(self, item: Any) -> Any:
        """Return zeros in the place of an operand without a tangent."""
        if isinstance(item, gast.Constant) and item.value is None:
            return item
        if self._number(item):
            return gast.Constant(0.0, None)
        return call(self._externals.use_runtime("zeros_like"), clone(item))

    def _tangent(self, item: Any) -> Any:
        """Return the tangent of a name, or of each entry of a display."""
        if isinstance(item, gast.Name):
            self._name(item)
            return self._full(item.id)
        if isinstance(item, gast.Starred):
            return gast.Starred(self._tangent(item.value), gast.Load())
        if isinstance(item, (gast.Tuple, gast.List)):
            entries = [
                self._tangent(entry) if self._varies(entry) else self._zero(entry)
                for entry in item.elts
            ]
            return type(item)(entries, gast.Load())
        raise NoTangentError

    def _name(self, item: Any) -> str:
        name = self._dot(getattr(item, "id", ""))
        if name is None:
            raise NoTangentError
        return name

    def _varies(self, item: Any) -> bool:
        return any(self._dot(name) is not None for name in direct_names(item))


@dataclass(frozen=True, slots=True)
class _Step:
    """One call of a primitive or of a user's Function, with the names of its results."""

    value: Any
    operation: Operation
    rule: type[Function]
    operands: _Operands
    results: list[str]

    @property
    def own_forward(self) -> bool:
        """Say whether the body of `forward` is the user's and must be run as it is."""
        return self.operation.kind == "class"


class _Operands:
    """The operands of one call, by the parameters of its rule."""

    def __init__(self, operation: Operation, rule: type[Function]) -> None:
        self.every = [*operation.args, *operation.keywords.values()]
        self._names: dict[int, str] = {}
        self._by_name: dict[str, Any] = {}
        self._defaults: dict[str, Any] = {}
        parameters = list(signature_of(rule.forward).parameters.values())[1:]
        self._defaults = {p.name: p.default for p in parameters}
        plain: list[str] = []
        rest = ""
        for parameter in parameters:
            if parameter.kind is parameter.VAR_POSITIONAL:
                rest = parameter.name
                break
            plain.append(parameter.name)
        for position, item in enumerate(operation.args):
            self._note(plain[position] if position < len(plain) else rest, item)
        for name, item in operation.keywords.items():
            self._note(name, item)

    def _note(self, name: str, item: Any) -> None:
        self._names[id(item)] = name
        self._by_name.setdefault(name, item)

    def name(self, item: Any) -> str:
        return self._names.get(id(item), "")

    def of(self, names: Iterable[str]) -> list[Any]:
        """Return the operands of some parameters."""
        return [item for item in self.every if self.name(item) in set(names)]

    def option(self, name: str) -> Any:
        """Return what an option is, or None if it is None or False because it is left out."""
        found = self._by_name.get(name)
        if found is not None:
            return clone(found)
        usual = self._defaults.get(name)
        return gast.Constant(usual, None) if isinstance(usual, int) and usual is not False else None

    def is_default(self, names: Iterable[str]) -> bool:
        """Say whether parameters that default to None or False are left at that."""
        return (
            not self.gives(names)
            and all(not self._defaults.get(name) for name in names)
            and (self._defaults.get("axis") is None)
        )

    def says(self, name: str, words: str) -> bool:
        """Say whether an option is a literal that is one of some letters, or no literal."""
        found = self._by_name.get(name)
        return found is not None and getattr(found, "value", "K") in tuple(words)

    def gives(self, names: Iterable[str]) -> bool:
        """Say whether one of the parameters is given something but None."""
        found = [self._by_name.get(name) for name in names]
        return any(item is not None and getattr(item, "value", item) is not None for item in found)


def _is_of_floats(dtype: Any) -> bool:
    try:
        return bool(np.dtype(dtype).kind == "f")
    except TypeError:  # as the call itself will say
        return False


def replaced(node: Any, swaps: Mapping[int, Any]) -> Any:
    """Return a copy of an expression with some of its nodes replaced, by their identity."""
    if id(node) in swaps:
        return swaps[id(node)]
    if isinstance(node, gast.AST):
        fields = [replaced(getattr(node, name, None), swaps) for name in node._fields]
        return type(node)(*fields)
    if isinstance(node, list):
        return [replaced(item, swaps) for item in node]
    return node


def _forwards(node: Any, tangent: Any) -> Any:
    """Turn an expression for a gradient into one for a tangent.

    The tangent stands for the gradient; nothing is summed down to a shape, nothing conjugated.
    """
    if isinstance(node, gast.Name) and node.id == _SEED:
        return clone(tangent)
    name = getattr(getattr(node, "func", None), "id", "")
    if name in ("unbroadcast", "conj"):
        return _forwards(node.args[0], tangent)
    if name == "real_part" and isinstance(tangent, gast.Constant):
        return _forwards(node.args[0], tangent)  # a real number
    if isinstance(node, gast.AST):
        return type(node)(*[_forwards(getattr(node, f, None), tangent) for f in node._fields])
    if isinstance(node, list):
        return [_forwards(item, tangent) for item in node]
    return node


def sum_of(parts: list[Any]) -> Any:
    """Return the sum of terms; twice the same is a product, a negative one is subtracted."""
    total = parts[0]
    for part in parts[1:]:
        if _same_product(total, part):
            twice = gast.BinOp(gast.Constant(2, None), gast.Mult(), part.right)
            total = gast.BinOp(twice, gast.Mult(), part.left)
        elif isinstance(part, gast.UnaryOp) and isinstance(part.op, gast.USub):
            total = gast.BinOp(total, gast.Sub(), part.operand)
        else:
            total = gast.BinOp(total, gast.Add(), part)
    return total


def _same_product(first: Any, second: Any) -> bool:
    if not (isinstance(first, gast.BinOp) and isinstance(first.op, gast.Mult)):
        return False
    if not (isinstance(second, gast.BinOp) and isinstance(second.op, gast.Mult)):
        return False
    ours = sorted(gast.dump(side) for side in _sides(first))
    return ours == sorted(gast.dump(side) for side in _sides(second))


def _sides(node: Any) -> tuple[Any, Any]:
    return node.left, node.right
