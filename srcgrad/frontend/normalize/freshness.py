"""Says whether a variable is, before a loop, the only name of memory that the function has made."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.operations import Reader, may_return_operand
from srcgrad.ir.walk import names_bound, names_read, statements

_NEW = (gast.BinOp, gast.UnaryOp, gast.Compare, gast.Constant, gast.JoinedStr)


class Freshness:
    """The variables of one function body.

    >>> from srcgrad.compiler.doctesting import parse, reader_of
    >>> body = parse('''
    ... u = np.zeros(3)
    ... v = u[1:]
    ... w = v + 1
    ... for i in range(3):
    ...     w[i] = 0.0
    ... ''')
    >>> reader = reader_of()
    >>> reader.scope.local |= {"u", "v", "w"}
    >>> fresh = Freshness(body, ["x"], reader)
    >>> [fresh.at(name, body[3]) for name in ("u", "v", "w")]
    [False, False, True]
    """

    def __init__(self, body: list[Any], parameters: list[str], reader: Reader) -> None:
        self._statements = list(statements(body))
        self._parameters = set(parameters)
        self._reader = reader

    def at(self, name: str, loop: Any) -> bool:
        """Say whether no other name can reach the memory of a variable before a loop."""
        if name in self._parameters or name not in self._reader.scope.local:
            return False
        before = self._before(loop)
        return not any(self._shares(statement, name) for statement in before)

    def counts(self, name: str) -> bool:
        """Say whether a variable is a count: bound to literal numbers, and moved on by such."""
        binds = [statement for statement in self._statements if name in _bound(statement)]
        return name not in self._parameters and all(
            isinstance(item, (gast.Assign, gast.AugAssign)) and _is_number(item.value)
            for item in binds
        )

    def binds_before(self, name: str, loop: Any) -> bool:
        """Say whether a statement that may run before a loop binds a name."""
        return any(name in _bound(statement) for statement in self._before(loop))

    def _before(self, loop: Any) -> list[Any]:
        """Return the statements that may run before a loop: those of loops around it, too."""
        inner = {id(item) for item in statements([loop])}
        done: list[Any] = []
        first = True
        for statement in self._statements:
            if statement is loop:
                first = False
            around = isinstance(statement, (gast.For, gast.While)) and any(
                item is loop for item in statements(statement.body)
            )
            if around:
                return [s for s in self._statements if id(s) not in inner]
            if first and id(statement) not in inner:
                done.append(statement)
        return done

    def _shares(self, statement: Any, name: str) -> bool:
        """Say whether a statement gives the memory of `name` another name, or takes it from one."""
        if isinstance(statement, gast.Assign):
            return any(
                self._pair_shares(target, statement.value, name) for target in statement.targets
            )
        if isinstance(statement, gast.For):
            return name in names_bound(statement.target) or self._reads(statement.iter, name)
        if isinstance(statement, (gast.Expr, gast.AnnAssign)):
            value = statement.value
            bound = getattr(getattr(statement, "target", None), "id", None) == name
            return value is not None and (
                self._reads(value, name) or (bound and not self.is_new(value))
            )
        return name in _bound(statement) and not isinstance(statement, gast.AugAssign)

    def _pair_shares(self, target: Any, value: Any, name: str) -> bool:
        pairs = isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple)
        if pairs and len(target.elts) == len(value.elts):
            both = zip(target.elts, value.elts, strict=True)
            return any(self._pair_shares(t, v, name) for t, v in both)
        if isinstance(target, gast.Subscript) and not isinstance(value, (gast.List, gast.Tuple)):
            return isinstance(value, gast.Name) and value.id == name
        return self._reads(value, name) or (name in names_bound(target) and not self.is_new(value))

    def _reads(self, value: Any, name: str) -> bool:
        """Say whether the value of an expression may lie in the memory of `name`."""
        return not self.is_new(value) and name in names_read(value)

    def is_new(self, value: Any) -> bool:
        """Say whether the value of an expression is a number, or memory of its own."""
        if isinstance(value, _NEW):
            return True
        if isinstance(value, gast.IfExp):
            return self.is_new(value.body) and self.is_new(value.orelse)
        if not isinstance(value, gast.Call):
            return False
        operation = self._reader.read(value)
        if operation.kind == "constant":
            return True
        vocabulary = self._reader.vocabulary
        if operation.kind != "primitive" or "copy" in operation.keywords:
            return False
        known = vocabulary.primitive(operation.primal)
        return not known.may_view and not may_return_operand(known, operation)


def _is_number(value: Any) -> bool:
    return isinstance(getattr(value, "value", None), (int, float))


def _bound(statement: Any) -> list[str]:
    if isinstance(statement, (gast.For, gast.AugAssign, gast.AnnAssign)):
        return names_bound(statement.target)
    if isinstance(statement, gast.With):
        found = [item.optional_vars for item in statement.items if item.optional_vars is not None]
        return [name for target in found for name in names_bound(target)]
    return [n for target in getattr(statement, "targets", []) for n in names_bound(target)]
