"""Parses derivative rules, and binds the operands of calls to their parameters."""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

from srcgrad import runtime
from srcgrad.frontend.source import find_source
from srcgrad.frontend.weak_memory import PerFunction
from srcgrad.ir import gast
from srcgrad.ir.scopes import Scope, scope_of
from srcgrad.ir.walk import names_read, walk
from srcgrad.rules.base import Elementwise, Function, Pointwise

Env = dict[str, Any]


class NotInlinableError(Exception):
    """A rule whose body cannot be put in place: it must be called."""


_WHOLE: Final = (
    *("axis", "axes", "axis1", "axis2", "source", "destination", "shape", "newshape"),
    *("repeats", "reps", "shift", "keepdims"),
)


def whole_parameters(rule: type[Function]) -> tuple[str, ...]:
    """Return names of parameters that are whole numbers, without derivatives, in every function.

    One that acts on each element has none: the `shape` of `rng.gamma` is that of its distribution.
    """
    return () if rule.elementwise else _WHOLE


_TRIED_OUT: Final = (
    gast.ListComp,
    gast.GeneratorExp,
    gast.Starred,
    gast.For,
    gast.While,
    gast.Try,
    gast.With,
    gast.Raise,
    gast.AugAssign,
    gast.Delete,
    gast.Assert,
)


@dataclass(frozen=True, slots=True)
class RuleSource:
    """The parsed halves of a rule, with the scope of each."""

    forward: Any
    backward: Any
    forward_scope: Scope
    backward_scope: Scope
    counts: Mapping[str, int]
    forward_counts: Mapping[str, int]
    is_slope: bool = False
    is_partials: bool = False
    is_plain: bool = True
    jvp: Any = None
    jvp_scope: Any = None
    jvp_counts: Mapping[str, int] | None = None


@functools.cache
def rule_source(rule: type[Function]) -> RuleSource:
    """Parse a rule once.

    Raises:
        SourceNotFoundError: Its source is not to be found.
    """
    if issubclass(rule, Elementwise):
        tree, scope = _parse(rule.slope)
        counts = load_counts(tree)
        return RuleSource(tree, tree, scope, scope, counts, counts, is_slope=True)
    if issubclass(rule, Pointwise):
        tree, scope = _parse(rule.partials)
        counts = load_counts(tree)
        return RuleSource(tree, tree, scope, scope, counts, counts, is_partials=True)
    forward, forward_scope = _parse(rule.forward)
    backward, backward_scope = _parse(rule.backward)
    counts = load_counts(backward)
    plain = _is_plain(backward)
    jvp, jvp_scope = _parse(rule.jvp) if "jvp" in vars(rule) else (None, None)  # type: ignore[attr-defined]
    return RuleSource(
        forward,
        backward,
        forward_scope,
        backward_scope,
        counts,
        load_counts(forward),
        is_plain=plain,
        jvp=jvp,
        jvp_scope=jvp_scope,
        jvp_counts=None if jvp is None else load_counts(jvp),
    )


def _is_plain(backward: Any) -> bool:
    """Say whether a backward body surely can be put in place, whatever it is called with."""
    for node in walk(backward):
        if isinstance(node, _TRIED_OUT):
            return False
        if isinstance(node, (gast.If, gast.IfExp)):
            told = {*runtime.SHORTCUTS, "needs_input_grad"}
            seen = {getattr(n, "id", getattr(n, "attr", "")) for n in walk(node.test)}
            if not told & seen:
                return False
    return True


def _parse(function: Any) -> tuple[Any, Scope]:
    tree = find_source(function).tree
    return tree, scope_of(function, tree)


def load_counts(tree: Any) -> Counter[str]:
    """Count how often the body of a function reads each name."""
    return Counter(name for statement in tree.body for name in names_read(statement))


def bind(
    tree: Any, args: Sequence[Any], keywords: Mapping[str, Any], first: int = 1
) -> tuple[list[Any], Env]:
    """Bind the operands of a call to the parameters of `forward(ctx, ...)` from the `first` on.

    Raises:
        NotInlinableError: The operands do not fit the parameters.
    """
    signature = tree.args
    names = [item.id for item in [*signature.posonlyargs, *signature.args]][first:]
    defaults = dict(zip(reversed(names), reversed(signature.defaults), strict=False))
    for item, default in zip(signature.kwonlyargs, signature.kw_defaults, strict=True):
        if default is not None:
            defaults[item.id] = default
    env: Env = dict(zip(names, args, strict=False))
    rest = list(args[len(names) :])
    if rest and signature.vararg is None:
        raise NotInlinableError
    every = [*names, *[item.id for item in signature.kwonlyargs]]
    for name, value in keywords.items():
        if name not in every or name in env:
            raise NotInlinableError
        env[name] = value
    for name in every:
        if name not in env:
            if name not in defaults:
                raise NotInlinableError
            env[name] = defaults[name]
    if signature.vararg is not None:
        env[signature.vararg.id] = displayed(rest)
        rest = [item.value for item in rest] if is_lone_star(rest) else rest
    ordered = [env[name] for name in names] + rest
    return ordered + [env[item.id] for item in signature.kwonlyargs], env


def displayed(items: list[Any]) -> Any:
    """Return a tuple display, or the list itself that a lone starred item stands for."""
    return items[0].value if is_lone_star(items) else gast.Tuple(items, gast.Load())


def is_lone_star(items: Sequence[Any]) -> bool:
    """Say whether all items are those of one list, with a star before it."""
    return len(items) == 1 and isinstance(items[0], gast.Starred)


_REALS: Final = frozenset(
    "float float16 float32 float64 longdouble double single half f2 f4 f8 f d".split()
)


def _find_dtype(forward: FunctionType) -> int | None:
    _, *names = inspect.signature(forward).parameters
    return names.index("dtype") if "dtype" in names else None


_place_of_dtype: PerFunction[int | None] = PerFunction(_find_dtype)


def casts_to_reals(rule: type[Function], args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Say whether `dtype` makes a rule calculate with the real parts of complex numbers."""
    if rule.linear:
        return False
    place = _place_of_dtype(rule.forward)
    dtype = keywords.get("dtype", args[place] if place is not None and place < len(args) else None)
    said = [getattr(dtype, field, None) for field in ("id", "attr", "value")]
    return any(isinstance(word, str) and word in _REALS for word in said)
