"""Lets the statements of a text that calculate by element run as one kernel for each group.

On a device every operation reads and writes whole arrays, and is started by itself. Statements in a
row that only calculate by element become a function of their own, which the library compiles to one
kernel (`srcgrad.runtime.kernels`). What it is not good for the run decides: there the function runs
as it is written.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from srcgrad.codegen.printer import print_module, to_source
from srcgrad.codegen.tracebacks import LineMap, Part
from srcgrad.ir.build import clone
from srcgrad.parsing import parsed
from srcgrad.targets.arrays.gaps import path_of
from srcgrad.targets.arrays.groups import Finder, Group, calculating, name_of, read_later, target_of

_WISH: Final = "kernel"


def with_kernels(source: str, lines: LineMap, module: ModuleType) -> tuple[str, LineMap]:
    """Return a text whose calculations by element are kernels, and the user's lines behind it.

    Args:
        source: A text for a library.
        lines: The user's lines behind it.
        module: The library.
    """
    tree = parsed(source)
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    if not imports:
        return source, lines
    finder = Finder(module, frozenset(calculating(imports)))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            finder.function(node)
    if not finder.groups:
        return source, lines
    writer = _Writer(source, tree, lines, finder.is_by_element)
    for function, group in finder.groups:
        writer.replace(function, group)
    return writer.done(imports[-1])


def _name(name: str, ctx: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, ctx or ast.Load())


@dataclass(slots=True)
class _Line:
    """A line of the new text; `old` is that of the old one, if the user's line is known by it."""

    text: str
    old: int = 0


def _indented(text: str, at: ast.stmt) -> list[_Line]:
    """Return the lines of a statement in the place of another."""
    (statement,) = parsed(text).body
    lines = to_source(statement, 100 - at.col_offset).split("\n")
    return [_Line(" " * at.col_offset + line, at.lineno) for line in lines]


class _Writer:
    """Writes a text with kernels in the place of groups."""

    def __init__(
        self,
        source: str,
        tree: ast.Module,
        lines: LineMap,
        is_by_element: Callable[[ast.Call], bool],
    ) -> None:
        self._is_by_element = is_by_element
        self._old = source.splitlines()
        self._lines = {n: [_Line(text, n)] for n, text in enumerate(self._old, 1)}
        self._kept = set(self._lines)
        self._user = lines
        self._taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self._taken |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        self._taken |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        self._made: list[_Line] = []
        self._decorator = self._fresh("one_kernel")

    def _fresh(self, wish: str) -> str:
        name, count = wish, 1
        while name in self._taken:
            count += 1
            name = f"{wish}_{count}"
        self._taken.add(name)
        return name

    def replace(self, function: ast.FunctionDef, group: Group) -> None:
        """Write a group as a function, and its call where it was."""
        leaves = _Leaves(self._fresh, self._is_by_element)
        body = [leaves.statement(item) for item in group.statements]
        names = {id(part): self._fresh("part") for part in group.parts}
        outputs: list[tuple[str, ast.expr]]
        outputs = [(name, _name(name)) for name in read_later(group, function)]
        if len(outputs) == 1 and not names and target_of(group.statements[-1]) == outputs[0][0]:
            outputs = [(outputs[0][0], body.pop().value)]
        outputs += [(names[id(part)], leaves.value(part)) for part in group.parts]
        kernel = self._fresh(_WISH)
        values = [value for _, value in outputs]
        last = ast.Return(values[0] if len(values) == 1 else ast.Tuple(values, ast.Load()))
        behind = group.behind if group.parts and group.behind else group.statements[-1]
        last.lineno = behind.lineno
        self._made += [
            _Line(""),
            _Line(""),
            *self._kernel(kernel, leaves.parameters, [*body, last]),
        ]
        call = f"{kernel}({', '.join(leaves.arguments)})"
        if not self._place_call(group, [name for name, _ in outputs], call) and group.parts:
            self._name_parts(group, names)

    def _kernel(self, name: str, parameters: list[str], body: list[ast.stmt]) -> list[_Line]:
        decorator = _name(self._decorator)
        args = ast.arguments([], [ast.arg(item) for item in parameters], None, [], [], None, [])
        made = ast.FunctionDef(name, args, body, [decorator])
        printed = print_module(ast.Module([made], []))
        lines = printed.text.rstrip("\n").split("\n")
        return [_Line(*pair) for pair in zip(lines, printed.lines, strict=False)]

    def _place_call(self, group: Group, outputs: list[str], call: str) -> bool:
        """Put the call in; say whether it is all that the statement behind returns."""
        behind = group.behind
        for statement in group.statements:
            self._drop(statement)
        if isinstance(behind, ast.Return) and len(outputs) == len(group.parts):
            value = behind.value
            if (value.elts if isinstance(value, ast.Tuple) else [value]) == group.parts:
                self._instead(behind, f"return {call}")
                return True
        at = behind if group.parts and behind is not None else group.statements[-1]
        self._lines[at.lineno][:0] = _indented(f"{', '.join(outputs)} = {call}", at)
        return False

    def _instead(self, statement: ast.stmt, text: str) -> None:
        self._drop(statement)
        self._lines[statement.lineno] = _indented(text, statement)

    def _drop(self, statement: ast.stmt) -> None:
        for number in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
            self._lines[number] = []
            self._kept.discard(number)

    def _name_parts(self, group: Group, names: dict[int, str]) -> None:
        """Read the parts of the statement behind a group under their names."""
        behind = group.behind
        assert behind is not None
        call = self._lines[behind.lineno][:-1]
        self._instead(behind, to_source(_Named(names).visit(behind)))
        self._lines[behind.lineno][:0] = call

    def done(self, last_import: ast.stmt) -> tuple[str, LineMap]:
        """Return the text and the user's lines behind it."""
        end = last_import.end_lineno or last_import.lineno
        name = self._decorator
        shown = "one_kernel" if name == "one_kernel" else f"one_kernel as {name}"
        made: list[_Line] = []
        for number in range(1, len(self._old) + 1):
            made += self._lines[number]
            if number == end:
                made.append(_Line(f"from srcgrad.runtime.kernels import {shown}"))
        made += self._made  # behind, since branches are told by their places
        place = {line.old: n for n, line in enumerate(made, 1) if line.old in self._kept}
        entries = {
            n: self._user.entries[line.old]
            for n, line in enumerate(made, 1)
            if line.old in self._user.entries
        }
        parts = [
            Part((place[p.start[0]], p.start[1]), (place[p.end[0]], p.end[1]), p.user)
            for p in self._user.parts
            if p.start[0] in place and p.end[0] in place
        ]
        return "\n".join(line.text for line in made) + "\n", LineMap(entries, tuple(parts))


class _Leaves(ast.NodeTransformer):
    """Gives what a group reads of others as parameters."""

    def __init__(
        self, fresh: Callable[[str], str], is_by_element: Callable[[ast.Call], bool]
    ) -> None:
        self._fresh = fresh
        self._is_by_element = is_by_element
        self._known: dict[str, str] = {}
        self._bound: set[str] = set()

    @property
    def parameters(self) -> list[str]:
        return list(self._known.values())

    @property
    def arguments(self) -> list[str]:
        return list(self._known)

    def value(self, node: ast.expr) -> ast.expr:
        """Return a value with parameters in it."""
        found: ast.expr = self.visit(clone(node))
        return found

    def statement(self, node: ast.Assign) -> ast.Assign:
        """Return a statement with parameters in its value, and take note of what it binds."""
        value = self.value(node.value)
        self._bound.add(target_of(node))
        return ast.copy_location(ast.Assign([_name(target_of(node), ast.Store())], value), node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Take a name for a parameter, unless the group has bound it."""
        if node.id not in self._bound:
            self._known.setdefault(node.id, node.id)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Take a part for a parameter."""
        return self._parameter(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Take what another function calculates for a parameter."""
        if not self._is_by_element(node):
            return self._parameter(node)
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Take a field for a parameter, but for a function of NumPy."""
        return node if path_of(node) else self._parameter(node)

    def _parameter(self, node: ast.expr) -> ast.expr:
        text = to_source(node)
        if text not in self._known:
            self._known[text] = self._fresh(_wish(node))
        return _name(self._known[text])


def _wish(node: ast.expr) -> str:
    """Return a name for what a group is given."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    if isinstance(node, ast.Call):
        return (path_of(node.func) or [name_of(node.func)])[-1] or "value"
    return f"{node.id}_part" if isinstance(node, ast.Name) else "part"


class _Named(ast.NodeTransformer):
    """Puts names in the place of expressions."""

    def __init__(self, names: dict[int, str]) -> None:
        self._names = names

    def visit(self, node: ast.AST) -> Any:
        """Return a name for an expression that has one."""
        name = self._names.get(id(node))
        return _name(name) if name else self.generic_visit(node)
