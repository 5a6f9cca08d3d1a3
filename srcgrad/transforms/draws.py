"""Makes sure that a method such as `rng.normal` is that of a random generator."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import call
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import names_bound, statements
from srcgrad.transforms.sweep import Sweep


def check_generator(sweep: Sweep, value: Any) -> None:
    """Check at run time what owns the method that a call is of, unless the program shows it.

    Another class may have a method `normal`, too, which does something else.
    """
    reader = sweep.program.reader
    func = getattr(value, "func", None)
    if not isinstance(func, gast.Attribute) or func.attr not in reader.vocabulary.draws:
        return
    if reader.scope.resolve(func) is not MISSING or _is_made_here(sweep, func.value):
        return
    func.value = call(sweep.externals.use_runtime("checked_generator"), func.value)


def _is_made_here(sweep: Sweep, owner: Any) -> bool:
    """Say whether a name is bound only to what `np.random.default_rng` or its like returns."""
    name = getattr(owner, "id", None)
    if name is None or name in sweep.program.parameters:
        return False
    found = [
        statement
        for statement in statements(sweep.program.body)
        if isinstance(statement, gast.Assign)
        and any(name in names_bound(target) for target in statement.targets)
    ]
    return bool(found) and all(_makes_generator(sweep, item.value) for item in found)


def _makes_generator(sweep: Sweep, value: Any) -> bool:
    reader = sweep.program.reader
    callee = reader.scope.resolve(value.func) if isinstance(value, gast.Call) else MISSING
    if callee is MISSING:
        return False
    name = reader.vocabulary.canonical_name(callee)
    return name.startswith("numpy.random") and name.endswith((".default_rng", ".RandomState"))
