"""Makes a program that fails smaller, as long as it fails in the same way."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator
from copy import deepcopy

from tests.fuzz.modules import Program

Fails = Callable[[Program], bool]
Trees = dict[str, ast.Module]


class Shrinker:
    """Tries smaller programs until none fails, or the time is over."""

    def __init__(self, program: Program, fails: Fails, seconds: float) -> None:
        self.trees: Trees = {name: ast.parse(text) for name, text in program.modules.items()}
        self.seed = program.seed
        self.fails = fails
        self.until = time.monotonic() + seconds

    def shrunk(self) -> Program:
        """Return the smallest program found."""
        steps = (self._modules, self._statements, self._parameters, self._blocks, self._expressions)
        progress = True
        while progress and time.monotonic() < self.until:
            progress = False
            for step in steps:
                while time.monotonic() < self.until and step():
                    progress = True
        return program_of(self.trees, self.seed)

    def _try(self, trees: Trees) -> bool:
        if time.monotonic() > self.until:
            return False
        try:
            program = program_of(trees, self.seed)
            for name, text in program.modules.items():
                compile(text, name, "exec")
        except (SyntaxError, ValueError, RecursionError):
            return False
        if not self.fails(program):
            return False
        self.trees = {name: ast.parse(text) for name, text in program.modules.items()}
        return True

    # -- steps: each says whether it made the program smaller

    def _modules(self) -> bool:
        for name in list(self.trees):
            if name == "main":
                continue
            trees = deepcopy(self.trees)
            del trees[name]
            for tree in trees.values():
                tree.body = [s for s in tree.body if not _imports(s, name)]
            if self._try(trees):
                return True
        return False

    def _statements(self) -> bool:
        """Drop statements, many at once first."""
        found = False
        for size in (8, 4, 2, 1):
            place = self._count(_bodies) - 1
            while place >= 0 and time.monotonic() < self.until:
                length = len(self._body(place))
                for first in range(length - size, -1, -1) if length >= size else ():
                    trees = deepcopy(self.trees)
                    body = list(_bodies(trees))[place]
                    if first + size > len(body):
                        continue
                    if any(_stays(s) for s in body[first : first + size]):
                        continue
                    body[first : first + size] = [] if len(body) > size else [ast.Pass()]
                    if isinstance(self._body(place)[first], ast.Pass) and size == 1 and length == 1:
                        continue
                    if self._try(trees):
                        found = True
                place = min(place, self._count(_bodies)) - 1
        return found

    def _blocks(self) -> bool:
        """Put what is in a block in the place of its statement."""
        for place in range(self._count(_bodies)):
            for first, statement in enumerate(self._body(place)):
                for inner in _inner_bodies(statement):
                    trees = deepcopy(self.trees)
                    body = list(_bodies(trees))[place]
                    body[first : first + 1] = deepcopy(inner)
                    if self._try(trees):
                        return True
                if isinstance(statement, ast.Try):
                    for drop in ("orelse", "finalbody", "handlers"):
                        trees = deepcopy(self.trees)
                        target = list(_bodies(trees))[place][first]
                        if getattr(target, drop):
                            setattr(target, drop, [])
                            if self._try(trees):
                                return True
        return False

    def _parameters(self) -> bool:
        """Drop parameters of `program` with their arguments."""
        main = _functions(self.trees["main"])
        for place in range(len(main["program"].args.args) - 1, -1, -1):
            trees = deepcopy(self.trees)
            functions = _functions(trees["main"])
            returned = functions["arguments"].body[0]
            if len(main["program"].args.args) == 1:
                return False
            del functions["program"].args.args[place]
            del returned.value.elts[place]  # type: ignore[attr-defined]
            if self._try(trees):
                return True
        return False

    def _expressions(self) -> bool:
        """Put a part of an expression, or a number, in its place."""
        found = False
        place = 0
        while time.monotonic() < self.until:
            nodes = list(_expressions(self.trees))
            if place >= len(nodes):
                break
            options = len(_smaller(nodes[place][2]))
            for option in range(options):
                trees = deepcopy(self.trees)
                parent, field, node = list(_expressions(trees))[place]
                _replace(parent, field, node, _smaller(node)[option])
                if self._try(trees):
                    found = True
                    place -= 1
                    break
            place += 1
        return found

    # -- where

    def _count(self, of: Callable[[Trees], Iterator[list[ast.stmt]]]) -> int:
        return len(list(of(self.trees)))

    def _body(self, place: int) -> list[ast.stmt]:
        bodies = list(_bodies(self.trees))
        return bodies[place] if place < len(bodies) else []


def program_of(trees: Trees, seed: int) -> Program:
    """Return the program of some trees."""
    return Program({name: ast.unparse(tree) + "\n" for name, tree in trees.items()}, seed)


def _imports(statement: ast.stmt, name: str) -> bool:
    if not isinstance(statement, ast.ImportFrom) or not statement.level:
        return False
    return statement.module == name or any(alias.name == name for alias in statement.names)


def _stays(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef) and statement.name in (
        "program",
        "arguments",
        "outside",
    )


def _bodies(trees: Trees) -> Iterator[list[ast.stmt]]:
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == "arguments":
                continue
            for field in ("body", "orelse", "finalbody"):
                body = getattr(node, field, None)
                if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                    yield body


def _inner_bodies(statement: ast.stmt) -> list[list[ast.stmt]]:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return []
    found = [getattr(statement, field, None) for field in ("body", "orelse", "finalbody")]
    found += [h.body for h in getattr(statement, "handlers", ())]
    found += [case.body for case in getattr(statement, "cases", ())]
    return [body for body in found if body]


def _functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {s.name: s for s in tree.body if isinstance(s, ast.FunctionDef)}


def _expressions(trees: Trees) -> Iterator[tuple[ast.AST, str, ast.expr]]:
    for tree in trees.values():
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef) and statement.name in (
                "arguments",
                "outside",
            ):
                continue
            for parent in ast.walk(statement):
                for field, value in ast.iter_fields(parent):
                    for item in value if isinstance(value, list) else [value]:
                        if (
                            isinstance(item, ast.expr)
                            and not isinstance(item, (ast.Name, ast.Constant))
                            and not isinstance(getattr(item, "ctx", None), (ast.Store, ast.Del))
                        ):
                            yield parent, field, item


def _smaller(node: ast.expr) -> list[ast.expr]:
    """Return what may stand in the place of an expression."""
    parts = [item for item in ast.iter_child_nodes(node) if isinstance(item, ast.expr)]
    parts = [p for p in parts if isinstance(getattr(p, "ctx", ast.Load()), ast.Load)]
    if isinstance(node, ast.Call):
        parts = [*node.args, *(k.value for k in node.keywords)]
        if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
            parts.append(node.func.value)
    if isinstance(node, (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp)):
        parts = []
    if not isinstance(node, (ast.Attribute, ast.Slice, ast.UnaryOp, ast.Starred)):
        parts.append(ast.Constant(0.5))
    return [p for p in parts if not isinstance(p, (ast.Slice, ast.Starred))]


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("np", "math", "aid", "base")


def _replace(parent: ast.AST, field: str, old: ast.expr, new: ast.expr) -> None:
    value = getattr(parent, field)
    if isinstance(value, list):
        value[value.index(old)] = new
    else:
        setattr(parent, field, new)
