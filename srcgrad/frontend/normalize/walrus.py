"""Takes assignments out of expressions: ``if (y := f(x)) > 0`` becomes two statements."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.frontend.normalize.comprehensions import own_names, rename, written_out
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, load, store
from srcgrad.ir.evaluation import part_at, places_in, put_at
from srcgrad.ir.jumps import inner_blocks
from srcgrad.ir.marks import NATURAL
from srcgrad.ir.names import Namer
from srcgrad.ir.walk import found_in, names_bound, names_read, nodes_in, statements

_OWN_SCOPES: Final = (
    gast.Lambda,
    gast.ListComp,
    gast.SetComp,
    gast.DictComp,
    gast.GeneratorExp,
)
_FIELDS: Final = ("value", "test", "iter", "exc", "msg", "subject", "targets", "target", "items")


class Walrus:
    """Rewrites the blocks of one function.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... while (y := y * x) < 9 and (z := y - 1) > 0:
    ...     x = x + z
    ... ''')
    >>> print(text(Walrus(Namer(["x", "y", "z"]), None).block(body)))
    while True:
        y = y * x
        goes_on = y < 9
        if goes_on:
            z = y - 1
            goes_on = z > 0
        if not goes_on:
            break
        x = x + z
    >>> body = parse("z = y * g(y, (y := f(x)))")
    >>> print(text(Walrus(Namer(["x", "y", "z"]), None).block(body)))
    before = y
    before_2 = y
    y = f(x)
    z = before * g(before_2, y)
    >>> body = parse("t = 0 < f(x) < (y := x)")
    >>> print(text(Walrus(Namer(["t", "x", "y"]), None).block(body)))
    between = f(x)
    goes_on = 0 < between
    if goes_on:
        y = x
        goes_on = between < y
    t = goes_on
    """

    def __init__(self, namer: Namer, refusals: Refusals) -> None:
        self._namer = namer
        self._refusals = refusals
        self._out: list[Any] = []
        self._first: list[Any] = []

    def block(self, block: list[Any]) -> list[Any]:
        """Return a block without assignment expressions."""
        if not any(map(_holds, block)):
            return block
        done: list[Any] = []
        for statement in block:
            for part in inner_blocks(statement):
                part[:] = self.block(part)
            if isinstance(statement, gast.While) and _holds(statement.test):
                done.append(self._loop(statement))
                continue
            kept = self._kept_by_update(statement)
            lead = self._before(statement)
            done += lead if lead and _is_idle(statement) else [*lead, statement]
            done += kept
        return done

    def _before(self, statement: Any) -> list[Any]:
        """Take the assignments out of a statement's own expressions; return them."""
        outer = self._out
        self._out, self._first = self._first, []
        for field in _fields(statement):
            part = getattr(statement, field, None)
            if isinstance(part, list):
                part[:] = [self._take(item, statement) for item in part]
            elif isinstance(part, gast.AST):
                setattr(statement, field, self._take(part, statement))
        lead, self._out = self._out, outer
        return lead

    def _kept_by_update(self, update: Any) -> list[Any]:
        """Keep what an update reads of its target before its value assigns that.

        Of ``y += (y := f(y))`` the array that was there is updated, and bound again: return that.
        """
        if not isinstance(update, gast.AugAssign) or not _updates_what_it_rebinds(update):
            return []
        assigned = _assigned_in(update.value)
        for name in [name for name in dict.fromkeys(names_read(update.target)) if name in assigned]:
            before = self._namer.fresh("before")
            self._first.append(assign(before, load(name), update))
            rename(update.target, {name: before})
        if not isinstance(update.target, gast.Name):
            return []
        name = update.target.id
        before = self._namer.fresh("before")
        self._first.append(assign(before, load(name), update))
        update.target.id = before
        return [assign(name, load(before), update)]

    def _loop(self, loop: Any) -> Any:
        """The condition becomes a `break` at the head of the body."""
        head = at(gast.If(loop.test, [], []), loop)
        lead = self._before(head)
        leave = at(gast.Break(), loop)
        NATURAL.put(leave, True)  # the loop's `else` is run
        check = at(gast.If(gast.UnaryOp(gast.Not(), head.test), [leave], []), loop)
        body = [*lead, check, *loop.body]
        return at(gast.While(gast.Constant(True, None), body, loop.orelse), loop)

    def _take(self, node: Any, statement: Any) -> Any:
        """Return an expression without assignments, after those have been emitted."""
        if not _holds(node):
            return node
        if isinstance(node, gast.NamedExpr):
            value = self._take(node.value, statement)
            self._out.append(assign(node.target, value, statement))
            return load(node.target.id)
        if isinstance(node, gast.BoolOp):
            return self._short_circuit(node, statement)
        if isinstance(node, gast.IfExp):
            return self._conditional(node, statement)
        if isinstance(node, _OWN_SCOPES):
            return self._looped(node, statement)
        if isinstance(node, gast.Compare) and any(map(_holds, node.comparators[1:])):
            return self._short_circuit(self._links(node), statement)
        if _reads_before(node, set()):
            return self._apart(node, statement)
        for field in node._fields:
            part = getattr(node, field, None)
            if isinstance(part, list):
                part[:] = [self._take(item, statement) for item in part]
            elif isinstance(part, gast.AST):
                setattr(node, field, self._take(part, statement))
        return node

    def _apart(self, node: Any, statement: Any) -> Any:
        """Take an expression apart that reads what it assigns later: that is bound before."""
        places = list(places_in(node))
        parts = [part_at(place) for place in places]
        assigned = [_assigned_in(part) for part in parts]
        inside = _assigned_in(node)
        known = sum(map(len, assigned)) == len(inside)
        plain = not any(isinstance(part, (gast.Slice, gast.Starred)) for part in parts)
        if not known or not plain or getattr(getattr(node, "func", None), "id", "") in assigned:
            self._refuse(node)
            return node
        for number, (place, part) in enumerate(zip(places, parts, strict=True)):
            later = {name for names in assigned[number + 1 :] for name in names}
            done = self._take(part, statement)
            if not later.isdisjoint(names_read(done)):
                named = isinstance(done, gast.keyword)
                name = self._namer.fresh("before")
                self._out.append(assign(name, done.value if named else done, statement))
                done = gast.keyword(done.arg, load(name)) if named else load(name)
            put_at(place, done)
        return node

    def _looped(self, node: Any, statement: Any) -> Any:
        """Write a comprehension out, whose variables are its own; what it assigns is not."""
        if not isinstance(node, (gast.ListComp, gast.DictComp)):
            self._refuse(node)
            return node
        name = _named_after(node, statement) or self._namer.fresh("items")
        variables = {n for part in node.generators for n in names_bound(part.target)}
        own = own_names(node, variables, self._namer)
        lines = written_out(name, own, statement)
        if not _is_plain_key(own):  # which comes before its value
            put = next(item for item in statements(lines) if _stores_entry(item, name))
            key = self._namer.fresh("key")
            first = assign(key, put.targets[0].slice, statement)
            put.targets[0].slice = load(key)
            block = next(b for s in statements(lines) for b in inner_blocks(s) if put in b)
            block.insert(block.index(put), first)
        self._out += self.block(lines)
        return load(name)

    def _short_circuit(self, node: Any, statement: Any) -> Any:
        first, *others = node.values
        name = self._namer.fresh("goes_on")
        self._out.append(assign(name, self._take(first, statement), statement))
        rest = gast.BoolOp(node.op, others) if len(others) > 1 else others[0]
        more = self._into(name, rest, statement)
        goes_on = isinstance(node.op, gast.And)
        test = load(name) if goes_on else gast.UnaryOp(gast.Not(), load(name))
        self._out.append(at(gast.If(test, more, []), statement))
        return load(name)

    def _links(self, node: Any) -> Any:
        """Return a chain of comparisons as one for each operator, which share what is between."""
        links: list[Any] = []
        left = node.left
        for place, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True), 1):
            last, shared, operand = place == len(node.ops), right, right
            if not last and not isinstance(right, (gast.Name, gast.Constant)):
                shared = load(self._namer.fresh("between"))
                operand = gast.NamedExpr(store(shared.id), right)
            links.append(at(gast.Compare(left, [op], [operand]), node))
            left = shared
        return gast.BoolOp(gast.And(), links)

    def _conditional(self, node: Any, statement: Any) -> Any:
        test = self._take(node.test, statement)
        if not _holds(node.body) and not _holds(node.orelse):
            node.test = test
            return node
        name = self._namer.fresh("chosen")
        branches = [self._into(name, part, statement) for part in (node.body, node.orelse)]
        self._out.append(at(gast.If(test, *branches), statement))
        return load(name)

    def _into(self, name: str, value: Any, statement: Any) -> list[Any]:
        outer, self._out = self._out, []
        self._out.append(assign(name, self._take(value, statement), statement))
        done, self._out = self._out, outer
        return done

    def _refuse(self, node: Any) -> None:
        self._refusals.add(
            node,
            "`:=` at this place is not differentiated by source",
            "assign in a statement of its own",
        )


def _named_after(value: Any, statement: Any) -> str:
    """Return the name that a statement gives to all of a value that neither reads nor binds it."""
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return ""
    name = getattr(statement.targets[0], "id", "")
    mentioned = {item.id for item in found_in(value, gast.Name)}
    return name if statement.value is value and name not in mentioned else ""


def _is_idle(statement: Any) -> bool:
    """Say whether a statement gives a name what it has, as is left of one that was written out."""
    named = isinstance(statement, gast.Assign) and isinstance(statement.value, gast.Name)
    return named and [getattr(t, "id", "") for t in statement.targets] == [statement.value.id]


def _is_plain_key(comprehension: Any) -> bool:
    """Say whether the keys of a dict are none of what is assigned, since they come first."""
    if isinstance(comprehension, gast.ListComp):
        return True
    read = names_read(comprehension.key)
    return not _holds(comprehension.key) and not set(_assigned_in(comprehension)) & set(read)


def _stores_entry(statement: Any, name: str) -> bool:
    """Say whether a statement binds an entry of a dict."""
    target = statement.targets[0] if isinstance(statement, gast.Assign) else None
    return isinstance(target, gast.Subscript) and getattr(target.value, "id", "") == name


def _assigned_in(node: Any) -> list[str]:
    """Return the names that an expression assigns, as often as it does."""
    return [item.target.id for item in found_in(node, gast.NamedExpr)]


def _holds(node: Any) -> bool:
    return isinstance(node, gast.AST) and bool(found_in(node, gast.NamedExpr))


def _fields(statement: Any) -> tuple[str, ...]:
    """Return the fields that may hold expressions, in the order in which they are evaluated."""
    return ("target", "value") if isinstance(statement, gast.AugAssign) else _FIELDS


def _updates_what_it_rebinds(update: Any) -> bool:
    """Say whether the value of ``y[i] += ...`` assigns what the target has read before.

    >>> from srcgrad.compiler.doctesting import parse
    >>> [_updates_what_it_rebinds(item) for item in parse("y[i] += (i := 2); y[i] += (j := i)")]
    [True, False]
    """
    read: set[str] = set()
    return not _reads_before(update.target, read) and _reads_before(update.value, read)


def _reads_before(node: Any, read: set[str]) -> bool:
    """Say whether something is read in an expression before it is assigned there.

    `read` are the names that are read before; those of the expression are added.
    """
    if isinstance(node, gast.Name):
        read.add(node.id)
    if isinstance(node, gast.NamedExpr):
        if node.target.id in read or _reads_before(node.value, set(read)):
            return True
        read.add(node.target.id)  # what is left of it, once the assignment is made before
        return False
    return any(_reads_before(child, read) for child in nodes_in(node))
