"""Knows the literals that tests depend on: names bound to them, and what is said of them."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.expand.deciding import asked_of
from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.placing import makes_functions
from srcgrad.frontend.expand.values import (
    Known,
    Static,
    Value,
    is_literal,
    is_literal_tuple,
    is_text,
    literals_in,
)
from srcgrad.ir import gast
from srcgrad.ir.build import at

Bound = dict[str, Value]

_OF_TEXTS: Final = (
    *("lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize", "casefold"),
    *("replace", "removeprefix", "removesuffix", "swapcase", "format"),
    *("startswith", "endswith", "isdigit", "isalpha", "isalnum", "islower", "isupper"),
)
"""The methods of a text that give a text or a bool."""


class Literals(Part):
    """The part of the expansion that deals with texts, bools and None that are known."""

    def names(self, targets: list[Any], node: Any, value: Value) -> bool:
        """Let a variable mean the literal that it is bound to, if it does so wherever it is read.

        What is written as one stays a variable, unless it is a text on which a test depends. What
        an option that is not given falls back to is such a None: ``options.get("axis")``.
        """
        name = getattr(targets[0], "id", "") if len(targets) == 1 else ""
        own = name in self.frame.locals or name in self.frame.env
        known = is_literal(value) or (isinstance(node, gast.Name) and is_literal_tuple(value))
        if not own or self.frame.depth or not known:
            return False
        if isinstance(node, gast.Constant):
            told = isinstance(node.value, str) and name in asked_of(self.frame.tree)
            if not told:
                return False
        if makes_functions(self.frame.tree):
            return False
        self.frame.present.discard(name)
        self.frame.env[name] = value
        return True

    def truth(self, callee: Known, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return what `bool` gives of a literal; None of anything else."""
        plain = callee.value is bool and len(args) == 1 and not keywords
        return (
            at(gast.Constant(bool(args[0].value), None), node)
            if plain and is_literal(args[0])
            else None
        )

    def said_of(self, call: Any, looked_at: Callable[[Any], Value]) -> Value:
        """Return what a call of a method of a text gives, if all is known; None of others."""
        if call.keywords or call.func.attr not in _OF_TEXTS:
            return None
        func = gast.Attribute(looked_at(call.func.value), call.func.attr, gast.Load())
        return said_by_text(func, list(map(looked_at, call.args)), {})

    def answer(
        self, function: FunctionType, args: list[Value], keywords: Bound, node: Any
    ) -> Value:
        """Return the literal that a function surely gives for others; None if it may do more."""
        if not all(map(_is_told, [*args, *keywords.values()])):
            return None
        code = self.session.code(function)
        bound = self.frame.calls.bound_to(function, args, keywords, node)
        try:
            said = self.frame.placing.specialised(code, code.source.name, bound, {}, node)
        except (NeedsInlineError, UnsupportedSyntaxError):
            return None
        return said if is_literal(said) else None


def said_by_text(func: Any, args: list[Value] | None, keywords: Bound | None) -> Value:
    """Return what a method of a text that is known gives for such texts; None of others.

    >>> call = gast.parse("'Full'.lower()").body[0].value
    >>> said_by_text(call.func, call.args, {}).value
    'full'
    """
    name, owner = getattr(func, "attr", ""), getattr(func, "value", None)
    if owner is None or not is_text(owner) or keywords or args is None or name not in _OF_TEXTS:
        return None
    if not all(isinstance(item, gast.Constant) for item in args):
        return None
    try:
        said = getattr(owner.value, name)(*[item.value for item in args])
    except (TypeError, ValueError):
        return None  # the run raises it
    return gast.Constant(said, None)


def text_said(value: Value) -> Value:
    """Return the text that literals are put into, as a literal; others as they are.

    >>> named = gast.parse("f'nan{1}', 'nan%s' % 'sum', f'nan{how}'").body[0].value
    >>> [getattr(text_said(item), "value", None) for item in named.elts]
    ['nan1', 'nansum', None]
    """
    if isinstance(value, gast.JoinedStr) and all(map(_is_said, value.values)):
        said = [str(getattr(item.value, "value", item.value)) for item in value.values]
        return gast.Constant("".join(said), None)
    if isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mod) and is_text(value.left):
        right = value.right if isinstance(value.right, gast.Tuple) else _tuple_of(value.right)
        told = literals_in(right)
        try:
            return value if told is None else gast.Constant(value.left.value % tuple(told), None)
        except (TypeError, ValueError):
            return value  # the run raises it
    return value


def _tuple_of(value: Any) -> Any:
    return gast.Tuple([value], gast.Load())


def _is_said(part: Any) -> bool:
    """Say whether a part of a text between braces, or beside them, is known as it stands."""
    plain = isinstance(part, gast.Constant) or (part.format_spec is None and part.conversion == -1)
    return plain and isinstance(getattr(part, "value", part), (gast.Constant, str))


def part_of_text(owner: Value, place: Any) -> Value:
    """Return the letter of a text that is known, at a place that is; None of others.

    >>> text, place = gast.parse("'full'; 0").body
    >>> part_of_text(text.value, place.value).value
    'f'
    """
    told = isinstance(place, gast.Constant) and type(place.value) is int
    if not is_text(owner) or not told or not place.value < len(owner.value):
        return None
    return at(gast.Constant(owner.value[place.value], None), place)


def chosen_case(subject: Value, cases: list[Any]) -> list[Any] | None:
    r"""Return the body of the case that a literal surely takes, if it is known which; else None.

    >>> lines = "match how:\n  case 'a' | 'b': n = 1\n  case _: n = 2"
    >>> cases = gast.parse(lines).body[0].cases
    >>> gast.unparse(chosen_case(gast.Constant("b", None), cases)[0])
    'n = 1'
    """
    for case in cases:
        takes = _takes(case.pattern, subject.value)
        if takes is None or (takes and case.guard is not None):
            return None
        if takes:
            return list(case.body)
    return []


def _takes(pattern: Any, value: Any) -> bool | None:
    if isinstance(pattern, gast.MatchOr):
        parts = [_takes(part, value) for part in pattern.patterns]
        return None if None in parts else any(parts)
    if isinstance(pattern, gast.MatchSingleton):
        return pattern.value is value
    if isinstance(pattern, gast.MatchValue) and isinstance(pattern.value, gast.Constant):
        return bool(pattern.value.value == value)
    anything = isinstance(pattern, gast.MatchAs) and pattern.pattern is None and not pattern.name
    return True if anything else None


def _is_told(value: Value) -> bool:
    if isinstance(value, Static):
        return isinstance(value, Known)
    return isinstance(value, gast.Constant) or literals_in(value) is not None
