"""Says how long windows are: slices that surely lie in an array, such as ``x[i : i + k]``.

NumPy cuts a slice off where the array ends. It does not do so where loops run no further than the
last window that fits: then a window is as long as its bounds are apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from srcgrad.analyses.affine import Affine, affine_of, can_hold, number, variable
from srcgrad.analyses.counts import Counts
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.spelled_lengths import Length, apart
from srcgrad.ir import gast
from srcgrad.ir.program import Program, bound_by
from srcgrad.ir.walk import names_bound, statements

_DEEPEST = 8  # sums of sums, which are read as one


class Windows:
    """The windows of one program; `find` returns the length that stands for those that agree.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x, k):
    ...     n = len(x) - len(k) + 1
    ...     total = 0.0
    ...     for i in range(n):
    ...         total = total + np.sum(x[i : i + len(k)] * k)
    ...     return total
    ... ''')
    >>> of = lambda node: ((node.id, 0),)
    >>> integers = Integers(program)
    >>> windows = Windows(program, integers, Counts(program, integers, of), lambda length: length)
    >>> part = lambda text: gast.parse(f"x[{text}]", mode="eval").body.slice
    >>> windows.length(("x", 0), part("i_2 : i_2 + len(k)"))
    ('k', 0)
    >>> windows.length(("x", 0), part("i_2 : i_2 + len(k) + 1")) is None
    True
    """

    def __init__(
        self,
        program: Program,
        integers: Integers,
        counts: Counts,
        find: Callable[[Length], Length],
    ) -> None:
        self._program = program
        self._find = find
        self._integers = integers
        self._counts = counts
        self._made: dict[str, Any] | None = None
        self._atoms: dict[str, Length] = {}
        self._clipped: dict[Length, Affine] = {}

    def length(self, length: Length, part: Any) -> Length:
        """Return the length of a slice of an axis of a length, if it is a window."""
        if part.lower is None or part.upper is None or part.step is not None or length is None:
            return None
        self._clipped.clear()
        lower, upper = self._sum(part.lower), self._sum(part.upper)
        whole = self._sum_of_length(length)
        if lower is None or upper is None or whole is None:
            return None
        between = self._length_of(upper - lower)
        if between is None:
            return None
        if self._clipped.keys() - {between}:
            return None
        facts = [*self._clipped.values(), *self._facts({*lower.terms, *upper.terms})]
        outside = (lower.times(-1) - number(1), upper - whole - number(1))
        return None if any(can_hold([*facts, beyond]) for beyond in outside) else between

    def _sum(self, node: Any, depth: int = 0) -> Affine | None:
        """Return an integer as a sum of counters of loops and of lengths."""
        if (length := self._counts.length(node)) is not None:
            return self._sum_of_length(length)
        if isinstance(node, gast.Name):
            made = self._definitions().get(node.id)
            if isinstance(made, gast.For):
                return variable(node.id)
            return None if made is None or depth > _DEEPEST else self._sum(made, depth + 1)
        if isinstance(node, gast.BinOp):
            sides = {"a": self._sum(node.left, depth), "b": self._sum(node.right, depth)}
            shown = [gast.Name(name, gast.Load(), None, None) for name in sides]
            return affine_of(gast.BinOp(shown[0], node.op, shown[1]), sides.get)
        return affine_of(node, lambda _: None)

    def _sum_of_length(self, length: Length) -> Affine | None:
        length = self._find(length)
        if isinstance(length, int):
            return number(length)
        if not isinstance(length, tuple):
            return None
        if length[0] == "apart":
            return self._sum_of_terms(length)
        if length[0] == "less":
            inner = self._sum_of_length(length[1])
            return None if inner is None else inner - number(length[2])
        if len(length) != 2:
            return None
        atom = f"{length[0]}.{length[1]}"  # no name of a counter has a point
        self._atoms[atom] = length
        return variable(atom)

    def _sum_of_terms(self, length: Any) -> Affine | None:
        """Return a sum of lengths as one, which it is where it is not negative.

        Where it is, it is no length at all. A slice that is as long as that is empty then, wherever
        it is.
        """
        total = number(length[2])
        for item, factor in length[1]:
            term = self._sum_of_length(item)
            if term is None:
                return None
            total += term.times(factor)
        self._clipped[length] = total
        return total

    def made(self, node: Any) -> Length:
        """Return the length of an axis that is made as long as an integer is, or None.

        A negative one would raise.
        """
        self._clipped.clear()
        found = self._sum(node)
        length = None if found is None else self._length_of(found)
        return None if self._clipped.keys() - {length} else length

    def _length_of(self, difference: Affine) -> Length:
        """Return a difference of bounds as a length, if it is one of lengths."""
        atoms = [(self._atoms.get(name), n) for name, n in difference.terms.items()]
        if any(atom is None for atom, _ in atoms):
            return None
        if len(atoms) == 1 and atoms[0][0][1] == "value":  # type: ignore[index]
            return None
        return apart(atoms, difference.constant)

    def _definitions(self) -> dict[str, Any]:
        """Return what the names are bound to that are bound once: a value, or a loop."""
        if self._made is None:
            binds = Counter(self._program.parameters)
            made: dict[str, Any] = {}
            for statement in statements(self._program.body):
                bound = bound_by(statement)
                binds.update(bound)
                whole = isinstance(statement, gast.Assign) and len(bound) == 1
                if whole and isinstance(statement.targets[0], gast.Name):
                    made[statement.targets[0].id] = statement.value
                elif isinstance(statement, gast.For):
                    made.update(dict.fromkeys(names_bound(statement.target), statement))
            self._made = {name: value for name, value in made.items() if binds[name] == 1}
        return self._made

    def _facts(self, names: set[str]) -> Iterator[Affine]:
        """Yield sums that are not negative: how far counters are from the ends of their loops."""
        seen: set[str] = set()
        while names:
            name = names.pop()
            seen.add(name)
            if name in self._atoms:
                continue
            for fact in self._ends(name):
                names.update(fact.terms.keys() - seen)
                yield fact

    def _ends(self, counter: str) -> Iterator[Affine]:
        loop: Any = self._definitions().get(counter)
        call: Any = getattr(loop, "iter", None)
        of_range = isinstance(call, gast.Call) and self._integers.is_range(call)
        if not of_range or not isinstance(loop.target, gast.Name) or len(call.args) > 2:
            return
        start = self._sum(call.args[0]) if len(call.args) == 2 else number(0)
        stop = self._sum(call.args[-1])
        if start is not None:
            yield variable(counter) - start
        if stop is not None:
            yield stop - number(1) - variable(counter)
