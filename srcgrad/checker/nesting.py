"""Keeps arrays out of the entries of arrays, which NumPy would let in where entries are objects.

Where floats are it raises, and so must a run over elements. An array that holds itself would also
end the process: NumPy calculates with its entries until the stack is used up.
"""

from __future__ import annotations

import dis
import itertools
from types import CodeType
from typing import Any, Final

import numpy as np

from srcgrad.checker.runs import Now

_STORE: Final = dis.opmap["STORE_SUBSCR"]
_APART: Final = frozenset(
    {"BINARY_OP", "COMPARE_OP", "LOAD_CONST", "UNARY_NEGATIVE", "UNARY_INVERT", "UNARY_NOT"}
)
"""What leaves a new value on the stack: no array that was there, whose entry could be written."""


def store(holder: Any, key: Any, value: Any) -> None:
    """Do ``holder[key] = value``.

    Raises:
        ValueError: The place has room for one number, and the value is an array.
    """
    is_array = type(value) is np.ndarray and value.ndim and type(holder) is np.ndarray
    if is_array and type(holder[key]) is not np.ndarray:
        Now.run.nested = True
        raise ValueError("setting an array element with a sequence.")
    holder[key] = value


def may_nest(code: CodeType) -> bool:
    """Say whether code, or code inside of it, may store an array that was there in an entry.

    >>> [may_nest(compile(text, "", "exec")) for text in ("y[i] = x", "y[i] = 2 * x", "y[i] += x")]
    [True, False, False]
    """
    inner = (item for item in code.co_consts if isinstance(item, CodeType))
    return _stores(code) or any(map(may_nest, inner))


def may_fill(code: CodeType) -> bool:
    """Say whether code, or code inside of it, may fill an array with one that was there.

    >>> [may_fill(compile(text, "", "exec")) for text in ("y.fill(x)", "y.fill(0.0)")]
    [True, False]
    """
    inner = (item for item in code.co_consts if isinstance(item, CodeType))
    if "fill" not in code.co_names:
        return any(map(may_fill, inner))
    lines = [item for item in dis.get_instructions(code) if item.opname != "PRECALL"]
    after = [b for a, b in itertools.pairwise(lines) if a.argval == "fill"]
    return any(item.opname != "LOAD_CONST" for item in after) or any(map(may_fill, inner))


def _stores(code: CodeType) -> bool:
    """Say whether a statement ``a[k] = v`` may have an array that was there for `v`."""
    if _STORE not in code.co_code[::2]:
        return False
    past: list[dis.Instruction] = []
    for item in dis.get_instructions(code):
        if item.opname == "STORE_SUBSCR" and not _is_update(past) and _value_of(past) not in _APART:
            return True
        past.append(item)
    return False


def _is_update(past: list[dis.Instruction]) -> bool:
    """Say whether what is stored is the result of ``a[k] op v``."""
    return past[-1].opname == "SWAP" and "BINARY_OP" in {item.opname for item in past[-3:]}


def _value_of(past: list[dis.Instruction]) -> str:
    """Return what has left the value on the stack below the array and the key, "" if not found."""
    above = 0
    for place in range(len(past) - 1, -1, -1):
        item = past[place]
        if above == 2:
            return item.opname
        if "JUMP" in item.opname or item.is_jump_target:
            return ""
        above += dis.stack_effect(item.opcode, item.arg, jump=False)
        if above > 2:
            return ""
    return ""
