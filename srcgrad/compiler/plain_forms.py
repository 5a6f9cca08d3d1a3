"""Writes a function of the user's in the plain statements that the passes of derivatives read.

What takes a function as it was written refuses some of what Python has; the front end says most of
that in other words: ``with``, ``:=``, dicts that are filled, ``out=``, jumps out of blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from srcgrad.analyses.sharing import Sharing
from srcgrad.compiler.normal_form import Manner, normal_form
from srcgrad.compiler.stages import Stages
from srcgrad.frontend.normalize.updates import settle_updates
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir.build import clone
from srcgrad.ir.program import Program, bound_names
from srcgrad.ir.scopes import Binding
from srcgrad.optimizations.coalesce import coalesce
from srcgrad.optimizations.forward_substitute import ForwardSubstitution
from srcgrad.optimizations.merge_handlers import merge_handlers
from srcgrad.optimizations.propagate_copies import propagate_copies
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.tidy import tidy
from srcgrad.optimizations.width import width
from srcgrad.transforms.repeats import spell_repeats


def plain_form(
    source: FunctionSource, inputs: Sequence[str], taken: Sequence[str]
) -> tuple[FunctionSource, Mapping[str, Binding]] | None:
    """Return a function in plain statements; None if the front end refuses it.

    With it come the names that these have from elsewhere, such as classes that `match` asks for.

    `inputs` are the parameters that vary, `taken` are names that the module needs for itself.
    """
    manner = Manner(updates=True, caught=True)  # what `+=` writes into, only the run tells
    program, refusals = normal_form(source, inputs, taken, Stages(), manner)
    if refusals.found:
        return None
    tree = clone(source.tree)
    body = _shortened(source, program)
    spell_repeats(body)
    tree.body = [*tree.body[: len(source.fields)], *body]
    return replace(source, tree=tree), dict(program.reader.scope.used)


def _shortened(source: FunctionSource, program: Program) -> list[Any]:
    """Return the body of a program with fewer names: those of the user, where they will do."""
    namer, local = program.namer, program.reader.scope.local

    def is_temporary(name: str) -> bool:
        variable = namer.variable_of(name)
        return variable in source.temporaries or variable not in local

    settle_updates(program.body, set())  # what an entry is, only the run tells
    purity = Purity(program.reader, frozenset(), lambda _: False)
    body = propagate_copies(program.body, is_temporary, program.parameters)
    body = ForwardSubstitution(purity, is_temporary, width).run(body)
    may_share = Sharing(body, purity.of).may_share
    keep = set(bound_names(body))  # what is no update here was none
    body = coalesce(body, program.parameters, namer, keep, program.results, may_share)
    return merge_handlers(tidy(body))
