"""Writes comprehensions as loops.

Numba puts them into the function that they stand in, and takes then for dead what is written into
an array that only a list or a tuple still reaches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, load
from srcgrad.ir.names import free_name
from srcgrad.ir.walk import blocks_of, found_in, own_nodes

_KINDS: Final = (gast.ListComp, gast.GeneratorExp, gast.SetComp, gast.DictComp)
_TAKERS: Final = frozenset("sum max min list".split())  # of a list as of what gives its entries
_EVALUATED_ONCE: Final = (gast.Assign, gast.AugAssign, gast.Return, gast.Expr, gast.For, gast.If)


class Comprehensions:
    """The comprehensions of one function.

    Attributes:
        refused: Those that are left, each with its line: what may not be evaluated at all.
    """

    def __init__(self, function: Any) -> None:
        self._function = function
        self.refused: list[tuple[str, int]] = []
        names = found_in(function, gast.Name)
        self._taken = {item.id for item in names}
        inside = {
            id(item) for comp in found_in(function, *_KINDS) for item in found_in(comp, gast.Name)
        }
        self._outside = {item.id for item in names if id(item) not in inside}

    def write(self) -> None:
        """Rewrite the function in place."""
        if found_in(self._function, *_KINDS):
            self._function.body = self._block(self._function.body)

    def _block(self, body: Sequence[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in body:
            made = self._before(statement)
            line = getattr(statement, "lineno", None)
            for item in made:
                item.lineno = line
            for block in blocks_of(statement):
                block[:] = self._block(block)
            is_left = any(isinstance(node, _KINDS) for node in own_nodes(statement))
            self.refused += [("a comprehension in another expression", line or 0)] * is_left
            done += made if _is_done(statement) else [*made, statement]
        return done

    def _before(self, statement: Any) -> list[Any]:
        """Return the loops for before a statement, which reads what they make."""
        if not isinstance(statement, _EVALUATED_ONCE):
            return []
        field = "iter" if isinstance(statement, gast.For) else "value"
        field = "test" if isinstance(statement, gast.If) else field
        value = getattr(statement, field)
        name = _bound_by(statement, value)
        if name is not None and isinstance(value, gast.ListComp):
            statement.value = load(name)
            return self._loops(name, value, {})
        before: list[Any] = []
        setattr(statement, field, self._without(value, before, {}))
        return before

    def _without(self, node: Any, before: list[Any], new: Mapping[str, str]) -> Any:
        """Return an expression with names for the lists that comprehensions in it make."""
        if isinstance(node, gast.ListComp):
            return self._listed(node, before, new)
        if isinstance(node, gast.Name):
            return gast.Name(new.get(node.id, node.id), node.ctx, None, None)
        later: tuple[str, ...] = ()
        if isinstance(node, gast.IfExp):
            node.test = self._without(node.test, before, new)
            later = ("body", "orelse")
        elif isinstance(node, gast.BoolOp):
            node.values[0] = self._without(node.values[0], before, new)
            later = ("values",)
        elif isinstance(node, (gast.Lambda, *_KINDS)):
            return self._renamed(node, new)
        if _takes_entries(node):
            node.args[0] = self._listed(node.args[0], before, new)
            return node
        for name, part in gast.iter_fields(node):
            if name in later:
                setattr(node, name, self._renamed(part, new))
            elif isinstance(part, list):
                part[:] = [self._part(item, before, new) for item in part]
            else:
                setattr(node, name, self._part(part, before, new))
        return node

    def _part(self, part: Any, before: list[Any], new: Mapping[str, str]) -> Any:
        return self._without(part, before, new) if isinstance(part, gast.AST) else part

    def _renamed(self, part: Any, new: Mapping[str, str]) -> Any:
        for item in part if isinstance(part, list) else [part]:
            for name in found_in(item, gast.Name):
                name.id = new.get(name.id, name.id)
        return part

    def _listed(self, node: Any, before: list[Any], new: Mapping[str, str]) -> Any:
        name = free_name("items", self._taken)
        before += self._loops(name, node, new)
        return load(name)

    # -- loops

    def _loops(self, name: str, node: Any, new: Mapping[str, str]) -> list[Any]:
        """Return the statements that make a list of what a comprehension gives, under a name."""
        made = [assign(name, gast.List([], gast.Load()))]
        heads: list[tuple[Any, list[Any], Any]] = []
        for part in node.generators:
            before: list[Any] = []
            iterated = self._without(part.iter, before, new)
            new = {**new, **self._new_names(part.target, new)}
            heads.append((part, before, iterated))
            self._renamed(part.target, new)
            part.ifs = [self._test(item, new) for item in part.ifs]
        body: list[Any] = []
        entry = self._without(node.elt, body, new)
        body.append(gast.Expr(call(gast.Attribute(load(name), "append", gast.Load()), entry)))
        for part, before, iterated in reversed(heads):
            for made_before, test in reversed(part.ifs):
                body = [*made_before, gast.If(test, body, [])]
            body = [*before, gast.For(part.target, iterated, body, [], None)]
        return [*made, *body]

    def _test(self, node: Any, new: Mapping[str, str]) -> tuple[list[Any], Any]:
        before: list[Any] = []
        return before, self._without(node, before, new)

    def _new_names(self, target: Any, new: Mapping[str, str]) -> dict[str, str]:
        """Return other names for those that a comprehension binds, where these mean others."""
        names = {item.id for item in found_in(target, gast.Name)}
        return {
            name: free_name(name, self._taken) if name in self._outside or name in new else name
            for name in sorted(names)
        }


def _is_done(statement: Any) -> bool:
    """Say whether a statement binds a name to itself, now that a loop has made its value."""
    value = getattr(statement, "value", None)
    return (
        isinstance(statement, gast.Assign)
        and len(statement.targets) == 1
        and isinstance(value, gast.Name)
        and getattr(statement.targets[0], "id", None) == value.id
    )


def _bound_by(statement: Any, value: Any) -> str | None:
    """Return the name that a statement binds to a list, if the list does not read it."""
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return None
    name: str | None = getattr(statement.targets[0], "id", None)
    read = {item.id for item in found_in(value, gast.Name)}
    return None if name in read else name


def _takes_entries(node: Any) -> bool:
    """Say whether a node calls a function that does the same with a list of what it is given."""
    if not isinstance(node, gast.Call) or len(node.args) != 1 or node.keywords:
        return False
    is_known = isinstance(node.func, gast.Name) and node.func.id in _TAKERS
    return is_known and isinstance(node.args[0], gast.GeneratorExp)
