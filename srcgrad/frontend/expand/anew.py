"""Makes functions that read what a program binds anew while it runs.

The result of a call is a value of its time: it is kept for the backward pass, and stays behind what
binds the name. A name alone would be read where the text says it.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.frontend.expand.making import definition, make_function
from srcgrad.frontend.expand.values import Home
from srcgrad.frontend.rebinding import may_be_bound
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir import gast
from srcgrad.ir.build import at, load
from srcgrad.ir.names import bare
from srcgrad.ir.packages import is_library_name
from srcgrad.ir.scopes import Binding

_FIXED: Final = (str, int, float, bool, type(None))


def is_read_anew(binding: Binding, variables: frozenset[Any]) -> bool:
    """Say whether a name is one of these variables of modules, and holds a number or a text."""
    value = binding.value
    fixed = type(value) in _FIXED or isinstance(value, (np.number, np.bool_))
    if not isinstance(binding.holder, dict) or not fixed:
        return False
    owner = binding.holder.get("__name__")
    own = not isinstance(owner, str) or not is_library_name(owner)
    return own and may_be_bound(owner, binding.name, variables)


def reader_of(name: str, space: dict[str, Any], source: FunctionSource) -> FunctionType:
    """Return a function that reads a name of a module; messages point at `source`."""
    body = [at(gast.Return(load(name)), source.tree)]
    tree = definition(bare(f"{name.lower()}_now"), [], body, source.tree)
    return make_function(tree, Home(space, {}), source)
