"""Prints expressions on one line, with the parentheses that the grammar needs and no others."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import astunparse

from srcgrad.codegen import literals
from srcgrad.codegen.precedence import (
    ATOM,
    BIT_OR,
    COMPARISONS,
    NAMED,
    OPERATORS,
    OR,
    POWER,
    TEST,
    TUPLE,
    operand_needs,
    strength,
)
from srcgrad.ir import gast


class ExpressionPrinter(astunparse.Unparser):  # type: ignore[misc]
    """Writes text for expressions of gast and of ast alike.

    astunparse finds the method of a node and supplies the forms that need no care. What is
    overridden here never writes parentheses for precedence: `dispatch` does, once for all.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.write: Callable[[str], None] = self._parts.append
        self._quotes: tuple[str, ...] = literals.QUOTES
        self._indent = 0
        self.future_imports: list[str] = []

    def dispatch(self, tree: Any, need: int = TEST) -> None:
        """Write `tree`, in parentheses if it binds less strongly than `need`."""
        kind = type(tree).__name__
        if kind == "Name":  # as half of them are
            self.write(tree.id)
            return
        method = getattr(self, "_" + kind, None)
        if method is None:
            self.write(self._borrowed(tree))
        elif strength(tree) < need:
            self.write("(")
            method(tree)
            self.write(")")
        else:
            method(tree)

    def text(self, tree: Any, need: int = TEST) -> str:
        """Return `tree` as text on one line."""
        if type(tree).__name__ == "Name":
            return str(tree.id)
        outer, self._parts = self._parts, []
        self.write = self._parts.append
        try:
            self.dispatch(tree, need)
            return "".join(self._parts)
        finally:
            self._parts = outer
            self.write = outer.append

    def texts(self, trees: Iterable[Any], need: int = TEST) -> str:
        """Return several expressions with commas between them."""
        return ", ".join([self.text(tree, need) for tree in trees])

    def _borrowed(self, tree: Any) -> str:
        """Let the standard library print what is newer than this file."""
        converted = gast.gast_to_ast(tree) if type(tree).__module__.startswith("gast") else tree
        return ast.unparse(converted)  # noqa: TID251 - the one borrowing that the printer does

    def _list(self, trees: Iterable[Any], need: int = TEST) -> None:
        write, first = self.write, True
        for tree in trees:
            if not first:
                write(", ")
            first = False
            self.dispatch(tree, need)

    def named(self, tree: Any) -> int:
        """Return the need of a place where `name := value` may stand bare but a tuple may not."""
        return NAMED if type(tree).__name__ == "NamedExpr" else TEST

    def _named_list(self, trees: Iterable[Any]) -> None:
        write, first = self.write, True
        for tree in trees:
            if not first:
                write(", ")
            first = False
            self.dispatch(tree, self.named(tree))

    # Names and constants

    def _Name(self, t: Any) -> None:
        self.write(t.id)

    def _Constant(self, t: Any) -> None:
        self.write(literals.constant(t.value, getattr(t, "kind", None), self._quotes))

    def _Attribute(self, t: Any) -> None:
        value = t.value
        if type(value).__name__ == "Constant" and isinstance(value.value, int | float):
            self.write(f"({self.text(value)})")  # 1.real is a syntax error
        else:
            self.dispatch(value, ATOM)
        self.write("." + t.attr)

    # Operators

    def _BinOp(self, t: Any) -> None:
        spine = [t]  # iterative: an adjoint may be a sum of a thousand contributions
        while type(t.left).__name__ == "BinOp":
            t = t.left
            spine.append(t)
        closes = []
        for outer, inner in pairwise(spine):
            closes.append(strength(inner) < operand_needs(type(outer.op).__name__)[0])
        self.write("(" * sum(closes))
        self.dispatch(t.left, operand_needs(type(t.op).__name__)[0])
        for node, close in zip(reversed(spine), [*reversed(closes), False], strict=True):
            self._right_half(node)
            if close:
                self.write(")")

    def _right_half(self, t: Any) -> None:
        name = type(t.op).__name__
        symbol = OPERATORS[name][0]
        hugs = name == "Pow" and strength(t.left) == ATOM
        hugs = hugs and _is_simple_operand(t.left) and _is_simple_operand(t.right)
        self.write(symbol if hugs else f" {symbol} ")
        self.dispatch(t.right, operand_needs(name)[1])

    def _UnaryOp(self, t: Any) -> None:
        symbol, level = OPERATORS[type(t.op).__name__]
        self.write(symbol)
        is_power = type(t.operand).__name__ == "BinOp" and strength(t.operand) == POWER
        self.dispatch(t.operand, ATOM if is_power else level)  # -(x**2): plainer, and ruff's way

    def _BoolOp(self, t: Any) -> None:
        symbol, level = OPERATORS[type(t.op).__name__]
        for index, value in enumerate(t.values):
            if index:
                self.write(f" {symbol} ")
            self.dispatch(value, level + 1)

    def _Compare(self, t: Any) -> None:
        self.dispatch(t.left, BIT_OR)
        for op, right in zip(t.ops, t.comparators, strict=True):
            self.write(f" {COMPARISONS[type(op).__name__]} ")
            self.dispatch(right, BIT_OR)

    def _IfExp(self, t: Any) -> None:
        self.dispatch(t.body, OR)
        self.write(" if ")
        self.dispatch(t.test, OR)
        self.write(" else ")
        self.dispatch(t.orelse, TEST)

    def _NamedExpr(self, t: Any) -> None:
        self.dispatch(t.target, ATOM)
        self.write(" := ")
        self.dispatch(t.value, TEST)

    def _Await(self, t: Any) -> None:
        self.write("await ")
        self.dispatch(t.value, ATOM)

    def _Yield(self, t: Any) -> None:
        self.write("yield")
        if t.value is not None:
            self.write(" ")
            self.dispatch(t.value, TUPLE if type(t.value).__name__ == "Tuple" else TEST)

    def _YieldFrom(self, t: Any) -> None:
        self.write("yield from ")
        self.dispatch(t.value, TEST)

    def _Starred(self, t: Any) -> None:
        self.write("*")
        self.dispatch(t.value, BIT_OR)

    # Displays and comprehensions

    def _Tuple(self, t: Any) -> None:
        if len(t.elts) > 1:
            self._list(t.elts)
        else:
            self.write("(")
            self._list(t.elts)
            self.write(",)" if t.elts else ")")

    def _List(self, t: Any) -> None:
        self.write("[")
        self._named_list(t.elts)
        self.write("]")

    def _Set(self, t: Any) -> None:
        self.write("{")
        self._named_list(t.elts)
        self.write("}" if t.elts else "*()}")

    def _Dict(self, t: Any) -> None:
        self.write("{")
        for index, (key, value) in enumerate(zip(t.keys, t.values, strict=True)):
            if index:
                self.write(", ")
            if key is None:
                self.write("**")
                self.dispatch(value, BIT_OR)
            else:
                self.dispatch(key)
                self.write(": ")
                self.dispatch(value)
        self.write("}")

    def _ListComp(self, t: Any) -> None:
        self._comprehended("[", t, "]")

    def _SetComp(self, t: Any) -> None:
        self._comprehended("{", t, "}")

    def _GeneratorExp(self, t: Any) -> None:
        self._comprehended("(", t, ")")

    def _DictComp(self, t: Any) -> None:
        self.write("{")
        self.dispatch(t.key)
        self.write(": ")
        self.dispatch(t.value)
        for generator in t.generators:
            self.write(" ")
            self._comprehension(generator)
        self.write("}")

    def _comprehended(self, opening: str, t: Any, closing: str) -> None:
        self.write(opening)
        self.dispatch(t.elt, self.named(t.elt))
        for generator in t.generators:
            self.write(" ")
            self._comprehension(generator)
        self.write(closing)

    def _comprehension(self, t: Any) -> None:
        self.write("async for " if t.is_async else "for ")
        self.dispatch(t.target, TUPLE)
        self.write(" in ")
        self.dispatch(t.iter, OR)
        for condition in t.ifs:
            self.write(" if ")
            self.dispatch(condition, OR)

    # Calls and subscripts

    def _Call(self, t: Any) -> None:
        self.dispatch(t.func, ATOM)
        if len(t.args) == 1 and not t.keywords and type(t.args[0]).__name__ == "GeneratorExp":
            self._GeneratorExp(t.args[0])  # its own parentheses will do
            return
        self.write("(")
        self._named_list([*t.args, *t.keywords])
        self.write(")")

    def _keyword(self, t: Any) -> None:
        self.write("**" if t.arg is None else t.arg + "=")
        self.dispatch(t.value, TEST)

    def _Subscript(self, t: Any) -> None:
        self.dispatch(t.value, ATOM)
        self.write("[")
        if type(t.slice).__name__ == "Tuple" and len(t.slice.elts) > 1:
            for index, item in enumerate(t.slice.elts):
                if index:
                    self.write(", ")
                self.index(item)
        elif type(t.slice).__name__ == "Tuple" and t.slice.elts:
            self.index(t.slice.elts[0])
            self.write(",")
        else:
            self.index(t.slice)
        self.write("]")

    def index(self, item: Any) -> None:
        """Write one item of a subscript; only here may a slice stand."""
        self.dispatch(item, NAMED if type(item).__name__ == "Slice" else TEST)

    def _Slice(self, t: Any) -> None:
        spaced = not all(_is_simple_bound(bound) for bound in (t.lower, t.upper, t.step))
        gap = " " if spaced else ""
        if t.lower is not None:
            self.dispatch(t.lower)
            self.write(gap)
        self.write(":")
        if t.upper is not None:
            self.write(gap)
            self.dispatch(t.upper)
        if t.step is not None:
            self.write(gap if t.upper is not None else "")
            self.write(":" + gap)
            self.dispatch(t.step)

    # Functions

    def _Lambda(self, t: Any) -> None:
        parameters = ", ".join(self.parameters(t.args))
        self.write(f"lambda {parameters}: " if parameters else "lambda: ")
        self.dispatch(t.body, TEST)

    def _arguments(self, t: Any) -> None:
        self.write(", ".join(self.parameters(t)))

    def parameters(self, t: Any) -> list[str]:
        """Return the texts of the parameters of a function, `/` and `*` among them."""
        positional = [*getattr(t, "posonlyargs", ()), *t.args]
        only = len(positional) - len(t.args)
        missing = len(positional) - len(t.defaults)
        items = []
        for index, argument in enumerate(positional):
            default = t.defaults[index - missing] if index >= missing else None
            items.append(self._parameter(argument, default))
            if index + 1 == only:
                items.append("/")
        if t.vararg is not None:
            items.append("*" + self._parameter(t.vararg, None))
        elif t.kwonlyargs:
            items.append("*")
        for argument, default in zip(t.kwonlyargs, t.kw_defaults, strict=True):
            items.append(self._parameter(argument, default))
        if t.kwarg is not None:
            items.append("**" + self._parameter(t.kwarg, None))
        return items

    def _parameter(self, t: Any, default: Any) -> str:
        name: str = t.id if hasattr(t, "id") else t.arg
        annotation = getattr(t, "annotation", None)
        if annotation is not None:
            name += ": " + self.text(annotation, TEST)
        if default is None:
            return name
        return name + ("=" if annotation is None else " = ") + self.text(default, TEST)

    def type_parameters(self, t: Any) -> str:
        """Return `[T, *Ts]` for a generic function, class or alias, else an empty string."""
        parameters = getattr(t, "type_params", None)
        return f"[{self.texts(parameters)}]" if parameters else ""

    def _TypeVar(self, t: Any) -> None:
        self.write(t.name)
        if t.bound is not None:
            self.write(": ")
            self.dispatch(t.bound)
        self._type_default(t)

    def _TypeVarTuple(self, t: Any) -> None:
        self.write("*" + t.name)
        self._type_default(t)

    def _ParamSpec(self, t: Any) -> None:
        self.write("**" + t.name)
        self._type_default(t)

    def _type_default(self, t: Any) -> None:
        if getattr(t, "default_value", None) is not None:
            self.write(" = ")
            self.dispatch(t.default_value)


def _is_simple_bound(node: Any) -> bool:
    """Tell whether a slice bound is short enough for a colon without spaces, as in `x[1:-n]`."""
    if type(node).__name__ == "UnaryOp" and type(node.op).__name__ != "Not":
        node = node.operand
    return node is None or type(node).__name__ in ("Name", "Constant")


def _is_simple_operand(node: Any) -> bool:
    """Tell whether an operand of `**` is short enough to do without spaces, as in `x**2`."""
    while type(node).__name__ == "Attribute":
        node = node.value
    if type(node).__name__ == "UnaryOp" and type(node.op).__name__ != "Not":
        node = node.operand
    is_number = type(node).__name__ == "Constant" and isinstance(node.value, int | float)
    return is_number or type(node).__name__ == "Name"
