"""Checks a tangent function beside the function's own code, entry by entry.

The elements that the code is run on carry a tangent, which calculus takes along. The text is given
the same numbers with tangents as arguments of their own, and has to return what the code does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.checker.check import outcome
from srcgrad.checker.elements import Element
from srcgrad.checker.exact import NESTS, Ended, ExactChecker, ExactPrimal
from srcgrad.checker.pushing import TangentChecker, TangentSubject
from srcgrad.checker.runs import Disagreement, NotCovered, Now
from srcgrad.checker.values import entries_of, is_known, leaves_of, same
from srcgrad.checker.witness import Witness


class ExactTangentChecker(ExactChecker, TangentChecker):
    """The check of one tangent function, by lanes and then beside the function's own code."""

    _subject: TangentSubject

    def _exact_made(self) -> ExactPrimal:
        """Return the primal as it is run over arrays, without its tangents."""
        if self._exact is None:
            said: Any = self._subject.witness
            runs = {
                place: (push.before, push.statement)
                for place, push in said.pushes.items()
                if not push.is_call
            }
            witness = Witness(said.body, forward=runs)
            self._exact = ExactPrimal(witness, self._subject.parameters, [], said.body)
        return self._exact

    def _is_fit(self, result: Any) -> bool:
        return all(is_known(item) for item in entries_of(result))

    def _compare_with(self, ended: Ended, seed: int) -> None:
        """Run the text along the same path, and compare all that it leaves."""
        subject = self._subject
        ours, given, ways, expected = ended
        theirs = Now.run = self._begin_long(seed)
        if ours.nested:
            raise NotCovered(NESTS)
        theirs.own = self._begun(self._own) if ours.own and self._own else None
        args = self._exact_arguments(seed, moving=False)
        dots = {name: _tangent(ways[name]) for name in subject.inputs}
        space = self._exact_space()
        found = outcome(lambda: space[subject.name](*args.values(), *dots.values()))
        if found[0] == "raised":
            if isinstance(found[1], TypeError) or "an array element" in str(found[1]):
                raise NotCovered(f"NumPy does not do it with objects: {found[1]}")
            raise Disagreement(f"the derivative alone raises {found[1]!r}")
        value, tangent = found[1]
        if not same(expected[1], value):
            raise Disagreement("the value is another")
        if not same(_tangent(expected[1]), tangent):
            raise Disagreement("the tangent is another")
        self._compare_leaves([*args.values(), value], tangent)
        for name, dot in dots.items():
            if not same(_tangent((ways if subject.keeps else given)[name]), dot):
                raise Disagreement(f"the tangent of `{name}` is left with other contents")
        self._compare_traces(ours, theirs, given, args)

    def _compare_leaves(self, values: Any, tangent: Any) -> None:
        """Refuse tangents that lie in the memory of values."""
        for leaf in leaves_of(tangent):
            if any(np.may_share_memory(leaf, other) for other in leaves_of(values)):
                raise Disagreement("a tangent shares memory with a value")


def _tangent(value: Any) -> Any:
    """Return how a value changes along the direction, in its structure."""
    if isinstance(value, dict):
        return {key: _tangent(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_tangent, value))
    if not isinstance(value, np.ndarray):
        return Element(value.dot) if isinstance(value, Element) else 0.0
    found = np.empty(value.size, object)
    found[:] = [_tangent(item) for item in value.ravel().tolist()]
    return found.reshape(value.shape)
