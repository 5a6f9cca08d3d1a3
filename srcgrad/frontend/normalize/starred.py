"""Opens starred operands of primitives, whose rules take each by itself."""

from __future__ import annotations

import inspect
from typing import Any, Final

from srcgrad.frontend.normalize.workspace import Workspace
from srcgrad.frontend.weak_memory import signature_of
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load, store
from srcgrad.ir.scopes import MISSING

_SIMPLE: Final = (gast.Name, gast.Constant)


def with_counted_star(value: Any, work: Workspace) -> Any:
    """Return a call of a primitive with names in the place of a star, or with all behind one star.

    ``np.hypot(*p)`` is ``np.hypot(p_0, p_1)`` after ``p_0, p_1 = p``, since the rule takes two
    operands; ``max(a, *xs)``, which takes any number, is ``max(*[a, *xs])``.
    """
    stars = _stars(value)
    callee = work.reader.scope.resolve(value.func) if stars else MISSING
    if callee is MISSING or any(item.arg is None for item in value.keywords):
        return value
    rule = work.reader.vocabulary.rule_for(callee)
    if rule is not None and _takes_any_number(rule):
        told = any(map(work.reader.is_text, value.args))  # what to do, as `np.einsum` is
        return value if told or len(value.args) == 1 else _behind_one(value)
    others = [item for item in value.args if item not in stars]
    if rule is None or len(stars) > 1 or not all(isinstance(item, _SIMPLE) for item in others):
        return value  # what stands before the star would be found after its items
    missing = _required(rule) - len(value.args) + 1
    return value if missing < 1 else _opened(value, stars[0], missing, work)


def _stars(value: Any) -> list[Any]:
    given = value.args if isinstance(value, gast.Call) else ()
    return [item for item in given if isinstance(item, gast.Starred)]


def _behind_one(value: Any) -> Any:
    """Return a call with all of its operands in one list."""
    made = clone(value)
    made.args = [at(gast.Starred(gast.List(made.args, gast.Load()), gast.Load()), value)]
    return made


def _takes_any_number(rule: Any) -> bool:
    every = signature_of(rule.forward).parameters.values()
    return any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in every)


def _required(rule: Any) -> int:
    """Return how many operands a rule takes by position and cannot do without."""
    _, *parameters = signature_of(rule.forward).parameters.values()
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    return sum(p.default is p.empty and p.kind in kinds for p in parameters)


def _opened(value: Any, star: Any, count: int, work: Workspace) -> Any:
    """Return a call with names for the items of its star, which are bound before it."""
    wish = getattr(star.value, "id", "item")
    names = [work.namer.fresh(f"{wish}_{place}") for place in range(count)]
    work.varies.names.update(names)
    target = gast.Tuple([store(name) for name in names], gast.Store())
    work.run([at(gast.Assign([target], clone(star.value), None), value)])
    made = clone(value)
    place = value.args.index(star)
    made.args[place : place + 1] = [load(name) for name in names]
    return made
