"""Keeps what a rule becomes in the place of a call, for the next call of the same form.

A rule is followed once with names that stand for the operands, the results and the gradients. What
it asks a module for on the way, names of what is outside and new names, is written down. Each call
then asks its own module for the same, in the same order, and copies the expressions with its own
operands in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from srcgrad.ir import gast
from srcgrad.ir.build import clone, rebuilt, stands_alone
from srcgrad.transforms.rule_sources import NotInlinableError

Parts: TypeAlias = tuple[list[Any], list[Any]]
Key: TypeAlias = tuple[Any, ...]
_MOST: Final = 5000


class Asked:
    """Stands for the names of a module, and writes down what it is asked for.

    >>> asked = Asked()
    >>> asked.use_runtime("matmul_left"), asked.name_of(abs, "abs", lambda: None) != "abs"
    ('matmul_left', True)
    """

    def __init__(self, mark: str = "") -> None:
        self.steps: list[tuple[str, Any, str, str | None]] = []
        self._mark = mark

    def use_runtime(self, name: str) -> str:
        """Stand for `Externals.use_runtime`, whose answers are all the same."""
        self.steps.append(("", None, name, None))
        return name

    def name_of(self, value: Any, wish: str, importer: Callable[[], str | None]) -> str:
        """Stand for `Externals.name_of`."""
        return self._noted(value, wish, importer())

    def fresh(self, wish: str) -> str:
        """Stand for `Namer.fresh`."""
        return self._noted(None, wish, None)

    def known_rank(self, _node: Any) -> int | None:
        """Say that what a rule becomes hangs on more than the form of a call."""
        raise NotInlinableError

    def _noted(self, value: Any, wish: str, module: str | None) -> str:
        name = f"<{self._mark}.{len(self.steps)}>"
        self.steps.append((name, value, wish, module))
        return name


class Form:
    """A rule in the place of calls of one form.

    Attributes:
        before: What the placing asks for.
        adjoint: What the gradients ask for, the statements before them, and they themselves.
        pushes: Whether the rule has a `jvp`.
    """

    __slots__ = ("adjoint", "before", "pushes")

    def __init__(self, before: Asked, adjoint: tuple[Any, ...], *, pushes: bool) -> None:
        self.before = before.steps
        self.adjoint = adjoint
        self.pushes = pushes


LAYOUTS: Final[dict[Key, list[Any]]] = {}
FORMS: Final[dict[Key, Any]] = {}
UNMET: Final[Any] = object()


def operand_kinds(args: Sequence[Any], keywords: Mapping[str, Any]) -> Key | None:
    """Return what the operands of a call are like: names, and literals by their values.

    Of any other operand there is no saying.

    >>> call = gast.parse("f(a, 2.0, k=b)").body[0].value
    >>> operand_kinds(call.args, {item.arg: item.value for item in call.keywords})
    ((None, (<class 'float'>, '2.0')), ('k', None))
    """
    found: list[Any] = []
    for item in args:
        kind = item.__class__
        if kind is gast.Name:
            found.append(None)
        elif kind is gast.Constant:
            found.append((item.value.__class__, repr(item.value)))
        else:
            return None
    if not keywords:
        return (tuple(found),)
    named = operand_kinds([*keywords.values()], {})
    if named is None:
        return None
    return tuple(found), *zip(keywords, named[0], strict=True)


def stand_ins(operands: Sequence[Any]) -> list[Any]:
    """Return what stands for operands: names of no text, and literals at places of no file."""
    found = []
    for place, item in enumerate(operands):
        if item.__class__ is gast.Name:
            found.append(gast.Name(f"<a{place}>", gast.Load(), None, None))
        else:
            literal = gast.Constant(item.value, None)
            literal.lineno = -1 - place
            found.append(literal)
    return found


def names_for(what: str, count: int) -> list[Any]:
    """Return names that stand for results, or for gradients."""
    return [gast.Name(f"<{what}{place}>", gast.Load(), None, None) for place in range(count)]


def keep(forms: dict[Key, Any], key: Key, value: Any) -> None:
    """Keep something for a form of calls; of too many all are let go."""
    if len(forms) >= _MOST:
        forms.clear()
    forms[key] = value


def ask(
    steps: list[tuple[str, Any, str, str | None]], namer: Any, externals: Any
) -> dict[str, str]:
    """Ask a module for what a rule asks for, and return its names by those that stand for them."""
    names: dict[str, str] = {}
    for name, value, wish, module in steps:
        if not name:
            externals.use_runtime(wish)
        elif value is None:
            names[name] = namer.fresh(wish)
        else:
            names[name] = externals.name_of(value, wish, lambda module=module: module)
    return names


class Filling:
    """Copies expressions of a form with the operands and names of one call in them."""

    def __init__(
        self, operands: Sequence[Any], nodes: dict[str, Any], names: dict[str, str]
    ) -> None:
        self._operands = operands
        self._nodes = nodes
        self._names = names

    def of(self, node: Any) -> Any:
        """Return a copy of an expression or a statement.

        >>> tree = gast.parse("g * f(a, b)").body[0].value
        >>> nodes = {"a": gast.parse("x[0]").body[0].value}
        >>> gast.unparse(Filling([], nodes, {"f": "np.hypot"}).of(tree))
        'g * np.hypot(x[0], b)'
        """
        kind = node.__class__
        if kind is gast.Name:
            found = self._nodes.get(node.id)
            if found is not None:
                return clone(found)
            new = clone(node)
            new.id = self._names.get(node.id, node.id)
            return new
        if kind is gast.Constant:
            line = getattr(node, "lineno", 0)
            return clone(self._operands[-1 - line] if line < 0 else node)
        if kind is list:
            return [self.of(item) for item in node]
        if stands_alone(node):
            return node
        return rebuilt(node, self.of)
