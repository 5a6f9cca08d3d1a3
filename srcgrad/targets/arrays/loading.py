"""Makes the text of a derivative one for another array library, and loads that."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from srcgrad.backends import Library
from srcgrad.codegen.loader import load
from srcgrad.codegen.tracebacks import LineMap, Part
from srcgrad.errors import LibraryGapError
from srcgrad.parsing import parsed
from srcgrad.spans import Span
from srcgrad.targets.arrays.edits import Edits
from srcgrad.targets.arrays.gaps import gaps_in
from srcgrad.targets.arrays.kernels import with_kernels
from srcgrad.targets.arrays.numbers import Elements
from srcgrad.targets.arrays.views import asked_elements

_FUNCTIONS: Final = (
    *("element", "elements", "updated", "update_at"),
    *("kind_of", "is_instance", "with_axes"),
)
_RUNTIME: Final = "srcgrad.runtime"
_ELEMENTS: Final = "srcgrad.runtime.elements"


@dataclass(frozen=True, slots=True)
class Twin:
    """A text for another library.

    Attributes:
        source: The text.
        lines: The user's lines behind it.
        module: The module that it became.
    """

    source: str
    lines: LineMap
    module: ModuleType


def twin_of(
    source: str, entry: str, names: Mapping[str, Any], lines: LineMap, library: Library
) -> Twin:
    """Return a text as a module for the arrays of another library.

    Args:
        source: The text for NumPy.
        entry: The name of its function for calls.
        names: What the loader puts into the module.
        lines: The user's lines behind the text.
        library: The library, which the program has imported.

    Raises:
        LibraryGapError: The text asks for something that the library does not have.
    """
    module: Any = library.loaded()
    assert module is not None
    if library.names:  # the functions that text really gets, some of which are ours
        module = importlib.import_module(library.names).np
    made, shifted = text_for(source, lines, library, module)
    loaded = load(made, entry, names, shifted, lasting=False)
    return Twin(made, shifted, loaded)


def text_for(
    source: str, lines: LineMap, library: Library, module: ModuleType
) -> tuple[str, LineMap]:
    """Return a text for the arrays of another library, and the user's lines behind that.

    Raises:
        LibraryGapError: The text asks for something that the library does not have.
    """
    tree = parsed(source)
    for gap in gaps_in(tree, library, module):
        raise _refusal(gap.what, lines, gap.line, library)
    edits = Edits(source)
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    for node in imports:
        _rename_import(node, edits, library)
    if library.has_numbers or not imports:
        return _with_elements_asked(tree, edits, imports, lines)
    helpers = _free_names(tree)
    elements = Elements(tree, edits, helpers)
    if elements.used:
        shown = [_imported(name, helpers[name]) for name in sorted(elements.used)]
        edits.behind(imports[-1], f"\nfrom {library.names or _ELEMENTS} import {', '.join(shown)}")
        lines = shifted(lines, imports[-1].end_lineno or 0, 1)
    return with_kernels(edits.done(), lines, module) if library.fuses else (edits.done(), lines)


def _with_elements_asked(
    tree: ast.Module, edits: Edits, imports: Sequence[Any], lines: LineMap
) -> tuple[str, LineMap]:
    """Let elements that must be numbers or copies be asked whether they are."""
    asked = list(asked_elements(tree))
    if not asked or not imports:
        return edits.done(), lines
    taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    name = "apart"
    while name in taken:
        name += "_"
    for node in asked:
        index = edits.text_of(node.slice)
        index = f"({index})" if isinstance(node.slice, ast.Tuple) and index[0] != "(" else index
        new = f"{name}({edits.text_of(node.value)}, {index})"
        edits.instead(edits.start(node), edits.end(node), new)
    edits.behind(imports[-1], f"\nfrom srcgrad.runtime.blocks import {_imported('apart', name)}")
    return edits.done(), shifted(lines, imports[-1].end_lineno or 0, 1)


def _rename_import(node: ast.Import | ast.ImportFrom, edits: Edits, library: Library) -> None:
    """Let an import of NumPy, or of the helpers, be one of a library."""
    if isinstance(node, ast.ImportFrom):
        if node.module == _RUNTIME and library.names:
            edits.between(edits.start(node), _RUNTIME, library.names)
        return
    for item in node.names:
        if item.name == "numpy":
            alias = f" as {item.asname}" if item.asname not in (None, "np") else ""
            own = f"import {library.module} as {item.asname or 'np'}"
            new = f"from {library.names} import np{alias}" if library.names else own
            edits.instead(edits.start(node), edits.end(node), new)


def _free_names(tree: ast.Module) -> dict[str, str]:
    """Return names for the functions that a text is given, which it does not have yet."""
    taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    taken |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    found = {}
    for name in _FUNCTIONS:
        free = name
        while free in taken:
            free += "_"
        found[name] = free
    return found


def _imported(name: str, alias: str) -> str:
    return name if name == alias else f"{name} as {alias}"


def shifted(lines: LineMap, behind: int, by: int) -> LineMap:
    """Return the map of a text that got some more lines behind a line."""
    if not by:
        return lines

    def place(at: tuple[int, int]) -> tuple[int, int]:
        return (at[0] + by, at[1]) if at[0] > behind else at

    entries = {n + by if n > behind else n: line for n, line in lines.entries.items()}
    parts = tuple(Part(place(item.start), place(item.end), item.user) for item in lines.parts)
    return LineMap(entries, parts)


def _refusal(what: str, lines: LineMap, line: int, library: Library) -> LibraryGapError:
    user = lines.at(line)
    span = None if user is None else Span(user.file, user.line, text=user.text)
    hint = f"write it with functions that {library.title} has, or pass arrays of NumPy"
    return LibraryGapError(what, span=span, hint=hint)
