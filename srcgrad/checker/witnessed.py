"""Runs the primal statement by statement, and keeps a tape of what the witness says of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.checker import primal
from srcgrad.checker.arithmetic import is_varied
from srcgrad.checker.primal import cut, frozen, settle, shape_only
from srcgrad.checker.runs import NotCovered, Now
from srcgrad.checker.walking import STATEMENTS, Frame, Returned, Walker
from srcgrad.checker.witness import Entry, Witness
from srcgrad.ir import gast
from srcgrad.ir.marks import EDIT, IN_PLACE, REPEATS
from srcgrad.ir.walk import INNER, names_bound, statements


class Primal(Walker):
    """The primal, run with what the witness says of each of its statements.

    Attributes:
        records: Whether what the witness says of adjoints is kept on a tape.
    """

    records = True

    def __init__(
        self, witness: Witness, parameters: list[str], fields: list[Any], body: list[Any]
    ) -> None:
        """Prepare to run `fields`, which read those of arguments, and then `body`."""
        own = bound_in([*fields, *body])
        super().__init__({*parameters, *own})
        self._witness = witness
        self._body = [*fields, *body]
        self._names = Renamed(self._name)
        self._acts: dict[int, Callable[[Frame], Any]] = {}
        for entry in witness.entries.values():
            named = bound_in([*entry.before, entry.statement])
            self.local.update([self._name(name) for name in named])

    def run(self, names: Any, given: dict[str, Any]) -> Any:
        """Run it for the values of its parameters, where `names` say what all other names mean."""
        self.names = names
        left = self.block(self._body, Frame(dict(given), names=self._names))
        return left.value if isinstance(left, Returned) else None

    def statement(self, node: Any, frame: Frame) -> Any:
        """Run a statement, in the way that the witness says."""
        act = self._acts.get(id(node))
        if act is None:
            act = self._acts[id(node)] = self._act(node)
        return act(frame)

    def _act(self, node: Any) -> Callable[[Frame], Any]:
        if EDIT.is_on(node):
            raise NotCovered("code that is run on adjoints")
        entry = self._witness.entries.get(id(node))
        updates = IN_PLACE.of(node) or (entry is not None and _is_update(node, entry.statement))
        if updates and isinstance(node.value, gast.BinOp):
            if isinstance(node.value.left, gast.Name):
                return self._update(node, entry)
        elif entry is not None:
            if not self.records:
                return lambda frame: self._plainly([*entry.before, entry.statement], frame)
            record = self._record(entry, names_bound(node.targets[0]), {}, node)
            return lambda frame: self._recorded(entry, record, frame)
        elif id(node) in self._witness.forward:
            before, run = self._witness.forward[id(node)]
            return lambda frame: self._plainly([*before, run], frame)
        elif isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Subscript):
            return lambda frame: self._augment(node, frame)
        run = STATEMENTS[node.__class__]
        return lambda frame: run(self, node, frame)

    def _plainly(self, statements: list[Any], frame: Frame) -> None:
        for item in statements:
            STATEMENTS[item.__class__](self, item, frame)

    def _name(self, name: str) -> str:
        """Return the name that the primal itself has for what is called so."""
        seen = 0
        while name not in self.local and seen < 20:
            seen += 1
            found = self._witness.names.get(name) or self._witness.copies.get(name)
            if found is None:
                break
            name = found
        return name

    def update(self, left: Any, sign: str, right: Any) -> Any:
        """Do ``left op= right`` without a tape, and return the result."""
        return primal.update(left, sign, right)

    def augment(self, holder: Any, key: Any, sign: str, value: Any, *, repeats: bool) -> None:
        """Do ``holder[key] op= value``; with `repeats` as often as an element is named."""
        del repeats
        primal.augment(holder, key, sign, value)

    def _recorded(self, entry: Entry, record: Record, frame: Frame) -> None:
        self._plainly(entry.before, frame)
        self._plainly([entry.statement], frame)
        record.note(frame)

    def _augment(self, node: Any, frame: Frame) -> None:
        """Do ``x[i] op= v``."""
        holder = self.value(node.target.value, frame)
        key = self.value(node.target.slice, frame)
        value, repeats = self.value(node.value, frame), bool(REPEATS.of(node))
        self.augment(holder, key, type(node.op).__name__, value, repeats=repeats)

    def _update(self, node: Any, entry: Entry | None) -> Callable[[Frame], Any]:
        """Return what does ``y = x + v`` as the update in place that it is."""
        value, (target,) = node.value, names_bound(node.targets[0])
        name = value.left.id
        old = f"__old_{len(self._acts)}_{target}"
        self.local.add(old)
        record: Record | None = None
        if entry is not None and self.records:
            renames = {name: old}
            if entry.in_place is not None:
                before, after = entry.in_place
                renames = {before: old, after: target, name: old}
            record = self._record(entry, [target], renames, node)

        def act(frame: Frame) -> None:
            former = self.named(name, frame)
            frame.values[old] = frozen(former)
            changed = self.update(former, type(value.op).__name__, self.value(value.right, frame))
            frame.bind(target, changed)
            if record is None:
                cut(changed)
            else:
                record.note(frame)

        return act

    def _record(
        self, entry: Entry, targets: list[str], renames: dict[str, str], like: Any
    ) -> Record:
        """Return what puts an entry on the tape, with what its expressions read."""
        given = {item.id for item in entry.grads if isinstance(item, gast.Name)}
        bound = bound_in(entry.emitted)
        cells = [self._names[name] for name, _ in entry.contributions]
        for cell in cells:
            if cell not in self.local:
                raise NotCovered(f"a contribution to `{cell}`, which the primal does not know")
        own = {*targets, *cells, *names_in([like, entry.statement])}
        own.update([self._names[item] for item in own])
        said = [*entry.emitted, *[value for _, value in entry.contributions]]
        needed: dict[str, tuple[str, bool]] = {}
        for name in names_in(said):
            if name in given or name in bound:
                continue
            plain = renames.get(name) or self._names[name]
            plain = renames.get(plain, plain)
            if plain in self.local or plain != name:
                hidden = plain in self.local and plain not in own
                needed[name] = plain, hidden and not plain.startswith("__old_")
        return Record(self, entry, targets, cells, needed, in_place=bool(renames))


def _is_update(node: Any, run: Any) -> bool:
    """Say whether ``y = x * v`` is run as ``x *= v``, as of an entry of a list."""
    return isinstance(node, gast.Assign) and isinstance(run, gast.AugAssign)


class Renamed(dict[str, str]):
    """Names by other names, found out when they are first asked for."""

    def __init__(self, find: Callable[[str], str]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, name: str) -> str:
        found = self._find(name)
        if found != name:  # what a name is called later may change as long as it has no other
            self[name] = found
        return found


class Record:
    """What the reverse sweep needs of one statement.

    Attributes:
        entry: What the witness says of it.
        targets: The names of its results.
        cells: The names of the values whose adjoints it adds to.
        needed: The names that the contributions read: which values those are, and whether they
            are none of the statement's, so that shapes alone are known.
        in_place: Whether it updates its target.
    """

    def __init__(
        self,
        walker: Walker,
        entry: Entry,
        targets: list[str],
        cells: list[str],
        needed: dict[str, tuple[str, bool]],
        *,
        in_place: bool,
    ) -> None:
        self.entry, self.in_place = entry, in_place
        self._walker = walker
        self._targets, self._cells, self._needed = targets, cells, needed
        self._silent = [name for name in entry.silent if name in walker.local]

    def note(self, frame: Frame) -> None:
        """Put it on the tape, with the values that names have now."""
        run, named = Now.run, self._walker.named
        if run.tape is None:
            return
        targets = [named(name, frame) for name in self._targets]
        cells = [named(name, frame) for name in self._cells]
        for target in targets:
            settle(target, cells)
        read = {
            name: frozen(
                shape_only(plain, lambda plain=plain: named(plain, frame))
                if hidden
                else named(plain, frame)
            )
            for name, (plain, hidden) in self._needed.items()
        }
        silent = [named(name, frame) for name in self._silent]
        run.tape.append(("entry", self, targets, cells, read, any(map(is_varied, silent))))

    def contributions(self, grads: list[Any], read: dict[str, Any]) -> list[Any]:
        """Return what is added to the adjoints of cells, for the adjoints of the results."""
        values = dict(read)
        for grad, said in zip(grads, self.entry.grads, strict=False):
            if isinstance(said, gast.Name):
                values[said.id] = grad
        frame, walker = Frame(values), self._walker
        for item in self.entry.emitted:
            STATEMENTS[item.__class__](walker, item, frame)
        return [walker.value(value, frame) for _, value in self.entry.contributions]


def names_in(nodes: list[Any]) -> list[str]:
    """Return the names in trees, one after the other and each once."""
    found: dict[str, None] = {}
    waiting = nodes[::-1]
    while waiting:
        item = waiting.pop()
        kind = item.__class__
        if kind is gast.Name:
            found[item.id] = None
        elif kind is gast.BinOp:  # as most else are
            waiting += item.left, item.right
        elif kind is list:
            waiting.extend(reversed(item))
        elif kind is gast.Call:
            waiting += item.func, item.args, item.keywords
        else:
            for name in INNER[kind]:
                part = getattr(item, name, None)
                if part is not None:
                    waiting.append(part)
    return list(found)


def bound_in(block: list[Any]) -> set[str]:
    """Return all names that the statements of a block bind."""
    found: set[str] = set()
    for item in statements(block):
        kind = item.__class__
        if kind is gast.Assign:
            for target in item.targets:
                found.update(names_bound(target))
        elif kind in (gast.For, gast.AugAssign):
            found.update(names_bound(item.target))
        elif kind is gast.With:
            for part in item.items:
                found.update(names_bound(part.optional_vars))
        elif kind is gast.Try:
            found.update(name for part in item.handlers for name in names_bound(part.name))
    return found
