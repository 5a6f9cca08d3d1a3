"""Says whether what is left out of a text may keep something that the text reads.

A function that fills a table where an entry is missing reads, at a later call, what it has computed
at an earlier one. Without the part that fills it, the table would pass for one of constants.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Collection, Iterable, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.compiler import Generated
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.frontend.callees import ELSEWHERE
from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.left_out import Part
from srcgrad.frontend.parts import function_around, statements_of
from srcgrad.frontend.source import is_made
from srcgrad.ir.reach import reached_functions

_FIXED: Final = (int, str, bytes, type, type(None), ModuleType, FunctionType)
"""Kinds of values that have no slope, so that no call has kept what varies in them."""
_ASKING: Final = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
_EQUAL: Final = ("array_eq", "allclose")
_ACTING: Final = (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


def may_keep(parts: Iterable[Part], generated: Generated) -> bool:
    """Say whether parts that are left out may write into data that a text reads."""
    parts = list(parts)
    if any(_keeps_answers(part, generated) for part in parts):
        return True
    data = [binding.value for binding in generated.data.values()]
    plain = all(_is_number(value) or _keeps_none(value) for value in data)
    return not plain and any(_writes(part, generated) for part in parts)


def runs_parts(
    parts: Collection[Part], generated: Generated, text: ast.Module, around: Mapping[str, Any]
) -> bool:
    """Say whether a text calls functions as they are that write, in parts which are left out.

    `around` are the names that stand around the text, where it is one function of several.

    Without its part such a function writes into nothing, so that the text need not differentiate
    it; and what the function itself writes would pass for constant.
    """
    modules = {n: value for n, value in around.items() if isinstance(value, ModuleType)}
    modules |= _modules_of(text)
    asked = _only_asked(text, generated, modules)
    nodes = [node for node in ast.walk(text) if isinstance(node, (ast.Name, ast.Attribute))]
    nodes = [node for node in nodes if id(node) not in asked]
    own = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    idle = _given_constants(text)
    handed = set(_called([n for n in nodes if id(n) not in idle], own, generated, modules))
    for function in _called(nodes, own, generated, modules):
        written = written_parameters(function, VOCABULARY)
        written = written if function in handed else written & _not_given(function)
        if written and not is_made(function) and _reaches(function, parts):
            return True
    return False


def _called(
    nodes: list[Any], own: set[str], generated: Generated, modules: Mapping[str, ModuleType]
) -> list[FunctionType]:
    """Return the functions that names and attributes may mean, but for what the text binds."""
    others = [node for node in nodes if _of_modules(node, modules) is None]
    found = {getattr(node, "id", getattr(node, "attr", "")) for node in others} - own
    put = {n.id for n in nodes if isinstance(n, ast.Name) and n.id in generated.bound}
    put -= {n.attr for n in nodes if isinstance(n, ast.Attribute)}  # they mean one function alone
    names = {name.rstrip("0123456789").removesuffix("_") for name in found - put} | found - put
    read = {id(_of_modules(node, modules)) for node in nodes}
    known = [(state.function.__name__, state.function) for state in generated.functions]
    known += [(binding.name, binding.value) for binding in generated.fixed]
    functions = [(name, f) for name, f in known if isinstance(f, FunctionType)]
    called = [f for name, f in functions if name in names or id(f) in read]
    bound = (generated.bound[name] for name in generated.bound if name in names | put)
    return [*called, *(value for value in bound if isinstance(value, FunctionType))]


def _not_given(function: FunctionType) -> set[str]:
    """Return what a call with constants alone may write into: defaults, and memory elsewhere."""
    code, defaults = function.__code__, function.__defaults__ or ()
    named = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    return {ELSEWHERE, *named, *(function.__kwdefaults__ or {})}


def _given_constants(text: ast.Module) -> set[int]:
    """Return what is called with numbers and words alone, which are no memory to write into."""
    calls = [node for node in ast.walk(text) if isinstance(node, ast.Call)]
    return {
        id(call.func)
        for call in calls
        if all(isinstance(item, ast.Constant) for item in call.args)
        and all(isinstance(item.value, ast.Constant) for item in call.keywords)
    }


def _only_asked(
    text: ast.Module, generated: Generated, modules: Mapping[str, ModuleType]
) -> set[int]:
    """Return the arguments of calls that ask functions for their parameters, and call none."""
    fixed = {binding.name: binding.value for binding in generated.fixed}
    calls = [node for node in ast.walk(text) if isinstance(node, ast.Call)]
    asking = [
        call
        for call in calls
        if (fixed.get(getattr(call.func, "id", "")) or _of_modules(call.func, modules))
        is inspect.signature
    ]
    return {id(item) for call in asking for item in call.args}


def _modules_of(text: ast.Module) -> dict[str, ModuleType]:
    """Return the modules that a text imports, by the names that it gives them."""
    items = [i for node in ast.walk(text) if isinstance(node, ast.Import) for i in node.names]
    homes = {(i.asname or i.name.partition(".")[0]): i for i in items}
    found = {name: i.name if i.asname else name for name, i in homes.items()}
    return {name: sys.modules[home] for name, home in found.items() if home in sys.modules}


def _of_modules(node: ast.expr, modules: Mapping[str, ModuleType]) -> Any:
    """Return what an attribute of a module is, so that it is told from others of its name."""
    if isinstance(node, ast.Name):
        return modules.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    owner = _of_modules(node.value, modules)
    return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None


def _reaches(function: FunctionType, parts: Collection[Part]) -> bool:
    """Say whether parts may be in what a function runs."""
    reached = reached_functions(function)
    held = (_holds(item, part) for item in reached.functions for part in parts)
    return not reached.are_all or any(held)


def _keeps_answers(part: Part, generated: Generated) -> bool:
    """Say whether a part binds a place which the rest of its function compares with something.

    So ``if self.x == x: return self.value``, without the part that gives it both. What the call
    makes itself holds nothing of an earlier one.
    """
    around = [f.__code__ for f in (state.function for state in generated.functions)]
    made = {n for code in around if _has(code, part) for n in _bound_in(code)}
    stored = {
        _place(node)
        for statement in statements_of(part)
        for node in ast.walk(statement)
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store)
    }
    stored = {place for place in stored if place.partition(".")[0] not in made}
    function = function_around(part) if stored else None
    nodes = ast.walk(function) if function is not None else ()
    return any(_place(side) in stored for node in nodes for side in _compared(node))


def _bound_in(code: CodeType) -> set[str]:
    """Return the variables of a function that are no parameters."""
    return {*code.co_varnames, *code.co_cellvars} - {*code.co_varnames[: code.co_argcount]}


def _place(node: ast.AST) -> str:
    """Return what is stored into: a field of an object, or what has the entry."""
    if isinstance(node, ast.Subscript):
        return _place(node.value)
    if isinstance(node, ast.Attribute):
        return f"{_place(node.value)}.{node.attr}"
    return getattr(node, "id", "") or ast.dump(node)


def _compared(node: ast.AST) -> list[ast.expr]:
    """Return the operands of what may ask whether things are equal, or one is in the other."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], _ASKING):
        return [node.left, *node.comparators]
    name = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else ""
    return node.args if isinstance(node, ast.Call) and name.startswith(_EQUAL) else []


def _is_number(value: Any) -> bool:
    return type(value) in (float, complex) or isinstance(value, np.number)


def _keeps_none(value: Any) -> bool:
    """Say whether a value is, or holds, nothing like a number that a call may have kept there."""
    if isinstance(value, (list, dict)):  # an empty one may be filled with anything
        entries = list(value.values() if isinstance(value, dict) else value)
        return bool(entries) and all(map(_keeps_none, entries))
    if isinstance(value, (tuple, frozenset)):
        return all(map(_keeps_none, value))
    return isinstance(value, _FIXED)


def _writes(part: Part, generated: Generated) -> bool:
    """Say whether a part may write into more than what its function has made itself."""
    if all(map(_only_leaves, statements_of(part))):
        return False
    around = [f for f in (state.function for state in generated.functions) if _holds(f, part)]
    if not around or any(written_parameters(function, VOCABULARY) for function in around):
        return True
    variables = {name for function in around for name in function.__code__.co_varnames}
    nodes = [node for statement in statements_of(part) for node in ast.walk(statement)]
    return any(_is_unknown(n.func, variables) for n in nodes if isinstance(n, ast.Call))


def _only_leaves(statement: ast.stmt) -> bool:
    """Say whether a statement does nothing but to leave the function, with what is there."""
    plain = isinstance(statement, (ast.Return, ast.Pass))
    return plain and not any(isinstance(node, _ACTING) for node in ast.walk(statement))


def _holds(function: FunctionType, part: Part) -> bool:
    return _has(function.__code__, part)


def _has(code: CodeType, part: Part) -> bool:
    lines = [line for _, _, line in code.co_lines() if line is not None]
    return code.co_filename == part.file and min(lines) <= part.line <= max(lines)


def _is_unknown(func: ast.expr, variables: set[str]) -> bool:
    """Say whether a call is of what a variable holds, and no method that is known."""
    if isinstance(func, ast.Attribute) and not isinstance(func.value, ast.Constant):
        known = func.attr in VOCABULARY.methods or func.attr in VOCABULARY.constant_methods
        return not known and _root(func) in ("", *variables)
    return not isinstance(func, (ast.Name, ast.Attribute)) or getattr(func, "id", "") in variables


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
