"""Hands tangent functions, and what the backward pass runs again, to the checker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from srcgrad.checker.check import ranks_of
from srcgrad.checker.pushing import TangentSubject
from srcgrad.checker.repeated import PullSubject
from srcgrad.compiler.field_reads import all_fields_read

if TYPE_CHECKING:
    from srcgrad.compiler.derivation import Derivation
    from srcgrad.compiler.proving import Proofs


def add_tangents(
    proofs: Proofs, derivation: Derivation, name: str, wrt: Sequence[str], *, keeps: bool
) -> None:
    """Keep one tangent function to be checked; `keeps` if it leaves given tangents alone."""
    witness = derivation.program.witness
    if witness is None:
        return
    program, args = derivation.program, derivation.source.tree.args
    proofs.subjects.append(
        TangentSubject(
            name,
            witness,
            program.reader.scope,
            parameters=list(program.parameters),
            keyword_only=[item.id for item in args.kwonlyargs],
            starred=[item.id for item in (args.vararg, args.kwarg) if item is not None],
            inputs=program.inputs,
            outer=wrt,
            outputs=len(program.outputs),
            returns_tuple=program.returns_tuple,
            fields=all_fields_read(derivation.source),
            ranks=ranks_of(program.given, derivation.conditions),
            conditions=list(derivation.conditions),
            function=derivation.source.users,
            keeps=keeps,
        )
    )


def add_pullback(
    proofs: Proofs,
    derivation: Derivation,
    names: tuple[str, str],
    adjoints: Sequence[str],
    added: Sequence[str],
) -> None:
    """Keep a function that takes adjoints back to be checked, and the one that runs forward alone.

    It takes `adjoints`, of results and then of the inputs that are `added` to.
    """
    program = derivation.program
    if program.witness is None:
        return
    name, forward = names
    taken = set(adjoints[: len(adjoints) - len(added)])
    outputs = program.outputs
    places = [i for i, item in enumerate(outputs) if program.namer.adjoint(item) in taken]
    proofs.subjects.append(
        PullSubject(
            name,
            program.witness,
            program.reader.scope,
            parameters=list(program.parameters),
            keyword_only=[],
            starred=[],
            inputs=program.inputs,
            outer=program.inputs,
            outputs=len(outputs),
            returns_tuple=program.returns_tuple,
            ranks=ranks_of(program.given, derivation.conditions),
            forward=forward,
            places=places,
            added=added,
        )
    )
