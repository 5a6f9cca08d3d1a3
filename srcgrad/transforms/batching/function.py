"""Writes one function for a batch: again and again, until nothing new is found out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from srcgrad.errors import NotBatchedError
from srcgrad.frontend.normalize.matching import Matching
from srcgrad.frontend.normalize.returns import single_exit
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir import gast
from srcgrad.ir.build import assign, clone
from srcgrad.ir.jumps import jumps
from srcgrad.ir.names import Namer
from srcgrad.ir.program import bound_names
from srcgrad.ir.scopes import Binding, Scope, scope_of
from srcgrad.ir.walk import found_in, without_docstring
from srcgrad.transforms.batching import (
    arranging,
    derivatives,
    elementwise,
    making,
    one_by_one,
    products,
    reductions,
    types,
)
from srcgrad.transforms.batching.facts import NONE, Fact
from srcgrad.transforms.batching.state import AgainError, Helpers, Known, PartsError
from srcgrad.transforms.batching.writer import Ending, Writer

for _module in (
    arranging,
    derivatives,
    elementwise,
    making,
    one_by_one,
    products,
    reductions,
    types,
):
    assert _module.__doc__  # they are imported for the handlers that they register

_MOST_ROUNDS = 200


@dataclass(frozen=True, slots=True)
class Written:
    """A function for a batch.

    Attributes:
        body: Its statements.
        result: What is known of what it returns.
        known: What was found out of its memory.
        uses_batch: Whether it reads the number of examples.
        scope: Its names from outside.
        tree: The function for one example that it was written from.
        risks: What it may raise for some of the examples.
    """

    body: list[Any]
    result: Fact
    known: Known
    uses_batch: bool
    scope: Scope
    tree: Any
    risks: tuple[type[BaseException], ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a function is to be written for.

    Attributes:
        given: What is known of its parameters.
        batch: The name of the number of examples.
        taken: The names that the module needs for itself.
        is_helper: Whether it is called by another that is written.
        ending: What becomes of what it returns.
        imported: Names that it has from elsewhere than its module.
    """

    given: Mapping[str, Fact]
    batch: str
    taken: tuple[str, ...]
    is_helper: bool
    ending: Ending | None = None
    imported: Mapping[str, Binding] = field(default_factory=dict)


def write_function(source: FunctionSource, helpers: Helpers, wanted: Wanted) -> Written:
    """Return a function written for a batch.

    Raises:
        NotBatchedError: It cannot be.
        WantsError: It writes values of the batch into an argument that all examples share.
    """
    try:
        return _written(source, helpers, wanted, one_exit=False)
    except PartsError:
        return _written(source, helpers, wanted, one_exit=True)


def _written(
    source: FunctionSource, helpers: Helpers, wanted: Wanted, *, one_exit: bool
) -> Written:
    tree, imported = _prepared(source, wanted, one_exit=one_exit)
    scope = scope_of(source.function, tree, with_imports=True)
    scope.used.update(imported)
    known = Known()
    for _ in range(_MOST_ROUNDS):
        namer = Namer([*scope.local, *bound_names(tree.body), *wanted.given])
        namer.reserve([*wanted.taken, wanted.batch, *_free_names(tree), *known.names])
        writer = Writer(
            source,
            scope,
            namer,
            helpers,
            known,
            wanted.given,
            wanted.batch,
            is_helper=wanted.is_helper,
            tree=tree,
            ending=wanted.ending,
        )
        writer.has_one_exit = one_exit
        try:
            writer.block(tree.body)
        except AgainError:
            continue
        result = NONE if writer.returned is None else writer.returned
        risks = tuple(dict.fromkeys(error for _, errors in writer.risks for error in errors))
        return Written(writer.out, result, known, writer.uses_batch, scope, tree, risks)
    raise NotBatchedError(
        "this function is not written for a batch: it keeps changing what its values are",
        span=source.span(source.tree),
        hint="give each variable one meaning",
    )


def _prepared(
    source: FunctionSource, wanted: Wanted, *, one_exit: bool
) -> tuple[Any, dict[str, Binding]]:
    """Return the tree of a function with one `return`, its last statement, and without `match`.

    With it come the classes that the tests in the place of `match` name. With `one_exit`, no block
    is left but at its end: each jump ends its branch.
    """
    tree = clone(source.tree)
    tree.body = without_docstring(tree.body)
    refusals = Refusals(source)
    namer = Namer([*bound_names(tree.body), *wanted.given])
    namer.reserve([*wanted.taken, wanted.batch, *_free_names(tree)])
    imported = dict(wanted.imported)
    if found_in(tree, gast.Match):
        scope = scope_of(source.function, tree, with_imports=True)
        tree.body = Matching(tree.body, namer, scope, refusals).block(tree.body)
        imported |= scope.used
    returns = [item for item in jumps(tree.body) if isinstance(item, gast.Return)]
    at_end = len(returns) == 1 and returns[0] is tree.body[-1]
    if one_exit or (returns and not at_end):
        exits = single_exit(tree, namer, refusals)
        if exits.returned:  # a loop may keep the result for some of the examples
            first = [assign(name, gast.Constant(False, None), tree) for name in exits.results]
            tree.body[:0] = first
    refusals.raise_if_any()
    return tree, imported


def _free_names(tree: Any) -> list[str]:
    return [node.id for node in gast.walk(tree) if isinstance(node, gast.Name)]
