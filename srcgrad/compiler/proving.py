"""Hands finished derivatives to the checker, and says what it finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from srcgrad.checker.check import Checker, Subject, ranks_of
from srcgrad.checker.exact import ExactChecker
from srcgrad.checker.exact_pushing import ExactTangentChecker
from srcgrad.checker.examples import example_of
from srcgrad.checker.pushing import TangentSubject
from srcgrad.checker.repeated import PullChecker, PullSubject
from srcgrad.checker.verdict import Verdict
from srcgrad.checker.witness import OBSERVERS
from srcgrad.codegen.loader import code_of
from srcgrad.compiler.proof import Given, Proof
from srcgrad.ir.build import clone

if TYPE_CHECKING:
    from srcgrad.compiler.derivation import Derivation


@dataclass(slots=True)
class Proofs:
    """The derivatives of one module that are to be checked, and what the module imports."""

    subjects: list[Subject] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)

    def add(
        self,
        derivation: Derivation,
        name: str,
        outer: Sequence[str],
        *,
        backward: str = "",
        value: bool = False,
        aux: bool = False,
    ) -> None:
        """Keep one derivative to be checked when the module's text is finished."""
        witness = derivation.program.witness
        if witness is None:
            return
        program, tree = derivation.program, derivation.source.tree
        args = tree.args
        leaves = derivation.source.fields
        self.subjects.append(
            Subject(
                name,
                witness,
                program.reader.scope,
                parameters=[item for item in program.parameters if item not in leaves],
                keyword_only=[item.id for item in args.kwonlyargs],
                starred=[item.id for item in (args.vararg, args.kwarg) if item is not None],
                inputs=program.inputs,
                outer=outer,
                outputs=len(program.outputs),
                returns_tuple=program.returns_tuple,
                fields=[clone(statement) for statement in tree.body[: len(leaves)]],
                backward=backward,
                value=value,
                aux=aux,
                ranks=ranks_of(program.given, derivation.conditions)
                | dict.fromkeys(derivation.scalars, "number"),
                conditions=list(derivation.conditions),
                function=derivation.source.users,
                copied=derivation.copied,
            )
        )

    def of(self, text: str, bound: Mapping[str, Any]) -> Proof | None:
        """Return what the checker says of a module, for those who ask; None if it is not to."""
        if not self.subjects:
            return None
        proof = Proof(Question(text, bound, self.subjects, self.imports))
        if OBSERVERS:
            proof.verdict  # noqa: B018 - whoever observes verdicts is told of all texts
        return proof


@dataclass(frozen=True, slots=True)
class Question:
    """A text, the names that are put into it, its derivatives, and what it imports."""

    text: str
    bound: Mapping[str, Any]
    subjects: list[Subject]
    imports: list[str]

    def verdict(self, given: Given | None) -> Verdict:
        """Return the worst of what the checker says of the derivatives."""
        found = [
            _verdict(self.text, self.bound, self.imports, subject, given)
            for subject in self.subjects
        ]
        worst = max(found, key=lambda verdict: _WORSE.index(verdict.kind))
        missed = {line for verdict in found for line in verdict.missed}
        unread = next((verdict.unread for verdict in found if verdict.unread), "")
        return replace(worst, missed=tuple(sorted(missed)), unread=unread)


_WORSE: Final = ("proven", "unproven", "wrong")


def _verdict(
    text: str,
    bound: Any,
    imports: list[str],
    subject: Subject,
    given: Given | None,
) -> Verdict:
    kinds: dict[type, type[Checker]]
    kinds = {TangentSubject: ExactTangentChecker, PullSubject: PullChecker}
    checker: Checker = kinds.get(type(subject), ExactChecker)(bound, imports, subject)
    if given and subject.name == given[0] and len(subject.parameters) == len(given[1]):
        checker.example = example_of(given[1])
        checker.divided = example_of(given[1], divided=True)
    verdict = checker.verdict(text, code_of(text))
    for observer in OBSERVERS:
        observer(text, bound, checker, subject, verdict)
    return verdict
