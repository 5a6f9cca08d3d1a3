"""Asks the checker of a text before it first runs, and numbers where the checker doubts it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextvars import ContextVar
from typing import TypeVar

from srcgrad.api.plan import Plan
from srcgrad.backends import NUMPY
from srcgrad.errors import NotProvenError, UnsupportedError, VerificationError
from srcgrad.insight.switch import briefly

AnyPlan = TypeVar("AnyPlan", bound=Plan)
_UNDER_WAY: ContextVar[tuple[object, ...]] = ContextVar("srcgrad_under_way", default=())
"""The proofs that numbers are being asked for: what runs for that runs their texts."""


def not_settled_elsewhere(entry: str) -> NotProvenError:
    """Return the refusal of a doubted text at arguments that are not on the host."""
    return NotProvenError(
        f"`{entry}` is not proven, and numbers to decide are not fetched from a device",
        hint="call it once with arrays of NumPy, which decide",
    )


def is_doubted(plan: Plan) -> bool:
    """Say whether the checker takes the text of a plan for wrong, and numbers were not asked."""
    proof = plan.generated.proof
    return proof is not None and proof.is_doubted


def is_refuted(plan: Plan) -> bool:
    """Say whether the text of a plan was shown to be wrong, so that it must not run."""
    proof = plan.generated.proof
    return proof is not None and proof.refutation is not None


def settle_if_it_keeps_data(plan: Plan) -> None:
    """Ask the checker of a text that does not run yet, if the user's data would wait for that."""
    if plan.generated.data:
        is_doubted(plan)


def prove(plan: AnyPlan, verify: Callable[[AnyPlan], None]) -> None:
    """See to it that a text runs only if the checker or numbers have nothing against it.

    The checker runs no function of the user's and knows no values, so that what it takes for wrong
    may be right. `verify` compares the text with the other engine and with differences, at the
    arguments of the call that is about to run.

    Raises:
        NotProvenError: Checker and numbers both say that the text is wrong.
    """
    proof = plan.generated.proof
    if proof is None or proof.is_settled or proof in _UNDER_WAY.get():
        return
    if proof.is_doubted and plan.library is not NUMPY:
        raise not_settled_elsewhere(plan.generated.entry)
    if proof.is_doubted:
        before = _UNDER_WAY.set((*_UNDER_WAY.get(), proof))
        try:
            with warnings.catch_warnings(), briefly():
                warnings.simplefilter("ignore")  # nobody asked for numbers, which may not tell
                verify(plan)
            proof.agree()
        except VerificationError as error:
            proof.refute(error)
        finally:
            _UNDER_WAY.reset(before)
    if proof.refutation is not None:
        raise proof.refutation


def proven(
    plan: AnyPlan | None,
    verify: Callable[[AnyPlan], None],
    refuse: Callable[[UnsupportedError], None],
) -> AnyPlan | None:
    """Return a plan, or None if its text must not run, after the refusal was said."""
    if plan is None:
        return None
    try:
        prove(plan, verify)
    except NotProvenError as refusal:
        refuse(refusal)
        return None
    return plan
