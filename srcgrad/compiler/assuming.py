"""Takes the arguments of a function for numbers, vectors or matrices, and says so."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any, Final

from srcgrad.analyses.integers import Integers
from srcgrad.analyses.knowledge import rank_condition
from srcgrad.analyses.lengths import Places, Seen
from srcgrad.frontend.usage import vector_parameters
from srcgrad.ir import gast
from srcgrad.ir.program import Program, elements_read, targets_of
from srcgrad.ir.walk import found_in, names_bound, names_read, statements

_OF_KIND: Final = {"integers": "{}.dtype.kind in 'iu'", "truths": "{}.dtype.kind == 'b'"}
_FACTS: Final = {0: "number", 1: "vector", 2: "matrix"}


def assume_ranks(program: Program, seen: Seen) -> list[str]:
    """Take the arguments for what was seen of them; return the conditions."""
    if not seen:
        return []
    taken: list[str] = []
    counted = Integers(program).names
    for name in program.parameters:
        shape = seen.get(name)
        if shape is None or name in counted or name in program.given:
            continue
        shape = () if isinstance(shape, int) else shape
        program.given[name] = _FACTS.get(len(shape), "array")
        taken.append(rank_condition(name, shape))
        if isinstance(shape, Places) and name in _indices(program):
            program.places[name] = shape.kind
            taken.append(_OF_KIND[shape.kind].format(name))
    return taken


def _indices(program: Program) -> set[str]:
    """Return the names in the indices of a program, and those that such names are made of."""
    found = {
        name.id
        for statement in program.body
        for read in found_in(statement, gast.Subscript)
        for name in found_in(read.slice, gast.Name)
    }
    made = [(names, source) for item in statements(program.body) for names, source in _makes(item)]
    size = -1
    while size != (size := len(found)):
        found.update(*(source for names, source in made if not found.isdisjoint(names)))
    return found


def _makes(statement: Any) -> Iterator[tuple[set[str], set[str]]]:
    """Yield the names that a statement binds, with those that it reads for them."""
    source = statement.iter if isinstance(statement, gast.For) else None
    if isinstance(statement, gast.Assign):
        source = statement.value
    if source is not None:
        bound = {name for target in targets_of(statement) for name in names_bound(target)}
        yield bound, set(names_read(source))


def assume_vectors(program: Program, function: FunctionType, seen: Seen) -> list[str]:
    """Take parameters that are only read by elements for vectors; return the conditions.

    So are those of which ``x.tolist()`` is asked. Those that were seen to be lists are none.
    """
    lists = {text.partition("[")[0] for text in seen if "[" in text}
    vectors = (set(vector_parameters(function)) | _listed(program)) - lists
    names = [n for n in program.parameters if n in vectors and n not in program.given]
    program.given.update(dict.fromkeys(names, "vector"))
    return [f"{name}.ndim == 1" for name in names]


def _listed(program: Program) -> set[str]:
    """Return the names whose elements are taken for single ones."""
    reads = (line for line, _ in elements_read(program))
    return {getattr(getattr(line.value, "value", None), "id", "") for line in reads}
