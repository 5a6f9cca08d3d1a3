"""Sets the two sides of a report against each other: the user's lines and the generated ones."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from srcgrad.codegen.tracebacks import LineMap, is_generated
from srcgrad.compiler.findings import Findings
from srcgrad.parsing import parsed

Place = tuple[str, int]

_COMMENT: Final = re.compile(r"\s*# L(\d+):")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of one of the user's functions.

    Attributes:
        title: The function and where it stands.
        file, first: The file, and the number of the first line.
        lines: The text, without the indentation that all lines share.
    """

    title: str
    file: str
    first: int
    lines: tuple[str, ...]

    def places(self) -> Iterator[tuple[Place, str]]:
        """Yield each line with its place."""
        for offset, line in enumerate(self.lines):
            yield (self.file, self.first + offset), line


@dataclass(frozen=True, slots=True)
class Sides:
    """The user's functions and the generated text, with the links between their lines.

    Attributes:
        blocks: The user's functions.
        generated: The lines of the generated text.
        links: For each generated line, counted from 1, the user's line it comes from.
        backward: The generated lines of the backward pass.
    """

    blocks: tuple[Block, ...]
    generated: tuple[str, ...]
    links: Mapping[int, Place]
    backward: frozenset[int]

    def keys(self) -> dict[Place, str]:
        """Return a short name for each of the user's lines that is linked."""
        order = {block.file: None for block in self.blocks}
        files = {file: number for number, file in enumerate(order)}
        return {
            place: f"{files[place[0]]}-{place[1]}" for place in sorted(set(self.links.values()))
        }


def sides_of(text: str, lines: LineMap, findings: Findings, layout: Mapping[str, int]) -> Sides:
    """Return the sides of a generated text, given where its lines come from."""
    generated = tuple(text.splitlines())
    links = dict(_links(generated, lines, findings))
    blocks = [
        _block(f"{found.name}", found.file, found.line, max(found.texts, default=found.line))
        for found in findings.functions
        if not is_generated(found.file)  # a derivative that is differentiated once more
    ]
    blocks = _apart(blocks)
    covered = {place for block in blocks for place, _ in block.places()}
    blocks += _others(sorted(set(links.values()) - covered))
    return Sides(tuple(blocks), generated, links, frozenset(_backward(generated, layout)))


def _apart(blocks: list[Block]) -> list[Block]:
    """Leave out what is part of a block before it, such as a loop of a function."""
    kept: list[Block] = []
    for block in blocks:
        places = {place for place, _ in block.places()}
        if not any(places <= {place for place, _ in one.places()} for one in kept):
            kept.append(block)
    return kept


def _links(
    generated: tuple[str, ...], lines: LineMap, findings: Findings
) -> Iterator[tuple[int, Place]]:
    """Yield generated lines with the user's: statements, comments over them, and definitions."""
    starts = {name: (f.file, f.line) for f in findings.functions for name in f.generated}
    for number, text in enumerate(generated, 1):
        at, name = lines.at(number), text.removeprefix("def ").partition("(")[0]
        if text.startswith("def ") and name in starts:
            if not is_generated(starts[name][0]):
                yield number, starts[name]
        elif at is not None and not is_generated(at.file):
            yield number, (at.file, at.line)
        elif (comment := _COMMENT.match(text)) is not None:
            below = next((n for n in range(number + 1, number + 6) if lines.at(n)), 0)
            own = [user for user in lines.all_at(below) if user.line == int(comment[1])]
            user = lines.innermost(own[0]) if own else None
            if user is not None:
                yield number, (user.file, user.line)


def _block(name: str, file: str, first: int, last: int) -> Block:
    lines = [linecache.getline(file, number).rstrip("\n") for number in range(first, last + 1)]
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    margin = min(indents, default=0)
    title = f"{name} ({Path(file).name}:{first})"
    return Block(title, file, first, tuple(line[margin:] for line in lines))


def _others(places: Iterable[Place]) -> list[Block]:
    """Return the functions around lines of code that was put in the place of a call."""
    blocks: list[Block] = []
    for file, number in places:
        if any(b.file == file and b.first <= number < b.first + len(b.lines) for b in blocks):
            continue
        name, first, last = _around(file, number)
        blocks.append(_block(name, file, first, last))
    return blocks


def _around(file: str, number: int) -> tuple[str, int, int]:
    """Return the innermost function around a line: its name, first and last line."""
    found = ("code", number, number)
    try:
        tree = parsed("".join(linecache.getlines(file)))
    except SyntaxError:
        return found
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            last = node.end_lineno or node.lineno
            if node.lineno <= number <= last and (found[0] == "code" or node.lineno > found[1]):
                found = (node.name, node.lineno, last)
    return found


def _backward(generated: Iterable[str], layout: Mapping[str, int]) -> Iterator[int]:
    """Yield the numbers of the lines that lie in a backward pass."""
    inside = False
    for number, line in enumerate(generated, 1):
        if line.startswith("def "):
            inside = layout.get(line[4:].partition("(")[0]) == 0
        elif line.strip() == "# backward":
            inside = True
        elif line.strip() and not line.startswith((" ", ")", "#")):
            inside = False
        if inside and line.strip():
            yield number
