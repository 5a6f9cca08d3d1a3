"""Lets Numba compile a module that stands alone: what it needs of ours is written into it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any, Final

from srcgrad.codegen.printer import to_source
from srcgrad.codegen.tracebacks import LineMap
from srcgrad.ir import gast
from srcgrad.ir.parsing import gast_parsed
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.text import Wish, loops_text

_LEFT_OUT: Final = ("__init__.py", "vectors.py")  # libmvec may not be where a module runs
_OURS: Final = re.compile(r"\b(?:runtime|names)\.")
_MARK: Final = "# ---- For Numba "
_IMPORTS: Final = """\
from numba import types
from numba.core import errors
from numba.extending import overload
"""


def loops_module(text: str, entry: str, given: Sequence[Any]) -> tuple[str, list[tuple[str, int]]]:
    """Return a module for NumPy as one that Numba compiles, and what it holds that is not compiled.

    Args:
        text: The module.
        entry: The function in it that is compiled, with those that it calls.
        given: The kinds of its arguments.
    """
    tree = gast_parsed(text)
    functions = {item.name: item for item in tree.body if isinstance(item, gast.FunctionDef)}
    bodies = _bodies()
    jitted = _reached(entry, functions, bodies.keys())
    source = _cut(text, [functions[name] for name in jitted])
    options = {"error_model": "numpy", "boundscheck": True, "cache": True}
    wish = Wish(source, entry, {}, LineMap(), options, {}, given, fuses=True)
    loops = loops_text(wish)
    made = gast_parsed(loops.source)
    names = {item.id for item in found_in(made, gast.Name)}
    used, ours = _needed(names, functions)
    lines = text.splitlines()
    for name in sorted(jitted, key=lambda name: -functions[name].lineno):
        function = functions[name]
        lines[function.lineno - 1 : function.end_lineno] = []
    shown = "\n".join(lines)
    parts = [_plain_names()[name] for name in ours if name not in functions]
    parts += [bodies[name] if name in bodies else _supports()[name] for name in used]
    own = loops.source[loops.source.index("from numba") :]
    rule = _MARK + "-" * (100 - len(_MARK))
    module = f"{shown.rstrip()}\n\n{rule}\n\n{_IMPORTS}{own}\n\n" + "\n\n".join(parts)
    return re.sub(r"\n{4,}", "\n\n\n", module).rstrip() + "\n", list(loops.refused)


def _reached(entry: str, functions: Mapping[str, Any], bodies: Iterable[str]) -> list[str]:
    """Return the functions that a function calls, itself first, without those that have bodies."""
    known, found = set(bodies), [entry]
    for name in found:
        for node in found_in(functions[name], gast.Name):
            if node.id in functions and node.id not in known and node.id not in found:
                found.append(node.id)
    return found


def _cut(text: str, functions: Sequence[Any]) -> str:
    """Return the imports of a module and some of its functions."""
    lines = text.splitlines()
    head = [line for line in lines if re.match(r"import |from ", line)]
    parts = ["\n".join(lines[item.lineno - 1 : item.end_lineno]) for item in functions]
    return "\n".join(head) + "\n\n\n" + "\n\n\n".join(parts) + "\n"


@functools.cache
def _parsed() -> list[tuple[Any, str]]:
    """Return what the library defines, each with its text, in order."""
    found = []
    folder = resources.files("srcgrad.targets.loops.library")
    names = {file.name for file in folder.iterdir() if file.name.endswith(".py")}
    for name in sorted(names.difference(_LEFT_OUT)):
        file = folder.joinpath(name)
        found += [
            (item, _OURS.sub("", to_source(_bare(item))) + "\n")
            for item in gast_parsed(file.read_text(encoding="utf-8")).body
            if isinstance(item, (gast.FunctionDef, gast.Assign))
        ]
    return found


def _bare(item: Any) -> Any:
    """Return a definition without its annotations, which would be read where it is defined."""
    for node in found_in(item, gast.FunctionDef):
        node.returns = None
        given = node.args
        for parameter in (*given.args, *given.kwonlyargs, given.vararg, given.kwarg):
            if parameter is not None:
                parameter.annotation = None
    return item


@functools.cache
def _bodies() -> dict[str, str]:
    """Return the texts of the bodies, by the names of the functions that they are for."""
    found: dict[str, str] = {}
    for item, text in _parsed():
        for decorator in getattr(item, "decorator_list", []):
            name = to_source(decorator.args[0]).rpartition(".")[2]
            found[name] = f"{found[name]}\n\n{text}" if name in found else text
    return found


@functools.cache
def _supports() -> dict[str, str]:
    """Return the texts of what bodies call, by name."""
    return {
        item.name if isinstance(item, gast.FunctionDef) else item.targets[0].id: text
        for item, text in _parsed()
        if not getattr(item, "decorator_list", [])
    }


@functools.cache
def _plain_names() -> dict[str, str]:
    """Return the texts of the functions under names of ours, and of their error."""
    text = resources.files("srcgrad.targets.loops").joinpath("names.py").read_text(encoding="utf-8")
    return {
        item.name: to_source(_bare(item)) + "\n"
        for item in gast_parsed(text).body
        if isinstance(item, (gast.FunctionDef, gast.ClassDef))
    }


def _needed(names: Iterable[str], known: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return what of the library some names need, and the functions of ours that this calls.

    Of each function that a module has or takes from us, its body is needed.
    """
    bodies, supports, ours = _bodies(), _supports(), _plain_names()
    has = {*known, *ours}
    found = [name for name in sorted(names) if name in bodies and name in has]
    for name in found:
        words = re.findall(r"(?<![\w.])\w+", bodies.get(name) or supports[name])
        for word in dict.fromkeys(words):
            is_body = word in bodies and word in ours
            if word not in found and (is_body or word in supports):
                found.append(word)
    order = [*supports, *bodies]
    texts = [bodies.get(name) or supports[name] for name in found]
    read = {word for text in texts for word in re.findall(r"\w+", text)} | set(names)
    return sorted(found, key=order.index), sorted(read & ours.keys())
