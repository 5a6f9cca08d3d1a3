"""Finds arrays, lists and objects that are read as attributes of what lives outside the program.

``t = settings.table`` binds memory that others reach, although no name of the program means it.
"""

from __future__ import annotations

import inspect
from numbers import Number
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.program import Program
from srcgrad.ir.scopes import MISSING

_NO_MEMORY: Final = (Number, str, bytes, type(None), np.generic, np.dtype, ModuleType)


def holders_of_memory(program: Program, node: Any) -> dict[str, str]:
    """Return the outside names of whose attributes an operand is one, or displays it, with those.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of("def f(x): return x * np.pi")
    >>> read = [gast.parse(text).body[0].value for text in ("np.pi", "np.sin", "np.__all__")]
    >>> [holders_of_memory(program, value) for value in read]
    [{}, {}, {'np': 'np.__all__'}]
    """
    if isinstance(node, gast.Starred):
        return holders_of_memory(program, node.value)
    if isinstance(node, gast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, gast.Dict):
        parts = node.values
    elif isinstance(node, (gast.Tuple, gast.List)):
        parts = node.elts
    else:
        holder = _holder(program, node) if isinstance(node, gast.Attribute) else None
        return {} if holder is None else {holder: _dotted(node)}
    found: dict[str, str] = {}
    for part in parts:
        found.update(holders_of_memory(program, part))
    return found


def _dotted(node: Any) -> str:
    return (
        f"{_dotted(node.value)}.{node.attr}" if isinstance(node, gast.Attribute) else str(node.id)
    )


def _holder(program: Program, node: Any) -> str | None:
    """Return the outside name that memory is read from as an attribute, or None."""
    path: list[str] = []
    while isinstance(node, gast.Attribute):
        path.append(node.attr)
        node = node.value
    if not isinstance(node, gast.Name) or node.id in program.parameters:
        return None
    value = program.reader.scope.lookup(node.id)
    for name in reversed(path):
        if isinstance(value, np.ndarray):
            view = getattr(value, name, None)  # its shape is no memory
            value = view if isinstance(view, (np.ndarray, np.flatiter)) else None
        elif _answers_with_memory(program, value, name):
            return str(node.id)
        else:
            value = getattr(value, "__dict__", {}).get(name, MISSING)
    holder: str = node.id
    return holder if _is_memory(value) else None


def _answers_with_memory(program: Program, value: Any, name: str) -> bool:
    """Say whether a property of an object, or its ``__getattr__``, may hand out what it keeps."""
    if name in getattr(value, "__dict__", {}):
        return False
    found = inspect.getattr_static(type(value), name, None)
    answer = found.fget if isinstance(found, property) else None
    if found is None:
        answer = inspect.getattr_static(type(value), "__getattr__", None)
    if not isinstance(answer, FunctionType):
        return isinstance(found, MemberDescriptorType) and _is_memory(getattr(value, name, None))
    given = [load("owner"), load("name")][: answer.__code__.co_argcount]
    asked = gast.Call(load("answer"), given, [])
    return bool(program.reader.vocabulary.returned_operands(answer, asked))


def _is_memory(value: Any) -> bool:
    plain = value is MISSING or isinstance(value, _NO_MEMORY)
    return not plain and not callable(value)
