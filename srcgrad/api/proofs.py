"""Asks the checker of a text before it first runs, and numbers where it has no proof."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from srcgrad.api.paths import NewBranchError, is_under_way, noting, watch_of
from srcgrad.api.plan import HalvesPlan, Plan
from srcgrad.api.policy import Policy
from srcgrad.backends import NUMPY
from srcgrad.compiler.proof import Proof
from srcgrad.errors import NotProvenError, UnsupportedError, VerificationError
from srcgrad.insight.switch import ANYTHING, Brief, briefly, verifies
from srcgrad.later import later
from srcgrad.runtime.stacks import CannotStackError
from srcgrad.tape import in_another_call

if TYPE_CHECKING:
    from srcgrad.checker import examples
    from srcgrad.checker.examples import Arguments
else:
    examples = later("srcgrad.checker.examples")

AnyPlan = TypeVar("AnyPlan", bound=Plan)
Found = TypeVar("Found")


def is_due(plan: Plan, policy: Policy) -> bool:
    """Say whether the text of a plan is to be verified now."""
    if not ANYTHING.on or plan.verified or in_another_call():
        return False
    return verifies(policy.verify or plan.doubted)


class Comparing(NamedTuple):
    """How a text is compared with the other engine and with differences, at a call's arguments.

    Attributes:
        policy: Says whether the user asks for it.
        compare: Does it for the text of a plan.
        arguments: Those of the call, by name or as they were given.
    """

    policy: Policy
    compare: Callable[[Any], None]
    arguments: Arguments = ((), {})

    def where_asked(self, plan: Plan) -> None:
        """Compare a text if the user asks for it, before anything is compared on our account.

        Raises:
            VerificationError: It is wrong.
        """
        if is_due(plan, self.policy):
            self.compare(plan)


def not_settled_elsewhere(entry: str) -> NotProvenError:
    """Return the refusal of a doubted text at arguments that are not on the host."""
    return NotProvenError(
        f"`{entry}` is not proven, and numbers to decide are not fetched from a device",
        hint="call it once with arrays of NumPy, which decide",
    )


def is_refuted(plan: Plan) -> bool:
    """Say whether the text of a plan was shown to be wrong, so that it must not run."""
    proof = plan.generated.proof
    return proof is not None and proof.refutation is not None


def is_settled(plan: Plan) -> bool:
    """Say whether nothing is left to be asked of the text of a plan, which may run."""
    proof = plan.generated.proof
    return proof is None or not (proof.is_open or proof.refutation is not None)


def is_taken_for_wrong(plan: Plan) -> bool:
    """Say whether the text of a plan must not run where no numbers can be asked of it."""
    proof = plan.generated.proof
    return proof is not None and (proof.is_doubted or proof.refutation is not None)


def refuse_doubted(plan: Plan) -> None:
    """Refuse a text to those who differentiate it again, if the checker takes it for wrong.

    What they make of it is compared with nothing but this text.

    Raises:
        NotProvenError: It is doubted, or was shown to be wrong.
    """
    proof = plan.generated.proof
    if proof is None or not is_taken_for_wrong(plan):
        return
    raise proof.refutation or NotProvenError(
        f"`{plan.generated.entry}`, which is differentiated once more, is not proven",
        hint="the tape differentiates it; please report the function",
    )


def needs_look(plan: Plan) -> bool:
    """Say whether each call of the text of a plan has to ask whether it may run.

    Of one that stops by itself before what was never compared, none has to.
    """
    proof = plan.generated.proof
    if proof is None or proof.is_settled:
        return False
    return not (proof.was_compared and watch_of(plan, proof).stops)


def settle_if_it_keeps_data(plan: Plan) -> None:
    """Ask the checker of a text that does not run yet, if the user's data would wait for that."""
    if plan.generated.data:
        is_settled(plan)


def prove(plan: AnyPlan, numbers: Comparing) -> None:
    """See to it that a text runs only if the checker or numbers have nothing against it.

    The checker runs no function of the user's and knows no values, so that what it takes for wrong
    may be right. `numbers` are those of the call that is about to run.

    Raises:
        NotProvenError: Checker and numbers both say that the text is wrong.
        VerificationError: It is wrong, and the user has asked for numbers.
    """
    numbers.where_asked(plan)
    proof = plan.generated.proof
    if proof is None or proof.is_settled or is_under_way(plan):
        return
    if not proof.is_asked:
        _show(plan, proof, numbers.arguments)
    if plan.library is not NUMPY:
        if proof.is_doubted:
            raise not_settled_elsewhere(plan.generated.entry)
    elif proof.is_open and needs_look(plan):
        _look(plan, proof, numbers)
    if proof.refutation is not None:
        raise proof.refutation


def ask(plan: Plan, numbers: Comparing) -> None:
    """Have the checker asked of a text for which numbers are not wanted, as `prove` does first."""
    proof = plan.generated.proof
    if proof is None or proof.is_settled or is_under_way(plan) or plan.library is not NUMPY:
        return
    if not proof.is_asked:
        _show(plan, proof, numbers.arguments)
    _ = proof.is_open


def _show(plan: Plan, proof: Proof, arguments: Arguments) -> None:
    """Let the checker know what is given, if that is what the text is for."""
    bound = examples.bound_arguments(plan.function.__dict__["__srcgrad_primal__"], arguments)
    if bound is None or (plan.scalars and plan.arrays(bound)):
        return
    holders = any(isinstance(item, (list, tuple, dict)) for item in bound.values())
    if holders and plan.joins_lists(bound):
        return
    if plan.fits(tuple(bound.values()), {}):
        proof.suppose(plan.generated.entry, list(bound.values()))


def _look(plan: AnyPlan, proof: Proof, numbers: Comparing) -> None:
    """Ask numbers of a text that is not settled.

    Of one that the checker does not take for wrong, a call is run once more only where nobody
    notices, and where it cannot be stopped before new branches, the first one tells of all.
    """
    watch = watch_of(plan, proof)
    if proof.is_doubted:
        _compare(plan, proof, numbers)
    elif not watch.repeats or (proof.is_proven and (plan.loops or not watch.stops)):
        proof.let_run()
    elif proof.is_proven:
        watch.trust_what_is_proven()
    elif not _compare(plan, proof, numbers):
        proof.note_vain()
    elif not watch.stops and proof.refutation is None:
        proof.let_run()
        watch.narrow()


def _compare(plan: AnyPlan, proof: Proof, numbers: Comparing) -> bool:
    """Ask numbers of a text; say whether they tell of the branches that it takes."""
    watch = watch_of(plan, proof)
    with noting(watch) as seen:
        brief = Brief(
            lambda: not proof.was_compared or any(map(proof.is_new, seen)),
            tells_errors=proof.is_doubted,
        )
        try:
            with warnings.catch_warnings(), briefly(brief):
                warnings.simplefilter("ignore")  # nobody asked for numbers, which may not tell
                numbers.compare(plan)
        except VerificationError as error:
            proof.refute(error)
            return True
    if brief.too_dear or (brief.compared and not seen):  # or it is not the text that ran
        proof.let_run()
    elif brief.compared:
        proof.agree(seen, watch.branches)
    if brief.compared or brief.too_dear:
        watch.narrow()
    return brief.compared


def stopping(
    plan: AnyPlan,
    run: Callable[[], Found],
    numbers: Comparing,
    refuse: Callable[[UnsupportedError], None],
    tape: Callable[[], Found],
    still: Callable[[], bool] = lambda: True,
) -> Found:
    """Return what `run` returns, which runs the text of a plan.

    Where it stops before a branch that numbers were never compared along, they are, and it runs
    once more, or in its place `tape`, after the refusal was said. `still` says whether the function
    would do now what it did when the call began.

    Raises:
        NewBranchError: It stops, and the function would do something else.
    """
    numbers.where_asked(plan)
    proof = plan.generated.proof
    if proof is None or proof.is_settled:
        return run()
    watch = watch_of(plan, proof)
    try:
        return run()
    except NewBranchError as stop:
        if stop.watch is not watch or not still():
            raise
    try:
        if _compare(plan, proof, numbers):
            if proof.refutation is not None:
                raise proof.refutation
            return run()
    except NotProvenError as refusal:
        refuse(refusal)
        return tape()
    with noting(watch):  # the function raises, or there is nothing to compare
        return run()


def stop_before_new(plan: HalvesPlan, back: Callable[[], object]) -> None:
    """Go back with `back`, if that may stop, to see whether it does.

    Raises:
        NewBranchError: It comes to a branch that numbers were never compared along.
    """
    proof = plan.generated.proof
    if proof is None or proof.is_settled or is_under_way(plan):
        return
    if watch_of(plan, proof).has_new(plan.backward.__name__):
        try:
            with np.errstate(all="ignore"):
                back()
        except NewBranchError:
            raise
        except Exception:  # noqa: BLE001, S110 - the pullback will meet it
            pass


def stopping_stacks(plan: AnyPlan, run: Callable[[], Found], numbers: Comparing) -> Found:
    """Return what `run` returns, which runs a text for stacks, as `prove` and `stopping` allow it.

    Raises:
        CannotStackError: The text must not run, and nothing stands in for it.
    """

    def refuse(refusal: UnsupportedError) -> None:
        raise CannotStackError("a text that is not proven") from refusal

    try:
        prove(plan, numbers)
    except NotProvenError as refusal:
        refuse(refusal)
    return stopping(plan, run, numbers, refuse, run)


def proven(
    plan: AnyPlan | None,
    numbers: Comparing,
    refuse: Callable[[UnsupportedError], None],
) -> AnyPlan | None:
    """Return a plan, or None if its text must not run, after the refusal was said."""
    if plan is None:
        return None
    try:
        prove(plan, numbers)
    except NotProvenError as refusal:
        refuse(refusal)
        return None
    return plan
