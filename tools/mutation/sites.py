"""Finds the tokens of a module that can be broken, and draws some of them."""

from __future__ import annotations

import ast
import io
import random
import tokenize
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from tools.mutation.blocks import Function, blocks_of, decided_by

ROOT: Final = Path(__file__).resolve().parent.parent.parent
LAYERS: Final = ("rules", "transforms", "analyses", "runtime", "tape")

_OPERATORS: Final = {
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "//": "*",
    "%": "*",
    "**": "*",
    "&": "|",
    "|": "&",
    "+=": "-=",
    "-=": "+=",
    "*=": "/=",
    "/=": "*=",
    "//=": "*=",
    "%=": "*=",
    "**=": "*=",
    "|=": "&=",
    "&=": "|=",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "and": "or",
    "or": "and",
    "is": "is not",
    "is not": "is",
    "in": "not in",
    "not in": "in",
}
_SYMBOLS: Final[dict[type[ast.operator], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}
_COMPARED: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_NAMES: Final = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "minimum": "maximum",
    "maximum": "minimum",
    "zeros_like": "ones_like",
}
_NEVER_RUN: Final = (ast.Raise, ast.Assert, ast.JoinedStr, ast.AnnAssign, ast.Import)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One token of a module, and what is put in its place."""

    path: Path
    function: str
    first: int
    start: int
    end: int
    token: str
    block: str = ""
    """The block that it stands in, by module, function and number."""
    decides: tuple[str, ...] = ()
    """The blocks that the condition decides about in which it stands."""

    @property
    def module(self) -> str:
        """Return the path of the module below the root."""
        return self.path.relative_to(ROOT).as_posix()

    def text(self) -> str:
        """Return the text of the broken module."""
        text = self.path.read_text(encoding="utf-8")
        return text[: self.start] + self.token + text[self.end :]

    def lines(self) -> tuple[int, str, str]:
        """Return the number of the line that is broken, and the line before and after."""
        text = self.path.read_text(encoding="utf-8")
        number = text.count("\n", 0, self.start)
        before, after = (t.split("\n")[number].strip() for t in (text, self.text()))
        return number + 1, before, after

    def __str__(self) -> str:
        number, before, after = self.lines()
        return f"{self.module}:{number} {self.function}\n    - {before}\n    + {after}"


def draw(count: int, rng: random.Random, only: str = "") -> list[Mutant]:
    """Draw mutants, as many of each layer; of modules under `only` if it is given."""
    found: list[list[Mutant]] = []
    for layer in LAYERS:
        paths = sorted((ROOT / "srcgrad" / layer).rglob("*.py"))
        kept = [p for p in paths if p.relative_to(ROOT).as_posix().startswith(only)]
        sites = [mutant for path in kept for mutant in mutants_of(path)]
        rng.shuffle(sites)
        found.append(sites)
    drawn: list[Mutant] = []
    while len(drawn) < count and any(found):
        drawn += [sites.pop() for sites in found if sites]
    return drawn[:count]


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield the mutants of what the functions of a module do when they are called."""
    text = path.read_text(encoding="utf-8")
    tree, places = ast.parse(text), _Places(text)
    for function, name in functions_of(tree):
        blocks, told = blocks_of(function), list(decided_by(function))
        spans = [(places.span(part.first)[0], places.span(part.last)[1]) for part in blocks]
        conditions = [(*places.span(test), nodes) for test, nodes in told]
        numbers = {id(part.first): number for number, part in enumerate(blocks)}
        for start, end, token in _sites(function, places):
            around = [n for n, span in enumerate(spans) if span[0] <= start < span[1]]
            inside = min(around, key=lambda n: spans[n][1] - spans[n][0], default=0)
            block = block_name(path, name, inside)
            nodes = [n for first, last, n in conditions if first <= start < last]
            decided = [numbers[id(n)] for found in nodes for n in found if id(n) in numbers]
            decides = tuple(block_name(path, name, number) for number in decided)
            yield Mutant(path, name, function.lineno, start, end, token, block, decides)


def block_name(path: Path, function: str, number: int) -> str:
    """Return how a block is called in the map of tests."""
    return f"{path.relative_to(ROOT).as_posix()}:{function}:{number}"


def functions_of(tree: ast.AST) -> Iterator[tuple[Function, str]]:
    """Yield the outermost functions of a module, each with its dotted name."""
    return _functions(tree, "")


def _functions(tree: ast.AST, prefix: str) -> Iterator[tuple[Function, str]]:
    """Yield the outermost functions, each with its dotted name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield node, prefix + node.name
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, (ast.If, ast.Try)):
            yield from _functions(node, prefix)


_Site = tuple[int, int, str]


class _Places:
    """The tokens of a text by their places in it."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        self._lines = text.splitlines(keepends=True)
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        read = tokenize.generate_tokens(io.StringIO(text).readline)
        self._tokens = [
            (self._at(*t.start), self._at(*t.end), t.string)
            for t in read
            if t.type in (tokenize.OP, tokenize.NAME)
        ]

    def _at(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return where an expression begins and ends."""
        return self._of(node.lineno, node.col_offset), self._of(
            node.end_lineno, node.end_col_offset
        )

    def _of(self, line: int | None, column: int | None) -> int:
        """Return a place of Python's trees, which count bytes."""
        assert line is not None
        assert column is not None
        return self._at(line, len(self._lines[line - 1].encode()[:column].decode()))

    def operator(self, left: ast.expr, right: ast.expr, sign: str) -> Iterator[_Site]:
        """Yield another operator in the place of that between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        words = sign.split()
        for place in range(bisect_left(self._tokens, (start,)), len(self._tokens)):
            first, last, string = self._tokens[place]
            if last > end:
                return
            if words and string == words[0]:
                last = self._tokens[place + len(words) - 1][1]
                yield first, last, _OPERATORS[sign]
                return


def _sites(function: Function, places: _Places) -> Iterator[_Site]:
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, _NEVER_RUN) or _is_text(node) or _is_asserted(node):
            continue
        yield from _of_node(node, places)
        if isinstance(node, Function):
            waiting += reversed(node.body)
        else:
            waiting += reversed(list(ast.iter_child_nodes(node)))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_asserted(node: ast.AST) -> bool:
    """Say whether a node is the ``strict=True`` of a `zip`, which is an assertion."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _of_node(node: ast.AST, places: _Places) -> Iterator[_Site]:
    if isinstance(node, ast.BinOp):
        yield from places.operator(node.left, node.right, _SYMBOLS.get(type(node.op), ""))
    elif isinstance(node, ast.AugAssign):
        sign = _SYMBOLS.get(type(node.op), "")
        yield from places.operator(node.target, node.value, sign and f"{sign}=")
    elif isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        for left, op, right in zip(operands, node.ops, node.comparators, strict=False):
            yield from places.operator(left, right, _COMPARED[type(op)])
    elif isinstance(node, ast.BoolOp):
        word = "and" if isinstance(node.op, ast.And) else "or"
        for left, right in pairwise(node.values):
            yield from places.operator(left, right, word)
    elif isinstance(node, ast.UnaryOp):
        yield from _of_sign(node, places)
    elif isinstance(node, ast.Constant):
        yield from _of_constant(node, places)
    elif isinstance(node, (ast.Name, ast.Attribute)):
        name = node.id if isinstance(node, ast.Name) else node.attr
        if name in _NAMES:
            end = places.span(node)[1]
            yield end - len(name), end, _NAMES[name]


def _of_sign(node: ast.UnaryOp, places: _Places) -> Iterator[_Site]:
    start = places.span(node)[0]
    if isinstance(node.op, ast.Not):
        yield start, start + 3, "not not"
    elif isinstance(node.op, ast.USub):
        yield start, start + 1, "+"


def _of_constant(node: ast.Constant, places: _Places) -> Iterator[_Site]:
    """Yield another number or truth value in the place of one; texts are left alone."""
    value = node.value
    if isinstance(value, bool):
        yield *places.span(node), str(not value)
    elif isinstance(value, (int, float)):
        yield *places.span(node), str(0 if value == 1 else value + 1)
