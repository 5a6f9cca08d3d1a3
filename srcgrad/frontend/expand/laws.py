"""Reads distributions of SciPy that hold their parameters as calls of the distribution itself."""

from __future__ import annotations

import inspect
from typing import Any, Final

import numpy as np

from srcgrad.frontend.expand.part import Part, callee
from srcgrad.frontend.expand.values import Frozen, Known, Static, Value
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone
from srcgrad.runtime.interpolators import is_distribution

Bound = dict[str, Value]
_METHODS: Final = frozenset(
    (
        "pdf logpdf pmf logpmf cdf logcdf sf logsf ppf isf mean var std median entropy interval "
        "moment"
    ).split()
)


class Laws(Part):
    """The part of the expansion that deals with distributions of SciPy."""

    def law(self, callee: Known, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return what holding parameters means, if this does.

        ``norm(m, s).pdf(x)`` is ``norm.pdf(x, m, s)``.
        """
        function = callee.value
        if not (is_distribution(function) and callable(function)):
            return None
        several = not hasattr(function, "numargs")  # of several variables: SciPy factorises now
        names = _parameters(function)
        if len(args) > len(names):
            return None
        given = zip(names, args, strict=False)
        held = [self._held(item, name, several, node) for name, item in given]
        named = {name: self._held(v, name, several, node) for name, v in keywords.items()}
        parts = [self.frame.plain(item, node) for item in (callee, *held)]
        pairs = [gast.keyword(name, self.frame.plain(item, node)) for name, item in named.items()]
        return Frozen(callee, held, named, at(gast.Call(parts[0], parts[1:], pairs), node))

    def _held(self, value: Value, name: str, several: bool, node: Any) -> Value:
        """Return a parameter as it is now, whatever its name is bound to later."""
        if isinstance(value, (Static, gast.Constant)) or self.frame.interpolators.stays(value):
            return value
        wish = getattr(value, "id", name)
        if several and isinstance(value, (gast.Name, gast.Attribute, gast.Subscript)):
            value = at(gast.Call(self.frame.constant(np.copy, "copy"), [value], []), node)
        return self.frame.keep(wish, value, node)

    def of_law(self, owner: Frozen, name: str, node: Any) -> Value:
        """Return a method of a distribution that holds its parameters."""
        if name in _METHODS:
            return Frozen(owner.law, owner.args, owner.keywords, owner.expression, name)
        if any(map(self.frame.varies, [*owner.args, *owner.keywords.values()])):
            self.frame.refuse(
                node,
                f"`{name}` of a distribution whose parameters vary",
                "call its density, a distribution function, a quantile or a moment; draw with "
                "`loc + scale * rng.standard_normal(n)` and the like",
            )
        return gast.Attribute(clone(owner.expression), name, gast.Load())

    @callee(Frozen)
    def _call_frozen(self, callee: Frozen, args: list[Value], keywords: Bound, node: Any) -> Value:
        if not callee.method:
            self.frame.refuse(node, "this call of a distribution", "call a method of it")
        method = self.frame.attribute(callee.law, callee.method, node)
        named = {name: copied(item) for name, item in callee.keywords.items()}
        return self.frame.call(
            method, [*args, *map(copied, callee.args)], {**named, **keywords}, node
        )


def _parameters(law: Any) -> list[str]:
    """Return the parameters of a distribution, which its methods take after the place.

    >>> from scipy import stats
    >>> _parameters(stats.gamma), _parameters(stats.multivariate_normal)[:2]
    (['a', 'loc', 'scale'], ['mean', 'cov'])
    """
    if hasattr(law, "numargs"):
        shapes = law.shapes.replace(" ", "").split(",") if law.shapes else []
        return [*shapes, "loc", *(["scale"] if hasattr(law, "pdf") else [])]
    density = getattr(law, "logpdf", None) or getattr(law, "logpmf", None) or law.rvs
    return list(inspect.signature(density).parameters)[1:]


def copied(value: Value) -> Value:
    """Return a value that may be written into the text once more."""
    return value if isinstance(value, Static) else clone(value)
