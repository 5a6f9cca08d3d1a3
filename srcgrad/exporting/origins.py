"""Says where the things come from that a function reads by name: a library, or the user's files."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any, Final

from srcgrad.codegen.printer import print_module
from srcgrad.errors import SrcgradError
from srcgrad.frontend.source import find_source, is_made
from srcgrad.ir import gast
from srcgrad.parsing import parsed

MISSING: Final = object()
_INSTALLED: Final = ("site-packages", "dist-packages")


@dataclass(frozen=True, slots=True)
class Namespace:
    """Where the free names of a definition are looked up.

    Attributes:
        module: The name of the module.
        names: What is bound in it.
        cells: What is bound in functions around the definition.
        homes: The modules of the user's that names of a generated module are of, with their names.
    """

    module: str
    names: Mapping[str, Any]
    cells: Mapping[str, Any] = field(default_factory=dict)
    homes: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def of_function(cls, function: FunctionType) -> Namespace:
        """Return where a function looks its names up."""
        names = function.__globals__
        return cls(names.get("__name__", ""), names, cells_of(function))

    @classmethod
    def of_module(cls, module: Any) -> Namespace:
        """Return the names of a module."""
        return cls(module.__name__, vars(module))

    def find(self, name: str) -> Any:
        """Return what a name means, or `MISSING`."""
        return self.cells.get(name, self.names.get(name, MISSING))


def cells_of(function: FunctionType) -> dict[str, Any]:
    """Return what the functions around a function bind for it."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found


@dataclass(slots=True)
class Origins:
    """Tells libraries, which exported modules import, from what they carry with them.

    Attributes:
        own: The package that the differentiated function belongs to, installed or not.
    """

    own: str
    _imports: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)

    def is_library(self, module: str) -> bool:
        """Say whether a module is of the standard library or of another installed package."""
        root = module.partition(".")[0]
        if root in ("srcgrad", "__main__", self.own, ""):
            return False
        if root in sys.stdlib_module_names or root in ("numpy", "scipy"):
            return True
        file = getattr(sys.modules.get(root), "__file__", None) or ""
        return any(part in file for part in _INSTALLED)

    def import_of(self, value: Any, name: str, module: str) -> tuple[str, str] | None:
        """Return the library and the name in it that a module has imported something from."""
        seen = set()
        while (module, name) not in seen:
            seen.add((module, name))
            if self.is_library(module):
                found = getattr(sys.modules.get(module), name, MISSING)
                return (module, name) if found is value else None
            module, name = self._imports_of(module).get(name, (module, name))
        return self._by_its_own_word(value)

    def home_of(self, name: str, space: Namespace) -> tuple[str, str]:
        """Return the module that binds a name by itself, and its name there."""
        place = space.homes.get(name, (space.module, name))
        seen = set()
        while place not in seen:
            seen.add(place)
            place = self._imports_of(place[0]).get(place[1], place)
        return place

    def _by_its_own_word(self, value: Any) -> tuple[str, str] | None:
        """Return where a function or class says that it is from, in the shortest way."""
        name, home = getattr(value, "__name__", None), getattr(value, "__module__", None)
        if type(value).__name__ == "ufunc":
            home = "numpy"
        if not isinstance(name, str) or not isinstance(home, str) or not self.is_library(home):
            return None
        parts = home.split(".")
        for count in range(1, len(parts) + 1):
            place = ".".join(parts[:count])
            if getattr(sys.modules.get(place), name, MISSING) is value:
                return place, name
        return None

    def _imports_of(self, module: str) -> dict[str, tuple[str, str]]:
        if module not in self._imports:
            own = module.startswith("srcgrad.") and not module.startswith("srcgrad._generated")
            self._imports[module] = _imports_of_own(module) if own else _imports_in(module)
        return self._imports[module]


@functools.cache
def _imports_of_own(module: str) -> dict[str, tuple[str, str]]:
    """Return what a module of srcgrad imports, which does not change while it is loaded."""
    return _imports_in(module)


def _imports_in(module: str) -> dict[str, tuple[str, str]]:
    """Return the names that import lines bind, with the module and the name that they mean."""
    loaded = sys.modules.get(module)
    file = getattr(loaded, "__file__", None)
    if loaded is None or file is None:
        return {}
    try:
        tree = parsed("".join(linecache.getlines(file, vars(loaded))))
    except SyntaxError:
        return {}
    package = loaded.__dict__.get("__package__") or ""
    found: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1]
            place = ".".join([*parents, node.module or ""]) if node.level else node.module or ""
            found |= {a.asname or a.name: (place.strip("."), a.name) for a in node.names}
    return found


def text_of_function(function: FunctionType) -> str | None:
    """Return the definition of a function as it is written; None if it cannot be found."""
    try:
        if function.__code__.co_name == "<lambda>" or is_made(function):
            return str(print_module(gast.Module([find_source(function).tree], [])).text)
        return _dedented(inspect.getsource(function))
    except (OSError, TypeError, SyntaxError, SrcgradError):
        return None


def text_of_class(kind: type) -> str | None:
    """Return the definition of a class as it is written; None if it cannot be found."""
    try:
        return _dedented(inspect.getsource(kind))
    except (OSError, TypeError, SyntaxError):
        return None


def _dedented(text: str) -> str | None:
    text = textwrap.dedent(text)
    try:
        parsed(text)
    except SyntaxError:
        return None
    return text


def text_of_constant(module: ModuleType, name: str) -> str | None:
    """Return the expression that a name of one of srcgrad's own modules is bound to."""
    for node in parsed(inspect.getsource(module)).body:
        target = getattr(node, "target", None) or (getattr(node, "targets", None) or [None])[0]
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and target.id == name and value is not None:
            return ast.get_source_segment(inspect.getsource(module), value)
    return None
