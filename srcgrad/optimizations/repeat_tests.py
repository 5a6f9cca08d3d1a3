"""Asks a simple question twice rather than give its answer a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from srcgrad.analyses.sharing import Sharing
from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.changes import change_of
from srcgrad.ir.program import count_binds, count_reads, is_store, targets_of
from srcgrad.ir.walk import names_read, root_name, statements, walk

_ARITHMETIC: Final = (gast.Add, gast.Sub, gast.Mult, gast.FloorDiv, gast.Mod)
_MOST_STEPS: Final = 2


class RepeatedTests:
    """Writes ``if a > b:`` both times, in the forward and in the backward pass.

    A question may be asked again where what it reads is still bound to the same values, which
    nothing writes into. `numbers` are names whose values are single numbers; about them, a
    question may do a little arithmetic.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... test = n % 2
    ... positive = x > 0
    ... if test:
    ...     y = x
    ... if positive:
    ...     y = 2 * x
    ... x[0] = 1
    ... if test:
    ...     z = 1
    ... if positive:
    ...     z = 2
    ... ''')
    >>> tests = RepeatedTests({"test", "positive"}.__contains__, ["n", "x"], {"n"})
    >>> print(text(tests.run(body, lambda value: True)))
    positive = x > 0
    if n % 2:
        y = x
    if positive:
        y = 2 * x
    x[0] = 1
    if n % 2:
        z = 1
    if positive:
        z = 2
    """

    def __init__(
        self,
        is_temporary: Callable[[str], bool],
        parameters: Sequence[str],
        numbers: frozenset[str] | set[str],
    ) -> None:
        self._is_temporary = is_temporary
        self._parameters = frozenset(parameters)
        self._numbers = numbers

    def run(self, body: list[Any], is_pure: Callable[[Any], bool]) -> list[Any]:
        """Return `body` without the names of questions that may be asked again.

        `is_pure` says which expressions have no effect but their value.
        """
        asked: Counter[str] = Counter()
        for statement in statements(body):
            if isinstance(statement, gast.If) and isinstance(statement.test, gast.Name):
                asked[statement.test.id] += 1
        if not asked:
            return body
        reads, self._binds = count_reads(body), count_binds(body)
        self._sharing = Sharing(body, is_pure)
        written = {name for item in statements(body) for name in _written(item)}
        self._written = self._sharing.groups(written)
        tests = {
            item.targets[0].id: item.value
            for block in _once(body)
            for item in block
            if self._is_simple(item) and 0 < asked[item.targets[0].id] == reads[item.targets[0].id]
        }
        if not tests:
            return body
        for block in _once(body):
            block[:] = [item for item in block if _name_of(item) not in tests]
        for item in statements(body):
            name = getattr(getattr(item, "test", None), "id", None)
            if isinstance(item, gast.If) and name in tests:
                item.test = clone(tests[name])
        return body

    def _is_simple(self, statement: Any) -> bool:
        name = _name_of(statement)
        if not name or not self._is_temporary(name) or self._binds[name] != 1:
            return False
        read = names_read(statement.value)
        if not self._is_cheap(statement.value):
            return False
        return all(self._stays(name) for name in read)

    def _is_cheap(self, node: Any) -> bool:
        sides = [node]
        if isinstance(node, gast.Compare):
            if any(isinstance(op, (gast.In, gast.NotIn)) for op in node.ops):
                return False  # a list or dict may hold something else by then
            sides = [node.left, *node.comparators]
        elif not isinstance(node, gast.BinOp):
            return False
        steps = sum(isinstance(item, gast.BinOp) for side in sides for item in walk(side))
        return steps <= _MOST_STEPS and all(map(self._is_arithmetic, sides))

    def _is_arithmetic(self, node: Any) -> bool:
        """Say whether an expression is a name or a literal, or arithmetic on numbers."""
        if isinstance(node, (gast.Name, gast.Constant)):
            return True
        if not isinstance(node, gast.BinOp) or not isinstance(node.op, _ARITHMETIC):
            return False
        if not self._numbers.issuperset(names_read(node)):
            return False
        return self._is_arithmetic(node.left) and self._is_arithmetic(node.right)

    def _stays(self, name: str) -> bool:
        """Say whether a name is bound to one value, which nothing writes into."""
        if self._binds[name] > (0 if name in self._parameters else 1):
            return False
        return self._written.isdisjoint(self._sharing.groups([name]))


def _once(body: list[Any]) -> Iterator[list[Any]]:
    """Return the blocks whose statements run once at most: none that are in loops."""
    waiting = [body]
    while waiting:
        block = waiting.pop()
        yield block
        branches = [item for item in block if isinstance(item, gast.If)]
        waiting += [part for item in reversed(branches) for part in (item.orelse, item.body)]


def _name_of(statement: Any) -> str:
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return ""
    return getattr(statement.targets[0], "id", "")


def _written(statement: Any) -> list[str]:
    """Return the names through which a statement may write into memory."""
    found = []
    change = change_of(statement)
    if change is not None:
        found.append(change.name)
    if is_store(statement) or isinstance(statement, gast.AugAssign):
        found += [root for t in targets_of(statement) if (root := root_name(t)) is not None]
    if isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Call):
        found += names_read(statement.value)
    return found
