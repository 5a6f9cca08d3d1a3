"""Says which names of a generated function may share memory, from its assignments alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from srcgrad.analyses.container_names import ContainerNames
from srcgrad.ir import gast
from srcgrad.ir.build import called
from srcgrad.ir.changes import Change, change_of
from srcgrad.ir.marks import IN_PLACE
from srcgrad.ir.program import targets_of
from srcgrad.ir.walk import found_in, names_bound, names_read, root_name, statements
from srcgrad.primitives import named

_METHODS: Final = frozenset({"conj", "view"})

_COMPREHENSIONS: Final = (gast.ListComp, gast.DictComp, gast.SetComp, gast.GeneratorExp)
_ARITHMETIC: Final = (gast.Mult, gast.Div, gast.Sub)


class Sharing:
    r"""Groups of names whose values may lie in the same memory (union-find).

    >>> body = gast.parse("b = a\nc = b[1:]\nd = a + c\ne = d.copy()").body
    >>> sharing = Sharing(body, lambda value: True)
    >>> sharing.may_share("a", "c"), sharing.may_share("a", "d"), sharing.may_share("d", "e")
    (True, False, False)

    >>> body = gast.parse("entries.append(a)\nb = entries[0]").body
    >>> Sharing(body, lambda value: True).may_share("a", "b")
    True

    A number that is read or stored takes no memory along, where `is_number` knows of it, nor does
    what is stored into an array, where `is_array` does.

    >>> body = gast.parse("s = a[0]\nb[0] = s").body
    >>> Sharing(body, lambda value: True, "s".__eq__).may_share("a", "b")
    False
    >>> Sharing(body, lambda value: True, is_array="b".__eq__).may_share("a", "b")
    False
    """

    def __init__(
        self,
        body: list[Any],
        is_pure: Callable[[Any], bool],
        is_number: Callable[[str], bool] = lambda _: False,
        is_array: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._parent: dict[str, str] = {}
        self._is_pure = is_pure
        self._is_number = is_number
        self._containers = ContainerNames(body)
        for statement in statements(body):
            kind = statement.__class__
            value = statement.iter if kind is gast.For else None
            value = statement.value if kind is gast.Assign else value
            if kind is gast.AugAssign and self._containers.depth(statement.value):
                value = statement.value  # a list that grows
            if value.__class__ is gast.BinOp and not self._containers.depths:  # most are
                continue
            change = change_of(statement)
            if change is not None and change.value is not None:
                self._keep(change)
            sources = [] if value is None else self._sources(value)
            if not sources:
                continue
            for target in targets_of(statement):
                root = root_name(target)
                if isinstance(target, gast.Subscript) and root is not None and is_array(root):
                    continue
                for name in names_bound(target) or ([root] if root is not None else []):
                    if is_number(name):
                        continue
                    for source in sources:
                        self._parent[self._root(name)] = self._root(source)

    def _keep(self, change: Change) -> None:
        """Join a list with what is put into it, and with adjoints of which views are."""
        adjoints = [name for name in names_read(change.value) if name.startswith("grad_")]
        for name in [*adjoints, *self._sources(change.value)]:
            self._parent[self._root(change.name)] = self._root(name)

    def join_update(self, statement: Any) -> None:
        """Join ``y = x + v``, if it is done in place, with what it writes into."""
        left = getattr(getattr(statement, "value", None), "left", None)
        if IN_PLACE.of(statement) and isinstance(left, gast.Name):
            for name in names_bound(statement.targets[0]):
                self._parent[self._root(name)] = self._root(left.id)

    def join_copy(self, statement: Any, is_array: Callable[[str], bool]) -> None:
        """Join ``q = p.copy()`` with `p`, unless that is an array: of a list, the entries are."""
        value = statement.value if isinstance(statement, gast.Assign) else None
        func = getattr(value, "func", None)
        if not isinstance(func, gast.Attribute) or func.attr != "copy":
            return
        if isinstance(func.value, gast.Name) and not is_array(func.value.id):
            for name in names_bound(statement.targets[0]):
                self._parent[self._root(name)] = self._root(func.value.id)

    def may_share(self, first: str, second: str) -> bool:
        """Say whether two names may be bound to the same memory."""
        return self._root(first) == self._root(second)

    def is_apart(self, value: Any) -> bool:
        """Say whether the value of an expression lies in no memory that a name is bound to."""
        return not self._sources(value)

    def groups(self, names: Iterable[str]) -> set[str]:
        """Return a name for each group that some names belong to."""
        known = self._parent
        return {self._root(name) if name in known else name for name in names}

    def _root(self, name: str) -> str:
        known = self._parent
        parent = known.get(name)
        if parent is None:  # most names share with no other
            return name
        while (above := known.get(parent, parent)) != parent:
            known[name] = above
            parent = above
        return parent

    def _sources(self, value: Any) -> list[str]:
        if isinstance(value, gast.Name):
            return [] if self._is_number(value.id) else [value.id]
        if isinstance(value, (gast.Subscript, gast.Attribute, gast.Starred)):
            return self._sources(value.value)
        if isinstance(value, gast.Call):
            return self._of_call(value)
        if isinstance(value, _COMPREHENSIONS):
            entry = value.value if isinstance(value, gast.DictComp) else value.elt
            return names_read(value) if self._sources(entry) else []
        return [name for item in self._parts(value) for name in self._sources(item)]

    def _parts(self, value: Any) -> Sequence[Any]:
        """Return the parts of an expression in whose memory its value lies."""
        if isinstance(value, (gast.Tuple, gast.List)):
            return list(value.elts)
        if isinstance(value, (gast.Dict, gast.BoolOp)):
            return list(value.values)
        if isinstance(value, gast.IfExp):
            return value.body, value.orelse
        joins = isinstance(value, gast.BinOp) and self._containers.depth(value) > 0
        return (value.left, value.right) if joins else ()

    def _of_call(self, value: Any) -> list[str]:
        func = value.func
        name = func.attr if isinstance(func, gast.Attribute) else getattr(func, "id", "")
        copies = self._containers.depth(value) > 0  # a list, not its entries
        if not _may_view(name) and not copies and self._is_pure(called(func, [], [])):
            return []
        owner = [func.value] if isinstance(func, gast.Attribute) else []
        operands = [*owner, *value.args, *[item.value for item in value.keywords]]
        return [name for item in operands for name in self._of_operand(item)]

    def _of_operand(self, node: Any) -> list[str]:
        """Return the names whose memory a call may be given: not those of what it is computed of.

        >>> body = gast.parse("b = np.broadcast_to(2 * a, np.shape(c))").body
        >>> sharing = Sharing(body, lambda value: True)
        >>> sharing.may_share("a", "b"), sharing.may_share("b", "c")
        (False, False)
        """
        if isinstance(node, gast.BinOp) and isinstance(node.op, _ARITHMETIC):
            displays = found_in(node, gast.List, gast.Tuple)  # which may be repeated
            return names_read(node) if displays else []
        return self._of_call(node) if isinstance(node, gast.Call) else names_read(node)


def _may_view(name: str) -> bool:
    """Say whether a function or method of a name may return its operand, or a view of it."""
    return name in _METHODS or any(known.memory != "fresh" for known in named(name))
