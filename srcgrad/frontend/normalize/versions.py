"""Gives every assignment of a variable its own name, and joins them by explicit copies.

Static single assignment on structured programs (Brandis and Mössenböck, 1994): where paths meet,
the phi function is a copy at the end of each path, so every stage stays a Python program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.binding import read_at_once
from srcgrad.ir.build import assign, at, load
from srcgrad.ir.jumps import falls_through, jumps
from srcgrad.ir.liveness import walk_live
from srcgrad.ir.marks import ATTEMPT, CLOSING, EXPOSED, RENEWED, RESCUED
from srcgrad.ir.names import Namer
from srcgrad.ir.program import bound_names, header_reads
from srcgrad.ir.walk import found_in, names_bound, names_read, statements

Environment = dict[str, str]


class Versions:
    """Renames one function body.

    Attributes:
        unbound: The loops whose first trip surely reads a variable that nothing has bound, and
            which one.
        started: The names that loops hand on, and that are bound to None before them.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... y = x
    ... if c:
    ...     y = y * x
    ... x = y + 1
    ... ''')
    >>> print(text(Versions(Namer(["x", "c", "y"]), ["x", "c"], frozenset(["x", "y"])).block(body)))
    y = x
    if c:
        y_2 = y * x
        y_3 = y_2
    else:
        y_3 = y
    x_2 = y_3 + 1
    """

    def __init__(
        self,
        namer: Namer,
        parameters: Sequence[str],
        variables: frozenset[str],
        fixed: frozenset[str] = frozenset(),
        outside: Sequence[str] = (),
    ) -> None:
        self._namer = namer
        self._variables = variables  # the user's; the others never live across iterations
        self._fixed = fixed  # results and flags: what is read of them was bound on the way
        self._exposed: Environment = {}
        self._copied: Environment = {}
        self._used = {*parameters, *outside}  # what is `outside` is no variable's first value
        self.environment: Environment = {name: name for name in parameters}
        self._carried: dict[
            int, frozenset[str]
        ] = {}  # by loops: what a trip takes over from the last one
        self._left: dict[int, frozenset[str]] = {}  # what is read after them, and after branches
        self.unbound: list[tuple[Any, str]] = []
        self.started: set[str] = set()

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of a function, in which loops carry nothing that nobody reads."""

        def visit(statement: Any, live: set[str]) -> None:
            if isinstance(statement, (gast.For, gast.While)):
                left = self._left[id(statement)] = frozenset(live)
                kept = walk_live(statement.body, set(live), None, left)
                header = set(header_reads(statement))
                kept |= walk_live(statement.body, kept | header, None, left)
                kept |= header if isinstance(statement, gast.While) else set()  # asked each trip
                self._carried[id(statement)] = frozenset(kept)
            elif isinstance(statement, gast.If):
                self._left[id(statement)] = frozenset(live.difference(self._variables))

        walk_live(body, set(), visit)
        return self.block(body)

    def block(self, body: list[Any]) -> list[Any]:
        """Return a statement list in which no two assignments share a name."""
        done: list[Any] = []
        for statement in body:
            handler = getattr(self, f"_{type(statement).__name__}", self._other)
            done.extend(handler(statement))
            done.extend(self._expose(statement))
        return done

    def _expose(self, statement: Any) -> list[Any]:
        """Copy what a statement of a `try` binds, if it may be read after the `try` has failed."""
        copies = []
        for variable, head in self._exposed.items():
            last = self.environment.get(variable)
            if last is None or last == head:
                continue
            if last != self._copied.get(variable) or _updates(statement, last):
                self._copied[variable] = last
                copies.append(assign(head, load(last), statement))
        return copies

    def _missed(self, before: Environment, attempt: Any) -> list[Any]:
        """Return the copies that the handlers of a `try` have made, for the end of its body."""
        missed = [
            (head, self.environment[variable])
            for variable, head in self._exposed.items()
            if self._copied.get(variable) != before.get(variable)
            and self._copied[variable] == self.environment.get(variable)
        ]
        ends = falls_through(attempt.body)
        return [assign(head, load(last), attempt) for head, last in missed] if ends else []

    def _other(self, node: Any) -> list[Any]:
        self._rename(node)
        return [node]

    def _Assign(self, node: Any) -> list[Any]:
        self._rename(node.value)
        for target in node.targets:
            self._rename_target(target)
        return [node]

    def _AugAssign(self, node: Any) -> list[Any]:
        self._rename(node.value)
        self._rename(node.target)
        return [node]

    def _If(self, node: Any) -> list[Any]:
        self._rename(node.test)
        before = self.environment
        self.environment = dict(before)
        body = self.block(node.body)
        then, self.environment = self.environment, dict(before)
        orelse = self.block(node.orelse)
        other = self.environment
        ends_then, ends_other = not falls_through(body), not falls_through(orelse)
        if ends_then or ends_other:
            self.environment = other if ends_then else then
        else:
            self._join(node, body, then, orelse, other)
        branch = at(gast.If(node.test, body, orelse), node)
        ATTEMPT.put(branch, ATTEMPT.of(node))
        return [branch]

    def _Try(self, node: Any) -> list[Any]:
        """Join what the body binds, if it is run to its end, with what was bound before."""
        assigned = _assigned(node.body)  # what is updated alone goes by one name
        kept = assigned if RESCUED.of(node) else sorted(EXPOSED.of(node) & {*assigned})
        kept = [name for name in kept if name not in RENEWED.of(node) or name in EXPOSED.of(node)]
        heads: Environment = {}
        before = []
        for variable in dict.fromkeys(kept):
            if variable in self._variables and variable not in self._fixed:
                heads[variable] = self._new(variable)
                if variable in self.environment:
                    old = load(self.environment[variable])
                    before.append(assign(heads[variable], old, node))
        outer = self._exposed, dict(self._copied)
        exposed = {name: head for name, head in heads.items() if name in EXPOSED.of(node)}
        self._exposed = {**self._exposed, **exposed}
        self._copied.update(self.environment)
        node.body = self.block(node.body)
        self._exposed, self._copied = outer
        for variable, head in heads.items():
            last = self.environment.get(variable)
            if last not in (None, head) and variable not in exposed:
                node.body.append(assign(head, load(last), node))
        self.environment.update(heads)
        copied = dict(self._copied)
        for handler in node.handlers:
            self._rename(handler.type)
            inside, self.environment = self.environment, dict(self.environment)
            handler.body = self.block(handler.body)
            self.environment = inside
        node.body += self._missed(copied, node)
        node.finalbody = self.block(node.finalbody)
        return [*before, node]

    def _With(self, node: Any) -> list[Any]:
        for item in node.items:
            self._rename(item.context_expr)
            if item.optional_vars is not None:
                self._rename_target(item.optional_vars)
        node.body = self.block(node.body)
        return [node]

    def _join(
        self, node: Any, body: list[Any], then: Environment, orelse: list[Any], other: Environment
    ) -> None:
        joined: Environment = {}
        for variable in [*then, *(name for name in other if name not in then)]:
            ours, theirs = then.get(variable), other.get(variable)
            if ours == theirs and ours is not None:
                joined[variable] = ours
                continue
            if (ours is None or theirs is None) and self._is_over(variable, node):
                continue
            name = joined[variable] = self._new(variable)
            if ours is not None:
                body.append(assign(name, load(ours), node))
            if theirs is not None:
                orelse.append(assign(name, load(theirs), node))
        self.environment = joined

    def _is_over(self, variable: str, branch: Any) -> bool:
        """Say whether a temporary that is bound in one branch alone is not read after it."""
        left = self._left.get(id(branch))
        ours = variable not in self._variables and variable not in self._fixed
        return ours and left is not None and variable not in left

    def _While(self, node: Any) -> list[Any]:
        heads, before = self._enter(node, [])
        self._rename(node.test)
        body = self._trip(node.body, heads, node)
        self._leave(node, heads)
        return [*before, at(gast.While(node.test, body, []), node)]

    def _For(self, node: Any) -> list[Any]:
        self._rename(node.iter)
        targets = names_bound(node.target)
        heads, before = self._enter(node, targets)
        self._rename_target(node.target)
        body = self._trip(node.body, heads, node)
        self._leave(node, heads)
        return [*before, at(gast.For(node.target, node.iter, body, [], None), node)]

    def _enter(self, node: Any, targets: list[str]) -> tuple[Environment, list[Any]]:
        """Give each variable that the loop assigns a name that lives across its iterations."""
        heads: Environment = {}
        before: list[Any] = []
        for variable in [*targets, *_assigned(node.body)]:
            known = variable in heads or variable in self._fixed
            if known or variable not in self._variables:
                continue
            carried = variable in self._carried.get(id(node), (variable,))
            if not carried and variable not in self._left[id(node)]:
                self.environment.pop(variable, None)
                continue
            old = self.environment.get(variable)
            heads[variable] = self._new(variable)
            if old is not None or (carried and variable not in targets):
                # what nothing has bound yet may still be read by a later iteration
                if old is None and read_at_once(node, variable):
                    self.unbound.append((node, variable))
                if old is None:
                    self.started.add(heads[variable])
                value = load(old) if old is not None else gast.Constant(None, None)
                before.append(assign(heads[variable], value, node))
                self.environment[variable] = heads[variable]
        return heads, before

    def _leave(self, node: Any, heads: Environment) -> None:
        """Bind what lives on after a loop to the names that it has there."""
        for variable in _assigned([node]):
            if variable in self._variables and variable not in self._fixed:
                self.environment.pop(variable, None)
        self.environment.update(heads)

    def _trip(self, block: list[Any], heads: Environment, loop: Any) -> list[Any]:
        """Return the body of a loop, each of whose ends closes the trip."""
        if not block or not _may_break(block[-1]):
            done = self.block(block)
            return [*done, *self._closing(heads, loop)] if falls_through(done) else done
        *first, last = block
        done = self.block(first)
        if isinstance(last, gast.Break):
            return [*done, *self._closing(heads, loop), last]
        self._rename(last.test)
        before, branches = self.environment, []
        for part in (last.body, last.orelse):
            self.environment = dict(before)
            branches.append(self._trip(part, heads, loop))
        attempt = ATTEMPT.of(last)  # what stands between the two would be reversed after both
        common = _take_common(last.test, *branches) if attempt is None else []
        branch = at(gast.If(last.test, *branches), last)
        ATTEMPT.put(branch, attempt)
        return [*done, *common, branch]

    def _closing(self, heads: Environment, loop: Any) -> list[Any]:
        """Return the copies that end a trip: the next one starts from the heads."""
        copies = []
        for variable, head in heads.items():
            last = self.environment.get(variable)
            if last is not None and last != head:
                copies.append(assign(head, load(last), loop))
                CLOSING.put(copies[-1], True)
        return copies

    def _new(self, variable: str) -> str:
        if variable not in self._used:
            self._used.add(variable)
            return variable
        return self._namer.version(variable)

    def _rename_target(self, target: Any) -> None:
        if isinstance(target, gast.Name):
            variable = target.id
            if variable in self._fixed:
                return
            target.id = self._new(variable)
            self._namer.set_base(target.id, self._namer.base(variable))
            self.environment[variable] = target.id
        elif isinstance(target, (gast.Tuple, gast.List)):
            for item in target.elts:
                self._rename_target(item)
        elif isinstance(target, gast.Starred):
            self._rename_target(target.value)
        else:
            self._rename(target)

    def _rename(self, node: Any) -> None:
        if node is None:
            return
        hidden = _comprehension_names(node)
        for item in found_in(node, gast.Name):
            if item.id not in hidden:
                item.id = self.environment.get(item.id, item.id)


def _assigned(body: list[Any]) -> list[str]:
    names: list[str] = []
    for statement in statements(body):
        targets = statement.targets if isinstance(statement, gast.Assign) else []
        if isinstance(statement, gast.For):
            targets = [statement.target]
        for target in targets:
            names.extend(names_bound(target))
    return names


def _updates(statement: Any, name: str) -> bool:
    """Say whether a statement is ``a += v``, which binds `a` anew if that is a number."""
    return isinstance(statement, gast.AugAssign) and getattr(statement.target, "id", "") == name


def _may_break(statement: Any) -> bool:
    return any(isinstance(item, gast.Break) for item in jumps([statement]))


def _take_common(test: Any, then: list[Any], orelse: list[Any]) -> list[Any]:
    """Take the closing copies that two branches share out of them, to stand before the branch."""
    theirs = {_copied(item): item for item in orelse if CLOSING.of(item)}
    common = []
    for item in list(then):
        twin = theirs.get(_copied(item)) if CLOSING.of(item) else None
        if twin is None:
            continue
        head, last = _copied(item)
        others = [s for s in statements([*then, *orelse]) if s is not item and s is not twin]
        reads = {name for s in others for name in header_reads(s)} | set(names_read(test))
        if head not in reads and last not in bound_names(others):
            common.append(item)
            then.remove(item)
            orelse.remove(twin)
    return common


def _copied(copy: Any) -> tuple[str, str]:
    return copy.targets[0].id, copy.value.id


def _comprehension_names(node: Any) -> set[str]:
    hidden: set[str] = set()
    for item in found_in(node, gast.comprehension, gast.Lambda):
        if isinstance(item, gast.comprehension):
            hidden.update(names_bound(item.target))
        else:
            hidden.update(argument.id for argument in item.args.args)
    return hidden
