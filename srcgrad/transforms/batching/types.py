"""Writes questions of types for a batch, where all that a value may be answer alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.scopes import MISSING
from srcgrad.transforms.batching.calls import Called, writes
from srcgrad.transforms.batching.facts import Fact
from srcgrad.transforms.batching.terms import Term

if TYPE_CHECKING:
    from srcgrad.transforms.batching.writer import Writer

_NUMBERS: Final[dict[str, tuple[type, ...]]] = {
    np.dtype(kind).kind: (kind, np.dtype(kind).type) for kind in (float, int, bool, complex)
}
_CONTAINERS: Final[dict[str, tuple[type, ...]]] = {
    "list": (list,),
    "dict": (dict,),
    "none": (type(None),),
    "text": (str,),
}


@writes(isinstance)
def asked_of_type(writer: Writer, made: Called) -> Term:
    """Write ``isinstance(x, type)`` as the answer that one example gets."""
    term = made.args[0]
    found = _types(writer, made.node.args[1])
    fact = term.fact
    may_be = _NUMBERS.get(fact.dtype, ()) if fact.kind == "number" else ()
    may_be = (np.ndarray,) if fact.kind == "array" and fact.rank else may_be
    may_be = _CONTAINERS.get(fact.kind, may_be)
    answers = set() if found is None else {issubclass(kind, found) for kind in may_be}
    truth = Fact("number", rank=0, dtype="b")
    if not writer.holds_batch(fact):
        return writer.made(made.text(), truth, made.node)
    if len(answers) != 1:
        writer.refuse(made.node, "a question of the type of this", "leave the question out")
    (answer,) = answers
    return Term(gast.Constant(answer, None), Fact("number", rank=0, dtype="b", constant=(answer,)))


def _types(writer: Writer, node: Any) -> Any:
    """Return the type or the types that an expression names; None if it names something else."""
    if isinstance(node, gast.Tuple):
        found = tuple(_types(writer, item) for item in node.elts)
        return None if None in found else found
    value = writer.resolved(node)
    return value if value is not MISSING and isinstance(value, type) else None
