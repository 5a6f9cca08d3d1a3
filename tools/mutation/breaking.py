"""Breaks a function where it is loaded, so that no file is written."""

from __future__ import annotations

import ast
import builtins
import functools
import gc
import importlib
import linecache
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final, cast

from srcgrad.frontend import loaded, source
from srcgrad.tape import stacked
from tools.mutation.blocks import blocks_of
from tools.mutation.sites import LAYERS, ROOT, Mutant, block_name, functions_of

_SEEN: Final = "__block_is_run__"
_CACHED: Final = type(functools.lru_cache(len))


def import_all() -> None:
    """Import the modules of all layers, also those that are imported on demand."""
    for path in _modules():
        name = path.relative_to(ROOT).as_posix().removesuffix(".py").removesuffix("/__init__")
        importlib.import_module(name.replace("/", "."))


def _modules() -> list[Path]:
    return [path for layer in LAYERS for path in (ROOT / "srcgrad" / layer).rglob("*.py")]


class Loaded:
    """Our functions and their caches as they are loaded, found once for many mutants."""

    def __init__(self) -> None:
        import_all()
        gc.unfreeze()  # what was there when the tests began is ours, too
        self._functions: defaultdict[str, list[FunctionType]] = defaultdict(list)
        self._caches: list[Any] = []
        for item in gc.get_objects():
            kind = type(item)  # `isinstance` asks proxies, of which some stand for nothing any more
            if kind is FunctionType and _is_ours(item.__code__):
                self._functions[item.__code__.co_filename].append(item)
            elif kind is _CACHED and str(item.__module__).startswith("srcgrad."):
                self._caches.append(item)

    def break_loaded(self, mutant: Mutant) -> int:
        """Give all functions that are loaded the code of a mutant; return how many have changed.

        The compiler reads the text of rules, so the text that Python shows for the file changes
        too. Caches are emptied, which the collection of the tests has filled.
        """
        for cache in self._caches:
            cache.cache_clear()
        file = str(mutant.path)
        before, after = mutant.path.read_text(encoding="utf-8"), mutant.text()
        linecache.cache[file] = (len(after), None, after.splitlines(keepends=True), file)
        return _replace(self._functions[file], _codes(file, before, after))

    def replace(self, codes: dict[str, dict[CodeType, CodeType]]) -> int:
        """Give functions their other code, by file; return how many changed."""
        return sum(_replace(self._functions[file], found) for file, found in codes.items())


def watch_loaded(note: Callable[[str], Any]) -> int:
    """Have the functions of all layers tell which of their blocks are run; return how many.

    The texts that Python shows stay as they are, and the compiler, which compares them with what is
    loaded before it reads them, is told that they fit; a function that is read counts as run.
    """
    as_loaded, parsed = loaded.is_as_loaded, vars(source)["_parsed"]

    def fits(function: FunctionType, lines: list[str]) -> bool:
        return _is_ours(function.__code__) or as_loaded(function, lines)

    def read(function: FunctionType, lines: list[str]) -> Any:
        if _is_ours(function.__code__):
            note(block_name(Path(function.__code__.co_filename), function.__qualname__, 0))
        return parsed(function, lines)

    vars(source).update(is_as_loaded=fits, _parsed=read)
    vars(stacked)["_BUILTINS"] |= {_SEEN}  # which nobody hands a stack
    setattr(builtins, _SEEN, note)
    ours, codes = Loaded(), {}
    for path in _modules():
        text = path.read_text(encoding="utf-8")
        codes[str(path)] = _codes(str(path), text, _watched(path, text))
    return ours.replace(codes)


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(str(ROOT / "srcgrad"))


def _watched(path: Path, text: str) -> ast.Module:
    """Return the tree of a module whose blocks say that they are run."""
    tree = ast.parse(text)
    for function, name in functions_of(tree):
        said: dict[int, ast.expr] = {}
        blocks = [(part, block_name(path, name, n)) for n, part in enumerate(blocks_of(function))]
        for part, called in reversed(blocks):
            call = _saying(called, part.first)
            if part.statements is None:
                said[id(part.first)] = call
            else:
                place = part.place + (part.place == 0 and _is_text(part.first))
                part.statements.insert(place, ast.copy_location(ast.Expr(call), part.first))
        _Saying(said).visit(function)
    return tree


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _saying(name: str, place: ast.AST) -> ast.expr:
    """Return a call that says that a block is run; it returns None."""
    seen, said = ast.Name(_SEEN, ast.Load()), ast.Constant(name)
    call = ast.Call(seen, [said], [])
    for node in (call, seen, said):
        ast.copy_location(node, place)
    return call


class _Saying(ast.NodeTransformer):
    """Puts calls in front of expressions: ``(call() or expression)``."""

    def __init__(self, said: dict[int, ast.expr]) -> None:
        self._said = said

    def visit(self, node: ast.AST) -> Any:
        new, said = self.generic_visit(node), self._said.get(id(node))
        if said is None:
            return new
        return ast.copy_location(ast.BoolOp(ast.Or(), [said, cast("ast.expr", new)]), node)


def _codes(file: str, before: Any, after: Any) -> dict[CodeType, CodeType]:
    """Return the codes of two texts or trees side by side, where they differ."""
    return dict(
        _pairs(*(compile(text, file, "exec", dont_inherit=True) for text in (before, after)))
    )


def _replace(functions: list[FunctionType], codes: dict[CodeType, CodeType]) -> int:
    """Give functions their other code where there is one; return how many changed."""
    changed = [(item, codes[item.__code__]) for item in functions if item.__code__ in codes]
    for item, code in changed:
        item.__code__ = code
    return len(changed)


def _pairs(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield the codes of two texts that differ, side by side; what is in one alone is left out."""
    if before != after:
        yield before, after
    one, two = _inner(before), _inner(after)
    for place, code in one.items():
        if place in two:
            yield from _pairs(code, two[place])


def _inner(code: CodeType) -> dict[tuple[str, int, int], CodeType]:
    """Return the codes inside of one by name, line and number: those of an `if 0:` are left out."""
    found: dict[tuple[str, int, int], CodeType] = {}
    for item in code.co_consts:
        if isinstance(item, CodeType):
            same = sum(place[:2] == (item.co_name, item.co_firstlineno) for place in found)
            found[item.co_name, item.co_firstlineno, same] = item
    return found
