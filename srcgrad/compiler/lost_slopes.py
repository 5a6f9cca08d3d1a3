"""Refuses what has no adjoint to take: no result, text, joins by bits, stores over themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from srcgrad.analyses.bit_joins import bit_joins
from srcgrad.analyses.texts import numbers_from_texts
from srcgrad.analyses.uneven_stores import uneven_stores
from srcgrad.compiler.other_methods import methods_of_others
from srcgrad.errors import (
    MutationError,
    NonScalarOutputError,
    NotDifferentiableError,
    UnsupportedSyntaxError,
)
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir import gast
from srcgrad.ir.program import Program
from srcgrad.ir.walk import found_in


def refuse_nothing(source: FunctionSource, refusals: Refusals) -> None:
    """Refuse a function that ends without a `return` of a value, or an error."""
    every = found_in(source.tree, gast.Return, gast.Raise)  # in the cases of a `match`, too
    if not any(isinstance(item, gast.Raise) or item.value is not None for item in every):
        refusals.add(
            source.tree,
            "the function returns nothing, but a gradient needs one real number",
            "return the number that is to be differentiated",
            NonScalarOutputError,
        )


def refuse_lost_slopes(
    program: Program, varied: frozenset[str], outputs: Sequence[str], refusals: Refusals
) -> None:
    """Note the numbers that have lost their derivatives on the way through text.

    So have those in dicts and sets that `|` and its like may join, and those that are given to
    methods of objects, if they are named as those of arrays. Note stores that NumPy may mix up,
    too: the tape sees whether they go over what is yet to be read.
    """
    for statement in uneven_stores(program, varied):
        refusals.add(
            statement,
            "this may store over elements that it has yet to read",
            "store a copy: `y[::2] = x.copy()`",
            MutationError,
        )
    for statement in methods_of_others(program, varied):
        refusals.add(
            statement,
            f"`{statement.value.func.attr}`, which is no method of an array here",
            "name the object that it belongs to",
        )
    if program.of_generated:
        return  # it reads no more of texts than the function did, which has been looked at
    for statement in bit_joins(program, varied, outputs):
        refusals.add(
            statement,
            "this may join dicts or sets of values with derivatives, which source does not follow",
            "write dicts as `{**p, **q}`",
        )
    for reader in numbers_from_texts(program, varied, outputs):
        if isinstance(reader, (gast.Dict, gast.DictComp, gast.For)):
            what, hint = "the keys of a dict carry no derivatives", "keep each beside its value"
            refusals.add(reader, what, hint)
            continue
        callee = program.reader.scope.resolve(getattr(reader, "func", None))
        is_final = isinstance(callee, type) and issubclass(callee, np.generic)
        refusals.add(  # the tape does not see what NumPy's types make of text
            reader,
            "a number read from the text of a value with a derivative has lost that derivative",
            "use the value itself, or srcgrad.stop_gradient of it",
            NotDifferentiableError if is_final else UnsupportedSyntaxError,
        )
