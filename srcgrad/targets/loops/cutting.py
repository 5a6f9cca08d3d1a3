"""Cuts a text in parts that Numba may compile, and a front that stays as it is and calls them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from srcgrad.codegen.printer import print_module
from srcgrad.codegen.tracebacks import LineMap
from srcgrad.ir import gast
from srcgrad.ir.build import call, load, store
from srcgrad.ir.names import free_name
from srcgrad.ir.nodes import Comment
from srcgrad.ir.parsing import gast_parsed
from srcgrad.ir.walk import found_in, walk
from srcgrad.targets.loops.exposed import Exposed, stored_in
from srcgrad.targets.loops.text import behind, put_comments, reached
from srcgrad.targets.loops.written import Written, written_by

_LOOPS: Final = (gast.For, gast.While)
_BLOCKS: Final = ("body", "orelse")
_WHOLE: Final = (gast.Try, gast.FunctionDef, gast.ClassDef)  # in which nothing is cut
_NOT_COMPILED: Final = (
    *_WHOLE,
    gast.Lambda,
    gast.With,
    gast.Yield,
    gast.YieldFrom,
    gast.Global,
    gast.Nonlocal,
    gast.Delete,
    gast.Import,
    gast.ImportFrom,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: a function of the names that it reads, which returns those it binds.

    Attributes:
        name: Its name.
        written: Into what of the things that it is given it may write.
    """

    name: str
    written: Written


@dataclass(frozen=True, slots=True)
class Cut:
    """A text that is cut.

    Attributes:
        source: The text: parts, functions, and what calls them.
        lines: The user's lines behind it.
        pieces: The parts.
        fronts: The helpers that call parts; they have names of their own.
        left: The lines, in the text that was cut, of loops that hold no part and are none.
    """

    source: str
    lines: LineMap
    pieces: tuple[Piece, ...]
    fronts: tuple[str, ...]
    left: tuple[int, ...]


def cut(
    source: str,
    entry: str,
    lines: LineMap,
    is_kept: Callable[[Any], bool],
    taken: Mapping[str, Any],
) -> Cut | None:
    """Return a text in parts; None if there is no part with a loop.

    Args:
        source: The text for NumPy.
        entry: The function for calls.
        lines: The user's lines behind the text.
        is_kept: Whether a statement, without those in it, is known not to be compiled.
        taken: The names that parts may not have.
    """
    tree = gast_parsed(source)
    put_comments(tree, source)
    functions = {item.name: item for item in tree.body if isinstance(item, gast.FunctionDef)}
    functions = {name: functions[name] for name in reached(entry, functions)}
    kept = _kept(functions, is_kept)
    if entry not in kept:
        return None
    names = {*taken, *functions, *(node.id for node in found_in(tree, gast.Name))}
    cutters = []
    for name, function in functions.items():
        if name == entry or name in kept:
            cutters.append(_Cutter(function, functions, kept, is_kept, names))
            cutters[-1].cut()
    pieces = [piece for cutter in cutters for piece in cutter.pieces]
    handed = _handed_on([functions[name] for name in {entry, *kept}], functions) - kept
    pieces += [Piece(name, _written_into(functions[name], functions)) for name in sorted(handed)]
    if not pieces:
        return None
    fronts = {name: free_name(f"{name}_in_parts", names) for name in sorted(kept - {entry})}
    new = fronts | {name: free_name(f"{name}_part", names) for name in sorted(handed)}
    _rename(functions, new)
    pieces = [replace(piece, name=new.get(piece.name, piece.name)) for piece in pieces]
    made = [item for cutter in cutters for item in cutter.made]
    _rename({item.name: item for item in made}, new)
    others = [item for item in functions.values() if item.name != entry]
    head = [item for item in tree.body if not isinstance(item, gast.FunctionDef)]
    printed = print_module(gast.Module([*head, *made, *others, functions[entry]], []))
    left = tuple(line for cutter in cutters for line in cutter.left)
    owners = behind(printed.statements, lines)
    return Cut(printed.text, owners, tuple(pieces), tuple(fronts.values()), left)


def _kept(functions: Mapping[str, Any], is_kept: Callable[[Any], bool]) -> set[str]:
    """Return the functions that are not compiled: those that hold, or call, what is not."""
    kept = {
        name
        for name, function in functions.items()
        if any(
            isinstance(node, _NOT_COMPILED) or (isinstance(node, gast.stmt) and is_kept(node))
            for part in function.body
            for node in walk(part)
        )
    }
    while True:
        more = {
            name
            for name, function in functions.items()
            if name not in kept and kept & {node.id for node in found_in(function, gast.Name)}
        }
        if not more:
            return kept
        kept |= more


def _holds_kept(statement: Any, is_kept: Callable[[Any], bool], names: set[str]) -> bool:
    """Say whether a statement is not compiled, or holds one that is not."""
    if isinstance(statement, Comment):
        return False
    for node in walk(statement):
        if isinstance(node, (*_NOT_COMPILED, gast.Return)):
            return True
        if isinstance(node, gast.stmt) and is_kept(node):
            return True
    return bool(names & {node.id for node in found_in(statement, gast.Name)})


def _handed_on(kept: Sequence[Any], functions: Collection[str]) -> set[str]:
    """Return the functions of a text that what is not compiled hands on, as steps of a loop are."""
    found: set[str] = set()
    for function in kept:
        called = [id(node.func) for node in found_in(function, gast.Call)]
        names = [node for node in found_in(function, gast.Name) if id(node) not in called]
        found |= {node.id for node in names if isinstance(node.ctx, gast.Load)}
    return found & set(functions)


def _written_into(function: Any, functions: Collection[str]) -> Written:
    """Return what a whole function may write into."""
    given = {item.id for item in found_in(function.args, gast.Name)}
    returned = [node.value for node in found_in(function, gast.Return) if node.value is not None]
    back = {item.id for value in returned for item in found_in(value, gast.Name)}
    return written_by(function.body, given, back, set(functions))


def _rename(functions: Mapping[str, Any], new: Mapping[str, str]) -> None:
    """Give functions that are parts, or call parts, names of their own, also where they are met."""
    for function in functions.values():
        function.name = new.get(function.name, function.name)
        for node in found_in(function, gast.Name):
            node.id = new.get(node.id, node.id)


class _Cutter:
    """Cuts one function.

    Attributes:
        pieces: The parts that were made.
        made: Their definitions.
        left: The lines of loops that hold no part.
    """

    def __init__(
        self,
        function: Any,
        functions: Mapping[str, Any],
        kept: set[str],
        is_kept: Callable[[Any], bool],
        taken: set[str],
    ) -> None:
        self._function = function
        self._kept, self._is_kept = kept, is_kept
        self._with_loops = {
            name for name, item in functions.items() if found_in(item, *_LOOPS) and name not in kept
        }
        self._functions = set(functions)
        self._taken = taken
        given = [item.id for item in found_in(function.args, gast.Name)]
        order = [*given, *(node.id for node in found_in(function, gast.Name))]
        own = {*given, *stored_in([function])}
        self._order = {name: k for k, name in enumerate(dict.fromkeys(order)) if name in own}
        self._bound = set(given)
        self.pieces: list[Piece] = []
        self.made: list[Any] = []
        self.left: list[int] = []

    def cut(self) -> None:
        """Rewrite the function in place."""
        body = self._function.body
        self._function.body = self._block(body, set(self._bound), set())

    def _block(self, body: Sequence[Any], bound: set[str], live: set[str]) -> list[Any]:
        done: list[Any] = []
        run: list[Any] = []
        for place, statement in enumerate(body):
            if self._is_fit(statement, in_loop=False):
                run.append(statement)
                continue
            after = Exposed().take(body[place:]).reads | live
            done += self._flushed(run, bound, after)
            bound = Exposed(set(), set(bound)).take(run).bound
            run = []
            after = Exposed().take(body[place + 1 :]).reads | live
            done.append(self._inside(statement, bound, after))
            bound = Exposed(set(), set(bound)).take([statement]).bound
        return [*done, *self._flushed(run, bound, live)]

    def _is_fit(self, statement: Any, *, in_loop: bool) -> bool:
        if isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Constant):
            return False  # what says what the function does
        if isinstance(statement, (gast.Break, gast.Continue)):
            return in_loop
        if _holds_kept(statement, self._is_kept, self._kept):
            return False
        in_loop = in_loop or isinstance(statement, _LOOPS)
        inner = [item for name in _BLOCKS for item in getattr(statement, name, [])]
        return all(self._is_fit(item, in_loop=in_loop) for item in inner)

    def _inside(self, statement: Any, bound: set[str], after: set[str]) -> Any:
        """Cut what is inside of a statement that stays."""
        if isinstance(statement, _WHOLE):
            return statement
        count = len(self.pieces)
        again = isinstance(statement, _LOOPS)
        if again:
            after = after | Exposed().take([statement]).reads
        if isinstance(statement, gast.For):
            bound = bound | stored_in([statement.target])
        for name in _BLOCKS:
            block = getattr(statement, name, None)
            if block:
                setattr(statement, name, self._block(block, bound, after))
        called = self._kept & {node.id for node in found_in(statement, gast.Name)}
        if again and len(self.pieces) == count and not called:
            self.left.append(statement.lineno)
        return statement

    def _flushed(self, run: list[Any], bound: set[str], live: set[str]) -> list[Any]:
        """Return statements in a row as the call of a part, or themselves."""
        first = next((k for k, item in enumerate(run) if self._begins(item)), len(run))
        last = next((k for k, item in enumerate(reversed(run)) if self._begins(item)), 0)
        before, run, after = run[:first], run[first : len(run) - last], run[len(run) - last :]
        if not any(map(self._loops, run)):
            return [*before, *run, *after]
        bound = Exposed(set(), set(bound)).take(before).bound
        live = live | Exposed().take(after).reads
        found = Exposed().take(run)
        reads = found.reads & self._order.keys()
        gives = stored_in(run) & live
        reads |= gives - found.bound
        written = written_by(run, reads, gives, self._functions)
        if not reads <= bound or stored_in(run) & written.lists:  # or a name that has no value
            self.left += [item.lineno for item in run if found_in(item, *_LOOPS)]
            return [*before, *run, *after]
        given, back = (sorted(names, key=self._order.__getitem__) for names in (reads, gives))
        name = free_name(f"{self._function.name}_part", self._taken)
        self.pieces.append(Piece(name, written))
        self.made.append(_definition(name, self._function.name, given, run, back))
        return [*before, _call(name, given, back, run[0].lineno), *after]

    def _begins(self, statement: Any) -> bool:
        """Say whether a part may begin, or end, with a statement, which then computes something."""
        if isinstance(statement, gast.Assign) and isinstance(statement.value, gast.Name):
            return False
        return not isinstance(statement, (Comment, gast.Expr)) or self._loops(statement)

    def _loops(self, statement: Any) -> bool:
        called = {node.id for node in found_in(statement, gast.Name)}
        return bool(found_in(statement, *_LOOPS)) or bool(called & self._with_loops)


def _definition(
    name: str, whole: str, given: Sequence[str], run: Sequence[Any], back: Sequence[str]
) -> Any:
    said = gast.Expr(gast.Constant(f"Part of `{whole}`.", None))
    body = [said, *run]
    if back:
        names = list(map(load, back))
        body.append(gast.Return(names[0] if len(names) == 1 else gast.Tuple(names, gast.Load())))
        body[-1].lineno = run[-1].lineno
    parameters = [gast.Name(item, gast.Param(), None, None) for item in given]
    arguments = gast.arguments(parameters, [], None, [], [], None, [])
    found = gast.FunctionDef(name, arguments, body, [], None, None)
    found.lineno = run[0].lineno
    return found


def _call(name: str, given: Sequence[str], back: Sequence[str], line: int) -> Any:
    value = call(name, *map(load, given))
    targets = list(map(store, back))
    target = targets[0] if len(targets) == 1 else gast.Tuple(targets, gast.Store())
    found = gast.Assign([target], value, None) if targets else gast.Expr(value)
    found.lineno = line
    return found
