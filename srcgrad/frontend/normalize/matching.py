"""Writes `match` as `if` and `elif`: a test of the subject, then the names that a pattern binds."""

from __future__ import annotations

import collections.abc
from collections import Counter
from typing import Any, Final

from srcgrad.frontend.refusals import Refusals
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, constant, load, subscript
from srcgrad.ir.jumps import inner_blocks
from srcgrad.ir.names import Namer
from srcgrad.ir.scopes import Binding, Scope
from srcgrad.ir.walk import found_in, names_read, walk

_WHOLE: Final = (
    *(bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple),
)  # a positional pattern of these stands for the subject itself

Tests = list[Any]
Binds = list[tuple[str, Any]]


class _UnknownPatternError(Exception):
    """A pattern that is left to the tape."""


class Matching:
    """Rewrites the blocks of one function.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> body = parse('''
    ... match kind:
    ...     case "relu" | "clip":
    ...         y = x
    ...     case [a, 0] if a > 1:
    ...         y = a * x
    ...     case other:
    ...         y = other
    ... ''')
    >>> scope = program_of("def f(x): return x").reader.scope
    >>> print(text(Matching(body, Namer(["kind"]), scope, None).block(body)))
    if kind == "relu" or kind == "clip":
        y = x
    elif (
        isinstance(kind, Sequence)
        and not isinstance(kind, (str, bytes, bytearray))
        and len(kind) == 2
        and kind[1] == 0
        and kind[0] > 1
    ):
        a = kind[0]
        y = a * x
    else:
        other = kind
        y = other
    """

    def __init__(self, body: list[Any], namer: Namer, scope: Scope, refusals: Refusals) -> None:
        self._namer = namer
        self._scope = scope
        self._refusals = refusals
        self._leaking = leaking(body)
        self._abstract: dict[str, str] = {}

    def block(self, block: list[Any]) -> list[Any]:
        """Return a block without `match`."""
        done: list[Any] = []
        for statement in block:
            for part in inner_blocks(statement):
                part[:] = self.block(part)
            done += self._match(statement) if isinstance(statement, gast.Match) else [statement]
        return done

    def _match(self, node: Any) -> list[Any]:
        lead: list[Any] = []
        subject = node.subject
        captured = {name for case in node.cases for name in captures(case.pattern)}
        if not isinstance(subject, gast.Name) or subject.id in captured:
            name = self._namer.fresh("subject")
            lead.append(assign(name, subject, node))
            subject = load(name)
        done: list[Any] = []
        for case in reversed([part for whole in node.cases for part in _alternatives(whole)]):
            try:
                done = self._case(case, subject, done)
            except _UnknownPatternError as problem:
                self._refusals.add(
                    case.pattern,
                    f"this pattern is not differentiated by source: {problem}",
                    "use `if`/`elif`",
                )
        return [*lead, *done]

    def _case(self, case: Any, subject: Any, orelse: list[Any]) -> list[Any]:
        tests, binds = self._pattern(case.pattern, subject)
        if case.guard is not None:
            if any(name in self._leaking for name, _ in binds):
                raise _UnknownPatternError("a name it binds is read although its guard fails")
            tests.append(_with_values(case.guard, dict(binds)))
        body = [*[assign(name, clone(value), case.pattern) for name, value in binds], *case.body]
        if not tests:
            return body
        test = tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)
        return [at(gast.If(test, body, orelse), case.pattern)]

    # -- patterns

    def _pattern(self, pattern: Any, value: Any) -> tuple[Tests, Binds]:
        """Return what must hold of a value, and the names that it or its parts are bound to."""
        kind = type(pattern).__name__
        method = getattr(self, f"_{kind}", None)
        if method is None:
            raise _UnknownPatternError(kind)
        found: tuple[Tests, Binds] = method(pattern, value)
        return found

    def _MatchValue(self, pattern: Any, value: Any) -> tuple[Tests, Binds]:
        return [_compare(value, gast.Eq(), pattern.value)], []

    def _MatchSingleton(self, pattern: Any, value: Any) -> tuple[Tests, Binds]:
        return [_compare(value, gast.Is(), gast.Constant(pattern.value, None))], []

    def _MatchAs(self, pattern: Any, value: Any) -> tuple[Tests, Binds]:
        tests, binds = (
            ([], []) if pattern.pattern is None else self._pattern(pattern.pattern, value)
        )
        return tests, [*binds, *([(pattern.name, value)] if pattern.name else [])]

    def _MatchOr(self, pattern: Any, value: Any) -> tuple[Tests, Binds]:
        sides = []
        for item in pattern.patterns:
            tests, binds = self._pattern(item, value)
            if binds:
                raise _UnknownPatternError("alternatives inside a pattern that bind names")
            if not tests:
                return [], []
            sides.append(tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests))
        return [gast.BoolOp(gast.Or(), sides)], []

    def _MatchSequence(self, pattern: Any, value: Any) -> tuple[Tests, Binds]:
        texts = gast.Tuple([load("str"), load("bytes"), load("bytearray")], gast.Load())
        is_text = call("isinstance", clone(value), texts)
        items = pattern.patterns
        star = next((i for i, p in enumerate(items) if isinstance(p, gast.MatchStar)), None)
        count = constant(len(items) - (star is not None))
        operator = gast.Eq() if star is None else gast.GtE()
        tests: Tests = [
            call("isinstance", clone(value), load(self._class_name(collections.abc.Sequence))),
            gast.UnaryOp(gast.Not(), is_text),
            _compare(call("len", clone(value)), operator, count),
        ]
        binds: Binds = []
        for position, item in enumerate(items):
            if position == star:
                if item.name:
                    binds.append((item.name, _rest(value, position, len(items))))
                continue
            after = star is not None and position > star
            index = constant(position - len(items) if after else position)
            inner, names = self._pattern(item, subscript(clone(value), index))
            tests += inner
            binds += names
        return tests, binds

    def _MatchMapping(self, pattern: Any, value: Any) -> tuple[Tests, Binds]:
        if pattern.rest:
            raise _UnknownPatternError("`**` of a mapping")
        mapping = load(self._class_name(collections.abc.Mapping))
        tests: Tests = [call("isinstance", clone(value), mapping)]
        tests += [_compare(key, gast.In(), value) for key in pattern.keys]
        binds: Binds = []
        for key, item in zip(pattern.keys, pattern.patterns, strict=True):
            inner, names = self._pattern(item, subscript(clone(value), clone(key)))
            tests += inner
            binds += names
        return tests, binds

    def _MatchClass(self, pattern: Any, value: Any) -> tuple[Tests, Binds]:
        owner = self._scope.resolve(pattern.cls)
        if not isinstance(owner, type):
            raise _UnknownPatternError("a class that only the run tells")
        tests: Tests = [call("isinstance", clone(value), clone(pattern.cls))]
        binds: Binds = []
        places = list(zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True))
        if issubclass(owner, _WHOLE) and len(pattern.patterns) == 1 and not _named(owner):
            inner, binds = self._pattern(pattern.patterns[0], value)
            tests += inner
        else:
            names = getattr(owner, "__match_args__", ())
            if len(names) < len(pattern.patterns):
                raise _UnknownPatternError("more positions than the class has")
            places = [*zip(names, pattern.patterns, strict=False), *places]
        for name, item in places:
            if not hasattr(owner, name) and name not in _fields(owner):
                raise _UnknownPatternError(f"the class may have no `{name}`")
            inner, bound = self._pattern(item, gast.Attribute(clone(value), name, gast.Load()))
            tests += inner
            binds += bound
        return tests, binds

    def _class_name(self, abstract: type) -> str:
        """Return a name for a class of `collections.abc`, as if the user had imported it."""
        wish = abstract.__name__
        if wish not in self._abstract:
            if self._scope.lookup(wish) is abstract:
                self._abstract[wish] = wish
            else:
                name = self._abstract[wish] = self._namer.fresh(wish)
                holder = vars(collections.abc)
                self._scope.used[name] = Binding(wish, abstract, holder)
        return self._abstract[wish]


def _alternatives(case: Any) -> list[Any]:
    """Return a case for each alternative, where these bind names."""
    pattern = case.pattern
    if not isinstance(pattern, gast.MatchOr) or not captures(pattern):
        return [case]
    return [gast.match_case(item, clone(case.guard), clone(case.body)) for item in pattern.patterns]


def captures(pattern: Any) -> list[str]:
    """Return the names that a pattern binds."""
    names = [getattr(node, "name", None) or getattr(node, "rest", None) for node in walk(pattern)]
    return [name for name in names if isinstance(name, str)]


def leaking(body: list[Any]) -> set[str]:
    """Return the names that patterns bind and that are read outside of the cases that bind them."""
    if not any(found_in(statement, gast.Match) for statement in body):
        return set()
    reads = Counter(name for statement in body for name in names_read(statement))
    found = set(reads)
    for statement in body:
        for node in walk(statement):
            for case in getattr(node, "cases", []):
                inside = Counter(
                    name for part in [case.guard, *case.body] for name in names_read(part)
                )
                for name in captures(case.pattern):
                    reads[name] -= inside[name]
    return {name for name in found if reads[name] > 0}


def _with_values(guard: Any, values: dict[str, Any]) -> Any:
    """Return a guard that reads the parts of the subject themselves, which are not bound yet."""
    if isinstance(guard, gast.Name) and guard.id in values:
        return clone(values[guard.id])
    for field in guard._fields:
        part = getattr(guard, field, None)
        if isinstance(part, list):
            part[:] = [_with_values(i, values) if isinstance(i, gast.AST) else i for i in part]
        elif isinstance(part, gast.AST):
            setattr(guard, field, _with_values(part, values))
    return guard


def _rest(value: Any, position: int, count: int) -> Any:
    after = count - 1 - position
    upper = constant(-after) if after else None
    lower = constant(position) if position else None
    return call("list", subscript(clone(value), gast.Slice(lower, upper, None)))


def _compare(left: Any, operator: Any, right: Any) -> Any:
    return gast.Compare(clone(left), [operator], [clone(right)])


def _named(owner: type) -> bool:
    return hasattr(owner, "__match_args__")


def _fields(owner: type) -> tuple[str, ...]:
    return (*getattr(owner, "__dataclass_fields__", ()), *getattr(owner, "__slots__", ()))
