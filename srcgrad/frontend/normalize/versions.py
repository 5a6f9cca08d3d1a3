"""Gives every assignment of a variable its own name, and joins them by explicit copies.

Static single assignment on structured programs (Brandis and Mössenböck, 1994): where paths meet,
the phi function is a copy at the end of each path, so every stage stays a Python program.
"""

from __future__ import annotations

from typing import Any

import gast

from srcgrad.ir.build import assign, at, load
from srcgrad.ir.names import Namer
from srcgrad.ir.walk import names_bound, statements

Environment = dict[str, str]


class Versions:
    """Renames one function body.

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

    def __init__(self, namer: Namer, parameters: list[str], variables: frozenset[str]) -> None:
        self._namer = namer
        self._variables = variables  # the user's; the others never live across iterations
        self._used = set(parameters)
        self.environment: Environment = {name: name for name in parameters}

    def block(self, body: list[Any]) -> list[Any]:
        """Return a statement list in which no two assignments share a name."""
        done: list[Any] = []
        for statement in body:
            handler = getattr(self, f"_{type(statement).__name__}", self._other)
            done.extend(handler(statement))
        return done

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
        ends_then, ends_other = _raises(body), _raises(orelse)
        if ends_then or ends_other:
            self.environment = other if ends_then else then
        else:
            self._join(node, body, then, orelse, other)
        return [at(gast.If(node.test, body, orelse), node)]

    def _join(
        self, node: Any, body: list[Any], then: Environment, orelse: list[Any], other: Environment
    ) -> None:
        joined: Environment = {}
        for variable in [*then, *(name for name in other if name not in then)]:
            ours, theirs = then.get(variable), other.get(variable)
            if ours == theirs and ours is not None:
                joined[variable] = ours
                continue
            name = joined[variable] = self._new(variable)
            if ours is not None:
                body.append(assign(name, load(ours), node))
            if theirs is not None:
                orelse.append(assign(name, load(theirs), node))
        self.environment = joined

    def _While(self, node: Any) -> list[Any]:
        heads, before = self._enter(node, [])
        self._rename(node.test)
        body = self.block(node.body)
        self._leave(node, heads, body)
        return [*before, at(gast.While(node.test, body, []), node)]

    def _For(self, node: Any) -> list[Any]:
        self._rename(node.iter)
        targets = names_bound(node.target)
        heads, before = self._enter(node, targets)
        self._rename_target(node.target)
        body = self.block(node.body)
        self._leave(node, heads, body)
        return [*before, at(gast.For(node.target, node.iter, body, [], None), node)]

    def _enter(self, node: Any, targets: list[str]) -> tuple[Environment, list[Any]]:
        """Give each variable that the loop assigns a name that lives across its iterations."""
        heads: Environment = {}
        before: list[Any] = []
        for variable in [*targets, *_assigned(node.body)]:
            if variable in heads or variable not in self._variables:
                continue
            old = self.environment.get(variable)
            heads[variable] = self._new(variable)
            if old is not None or variable not in targets:
                # what nothing has bound yet may still be read by a later iteration
                value = load(old) if old is not None else gast.Constant(None, None)
                before.append(assign(heads[variable], value, node))
                self.environment[variable] = heads[variable]
        return heads, before

    def _leave(self, node: Any, heads: Environment, body: list[Any]) -> None:
        for variable, head in heads.items():
            last = self.environment.get(variable)
            if last is not None and last != head:
                copy = assign(head, load(last), node)
                copy.closing = True  # it ends an iteration: the next one starts from here
                body.append(copy)
        self.environment.update(heads)

    def _new(self, variable: str) -> str:
        if variable not in self._used:
            self._used.add(variable)
            return variable
        return self._namer.version(variable)

    def _rename_target(self, target: Any) -> None:
        if isinstance(target, gast.Name):
            variable = target.id
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
        hidden = _comprehension_names(node)
        for item in gast.walk(node):
            if isinstance(item, gast.Name) and item.id not in hidden:
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


def _raises(block: list[Any]) -> bool:
    return bool(block) and isinstance(block[-1], gast.Raise)


def _comprehension_names(node: Any) -> set[str]:
    hidden: set[str] = set()
    for item in gast.walk(node):
        if isinstance(item, gast.comprehension):
            hidden.update(names_bound(item.target))
        elif isinstance(item, gast.Lambda):
            hidden.update(argument.id for argument in item.args.args)
    return hidden
