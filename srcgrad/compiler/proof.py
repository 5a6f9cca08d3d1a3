"""Says whether a text may run: by what the checker and numbers say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from srcgrad.checker.verdict import Verdict
from srcgrad.checker.witness import OBSERVERS
from srcgrad.errors import NotProvenError, VerificationError

#: The name of a derivative, and arguments like those of a call of it.
Given = tuple[str, Sequence[Any]]


class Asked(Protocol):
    """What the checker is to be asked of."""

    def verdict(self, given: Given | None) -> Verdict:
        """Return what it says, found with arguments like those of a call if that helps."""


@dataclass(slots=True)
class Standing:
    """What is known of a text: shared by all functions that have the same one.

    Attributes:
        verdict: What the checker says, once it was asked.
        is_settled: Whether it is known that the text may run.
        refutation: Why it must not run, once numbers have shown it to be wrong.
        left: The branches that numbers have to be compared along; None before any were.
        vain: How many calls had nothing to compare.
        waiting: What is to be done once it is settled.
    """

    verdict: Verdict | None = None
    is_settled: bool = False
    refutation: NotProvenError | None = None
    left: frozenset[int] | None = None
    vain: int = 0
    waiting: list[Callable[[], None]] = field(default_factory=list)

    def settle(self) -> None:
        """Note that the text may run, and do what waits for that."""
        self.is_settled = True
        waiting, self.waiting = self.waiting, []
        for do in waiting:
            do()


class Proof:
    """What the checker says of the derivatives of one module, found out when it is first asked.

    A text that is not proven may still be right, since the checker does not know all there is. So
    numbers decide before a branch of it first runs (`srcgrad.api.proofs`): of one that is taken for
    wrong, of one that the checker cannot tell of, and of the branches of others that it never ran.
    """

    __slots__ = ("_given", "_parts", "_standing")

    def __init__(self, parts: Asked | None, standing: Standing | None = None) -> None:
        self._parts: Asked | Callable[[], Proof | None] | None = parts
        self._standing = standing or Standing()
        self._given: tuple[str, Sequence[Any]] | None = None

    @property
    def is_asked(self) -> bool:
        """Whether the checker was asked already."""
        return self._standing.verdict is not None

    def suppose(self, entry: str, given: Sequence[Any]) -> None:
        """Let the verdict on one function be found with arguments like those of a call."""
        if self._parts is not None and not (self.is_asked or self.is_settled):
            self._given = entry, given

    def of_another(self) -> Proof:
        """Return the proof of the same text for another function, which keeps nothing alive."""
        return Proof(None, self._standing)

    def for_others(self) -> Proof:
        """Return the proof for other processes, which is that the text may run, or nothing."""
        known = self.is_settled
        return Proof(None, Standing(self.verdict, is_settled=True) if known else None)

    def ask_again(self, make: Callable[[], Proof | None]) -> None:
        """Let the verdict on a text of another process be that on the same text, made anew."""
        if not (self.is_asked or self.is_settled):
            self._parts = make

    def when_settled(self, do: Callable[[], None]) -> None:
        """Do something as soon as the text may run."""
        self._standing.waiting.append(do)

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of the module's derivatives; what it takes to tell is then let go."""
        standing = self._standing
        if standing.verdict is None:
            parts = self.parts()
            if parts is None:
                return Verdict("unproven", "it was made for another function of the same text")
            standing.verdict = parts.verdict(self._given)
        self._parts = self._given = None
        return standing.verdict

    def parts(self) -> Asked | None:
        """Return what the checker is to be asked of; None if there is nothing."""
        if not callable(self._parts):
            return self._parts
        made = self._parts()
        return None if made is None else made.parts()

    @property
    def is_settled(self) -> bool:
        """Whether it is known that the text may run."""
        return self._standing.is_settled

    @property
    def refutation(self) -> NotProvenError | None:
        """Why the text must not run, once numbers have shown it to be wrong."""
        return self._standing.refutation

    @property
    def is_open(self) -> bool:
        """Whether there is anything to ask of numbers before all of the text may run."""
        standing = self._standing
        if not standing.is_settled and standing.refutation is None:
            verdict = self.verdict
            if OBSERVERS:
                standing.is_settled = True
            elif self.is_proven and not verdict.missed:
                standing.settle()
        return not standing.is_settled and standing.refutation is None

    @property
    def is_doubted(self) -> bool:
        """Whether the text is taken for wrong, and numbers have not been asked of all branches."""
        return self.is_open and self.verdict.kind == "wrong"

    @property
    def is_proven(self) -> bool:
        """Whether all is proven of the text that the checker ran."""
        return self.verdict.kind == "proven"

    def share(self, other: Proof) -> None:
        """Know from now on what is known of another proof of the same text."""
        self._standing = other._standing
        if self.is_asked or self.is_settled:
            self._parts = self._given = None

    @property
    def was_compared(self) -> bool:
        """Whether numbers have been asked of a doubted text."""
        return self._standing.left is not None

    def is_new(self, branch: int) -> bool:
        """Say whether a branch of a doubted text was not taken by any call that was compared."""
        standing = self._standing
        return not standing.is_settled and (standing.left is None or branch in standing.left)

    def agree(self, seen: Iterable[int], branches: Iterable[int]) -> None:
        """Note that numbers do not find the text wrong along some of its branches."""
        standing = self._standing
        left = frozenset(branches) if standing.left is None else standing.left
        standing.left = left.difference(seen)
        if not standing.left:
            standing.settle()

    def agree_but_for_missed(self, lines: Sequence[int]) -> None:
        """Note that branches, given by the lines they begin at, are proven if they were run."""
        missed = set(self.verdict.missed)
        branches = range(len(lines))
        self.agree([branch for branch in branches if lines[branch] not in missed], branches)

    def note_vain(self) -> None:
        """Note that a call had nothing to compare: after some of them the text may run."""
        self._standing.vain += 1
        if self._standing.vain >= _VAIN_CALLS:
            self.let_run()

    def let_run(self) -> None:
        """Note that the text may run: there is nothing that could say that it is wrong."""
        self._standing.settle()

    def refute(self, numbers: VerificationError) -> None:
        """Note that numbers show the text to be wrong, too."""
        found = "; ".join(line for item in numbers.diagnostics for line in item.details)
        self._standing.refutation = NotProvenError(
            f"the derivative is not proven: {self.verdict.reason} ({found})",
            hint="the tape differentiates it; please report the function",
        )

    @property
    def reason(self) -> str:
        """Why the text, or a part of it, is not proven; empty if all of it is."""
        verdict = self.verdict
        if verdict.kind == "proven" and verdict.missed:
            return f"what stands in {_lines(verdict.missed)}, which the checker never ran"
        return "" if verdict.kind == "proven" else verdict.reason

    @property
    def unread(self) -> str:
        """Why the function's own code was not run beside the text; empty if it was."""
        return self.verdict.unread


def _lines(numbers: Sequence[int]) -> str:
    """Return lines in words.

    >>> _lines([3, 7, 8, 9])
    'lines 3, 7-9 of the text'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(words)} of the text"


_VAIN_CALLS: Final = 10
