"""Writes the lines of a generated module that are no function bodies: imports and docstrings."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from srcgrad.frontend.source import FunctionSource

_WIDEST = 100
_WIDEST_DOCSTRING = 90


def docstring(
    source: FunctionSource, wrt: Sequence[str], value: bool, conditions: Sequence[str]
) -> str:
    """Say what a derivative is of, and what its text takes for granted."""
    shown = ", ".join(f"`{name}`" for name in wrt)
    what = "Value and gradient" if value else "Gradient"
    place = f"{Path(source.file).name}:{source.tree.lineno}"
    line = f"{what} of `{source.name}` ({place}) with respect to {shown}."
    if len(line) > _WIDEST_DOCSTRING:
        line = f"{what} of `{source.name}` ({place}).\n\n    With respect to {shown}."
    if not conditions:
        return line if "\n" not in line else f"{line}\n    "
    taken = _filled("Taken for granted: ", [spoken(item) for item in conditions])
    return "\n\n    ".join([line, "\n    ".join(taken)]) + "\n    "


def _filled(lead: str, items: Sequence[str]) -> list[str]:
    """Return lines of items, none of which is broken.

    >>> _filled("Taken: ", ["a" * 40, "b" * 30, "c" * 12])[1]
    'cccccccccccc.'
    """
    lines = [lead]
    for position, item in enumerate(items):
        last = position == len(items) - 1
        part = item + ("." if last else ";")
        if len(lines[-1]) + len(part) > _WIDEST_DOCSTRING:
            lines.append("")
        lines[-1] += part if last else f"{part} "
    return [one.rstrip() for one in lines]


def spoken(condition: str) -> str:
    """Say in words that something is a number, or that something holds for all elements.

    >>> spoken("isinstance(p['a'], (int, float))"), spoken("x.ndim == 2")
    ("p['a'] is a number", 'x.ndim == 2')
    >>> spoken("wall.dtype.kind == 'b'")
    'wall holds truths'
    >>> spoken("all(item[0].ndim == 2 for item in layers)")
    'layers[i][0].ndim == 2 for all i'
    """
    kind = re.fullmatch(r"(.*)\.dtype\.kind (?:in|==) '(iu|b)'", condition)
    if kind is not None:
        return f"{kind[1]} holds {'truths' if kind[2] == 'b' else 'integers'}"
    every = re.fullmatch(r"all\(((?:isinstance\()?)item(.*) for item in (\w+)\)", condition)
    if every is not None:
        return spoken(f"{every[1]}{every[3]}[i]{every[2]}") + " for all i"
    return re.sub(r"^isinstance\((.*), \(int, float\)\)$", r"\1 is a number", condition)


def wrapped(head: str, tail: str, between: str = " ") -> str:
    """Return a docstring of one line, or of a line and a paragraph if that is too long.

    >>> wrapped("Return the gradients of `f`", "with respect to `x`.")
    'Return the gradients of `f` with respect to `x`.'
    """
    line = f"{head}{between}{tail}"
    if len(line) <= _WIDEST_DOCSTRING:
        return line
    rest = textwrap.wrap(tail[0].upper() + tail[1:], _WIDEST_DOCSTRING)
    return f"{head}.\n\n    " + "\n    ".join(rest) + "\n    "


def forward_docstring(name: str, backward: str) -> str:
    """Say what a forward half does, in two lines if one would be too long.

    >>> forward_docstring("f", "f_backward")
    'Run `f` and keep what `f_backward` reads.'
    """
    line = f"Run `{name}` and keep what `{backward}` reads."
    if len(line) <= _WIDEST_DOCSTRING:
        return line
    return f"Run `{name}`.\n\n    What `{backward}` reads is kept.\n    "


def import_from(module: str, names: Sequence[str]) -> str:
    """Return an import statement, in several lines if it is too long for one."""
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _WIDEST:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")"


def is_own(line: str) -> bool:
    """Say whether an import line is of a helper of srcgrad that is read on demand."""
    return line.startswith("from srcgrad.runtime.")


def own_imports(runtime: Sequence[str], lines: Iterable[str]) -> list[str]:
    """Return the imports of srcgrad's own helpers, those of one module together.

    >>> lines = ["from srcgrad.runtime.scipy import a", "from srcgrad.runtime.scipy import b"]
    >>> own_imports(["copied"], lines)
    ['from srcgrad.runtime import copied', 'from srcgrad.runtime.scipy import a, b']
    """
    names: dict[str, list[str]] = {"srcgrad.runtime": list(runtime)}
    for line in lines:
        module, _, name = line.removeprefix("from ").partition(" import ")
        names.setdefault(module, []).append(name)
    return [import_from(module, found) for module, found in names.items() if found]


def is_standard(line: str) -> bool:
    """Say whether an import line is of the standard library."""
    return line.split(maxsplit=2)[1].partition(".")[0] in sys.stdlib_module_names


def import_order(line: str) -> tuple[bool, str]:
    """Return what import lines are sorted by: `import` before `from`, then by name."""
    return (line.startswith("from"), line)


def import_lines(imports: Iterable[str], runtime: Iterable[str], bound: Iterable[str]) -> str:
    """Return the imports of a module, in groups, with two empty lines after them; "" if none.

    `runtime` are the names that it imports of srcgrad, and `bound` those that no import provides.

    >>> print(import_lines(["import numpy as np", "import math"], ["copied"], []))
    import math
    <BLANKLINE>
    import numpy as np
    <BLANKLINE>
    from srcgrad.runtime import copied
    <BLANKLINE>
    <BLANKLINE>
    <BLANKLINE>
    """
    lines = sorted(imports, key=import_order)
    every = [line for line in lines if not is_own(line)]
    groups = [[line for line in every if is_standard(line) is flag] for flag in (True, False)]
    groups.append(own_imports(sorted(runtime), filter(is_own, lines)))
    groups.append([f"# `{n}` is put here by srcgrad when the module is loaded" for n in bound])
    text = "\n\n".join("\n".join(group) for group in groups if group)
    return text + "\n\n\n" if text else ""
