"""Says what the texts of derivatives claim, so that they can be verified."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from inspect import BoundArguments
from typing import Any, NamedTuple

import numpy as np

from srcgrad.api.fallback import run_on_tape
from srcgrad.api.plan import Plan
from srcgrad.api.policy import USUAL, Policy
from srcgrad.api.stacking import rows_in, stack_of
from srcgrad.api.structures import float_leaves, mapped, split
from srcgrad.api.surroundings import Surroundings
from srcgrad.api.tape_gradient import on_tape
from srcgrad.api.tape_pull import pull_on_tape
from srcgrad.api.tape_push import push_on_tape
from srcgrad.api.underlying import called, plain, signature
from srcgrad.api.values import as_now, conform
from srcgrad.api.verification import Arguments, Claim, verify
from srcgrad.errors import UnsupportedError, VerificationError
from srcgrad.insight.switch import in_brief, verifying
from srcgrad.tape.turning import meeting

Run = Callable[..., Any]


class Subject(NamedTuple):
    """What is differentiated.

    Attributes:
        primal: The user's function, or a derivative of it.
        names: The parameters that it is differentiated by.
        has_aux: Whether the first of a pair is differentiated.
        policy: How the derivative is taken.
    """

    primal: Callable[..., Any]
    names: Sequence[str]
    has_aux: bool = False
    policy: Policy = USUAL

    def value(self, arguments: Arguments) -> Any:
        """Return what is differentiated; a bound `self` is among the arguments."""
        arguments = self.policy.lent(arguments, self.primal)
        if hasattr(self.primal, "__srcgrad_taken__"):
            found = called(self.primal, arguments)
        else:
            bound = BoundArguments(signature(self.primal), arguments)
            found = plain(self.primal)(*bound.args, **bound.kwargs)
        return split(found, has_aux=self.has_aux)[0]

    def push(self, arguments: Arguments, tangents: list[Any]) -> tuple[Any, Any]:
        """Return the value and its tangent, by the tape.

        Raises:
            UnsupportedError: The tape refuses it, or met equal eigenvalues.
        """
        met: list[str] = []
        arguments = self.policy.lent(arguments, self.primal)
        form, before = signature(self.primal), as_now(arguments)
        with meeting(met):
            found = push_on_tape(on_tape(self.primal), form, self.names, arguments, tangents)
        self._refuse_ties(met)
        heads = tuple(split(item, has_aux=self.has_aux)[0] for item in found)
        if hasattr(self.primal, "gives_value"):
            of: Any = self.primal
            heads = tuple(of.conformed(item, before, generated=False) for item in heads)
        return heads[0], heads[1]

    def pull(self, arguments: Arguments, adjoint: Any) -> Any:
        """Return the adjoints of the arguments, by the tape.

        Raises:
            UnsupportedError: The tape refuses it, or met equal eigenvalues.
        """
        met: list[str] = []
        form, given = signature(self.primal), self.policy.lent(arguments, self.primal)
        with meeting(met):
            _, pull = pull_on_tape(on_tape(self.primal), form, self.names, given)
            found = pull(adjoint)
        self._refuse_ties(met)
        return found

    def _refuse_ties(self, met: Sequence[str]) -> None:
        if met:
            raise UnsupportedError("the tape met equal eigenvalues", hint="move the argument")

    def verify_inside(self, arguments: Arguments) -> None:
        """Verify the text of a gradient that is differentiated again, which has part in it.

        Raises:
            VerificationError: It is wrong.
        """
        if not hasattr(self.primal, "gives_value"):
            return
        try:
            given = copy.deepcopy(arguments)  # noqa: TID251 - values, no trees
            with Surroundings(plain(self.primal)).kept(), verifying():
                called(self.primal, given)
        except VerificationError:
            raise
        except Exception:  # noqa: BLE001, S110 - the call itself says what is wrong
            pass


def verify_gradient(gradient: Any, plan: Plan, run: Run, arguments: Arguments) -> None:
    """Verify the text of a gradient; `run` takes positional arguments, and others by name.

    Raises:
        VerificationError: It is wrong.
    """
    names, place = gradient.names, 1 if gradient.gives_value else 0
    paired = gradient.gives_value or gradient.has_aux
    subject = Subject(gradient.primal, names, gradient.has_aux, gradient.policy)
    form = signature(gradient.primal)
    said: list[Any] = []

    def text(given: Arguments, directions: Any, weights: Any) -> Iterable[Any]:
        del directions, weights
        bound, values = BoundArguments(form, given), [as_now(given[n]) for n in names]
        result = run(*bound.args, **bound.kwargs)
        found = result[place] if paired else result
        if gradient.gives_value:
            said.append(split(result[0], has_aux=gradient.has_aux)[0])
        grads = found if len(names) > 1 else (found,)
        return [conform(grad, value) for grad, value in zip(grads, values, strict=True)]

    def pull(given: Arguments, weights: Any) -> Any:
        del weights
        given = gradient.policy.lent(given, gradient.primal)
        bound, values = BoundArguments(form, given), [as_now(given[n]) for n in names]
        function = on_tape(gradient.primal)
        aux = gradient.has_aux
        grads = run_on_tape(function, form, names, bound.args, bound.kwargs, aux=aux)[1]
        return [conform(grad, value) for grad, value in zip(grads, values, strict=True)]

    subject.verify_inside(arguments)
    known = plain(gradient.primal), names, arguments
    verify(Claim("gradient", *known, subject.value, text, subject.push, pull, True, said))
    plan.verified |= in_brief() is None


def verify_tangents(subject: Subject, plan: Plan, run: Run, arguments: Arguments) -> None:
    """Verify the text of tangents; `run` takes arguments and tangents, and returns both.

    Raises:
        VerificationError: It is wrong.
    """

    def text(given: Arguments, directions: list[Any], weights: Any) -> Any:
        del weights
        value, tangent = run(given, directions)
        said.append(value)
        return tangent

    said: list[Any] = []
    _verify_other("tangent", subject, plan, text, arguments, said)


def verify_adjoints(subject: Subject, plan: Plan, run: Run, arguments: Arguments) -> None:
    """Verify the text of halves; `run` takes arguments, and returns the value and its pullback.

    Raises:
        VerificationError: It is wrong.
    """

    def text(given: Arguments, directions: Any, weights: Any) -> Any:
        del directions
        value, pull = run(given)
        said.append(value)
        return pull(weights)

    said: list[Any] = []
    _verify_other("adjoint", subject, plan, text, arguments, said)


def _verify_other(
    kind: str, subject: Subject, plan: Plan, text: Run, arguments: Arguments, said: list[Any]
) -> None:
    subject.verify_inside(arguments)
    if hasattr(subject.primal, "gives_value"):
        kind += " of the gradient"
    known = plain(subject.primal), subject.names, arguments
    engines = text, subject.push, subject.pull
    verify(Claim(kind, *known, subject.value, *engines, kind[0] == "a", said))
    plan.verified |= in_brief() is None


def in_stack(value: Any, direction: Any) -> Any:
    """Return a stack of a seed and another one, which must not mix."""
    flat = [np.ravel(leaf) for leaf in float_leaves(direction)]
    row = np.concatenate(flat) if flat else np.zeros(0)
    return stack_of(value, np.stack([row, row[::-1] + 1.0]))


def out_of_stack(value: Any, found: Any) -> Any:
    """Return what a derivative with a stack says of its first seed."""
    first = iter([rows[0] for rows in rows_in(value, found, 2)])
    return mapped(lambda _: next(first), value)
