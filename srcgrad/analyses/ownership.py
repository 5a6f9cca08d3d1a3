"""Says which memory an adjoint may share, so that a gradient handed out is nobody else's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from typing import Any, Final

from srcgrad.analyses.text_calls import called, makes_new
from srcgrad.ir import gast
from srcgrad.ir.walk import names_bound, names_read, statements

OTHERS: Final = "others"
"""Stands for memory that somebody else can reach, or that may not be written."""

_SPREAD: Final = frozenset({"expand_reduced", "expand_sum", "expand_mean", "getitem"})
_NEW: Final = gast.Constant(None, None)


class Origins:
    """Follows adjoints through the statements of a backward pass to the memory they lie in.

    `is_adjoint` says which names are adjoints of this pass, `is_known` which functions return new
    memory or that of the adjoints they are given, `separates` names those that return several
    adjoints, each in new memory, and `owned` are adjoints in memory of their own from the start.
    Those that are `given` lie in the memory of others.

    >>> from srcgrad.compiler.doctesting import parse
    >>> body = parse('''
    ... grad_y = grad_out * 2
    ... grad_z = np.transpose(grad_y)
    ... grad_x = np.broadcast_to(grad_z, s)
    ... ''')
    >>> origins = Origins(body, lambda name: name.startswith("grad_"), lambda name: False)
    >>> [origins.of(line.targets[0]) for line in body]
    [{'grad_y'}, {'grad_y'}, {'others'}]
    >>> both = parse("grad_a = unbroadcast(grad_out, a); grad_b = unbroadcast(grad_out, b)")
    >>> known = "grad_a", "grad_b"
    >>> origins = Origins(both, known.__contains__, lambda name: True, given=["grad_out"])
    >>> origins.of(both[0].targets[0])
    {'others'}
    """

    def __init__(
        self,
        body: list[Any],
        is_adjoint: Callable[[str], bool],
        is_known: Callable[[str], bool],
        separates: Collection[str] = (),
        owned: Collection[str] = (),
        given: Collection[str] = (),
    ) -> None:
        self._given = frozenset(given)
        self._is_adjoint = is_adjoint
        self._is_known = is_known
        self._made: dict[str, list[Any]] = defaultdict(list, {name: [_NEW] for name in owned})
        for statement in statements(body):
            if isinstance(statement, gast.Assign):
                for target in statement.targets:
                    func = getattr(getattr(statement.value, "func", None), "id", "")
                    whole = isinstance(target, gast.Name)
                    parts = _NEW if func in separates else None
                    for name in names_bound(target):
                        self._made[name].append(statement.value if whole else parts)

    def of(self, node: Any, seen: frozenset[str] = frozenset()) -> set[str]:
        """Return the adjoints in whose memory a value may lie: none if the memory is new.

        OTHERS stands for memory that is no adjoint's of this pass.
        """
        if isinstance(node, gast.Name):
            return self._of_name(node.id, seen)
        if isinstance(node, (gast.BinOp, gast.UnaryOp, gast.Constant)):
            return set()
        if isinstance(node, gast.Call):
            return self._of_call(node, seen)
        if isinstance(node, gast.Attribute) and node.attr == "T":
            return self.of(node.value, seen)
        return {OTHERS}

    def _of_name(self, name: str, seen: frozenset[str]) -> set[str]:
        if name in seen:
            return set()
        if not self._is_adjoint(name) or name not in self._made:
            return {OTHERS}
        found: set[str] = set()
        for value in self._made[name]:
            inside = self.of(value, seen | {name}) if value is not None else {OTHERS}
            found |= inside or {name}
        return found

    def _of_call(self, node: Any, seen: frozenset[str]) -> set[str]:
        func = node.func
        if isinstance(func, gast.Name):
            if func.id == "copied":
                return set()
            if func.id in _SPREAD or not self._is_known(func.id):
                return {OTHERS}
            return self._of_arguments(node, seen)
        if isinstance(func, gast.Attribute):
            if func.attr in ("copy", "sum"):
                return set()
            if isinstance(func.value, gast.Name) and func.value.id == "np":
                return self._of_numpy(node, seen)
        return {OTHERS}

    def _of_arguments(self, node: Any, seen: frozenset[str]) -> set[str]:
        found: set[str] = set()
        for item in node.args:
            if any(self._is_adjoint(name) or name in self._given for name in names_read(item)):
                found |= self.of(item, seen)
        return found

    def _of_numpy(self, node: Any, seen: frozenset[str]) -> set[str]:
        known = called(node)
        if known.memory in ("view", "itself", "layout") and known.viewed == "first" and node.args:
            return self.of(node.args[0], seen)
        return set() if makes_new(node) else {OTHERS}
