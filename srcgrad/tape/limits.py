"""Finds what the gradient of a factorisation needs where its values are equal or zero.

The gradients of the factors are functions of the values: the graph above the factorisation knows
them. Their derivatives along a direction of the values give the limits of 0 / 0 (see
`srcgrad.runtime.limits`), if those are the same along another direction, and if what is zero stays
so as the vectors turn, and as other inputs change. The graph is differentiated twice for that,
before the pass that needs it, and only where values are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np

from srcgrad.runtime import limits as runtime
from srcgrad.runtime.choosing import matters
from srcgrad.tape.core import Core, edge_of, make
from srcgrad.tape.modes import STATE
from srcgrad.tape.node import Edge
from srcgrad.tape.tied import CHOSEN, UNKNOWN, Limits

Run = Callable[..., dict[int, Any]]
_SEED: Final = 11


def find_limits(nodes: Iterable[Any], roots: Sequence[Edge], seeds: Any, run: Run) -> None:
    """Find the limits of factorisations, the last first, for gradients that start with seeds."""
    starts = [s if s is None or isinstance(s, Core) else make(s) for s in seeds]
    modes = STATE.grad, STATE.inference
    STATE.set(grad=True, inference=False)
    try:
        for node in sorted(nodes, key=lambda each: each._key):
            with np.errstate(all="ignore"):
                found = _limits(_Above(node, run), roots, starts)
            if found is not None:
                STATE.limits = {**(STATE.limits or {}), node: found}
    finally:
        STATE.set(grad=modes[0], inference=modes[1])


def _limits(above: _Above, roots: Sequence[Edge], seeds: Any) -> Limits | None:
    """Return the limits of one factorisation, or None if they are not needed, or not known."""
    try:
        grads = above.pull(roots, seeds, above.edges, create=True)
        factors = above.factors()
        raw = [None if grad is None else grad._array for grad in grads]
        if not matters(raw, [factor._array for factor in factors]):
            return None
        values, why = _Zeros(above, grads, factors).limits()
    except Exception:  # noqa: BLE001 - the pass itself tells what is wrong, if not this alone
        return None
    return Limits(raw, values, why)


class _Above:
    """The graph above one factorisation."""

    def __init__(self, node: Any, run: Run) -> None:
        self.node = node
        self.edges: list[Edge] = [(node, i) for i in range(node._outputs)]
        self._run = run

    def pull(
        self, roots: Sequence[Edge], seeds: Any, wanted: Sequence[Edge], *, create: bool
    ) -> list[Any]:
        """Return gradients at edges, without a way through the factorisation itself."""
        stop = frozenset([self.node])
        found = self._run(
            roots, seeds, keep=True, create=create, wanted=wanted, accumulates=False, stop=stop
        )
        return [found.get(slot) for slot in range(len(wanted))]

    def factors(self) -> list[Any]:
        """Return the factors as tensors of the graph."""
        node = self.node
        if node._packed is not None:
            saved = node._packed.tensors(node)
        else:
            node.check_saved()
            saved = tuple(node.tensor_of(value) for value in node.saved_tensors)
        return list(saved[-node._outputs :])

    def leaves(self, roots: Sequence[Edge]) -> list[Edge]:
        """Return the leaves that lead to roots by another way than through the factorisation."""
        stack = [node for node, _ in roots]
        seen = {self.node, *stack}
        found: list[Edge] = []
        while stack:
            node = stack.pop()
            if node._leaf:
                found.append((node, 0))
            for edge in node._edges:
                if edge is not None and edge[0] not in seen:
                    seen.add(edge[0])
                    stack.append(edge[0])
        return found


class _Zeros:
    """The numerators that are zero, and how they change."""

    def __init__(self, above: _Above, grads: Sequence[Any], factors: Sequence[Any]) -> None:
        self.above = above
        self.factors = [factor._array for factor in factors]
        self.place = 1 if len(factors) == 3 else 0  # of the values among the factors
        self.values = self.factors[self.place]
        self.precision = np.finfo(self.values.dtype).eps ** 0.4
        self.drawn = np.random.default_rng(_SEED)
        self.name = self._name()
        given = list(factors)
        given[self.place] = self.values
        self.quotients = getattr(runtime, f"quotients_of_{self.name}")(grads, *given)
        self.grads = [grad for i, grad in enumerate(grads) if i != self.place and grad is not None]
        self.size = max(map(_size, self.grads))
        tops = [None if q is None else _edge(q.numerator) for q in self.quotients]
        self.moving = [i for i, top in enumerate(tops) if top is not None]
        self.roots = [top for top in tops if top is not None]
        self.wanted = [*above.edges, *above.leaves(self.roots)]

    def _name(self) -> str:
        name: str = self.above.node.op.primal.__name__
        return "eigh" if name == "eigh_tridiagonal" else name

    def limits(self) -> tuple[Any, str]:
        """Return the limits, as the function takes them that gives the gradient, or why not."""
        usual = self._usual()
        self.size += _size(usual[self.place]) * _size(self.values)
        if not all(map(self._are_zero, self.quotients)):
            return None, CHOSEN
        seeds = [self._any(place) for place in self.moving]
        found = self._pull(self.roots, seeds, create=True)
        if not self._stay(found, usual):
            return None, CHOSEN
        slopes = found[self.place]
        one, other = (self._along(slopes, seeds, self._direction()) for _ in range(2))
        scale = _size(usual[self.place])
        if not all(self._agree(*pair, scale) for pair in zip(one, other, strict=True)):
            return None, UNKNOWN
        return (one if self.place else one[0]), ""

    def _are_zero(self, quotient: Any) -> bool:
        """Say whether numerators are zero, to rounding of gradients and of values."""
        if quotient is None:
            return True
        zeros = np.where(quotient.open, _raw(quotient.numerator), 0)
        return bool(_size(zeros) <= self.precision * self.size)

    def _any(self, place: int) -> Any:
        """Return a tensor of any numbers where numerators are zero."""
        quotient = self.quotients[place]
        return make(self._numbers(quotient.numerator) * quotient.open, flag=True)

    def _numbers(self, like: Any) -> Any:
        raw = _raw(like)
        numbers = self.drawn.normal(size=raw.shape)
        if np.iscomplexobj(raw):
            numbers = numbers + 1j * self.drawn.normal(size=raw.shape)
        return numbers.astype(raw.dtype)

    def _pull(self, roots: Any, seeds: Any, *, create: bool) -> list[Any]:
        """Return how sums of what is at roots change with the factors and the leaves."""
        if not roots:
            return [None] * len(self.wanted)
        return self.above.pull(roots, seeds, self.wanted, create=create)

    def _usual(self) -> list[Any]:
        """Return how any sum of the gradients changes, to compare changes with."""
        moving = [grad for grad in self.grads if _edge(grad) is not None]
        seeds = [self._numbers(grad) for grad in moving]
        return self._pull([_edge(grad) for grad in moving], seeds, create=False)

    def _stay(self, found: Sequence[Any], usual: Sequence[Any]) -> bool:
        """Say whether what is zero stays so if vectors turn, and if leaves change."""
        count = len(self.factors)
        leaves = zip(self.wanted[count:], found[count:], usual[count:], strict=True)
        for edge, one, other in leaves:
            leaf: Any = edge[0]
            held = _size(leaf.variable) or 1.0
            if not _size(one) * held <= self.precision * (self.size + _size(other) * held):
                return False
        turns = getattr(runtime, f"turns_of_{self.name}")(*self.factors, self.drawn)
        change = scale = 0.0
        for one, other, turn in zip(found[:count], usual[:count], turns, strict=True):
            if one is not None and turn is not None:
                change += np.sum(np.real(np.conj(_raw(one)) * turn))
                scale += (_size(other) + self.size) * np.sum(np.absolute(turn))
        return bool(abs(change) <= self.precision * scale)

    def _direction(self) -> Any:
        """Return changes of the values that are not equal and not zero."""
        places = np.broadcast_to(np.arange(1.0, 1 + np.shape(self.values)[-1]), self.values.shape)
        return self.drawn.permuted(places, axis=-1) + self.drawn.uniform(-0.3, 0.3, places.shape)

    def _along(self, slopes: Any, seeds: Sequence[Any], direction: Any) -> list[Any]:
        """Return the limits along a direction of the values."""
        changes: list[Any] = [0.0] * len(self.quotients)
        top = None if slopes is None else _edge(slopes)
        if top is not None:
            wanted = [edge_of(seed) for seed in seeds]
            start = direction.astype(slopes._array.dtype)
            found = self.above.pull([top], [start], wanted, create=False)  # type: ignore[arg-type]
            for place, change in zip(self.moving, found, strict=True):
                changes[place] = 0.0 if change is None else change
        pairs = zip(self.quotients, changes, strict=True)
        return [None if q is None else q.limit(change, direction) for q, change in pairs]

    def _agree(self, one: Any, other: Any, scale: float) -> bool:
        return one is None or bool(_size(one - other) <= self.precision * (_size(one) + scale))


def _edge(value: Any) -> Edge | None:
    return edge_of(value) if isinstance(value, Core) else None


def _raw(value: Any) -> Any:
    return getattr(value, "_array", value)


def _size(value: Any) -> float:
    """Return the largest modulus in an array or tensor, 0 for None."""
    return 0.0 if value is None else float(np.max(np.absolute(_raw(value)), initial=0.0))
