"""Collects all that an exported module defines: each thing once, under a name of its own."""

from __future__ import annotations

import builtins
import functools
import keyword
import re
import sys
from dataclasses import dataclass, field
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.errors import ExportError
from srcgrad.exporting.constants import LARGEST, TooLargeError, written
from srcgrad.exporting.origins import (
    MISSING,
    Namespace,
    Origins,
    cells_of,
    text_of_class,
    text_of_constant,
    text_of_function,
)
from srcgrad.exporting.remaking import making_line
from srcgrad.exporting.rewriting import Rewriter
from srcgrad.runtime.objects import is_plain_object
from srcgrad.runtime.taped import on_tape

_PREFERRED: Final = {"numpy": "np"}
GENERATED: Final = "srcgrad._generated."
_OWN: Final = ("srcgrad.runtime", "srcgrad.rules", "srcgrad.exporting", GENERATED)


@dataclass(slots=True)
class Definition:
    """One function or class of an exported module.

    Attributes:
        name: Its name there.
        text: Its text there, once it is known.
        is_users: Whether the user has written it.
    """

    name: str
    text: str = ""
    is_users: bool = False


@dataclass(slots=True)
class Collector:
    """What an exported module needs so far.

    Attributes:
        origins: Which modules are libraries.
        taken: Names that are not free, for another reason than that something is called so.
        imports: The import lines, by the names that they bind.
        constants: The texts of constants, by name.
        definitions: The functions and classes, in the order in which they are met.
        calls_jvp: Whether the text calls the tangents of rules, which are left out else.
    """

    origins: Origins
    taken: set[str]
    imports: dict[str, str] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    definitions: list[Definition] = field(default_factory=list)
    calls_jvp: bool = False
    _names: dict[tuple[int, str], str] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)

    # -- names

    def fresh(self, wish: str) -> str:
        """Return a name that nothing has yet, and take it.

        >>> names = Collector(Origins(""), {"scale"})
        >>> names.fresh("scale"), names.fresh("scale")
        ('scale_2', 'scale_3')
        """
        name, number = wish, 1
        while name in self.taken or hasattr(builtins, name) or keyword.iskeyword(name):
            number += 1
            name = f"{wish}_{number}"
        self.taken.add(name)
        return name

    def name_of(self, value: Any, wish: str, space: Namespace) -> str:
        """Return the name of something in the exported module, which carries it from now on.

        Raises:
            ExportError: It cannot be carried.
        """
        if getattr(builtins, wish, MISSING) is value:
            return wish
        shared = callable(value) or isinstance(value, ModuleType)
        key = (id(value), "" if shared else wish)
        if key not in self._names:
            self._kept.append(value)
            self._add(key, value, wish, space)
        return self._names[key]

    def adopt(self, value: Any, name: str) -> None:
        """Note that something is defined under a name already."""
        self._kept.append(value)
        self._names[id(value), ""] = name

    def _add(self, key: tuple[int, str], value: Any, wish: str, space: Namespace) -> None:
        if isinstance(value, ModuleType):
            self._names[key] = self._import_module(value, wish)
        elif (place := self.origins.import_of(value, wish, space.module)) is not None:
            self._names[key] = self._import_from(*place, wish)
        elif value is on_tape:
            raise ExportError(
                "a call of the function goes by the tape, which an exported module does not have",
                hint="write a Function with its derivative, or the function in NumPy",
            )
        elif isinstance(value, (FunctionType, type)) or hasattr(value, "__wrapped__"):
            self._carry(key, value, wish)
        else:
            self._write(key, value, wish, space)

    def _import_module(self, module: ModuleType, wish: str) -> str:
        path = module.__name__
        if not self.origins.is_library(path):
            raise ExportError(
                f"the function uses the module `{path}` itself",
                hint="use the functions of the module by name: module.function(...)",
            )
        name = self.fresh(_PREFERRED.get(path, wish))
        parent, _, last = path.rpartition(".")
        if name == path:
            self.imports[name] = f"import {path}"
        elif parent and name == last:
            self.imports[name] = f"from {parent} import {last}"
        else:
            self.imports[name] = f"import {path} as {name}"
        return name

    def _import_from(self, module: str, attribute: str, wish: str) -> str:
        name = self.fresh(wish)
        alias = "" if name == attribute else f" as {name}"
        self.imports[name] = f"from {module} import {attribute}{alias}"
        return name

    # -- functions and classes

    def _carry(self, key: tuple[int, str], value: Any, wish: str) -> None:
        module = getattr(value, "__module__", None) or ""
        if module.startswith("srcgrad.") and not module.startswith(_OWN):
            raise ExportError(
                f"the function uses `{wish}` of srcgrad, which an exported module does not have",
                hint="leave that out of the function, or keep calling the gradient of srcgrad",
            )
        definition = Definition(self.fresh(wish), is_users=not module.startswith("srcgrad."))
        self._names[key] = definition.name
        self.definitions.append(definition)
        text, space, decorated = self._text_of(value, wish)
        definition.text = Rewriter(self, space, decorated).rewrite(text, definition.name)

    def _text_of(self, value: Any, wish: str) -> tuple[str, Namespace, bool]:
        """Return the text of a definition, where it looks names up, and if it is decorated."""
        decorated, function = False, value
        if isinstance(value, type):
            text, space = text_of_class(value), _space_of_class(value)
        else:
            while hasattr(function, "__wrapped__") and self._is_decorator_of_library(function):
                function, decorated = function.__wrapped__, True
            if not isinstance(function, FunctionType):
                raise _uncarried(wish, value)
            text, space = text_of_function(function), Namespace.of_function(function)
        if text is None:
            raise ExportError(
                f"the source of `{wish}`, which the function uses, cannot be found",
                hint="define it in a file, or export from where its file is",
            )
        return text, space, decorated

    def _is_decorator_of_library(self, function: Any) -> bool:
        """Say whether what stands for a function was made by a decorator that is imported."""
        if not isinstance(function, FunctionType):
            return True
        module = function.__globals__.get("__name__", "")
        return self.origins.is_library(module) or module == "srcgrad.runtime.dispatch"

    # -- constants

    def _write(self, key: tuple[int, str], value: Any, wish: str, space: Namespace) -> None:
        if space.module.startswith("srcgrad.") and not space.module.startswith(GENERATED):
            self._write_own(key, wish, space)
            return
        try:
            if callable(value) and not _is_written(value):
                raise _uncarried(wish, value)
            text = self.expression(value, wish, space)
        except ExportError:
            home, own = self.origins.home_of(wish, space)
            made = None if wish in space.cells else making_line(value, own, home)
            if made is None:
                raise
            text = self._rewritten(made, Namespace.of_module(sys.modules[home]))
        name = self._names[key] = self.fresh(wish)
        self.constants[name] = text

    def _rewritten(self, text: str, space: Namespace) -> str:
        """Return an expression of some module's, with the names that things have here."""
        line = Rewriter(self, space).rewrite(f"_ = {text}\n", "_")
        return line.partition(" = ")[2].rstrip("\n")

    def _write_own(self, key: tuple[int, str], wish: str, space: Namespace) -> None:
        """Carry a constant of srcgrad's own, as it is written there."""
        module = sys.modules[space.module]
        text = text_of_constant(module, wish)
        if text is None:
            raise _uncarried(wish, space.find(wish))
        name = self._names[key] = self.fresh(wish)
        self.constants[name] = self._rewritten(text, space)

    def expression(self, value: Any, wish: str, space: Namespace) -> str:
        """Return the text of a constant.

        Raises:
            ExportError: It is of a type that is not written out, or too large.
        """
        if isinstance(value, functools.partial):
            return self._partial(value, wish, space)
        try:
            text = written(value, lambda item: self._named(item, wish, space))
        except TooLargeError as error:
            raise ExportError(
                f"`{wish}`, which the function reads from outside, is {error}",
                hint=f"pass it as an argument; up to {LARGEST} numbers are written into the module",
            ) from None
        if text is None:
            raise _uncarried(wish, value)
        if re.search(r"\bnp\.", text):
            text = re.sub(r"\bnp\.", f"{self.name_of(np, 'np', space)}.", text)
        return text

    def _named(self, item: Any, wish: str, space: Namespace) -> str:
        name = getattr(item, "__name__", "")
        return self.name_of(item, name if name.isidentifier() else wish, space)

    def _partial(self, value: Any, wish: str, space: Namespace) -> str:
        made = self.name_of(functools.partial, "partial", space)
        parts = [self._named(value.func, wish, space)]
        parts += [self.expression(item, wish, space) for item in value.args]
        parts += [f"{k}={self.expression(v, wish, space)}" for k, v in value.keywords.items()]
        return f"{made}({', '.join(parts)})"


def _space_of_class(kind: type) -> Namespace:
    cells: dict[str, Any] = {}
    names: dict[str, Any] = {}
    for item in vars(kind).values():
        function = getattr(item, "__func__", getattr(item, "fget", item))
        if isinstance(function, FunctionType) and function.__module__ == kind.__module__:
            cells.update(cells_of(function))
    module = sys.modules.get(kind.__module__)
    names.update(vars(module) if module is not None else {})
    cells.pop("__class__", None)
    return Namespace(kind.__module__, names, cells)


def _is_written(value: Any) -> bool:
    """Say whether something that can be called is written as what it is made of."""
    return isinstance(value, functools.partial) or is_plain_object(value)


def _uncarried(wish: str, value: Any) -> ExportError:
    what = type(value).__qualname__
    if isinstance(value, MethodType):
        what = "method of an object"
    return ExportError(
        f"`{wish}`, which the function reads from outside, is a {what} and cannot be written out",
        hint="pass it as an argument",
    )
