"""Prints trees of gast or ast as the Python text that people read, run and export."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import proxy

from srcgrad.codegen import literals
from srcgrad.codegen.formatted import FormattedPrinter
from srcgrad.codegen.patterns import PatternPrinter
from srcgrad.codegen.precedence import OPERATORS, TEST, TUPLE, YIELD
from srcgrad.codegen.wrapping import Group, Item, Wrapper

_DEFINITIONS: Final = ("FunctionDef", "AsyncFunctionDef", "ClassDef")
_IMPORTS: Final = ("Import", "ImportFrom")
_BLOCKS: Final = ("finalbody", "orelse", "handlers", "cases", "body")


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed tree, and for every line of it where it came from.

    Attributes:
        text: The text, which ends with a line end.
        lines: For each line of the text, the `lineno` of the statement there (0 if it has none).
        statements: For each line of the text, the statement printed there (None on empty lines).
    """

    text: str
    lines: list[int]
    statements: list[Any]


def to_source(tree: Any, width: int = 100) -> str:
    r"""Return the text of a module (with a line end), a statement, an expression or a list of them.

    >>> from srcgrad.ir import gast
    >>> print(to_source(gast.parse("y = ((x[(1):, None]) * (a + b))")), end="")
    y = x[1:, None] * (a + b)
    """
    printer = Printer(width)
    if hasattr(tree, "body") and type(tree).__name__ == "Expression":
        tree = tree.body
    if isinstance(tree, ast.stmt | list | tuple) or type(tree).__name__ == "Module":
        text = printer.printed(tree).text
        return text if type(tree).__name__ == "Module" else text.removesuffix("\n")
    return printer.text(tree, TUPLE)


def print_module(tree: Any, width: int = 100) -> Printed:
    """Print a module and tell for each line which statement stands there."""
    return Printer(width).printed(tree)


class Printer(PatternPrinter, FormattedPrinter):
    """Writes statements, one method for each kind, in the style of ruff and black."""

    def __init__(self, width: int = 100) -> None:
        super().__init__()
        itself: Any = proxy(self)  # or each would hold the other
        self._wrapper = Wrapper(itself, width)
        self._width = width
        self._lines: list[str] = []
        self._owners: list[Any] = []
        self._current: Any = None
        self._blanks = 0
        self._opened_by = "Module"

    def printed(self, tree: Any) -> Printed:
        """Print a module, a statement or a list of statements."""
        if type(tree).__name__ in ("Module", "Interactive"):
            self._body(tree.body, documented=type(tree).__name__ == "Module")
        else:
            self._body(tree if isinstance(tree, list | tuple) else [tree])
        numbers = [getattr(owner, "lineno", None) or 0 for owner in self._owners]
        text = "\n".join([*self._lines, ""])
        return Printed(text, numbers, self._owners)

    # Lines

    def fill(self, text: str = "") -> None:
        """Write one line with the indentation of the block."""
        self._put(["    " * self._indent + text])

    def _put(self, lines: Iterable[str]) -> None:
        if self._blanks and self._lines:
            self._lines += [""] * self._blanks
            self._owners += [None] * self._blanks
        self._blanks = 0
        for line in lines:
            self._lines.append(line)
            self._owners.append(self._current)

    def _borrowed(self, tree: Any) -> str:
        """Print what has no method here; a statement takes lines of its own."""
        text = super()._borrowed(tree)
        if not isinstance(tree, ast.stmt):
            return text
        for line in text.splitlines():
            self.fill(line)
        return ""

    def _logical(self, prefix: str, node: Any, need: int, suffix: str = "") -> None:
        """Write `prefix node suffix`, on several lines if it is too long for one."""
        line = f"{'    ' * self._indent}{prefix}{self.text(node, need)}{suffix}"
        if len(line) <= self._width:
            self._put([line])
        else:
            self._put(self._wrapper.statement(prefix, node, need, suffix, 4 * self._indent))

    def _grouped(self, head: str, items: Sequence[Item], tail: str, *, bare: bool = False) -> None:
        """Write `head items tail` on one line, or with brackets broken open if it is too long.

        `bare` items have parentheses only where the line is broken.
        """
        opening, closing = ("(", ")") if bare else ("", "")
        flat = ", ".join([self._wrapper.item(item) for item in items])
        line = "    " * self._indent + head + flat + tail
        if len(line) <= self._width or not items:
            self._put([line])
            return
        group = Group(head + opening, items, closing + tail, joined=not bare)
        self._put(self._wrapper.group(group, 4 * self._indent))

    # Blocks

    def _body(self, body: Sequence[Any], *, documented: bool = False) -> None:
        """Write statements with the empty lines between them."""
        limit = 2 if self._indent == 0 else 1
        for index, statement in enumerate(body):
            if type(statement).__name__ == "Blank":
                self._blanks = min(self._blanks + 1, limit)
                continue
            self._blanks = max(self._blanks, self._gap(body, index, limit))
            outer, self._current = self._current, statement
            if documented and index == 0 and _is_docstring(statement):
                self._docstring(statement)
            else:
                self.dispatch(statement)
            self._current = outer

    def _gap(self, body: Sequence[Any], index: int, limit: int) -> int:
        """Return how many empty lines the style asks for before a statement."""
        before = body[index - 1] if index else None
        if before is None or type(before).__name__ == "Comment":
            opens = before is None and self._opened_by not in _DEFINITIONS and self._indent > 0
            return 1 if opens and _starts_definition(body, index) else 0
        if _starts_definition(body, index) or _ends_definition(before):
            return limit
        if type(before).__name__ in _IMPORTS and type(body[index]).__name__ not in _IMPORTS:
            return 1
        opens_class = self._opened_by in ("ClassDef", "Module") and index == 1
        return 1 if opens_class and _is_docstring(before) else 0

    def _block(self, body: Sequence[Any], *, documented: bool = False) -> None:
        """Write an indented block, with `pass` if nothing in it is a statement."""
        self._indent += 1
        outer, self._opened_by = self._opened_by, type(self._current).__name__
        self._blanks = 0
        self._body(body, documented=documented)
        if all(type(statement).__name__ in ("Comment", "Blank") for statement in body):
            self._blanks = 0
            self.fill("pass")
        self._opened_by = outer
        self._indent -= 1

    def _docstring(self, t: Any) -> None:
        text = literals.docstring(t.value.value)
        self._put(("    " * self._indent + text).split("\n"))

    # Comments

    def _Comment(self, t: Any) -> None:
        for line in t.text.split("\n"):
            self.fill(f"# {line}".rstrip())

    # Simple statements

    def _Expr(self, t: Any) -> None:
        self._logical("", t.value, YIELD)

    def _Assign(self, t: Any) -> None:
        targets = "".join([self.text(target, TUPLE) + " = " for target in t.targets])
        names = len(t.targets) == 1 and type(t.targets[0]).__name__ == "Tuple"
        if names and 4 * self._indent + len(f"{targets}(") > self._width:
            self._logical("", t.targets[0], TUPLE, f" = {self.text(t.value, YIELD)}")
        else:
            self._logical(targets, t.value, YIELD)

    def _AugAssign(self, t: Any) -> None:
        symbol = OPERATORS[type(t.op).__name__][0]
        self._logical(f"{self.text(t.target)} {symbol}= ", t.value, YIELD)

    def _AnnAssign(self, t: Any) -> None:
        target = self.text(t.target)
        if not t.simple and type(t.target).__name__ == "Name":
            target = f"({target})"
        if t.value is None:
            self._logical(f"{target}: ", t.annotation, TEST)
        else:
            self._logical(f"{target}: {self.text(t.annotation)} = ", t.value, YIELD)

    def _Return(self, t: Any) -> None:
        self._optional("return", t.value, TUPLE)

    def _Raise(self, t: Any) -> None:
        if t.cause is None:
            self._optional("raise", t.exc, TEST)
        else:
            self._logical("raise ", t.exc, TEST, f" from {self.text(t.cause)}")

    def _optional(self, word: str, value: Any, need: int) -> None:
        if value is None:
            self.fill(word)
        else:
            self._logical(word + " ", value, need)

    def _Assert(self, t: Any) -> None:
        message = "" if t.msg is None else f", {self.text(t.msg)}"
        head = f"assert {self.text(t.test)}, "
        if message and 4 * self._indent + len(head) < self._width:
            self._logical(head, t.msg, TEST)
        else:
            self._logical("assert ", t.test, TEST, message)

    def _Delete(self, t: Any) -> None:
        self.fill("del " + self.texts(t.targets))  # in parentheses it would delete one tuple

    def _Import(self, t: Any) -> None:
        self.fill("import " + ", ".join([_alias_text(alias) for alias in t.names]))

    def _ImportFrom(self, t: Any) -> None:
        head = f"from {'.' * (t.level or 0)}{t.module or ''} import "
        names = [_alias_text(alias) for alias in t.names]
        if names == ["*"]:
            self.fill(head + "*")
        else:
            self._grouped(head, [Item(name) for name in names], "", bare=True)

    def _Global(self, t: Any) -> None:
        self.fill("global " + ", ".join(t.names))

    def _Nonlocal(self, t: Any) -> None:
        self.fill("nonlocal " + ", ".join(t.names))

    def _TypeAlias(self, t: Any) -> None:
        name = self.text(t.name) + self.type_parameters(t)
        self._logical(f"type {name} = ", t.value, TEST)

    # Compound statements

    def _If(self, t: Any) -> None:
        word = "if "
        while True:
            self._logical(word, t.test, self.named(t.test), ":")
            self._block(t.body)
            if len(t.orelse) != 1 or type(t.orelse[0]).__name__ != "If":
                break
            t, word = t.orelse[0], "elif "
            self._current = t
            self._blanks = 0
        self._clause("else:", t.orelse)

    def _clause(self, head: str, body: Sequence[Any]) -> None:
        if body:
            self._blanks = 0
            self.fill(head)
            self._block(body)

    def _While(self, t: Any) -> None:
        self._logical("while ", t.test, self.named(t.test), ":")
        self._block(t.body)
        self._clause("else:", t.orelse)

    def _For(self, t: Any) -> None:
        self._loop("for ", t)

    def _AsyncFor(self, t: Any) -> None:
        self._loop("async for ", t)

    def _loop(self, word: str, t: Any) -> None:
        target, runs = self.text(t.target, TUPLE), f" in {self.text(t.iter, TUPLE)}:"
        names = type(t.target).__name__ == "Tuple"
        if names and 4 * self._indent + len(f"{word}{target} in (") > self._width:
            self._logical(word, t.target, TUPLE, runs)
        else:
            self._logical(f"{word}{target} in ", t.iter, TUPLE, ":")
        self._block(t.body)
        self._clause("else:", t.orelse)

    def _With(self, t: Any) -> None:
        self._context("with ", t)

    def _AsyncWith(self, t: Any) -> None:
        self._context("async with ", t)

    def _context(self, word: str, t: Any) -> None:
        ends = [self._target_text(item) for item in t.items]
        first = t.items[0].context_expr
        if len(t.items) > 1:
            items = [
                Item(node=item.context_expr, after=end)
                for item, end in zip(t.items, ends, strict=True)
            ]
            self._grouped(word, items, ":", bare=True)
        elif type(first).__name__ == "Tuple" and not ends[0]:
            self.fill(f"{word}({self.text(first)}):")  # else its elements would be the managers
        else:
            self._logical(word, first, TEST, ends[0] + ":")
        self._block(t.body)

    def _target_text(self, t: Any) -> str:
        return "" if t.optional_vars is None else f" as {self.text(t.optional_vars)}"

    def _Try(self, t: Any) -> None:
        self._try(t, "except")

    def _TryStar(self, t: Any) -> None:
        self._try(t, "except*")

    def _try(self, t: Any, word: str) -> None:
        self.fill("try:")
        self._block(t.body)
        outer = self._current
        for handler in t.handlers:
            self._current = handler
            self._blanks = 0
            self.fill(self._handler_head(handler, word))
            self._block(handler.body)
        self._current = outer
        self._clause("else:", t.orelse)
        self._clause("finally:", t.finalbody)

    def _handler_head(self, t: Any, word: str) -> str:
        if t.type is None:
            return word + ":"
        name = t.name if t.name is None or isinstance(t.name, str) else t.name.id
        return f"{word} {self.text(t.type)}{f' as {name}' if name else ''}:"

    def _Match(self, t: Any) -> None:
        self._logical("match ", t.subject, min(self.named(t.subject), TUPLE), ":")
        self._indent += 1
        for case in t.cases:
            self._current = case.pattern
            guard = ""
            if case.guard is not None:
                guard = f" if {self.text(case.guard, self.named(case.guard))}"
            self._clause(f"case {self.open_pattern(case.pattern)}{guard}:", case.body)
        self._indent -= 1

    # Definitions

    def _FunctionDef(self, t: Any) -> None:
        self._function("def", t)

    def _AsyncFunctionDef(self, t: Any) -> None:
        self._function("async def", t)

    def _function(self, word: str, t: Any) -> None:
        self._decorators(t)
        items = [Item(text) for text in self.parameters(t.args)]
        returns = "" if t.returns is None else f" -> {self.text(t.returns)}"
        head = f"{word} {t.name}{self.type_parameters(t)}("
        self._grouped(head, items, f"){returns}:")
        self._block(t.body, documented=True)

    def _ClassDef(self, t: Any) -> None:
        self._decorators(t)
        bases = [Item(self.text(base)) for base in [*t.bases, *t.keywords]]
        head = f"class {t.name}{self.type_parameters(t)}"
        if bases:
            self._grouped(head + "(", bases, "):")
        else:
            self.fill(head + ":")
        self._block(t.body, documented=True)

    def _decorators(self, t: Any) -> None:
        for decorator in t.decorator_list:
            self._logical("@", decorator, self.named(decorator))


def _is_docstring(t: Any) -> bool:
    if type(t).__name__ != "Expr" or type(t.value).__name__ != "Constant":
        return False
    return isinstance(t.value.value, str) and not getattr(t.value, "kind", None)


def _starts_definition(body: Sequence[Any], index: int) -> bool:
    """Tell whether a definition begins here, perhaps with comments over it."""
    while index < len(body) and type(body[index]).__name__ == "Comment":
        index += 1
    return index < len(body) and type(body[index]).__name__ in _DEFINITIONS


def _ends_definition(statement: Any) -> bool:
    """Tell whether the last line of a statement belongs to a definition."""
    while type(statement).__name__ not in _DEFINITIONS:
        block = next((b for name in _BLOCKS if (b := getattr(statement, name, None))), None)
        if not isinstance(block, list):
            return False
        statement = block[-1]
    return True


def _alias_text(t: Any) -> str:
    return t.name if t.asname is None else f"{t.name} as {t.asname}"
