"""Names the objects outside a generated function that its text refers to, and their imports."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from types import ModuleType
from typing import Any

from srcgrad import runtime
from srcgrad.frontend.left_out import marks
from srcgrad.ir import gast
from srcgrad.ir.build import call
from srcgrad.ir.names import Namer, identifier, is_importable
from srcgrad.ir.scopes import MISSING, SPACE_OF, Binding
from srcgrad.ir.walk import statements
from srcgrad.transforms.runtime_calls import EXPORTED

_PREFERRED = {"numpy": "np"}
_BUILTINS = vars(builtins)


@dataclass(slots=True)
class Externals:
    """The imports of one generated module.

    `bound` maps the names that no import can provide (closures, the main program's globals) to
    their values; the loader puts them into the module. `data` says where the user's data comes
    from; `functions` are the names of what the module defines for calls of the user's functions,
    `derived` those of backward halves among them, `repeated` those of checkpointed functions,
    which may be run any number of times.
    """

    namer: Namer
    imports: dict[str, str] = field(default_factory=dict)
    bound: dict[str, Any] = field(default_factory=dict)
    runtime: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    derived: set[str] = field(default_factory=set)
    repeated: set[str] = field(default_factory=set)
    data: dict[str, Binding] = field(default_factory=dict)
    _names: dict[int, list[str]] = field(default_factory=dict)
    _data_names: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)

    def use_runtime(self, name: str) -> str:
        """Return the name of a function of `srcgrad.runtime`, and import it."""
        self.runtime.add(name)
        return name

    def name_left_out(self, definition: Any) -> None:
        """Raise where parts are left out what tells who calls to go another way."""
        for node in statements(definition.body):
            why = marks(node) if isinstance(node, gast.Raise) else None
            if why is not None:
                error = self.use_runtime("LeftOutError")
                node.exc = call(error, gast.Constant(why, None))

    def use_numpy(self) -> None:
        """Import NumPy, for text that says ``np.`` by itself."""
        self.name_of(sys.modules["numpy"], "np", lambda: None)

    def name_of(
        self,
        value: Any,
        wish: str,
        importer: Callable[[], str | None],
        local: Container[str] = (),
    ) -> str:
        """Return a name under which `value` is known in the generated module, none of `local`."""
        if _BUILTINS.get(wish) is value and wish not in local:
            return wish
        own = getattr(value, "__name__", "")
        if own in EXPORTED and getattr(runtime, own, None) is value:
            return self.use_runtime(own)
        if id(value) not in self._names:
            self._kept.append(value)  # its id means nothing else
        names = self._names.setdefault(id(value), [])
        return self._chosen(names, local, lambda: self._add(value, wish, importer, local))

    def name_of_binding(
        self, binding: Binding, module: str | None, local: Container[str] = ()
    ) -> str:
        """Return a name for what a user's free name means; data may be bound anew later."""
        value = binding.value
        if isinstance(binding.holder, Mapping):  # for what is imported inside a function
            module = binding.holder.get("__name__", module)
        if isinstance(value, ModuleType) or callable(value):
            return self.name_of(value, binding.name, lambda: module, local)
        names = self._data_names.setdefault((_home(binding.holder), binding.name), [])
        name = self._chosen(
            names, local, lambda: self._add(value, binding.name, lambda: module, local)
        )
        self.data[name] = binding
        return name

    def _chosen(self, names: list[str], local: Container[str], add: Callable[[], str]) -> str:
        """Return the first of the names of a value that is none of `local`, or a new one."""
        found = next((name for name in names if name not in local), None)
        if found is None:
            found = add()
            names.append(found)
        return found

    def _fresh(self, wish: str, local: Container[str]) -> str:
        return next(name for name in iter(lambda: self.namer.fresh(wish), "") if name not in local)

    def _add(
        self, value: Any, wish: str, importer: Callable[[], str | None], local: Container[str]
    ) -> str:
        if isinstance(value, ModuleType):
            path = value.__name__
            if not is_importable(path) or _under(path) is not value:
                name = self._fresh(identifier(wish), local)
                self.bound[name] = value
                return name
            name = _PREFERRED.get(path) or self._fresh(wish, local)
            self.imports[name] = _import_of(value, name)
            return name
        name = self._fresh(identifier(wish), local)
        module = _own_module(value) or importer()
        holder = sys.modules.get(module) if module and module != "__main__" else None
        can_be_said = wish.isidentifier() and is_importable(module or "")
        if holder is not None and can_be_said and getattr(holder, wish, MISSING) is value:
            alias = "" if name == wish else f" as {name}"
            self.imports[name] = f"from {module} import {wish}{alias}"
        else:
            self.bound[name] = value
        return name


def _home(holder: Any) -> int:
    """Return what tells the homes of names apart; functions of one generated module share one."""
    home: int = id(holder)
    return holder.get(SPACE_OF, home) if isinstance(holder, Mapping) else home


def _own_module(value: Any) -> str | None:
    """Return the module of a helper of ours that is read on demand."""
    module = getattr(value, "__module__", None)
    own = isinstance(module, str) and module.startswith("srcgrad.runtime.")
    return module if own and callable(value) else None


def _under(path: str) -> Any:
    """Return what ``import path as name`` binds: a package may hold a function of that name.

    >>> import os.path
    >>> _under("os.path") is os.path, _under("os.sys"), _under("os.none")
    (True, None, None)
    """
    *_, whole = parts = list(accumulate(path.split("."), "{}.{}".format))
    found = sys.modules.get(parts[0])
    for part in parts[1:]:
        found = getattr(found, part.rpartition(".")[2], sys.modules.get(part))
    return found if whole in sys.modules else None


def _import_of(module: ModuleType, name: str) -> str:
    """Return the import of a module under a name, as one writes it."""
    path = module.__name__
    if name == path:
        return f"import {path}"
    parent, _, last = path.rpartition(".")
    if name == last and getattr(sys.modules.get(parent), last, None) is module:
        return f"from {parent} import {last}"
    return f"import {path} as {name}"
