"""Turns text into modules that pdb, inspect, tracebacks and pickle know like any other."""

from __future__ import annotations

import importlib
import re
import sys
import threading
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

from srcgrad.codegen import cache
from srcgrad.codegen.tracebacks import LINES, LineMap, remember

_PACKAGE: Final = "srcgrad._generated"
_NAMESPACE: Final = "__srcgrad_namespace__"
_IMPORT: Final = re.compile(
    r"^from (?P<module>(?!srcgrad)\S+) import (?P<names>[^(\n]+)$", re.MULTILINE
)
_LOCK: Final = threading.RLock()


class TextLoader:
    """Executes text that is at hand; asked by linecache and inspect for the source."""

    def __init__(self, text: str, filename: str, namespace: Mapping[str, Any]) -> None:
        self._text = text
        self._filename = filename
        self._namespace = namespace

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave the making of the module to Python."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Bind the names of the namespace, then run the text."""
        module.__file__ = self._filename
        module.__dict__.update(self._namespace)
        exec(self.get_code(), module.__dict__)  # noqa: S102 - our own text, its hash checked

    def get_code(self, fullname: str = "") -> CodeType:
        """Return the compiled text."""
        return compile(self._text, self._filename, "exec", dont_inherit=True)

    def get_source(self, fullname: str = "") -> str:
        """Return the text itself."""
        return self._text

    def get_filename(self, fullname: str = "") -> str:
        """Return the name of the file, which may be a mere name."""
        return self._filename


class CacheFinder:
    """Finds generated modules in the cache folder, for a process that did not generate them."""

    @staticmethod
    def find_spec(name: str, *_: object) -> ModuleSpec | None:
        """Return the spec of a generated module whose file holds what its name promises."""
        package, dot, stem = name.rpartition(".")
        if not dot or package != _PACKAGE:
            return None
        found = cache.find(stem) or cache.find(stem.rpartition("_")[0])
        return None if found is None else _spec(name, found[1], str(found[0]), {})


def load(
    source: str,
    name: str,
    namespace: Mapping[str, Any] | None = None,
    lines: LineMap | None = None,
) -> ModuleType:
    """Return a new module `srcgrad._generated.<name>_<hash>` that has run `source`.

    The text stands in a file of the cache folder, where debuggers find it; if that folder cannot
    be used, in memory under a plain name. The same text with the same namespace and line map
    is loaded once; with others it is a module of its own, `<name>_<hash>_2`, that shares the file.
    So it is if a module that the text imports from was loaded anew.

    Args:
        source: The text of the module.
        name: What it is about, an identifier such as `loss_grad`.
        namespace: Names that the text uses and does not define.
        lines: Where the lines come from, for `annotate`.
    """
    names = dict(namespace or {})
    stem = cache.stem_of(name, source)
    with _LOCK:
        importlib.import_module(_PACKAGE)  # the parent, as Python's import system wants it
        imported = _imported(source)
        qualified, found = _free_name(f"{_PACKAGE}.{stem}", {**imported, **names}, lines)
        if found is not None:
            return found
        path = cache.store(stem, source)
        filename = f"srcgrad-generated/{stem}.py" if path is None else str(path)
        module = module_from_spec(_spec(qualified, source, filename, names))
        setattr(module, _NAMESPACE, names)
        setattr(module, LINES, lines)
        if lines is not None:
            remember(filename, lines)
        sys.modules[qualified] = module
        try:
            _run(module)
        except BaseException:
            sys.modules.pop(qualified, None)
            raise
        return module


def unload(module: ModuleType) -> None:
    """Forget a loaded module, so that its namespace can be freed; its functions stay usable."""
    with _LOCK:
        if sys.modules.get(module.__name__) is module:
            del sys.modules[module.__name__]


def _free_name(
    qualified: str, names: dict[str, Any], lines: LineMap | None
) -> tuple[str, ModuleType | None]:
    """Return the first name not taken, or the module that was loaded with the same arguments."""
    candidate, number = qualified, 1
    while (module := sys.modules.get(candidate)) is not None:
        if _is_same(module, names, lines):
            return candidate, module
        number += 1
        candidate = f"{qualified}_{number}"
    return candidate, None


def _is_same(module: ModuleType, names: dict[str, Any], lines: LineMap | None) -> bool:
    known = vars(module) | getattr(module, _NAMESPACE, {})
    same_names = all(known.get(key, _NAMESPACE) is value for key, value in names.items())
    return same_names and getattr(module, LINES, None) == lines


def _imported(text: str) -> dict[str, Any]:
    """Return what the imports of the user's modules give now, by the names that they bind.

    >>> _imported("from sys import path as p")["p"] is sys.path
    True
    """
    found = {}
    for line in _IMPORT.finditer(text):
        module = sys.modules.get(line["module"])
        for item in line["names"].split(", ") if module is not None else ():
            name, _, alias = item.partition(" as ")
            found[alias or name] = getattr(module, name, None)
    return found


def _spec(name: str, text: str, filename: str, namespace: Mapping[str, Any]) -> ModuleSpec:
    loader: Any = TextLoader(text, filename, namespace)
    spec = ModuleSpec(name, loader, origin=filename)
    spec.has_location = Path(filename).is_absolute()
    return spec


def _run(module: ModuleType) -> None:
    spec = module.__spec__
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(module)
