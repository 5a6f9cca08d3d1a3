"""Says what is read out of lists and tuples that a function is given and leaves as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from srcgrad.analyses.integers import Integers
from srcgrad.analyses.lengths import Seen
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.displays import spread_alone
from srcgrad.ir.program import Program, is_store, targets_of
from srcgrad.ir.walk import found_in, names_bound, root_name, statements
from srcgrad.locks import kept_property

ANY: Final = "[*]"
"""Stands for any index in the texts that arguments are known by: ``layers[*][0]``."""

_PART: Final = "[:]"
"""Ends the text of a part of a list, whose elements have other places there."""

_AT: Final = re.compile(r"\w+\[\d+\]")
"""Texts of single elements, such as ``params[0]``, of lists whose elements differ."""

_ASKING: Final = ("len", "min", "max", "zip", "enumerate", "reversed", "sum")


def numbers_given(program: Program) -> Seen:
    """Return the texts for elements that are known to be numbers, as if they had been seen.

    They are of arguments, and of tables from outside.
    """
    known = (program.given | program.tables).items()
    return {text: () for text, fact in known if fact == "number" and text.endswith(ANY)}


class Elements:
    """The arguments of which every element was seen to be of one kind.

    They are only read: by an integer, by a loop, for their length, and by the user's functions,
    which write into no argument. So are the lists that they hold (``rows[*]``, where the numbers
    are ``rows[*][*]``), by whatever name. The same holds of lists that the program has `made`.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(rows, x):
    ...     s = 0.0
    ...     for i in range(3):
    ...         row = rows[i]
    ...         a = row[2]
    ...         s = s + a * x[0]
    ...         x[0] = s
    ...     return s
    ... ''')
    >>> found = Elements(program, Integers(program), {"rows[*][*]": (), "x[*]": ()})
    >>> found.root(gast.Name("row", gast.Load())), found.root(gast.Name("a", gast.Load()))
    ('rows[*]', 'rows[*][*]')
    >>> found.root(gast.Name("x", gast.Load())) is None
    True
    """

    def __init__(
        self,
        program: Program,
        integers: Integers,
        seen: Seen,
        made: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self._program = program
        self._made = made
        self._integers = integers
        self._seen = seen
        self._lists = {text[: at + 1] for text in seen for at in _ends_of_lists(text)}
        self._lists |= {text.partition("[")[0] for text in seen if _AT.fullmatch(text)}
        self._lists |= {text + _PART for text in self._lists}
        self._holders: dict[str, str] = {}
        self._quiet: set[str] | None = None
        outside = [text.partition("[")[0] for text in program.tables]
        owners = {name for name in (*program.parameters, *made, *outside) if name in self._lists}
        while owners:
            self._holders = self._find_holders(owners)
            spoilt = owners - self._holders.keys() | set(self._spoilt())
            if not spoilt:
                return
            owners -= spoilt
        self._holders = {}

    def root(self, node: Any) -> str | None:
        """Return the text that stands for an expression, if it is such a list or an element."""
        if isinstance(node, gast.Name):
            return self._holders.get(node.id)
        if (copied := spread_alone(node)) is not None:
            return self.root(copied)
        if not isinstance(node, gast.Subscript) or not isinstance(node.ctx, gast.Load):
            return None
        whole = self.root(node.value)
        if whole not in self._lists:
            return None
        if isinstance(node.slice, gast.Slice):
            return f"{(whole or '').removesuffix(_PART)}{_PART}"
        place = getattr(node.slice, "value", None)
        if type(place) is int:
            return self.at(whole, place)
        # other numbers are no indices of lists
        given = self._program.given.get(getattr(node.slice, "id", ""))
        is_integer = given == "number" or self._integers.of(node.slice)
        return self.at(whole) if is_integer else None

    def at(self, whole: str | None, place: int | None = None) -> str:
        """Return the text that stands for an element of a list: that at a place, or any."""
        single = f"{whole}[{place}]"
        return single if single in self._seen else f"{(whole or '').removesuffix(_PART)}{ANY}"

    def numbers_in(self, node: Any) -> tuple[str, str]:
        """Return the text of the numbers in a list, of which it holds nothing else, and its end.

        That is what leads to them from the list: ``[*][*]``. Both are empty for others.
        """
        root = self.root(node)
        if root is None or root not in self._lists:
            return "", ""
        root = root.removesuffix(_PART)
        texts = [text for text in self._seen if text.startswith(f"{root}{ANY}")]
        plain = len(texts) == 1 and texts[0].endswith(ANY) and self._seen[texts[0]] == ()
        return (texts[0], texts[0][len(root) :]) if plain else ("", "")

    def _are_numbers(self, node: Any) -> bool:
        """Say whether an expression is the name of a list of numbers."""
        root = self.root(node) if isinstance(node, gast.Name) else None
        return root in self._lists and self._seen.get(f"{root.removesuffix(_PART)}{ANY}") == ()

    def of_loop(self, loop: Any) -> dict[str, str | None]:
        """Return the names that a loop binds, with the texts that stand for them."""
        return dict(self._of_loop(loop.target, loop.iter))

    def _of_loop(self, target: Any, over: Any) -> Iterator[tuple[str, str | None]]:
        called = getattr(over.func, "id", "") if isinstance(over, gast.Call) else ""
        whole = None if called else self.root(over)
        if isinstance(target, gast.Name) and called != "zip":
            if called == "reversed" and len(over.args) == 1:
                yield from self._of_loop(target, over.args[0])
            else:
                yield target.id, self.at(whole) if whole in self._lists else None
        elif called == "zip" and len(over.args) == len(getattr(target, "elts", ())):
            for part, each in zip(target.elts, over.args, strict=True):
                yield from self._of_loop(part, each)
        elif called == "enumerate" and len(getattr(target, "elts", ())) == 2:
            yield from ((name, None) for name in names_bound(target.elts[0]))
            yield from self._of_loop(target.elts[1], over.args[0])
        else:
            yield from ((name, None) for name in names_bound(target))

    def _find_holders(self, owners: set[str]) -> dict[str, str]:
        """Return the names that are bound to one list or its elements alone, with their texts."""
        found = self._holders = {name: name for name in owners}
        size = -1
        while size != (size := len(found)):
            roots: dict[str, set[str | None]] = {name: {name} for name in owners}
            for statement in statements(self._program.body):
                for name, root in self._bound(statement):
                    roots.setdefault(name, set()).add(root)
            single = {name: kinds.pop() for name, kinds in roots.items() if len(kinds) == 1}
            found = self._holders = {n: root for n, root in single.items() if root is not None}
        return found

    def _bound(self, statement: Any) -> Iterator[tuple[str, str | None]]:
        if isinstance(statement, gast.For):
            yield from self._of_loop(statement.target, statement.iter)
            return
        for target in targets_of(statement):
            if self._made.get(getattr(target, "id", "")) is statement:
                continue
            alone = isinstance(statement, gast.Assign) and isinstance(target, gast.Name)
            if alone and target.id in self._written and spread_alone(statement.value) is not None:
                yield target.id, None  # it changes the copy alone
                continue
            root = self.root(statement.value) if alone or _names_in(target) else None
            parts = () if alone or root not in self._lists else enumerate(_names_in(target))
            each = {name: self.at(root, place) for place, name in parts}
            for name in names_bound(target):
                yield name, root if alone else each.get(name)

    def _spoilt(self) -> Iterator[str]:
        """Yield the arguments that are changed, or get where they may be changed unseen."""
        nodes = [node for item in self._program.body for node in gast.walk(item)]
        fine = _asked_or_read(nodes)
        for statement in statements(self._program.body):
            fine.update(map(id, self._plain_uses(statement)))
            changed = _changed(statement)
            yield from (_owner(self._holders[name]) for name in changed & self._holders.keys())
            yield from self._changed_results(statement)
        for node in nodes:
            if isinstance(node, (gast.Name, gast.Subscript)) and id(node) not in fine:
                root = self.root(node) if isinstance(node.ctx, gast.Load) else None
                if root in self._lists:
                    yield _owner(root)

    def _changed_results(self, statement: Any) -> Iterator[str]:
        """Yield the lists that a function was given which may return one, if that is changed."""
        if not isinstance(statement, gast.Assign) or is_store(statement):
            return
        bound = {name for target in statement.targets for name in names_bound(target)}
        if bound.isdisjoint(self._written) or self._program.operation(statement).kind != "user":
            return
        operation = self._program.operation(statement)
        for operand in (*operation.args, *operation.keywords.values()):
            root = self.root(operand)
            if root in self._lists:
                yield _owner(root)

    @kept_property
    def _written(self) -> set[str]:
        """The names of which a statement may change what they hold."""
        return {name for item in statements(self._program.body) for name in _changed(item)}

    def _is_quiet(self, name: str) -> bool:
        """Say whether a name is only read from, and given to names of which the same holds."""
        if self._quiet is None:
            self._quiet = _quiet_names(self._program, self._written)
        return name in self._quiet

    def _plain_uses(self, statement: Any) -> Iterator[Any]:
        """Yield the operands of a statement that it only reads, or gives a name that is known."""
        if isinstance(statement, gast.For):
            yield statement.iter
        elif isinstance(statement, gast.Assign) and not is_store(statement):
            alone = isinstance(statement.targets[0], gast.Name)
            bound = [statement.targets[0].id] if alone else _names_in(statement.targets[0])
            if bound and all(name in self._holders for name in bound):
                yield spread_alone(statement.value) or statement.value
            elif alone and self._are_numbers(copied := spread_alone(statement.value)):
                yield copied
            elif alone and self._are_numbers(statement.value) and self._is_quiet(bound[0]):
                yield statement.value
            operation = self._program.operation(statement)
            if operation.kind == "user":
                yield from operation.args
                yield from operation.keywords.values()


def _asked_or_read(nodes: list[Any]) -> set[int]:
    """Return the identities of what is indexed, compared, or given to what only looks at it."""
    fine: set[int] = set()
    for node in nodes:
        if isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Load):
            fine.add(id(node.value))
        elif isinstance(node, gast.Call) and getattr(node.func, "id", "") in _ASKING:
            fine.update(map(id, node.args))
        elif isinstance(node, gast.Compare):
            fine.update(map(id, (node.left, *node.comparators)))
        elif isinstance(node, (gast.If, gast.While, gast.IfExp)):
            fine.add(id(node.test))
        elif isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            fine.add(id(node.operand))
    for node in nodes:
        for part in getattr(node, "generators", ()):
            reads = [
                item for item in found_in(node, gast.Name) if item.id in names_bound(part.target)
            ]
            if all(id(item) in fine for item in reads if isinstance(item.ctx, gast.Load)):
                fine.add(id(part.iter))
    return fine


def _quiet_names(program: Program, written: set[str]) -> set[str]:
    """Return the names that are only read from, or given to a name of which the same holds."""
    nodes = [node for item in program.body for node in gast.walk(item)]
    fine = _asked_or_read(nodes)
    given: dict[int, str] = {}
    for statement in statements(program.body):
        if isinstance(statement, gast.For):
            fine.add(id(statement.iter))
        elif isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
            operation = program.operation(statement)
            if operation.kind == "user":
                fine.update(map(id, (*operation.args, *operation.keywords.values())))
            given[id(statement.value)] = statement.targets[0].id
    loads = [n for n in nodes if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load)]
    quiet = ({node.id for node in loads} | set(given.values())) - written
    size = -1
    while size != (size := len(quiet)):
        quiet -= {n.id for n in loads if id(n) not in fine and given.get(id(n)) not in quiet}
    return quiet


def _ends_of_lists(text: str) -> Iterator[int]:
    """Yield where the texts of the lists end that an element is in.

    >>> ["rows[*][*][0]"[: at + 1] for at in _ends_of_lists("rows[*][*][0]")]
    ['rows', 'rows[*]']
    """
    at = text.find(ANY)
    while at >= 0:
        yield at - 1
        at = text.find(ANY, at + 1)


def _names_in(target: Any) -> list[str]:
    """Return the names that a tuple of names binds, each once; of other targets none."""
    items = target.elts if isinstance(target, (gast.Tuple, gast.List)) else []
    names = [item.id for item in items if isinstance(item, gast.Name)]
    return names if len(names) == len(set(names)) == len(items) else []


def _owner(root: str) -> str:
    return root.partition("[")[0]


def _changed(statement: Any) -> set[str]:
    """Return the names of which a statement may change what they hold."""
    change = change_of(statement)
    if change is not None:
        return {change.name}
    if not is_store(statement):
        return set()
    return {root_name(target) or "" for target in targets_of(statement)}
