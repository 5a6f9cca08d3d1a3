"""Measures the structure of the package: lengths, imports, messages of errors, docstrings."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "srcgrad"

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the package: its path, dotted name, text, tree, and all nodes of that."""

    path: Path
    module: str
    text: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", tuple(ast.walk(self.tree)))  # each rule looks at them

    def at(self, node: ast.AST | None = None) -> str:
        """Return `file:line` for a message."""
        line = getattr(node, "lineno", 1)
        return f"{self.path.relative_to(ROOT)}:{line}"


def read(path: Path) -> Source:
    """Read and parse one file below the root."""
    text = path.read_text(encoding="utf-8")
    parts = path.relative_to(ROOT).with_suffix("").parts
    module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Source(path, module, text, ast.parse(text))


@functools.cache
def package() -> tuple[Source, ...]:
    """Return every file of the package in a fixed order, each read once."""
    return tuple(read(path) for path in sorted(PACKAGE.rglob("*.py")))


def functions(source: Source) -> Iterator[FunctionNode]:
    """Yield every function, inner ones and methods included."""
    for node in source.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def length(node: FunctionNode) -> int:
    """Return the number of lines from `def` to the end."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def class_lengths(sources: Sequence[Source]) -> dict[str, int]:
    """Return the lines of each class, with those of all classes of ours that it is made of."""
    classes = {
        f"{s.module}.{node.name}": (s, node)
        for s in sources
        for node in s.nodes
        if isinstance(node, ast.ClassDef)
    }

    def family(name: str) -> set[str]:
        source, node = classes[name]
        named = {**_imported_names(source), **_own_names(source)}
        bases = [named.get(base.id, "") for base in node.bases if isinstance(base, ast.Name)]
        return {name}.union(*(family(base) for base in bases if base in classes))

    def lines(name: str) -> int:
        node = classes[name][1]
        return (node.end_lineno or node.lineno) - node.lineno + 1

    return {name: sum(map(lines, family(name))) for name in classes}


def _imported_names(source: Source) -> dict[str, str]:
    return {
        item.asname or item.name: f"{node.module}.{item.name}"
        for node in source.nodes
        if isinstance(node, ast.ImportFrom)
        for item in node.names
    }


def _own_names(source: Source) -> dict[str, str]:
    kinds = (node for node in source.tree.body if isinstance(node, ast.ClassDef))
    return {node.name: f"{source.module}.{node.name}" for node in kinds}


def imports(source: Source, modules: frozenset[str]) -> frozenset[str]:
    """Return which of `modules` a file imports, anywhere in it but under TYPE_CHECKING.

    A package that is passed on the way to a submodule does not count: Python allows that.
    """
    found: set[str] = set()
    skipped = {id(n) for block in _typing_blocks(source) for n in ast.walk(block)}
    for node in source.nodes:
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in modules else node.module)
    return frozenset(found & modules) - {source.module}


def cycles(graph: dict[str, frozenset[str]]) -> list[list[str]]:
    """Return every group of modules that import each other (strongly connected components).

    >>> cycles({"a": frozenset("b"), "b": frozenset("a"), "c": frozenset("a")})
    [['a', 'b']]
    """
    reach = {name: _reachable(graph, name) for name in graph}
    groups = {
        tuple(sorted({other for other in seen if name in reach[other]}))
        for name, seen in reach.items()
        if name in seen
    }
    return [list(group) for group in sorted(groups)]


def _reachable(graph: dict[str, frozenset[str]], start: str) -> frozenset[str]:
    """Return what can be reached from `start` by at least one import."""
    seen: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(graph[name])
    return frozenset(seen)


def _typing_blocks(source: Source) -> Iterator[ast.If]:
    """Yield the `if TYPE_CHECKING:` statements."""
    for node in source.nodes if "TYPE_CHECKING" in source.text else ():
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            yield node


def silent_raises(source: Source) -> Iterator[ast.Raise]:
    """Yield each `raise Class` and `raise Class()`: an error without words."""
    for node in source.nodes:
        if not isinstance(node, ast.Raise) or node.exc is None:
            continue
        called = isinstance(node.exc, ast.Call)
        if called and not (node.exc.args or node.exc.keywords):  # type: ignore[attr-defined]
            yield node
        if isinstance(node.exc, ast.Name) and node.exc.id[:1].isupper():
            yield node


def undocumented(source: Source) -> Iterator[ast.AST]:
    """Yield the module, public classes and public functions that have no docstring."""
    if not ast.get_docstring(source.tree):
        yield source.tree
    for node in source.tree.body:
        if not isinstance(node, FunctionNode | ast.ClassDef) or node.name.startswith("_"):
            continue
        told = any(_tells(item) for item in node.decorator_list)
        if not told and not ast.get_docstring(node):
            yield node


def _tells(decorator: ast.expr) -> bool:
    """Say whether a decorator says what a function is: an overload, or the formula of a rule."""
    if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute):
        owner = getattr(decorator.func.value, "id", "")
        return owner == "table" and decorator.func.attr in ("slope", "partials")
    return getattr(decorator, "id", "") == "overload"
