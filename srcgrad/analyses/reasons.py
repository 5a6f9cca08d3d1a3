"""Says why each variable of the user's has a derivative or has none, line by line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.analyses.activity import flows
from srcgrad.ir import gast
from srcgrad.ir.program import Program
from srcgrad.ir.walk import names_bound, names_read, statements
from srcgrad.primitives import constants
from srcgrad.runtime import stop_gradient

#: Why a variable has no derivative; the sentence says it for one line.
KINDS: Final = {
    constants.STEPS: "piecewise constant",
    constants.TRUTH: "truth value",
    constants.INDEX: "integer",
    constants.SIZES: "integer",
    constants.FRESH: "constant",
    constants.TYPES: "not a number",
    constants.RANDOM: "random",
    constants.TEXT: "not a number",
    constants.REPORT: "not a number",
    constants.PYTHON: "not a number",
}


@dataclass(frozen=True, slots=True)
class Variable:
    """What is known of a variable.

    Attributes:
        name: The user's name.
        lines: Where it is bound or written into; none for an argument.
        active: Whether it has a derivative.
        kind: Why not: "constant", "argument", "integer", "truth value", "piecewise constant",
            "stopped", "random", "not a number", "unused" (it does not reach the result); "active".
        reason: The same as a sentence.
        chain: The lines that lead from a differentiated argument through it to the result.
    """

    name: str
    lines: tuple[int, ...]
    active: bool
    kind: str
    reason: str = ""
    chain: tuple[int, ...] = ()


Links = Sequence[tuple[str, str]]


class Reasons:
    """The reasons of one program, for the names that carry derivatives in it.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     n = len(x)
    ...     big = np.max(x) > 1.0
    ...     y = np.sin(x)
    ...     return np.sum(y) / n
    ... ''')
    >>> active = frozenset(["x", "y", "sum_y", "out"])
    >>> found = Reasons(program, program.body, active)
    >>> for item in found.variables(["n", "y"]):
    ...     print(item.name, item.kind, item.reason, item.chain)
    x active  (5, 6)
    n integer `len` returns sizes ()
    y active  (5, 6)
    """

    def __init__(
        self,
        program: Program,
        body: list[Any],
        active: Collection[str],
        shared: Links = (),
    ) -> None:
        self._program = program
        self._active = active
        self._body = body
        self._makers: dict[str, list[Any]] = defaultdict(list)
        self._forward: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self._backward: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for statement, targets, sources in flows(program, body):
            for target in targets:
                self._makers[target].append(statement)
                for source in sources:
                    self._edge(source, target, _line(statement))
        for first, second in shared:
            self._edge(first, second, 0)
            self._edge(second, first, 0)
        for statement in statements(body):
            if isinstance(statement, gast.For):
                for name in names_bound(statement.target):
                    self._makers[name].append(statement)
        self._varied = _reach(program.inputs, self._forward)
        self._last = _line(body[-1]) if body else 0

    def _edge(self, source: str, target: str, line: int) -> None:
        self._forward[source].append((target, line))
        self._backward[target].append((source, line))

    def variables(self, local: Collection[str]) -> tuple[Variable, ...]:
        """Return the parameters and those of the variables in `local`, in the order of the text."""
        given = list(self._program.parameters)
        names: dict[str, list[str]] = {name: [name] for name in given}
        for name in self._makers:
            base = self._program.namer.base(name)
            if base in local or base in names:
                names.setdefault(base, [])
                if name not in names[base]:
                    names[base].append(name)
        found = [item for base, versions in names.items() for item in self._explain(base, versions)]
        found.sort(
            key=lambda item: (0, given.index(item.name)) if item.name in given else (1, *item.lines)
        )
        return tuple(found)

    def _explain(self, base: str, versions: list[str]) -> Iterator[Variable]:
        """Yield what is known of one variable: once for its active and for its other values."""
        told: set[int] = set()
        for is_active in (True, False):
            chosen = [name for name in versions if (name in self._active) is is_active]
            lines = {line for name in chosen for line in self._bound_at(name, base)}
            is_argument = base in self._program.parameters
            if not chosen or not (lines or is_argument):
                continue
            if is_argument and not is_active and not lines and base not in chosen:
                continue
            ordered = tuple(sorted(lines))
            if is_active:
                told = lines
                yield Variable(base, ordered, True, "active", "", self.chain(chosen))
                continue
            kind, reason = self._why_not(chosen)
            if not told or (not lines <= told and kind != "constant"):  # no mere start, as of a sum
                yield Variable(base, ordered, False, kind, reason)

    def _bound_at(self, name: str, base: str) -> Iterator[int]:
        """Yield the lines that bind or write a name, without the copies between its versions."""
        for statement in self._makers.get(name, ()):
            value: Any = getattr(statement, "value", None)
            is_copy = isinstance(value, gast.Name) and isinstance(statement, gast.Assign)
            copies = is_copy and self._program.namer.base(value.id) == base
            if _line(statement) and not copies:
                yield _line(statement)

    # -- chains

    def chain(self, names: Collection[str]) -> tuple[int, ...]:
        """Return the lines of what leads to the names from differentiated arguments, and on."""
        active = set(self._active)
        before = _reach([n for n in names if n in active], self._backward, active)
        after = _reach([n for n in names if n in active], self._forward, active)
        ends = self._program.outputs
        steps = [(s, t, line) for s in before for t, line in self._forward[s] if t in before]
        steps += [(s, t, line) for s in after for t, line in self._forward[s] if t in after]
        found = {line for source, target, line in steps if not self._is_version(source, target)}
        if not after.isdisjoint(ends):
            found.add(self._last)
        return tuple(sorted(found - {0}))

    def _is_version(self, source: str, target: str) -> bool:
        """Say whether two names may be two versions of a variable, bound by a mere copy."""
        namer = self._program.namer
        return namer.base(source) == namer.base(target) and all(
            isinstance(getattr(s, "value", None), gast.Name) for s in self._makers.get(target, ())
        )

    # -- why not

    def _why_not(self, names: list[str]) -> tuple[str, str]:
        if any(name in self._varied and self._makers.get(name) for name in names):
            return "unused", "varies, but does not reach the result"
        if any(name in self._program.inputs for name in names):
            return "unused", "does not reach the result"
        seen = set(names)
        queue = list(names)
        arguments: list[str] = []
        counts = False
        while queue:
            name = queue.pop(0)
            if name in self._program.parameters:
                arguments.append(name)
            for statement in self._makers.get(name, ()):
                if isinstance(statement, gast.For):
                    counts = True
                    continue
                reads = names_read(statement.value)
                if not self._varied.isdisjoint(reads):
                    return self._cut(statement)
                queue += [item for item in reads if item not in seen]
                seen.update(reads)
        return _of_origins(names, arguments, counts=counts)

    def _cut(self, statement: Any) -> tuple[str, str]:
        """Say why a line that reads what varies passes no derivative on."""
        value = statement.value
        if isinstance(value, gast.Compare):
            return "truth value", "a comparison"
        if isinstance(value, gast.Attribute):
            return "integer", f"`{value.attr}` of an array"
        if isinstance(value, gast.Subscript):
            if isinstance(value.value, gast.Attribute):
                return "integer", f"`{value.value.attr}` of an array"
            return "constant", "what varies is the index alone"
        operation = self._program.operation(statement)
        if operation.primal is stop_gradient:
            return "stopped", "held constant by `stop_gradient`"
        vocabulary = self._program.reader.vocabulary
        func = getattr(value, "func", None)
        primal = operation.primal
        if primal is None and isinstance(func, gast.Attribute):
            primal = vocabulary.methods.get(func.attr)
        reason = None if primal is None else vocabulary.constant_reason(primal)
        if reason is None or primal is None:
            return "not a number", "no real number that depends smoothly on its arguments"
        shown = vocabulary.canonical_name(primal).removeprefix("builtins.")
        return KINDS.get(reason, "not a number"), f"`{_short(shown)}` {reason}"


def _of_origins(names: list[str], arguments: list[str], *, counts: bool) -> tuple[str, str]:
    if set(arguments) & set(names):
        return "argument", "an argument that is not differentiated"
    if arguments:
        shown = " and ".join(f"`{name}`" for name in dict.fromkeys(arguments))
        return "argument", f"depends on {shown} alone, not differentiated"
    if counts:
        return "integer", "counts the trips of a loop"
    return "constant", "a constant"


def _short(name: str) -> str:
    return "np." + name.removeprefix("numpy.") if name.startswith("numpy.") else name


def _line(statement: Any) -> int:
    return getattr(statement, "lineno", 0) or 0


def _reach(
    starts: Sequence[str],
    edges: dict[str, list[tuple[str, int]]],
    within: Collection[str] | None = None,
) -> set[str]:
    reached = set(starts)
    stack = list(starts)
    while stack:
        for target, _ in edges.get(stack.pop(), ()):
            if target not in reached and (within is None or target in within):
                reached.add(target)
                stack.append(target)
    return reached
