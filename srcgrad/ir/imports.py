"""Says what the imports inside of a function bind."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from types import FunctionType, ModuleType
from typing import Any

from srcgrad.ir import gast

Imported = tuple[str, Any, Mapping[str, Any]]


def imported(statement: Any, function: FunctionType) -> dict[str, Imported]:
    """Return what an import binds: to each local name the name, the object and its holder.

    The modules are imported here. The result is empty if that fails, or if all names are imported.

    >>> (line,) = gast.parse("from math import sqrt as root, pi").body
    >>> {local: name for local, (name, _, _) in imported(line, imported).items()}
    {'root': 'sqrt', 'pi': 'pi'}
    """
    try:
        if isinstance(statement, gast.Import):
            pairs = [_module(alias) for alias in statement.names]
            return {local: (local, module, {local: module}) for local, module in pairs}
        package = function.__globals__.get("__package__")
        path = "." * (statement.level or 0) + (statement.module or "")
        module = importlib.import_module(path, package)
        return {
            alias.asname or alias.name: (alias.name, _member(module, alias.name), vars(module))
            for alias in statement.names
        }
    except (ImportError, AttributeError, TypeError):
        return {}


def is_there(statement: Any) -> bool:
    """Say whether the packages that an import names can be found, whatever importing them does.

    >>> [is_there(line) for line in gast.parse("import math; from no_such_package import f").body]
    [True, False]
    """
    if isinstance(statement, gast.Import):
        paths = [alias.name for alias in statement.names]
    elif statement.level or not statement.module:
        return True
    else:
        paths = [statement.module]
    return all(_is_found(path.partition(".")[0]) for path in paths)


def _is_found(package: str) -> bool:
    try:
        return package in sys.modules or importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return True  # it is there in some way


def _module(alias: Any) -> tuple[str, ModuleType]:
    module = importlib.import_module(alias.name)
    if alias.asname:
        return alias.asname, module
    first = alias.name.split(".")[0]
    return first, sys.modules[first]


def _member(module: ModuleType, name: str) -> Any:
    if not hasattr(module, name):
        importlib.import_module(f"{module.__name__}.{name}")
    return getattr(module, name)
