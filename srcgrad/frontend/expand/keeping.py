"""Finds the lists that functions are put into one by one, and what makes or returns functions."""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from srcgrad.errors import SrcgradError
from srcgrad.frontend.expand.members import is_enumeration
from srcgrad.frontend.expand.values import (
    Choice,
    Items,
    Known,
    Local,
    Method,
    Object,
    Partial,
    Value,
)
from srcgrad.frontend.source import FunctionSource, find_source, has_source
from srcgrad.ir import gast
from srcgrad.ir.program import direct_names
from srcgrad.ir.scopes import MISSING, Scope, scope_of, uncached
from srcgrad.ir.walk import found_in
from srcgrad.runtime.objects import is_plain_class

if TYPE_CHECKING:
    from srcgrad.frontend.expand.interpreter import Interpreter

_INNER: Final = (gast.FunctionDef, gast.Lambda)
_CALLABLE: Final = (FunctionType, BuiltinFunctionType, MethodType, np.ufunc)
_MOST: Final = 32
_SETTING: Final = ("__init__", "__post_init__", "__repr__", "__str__", "__eq__", "__hash__")


def grows_by_functions(frame: Interpreter, name: str, tree: Any) -> bool:
    """Say whether all that a definition appends to a list are functions."""
    added = [item for owner, item in _appended(tree) if owner == name]
    return bool(added) and all(_is_function(frame, item, tree) for item in added)


def keeps_functions(frame: Interpreter, body: list[Any]) -> bool:
    """Say whether the body of a loop appends functions to lists, or binds one made of another."""
    whole = gast.Module(body, [])
    if any(_is_function(frame, item, whole) for _, item in _appended(whole)):
        return True
    if any(_hands_lambda(frame, item) for item in body):
        return True
    bound = {
        target.id
        for statement in found_in(whole, gast.Assign)
        for target in statement.targets
        if isinstance(target, gast.Name) and _is_function(frame, statement.value, whole)
    }
    return any(isinstance(frame.env.get(name), (Local, Known, Partial)) for name in bound)


def _hands_lambda(frame: Interpreter, statement: Any) -> bool:
    """Say whether a statement hands a lambda to a method of an object that the function makes."""
    made: Any = statement.value if isinstance(statement, gast.Expr) else None
    if not isinstance(made, gast.Call) or not isinstance(made.func, gast.Attribute):
        return False
    owner = frame.env.get(getattr(made.func.value, "id", ""))
    return isinstance(owner, Object) and any(isinstance(v, gast.Lambda) for v in made.args)


def known_elements(frame: Interpreter, items: Any) -> list[Any] | None:
    """Return what a loop over literals, or over a range of such, runs over, if it is not much."""
    if isinstance(items, (gast.Tuple, gast.List)):
        literal = all(isinstance(item, gast.Constant) for item in items.elts)
        return list(items.elts) if literal and len(items.elts) <= _MOST else None
    called = isinstance(items, gast.Call) and isinstance(items.func, gast.Name)
    known = frame.look(items.func.id) if called else None
    if not isinstance(known, Known) or known.value is not range or items.keywords:
        return None
    limits = [item.value for item in items.args if isinstance(item, gast.Constant)]
    if not limits or len(limits) < len(items.args) or any(type(i) is not int for i in limits):
        return None
    numbers = range(*limits)
    return [gast.Constant(i, None) for i in numbers] if len(numbers) <= _MOST else None


def _takes_apart(frame: Interpreter, cls: type, node: Any) -> bool:
    """Say whether a call makes an object with values that is taken apart; note its class."""
    records = frame.session.records
    if not _makes_object(cls) or records.keeps(cls) or not frame.varies(node):
        return False
    records.made.add(cls)
    return True


def makes_function(frame: Interpreter, node: Any) -> bool:
    """Say whether an expression makes a function, or an object with values: a lambda, a call."""
    if isinstance(node, gast.Lambda):
        return True
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Lambda):
        return makes_function(frame, node.func.body)
    if not isinstance(node, gast.Call) or not _is_plain(node.func):
        return False
    callee = _meaning(frame, node.func)
    if isinstance(callee, Local):
        return _returns_function(callee.code.tree)
    if isinstance(callee, Known) and isinstance(callee.value, type):
        return _takes_apart(frame, callee.value, node)
    function = callee.value if isinstance(callee, Known) else None
    if not isinstance(function, FunctionType) or not frame.session.is_user(function):
        return False
    try:
        source = find_source(function)
        return _returns_function(source.tree) or returns_object(source)
    except SrcgradError:
        return False


def _makes_object(cls: type) -> bool:
    """Say whether what a class makes has fields alone; a tuple with names is a tuple."""
    return is_plain_class(cls) and not issubclass(cls, (tuple, BaseException))


def _returns_function(tree: Any) -> bool:
    """Say whether what a definition returns is one that it holds."""
    names = {item.name for item in found_in(tree, gast.FunctionDef) if item is not tree}
    values = [item.value for item in found_in(tree, gast.Return)]
    return any(isinstance(v, gast.Lambda) or getattr(v, "id", None) in names for v in values)


def _is_function(frame: Interpreter, node: Any, tree: Any) -> bool:
    if isinstance(node, gast.Name):
        if any(item.name == node.id for item in found_in(tree, gast.FunctionDef)):
            return True
        made = [s for s in found_in(tree, gast.Assign) if _binds(s, node.id)]
        if made:
            return all(makes_function(frame, s.value) for s in made)
    if not _is_plain(node):
        return makes_function(frame, node)
    known = _meaning(frame, node)
    callable_ = isinstance(known, Known) and isinstance(known.value, _CALLABLE)
    return callable_ or isinstance(known, (Local, Method, Partial, Choice))


def _meaning(frame: Interpreter, node: Any) -> Any:
    """Return what a name, or an attribute of a module, means, if it is known."""
    if isinstance(node, gast.Name):
        return frame.look(node.id)
    owner = _meaning(frame, node.value)
    held = getattr(owner.value, node.attr, None) if isinstance(owner, Known) else None
    return None if held is None else Known(held)


def _is_plain(node: Any) -> bool:
    while isinstance(node, gast.Attribute):
        node = node.value
    return isinstance(node, gast.Name)


def _binds(statement: Any, name: str) -> bool:
    return any(getattr(target, "id", "") == name for target in statement.targets)


def is_kept_by_cache(tree: Any) -> bool:
    """Say whether a function calls itself in several places: without its cache it runs for ever.

    >>> many = gast.parse("def fib(n): return fib(n - 1) + fib(n - 2)").body[0]
    >>> once = gast.parse("def down(n): return n * down(n - 1)").body[0]
    >>> is_kept_by_cache(many), is_kept_by_cache(once)
    (True, False)
    """
    called = [getattr(call.func, "id", "") for call in found_in(tree, gast.Call)]
    return called.count(tree.name) > 1


def cached_tree(function: Any) -> Any:
    """Return the definition of a function that `functools.lru_cache` decorates; None of others."""
    plain = uncached(function)
    return find_source(plain).tree if plain is not function and has_source(plain) else None


def _appended(tree: Any) -> list[tuple[str, Any]]:
    """Return the names of lists that something is appended to, with what it is."""
    return [
        (getattr(call.func.value, "id", ""), call.args[0])
        for call in found_in(tree, gast.Call)
        if isinstance(call.func, gast.Attribute) and call.func.attr == "append" and call.args
    ]


def hands_out(value: Value) -> bool:
    """Say whether a helper returns what its caller must know: functions in a tuple, a dict's items.

    It is put in place then.
    """
    if isinstance(value, Items):
        return any(
            isinstance(part, (Local, Partial)) or (isinstance(part, Known) and _is_run(part.value))
            for part in value.values
        )
    func = value.func if isinstance(value, gast.Call) and not value.args else None
    return getattr(func, "attr", "") in ("items", "keys", "values")


def _is_run(value: Any) -> bool:
    """Say whether a value is a function, or a module that has some."""
    return callable(value) or isinstance(value, ModuleType)


def may_return_function(source: FunctionSource) -> bool:
    """Say whether a function's result may be a function, or it is one that was derived."""
    makes = any(item is not source.tree for item in found_in(source.tree, *_INNER))
    return makes or hasattr(source.function, "__srcgrad_source__") or _returns_outside(source)


def returns_object(source: FunctionSource) -> bool:
    """Say whether a function may return an object that it makes, of a class with methods."""
    tree = source.tree
    scope = scope_of(source.function, tree)
    bound = {
        target.id: item.value
        for item in found_in(tree, gast.Assign)
        for target in item.targets
        if isinstance(target, gast.Name)
    }
    returned = [item.value for item in found_in(tree, gast.Return) if item.value is not None]
    parts = [part for value in returned for part in _parts(value)]
    made = [bound.get(getattr(part, "id", ""), part) for part in parts]
    called = [item.func for item in made if isinstance(item, gast.Call)]
    kinds = [bound.get(getattr(func, "id", ""), func) for func in called]
    return any(_is_class(kind, scope) for kind in kinds)


def _is_class(func: Any, scope: Scope) -> bool:
    """Say whether what is called is a class of the user's that has methods, or one of a table."""
    held = scope.resolve(func.value if isinstance(func, gast.Subscript) else func)
    if isinstance(func, gast.Subscript):
        table = held.values() if isinstance(held, dict) else held
        kinds = list(table) if isinstance(held, (dict, list, tuple)) else []
    else:
        kinds = [held]
    return any(
        isinstance(kind, type) and _makes_object(kind) and _does_more(kind) for kind in kinds
    )


def _does_more(cls: type) -> bool:
    own = [item for base in cls.__mro__[:-1] for item in vars(base).items()]
    return any(isinstance(item, FunctionType) and name not in _SETTING for name, item in own)


def _returns_outside(source: FunctionSource) -> bool:
    """Say whether a function may return a function, a module, a member, or what it imports."""
    tree = source.tree
    imports = found_in(tree, gast.Import, gast.ImportFrom)
    names = {alias.asname or alias.name for item in imports for alias in item.names}
    returned = [item.value for item in found_in(tree, gast.Return) if item.value is not None]
    wanted = {name for value in returned for name in direct_names(value)}
    if not names.isdisjoint(wanted):
        return True
    bound = [
        item.value
        for item in found_in(tree, gast.Assign)
        if any(isinstance(target, gast.Name) and target.id in wanted for target in item.targets)
    ]
    scope = scope_of(source.function, tree)
    return any(_is_known(part, scope) for value in [*bound, *returned] for part in _parts(value))


def _is_known(value: Any, scope: Scope) -> bool:
    """Say whether an expression is a function or module, or a member of an enumeration."""
    if isinstance(value, (gast.Subscript, gast.Call, gast.Attribute)):
        holder = value.func if isinstance(value, gast.Call) else value.value
        if is_enumeration(scope.resolve(holder)):
            return True
    if not isinstance(value, (gast.Name, gast.Attribute)):
        return False
    found = scope.resolve(value)
    return found is not MISSING and (isinstance(found, ModuleType) or callable(found))


def _parts(value: Any) -> list[Any]:
    """Return what an expression may be, or holds: each of the values of a choice, or itself."""
    if isinstance(value, (gast.Tuple, gast.List)):
        return [part for item in value.elts for part in _parts(item)]
    if isinstance(value, gast.Dict):
        return [part for item in value.values for part in _parts(item)]
    if isinstance(value, gast.IfExp):
        return [*_parts(value.body), *_parts(value.orelse)]
    if isinstance(value, gast.BoolOp):
        return [part for item in value.values for part in _parts(item)]
    return [value]
