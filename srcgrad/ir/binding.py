"""Says which reads may meet a name that no path has bound."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.jumps import falls_through, jumps, surely_runs
from srcgrad.ir.program import bound_by, bound_names, header_of, header_reads
from srcgrad.ir.walk import blocks_of, found_in, names_read, nodes_in, statements

_LATER = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
_UNSURE = (
    gast.BoolOp,
    gast.IfExp,
    gast.Compare,
    gast.Assert,
    gast.Lambda,
    gast.FunctionDef,
    *_LATER,
)


@dataclass(slots=True)
class Read:
    """A read of a name that not every path has bound.

    Attributes:
        statement: The statement that reads it.
        name: The name.
        test: What says whether it is read once the statement runs; None if it surely is.
        again: Whether later trips of the loop whose test reads it may find it unbound, too.
    """

    statement: Any
    name: str
    test: Any = None
    again: bool = False


def maybe_unbound(
    body: list[Any], parameters: Iterable[str], base: Callable[[str], str]
) -> frozenset[str]:
    """Return the names of a body that are read where not every path has bound them.

    Python raises an UnboundLocalError then, and so must a derivative. Copies between versions of
    one variable, of the same `base`, are no reads of the user's.

    >>> from srcgrad.compiler.doctesting import parse
    >>> body = parse('''
    ... if x > 0:
    ...     y = x
    ... if x > 1:
    ...     z = x
    ... else:
    ...     z = y
    ... out = z
    ... ''')
    >>> sorted(maybe_unbound(body, ["x"], str))
    ['y']
    """
    found: list[Read] = []
    _Walk(body, bound_names(body), found, base, (), _any_read).block(body, {*parameters})
    return frozenset(read.name for read in found)


def _any_read(statement: Any) -> list[tuple[str, Any]]:
    return [(name, None) for name in header_reads(statement)]


def unbound_reads(
    body: list[Any],
    parameters: Iterable[str],
    base: Callable[[str], str],
    started: Collection[str] = (),
    local: Iterable[str] = (),
) -> list[Read]:
    """Return the reads, by statements of a body, of what not every path to them has bound.

    The names that are `started` are bound to None before a loop, which the program itself does not.
    Variables that are `local` mean nothing of outside, also where no statement binds them now.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... s = None
    ... for i in range(3):
    ...     if i > 0 and x > t:
    ...         y = s * t
    ...     s = x
    ...     t = x
    ... ''')
    >>> for read in unbound_reads(body, ["x"], str, ["s"]):
    ...     print(read.name, gast.unparse(read.test) if read.test else text([read.statement]))
    t i > 0
    s y = s * t
    """
    found: list[Read] = []
    names = {*bound_names(body), *local}
    _Walk(body, names, found, base, started, _told_reads).block(body, {*parameters})
    return found


def read_untold(body: list[Any]) -> frozenset[str]:
    """Return the names that are read for each entry or later, of which no test tells whether."""
    told = (pair for statement in statements(body) for pair in tested_reads(statement))
    return frozenset(name for name, test in told if test is None)


def _sure_reads(statement: Any) -> list[tuple[str, Any]]:
    """Return the names that a statement reads, all of whose parts are surely evaluated."""
    return [(name, None) for part in header_of(statement) for name in names_read(part)]


def _told_reads(statement: Any) -> list[tuple[str, Any]]:
    """Return the names that a statement reads, and the tests of what it reads only then."""
    if not any(found_in(part, *_UNSURE) for part in header_of(statement)):
        return _sure_reads(statement)
    surely = [(name, None) for name in surely_read(statement)]
    return [*surely, *(pair for pair in tested_reads(statement) if pair[1] is not None)]


def surely_read(statement: Any) -> list[str]:
    """Return the names that a statement reads itself, whatever their values are.

    What is calculated later, for each entry, or if another value says so, it may not read.

    >>> from srcgrad.compiler.doctesting import parse
    >>> (statement,) = parse("z = [f(a, v) for v in b] if c and d else (lambda: e)")
    >>> surely_read(statement)
    ['c']
    >>> surely_read(parse("z[i] = g(v for v in b[j]) < c < d")[0])
    ['g', 'b', 'j', 'c', 'z', 'i']
    """
    return [name for part in header_of(statement) for name in _surely(part)]


def _surely(node: Any) -> list[str]:
    return [name for name, tests in _under_tests(node) if tests == ()]


def tested_reads(statement: Any) -> list[tuple[str, Any]]:
    """Return the names that a statement reads if a test before says so, and that test.

    The test is None where no single one tells: what is read for each entry, or called later.

    >>> from srcgrad.compiler.doctesting import parse
    >>> (statement,) = parse("z = (k > 0 and x[k] > a) or b if c else [d for _ in e]")
    >>> for name, test in tested_reads(statement):
    ...     print(name, gast.unparse(test) if test else None)
    k c
    x c and k > 0
    k c and k > 0
    a c and k > 0
    b c and (not (k > 0 and x[k] > a))
    e not c
    d None
    """
    return [
        (name, None if tests is None else joined("and", tests))
        for part in header_of(statement)
        for name, tests in _under_tests(part)
        if tests != ()
    ]


def _read_when(test: Any, *, held: bool) -> list[str]:
    """Return the names that a test has surely read where it held, or where it did not."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return _read_when(test.operand, held=not held)
    if isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And) == held:
        return [name for part in test.values for name in _read_when(part, held=held)]
    return _surely(test)


def _not_held(test: Any, *, held: bool) -> list[str]:
    """Return the names that are false for sure where a test held, or where it did not."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return _not_held(test.operand, held=not held)
    if isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And) == held:
        return [name for part in test.values for name in _not_held(part, held=held)]
    return [test.id] if isinstance(test, gast.Name) and not held else []


def _raised(statement: Any) -> list[str]:
    """Return the flags that a statement raises."""
    if (
        not isinstance(statement, gast.Assign)
        or getattr(statement.value, "value", None) is not True
    ):
        return []
    return _binds(statement)


def joined(word: str, tests: Sequence[Any]) -> Any:
    """Return a test that holds if all of some hold ("and"), or if one of them does ("or")."""
    if len(tests) == 1:
        return tests[0]
    return gast.BoolOp(gast.And() if word == "and" else gast.Or(), [*tests])


Tests = tuple[Any, ...]


def _under_tests(node: Any, tests: Tests | None = ()) -> Iterator[tuple[str, Tests | None]]:
    """Yield the names that an expression reads, each with the tests that must hold before."""
    if isinstance(node, gast.Name):
        if isinstance(node.ctx, gast.Load):
            yield node.id, tests
        return
    for part, asked in _parts(node):
        known = None if tests is None or asked is None else (*tests, *asked)
        yield from _under_tests(part, known)


def _parts(node: Any) -> Iterator[tuple[Any, Tests | None]]:
    """Yield the parts of an expression, each with the tests that say whether it is evaluated."""
    if isinstance(node, gast.BoolOp):
        for count, part in enumerate(node.values):
            met = joined("or", node.values[:count]) if count else None
            before = tuple(node.values[:count])
            negated = () if met is None else (gast.UnaryOp(gast.Not(), met),)
            yield part, before if isinstance(node.op, gast.And) else negated
    elif isinstance(node, gast.IfExp):
        yield node.test, ()
        yield node.body, (node.test,)
        yield node.orelse, (gast.UnaryOp(gast.Not(), node.test),)
    elif isinstance(node, gast.Compare):
        yield node.left, ()
        for count, part in enumerate(node.comparators):
            before = gast.Compare(node.left, node.ops[:count], node.comparators[:count])
            yield part, (before,) if count else ()
    elif isinstance(node, gast.Assert):
        yield node.test, ()
        if node.msg is not None:
            yield node.msg, (gast.UnaryOp(gast.Not(), node.test),)
    elif isinstance(node, (gast.Lambda, gast.FunctionDef)):
        written = getattr(node, "decorator_list", [])
        for part in [*written, *node.args.defaults, *filter(None, node.args.kw_defaults)]:
            yield part, ()
        own = {item.id for item in found_in(node.args, gast.Name)}
        body = node.body if isinstance(node.body, list) else [node.body]
        inside = (item for part in body for item in found_in(part, gast.Name))
        yield from ((item, None) for item in inside if item.id not in own)
    elif isinstance(node, _LATER):
        first, *rest = node.generators
        yield first.iter, ()
        own = {item.id for part in node.generators for item in found_in(part.target, gast.Name)}
        inner = [part for name, part in gast.iter_fields(node) if name != "generators"]
        for part in [*first.ifs, *rest, *inner]:
            yield from ((item, None) for item in found_in(part, gast.Name) if item.id not in own)
    else:
        yield from ((part, ()) for part in nodes_in(node))


def read_at_once(loop: Any, name: str) -> bool:
    """Say whether the first trip of a loop surely reads a name before it binds it.

    >>> from srcgrad.compiler.doctesting import parse
    >>> (loop,) = parse('''
    ... for i in range(n):
    ...     if i > 0:
    ...         a = a + b
    ...     b = [c for c in x]
    ... ''')
    >>> [name for name in "abcx" if read_at_once(loop, name)]
    ['x']
    """
    is_asked = isinstance(loop, gast.While) and _reads(loop, name)
    return is_asked or _first_use(loop.body, name) == "read"


def _reads(statement: Any, name: str) -> bool:
    """Say whether a statement reads a name itself, as far as no test tells that it does not."""
    if name not in header_reads(statement):
        return False
    untold = (read for read, test in tested_reads(statement) if test is None)
    return name in surely_read(statement) or name in untold


def _first_use(block: list[Any], name: str) -> str:
    """Return what surely happens to a name first, "read" or "bound"; "" if neither is sure."""
    for statement in block:
        if _reads(statement, name):
            return "read"
        if isinstance(statement, gast.If):
            used = {_first_use(part, name) for part in (statement.body, statement.orelse)}
            if len(used) == 1 and "" not in used:
                return used.pop()
        elif isinstance(statement, (gast.Try, gast.With)):
            used = {_first_use(statement.body, name)}
            if used != {""}:
                return used.pop()
        if any(name in _binds(item) for item in statements([statement])):
            is_plain = not any(True for _ in blocks_of(statement))
            return "bound" if is_plain else ""
        if not falls_through([statement]) or any(jumps([statement])):
            return ""
    return ""


Bound = set[str | tuple[str, str]]


class _Walk:
    """Goes through a body with the names that are surely bound.

    Beside a name, a pair of a flag and a name may be in the set: the name is bound where the flag
    is not up. `reads` are the names that a statement reads, each with the test that says whether it
    does.
    """

    def __init__(
        self,
        body: list[Any],
        local: set[str],
        found: list[Read],
        base: Callable[[str], str],
        started: Collection[str],
        reads: Callable[[Any], list[tuple[str, Any]]],
    ) -> None:
        self._local = local
        self._found = found
        self._base = base
        self._started = started
        self._reads = reads
        self._values: dict[str, Any] = {}
        self._handed_on = _copies_of(started, body) if started else frozenset()
        self._flags = {name for item in statements(body) for name in _raised(item)}
        self._tried = bound_names([item for item in statements(body) if isinstance(item, gast.Try)])

    def block(self, block: list[Any], bound: Bound) -> Bound:
        """Return the names bound after a block, given those before; note the reads of others.

        The set that is given is the block's own: it grows with each statement.
        """
        for statement in block:
            if self._joins(statement):
                bound |= self._joined(statement, bound)
                continue
            found = self._note(statement, bound)
            if found:
                bound |= {read.name for read in found if read.test is None}  # or it has raised
            if isinstance(statement, gast.If):
                bound = self._branch(statement, bound)
            elif isinstance(statement, (gast.For, gast.While)):
                bound = self._without(statement.body, bound)
                end = self.block(statement.body, self._when(statement, bound, held=True))
                for read in found:
                    read.again = isinstance(statement, gast.While) and read.name not in end
                if "range" not in self._local and surely_runs(statement):
                    bound |= end
            elif isinstance(statement, gast.With):
                bound = self.block(statement.body, bound | set(_binds(statement)))
            elif isinstance(statement, gast.Try):
                bound = self._attempt(statement, bound)
            else:
                bound = self._bind(statement, bound)
        return bound

    def _joined(self, statement: Any, bound: Bound) -> Bound:
        """Return what a copy of one version to another binds, and what it does if no flag is up."""
        source, (target,) = statement.value.id, _binds(statement)
        if source not in self._local or source in bound:
            return {target}
        return {(flag, target) for flag in self._flags if (flag, source) in bound}

    def _bind(self, statement: Any, bound: Bound) -> Bound:
        binds = _binds(statement)
        if len(binds) == 1 and isinstance(statement, gast.Assign):
            self._values[binds[0]] = statement.value  # a test may have a name
        bound = self._without([statement], bound)
        for flag in _raised(statement):
            bound |= {(flag, name) for name in self._handed_on}
        if not is_start(statement, self._started):
            bound.update(binds)
        return bound

    def _without(self, block: list[Any], bound: Bound) -> Bound:
        """Return what is bound without what hangs on flags that a block binds."""
        if not self._flags or self._flags.isdisjoint(names := bound_names(block)):
            return bound
        return {item for item in bound if isinstance(item, str) or item[0] not in names}

    def _note(self, statement: Any, bound: Bound) -> list[Read]:
        """Note what a statement reads of what is not surely bound, once for each name."""
        local = self._local
        if all(name in bound or name not in local for name in header_reads(statement)):
            return []  # as most
        found: dict[str, Read] = {}
        for name, test in self._reads(statement):
            if name in bound or name not in self._local:
                continue
            if test is not None and name in _surely(test):
                continue  # the test has read it before
            before = found.setdefault(name, Read(statement, name, test))
            if before.test is not None and before.test is not test:
                before.test = None if test is None else joined("or", (before.test, test))
        self._found += found.values()
        return [*found.values()]

    def _branch(self, statement: Any, bound: Bound) -> Bound:
        parts = {True: statement.body, False: statement.orelse}
        ends = [
            self.block(part, self._when(statement, bound, held=held))
            for held, part in parts.items()
        ]
        ends = [end for end, part in zip(ends, parts.values(), strict=True) if falls_through(part)]
        return self._met(ends) if ends else bound | self._local

    def _attempt(self, statement: Any, bound: Bound) -> Bound:
        """Go through a `try`: it is taken apart with care, but for what a loop hands on to it.

        Its body may read what no `try` binds, and a handler may wait for that.
        """
        cared = {*bound, *self._local.difference(self._handed_on)}
        tried = [*statement.body, *statement.orelse]
        handled = [handler.body for handler in statement.handlers]
        every = [(tried, cared | self.block(tried, {*bound, *(self._tried & cared)}))]
        every += [(part, self.block(part, {*cared})) for part in handled]
        last = self.block(statement.finalbody, {*cared})
        ends = [end for part, end in every if falls_through(part)]
        return self._met(ends) | last if ends else bound | self._local

    def _met(self, ends: list[Bound]) -> Bound:
        """Return what is bound at all of several ends, and what is if no flag is up."""
        common = set.intersection(*ends)
        some = {name for name in self._handed_on - common if any(name in end for end in ends)}
        for name in some:  # at one end, and under a flag at others
            common.update(
                (flag, name)
                for flag in self._flags
                if all(name in end or (flag, name) in end for end in ends)
            )
        return common

    def _when(self, statement: Any, bound: Bound, *, held: bool) -> Bound:
        """Return the names bound in a branch or a loop: what its test has read is, too."""
        test = getattr(statement, "test", None)
        down = _not_held(test, held=held) if test is not None else []
        test = self._values.get(getattr(test, "id", ""), test)
        asked = _read_when(test, held=held) if test is not None else []
        behind = {name for flag in down for name in self._handed_on if (flag, name) in bound}
        return {*bound, *_binds(statement), *asked, *behind}

    def _joins(self, statement: Any) -> bool:
        """Say whether a statement copies one version of a variable to another."""
        if not isinstance(statement, gast.Assign) or not isinstance(statement.value, gast.Name):
            return False
        (target,) = statement.targets
        same = isinstance(target, gast.Name) and (
            self._base(target.id) == self._base(statement.value.id)
        )
        return same and target.id != statement.value.id


def _copies_of(names: Collection[str], body: list[Any]) -> frozenset[str]:
    """Return some names and those that may be bound to what these hold."""
    copies = [
        (statement.value.id, name)
        for statement in statements(body)
        if isinstance(statement, gast.Assign) and isinstance(statement.value, gast.Name)
        for name in _binds(statement)
    ]
    found, more = set(names), set(names)
    while more:
        more = {name for source, name in copies if source in found} - found
        found |= more
    return frozenset(found)


def is_start(statement: Any, started: Collection[str]) -> bool:
    """Say whether a statement binds one of some names to nothing, for a loop to hand on.

    >>> from srcgrad.compiler.doctesting import parse
    >>> [is_start(item, ["s"]) for item in parse("s = None; t = None; s = t")]
    [True, False, False]
    """
    if not isinstance(statement, gast.Assign) or not isinstance(statement.value, gast.Constant):
        return False
    return statement.value.value is None and not set(_binds(statement)).isdisjoint(started)


def _binds(statement: Any) -> list[str]:
    return bound_by(statement)
