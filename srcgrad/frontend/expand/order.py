"""Says which calls must stay in their order: draws, iterators that go on, what writes."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.expand.values import Known, Local
from srcgrad.frontend.repeatable import not_repeatable
from srcgrad.ir import gast
from srcgrad.ir.marks import ORIGIN
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import found_in, walk
from srcgrad.primitives.methods import WRITING

_ONCE: Final = (next, input)
_PLACE: Final = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_NAMES: Final = (gast.Name, gast.Attribute, gast.Load)


class Order:
    """Counts the calls in expressions that must stay in their order.

    `look(name)` says what a name means, as a static value or anything else.
    """

    def __init__(self, vocabulary: Vocabulary, look: Callable[[str], Any]) -> None:
        self._vocabulary = vocabulary
        self._look = look
        self._known: dict[Any, bool] = {}

    def count(self, node: Any) -> int:
        """Return how many calls in an expression have effects, or depend on those of others."""
        if not isinstance(node, gast.AST):
            return 0
        return sum(self._call(item.func) for item in found_in(node, gast.Call))

    def _call(self, func: Any) -> bool:
        if isinstance(func, gast.Attribute):
            return func.attr in WRITING or func.attr in self._vocabulary.draws
        found = self._look(func.id) if isinstance(func, gast.Name) else None
        if isinstance(found, Local):
            return self._once(found.code.tree, lambda: self.count(found.code.tree) > 0)
        function = found.value if isinstance(found, Known) else None
        if isinstance(function, FunctionType):
            return self._once(function, lambda: self._has_effects(function))
        return function in _ONCE if callable(function) else False

    def _once(self, key: Any, ask: Callable[[], bool]) -> bool:
        if key not in self._known:
            self._known[key] = False  # of a function that calls itself
            self._known[key] = ask()
        return self._known[key]

    def _has_effects(self, function: FunctionType) -> bool:
        if self._vocabulary.rule_for(function) or self._vocabulary.constant_reason(function):
            return False
        if not_repeatable(function, self._vocabulary) is not None:
            return True
        return bool(written_parameters(function, self._vocabulary))


class OutOfOrderError(Exception):
    """A call turned out to change something, after other parts of its statement.

    Attributes:
        place: Where it stands, as `place` says.
    """

    def __init__(self, place: Any) -> None:
        super().__init__(place)
        self.place = place


def place(node: Any) -> Any:
    """Return where a node stands, by which it is known after copies.

    What was put in place from another file stands all at one place; where it stood there tells.
    """
    origin = ORIGIN.of(node)
    if origin is not None:
        return origin
    return tuple(getattr(node, name, None) for name in _PLACE)


def evaluated_first(node: Any, stays: Callable[[Any], bool] = lambda _: False) -> list[Any]:
    """Return the parts of an expression before which Python evaluates no other part.

    Nor what does not matter there, since it `stays` what it is.

    >>> (line,) = gast.parse("np.sum(f(x) ** 2) + h(z)").body
    >>> [type(item).__name__ for item in evaluated_first(line.value)]
    ['BinOp', 'Call', 'BinOp', 'Call', 'Name']
    """
    found = []
    while node is not None:
        found.append(node)
        node = next((part for part in _in_turn(node) if not stays(part)), None)
    return found


def _in_turn(node: Any) -> list[Any]:
    """Return the parts of an expression that Python surely evaluates, in order."""
    if isinstance(node, gast.Call):
        simple = all(isinstance(n, _NAMES) or _is_super(n) for n in walk(node.func))
        arguments = [*node.args, *[item.value for item in node.keywords]]
        return arguments if simple and arguments else [node.func]
    if isinstance(node, (gast.Tuple, gast.List)):
        return list(node.elts)
    parts = [getattr(node, name, None) for name in ("left", "right", "operand", "value", "test")]
    return [part for part in parts if isinstance(part, gast.AST)]


def _is_super(node: Any) -> bool:
    """Say whether a node is ``super()`` or ``super(Class, self)``."""
    func = node.func if isinstance(node, gast.Call) else None
    called = isinstance(func, gast.Name) and func.id.startswith("super")
    return called and all(isinstance(item, gast.Name) for item in node.args)


def is_idle(value: Any) -> bool:
    """Say whether it does nothing to evaluate a value, as that of a call that nobody takes."""
    if isinstance(value, (gast.Tuple, gast.List)):
        return all(map(is_idle, value.elts))
    return isinstance(value, (gast.Constant, gast.Name))
