"""Makes a variant of generated text that shows every value it computes to a watcher."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import CodeType, ModuleType
from typing import Any, Final, Literal, Protocol
from weakref import WeakKeyDictionary

from srcgrad.compiler import Generated
from srcgrad.parsing import expression_of, parsed

Kind = Literal["enter", "assign", "update", "store", "return", "append", "loop", "trip", "backward"]
_WATCH: Final = "__srcgrad_watch__"


@dataclass(frozen=True, slots=True)
class Site:
    """A place in generated text where a value is shown.

    Attributes:
        kind: "enter" (a function), "assign", "update" (of ``x += v``: `v` before, and then `x`),
            "store" (into an element), "return", "append" (to a list), "loop" (before it begins),
            "trip" (a trip of it begins), "backward" (the forward part has ended).
        function: The generated function.
        line: The generated line.
        names: What is bound.
        value: The expression, if it is one.
        loops: The loops around, by the number of their sites.
        done: Whether an update has been done, and not only its value been computed.
        backward: Whether it lies in the backward pass.
        number: Its own number; for a loop, that of the trips in it.
    """

    kind: Kind
    function: str
    line: int
    names: tuple[str, ...] = ()
    value: ast.expr | None = None
    loops: tuple[int, ...] = ()
    done: bool = False
    backward: bool = False
    number: int = 0


class Watcher(Protocol):
    """Is shown the values."""

    def watch(self, site: Site, value: Any, variables: dict[str, Any]) -> None:
        """Look at a value, where `variables` are those before it is bound."""


@dataclass(frozen=True, slots=True)
class Instrumented:
    """The variant of one module: its code, and the places where it shows values."""

    code: CodeType
    sites: tuple[Site, ...]

    def functions(self, module: ModuleType, watcher: Watcher) -> dict[str, Any]:
        """Return the names of a fresh run of the module, whose functions show all to `watcher`."""
        sites = self.sites

        def watch(number: int, value: Any, variables: dict[str, Any]) -> Any:
            watcher.watch(sites[number], value, variables)
            return value

        names = {**vars(module), _WATCH: watch}
        exec(self.code, names)  # noqa: S102 - our own text
        for name, before in vars(module).items():
            made: Any = names.get(name)
            if getattr(made, "__globals__", None) is names:
                made.__defaults__ = before.__defaults__
                made.__kwdefaults__ = before.__kwdefaults__
            else:
                names[name] = before  # as the loader has bound it
        return names


_KNOWN: Final[WeakKeyDictionary[ModuleType, Instrumented]] = WeakKeyDictionary()


def instrumented(generated: Generated, module: ModuleType) -> Instrumented:
    """Return the variant of a generated module; its lines are those of the module's file."""
    if module not in _KNOWN:
        tree = parsed(generated.source)
        writer = _Writer(generated.layout, generated.inlined)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                writer.function(node)
        ast.fix_missing_locations(tree)
        code = compile(tree, module.__file__ or "<generated>", "exec", dont_inherit=True)
        _KNOWN[module] = Instrumented(code, tuple(writer.sites))
    return _KNOWN[module]


class _Writer:
    """Rewrites functions.

    `layout` says how many statements of each come before its backward pass, `inlined` which
    adjoints stand where they are read.
    """

    def __init__(self, layout: Mapping[str, int], inlined: Mapping[str, Mapping[str, str]]) -> None:
        self.sites: list[Site] = []
        self._inlined = inlined
        self._layout = layout
        self._function = ""
        self._loops: tuple[int, ...] = ()
        self._backward = False

    def function(self, node: ast.FunctionDef) -> None:
        """Rewrite a function in place."""
        self._function = node.name
        start = self._layout.get(node.name)
        self._backward = start == 0
        texts = self._inlined.get(node.name, {})
        self._adjoints = {_canonical(text): name for text, name in texts.items()}
        body: list[ast.stmt] = []
        entered = self._shown(node.body[0], "enter")
        for place, statement in enumerate(node.body):
            if place == start and start:
                self._backward = True
                body.append(self._shown(statement, "backward"))
            body.extend(self._statement(statement))
        has_docstring = ast.get_docstring(node) is not None
        body.insert(1 if has_docstring else 0, entered)
        node.body = body

    def _block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        return [item for statement in block for item in self._statement(statement)]

    def _statement(self, node: ast.stmt) -> Iterator[ast.stmt]:
        if isinstance(node, (ast.For, ast.While)):
            yield from self._loop(node)
            return
        for name in ("body", "orelse", "finalbody"):
            if getattr(node, name, None):
                setattr(node, name, self._block(getattr(node, name)))
        for handler in getattr(node, "handlers", ()):
            handler.body = self._block(handler.body)
        if isinstance(node, ast.Assign):
            is_store = isinstance(node.targets[0], ast.Subscript)
            names = tuple(name for target in node.targets for name in _names(target))
            node.value = self._watched(node.value, "store" if is_store else "assign", names)
        elif isinstance(node, ast.AugAssign):
            is_store = isinstance(node.target, ast.Subscript)
            names = tuple(_names(node.target))
            node.value = self._watched(node.value, "store" if is_store else "update", names)
        elif isinstance(node, ast.Return) and node.value is not None:
            node.value = self._watched(node.value, "return", ())
        elif isinstance(node, ast.Expr):
            self._appended(node.value)
        yield node
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
            yield self._shown(node, "update", (name,), ast.Name(name, ast.Load()), done=True)

    def _with_adjoints(self, value: ast.expr) -> Any:
        """Return an expression that shows each adjoint which is computed inside of it."""
        if not self._adjoints or not self._backward:
            return value
        found = {
            id(node): name
            for node in ast.walk(value)
            if isinstance(node, ast.expr) and (name := self._adjoints.pop(ast.dump(node), ""))
        }
        return self._shown_inside(value, found) if found else value

    def _shown_inside(self, value: Any, found: Mapping[int, str]) -> Any:
        """Return a copy of a tree whose parts in `found` are shown by their names."""
        if isinstance(value, list):
            return [self._shown_inside(item, found) for item in value]
        if not isinstance(value, ast.AST):
            return value
        parts = {name: self._shown_inside(part, found) for name, part in ast.iter_fields(value)}
        new: Any = ast.copy_location(type(value)(**parts), value)
        if not isinstance(value, ast.expr) or id(value) not in found:
            return new
        return self._call(self._site(value, "assign", (found[id(value)],)), new, value)

    def _loop(self, node: ast.For | ast.While) -> Iterator[ast.stmt]:
        yield self._shown(node, "loop")
        outer, self._loops = self._loops, (*self._loops, len(self.sites) - 1)
        names = tuple(_names(node.target)) if isinstance(node, ast.For) else ()
        value = None
        if names:
            value = ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())
        trip = self._shown(node, "trip", names, value)
        node.body = [trip, *self._block(node.body)]
        self._loops = outer
        node.orelse = self._block(node.orelse)
        yield node

    def _appended(self, call: ast.expr) -> None:
        func = getattr(call, "func", None)
        if not isinstance(call, ast.Call) or not isinstance(func, ast.Attribute):
            return
        if func.attr == "append" and isinstance(func.value, ast.Name) and len(call.args) == 1:
            call.args[0] = self._watched(call.args[0], "append", (func.value.id,))

    def _watched(self, value: ast.expr, kind: Kind, names: Sequence[str]) -> ast.expr:
        return self._call(self._site(value, kind, names), self._with_adjoints(value), value)

    def _site(self, value: ast.expr, kind: Kind, names: Sequence[str]) -> Site:
        return Site(
            kind,
            self._function,
            value.lineno,
            tuple(names),
            value,
            self._loops,
            backward=self._backward,
        )

    def _shown(
        self,
        like: ast.stmt,
        kind: Kind,
        names: Sequence[str] = (),
        value: ast.expr | None = None,
        *,
        done: bool = False,
    ) -> ast.stmt:
        site = Site(
            kind,
            self._function,
            like.lineno,
            tuple(names),
            None,
            self._loops,
            done,
            self._backward,
        )
        shown = value if value is not None else ast.Constant(None)
        return ast.copy_location(ast.Expr(self._call(site, shown, like)), like)

    def _call(self, site: Site, value: ast.expr, like: ast.AST) -> ast.expr:
        self.sites.append(replace(site, number=len(self.sites)))
        number = ast.Constant(len(self.sites) - 1)
        variables = ast.Call(ast.Name("locals", ast.Load()), [], [])
        call = ast.Call(ast.Name(_WATCH, ast.Load()), [number, value, variables], [])
        return ast.copy_location(call, like)


def _canonical(text: str) -> str:
    return ast.dump(expression_of(text))


def _names(target: ast.expr) -> Iterator[str]:
    """Yield the names that a target binds, or whose memory it writes into."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            yield from _names(item)
    elif isinstance(target, (ast.Subscript, ast.Attribute, ast.Starred)):
        yield from _names(target.value)
