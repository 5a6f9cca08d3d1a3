"""Writes ``zip(x, y, strict=True)`` as a check of the lengths and a plain `zip`."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load
from srcgrad.ir.jumps import inner_blocks
from srcgrad.ir.names import Namer
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import names_bound, nodes_in

_CONDITIONAL: Final = (gast.IfExp, gast.BoolOp, gast.Lambda)
_SIZED: Final = (gast.Subscript, gast.BinOp, gast.ListComp, gast.List, gast.Tuple)
"""Expressions whose values are sure to have a length, if they can be zipped."""
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
            elif isinstance(statement, (gast.Assign, gast.AugAssign, gast.Return, gast.Expr)):
                self._look(statement.value, set())
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
        if function is not zip or not _is_strict(node):
            return
        if all(isinstance(item, (gast.Name, *_SIZED)) for item in node.args):
            for i, item in enumerate(node.args):
                if not isinstance(item, gast.Name):
                    name = self._namer.fresh("items")
                    self._checks.append(assign(name, item))
                    node.args[i] = load(name)

    def _loosen(self, node: Any, bound: set[str]) -> None:
        if not _is_strict(node):
            return
        plain = all(isinstance(item, gast.Name) and item.id not in bound for item in node.args)
        if not plain or len(node.args) < 2:
            return
        node.keywords = []
        lengths = [call("len", clone(item)) for item in node.args]
        differ = [gast.NotEq() for _ in lengths[1:]]
        if len(lengths) == 2:
            test: Any = gast.Compare(lengths[0], differ, lengths[1:])
        else:
            pairs = [gast.Compare(clone(lengths[0]), [gast.NotEq()], [n]) for n in lengths[1:]]
            test = gast.BoolOp(gast.Or(), pairs)
        words = gast.Constant("zip() has arguments of different lengths", None)
        self._checks.append(gast.If(test, [gast.Raise(call("ValueError", words), None)], []))


def _is_strict(node: Any) -> bool:
    strict = [item.value for item in node.keywords if item.arg == "strict"]
    return bool(strict) and getattr(strict[0], "value", None) is True
