"""Says in an exported module what it was made of, and counts lines as functions do."""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import linecache
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from types import FunctionType
from typing import Final

from srcgrad.codegen.tracebacks import LineMap
from srcgrad.exporting.request import Export
from srcgrad.parsing import parsed
from srcgrad.spans import printable

_COMMENT: Final = re.compile(r"^(\s*)# L(\d+): (.*)$")
_PLACE: Final = re.compile(r"\(([^()\s]+?)(_[0-9a-f]{32})?\.py:\d+\)")
_WIDEST: Final = 90
_LONGEST: Final = 100
_WHAT: Final[Mapping[str, str]] = {
    "grad": "Gradient",
    "jvp": "Value and tangent",
    "vjp": "Value and pullback",
    "hvp": "Product of a vector and the second derivatives",
    "jacfwd": "Jacobian",
    "jacrev": "Jacobian",
    "hessian": "Second derivatives",
    "vmap": "Values for a batch of examples",
}


def docstring(export: Export) -> str:
    """Return the docstring of an exported module, without its quotes."""
    function = export.function if export.kind in ("grad", "jvp") else export.written
    shown = ", ".join(f"`{name}`" for name in export.names)
    what = "Value and gradient" if export.value else _WHAT[export.kind]
    name = _on_one_line(function.__name__)
    head = f"{what} of `{name}` with respect to {shown}."
    if export.kind == "vmap":
        what = f"Gradients with respect to {shown}" if shown else "Values"
        head = f"{what} of `{_on_one_line(export.written.__name__)}` for a batch of examples."
    if len(head) > _WIDEST:
        head = f"{what} of `{name}`."
    facts = [
        f"source:   {_on_one_line(source_of(export.written))}",
        f"function: {_on_one_line(target_of(export.written))}",
        f"sha256:   {digest(export)}",
        f"srcgrad:  {srcgrad_version()}",
        _folded(f"made by:  {_on_one_line(export.command)}"),
    ]
    body = "Written by srcgrad; change the function instead and export it again. Lines in comments "
    body += "(L1, L2, ...) are counted from the first line of the function that they are of."
    listed = textwrap.indent("\n".join(facts), "    ")
    paragraphs = [head, textwrap.fill(body, _WIDEST), listed]
    return "\n\n".join(paragraphs) + "\n"


def _on_one_line(text: str) -> str:
    """Return a text that neither ends the docstring that it stands in nor starts a line of it."""
    plain = printable(" ".join(text.split("\n")))
    return plain.replace("\\", "/").replace('"""', "'''")


def _folded(line: str) -> str:
    """Write a long command on several lines."""
    if len(line) <= _WIDEST:
        return line
    parts = textwrap.wrap(line, _WIDEST, break_long_words=False, break_on_hyphens=False)
    return "\n          ".join(parts)


def target_of(function: FunctionType) -> str:
    """Return the name of a function on the command line; a program is named by its file."""
    place = function.__module__
    if place == "__main__":
        place = Path(function.__code__.co_filename).name
    return f"{place}:{function.__qualname__}"


def source_of(function: FunctionType) -> str:
    """Return the file of a function, as a path from where its package is."""
    code, module = function.__code__, function.__module__ or ""
    name = Path(code.co_filename).name
    parts = module.split(".")
    if name == "__init__.py":
        return "/".join([*parts, name])
    return "/".join([*parts[:-1], name])


def digest(export: Export) -> str:
    """Return the hash of the source of all functions that the derivative was made of."""
    functions = {state.function: None for state in export.generated.functions}
    functions |= {export.function: None, export.written: None}
    own = [f for f in functions if not f.__module__.startswith("srcgrad.")]
    texts = {f"{f.__module__}.{f.__qualname__}\n{_text(f)}" for f in own}
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()[:16]


def _text(function: FunctionType) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return ""


def srcgrad_version() -> str:
    """Return the version of srcgrad."""
    try:
        metadata = importlib.import_module("importlib.metadata")  # which takes long to import
        found: str = metadata.version("srcgrad")
    except ModuleNotFoundError:  # run from a checkout that is not installed
        return "unknown"
    return found


def with_own_lines(source: str, lines: LineMap) -> str:
    """Count the lines in comments from the first line of each function, not of its file.

    An edit elsewhere in the file then changes nothing in the exported text.
    """
    texts = source.splitlines()
    functions: dict[str, list[tuple[int, int]]] = {}
    for number, text in enumerate(texts):
        texts[number] = _PLACE.sub(r"(\1.py)", text) if "of `" in text else text
        found = _COMMENT.match(text)
        if found is None:
            continue
        space, line, rest = found.groups()
        file = _file_of(number, int(line), lines)
        if file is not None and file not in functions:
            functions[file] = _functions_in(file)
        start = _first_line(functions.get(file or "", []), int(line))
        mark = "" if start is None else f"L{int(line) - start + 1}: "
        line_text = f"{space}# {mark}{rest}"
        fits = len(line_text) <= _LONGEST
        texts[number] = line_text if fits else line_text[: _LONGEST - 3].rstrip(" .") + "..."
    return "\n".join(texts) + "\n"


def _file_of(number: int, line: int, lines: LineMap) -> str | None:
    for near in range(number + 1, number + 6):
        for entry in lines.all_at(near + 1):
            if entry.line == line:
                return entry.file
    return None


def _functions_in(file: str) -> list[tuple[int, int]]:
    """Return the first and last lines of the functions in a file."""
    try:
        tree = parsed("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    kinds = (ast.FunctionDef, ast.Lambda)
    return [(n.lineno, n.end_lineno or 0) for n in ast.walk(tree) if isinstance(n, kinds)]


def _first_line(functions: list[tuple[int, int]], line: int) -> int | None:
    """Return the first line of the innermost function around a line."""
    starts = [first for first, last in functions if first <= line <= last]
    return max(starts, default=None)
