"""Says how long slices are whose bounds are integers of the program, such as ``x[:, i + 1 :]``.

Nobody knows that length, but slices with the same bounds, of axes of one length, have the same.
The bounds have to have the same values, too: a loop's counter is another integer at each trip, and
a value that outlives a trip has the length that it had there. So a length that has to do with such
a counter is believed only of values that are read below the place where they are made, in its
block.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from srcgrad.analyses.affine import Affine, affine_of, variable
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.spelled_lengths import Length, Vector, cut_by
from srcgrad.ir import gast
from srcgrad.ir.program import Program, bound_by, header_reads
from srcgrad.ir.walk import blocks_of


class Spans:
    """The lengths of slices between integers of one program.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x, y):
    ...     last = x
    ...     first = len(x) - 1
    ...     for i in range(first):
    ...         part = y[i:]
    ...         last = part
    ...     return x * last
    ... ''')
    >>> spans = Spans(program, Integers(program))
    >>> after = spans.length(("y", 0), gast.parse("y[i_2 + 1 - 1:]", mode="eval").body.slice)
    >>> after
    ('cut', ('y', 0), (((('i_2', 1),), 0), None, None))
    >>> [spans.believed(name, (after,)) for name in ("part", "last_2")]
    [(('cut', ('y', 0), (((('i_2', 1),), 0), None, None)),), (None,)]
    >>> fixed = spans.length(("y", 0), gast.parse("y[first:]", mode="eval").body.slice)
    >>> spans.believed("last_2", (fixed,)) == (fixed,) != (None,)
    True
    """

    def __init__(self, program: Program, integers: Integers) -> None:
        self._program = program
        self._integers = integers
        self._binds: Counter[str] | None = None
        self._fixed: set[str] = set()
        self._below: set[str] = set()

    def length(self, length: Length, part: Any) -> Length:
        """Return the length of a slice of an axis of a length, or None."""
        if length is None or not isinstance(part, gast.Slice):
            return None
        self._look()
        bounds = [self._bound(item) for item in (part.lower, part.upper, part.step)]
        given = [item for item in bounds if item is not None]
        if any(bound is ... for bound in given) or not given:
            return None
        return ("cut", length, tuple(bounds))

    def believed(self, name: str, vector: Vector | None) -> Vector | None:
        """Return the axes of a name without those lengths that may be of another trip."""
        if vector is None or all(self._is_fixed(length) for length in vector):
            return vector
        self._look()
        return vector if name in self._below else tuple(map(self._if_fixed, vector))

    def _if_fixed(self, length: Length) -> Length:
        return length if self._is_fixed(length) else None

    def _is_fixed(self, length: Length) -> bool:
        names = cut_by(length)
        return not names or names <= self._fixed

    def _bound(self, node: Any) -> Any:
        """Return a bound as a sum that can be compared; ``...`` if it is not understood."""
        if node is None:
            return None
        found = affine_of(node, self._variable) if self._integers.of(node) else None
        if found is None:
            return ...
        return (tuple(sorted(found.terms.items())), found.constant)

    def _variable(self, name: str) -> Affine | None:
        once = self._binds is not None and self._binds[name] == 1
        return variable(name) if once else None

    def _look(self) -> None:
        """Find out where names are bound and read, once."""
        if self._binds is not None:
            return
        self._binds = Counter(self._program.parameters)
        reads: Counter[str] = Counter()
        self._count(self._program.body, reads)
        self._fixed.update(n for n in self._program.parameters if self._binds[n] == 1)
        for statement in self._program.body:
            if isinstance(statement, gast.Assign):
                self._fixed.update(n for n in bound_by(statement) if self._binds[n] == 1)
        self._find_below(self._program.body, reads)

    def _count(self, block: list[Any], reads: Counter[str]) -> None:
        for statement in block:
            self._binds.update(bound_by(statement))  # type: ignore[union-attr]
            reads.update(header_reads(statement))
            for inner in blocks_of(statement):
                self._count(inner, reads)

    def _find_below(self, block: list[Any], reads: Counter[str]) -> Counter[str]:
        """Note the names of a block that are read below where they are bound, and nowhere else."""
        later: Counter[str] = Counter()
        for statement in reversed(block):
            bound = bound_by(statement) if isinstance(statement, gast.Assign) else []
            alone = [name for name in bound if self._binds[name] == 1]  # type: ignore[index]
            self._below.update(name for name in alone if later[name] == reads[name])
            later.update(header_reads(statement))
            for inner in blocks_of(statement):
                later.update(self._find_below(inner, reads))
        return later
