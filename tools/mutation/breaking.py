"""Breaks a function where it is loaded, so that no file is written."""

from __future__ import annotations

import ast
import builtins
import functools
import gc
import importlib
import linecache
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

from tools.mutation.sites import LAYERS, ROOT, Mutant, block_name, blocks_of, functions_of

_SEEN: Final = "__block_is_run__"
_CACHED: Final = type(functools.lru_cache(len))


def break_loaded(mutant: Mutant) -> int:
    """Give all functions that are loaded the code of a mutant; return how many have changed.

    A module that is imported on demand is imported first. The compiler reads the text of rules,
    so the text that Python shows for the file changes too.
    """
    importlib.import_module(mutant.module.removesuffix(".py").replace("/", "."))
    file = str(mutant.path)
    before, after = mutant.path.read_text(encoding="utf-8"), mutant.text()
    linecache.cache[file] = (len(after), None, after.splitlines(keepends=True), file)
    return _replace({file: _codes(file, before, after)})


def watch_loaded(note: Callable[[str], Any]) -> int:
    """Have the functions of all layers tell which of their blocks are run; return how many.

    The texts that Python shows stay as they are.
    """
    setattr(builtins, _SEEN, note)
    codes = {}
    for path in [p for layer in LAYERS for p in (ROOT / "srcgrad" / layer).rglob("*.py")]:
        name = path.relative_to(ROOT).as_posix().removesuffix(".py").removesuffix("/__init__")
        importlib.import_module(name.replace("/", "."))
        text = path.read_text(encoding="utf-8")
        codes[str(path)] = _codes(str(path), text, _watched(path, text))
    return _replace(codes)


def _watched(path: Path, text: str) -> ast.Module:
    """Return the tree of a module whose blocks say that they are run."""
    tree = ast.parse(text)
    for function, name in functions_of(tree):
        for number, block in enumerate(list(blocks_of(function))):
            said = ast.parse(f"{_SEEN}({block_name(path, name, number)!r})").body[0]
            for node in ast.walk(said):
                ast.copy_location(node, block[0])
            has_text = isinstance(block[0], ast.Expr) and isinstance(block[0].value, ast.Constant)
            block.insert(int(has_text), said)
    return tree


def _codes(file: str, before: Any, after: Any) -> dict[CodeType, CodeType]:
    """Return the codes of two texts or trees side by side, where they differ."""
    return dict(
        _pairs(*(compile(text, file, "exec", dont_inherit=True) for text in (before, after)))
    )


def _replace(codes: dict[str, dict[CodeType, CodeType]]) -> int:
    """Give all functions that are loaded their other code, by file; return how many changed."""
    changed = 0
    for item in gc.get_objects():
        if isinstance(item, FunctionType):
            code = codes.get(item.__code__.co_filename, {}).get(item.__code__)
            if code is not None:
                item.__code__ = code
                changed += 1
    return changed


def forget() -> None:
    """Empty the caches of our functions, which the collection of the tests has filled."""
    for item in gc.get_objects():
        if isinstance(item, _CACHED) and str(item.__module__).startswith("srcgrad."):
            item.cache_clear()


def _pairs(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield the codes of two texts that differ, side by side."""
    if before != after:
        yield before, after
    inner = [[c for c in code.co_consts if isinstance(c, CodeType)] for code in (before, after)]
    for one, two in zip(*inner, strict=True):
        yield from _pairs(one, two)
