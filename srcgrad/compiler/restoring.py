"""Finds the arrays of one function whose overwritten numbers its gradient puts back."""

from __future__ import annotations

from srcgrad.analyses.restored import Told, restored
from srcgrad.ir.build import load
from srcgrad.ir.program import Program
from srcgrad.optimizations.purity import Purity
from srcgrad.transforms.externals import Externals
from srcgrad.transforms.runtime_calls import EXPORTED
from srcgrad.transforms.sweep import Facts


def restored_arrays(program: Program, facts: Facts, externals: Externals) -> frozenset[str]:
    """Return the names of arrays to put back, and of parts of them.

    Only a function that runs forward and back once may do that: it leaves the arrays changed.
    """
    storage, integers = facts.storage, facts.integers
    shared = storage.lists | storage.reshaped | storage.mirror.names | storage.outside

    def is_number(name: str) -> bool:
        return facts.shapes.is_number(load(name)) and name not in storage.axisless

    told = Told(
        Purity(program.reader, EXPORTED | externals.repeated, program.namer.is_adjoint).of,
        integers.names.__contains__,
        integers.of,
        is_number,
        facts.shapes.element_is_number,
        lambda name: name in storage.mutated and name not in shared | storage.axisless,
    )
    return restored(program.body, told, program.parameters, program.outputs)
