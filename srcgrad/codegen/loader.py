"""Turns text into modules that pdb, inspect, tracebacks and pickle know like any other."""

from __future__ import annotations

import functools
import re
import sys
import weakref
from collections import deque
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final
from weakref import WeakValueDictionary

from srcgrad.codegen import cache
from srcgrad.codegen.tracebacks import LINES, LineMap, remember
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.ir.scopes import SPACE_OF
from srcgrad.later import imported
from srcgrad.locks import Lock

_PACKAGE: Final = "srcgrad._generated"
_NAMESPACE: Final = "__srcgrad_namespace__"
_IMPORT: Final = re.compile(
    r"^from (?P<module>(?!srcgrad)\S+) import (?P<names>[^(\n]+$|\([^)]*\))", re.MULTILINE
)
_NAME: Final = re.compile(r"(\w+)(?: as (\w+))?")
_MODULE: Final = re.compile(
    r"^import (?P<module>(?!srcgrad)[\w.]+)(?: as (?P<name>\w+))?$", re.MULTILINE
)
_KEY: Final = "__srcgrad_key__"
_SPACES: Final = "__srcgrad_spaces__"
_INNER: Final = "__srcgrad_inner__"
_LOCK: Final = Lock()
_LOADED: Final[WeakValueDictionary[Any, ModuleType]] = WeakValueDictionary()
_DROPPED: Final[deque[tuple[str, weakref.ref[ModuleType]]]] = deque()
_NUMBERS: Final[dict[str, int]] = {}


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
        self._namespace = {}  # the module holds it from now on, and may let go of it
        exec(self.get_code(), module.__dict__)  # noqa: S102 - our own text, its hash checked

    def get_code(self, fullname: str = "") -> CodeType:
        """Return the compiled text."""
        return _compiled(self._text, self._filename)

    def get_source(self, fullname: str = "") -> str:
        """Return the text itself."""
        return self._text

    def get_filename(self, fullname: str = "") -> str:
        """Return the name of the file, which may be a mere name."""
        return self._filename


class Registered(ModuleType):
    """Stands among the loaded modules for one that is freed when nobody has it any more."""

    def __init__(self, module: ModuleType) -> None:
        name = module.__name__
        super().__init__(name, module.__doc__)
        for attribute in ("__file__", "__loader__", "__spec__"):
            setattr(self, attribute, getattr(module, attribute))
        self._ref = weakref.ref(module, lambda ref: _drop(name, ref))

    def stands_for(self) -> ModuleType | None:
        """Return the module itself, if it is still there."""
        ref: weakref.ref[ModuleType] = self._ref
        return ref()

    def is_of(self, ref: weakref.ref[ModuleType]) -> bool:
        """Say whether this stands for the module of a weak reference."""
        return self._ref is ref

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """The names of the module itself."""
        module = self.stands_for()
        return {} if module is None else vars(module)

    def __getattr__(self, name: str) -> Any:
        module = self.stands_for() if name != "_ref" else None
        if module is None:
            raise AttributeError(f"{self.__name__} has no {name!r}")
        return getattr(module, name)


class CacheFinder:
    """Finds generated modules in the cache folder, for a process that did not generate them."""

    @staticmethod
    def find_spec(name: str, *_: object) -> ModuleSpec | None:
        """Return the spec of a generated module whose file holds what its name promises."""
        package, dot, stem = name.rpartition(".")
        if not dot or package != _PACKAGE:
            return None
        found = cache.find(cache.stem_in(stem))
        return None if found is None else _spec(name, found[1], str(found[0]), {})


def load(
    source: str,
    name: str,
    namespace: Mapping[str, Any] | None = None,
    lines: LineMap | None = None,
    *,
    lasting: bool = True,
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
        lasting: Whether it stays among the loaded modules until it is unloaded; else until nobody
            has it any more.
    """
    names = dict(namespace or {})
    qualified = f"{_PACKAGE}.{cache.stem_of(name, source)}"
    imported(_PACKAGE)  # the parent, as Python's import system wants it
    with _LOCK:
        _unload_dropped()
        key = qualified, frozenset((k, id(v)) for k, v in {**_imported(source), **names}.items())
        found = _LOADED.get(key)
        if found is not None and found.__name__ in sys.modules and _lines_of(found) == lines:
            return found
        module = _made(_free_name(qualified), source, names, lines)
        setattr(module, _KEY, key)
        _LOADED[key] = module
        sys.modules[module.__name__] = module if lasting else Registered(module)
        return module


def unload(module: ModuleType) -> None:
    """Forget a loaded module, so that its namespace can be freed; its functions stay usable."""
    name = module.__name__
    with _LOCK:
        entry = sys.modules.get(name)
        if entry is module or (isinstance(entry, Registered) and entry.stands_for() is module):
            _forget(name)
        if _LOADED.get(getattr(module, _KEY, None)) is module:
            del _LOADED[getattr(module, _KEY)]


def bind_anew(module: ModuleType, name: str, value: Any) -> None:
    """Let a name mean something else in a module and in its functions."""
    with _LOCK:
        vars(module)[name] = value
        for space in getattr(module, _SPACES, ()):
            if name in space:
                space[name] = value
        if getattr(module, _NAMESPACE).pop(name, None) is not None:
            _LOADED.pop(getattr(module, _KEY), None)


def functions_of(module: ModuleType) -> dict[str, FunctionType]:
    """Return the functions that the text of a module defines, by their names."""
    file = module.__file__
    return {
        name: item
        for name, item in vars(module).items()
        if isinstance(item, FunctionType) and item.__code__.co_filename == file
    }


def rebound(module: ModuleType, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names of a module, whose functions see some names bound to other things."""
    twin = {**vars(module), **changes}
    for key, item in functions_of(module).items():
        twin[key] = in_scope(item, twin)
    return twin


def in_scope(function: FunctionType, scope: dict[str, Any]) -> FunctionType:
    """Return a function that finds its globals in another namespace."""
    twin = FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    return twin


def _drop(name: str, ref: weakref.ref[ModuleType]) -> None:
    """Forget a module that is gone; later, if another thread is loading at this moment.

    This runs wherever an object happens to be freed, and must not wait for anything.
    """
    _DROPPED.append((name, ref))
    if _LOCK.acquire(blocking=False):
        try:
            _unload_dropped()
        finally:
            _LOCK.release()


def _unload_dropped() -> None:
    while _DROPPED:
        name, ref = _DROPPED.popleft()
        entry = sys.modules.get(name)
        if isinstance(entry, Registered) and entry.is_of(ref):
            _forget(name)


def _forget(name: str) -> None:
    del sys.modules[name]
    _NUMBERS.pop(name, None)


def _made(qualified: str, source: str, names: dict[str, Any], lines: LineMap | None) -> ModuleType:
    """Return a new module that has run its text; it is not yet among the loaded ones."""
    stem = qualified.removeprefix(f"{_PACKAGE}.")
    path = cache.store(cache.stem_in(stem), source)
    filename = f"srcgrad-generated/{cache.stem_in(stem)}.py" if path is None else str(path)
    module = module_from_spec(_spec(qualified, source, filename, names))
    setattr(module, _NAMESPACE, names)
    known = None if lines is None else remember(filename, lines)
    setattr(module, LINES, known)
    setattr(module, _INNER, () if known is None else known.maps_behind())
    _run(module)
    _give_spaces(module)
    return module


def _give_spaces(module: ModuleType) -> None:
    """Give each function globals of its own, without functions that it does not call.

    Functions and globals that hold each other would live on until the garbage collector comes
    by, and the arrays among the globals with them.
    """
    shared = vars(module)
    own = {
        name: item
        for name, item in shared.items()
        if isinstance(item, FunctionType) and item.__globals__ is shared
    }
    common = {name: item for name, item in shared.items() if name not in own}
    for name in (_NAMESPACE, _INNER):
        common.pop(name, None)
    mark = id(shared)
    spaces = [{**common, SPACE_OF: mark} for _ in own]
    twins = {name: _twin(own[name], space) for name, space in zip(own, spaces, strict=True)}
    shared.update(twins)
    for item, space in zip(own.values(), spaces, strict=True):
        read = _names_read(item.__code__)
        space.update({name: twins[name] for name in twins if name in read})
    setattr(module, _SPACES, spaces)


def _twin(function: FunctionType, space: dict[str, Any]) -> FunctionType:
    code, name = function.__code__, function.__name__
    twin = FunctionType(code, space, name, function.__defaults__, function.__closure__)
    twin.__kwdefaults__ = function.__kwdefaults__
    twin.__doc__, twin.__module__ = function.__doc__, function.__module__
    twin.__dict__.update(function.__dict__)
    return twin


@functools.lru_cache(maxsize=1024)
def _names_read(code: CodeType) -> frozenset[str]:
    """Return the names of globals and attributes in a code and in those inside it."""
    inner = [item for item in code.co_consts if isinstance(item, CodeType)]
    return frozenset(code.co_names).union(*map(_names_read, inner))


@functools.lru_cache(maxsize=256)
def _compiled(text: str, filename: str) -> CodeType:
    return _in_file(code_of(text), filename)


def _in_file(code: CodeType, filename: str) -> CodeType:
    """Return code as if it had been compiled from a file of this name."""
    inner = (_in_file(i, filename) if isinstance(i, CodeType) else i for i in code.co_consts)
    return code.replace(co_filename=filename, co_consts=tuple(inner))


@functools.lru_cache(maxsize=256)
def code_of(text: str) -> CodeType:
    """Return a text as Python compiles it, before it has a file.

    Raises:
        UnsupportedSyntaxError: Its blocks are nested deeper than Python takes.
    """
    try:
        return compile(text, "<generated>", "exec", dont_inherit=True)
    except SyntaxError as error:  # 100 levels of indentation, 20 of loops
        if not str(error).startswith("too many"):
            raise
        raise UnsupportedSyntaxError(
            f"the derivative has blocks that are nested deeper than Python takes: {error.msg}",
            hint="move inner blocks into functions of their own",
        ) from error


def _free_name(qualified: str) -> str:
    """Return a name that no loaded module has."""
    if qualified not in sys.modules:
        return qualified
    number = _NUMBERS.get(qualified, 1) + 1
    while f"{qualified}_{number}" in sys.modules:
        number += 1
    _NUMBERS[qualified] = number
    return f"{qualified}_{number}"


def _lines_of(module: ModuleType) -> LineMap | None:
    return getattr(module, LINES, None)


def _imported(text: str) -> dict[str, Any]:
    """Return what the imports of the user's modules give now, by the names that they bind.

    >>> _imported("from sys import path as p")["p"] is sys.path
    True
    >>> _imported("import sys") == {"sys": sys}
    True
    """
    modules = _MODULE.finditer(text)
    found: dict[str, Any] = {
        m["name"] or m["module"]: sys.modules.get(m["module"]) for m in modules
    }
    for line in _IMPORT.finditer(text):
        module = sys.modules.get(line["module"])
        for name, alias in _NAME.findall(line["names"]) if module is not None else ():
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
