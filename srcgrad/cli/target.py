"""Finds the object that `module:function` or `path/to/file.py:function` names."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import pkgutil
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from srcgrad.errors import SrcgradError


class TargetError(Exception):
    """A target that names nothing; the text says what was looked for and what is there."""


class FailedError(Exception):
    """What a command was asked to check does not hold; the text says what is wrong."""


def find_target(text: str) -> Any:
    """Return the object that `text` names.

    Args:
        text: ``module:function`` or ``path/to/file.py:function``, where the function may be
            a dotted name such as ``Class.method``.

    Raises:
        TargetError: The module or the function does not exist, or importing the module fails.

    >>> find_target("math:sin")
    <built-in function sin>
    >>> find_target("math:sine")
    Traceback (most recent call last):
    srcgrad.cli.target.TargetError: `math` has no `sine`
    hint: did you mean `sin`, `sinh` or `asin`?
    """
    place, colon, name = text.rpartition(":")
    if not (colon and place and name):
        hint = "write module:function or path/to/file.py:function"
        if text.endswith(".py") and Path(text).is_file():
            functions = [key for key, v in vars(find_module(text)).items() if callable(v)]
            hint = _suggest("", functions).partition("hint: ")[2] or hint
        raise TargetError(
            f"`{text}` does not name a function, as in `{text or 'module'}:function`\nhint: {hint}"
        )
    found: Any = find_module(place)
    for part in name.split("."):
        found = _member(found, part, place)
    return found


def find_module(place: str) -> ModuleType:
    """Import a module by its name or its file.

    Raises:
        TargetError: There is no such module, or importing it fails.
    """
    return _load_file(Path(place)) if place.endswith(".py") else _load_module(place)


def _load_module(name: str) -> ModuleType:
    """Import a module by its name, from the current folder too."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise TargetError(f"`{name}` is not the name of a module\nhint: end a path with .py")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise _import_failed(name, error) from error
        message = f"there is no module `{error.name}`"
        path = Path(*name.split(".")).with_suffix(".py")
        hint = f"did you mean `{path}`?" if path.is_file() else _near_modules(error.name)
        raise TargetError(f"{message}\nhint: {hint}") from error
    except SrcgradError:
        raise
    except Exception as error:
        raise _import_failed(name, error) from error


def _near_modules(name: str) -> str:
    """Return a hint with modules of the folder, or of the package, with a name like this one."""
    parent, _, last = name.rpartition(".")
    places = list(getattr(sys.modules.get(parent), "__path__", [])) if parent else [str(Path.cwd())]
    known = [item.name for item in pkgutil.iter_modules(places)]
    close = difflib.get_close_matches(last, known)
    head = f"{parent}." if parent else ""
    names = [f"{head}{item}" for item in close]
    return f"did you mean {_either(names)}?" if names else "is its package installed?"


def _load_file(path: Path) -> ModuleType:
    """Import a file as a script's neighbours would: its folder comes first on the path."""
    if not path.is_file():
        message = f"there is no file `{path}`"
        near = sorted(item.name for item in path.parent.glob("*.py"))
        raise TargetError(message + _suggest(path.name, near))
    path = path.resolve()
    sys.path.insert(0, str(path.parent))
    known = sys.modules.get(path.stem)
    is_other = known is not None and getattr(known, "__file__", None) != str(path)
    name = f"_{path.stem}" if is_other else path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"`{path}` cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SrcgradError:
        raise
    except Exception as error:
        raise _import_failed(str(path), error) from error
    return module


def _import_failed(name: str, error: Exception) -> TargetError:
    """Say in one line what went wrong in the user's module, and where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    if isinstance(error, SyntaxError) and error.filename:
        shown = f"\n  {error.text.rstrip()}" if error.text else ""
        place = f"{error.filename}:{error.lineno}"
        return TargetError(f"importing `{name}` failed: {error.msg}\n  --> {place}{shown}")
    what = traceback.format_exception_only(error)[-1].strip()
    return TargetError(f"importing `{name}` failed: {what}\n  --> {last.filename}:{last.lineno}")


def _member(owner: Any, name: str, place: str) -> Any:
    """Return an attribute of a module or class, or say what comes close to its name."""
    missing = object()
    found = getattr(owner, name, missing)
    if found is not missing:
        return found
    if isinstance(owner, ModuleType):
        functions = [key for key, value in vars(owner).items() if callable(value)]
        raise TargetError(f"`{place}` has no `{name}`{_suggest(name, functions)}")
    functions = [key for key in dir(owner) if not key.startswith("_")]
    label = getattr(owner, "__name__", type(owner).__name__)
    raise TargetError(f"`{label}` has no `{name}`{_suggest(name, functions)}")


def _suggest(name: str, known: list[str]) -> str:
    """Return a hint with names like `name`, or else with some that exist."""
    close = difflib.get_close_matches(name, known)
    if close:
        return f"\nhint: did you mean {_either(close)}?"
    public = [item for item in known if not item.startswith("_")][:8]
    return f"\nhint: it has {_either(public, 'and')}" if public else ""


def _either(names: list[str], word: str = "or") -> str:
    """Join names in backticks as one does in a sentence."""
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {word} {quoted[-1]}"
