"""Breaks a function where it is loaded, so that no file is written."""

from __future__ import annotations

import functools
import gc
import importlib
import linecache
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Final

from tools.mutation.sites import Mutant

_CACHED: Final = type(functools.lru_cache(len))


def break_loaded(mutant: Mutant) -> int:
    """Give all functions that are loaded the code of a mutant; return how many have changed.

    A module that is imported on demand is imported first. The compiler reads the text of rules,
    so the text that Python shows for the file changes too.
    """
    importlib.import_module(mutant.module.removesuffix(".py").replace("/", "."))
    file = str(mutant.path)
    before, after = mutant.path.read_text(encoding="utf-8"), mutant.text()
    codes = dict(
        _pairs(*(compile(text, file, "exec", dont_inherit=True) for text in (before, after)))
    )
    linecache.cache[file] = (len(after), None, after.splitlines(keepends=True), file)
    changed = 0
    for item in gc.get_objects():
        if isinstance(item, FunctionType) and item.__code__.co_filename == file:
            code = codes.get(item.__code__)
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
