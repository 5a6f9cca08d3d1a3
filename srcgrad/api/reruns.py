"""Says what a text may leave besides its results, and keeps what there was before.

Where it does not tell a derivative, its function runs once more. One that draws, counts calls, or
writes the fields of objects has left its marks by then: that run begins from what there was.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from srcgrad.api.left_out import may_draw
from srcgrad.api.plan import Plan
from srcgrad.api.surroundings import Surroundings, innermost
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.frontend.source import is_made
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import found_in
from srcgrad.parsing import parsed
from srcgrad.tape.userspace import is_users


def before(plan: Plan, function: Callable[..., Any], given: Collection[Any]) -> Surroundings | None:
    """Return what a call of a derivative has before it, if its text may leave anything else."""
    return Surroundings(innermost(function), *given) if leaves_marks(plan) else None


def leaves_marks(plan: Plan) -> bool:
    """Say whether a run of a text may leave anything besides its results."""
    return bool(plan.written) or leaves_more(plan)


def leaves_more(plan: Plan) -> bool:
    """Say whether it may leave more than what it writes into its arguments, found out once."""
    if plan.leaves is None:
        plan.leaves = bool(plan.generated.stored) or _may_leave(plan)
    return plan.leaves


def _may_leave(plan: Plan) -> bool:
    """Say whether a text draws, binds an attribute, or calls what may change what it is given."""
    tree = parsed(plan.generated.source)
    if may_draw(tree):
        return True
    if any(not isinstance(node.ctx, ast.Load) for node in found_in(tree, ast.Attribute)):
        return True
    lists = _own_lists(tree)
    scope = {**vars(builtins), **vars(plan.module)}
    return any(_may_change(node.func, scope, lists) for node in found_in(tree, ast.Call))


def _own_lists(tree: ast.AST) -> set[str]:
    """Return the names of lists that a text has made, also where it gets them back from records.

    >>> text = '''
    ... saved = []
    ... for i in range(n):
    ...     steps = []
    ...     saved.append(steps)
    ...     rows.append(x)
    ... steps = saved.pop()
    ... row = []
    ... row = rows.pop()
    ... grad_y = zeros_like(y)
    ... grad_y[i] = grad_z
    ... grad_x = [0.0] * n
    ... '''
    >>> sorted(_own_lists(parsed(text)))
    ['grad_x', 'grad_y', 'saved', 'steps']
    """
    own, foreign = set[str](), set[str]()
    others: list[tuple[str, str]] = []
    held = _held(tree)
    for node in found_in(tree, ast.Assign):
        back = getattr(getattr(node.value, "func", None), "attr", "") == "pop"
        for target in node.targets:
            is_name = isinstance(target, ast.Name)
            if is_name and _is_new_list(node.value):
                own |= _names_of(target)
            elif isinstance(target, ast.Name) and isinstance(node.value, ast.Name):
                others.append((target.id, node.value.id))
            elif isinstance(target, ast.Name) and back:
                record = _root(node.value.func.value)
                others += [(target.id, name) for name in (record, *held.get(record, [""]))]
            elif is_name or not back:
                foreign |= _names_of(target)
    for node in found_in(tree, ast.For):
        if getattr(getattr(node.iter, "func", None), "id", "") != "reversed":
            foreign |= _names_of(node.target)
    own = (own | {name for name, _ in others}) - foreign
    while wrong := {name for name, other in others if name in own and other not in own}:
        own -= wrong
    return own


def _names_of(target: ast.expr) -> set[str]:
    names = found_in(target, ast.Name)
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}


def _held(tree: ast.AST) -> dict[str, list[str]]:
    """Return the names of what is put into lists, by those of the lists; of other things ''."""
    held: dict[str, list[str]] = {}
    for call in found_in(tree, ast.Call):
        if getattr(call.func, "attr", "") in ("append", "insert", "extend") and call.args:
            held.setdefault(_root(call.func.value), []).append(_root(call.args[-1]))
    for node in found_in(tree, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                held.setdefault(_root(target.value), []).append(_root(node.value))
    return held


def _root(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _is_new_list(value: ast.expr) -> bool:
    """Say whether a value may be a list, and is new: one written down, an adjoint, or a copy."""
    if isinstance(value, ast.BinOp):  # what a list is added to, or repeated, is another one
        return any(isinstance(side, ast.List) for side in (value.left, value.right))
    function = getattr(getattr(value, "func", None), "id", "")
    return isinstance(value, ast.List) or function in ("zeros_like", "copied")


def _may_change(func: ast.expr, scope: Mapping[str, Any], lists: Collection[str]) -> bool:
    """Say whether a call is of a user's function as it is, or of a method that nobody knows."""
    value = _known(func, scope)
    if value is not MISSING:
        return value is print or _is_users_own(value)
    if not isinstance(func, ast.Attribute):
        return True
    known = func.attr in VOCABULARY.methods or func.attr in VOCABULARY.constant_methods
    return not known and getattr(func.value, "id", "") not in lists


def _known(node: ast.expr, scope: Mapping[str, Any]) -> Any:
    """Return what a name, or an attribute of a module or of a ufunc, is in a text."""
    if isinstance(node, ast.Name):
        return scope.get(node.id, MISSING)
    owner = _known(node.value, scope) if isinstance(node, ast.Attribute) else MISSING
    if isinstance(node, ast.Attribute) and isinstance(owner, (ModuleType, np.ufunc)):
        return getattr(owner, node.attr, MISSING)
    return MISSING


def _is_users_own(value: Any) -> bool:
    if isinstance(value, FunctionType):
        made = is_made(value) or value.__module__.startswith("srcgrad.")
        return not made and is_users(value.__module__)
    if isinstance(value, type):
        return is_users(value.__module__) and not issubclass(value, BaseException)
    return is_users(type(value).__module__) or isinstance(value, (partial, MethodType))
