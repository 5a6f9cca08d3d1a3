"""Lets shadows of real numbers, in a program of complex ones, be given real parts alone.

What the memory of complex numbers holds as real parts is reached under a name of its own after
``t = np.real(z)``, and so the shadow of `t` is a view of the real parts in the shadow of `z`. The
adjoint of what is read from `t` may be complex, as that of ``t * z`` is. Of that, the real part is
the adjoint of a real number.
"""

from __future__ import annotations

from typing import Any

from srcgrad.analyses.shadowed import Shadowed
from srcgrad.ir import gast
from srcgrad.ir.build import call, clone
from srcgrad.ir.program import Program
from srcgrad.ir.walk import names_bound, root_name, statements
from srcgrad.transforms.externals import Externals


def real_parts(program: Program, mirror: Shadowed) -> set[str]:
    """Return the names with shadows that may be, or hold, views of the real parts of others."""
    found: set[str] = set()
    primitive = program.reader.vocabulary.primitive
    for statement in statements(program.body):
        if mirror.makers.get(id(statement)) == "maybe":
            operation = program.operation(statement)
            if operation.primal is not None and not primitive(operation.primal).moves:
                found.update(names_bound(statement.targets[0]))
    size = 0
    while size < len(found):
        size = len(found)
        found |= {name for name, source in mirror.links if source in found}
    return found


def take_real_parts(block: list[Any], shadows: set[str], externals: Externals) -> None:
    """Take real parts, where they are needed, of what a block adds to some shadows.

    >>> from srcgrad.ir.names import Namer
    >>> block = gast.parse("grad_t += grad_u * z; grad_t[0] += 2.0; grad_z += grad_u").body
    >>> take_real_parts(block, {"grad_t"}, Externals(Namer()))
    >>> print(gast.unparse(gast.Module(block, [])))
    grad_t += real_as(grad_u * z, grad_t)
    grad_t[0] += 2.0
    grad_z += grad_u
    """
    for statement in statements(block):
        if isinstance(statement, gast.AugAssign):
            place = clone(statement.target)
            place.ctx = gast.Load()
            if _needs_real_part(place, statement.value, shadows):
                statement.value = call(externals.use_runtime("real_as"), statement.value, place)
        elif _adds_at(statement):
            place, *_, value = statement.value.args
            if _needs_real_part(place, value, shadows):
                real = call(externals.use_runtime("real_as"), value, clone(place))
                statement.value.args[-1] = real


def _adds_at(statement: Any) -> bool:
    """Say whether a statement is ``add_at(shadow, index, value)``."""
    function = getattr(getattr(statement, "value", None), "func", None)
    return isinstance(statement, gast.Expr) and getattr(function, "id", "") == "add_at"


def _needs_real_part(place: Any, value: Any, shadows: set[str]) -> bool:
    known = isinstance(value, gast.Constant) or root_name(value) in shadows
    return root_name(place) in shadows and not known
