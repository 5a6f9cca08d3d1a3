"""Knows the lists, tuples and dicts of the caller that a program does nothing to but read entries.

Each entry that is an array then has one shadow, which is found at the same place of a list or dict
of shadows, whatever the names are by which the program reaches the array.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

from srcgrad.analyses.integers import Integers
from srcgrad.ir import gast
from srcgrad.ir.program import Program, header_of, header_reads, is_store, store_target
from srcgrad.ir.walk import names_bound, statements, walk

Conditions = tuple[str, ...]
"""What has to hold of arguments, all of it."""

_KINDS: Final = ("list", "tuple", "dict")
_TESTS: Final = (
    "isinstance(item, np.ndarray)",
    "np.ndim(item) > 0",
    "item.dtype.kind in 'fc'",
)


class GivenHolders:
    """The parameters that are lists, tuples and dicts, and the names of these and nothing else.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(p, q):
    ...     r = p
    ...     r[0][1:] = q[0][1:]
    ...     z = [q, p[0]]
    ...     return np.sum(z[1])
    ... ''')
    >>> program.given.update(p="list", q="list")
    >>> holders = GivenHolders(program, Integers(program))
    >>> holders.of("r"), holders.of("q")
    ('p', None)
    >>> holders.all_arrays("p")[1:]
    ('all(np.ndim(item) > 0 for item in p)', "all(item.dtype.kind in 'fc' for item in p)")
    """

    def __init__(self, program: Program, integers: Integers) -> None:
        self._program = program
        self._integers = integers
        self._roots = {n: n for n in program.parameters if program.given.get(n) in _KINDS}
        if self._roots:
            self._follow()

    def of(self, name: str) -> str | None:
        """Return the parameter that a name surely means, or None."""
        return self._roots.get(name)

    def is_array(self, read: Any) -> Conditions | None:
        """Say when what is read is an array of floats with axes; None if nobody knows.

        An array of integers would cut off the fraction of what is stored in it.
        """
        name, key = self._roots[read.value.id], read.slice
        if isinstance(key, gast.Constant) and isinstance(key.value, (str, int)):
            held = f"{name}[{key.value!r}]"
            return tuple(test.replace("item", held) for test in _TESTS)
        if self._program.given[name] == "dict" or self._integers.of(key):
            return self.all_arrays(name)
        return None

    def all_arrays(self, name: str) -> Conditions:
        """Say when all that one of them holds are arrays of floats with axes."""
        root = self._roots[name]
        held = f"{root}.values()" if self._program.given[root] == "dict" else root
        return tuple(f"all({test} for item in {held})" for test in _TESTS)

    def _follow(self) -> None:
        """Find the names of each, and leave out those of which something else is done."""
        body = list(statements(self._program.body))
        makers: dict[str, list[Any]] = defaultdict(list)
        for statement in body:
            for name in _bound(statement):
                makers[name].append(_copied(statement))
        for name in makers.keys() & self._roots.keys():
            del self._roots[name]
        size = -1
        while size != (size := len(self._roots)):
            for name, values in makers.items():
                roots = {self._roots.get(getattr(value, "id", "")) for value in values}
                if len(roots) == 1 and (root := roots.pop()) is not None:
                    self._roots.setdefault(name, root)
        for statement in body:
            for name in self._handed_on(statement):
                root = self._roots.get(name)
                self._roots = {n: r for n, r in self._roots.items() if r != root}

    def _handed_on(self, statement: Any) -> list[str]:
        """Return the names of which a statement does more than to read entries."""
        if is_store(statement) and isinstance(store_target(statement).value, gast.Name):
            return [store_target(statement).value.id]
        names = [name for name in header_reads(statement) if name in self._roots]
        if not names:
            return []
        for node in [node for part in header_of(statement) for node in walk(part)]:
            reads = isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Load)
            plain = reads and not isinstance(node.slice, gast.Slice)
            counts = isinstance(node, gast.Call) and getattr(node.func, "id", "") == "len"
            read = node.value if plain else node.args[0] if counts and node.args else None
            if isinstance(read, gast.Name) and read.id in names:
                names.remove(read.id)
        whole = getattr(statement, "iter", getattr(statement, "value", None))
        if isinstance(whole, gast.Name) and whole.id in names and self._keeps(statement, whole.id):
            names.remove(whole.id)
        return names

    def _keeps(self, statement: Any, name: str) -> bool:
        """Say whether a statement copies a name, unpacks it or goes through the keys of a dict."""
        if isinstance(statement, gast.For):
            return self._program.given[self._roots[name]] == "dict"
        if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
            return False
        target = statement.targets[0]
        if isinstance(target, gast.Name):
            return self._roots.get(target.id) == self._roots[name]
        plain = isinstance(target, gast.Tuple) and self._program.given[self._roots[name]] != "dict"
        return plain and all(isinstance(item, gast.Name) for item in target.elts)


def _copied(statement: Any) -> Any:
    """Return the value that a statement binds a name to, or None."""
    targets = getattr(statement, "targets", [])
    return statement.value if len(targets) == 1 and isinstance(targets[0], gast.Name) else None


def _bound(statement: Any) -> list[str]:
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return [name for target in targets if target is not None for name in names_bound(target)]
