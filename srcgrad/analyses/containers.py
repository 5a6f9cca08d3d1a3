"""Says which names are bound to containers, and which to arrays, by how they are used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.analyses.entries import Entries
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.displays import lists_have, makes_list
from srcgrad.ir.one_result import has_one_result
from srcgrad.ir.operations import Operation, given_for
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.walk import found_in, names_bound, statements
from srcgrad.runtime import accumulate, copied, copied_like, gathered, regathered, zeros_like

_DISPLAYS: Final = (gast.List, gast.Tuple, gast.Dict)
TREES: Final = (accumulate, copied, copied_like, gathered, regathered, zeros_like)
"""What gives adjoints as they are given to it: arrays, or new lists and dicts of such."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """Names by what they are bound to; a name in neither set may be either.

    Attributes:
        containers: Names that are unpacked, read with a string key or bound to a display, whose
            parts are, or that are passed to a function that uses them so.
        keyed: Those of them of which each index names one entry: what is only unpacked may be an
            array, too.
        arrays: Names that are computed, or computed with: numbers and arrays. What is asked of what
            kind it is may be another elsewhere than where it is computed with.
        either: Other names that are copies of what may be an array or a list, or are copied so.
    """

    containers: frozenset[str]
    arrays: frozenset[str]
    either: frozenset[str] = frozenset()
    keyed: frozenset[str] = frozenset()


def kinds(program: Program, result: str | None = None) -> Kinds:
    """Sort the names of a program by kind; `result` is known to be bound to a number.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> found = kinds(program_of('''
    ... def f(params, pair):
    ...     a, b = pair
    ...     return np.sum(params["w"] * a)
    ... ''', "params", "pair"))
    >>> sorted(found.containers), sorted(found.arrays)
    (['pair', 'params'], ['a', 'out', 'w', 'w_times_a'])
    """
    uses = program.once(_uses)
    pairs = uses.same + [(t, s) for s, t in uses.same]
    copies, links = _Links(pairs), _Links(uses.parts + pairs)
    keyed = _holding_containers(program, links.spread(uses.containers), links)
    containers = _holding_containers(program, links.spread(keyed | uses.unpacked), links)
    asked = copies.spread(program.once(_asked))
    used = uses.arrays - asked
    used |= set() if result is None else {result}
    known = _surely_computed(uses, copies.spread(used))
    arrays = _read_entries(program, known - containers, copies)
    arrays -= asked - uses.bound
    mixed = _mixed(program, uses, copies)
    containers, arrays = containers - mixed, arrays - mixed
    either = mixed | (copies.spread(uses.trees - containers) - containers - arrays)
    arrays -= containers
    return Kinds(*map(frozenset, (containers, arrays, either, keyed & containers)))


def _mixed(program: Program, uses: _Uses, copies: _Links) -> set[str]:
    """Return the names that are displays on some path, and numbers or arrays on others.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> text = "def f(x): y = [x, x] if x > 3 else x * 2; return sum(y) if x > 3 else y"
    >>> sorted(_mixed(*(lambda p: (p, _uses(p), _Links(_uses(p).same)))(program_of(text, "x"))))
    ['out', 'y_3']
    """
    if not uses.shown:
        return set()
    plain, size = uses.bound - uses.shown, -1
    while size != (size := len(plain)):
        plain |= {part for part, whole in uses.elements if whole in plain}
        plain |= {
            target
            for target, values in program.once(_reads_of_entries)
            if values and not set(_not_numbers(values)) - plain
        }
    return copies.spread(uses.shown) & copies.spread(plain - uses.shown)


def _uses(program: Program) -> _Uses:
    uses = _Uses(program)
    for statement in statements(program.body):
        uses.visit(statement)
    return uses


class _Uses:
    """What the statements of a program say of the names in them.

    Attributes:
        unpacked: Names of what is taken apart, here or in a function: lists or arrays.
        bound: Names of what is computed; of `arrays` are those, too, that are computed with.
        same: Pairs of names for one thing.
        parts: Pairs of names, of which the first is a part of the second.
        elements: Those of them of which the first is one element.
        shown: Names of displays.
        trees: Names of what is an array if it is of one, and a list if it is of one.
    """

    def __init__(self, program: Program) -> None:
        self.containers: set[str] = set()
        self.unpacked: set[str] = set()
        self.arrays: set[str] = set()
        self.bound: set[str] = set()
        self.same: list[tuple[str, str]] = []
        self.parts: list[tuple[str, str]] = []
        self.elements: list[tuple[str, str]] = []
        self.shown: set[str] = set()
        self.trees: set[str] = set()
        self._program = program
        self._displays: dict[str, dict[int, str]] = {}

    def visit(self, statement: Any) -> None:
        """Note what one statement says."""
        change = change_of(statement)
        if change is not None:
            self.containers.add(change.name)
            if change.target is not None:
                self.parts.append((change.target, change.name))
        elif isinstance(statement, gast.Assign):
            self._assignment(statement)

    def _assignment(self, statement: Any) -> None:
        operation = self._program.operation(statement)
        targets = [name for target in statement.targets for name in names_bound(target)]
        sources = [name for arg in operation.args for name in direct_names(arg)]
        if operation.kind in ("tuple", "list", "dict"):
            self.containers.update(targets)
            self.shown.update(targets)
            self._displays.update((target, _places(operation)) for target in targets[:1])
        elif operation.kind == "unpack":
            self.unpacked.update(sources)
        elif operation.kind == "user":
            self._called(operation, targets)
        elif operation.kind == "copy" or lists_have(statement.value, self._program.reader.scope):
            self.same += [(s, t) for s in sources for t in targets]
        elif operation.primal is self._program.reader.vocabulary.getitem:
            self._read(operation, targets, sources)
        elif makes_list(statement.value):
            self.containers.update(targets)
            self.shown.update(targets)
        elif operation.primal in TREES or _is_of_lists_too(statement.value):
            self.same += [(s, t) for s in sources[:1] for t in targets]
            self.trees.update(targets)
        elif operation.kind == "primitive":
            self._computed(operation, targets)

    def _computed(self, operation: Operation, targets: list[str]) -> None:
        known = self._program.reader.vocabulary.primitive(operation.primal)
        several = len(targets) == 1 and _returns_several(operation, self._program)
        if not several:
            self.bound.update(targets)
        elif not known.axes:
            self.containers.update(targets)  # of some arrays, `np.gradient` gives one alone
        if not known.takes_lists:
            self.arrays.update(n.id for n in operation.args if isinstance(n, gast.Name))

    def _called(self, operation: Operation, targets: list[str]) -> None:
        """Note what a call of a user's function says."""
        self.unpacked.update(_shown_by_callee(operation, self._program))
        vocabulary = self._program.reader.vocabulary
        if len(targets) > 1:
            places = vocabulary.lists_returned(operation.primal)
            self.containers.update(name for i, name in enumerate(targets) if i in places)
        elif vocabulary.returns_list(operation.primal):
            self.containers.update(targets)
        elif vocabulary.returns_array(operation.primal):
            self.bound.update(targets)
        else:
            value = given_for(operation, vocabulary.parameter_returned(operation.primal))
            if isinstance(value, gast.Name):
                self.same += [(value.id, target) for target in targets]

    def _read(self, operation: Operation, targets: list[str], sources: list[str]) -> None:
        self.parts += [(target, source) for target in targets for source in sources[:1]]
        if not isinstance(operation.args[1], gast.Slice):
            self.elements += [(target, source) for target in targets for source in sources[:1]]
        if sources and is_key(operation.args[1]):
            self.containers.add(sources[0])
        if isinstance(operation.args[1], gast.Slice):
            self.same += [(s, t) for s in sources[:1] for t in targets]
        self.same += _read_back(targets[0], operation, self._displays) if targets else []


def _surely_computed(uses: _Uses, used: set[str]) -> set[str]:
    """Return the `used` names, and those that are bound to nothing but what is computed.

    A name that is bound to a list on another path tells nothing of that list.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> text = "def f(xs, n): out = xs if n > 3 else np.array(n * [xs]); return out"
    >>> "xs" in kinds(program_of(text, "xs")).arrays
    False
    """
    known = used | _Links(uses.same).spread(uses.bound)
    lists = {target for source, target in uses.same if source not in known} - used
    inner = _Links([(s, t) for s, t in uses.same if t not in used])
    return known - inner.spread(lists)


def _is_of_lists_too(value: Any) -> bool:
    """Say whether a value is ``x.copy()``, which lists have as arrays do."""
    func = getattr(value, "func", None)
    return isinstance(func, gast.Attribute) and func.attr == "copy" and not value.args


def _asked(program: Program) -> set[str]:
    """Return the names that are asked of what kind they are, as by ``isinstance(v, list)``."""
    reader = program.reader
    return {
        node.args[0].id
        for statement in program.body
        for node in found_in(statement, gast.Call)
        if node.args and isinstance(node.args[0], gast.Name)
        if reader.vocabulary.primitive(reader.scope.resolve(node.func)).asks_kind
    }


def _reads_of_entries(program: Program) -> list[tuple[str, list[Any]]]:
    """Return the names of what is read from lists and dicts, with all that those may hold."""
    entries = program.once(Entries)
    return [
        (names_bound(statement.targets[0])[0], values)
        for statement in (statements(program.body) if entries.holds_known else ())
        if (source := entries.source(statement)) is not None and (values := entries.of(source))
    ]


def _holding_containers(program: Program, found: set[str], links: _Links) -> set[str]:
    """Add what is read from lists and dicts that hold nothing but lists and dicts."""
    reads = program.once(_reads_of_entries)
    size = -1
    while len(found) != size:
        size = len(found)
        found |= links.spread(_read_containers(reads, found))
    return found


def _read_containers(reads: list[tuple[str, list[Any]]], found: set[str]) -> set[str]:
    """Return what is read from lists that hold containers alone, and maybe what is so read.

    >>> pair = gast.Tuple([], gast.Load())
    >>> first, last = gast.Name("p", gast.Load()), gast.Name("v", gast.Load())
    >>> sorted(_read_containers([("p", [pair, first]), ("q", [pair, last])], set()))
    ['p']
    """
    waiting = [(target, values) for target, values in reads if target not in found]
    different = {id(values): values for _, values in waiting}  # of which there are few
    known, size = {target for target, _ in waiting}, -1
    while len(known) != size:
        size, held = len(known), found | known
        plain = {k for k, values in different.items() if not all(map(_tell(held), values))}
        known -= {target for target, values in waiting if id(values) in plain}
    shown, size = set[str](), -1  # what is read of lists that hold nothing else is nothing
    while len(shown) != size:
        size, held = len(shown), found | shown
        some = {k for k, values in different.items() if any(map(_tell(held), values))}
        shown |= {target for target, values in waiting if id(values) in some}
    return known & shown


def _tell(held: set[str]) -> Callable[[Any], bool]:
    """Return what says whether a value is a container, if those names are bound to such."""
    return lambda value: isinstance(value, _DISPLAYS) or getattr(value, "id", "") in held


def _read_entries(program: Program, arrays: set[str], copies: _Links) -> set[str]:
    """Add what is read from lists and dicts that hold numbers and arrays only."""
    reads = program.once(_reads_of_entries)
    different = {id(values): values for _, values in reads}  # of which there are few
    lacking = {key: _not_numbers(values) for key, values in different.items()}
    size, spread = -1, arrays  # what was left out of these may come back
    while len(arrays) != size:
        size = len(arrays)
        for target, values in reads:
            names = lacking[id(values)] = [n for n in lacking[id(values)] if n not in arrays]
            if all(name == target for name in names) and (spread or target not in arrays):
                arrays, spread = arrays | copies.spread({target, *spread}), set()
    return arrays


def _not_numbers(values: list[Any]) -> list[str]:
    """Return the names among values, and an empty one if there is what is no name and no number."""
    kinds = (int, float, complex)
    return [
        value.id if isinstance(value, gast.Name) else ""
        for value in values
        if not (isinstance(value, gast.Constant) and isinstance(value.value, kinds))
    ]


def _returns_several(operation: Operation, program: Program) -> bool:
    """Say whether a primitive such as `np.linalg.eigh` or `np.split` returns several arrays."""
    vocabulary = program.reader.vocabulary
    if has_one_result(vocabulary.rule_for(operation.primal), operation):
        return False
    return bool(vocabulary.results(operation.primal, 1) != 1)


def _shown_by_callee(operation: Operation, program: Program) -> list[str]:
    inner = program.reader.vocabulary.container_parameters(operation.primal)
    values = (given_for(operation, name) for name in inner)
    return [value.id for value in values if isinstance(value, gast.Name)]


def _places(display: Operation) -> dict[int, str]:
    """Return the names that a display shows, by the places where they surely stand.

    Those behind an unpacked list, of which nobody knows the length, are found from the end alone.
    """
    if display.kind == "dict":
        return {}
    items = display.args
    stars = [place for place, item in enumerate(items) if isinstance(item, gast.Starred)]
    first, last = (stars[0], stars[-1]) if stars else (len(items), -1)
    found: dict[int, str] = {}
    for place, item in enumerate(items):
        if isinstance(item, gast.Name):
            found.update({place: item.id} if place < first else {})
            found.update({place - len(items): item.id} if place > last else {})
    return found


def _read_back(
    target: str, operation: Operation, displays: dict[str, dict[int, str]]
) -> list[tuple[str, str]]:
    """Link an element that is read from a display to what was put there."""
    base, index = operation.args[:2]
    position = getattr(index, "value", None)
    found = displays.get(getattr(base, "id", ""), {})
    return [(found[position], target)] if type(position) is int and position in found else []


def is_key(index: Any) -> bool:
    """Say whether an index is a word, so that what it is taken of is a dict."""
    return isinstance(index, gast.Constant) and isinstance(index.value, str)


class _Links:
    """Pairs of names, of which the second is what the first is.

    >>> sorted(_Links([("a", "b"), ("b", "c"), ("d", "a")]).spread({"a"}))
    ['a', 'b', 'c']
    """

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._targets: dict[str, list[str]] = defaultdict(list)
        for source, target in pairs:
            self._targets[source].append(target)

    def spread(self, names: set[str]) -> set[str]:
        """Return some names and those that links lead to."""
        found, waiting = set(names), list(names)
        while waiting:
            more = set(self._targets.get(waiting.pop(), ())) - found
            found |= more
            waiting += more
        return found
