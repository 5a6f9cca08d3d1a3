"""Lays out what does not fit on one line: at brackets, then at commas, then before operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.codegen.expressions import ExpressionPrinter
from srcgrad.codegen.precedence import (
    ATOM,
    BIT_OR,
    COMPARISONS,
    NAMED,
    OPERATORS,
    OR,
    TEST,
    TUPLE,
    operand_needs,
    strength,
)

_STEP: Final = 4
_OPERATIONS: Final = ("BinOp", "BoolOp", "Compare", "IfExp")
_COMPREHENSIONS: Final = {
    "ListComp": ("[", "]"),
    "SetComp": ("{", "}"),
    "GeneratorExp": ("(", ")"),
    "DictComp": ("{", "}"),
}
_DISPLAYS: Final[dict[str, tuple[str, str]]] = {
    "List": ("[", "]"),
    "Set": ("{", "}"),
    "Dict": ("{", "}"),
    "Tuple": ("(", ")"),
}
_BRACKETED: Final = frozenset(_DISPLAYS) | frozenset(_COMPREHENSIONS)


@dataclass(frozen=True, slots=True)
class Group:
    """A pair of brackets with items between them, and the text before and after."""

    head: str
    items: Sequence[Item]
    tail: str
    joined: bool = False  # the items may share one line, as arguments of a call do
    comma: bool = True  # a comma may stand after the last item
    between: str = ","


@dataclass(frozen=True, slots=True)
class Item:
    """One item between brackets: an expression with text around it, or only text."""

    before: str = ""
    node: Any = None
    need: int = TEST
    after: str = ""


class Wrapper:
    """Breaks expressions into lines of at most `width` characters where the grammar allows it."""

    def __init__(self, printer: ExpressionPrinter, width: int) -> None:
        self._printer = printer
        self._width = width

    # Whole statements

    def statement(self, prefix: str, node: Any, need: int, suffix: str, indent: int) -> list[str]:
        """Return the lines of `prefix node suffix`, where `node` may be put in parentheses."""
        margin = " " * indent
        flat = self._printer.text(node, need)
        if self._fits(margin + prefix + flat + suffix):
            return [margin + prefix + flat + suffix]
        if strength(node) < need:
            return self._parenthesized(prefix, node, suffix, indent)
        if type(node).__name__ in _OPERATIONS:
            return self._operation(prefix, node, suffix, indent)
        if type(node).__name__ == "Tuple":
            return self._tuple(prefix, node, suffix, indent)
        group = self._group_of(node, prefix, suffix, indent)
        if group is not None and self._fits(margin + group.head):
            return self.group(group, indent)
        if self._fits(margin + " " * _STEP + flat) or group is not None:
            return self._parenthesized(prefix, node, suffix, indent)
        return [margin + prefix + flat + suffix]

    def item(self, item: Item) -> str:
        """Return an item on one line."""
        text = "" if item.node is None else self._printer.text(item.node, item.need)
        return item.before + text + item.after

    def group(self, group: Group, indent: int) -> list[str]:
        """Return the lines of a pair of brackets that is broken open."""
        margin, inner = " " * indent, " " * (indent + _STEP)
        lines = [margin + group.head]
        joined = f"{group.between} ".join([self.item(item) for item in group.items])
        if group.joined and self._fits(inner + joined):
            lines.append(inner + joined)
        else:
            for index, item in enumerate(group.items):
                is_last = index + 1 == len(group.items)
                end = group.between if group.comma or not is_last else ""
                lines += self._item_lines(item, end, indent + _STEP)
        lines.append(margin + group.tail)
        return lines

    def _tuple(self, prefix: str, node: Any, suffix: str, indent: int) -> list[str]:
        """Return the lines of a tuple of several elements, which gets parentheses."""
        group = self._display(node, prefix, suffix)
        assert group is not None
        return self.group(group, indent)

    def _operation(self, prefix: str, node: Any, suffix: str, indent: int) -> list[str]:
        """Break an operation open at the brackets on its edge, or put it in parentheses.

        One operator before a long call, as in `x + np.sum(...)`, reads best with the call open.
        """
        lines = self._parenthesized(prefix, node, suffix, indent)
        if len(self._operands(node)) != 2 or type(node).__name__ == "IfExp":
            return lines
        for group in (
            self._last_group(node, prefix, suffix, indent),
            self._first_group(node, prefix, suffix, indent),
        ):
            if group is not None and self._fits(" " * indent + group.head):
                opened = self.group(group, indent)
                return lines if self._all_fit(lines) and not self._all_fit(opened) else opened
        return lines

    def _last_group(self, node: Any, prefix: str, suffix: str, indent: int) -> Group | None:
        """Return the brackets that end an operation, if any do."""
        *parts, (symbol, last, need) = self._operands(node)
        before = [sign + self._printer.text(part, level) for sign, part, level in parts]
        before[0] = self._printer.text(parts[0][1], parts[0][2])
        return self._edge(last, need, f"{prefix}{' '.join(before)} {symbol}", suffix, indent)

    def _first_group(self, node: Any, prefix: str, suffix: str, indent: int) -> Group | None:
        """Return the brackets that begin an operation, if any do."""
        (_, first, need), *parts = self._operands(node)
        after = [sign + self._printer.text(part, level) for sign, part, level in parts]
        return self._edge(first, need, prefix, f" {' '.join(after)}{suffix}", indent)

    def _edge(self, node: Any, need: int, prefix: str, suffix: str, indent: int) -> Group | None:
        if strength(node) < need and type(node).__name__ != "Tuple":
            inside = [Item(node=node, need=NAMED)]
            return Group(prefix + "(", inside, ")" + suffix, joined=True, comma=False)
        if type(node).__name__ in _OPERATIONS:
            return self._last_group(node, prefix, suffix, indent)
        return self._group_of(node, prefix, suffix, indent)

    def _parenthesized(self, prefix: str, node: Any, suffix: str, indent: int) -> list[str]:
        margin = " " * indent
        inner = self.inner("", node, NAMED, "", indent + _STEP, alone=True)
        return [margin + prefix + "(", *inner, margin + ")" + suffix]

    # Inside brackets, where a line may end anywhere

    def inner(
        self, before: str, node: Any, need: int, after: str, indent: int, *, alone: bool = False
    ) -> list[str]:
        """Return the lines of an expression that stands inside brackets already."""
        flat = " " * indent + before + self._printer.text(node, need) + after
        if self._fits(flat):
            return [flat]
        kind = type(node).__name__
        if kind == "Tuple" and len(node.elts) > 1:
            return self._tuple(before, node, after, indent)
        if strength(node) < need or (kind == "IfExp" and not alone):
            return self._parenthesized(before, node, after, indent)
        if kind in _OPERATIONS:
            return self._split(before, self._operands(node), after, indent)
        if kind in _WRAPPED:
            return self._inside(before, node, after, indent)
        group = self._group_of(node, before, after, indent)
        return [flat] if group is None else self.group(group, indent)

    def _inside(self, before: str, node: Any, after: str, indent: int) -> list[str]:
        """Return the lines of an expression that is some text and another expression."""
        text, value, need = _WRAPPED[type(node).__name__](self._printer, node)
        return self.inner(before + text, value, need, after, indent)

    def _split(
        self, before: str, parts: Sequence[tuple[str, Any, int]], after: str, indent: int
    ) -> list[str]:
        """Return one operand a line, each but the first after its operator."""
        lines: list[str] = []
        for index, (symbol, operand, need) in enumerate(parts):
            start = before if index == 0 else symbol
            end = after if index + 1 == len(parts) else ""
            lines += self.inner(start, operand, need, end, indent)
        return lines

    def _operands(self, node: Any) -> list[tuple[str, Any, int]]:
        """Return the operands of the outermost operation, each with its operator and its need."""
        kind = type(node).__name__
        if kind == "BinOp":
            return _flattened(node)
        if kind == "BoolOp":
            return _conditions(node)
        if kind == "Compare":
            pairs = zip(node.ops, node.comparators, strict=True)
            rest = [(COMPARISONS[type(op).__name__] + " ", value, BIT_OR) for op, value in pairs]
            return [("", node.left, BIT_OR), *rest]
        return [("", node.body, OR), ("if ", node.test, OR), ("else ", node.orelse, TEST)]

    # Brackets

    def _group_of(self, node: Any, prefix: str, suffix: str, indent: int) -> Group | None:
        """Return the brackets at which `node` can be broken open, if it has any."""
        kind = type(node).__name__
        if kind in _DISPLAYS:
            return self._display(node, prefix, suffix)
        if kind in _COMPREHENSIONS:
            return self._comprehension(node, prefix, suffix)
        if kind in _WRAPPED:
            text, value, need = _WRAPPED[kind](self._printer, node)
            return self._edge(value, need, prefix + text, suffix, indent)
        return self._chain(node, prefix, suffix, indent)

    def _chain(self, node: Any, prefix: str, suffix: str, indent: int) -> Group | None:
        """Choose among the brackets of `a(b).c[d]`: the last ones whose head fits on the line."""
        text = self._printer.text(node)
        first_choice: Group | None = None
        while type(node).__name__ in ("Call", "Subscript", "Attribute"):
            if type(node).__name__ != "Attribute":
                group = self._trailer(node, prefix, text, suffix)
                if group is not None and self._fits(" " * indent + group.head):
                    return group
                first_choice = first_choice or group
            node = node.func if type(node).__name__ == "Call" else node.value
        if type(node).__name__ not in _BRACKETED:
            return first_choice
        rest = text[len(self._printer.text(node)) :] + suffix
        return self._group_of(node, prefix, rest, indent) or first_choice

    def _trailer(self, node: Any, prefix: str, text: str, suffix: str) -> Group | None:
        """Return the group of one call or subscript within the text of its chain."""
        is_call = type(node).__name__ == "Call"
        head = self._printer.text(node.func if is_call else node.value, ATOM)
        tail = text[len(self._printer.text(node)) :] + suffix
        if is_call:
            return self._arguments(node, prefix + head + "(", ")" + tail)
        return self._subscript(node.slice, prefix + head + "[", "]" + tail)

    def _arguments(self, node: Any, head: str, tail: str) -> Group | None:
        everything = [*node.args, *node.keywords]
        if len(everything) == 1 and type(everything[0]).__name__ == "GeneratorExp":
            return self._comprehension(everything[0], head[:-1], tail[1:])
        items = [Item(node=item, need=self._printer.named(item)) for item in everything]
        return Group(head, items, tail, joined=True) if items else None

    def _subscript(self, index: Any, head: str, tail: str) -> Group | None:
        if type(index).__name__ == "Tuple" and index.elts:
            items = [Item(node=item, need=_index_need(item)) for item in index.elts]
            return Group(head, items, tail, joined=len(items) > 1)
        if type(index).__name__ == "Slice":
            return None
        return Group(head, [Item(node=index)], tail, comma=False)

    def _display(self, node: Any, prefix: str, suffix: str) -> Group | None:
        opening, closing = _DISPLAYS[type(node).__name__]
        if type(node).__name__ == "Dict":
            items = [
                Item("**", value, BIT_OR) if key is None else Item(self._key(key), value)
                for key, value in zip(node.keys, node.values, strict=True)
            ]
        else:
            items = [Item(node=item, need=self._printer.named(item)) for item in node.elts]
        return Group(prefix + opening, items, closing + suffix) if items else None

    def _key(self, key: Any) -> str:
        return self._printer.text(key) + ": "

    def _comprehension(self, node: Any, prefix: str, suffix: str) -> Group:
        opening, closing = _COMPREHENSIONS[type(node).__name__]
        if type(node).__name__ == "DictComp":
            items = [Item(self._key(node.key), node.value)]
        else:
            items = [Item("", node.elt, self._printer.named(node.elt))]
        for loop in node.generators:
            target = self._printer.text(loop.target, TUPLE)
            start = "async for " if loop.is_async else "for "
            items.append(Item(f"{start}{target} in ", loop.iter, OR))
            items += [Item("if ", condition, OR) for condition in loop.ifs]
        return Group(
            prefix + opening, items, closing + suffix, joined=True, comma=False, between=""
        )

    def _item_lines(self, item: Item, end: str, indent: int) -> list[str]:
        if item.node is None:
            return [" " * indent + item.before + item.after + end]
        return self.inner(item.before, item.node, item.need, item.after + end, indent)

    def _fits(self, line: str) -> bool:
        return len(line) <= self._width

    def _all_fit(self, lines: Sequence[str]) -> bool:
        return all(self._fits(line) for line in lines)


def _flattened(node: Any) -> list[tuple[str, Any, int]]:
    """Return the operands of a chain of operators that bind equally, such as `a + b - c`."""
    level = strength(node)
    parts: list[tuple[str, Any, int]] = []
    while type(node).__name__ == "BinOp" and strength(node) == level:
        name = type(node.op).__name__
        left, right = operand_needs(name)
        parts.append((OPERATORS[name][0] + " ", node.right, right))
        node = node.left
        if name == "Pow":
            break
    parts.append(("", node, left))
    return parts[::-1]


def _conditions(node: Any) -> list[tuple[str, Any, int]]:
    """Return the operands of `and` and `or`, which are split alike where no parentheses stand."""
    symbol, level = OPERATORS[type(node.op).__name__]
    parts: list[tuple[str, Any, int]] = []
    for value in node.values:
        inside = [(symbol + " ", value, level + 1)]
        if type(value).__name__ == "BoolOp" and strength(value) > level:
            inside = [(symbol + " ", *rest) for _, *rest in _conditions(value)[:1]]
            inside += _conditions(value)[1:]
        parts += inside
    return parts


def _index_need(item: Any) -> int:
    return NAMED if type(item).__name__ == "Slice" else TEST


def _operand(_: ExpressionPrinter, node: Any) -> tuple[str, Any, int]:
    symbol, level = OPERATORS[type(node.op).__name__]
    return symbol, node.operand, level


def _lambda(printer: ExpressionPrinter, node: Any) -> tuple[str, Any, int]:
    parameters = ", ".join(printer.parameters(node.args))
    return (f"lambda {parameters}: " if parameters else "lambda: "), node.body, TEST


def _keyword(_: ExpressionPrinter, node: Any) -> tuple[str, Any, int]:
    return ("**" if node.arg is None else node.arg + "="), node.value, TEST


def _named(printer: ExpressionPrinter, node: Any) -> tuple[str, Any, int]:
    return printer.text(node.target) + " := ", node.value, TEST


_WRAPPED: Final[dict[str, Callable[[ExpressionPrinter, Any], tuple[str, Any, int]]]] = {
    "Await": lambda _, node: ("await ", node.value, ATOM),
    "Lambda": _lambda,
    "NamedExpr": _named,
    "Starred": lambda _, node: ("*", node.value, BIT_OR),
    "UnaryOp": _operand,
    "YieldFrom": lambda _, node: ("yield from ", node.value, TEST),
    "keyword": _keyword,
}
