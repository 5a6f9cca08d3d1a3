"""Makes constants anew that cannot be written out, by the line of the user's that makes them."""

from __future__ import annotations

import ast
import inspect
import pickle
import random
import sys
import threading
import warnings
from typing import Any, Final

import numpy as np

from srcgrad.exporting.origins import MISSING
from srcgrad.parsing import parsed

_LOCKS: Final = (type(threading.Lock()), type(threading.RLock()))


def making_line(value: Any, name: str, place: str) -> str | None:
    """Return the expression in a module that makes just this value; None if there is none.

    The expression is evaluated, and what it gives must be the same to the last bit: a value that
    was changed since, or was drawn, is not made anew.
    """
    module = sys.modules.get(place)
    if module is None or vars(module).get(name, MISSING) is not value:
        return None
    text = _only_expression(module, name)
    if text is None:
        return None
    drawn, numpys = random.getstate(), np.random.get_state()  # noqa: NPY002 - the user's may draw
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            again = eval(text, dict(vars(module)))  # noqa: S307 - a line of the user's own
        return text if _is_same(value, again) else None
    except Exception:  # noqa: BLE001 - whatever the line raises
        return None
    finally:
        random.setstate(drawn)
        np.random.set_state(numpys)  # noqa: NPY002


def _only_expression(module: Any, name: str) -> str | None:
    """Return what the one statement of a module that binds a name binds it to."""
    try:
        source = inspect.getsource(module)
    except (OSError, TypeError):
        return None
    tree = parsed(source)
    if any(isinstance(node, ast.Global) and name in node.names for node in ast.walk(tree)):
        return None
    bound = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    if sum(isinstance(node.ctx, ast.Store) for node in bound) != 1:
        return None
    for statement in tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id == name:
                return ast.get_source_segment(source, statement.value)
    return None


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, _LOCKS):
        return type(one) is type(other)
    if type(one) is type(other) and hasattr(one, "tocsr"):
        return one.shape == other.shape and one.dtype == other.dtype and not (one != other).nnz
    return type(one) is type(other) and pickle.dumps(one) == pickle.dumps(other)
