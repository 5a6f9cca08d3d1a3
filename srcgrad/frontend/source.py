"""Finds the text, the file and the tree of a function, or says why it cannot."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any, Final

from srcgrad.errors import (
    InternalError,
    NotDifferentiableError,
    SourceNotFoundError,
    UnsupportedSyntaxError,
)
from srcgrad.frontend.left_out import without_parts
from srcgrad.frontend.loaded import is_as_loaded
from srcgrad.frontend.private_names import with_private_names
from srcgrad.frontend.surgery import with_edits
from srcgrad.frontend.weak_memory import PerFunction
from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.depth import deeply
from srcgrad.ir.names import identifier
from srcgrad.ir.scopes import Binding
from srcgrad.ir.walk import found_in
from srcgrad.parsing import parsed
from srcgrad.spans import Span, letters, printable


@dataclass(frozen=True, slots=True)
class Entry:
    """A step of a path into a list, tuple or dict."""

    key: Any


Path = tuple[str | Entry, ...]
"""The attributes and entries that lead from an argument to what is held in it."""


@dataclass(slots=True)
class Leaves:
    """The fields of an argument that are read, each as a variable of its own, by their paths.

    Attributes:
        parameter: The name of the argument, or of what is outside.
        names: The variables.
        kinds: What is known of some of them, as of arguments: whether it is a vector, and so on.
        floats: Those that are arrays of floats.
        is_held: Whether these are fields that are written, of an object without derivatives.
        path: The steps to that object.
        binding: What the name means, of a variable that is one outside.
    """

    parameter: str
    names: dict[Path, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    floats: set[str] = field(default_factory=set)
    is_held: bool = False
    path: Path = ()
    binding: Binding | None = None


_ATTACHED: Final = "__srcgrad_source__"


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """A Python function with its parsed source; lines and columns are those of the user's file.

    Attributes:
        temporaries: The variables that the user did not name, in a function of our own making.
        leaves: The arguments that are differentiated field by field.
        results: The variables that keep what a function in its place has returned: they are bound.
        stands_for: The function that one of our own making does the same as.
    """

    function: FunctionType
    tree: Any
    file: str
    lines: tuple[str, ...]
    temporaries: frozenset[str] = frozenset()
    leaves: tuple[Leaves, ...] = ()
    results: frozenset[str] = frozenset()
    stands_for: FunctionType | None = None

    @property
    def users(self) -> Any:
        """The function as the user has written it, if there is one."""
        return self.stands_for if is_made(self.function) else self.function

    @property
    def fields(self) -> dict[str, str]:
        """The variables of fields, which are read before all else, each with what holds it."""
        return {name: item.parameter for item in self.leaves for name in item.names.values()}

    @property
    def name(self) -> str:
        """The name to derive generated names from."""
        name = self.function.__name__
        return "function" if name == "<lambda>" else identifier(name)

    def line(self, number: int) -> str:
        """Return one line of the user's file, or an empty string."""
        return printable(self.lines[number - 1]) if 0 < number <= len(self.lines) else ""

    def span(self, node: Any) -> Span:
        """Return the place of a tree node."""
        line = getattr(node, "lineno", None) or self.tree.lineno
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        column = letters(text, getattr(node, "col_offset", 0) or 0)
        one_line = getattr(node, "end_lineno", line) == line
        end = getattr(node, "end_col_offset", None) if one_line else None
        end = None if end is None else letters(text, end)
        return Span(self.file, line, column, end, printable(text).rstrip("\n"))


@deeply
def find_source(function: Callable[..., Any]) -> FunctionSource:
    """Return the source of a plain Python function.

    Raises:
        SourceNotFoundError: It is written in C, or its text is not to be found or not to be told
            apart from another function's.
        UnsupportedSyntaxError: It is a generator or a coroutine.
    """
    if not isinstance(function, FunctionType):
        raise SourceNotFoundError(
            f"`{_describe(function)}` is not a Python function with source",
            hint="wrap it in a `def`, or write a `Function` with its derivative",
        )
    attached: FunctionSource | None = getattr(function, _ATTACHED, None)
    if attached is not None:
        return attached
    _refuse_generators(function)
    return _source_of(function)


@deeply
def find_generator(function: FunctionType) -> FunctionSource:
    """Return the source of a generator.

    Raises:
        SourceNotFoundError: Its text is not to be found, or not to be told apart.
    """
    return _source_of(function)


def _source_of(function: FunctionType) -> FunctionSource:
    code = function.__code__
    linecache.checkcache(code.co_filename)  # a module that was reloaded has a new text
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines or code.co_firstlineno > len(lines):
        raise SourceNotFoundError(
            f"the source of `{function.__qualname__}` cannot be found in {code.co_filename!r}",
            hint="define it in a file or a notebook cell, not through `exec` or the plain prompt",
        )
    parsed = _parsed(function, lines)
    tree = clone(parsed.tree)  # passes write into it
    with_edits(tree, function)
    without_parts(tree, code.co_filename)
    return FunctionSource(function, tree, code.co_filename, parsed.text)


def attach(function: FunctionType, source: FunctionSource) -> None:
    """Say what the source of a function of our own making is."""
    setattr(function, _ATTACHED, source)


def is_made(function: FunctionType) -> bool:
    """Say whether a function is of our own making, so that its text stands in no file."""
    return hasattr(function, _ATTACHED)


@PerFunction
def has_source(function: FunctionType) -> bool:
    """Say whether the source of a function can be found."""
    try:
        find_source(function)
    except SourceNotFoundError:
        return False
    except UnsupportedSyntaxError:
        return True
    return True


def _describe(thing: Any) -> str:
    return getattr(thing, "__qualname__", None) or type(thing).__qualname__


def refuse_generators(function: Callable[..., Any]) -> None:
    """Refuse a function to differentiate that has no value: a generator or a coroutine.

    Raises:
        NotDifferentiableError: It is one.
    """
    kind = _kind_of(function)
    if kind and not hasattr(function, _ATTACHED):
        name = getattr(function, "__qualname__", "")
        raise NotDifferentiableError(
            f"`{name}` is {kind}: it has no value to differentiate",
            hint="return an array or a number instead",
            span=_first_line(function),
        )


def _refuse_generators(function: FunctionType) -> None:
    kind = _kind_of(function)
    if kind:
        raise UnsupportedSyntaxError(
            f"`{function.__qualname__}` is {kind}, not all values of which are taken at its call",
            hint="loop over it, or make a list of it",
            span=_first_line(function),
        )


def _kind_of(function: Any) -> str:
    """Say what a function is that returns no value of its own, or nothing."""
    kinds = {
        "a generator": inspect.isgeneratorfunction,
        "a coroutine": inspect.iscoroutinefunction,
        "an asynchronous generator": inspect.isasyncgenfunction,
    }
    return next((kind for kind, is_one in kinds.items() if is_one(function)), "")


def _first_line(function: Any) -> Span:
    code = function.__code__
    text = linecache.getline(code.co_filename, code.co_firstlineno).rstrip("\n")
    return Span(code.co_filename, code.co_firstlineno, text=text)


@dataclass(frozen=True, slots=True)
class _Parsed:
    """The tree of a piece of code, and the lines of the file that it was found in."""

    code: CodeType
    lines: list[str]
    text: tuple[str, ...]
    tree: Any


_PARSED: Final[dict[int, _Parsed]] = {}
_MOST_PARSED: Final = 1000


def _parsed(function: FunctionType, lines: list[str]) -> _Parsed:
    """Return the tree of a function, parsed once for as long as its file stays the same."""
    code = function.__code__
    found = _PARSED.get(id(code))
    if found is None or found.code is not code or found.lines is not lines:
        if len(_PARSED) >= _MOST_PARSED:
            _PARSED.clear()
        if not is_as_loaded(function, lines):
            raise _changed(code)
        tree = gast.ast_to_gast(with_private_names(_find_tree(code, lines), code))
        _spell_starred_targets(tree)
        found = _PARSED[id(code)] = _Parsed(code, lines, tuple(lines), tree)
    return found


def _spell_starred_targets(tree: Any) -> None:
    """Write targets that are starred themselves, as in ``a, *(b, *c) = v``, one by one, in place.

    >>> tree = gast.parse("a, *(b, *[c, d]) = v")
    >>> _spell_starred_targets(tree)
    >>> print(ast.unparse(gast.gast_to_ast(tree)))
    a, b, c, d = v
    """
    for node in found_in(tree, gast.Tuple, gast.List):
        if isinstance(node.ctx, gast.Store):
            while (place := _starred_targets(node.elts)) is not None:
                node.elts[place : place + 1] = node.elts[place].value.elts


def _starred_targets(targets: list[Any]) -> int | None:
    """Return the position of a star before several targets, or None."""
    for place, item in enumerate(targets):
        if isinstance(item, gast.Starred) and isinstance(item.value, (gast.Tuple, gast.List)):
            return place
    return None


def _find_tree(code: CodeType, lines: list[str]) -> ast.AST:
    if code.co_name == "<lambda>":
        return _lambda_tree(code, lines)
    for node in ast.walk(_block_of(code, lines)):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            with_private_names(node, code)  # parameters may be private, too
            if _arguments(node) != code.co_varnames[: _argument_count(code)]:
                break
            node.decorator_list = []
            return node
    raise _changed(code)


def _block_of(code: CodeType, lines: list[str]) -> ast.AST:
    """Return the tree of a definition, up to the first line that is not indented below it.

    Where that is in the middle of a text or of brackets, it does not parse: then the tokens tell.
    """
    first, file = code.co_firstlineno, code.co_filename
    margin = lines[first - 1].partition("def ")[0]
    if not margin.strip(" "):
        end = first
        while end < len(lines) and _goes_on(lines[end], len(margin)):
            end += 1
        try:
            return _parse_block("".join(lines[first - 1 : end]), first, file)
        except SourceNotFoundError:
            pass
    return _parse_block("".join(inspect.getblock(lines[first - 1 :])), first, file)


def _goes_on(line: str, margin: int) -> bool:
    """Say whether a line belongs to the definition before it, which stands at a margin.

    >>> [_goes_on(line, 0) for line in ("    y = x", "", "# so", ") -> int:", "y = x")]
    [True, True, True, True, False]
    """
    text = line.lstrip(" ")
    return len(line) - len(text) > margin or text[:1] in ("", *"\n\r\t\f\\#)")


def _changed(code: CodeType) -> SourceNotFoundError:
    return SourceNotFoundError(
        f"the text at {code.co_filename}:{code.co_firstlineno} is not the source of "
        f"`{code.co_name}`: was the file changed after it was loaded?",
        hint="load the function again",
    )


def _parse_block(block: str, first_line: int, file: str) -> ast.AST:
    """Parse an indented block; a wrapping `if` keeps columns and multi-line strings as they are."""
    indented = block[:1].isspace()
    above = first_line - (2 if indented else 1)  # empty lines, so that all stands on its own line
    try:
        tree = parsed("\n" * max(above, 0) + ("if 1:\n" if indented else "") + block, file)
    except SyntaxError as error:
        raise SourceNotFoundError(
            f"the text at {file}:{first_line} does not parse on its own ({error.msg})",
            hint="load the function again, or write it as a `def` of its own",
        ) from error
    return tree if above >= 0 else ast.increment_lineno(tree, above)


def _argument_count(code: CodeType) -> int:
    flags = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + flags


def _arguments(node: ast.FunctionDef | ast.Lambda) -> tuple[str, ...]:
    args = node.args
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    starred = [item for item in (args.vararg, args.kwarg) if item is not None]
    return tuple(item.arg for item in [*named, *starred])


def _lambda_tree(code: CodeType, lines: list[str]) -> ast.AST:
    """Find one lambda among many by the exact positions of its instructions (PEP 657)."""
    try:
        tree = parsed("".join(lines), code.co_filename)
    except SyntaxError as error:
        raise SourceNotFoundError(
            f"the source of the lambda at {code.co_filename}:{code.co_firstlineno} does not parse",
            hint="write it as a `def`",
        ) from error
    inside = {(p[0], p[2]) for p in code.co_positions() if p[0] and p[2] is not None}
    candidates = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and _arguments(node) == code.co_varnames[: _argument_count(code)]
        and (_gives_its_constant(code, node) or any(_starts(inside, node)))
    ]
    if len(candidates) != 1:
        raise SourceNotFoundError(
            f"the lambda at {code.co_filename}:{code.co_firstlineno} cannot be told from another",
            hint="write it as a `def`",
        )
    return _as_def(candidates[0])


_SHORTEST: Final = 8
"""The length of a code that only gives a constant."""


def _gives_its_constant(code: CodeType, node: ast.Lambda) -> bool:
    """Say whether a lambda gives the one constant of some code, of which 3.12 tells no position."""
    if not isinstance(node.body, ast.Constant) or len(code.co_code) > _SHORTEST:
        return False
    given = node.body.value
    return any(type(item) is type(given) and item == given for item in code.co_consts[-1:])


def _starts(inside: set[tuple[int, int]], node: ast.Lambda) -> Iterator[tuple[int, int]]:
    end = (node.body.end_lineno or 0, node.body.end_col_offset or 0)
    start = (node.body.lineno, node.body.col_offset)
    if any(start <= place < end for place in inside):
        yield start


def _as_def(node: ast.Lambda) -> ast.FunctionDef:
    """Write a lambda as a definition; a parsed one has all the fields that this Python wants."""
    (definition,) = parsed("def function(): ...").body
    if not isinstance(definition, ast.FunctionDef):
        raise InternalError("a definition was parsed as something else")
    definition.args = node.args
    definition.body = [ast.copy_location(ast.Return(node.body), node.body)]
    return ast.copy_location(definition, node)
