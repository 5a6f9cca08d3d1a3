"""Writes ``zip(x, y, strict=True)`` as a check of the lengths and a plain `zip`."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load, store
from srcgrad.ir.jumps import inner_blocks
from srcgrad.ir.names import Namer
from srcgrad.ir.packages import package_of
from srcgrad.ir.scopes import MISSING, Scope
from srcgrad.ir.walk import found_in, names_bound, names_read, nodes_in

_CONDITIONAL: Final = (gast.IfExp, gast.BoolOp, gast.Lambda)
_SIZED: Final = (gast.Subscript, gast.BinOp, gast.ListComp, gast.List, gast.Tuple)
"""Expressions whose values are sure to have a length, if they can be zipped."""
_LIBRARIES: Final = ("numpy", "scipy")
_LISTS: Final = (gast.ListComp, gast.GeneratorExp, gast.SetComp, gast.DictComp)


class StrictZips:
    """Rewrites the blocks of one function.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> scope = program_of("def f(x): return x").reader.scope
    >>> body = parse('''
    ... for a, b in zip(xs, ys[1:], strict=True):
    ...     total = total + a * b
    ... ''')
    >>> print(text(StrictZips(Namer(), scope).block(body)))
    items = ys[1:]
    if len(xs) != len(items):
        raise ValueError("zip() has arguments of different lengths")
    for a, b in zip(xs, items):
        total = total + a * b
    """

    def __init__(self, namer: Namer, scope: Scope) -> None:
        self._namer = namer
        self._scope = scope
        self._checks: list[Any] = []
        self._may_name = False

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of a function without strict calls of `zip`, where that can be."""
        for item in body:
            for made in found_in(item, gast.Call):
                if self._scope.resolve(made.func) is zip:
                    made.keywords = [k for k in made.keywords if not _is_idle(k)]
        return self.block(body)

    def block(self, block: list[Any]) -> list[Any]:
        """Return a block without strict calls of `zip`, where their arguments are variables."""
        done: list[Any] = []
        for statement in block:
            for part in inner_blocks(statement):
                part[:] = self.block(part)
            self._checks = []
            if isinstance(statement, gast.For):
                self._name_arguments(statement.iter)
                self._look(statement.iter, set())
            elif isinstance(statement, gast.If):
                self._look(statement.test, set())
            elif isinstance(statement, (gast.Assign, gast.AugAssign, gast.Return, gast.Expr)):
                self._may_name = self._has_no_effects(statement.value)
                self._look(statement.value, set())
                self._may_name = False
            done += [*(at(check, statement) for check in self._checks), statement]
        return done

    def _look(self, node: Any, bound: set[str]) -> None:
        """Find the calls in an expression that are surely evaluated; `bound` are its own names."""
        if node is None or isinstance(node, _CONDITIONAL):
            return
        if isinstance(node, gast.Call) and self._scope.resolve(node.func) is zip:
            self._loosen(node, bound)
        if isinstance(node, _LISTS):
            first = node.generators[0]
            self._look(first.iter, bound)
            return
        for child in nodes_in(node):
            self._look(child, bound | set(names_bound(child)))

    def _name_arguments(self, node: Any) -> None:
        """Give names to what a loop zips, which is evaluated before all else."""
        if not isinstance(node, gast.Call):
            return
        function = self._scope.resolve(node.func)
        if function is enumerate and node.args:
            self._name_arguments(node.args[0])
        if function is zip and is_strict(node):
            self._name_each(node)

    def _name_each(self, node: Any) -> None:
        """Give names to the arguments of a call that have none."""
        if all(isinstance(item, _SIZED) or _is_plain(item) for item in node.args):
            for i, item in enumerate(node.args):
                if not _is_plain(item):
                    name = self._namer.fresh("items")
                    self._checks.append(assign(name, item))
                    node.args[i] = load(name)

    def _has_no_effects(self, value: Any) -> bool:
        """Say whether all that an expression calls are functions of libraries, known by name."""
        found = [self._scope.resolve(made.func) for made in found_in(value, gast.Call)]
        return MISSING not in found and not any(
            isinstance(item, FunctionType) and package_of(item) not in _LIBRARIES for item in found
        )

    def _loosen(self, node: Any, bound: set[str]) -> None:
        if not is_strict(node):
            return
        if self._may_name and bound.isdisjoint(names_read(node)):
            self._name_each(node)
        if len(node.args) == 1 and isinstance(node.args[0], gast.Starred):
            self._loosen_rows(node, bound)
            return
        plain = all(_is_plain(item) for item in node.args) and bound.isdisjoint(names_read(node))
        if not plain or len(node.args) < 2:
            return
        self._checks.append(loosened(node))

    def _loosen_rows(self, node: Any, bound: set[str]) -> None:
        """Check the lengths of the rows that ``zip(*rows, strict=True)`` unpacks."""
        rows = node.args[0].value
        if not isinstance(rows, gast.Name) or rows.id in bound:
            return
        node.keywords = []
        row = self._namer.fresh("row")
        first = call("len", gast.Subscript(clone(rows), gast.Constant(0, None), gast.Load()))
        test = gast.Compare(call("len", load(row)), [gast.NotEq()], [first])
        self._checks.append(gast.For(store(row), clone(rows), [_refusal(test)], [], None))


def loosened(node: Any) -> Any:
    """Make a strict call of `zip` with variables a loose one; return the check of their lengths."""
    node.keywords = []
    first, *others = [call("len", clone(item)) for item in node.args]
    pairs: list[Any] = [gast.Compare(clone(first), [gast.NotEq()], [other]) for other in others]
    return _refusal(pairs[0] if len(pairs) == 1 else gast.BoolOp(gast.Or(), pairs))


def is_strict(node: Any) -> bool:
    """Say whether a call says ``strict=True``."""
    strict = [item.value for item in node.keywords if item.arg == "strict"]
    return bool(strict) and getattr(strict[0], "value", None) is True


def _refusal(test: Any) -> Any:
    words = gast.Constant("zip() has arguments of different lengths", None)
    return gast.If(test, [gast.Raise(call("ValueError", words), None)], [])


def _is_plain(item: Any) -> bool:
    """Say whether an argument may be written twice."""
    text = isinstance(item, gast.Constant) and isinstance(item.value, (str, bytes))
    return text or isinstance(item, gast.Name)


def _is_idle(keyword: Any) -> bool:
    return keyword.arg == "strict" and getattr(keyword.value, "value", None) is False
