"""Takes a statement apart whose calls change variables, so that all of it stays in its order."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

from srcgrad.frontend.expand.assumptions import stored_in
from srcgrad.frontend.expand.order import evaluated_first, place
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.scoping import free_names, nonlocals
from srcgrad.frontend.expand.values import Known, Local, Object, Static
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, load
from srcgrad.ir.evaluation import part_at, places_in, put_at
from srcgrad.ir.walk import found_in, names_read, nodes_in, walk


class Sequencing(Part):
    """The part of the expansion that keeps calls that change variables in their place.

    Such a function is put before the statement that calls it. So what the statement evaluates
    before it gets a variable before that: of ``y = t + grown(k)`` it makes ``value = t``, then
    ``value_2 = grown(k)``, then ``y = value + value_2``.
    """

    def sequence(self, statement: Any) -> None:
        """Put what a statement evaluates up to the last such call into statements before it."""
        locally = any(isinstance(item, Local) for item in self.frame.env.values())
        if not locally and not self.session.movers:
            return  # in most functions no call changes variables
        parts = [item for item in _parts_of(statement) if item is not None]
        calls = [call for item in parts for call in self._movers(item)]
        if (
            not calls
            or not self.frame.hoistable
            or not self._may_be_taken_apart(statement, parts, calls)
        ):
            return
        changed = {name for call in calls for name in self._moved_by(call)}
        bound = [item.target.id for part in parts for item in found_in(part, gast.NamedExpr)]
        changed.update(bound)
        if isinstance(statement, gast.AugAssign) and any(self._movers(statement.value)):
            names = {n.id for n in found_in(statement.target, gast.Name)}
            if names & changed:
                return  # they are read before
        self._take_apart(statement, changed)

    def _take_apart(self, statement: Any, changed: set[str]) -> None:
        if isinstance(statement, gast.Assign) and any(self._movers(statement.targets[0])):
            value = self._ordered(statement.value, changed)
            statement.value = self._read_now(value, changed)
            statement.targets[0] = self._ordered(statement.targets[0], changed)
        elif isinstance(statement, gast.AugAssign):
            statement.target = self._ordered(statement.target, changed)
            statement.value = self._ordered(statement.value, changed)
        else:
            field = next(name for name in _VALUES if getattr(statement, name, None) is not None)
            setattr(statement, field, self._ordered(getattr(statement, field), changed))

    def _may_be_taken_apart(self, statement: Any, parts: list[Any], calls: list[Any]) -> bool:
        """Say whether all of those calls surely come, and not all come first as it is."""
        value = None if isinstance(statement, gast.AugAssign) else parts[0]
        first = {place(item) for item in evaluated_first(value)}
        if all(place(call) in first for call in calls):
            return False
        if any(isinstance(node, gast.Starred) for item in parts for node in walk(item)):
            return False  # the list is read before, too
        sure = [node for item in parts for node in _followed(item)]
        if any(all(call is not node for node in sure) for call in calls):
            return False
        if isinstance(statement, gast.Assign):
            moving = [item for item in statement.targets if any(self._movers(item))]
            return not moving or (len(statement.targets) == 1 and _is_element(moving[0]))
        if isinstance(statement, gast.AugAssign) and not isinstance(statement.target, gast.Name):
            moving = list(self._movers(statement.value))
            targeted = any(self._movers(statement.target))
            alike = not targeted and all(map(self._only_counts, moving))  # the old element is read
            return _is_element(statement.target) and (not moving or alike)
        return True

    def _only_counts(self, call: Any) -> bool:
        """Say whether a call changes whole numbers alone, and no memory."""
        function = self.frame.env.get(getattr(call.func, "id", ""))
        frame = getattr(getattr(function, "captured", None), "frame", None)
        if not isinstance(function, Local) or frame is None:
            return False
        plain = (gast.Nonlocal, gast.AugAssign, gast.Return)
        body = function.code.tree.body
        if found_in(gast.Module(body, []), gast.Call, gast.NamedExpr):
            return False
        return all(isinstance(item, plain) for item in body) and all(
            isinstance(item.target, gast.Name) and _is_count(item.target.id, frame.code.tree)
            for item in body
            if isinstance(item, gast.AugAssign)
        )

    # -- which calls

    def _movers(self, node: Any) -> Iterator[Any]:
        """Yield the calls of functions that change variables around them, and those given such."""
        return filter(self._moves, _calls(node))

    def _moves(self, call: Any) -> bool:
        return place(call) in self.session.movers or any(True for _ in self._moved_by(call))

    def _moved_by(self, call: Any) -> Iterator[str]:
        """Yield the variables that a call changes."""
        given = [*call.args, *[item.value for item in call.keywords]]
        for item in (call.func, *given):
            names = names_read(item) if isinstance(item, gast.Lambda) else [getattr(item, "id", "")]
            for name in names:
                found = self.frame.env.get(name)
                if isinstance(found, Local):
                    yield from _changed_by(found, set())

    # -- in order

    def _ordered(self, node: Any, changed: set[str]) -> Any:
        """Return an expression, with names for what it evaluates up to its last such call."""
        if isinstance(node, gast.IfExp) and any(map(self._any_moves, (node.body, node.orelse))):
            return self._chosen(node, changed)
        if isinstance(node, gast.BoolOp) and any(map(self._any_moves, node.values[1:])):
            return self._asked_in_turn(node, changed)
        places = list(places_in(node))
        moving = [i for i, item in enumerate(places) if any(self._movers(part_at(item)))]
        for i, item in enumerate(places[: moving[-1] + 1] if moving else ()):
            done = self._ordered(part_at(item), changed)
            put_at(item, done if i == moving[-1] else self._read_now(done, changed))
        if isinstance(node, gast.Call) and self._moves(node):
            return self._named(node)
        return node

    def _any_moves(self, node: Any) -> bool:
        return any(True for _ in self._movers(node))

    def _chosen(self, node: Any, changed: set[str]) -> Any:
        """Write ``a if t else b`` as a branch, of which only one way is gone."""
        test = self._ordered(node.test, changed)
        name = self._variable()
        ways = [[assign(name, part, node)] for part in (node.body, node.orelse)]
        self.frame.statement(at(gast.If(test, *ways), node))
        return load(name)

    def _asked_in_turn(self, node: Any, changed: set[str]) -> Any:
        """Write ``a and b`` as a branch that asks for `b` if `a` holds; so with `or`."""
        first = self._ordered(node.values[0], changed)
        name = self._variable()
        self.frame.statement(assign(name, first, node))
        rest = node.values[1] if len(node.values) == 2 else gast.BoolOp(node.op, node.values[1:])
        known: Any = load(name)
        test = known if isinstance(node.op, gast.And) else gast.UnaryOp(gast.Not(), known)
        self.frame.statement(at(gast.If(test, [assign(name, at(rest, node), node)], []), node))
        return load(name)

    def _read_now(self, node: Any, changed: set[str]) -> Any:
        """Return what may be evaluated later in place of an expression."""
        if isinstance(node, gast.Slice) or any(
            isinstance(item, gast.Slice) for item in getattr(node, "elts", ())
        ):
            for item in list(places_in(node)):
                put_at(item, self._read_now(part_at(item), changed))
            return node
        if isinstance(node, gast.keyword):
            node.value = self._read_now(node.value, changed)
            return node
        return node if self._stays(node, changed) else self._named(node)

    def _stays(self, node: Any, changed: set[str]) -> bool:
        """Say whether an expression means the same after the calls: a name, function or number."""
        if isinstance(node, gast.Lambda):
            return not node.args.defaults and not any(node.args.kw_defaults)
        if isinstance(node, gast.Name):
            return node.id not in changed or isinstance(self.frame.look(node.id), Static)
        if isinstance(node, gast.Attribute):
            return self._attribute_stays(node)
        return not any(isinstance(item, (gast.Name, gast.Call)) for item in walk(node))

    def _attribute_stays(self, node: Any) -> bool:
        """Say whether an attribute is one of a module, or a function: no call changes those."""
        root, path = node, list[str]()
        while isinstance(root, gast.Attribute):
            path.insert(0, root.attr)
            root = root.value
        found = self.frame.look(root.id) if isinstance(root, gast.Name) else None
        if not self.session.movers:
            return isinstance(found, Known)
        owner = getattr(found, "value", None)
        if isinstance(found, Object):
            return len(path) == 1 and callable(stored_in(found.cls, path[0]))
        for name in path[:-1]:
            owner = stored_in(owner, name)
        return isinstance(owner, ModuleType) or callable(stored_in(type(owner), path[-1]))

    def _variable(self) -> str:
        name = self.frame.variable("value")
        self.frame.temporaries.add(name)
        return name

    def _named(self, node: Any) -> Any:
        name = self._variable()
        self.frame.statement(assign(name, node, node))
        return load(name)


_VALUES: Final = ("value", "test", "iter")


def _parts_of(statement: Any) -> list[Any]:
    """Return the expressions of a statement that are evaluated once, in their order."""
    if isinstance(statement, gast.Assign):
        return [statement.value, *statement.targets]
    if isinstance(statement, gast.AugAssign):
        return [statement.target, statement.value]
    if isinstance(statement, (gast.Return, gast.Expr, gast.AnnAssign)):
        return [statement.value]
    if isinstance(statement, gast.If):
        return [statement.test]
    return [statement.iter] if isinstance(statement, gast.For) else []


def _calls(node: Any) -> Iterator[Any]:
    """Yield the calls in an expression, and not those in functions that it makes."""
    if isinstance(node, gast.Call):
        yield node
    for part in () if isinstance(node, gast.Lambda) else nodes_in(node):
        yield from _calls(part)


def _is_element(target: Any) -> bool:
    return isinstance(target, gast.Subscript)


def _followed(node: Any) -> Iterator[Any]:
    """Yield an expression and all of its parts that are surely evaluated, or by one of two ways."""
    yield node
    ways = [node.body, node.orelse] if isinstance(node, gast.IfExp) else []
    ways += node.values[1:] if isinstance(node, gast.BoolOp) else []
    for part in (*map(part_at, places_in(node)), *ways):
        yield from _followed(part)


def _is_count(name: str, tree: Any) -> bool:
    """Say whether all that is bound to a name in a function are whole numbers written out."""
    bound = [item for item in found_in(tree, gast.Name) if item.id == name]
    bound = [item for item in bound if not isinstance(item.ctx, gast.Load)]
    started = [s for s in found_in(tree, gast.Assign) if len(s.targets) == 1]
    starts = [s.targets[0] for s in started if type(getattr(s.value, "value", None)) is int]
    steps = [s for s in found_in(tree, gast.AugAssign) if isinstance(s.op, (gast.Add, gast.Sub))]
    counts = [s.target for s in steps if type(getattr(s.value, "value", None)) is int]
    known = {id(item) for item in (*starts, *counts)}
    return bool(starts) and all(id(item) in known for item in bound)


def _changed_by(function: Local, seen: set[int]) -> Iterator[str]:
    """Yield the variables that a local function, or one that it calls, declares `nonlocal`."""
    tree = function.code.tree
    if id(tree) in seen:
        return
    seen.add(id(tree))
    for name in nonlocals(tree):
        yield name
        found = function.captured.get(name)
        if isinstance(found, gast.Name):
            yield found.id
    for name in free_names(tree):
        found = function.captured.get(name)
        if isinstance(found, Local):
            yield from _changed_by(found, seen)
