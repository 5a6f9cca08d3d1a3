"""Says of which values only some elements are used: the operands of `np.where` and its like.

What a selection leaves out contributes nothing to the result, whatever its derivative is:
``np.where(x > 0, np.sqrt(x), 0)`` has the gradient 0 at 0, although the square root has none there.
So the steps between a selection and what it was made of form a region: within it adjoints are
left as they are where nothing was selected, and where it ends they are masked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, Final

import numpy as np

from srcgrad.analyses.activity import Activity
from srcgrad.analyses.gathering import Gathering, Use
from srcgrad.analyses.making import Making
from srcgrad.analyses.passing import led_back, passes, shaped_like
from srcgrad.analyses.selectors import (
    EVERYWHERE,
    SELECTORS,
    STEEP,
    STEEP_AT_THE_EDGE,
    Mask,
    both,
    largest,
    selects,
    takes_all,
)
from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.unions import either
from srcgrad.analyses.unpacking import Part, of_parts, of_split
from srcgrad.analyses.zeros import tells_truth
from srcgrad.ir import gast
from srcgrad.ir.build import call, index_value, load
from srcgrad.ir.marks import ATTEMPT
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names, is_store, operand_names, store_target
from srcgrad.ir.walk import blocks_of, found_in, names_bound, names_read, walk
from srcgrad.runtime import compress, getitem

_UNUSED: Final = object()
Pull = Callable[[Operation, str, Any], tuple[Mapping[str, Any], list[Any]]]
"""Given truth values for the elements of a result, gives those of each operand, by name, and what
binds the names in them."""


class Selection:
    """The masks of the values that are used in part, and of the operands of each step.

    Attributes:
        masks: The regions: names whose adjoint is meaningless outside of their mask.
        mutated: The names of memory that is written; adjoints of these have to be right throughout.
        binds: Statements that the backward step of a statement needs, for masks of its operands.

    >>> from srcgrad.analyses.activity import activity
    >>> from srcgrad.analyses.integers import Integers
    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> program = program_of('''
    ... def f(x, y):
    ...     return np.where(x > 0, np.sqrt(x), y + 1)
    ... ''', "x", "y")
    >>> print(text(program.body))
    test = x > 0
    sqrt_x = np.sqrt(x)
    y_plus_1 = y + 1
    out = np.where(test, sqrt_x, y_plus_1)
    return out
    >>> shapes = Shapes(program, Integers(program))
    >>> found = Selection(program, activity(program, program.outputs), shapes, frozenset())
    >>> {name: text([gast.Expr(mask.of(load("g")))]) for name, mask in found.masks.items()}
    {'sqrt_x': 'np.where(test, g, 0.0)'}
    """

    def __init__(
        self,
        program: Program,
        activity: Activity,
        shapes: Shapes,
        mutated: Set[str],
        pull: Pull = lambda _operation, _target, _used: ({}, []),
        links: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._program = program
        self._pull = pull
        self._active = activity.active
        self._shapes = shapes
        self.mutated = mutated
        self._kin = _kin_of(links)
        self._settled: set[str] = set()
        self.masks: dict[str, Mask] = {}
        self.binds: dict[int, list[Any]] = {}
        self._made = Making(program)
        self._homes = self._made.homes
        self._operands: dict[tuple[int, str], Mask | None] = {}
        self._uses: dict[str, Mask | None] = dict.fromkeys(program.outputs, EVERYWHERE)
        self.gathering = Gathering(program.namer, self.binds)
        self._outermost: Any = None
        self._asked: dict[int, Any] = {}  # the branch that a `try` goes back with, by that `try`
        self._perhaps = False
        if self._may_select():
            self._block(program.body)

    def _may_select(self) -> bool:
        """Say whether anything may use some elements only, and be told of."""
        program, made = self._program, self._made
        if made.stores or made.unpacks or made.around:
            return True
        steps = [program.operation(statement) for statement in _steps(program.body)]
        selecting = [operation for operation in steps if selects(operation, program)]
        if not all(takes_all(operation, program) for operation in selecting):
            return True
        told = made.truths or made.zeros or made.is_steep or any(map(_tells_truth, steps))
        return bool(selecting and told)

    def of_operand(self, statement: Any, name: str) -> Mask | None:
        """Return the elements of an operand that a step uses towards the result."""
        return self._operands.get((id(statement), name))

    def replace(self, statement: Any, other: Any) -> None:
        """Let one statement stand for another."""
        for table in (self.binds, self.gathering.begins):
            if id(statement) in table:
                table[id(other)] = table.pop(id(statement))

    # -- uses, last step first

    def _block(self, block: list[Any]) -> None:
        for statement in reversed(block):
            if block is self._program.body:
                self._outermost = self._asked.get(id(statement), statement)
                if (attempt := ATTEMPT.of(statement)) is not None:
                    self._asked[id(attempt)] = statement
            if isinstance(statement, gast.If):
                self._branch(statement, id(block))
                continue
            for part in reversed(list(blocks_of(statement))):
                self._block(part)
            if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
                self._step(statement, statement.targets[0].id)
            elif is_store(statement):
                self._store(statement, id(block))
            elif isinstance(statement, gast.Assign) and self._unpacks(statement):
                self._unpack(statement, statement.targets[0].elts)
            elif not isinstance(statement, gast.Return) and not self._is_idle(statement):
                self._use_all(statement)

    def _is_idle(self, statement: Any) -> bool:
        """Say whether a statement binds names that lead to no result, as those of indices."""
        if not isinstance(statement, gast.Assign) or list(blocks_of(statement)):
            return False
        targets = [name for target in statement.targets for name in names_bound(target)]
        return not is_store(statement) and self._active.isdisjoint(targets)

    def _unpacks(self, statement: Any) -> bool:
        """Say whether a statement binds each of the parts of a value to a name."""
        targets = getattr(statement.targets[0], "elts", [None])
        known = isinstance(statement.value, gast.Name) or self._splits(statement)
        return known and all(isinstance(target, gast.Name) for target in targets)

    def _splits(self, statement: Any) -> bool:
        return self._program.operation(statement).primal in (np.split, np.array_split)

    def _unpack(self, statement: Any, targets: list[Any]) -> None:
        """Of what is unpacked, the parts are used that are used by their names."""
        parts = []
        for target in targets:
            once = self._made.is_once(target.id)
            used = self._uses.get(target.id, EVERYWHERE)
            known = once and (used is EVERYWHERE or (not used.branch and self._is_stable(used)))
            there = not once or target.id in self._uses
            parts.append(Part(target.id, there, used if known else EVERYWHERE))
        if self._splits(statement):
            source = getattr(statement.value.args[0], "id", "")
            found = of_split(self._program.operation(statement), parts)
        else:
            source = statement.value.id
            found = of_parts(source, parts)
        self._uses[source] = either(self._uses.get(source, found), found)

    def _branch(self, statement: Any, block: int) -> None:
        """What one branch alone uses is used where that was taken."""
        after = self._uses
        outer, self._perhaps = self._perhaps, True
        found: list[dict[str, Mask | None]] = []
        for part in (statement.body, statement.orelse):
            self._uses = dict(after)
            self._block(part)
            found.append(self._uses)
        self._uses, self._perhaps = dict(after), outer
        for name in {**found[0], **found[1]}:
            use = after.get(name, _UNUSED)
            if found[0].get(name, _UNUSED) is use and found[1].get(name, _UNUSED) is use:
                continue  # as of most, where one branch is in the other
            there = [
                name in uses and (name not in after or uses[name] != after[name]) for uses in found
            ]
            if name in found[0] and name in found[1] and not any(there):
                continue
            if self._made.is_bound_within(name, statement):
                continue
            self._uses[name] = self._use_by_branch(statement, block, name, there)

    def _use_by_branch(
        self, statement: Any, block: int, name: str, there: list[bool]
    ) -> Mask | None:
        taken = Mask(statement.test, there[0], STEEP_AT_THE_EDGE, branch=True)
        known = isinstance(statement.test, gast.Name) and self._is_stable(taken)
        known = known and self._homes.get(statement.test.id, [block]) == [block]
        if name in self._uses or all(there) or not known:
            return EVERYWHERE
        return taken

    def _use_all(self, statement: Any) -> None:
        """Take what any other statement reads as used everywhere."""
        for node in found_in(statement, gast.Name) if not blocks_of(statement) else ():
            self._uses[node.id] = EVERYWHERE

    def _store(self, statement: Any, block: int) -> None:
        """What a store overwrites was not used by what comes after it."""
        place = store_target(statement)
        name = getattr(place.value, "id", "")
        before: Mask | None = self._uses.get(name, EVERYWHERE)
        if self._homes.get(name) != [block]:
            before = EVERYWHERE
        elif isinstance(statement, gast.Assign) and not _is_whole(place.slice):
            left = self._left_by(name, place.slice)
            before = both(before, left) if left is EVERYWHERE or self._is_stable(left) else before
        whole = self._homes.get(name) == [block] and _is_whole(place.slice)
        handed = self._handed_over(statement, name) if whole else EVERYWHERE
        self._use_all(statement)
        if handed is not EVERYWHERE:
            self._uses[statement.value.id] = handed
        if name in names_read(statement.value):
            return
        if whole:
            del self._uses[name]  # as if it had not been used at all
        else:
            self._uses[name] = before

    def _handed_over(self, statement: Any, name: str) -> Mask | None:
        """Return the elements that are used of what takes the place of all of an array."""
        value = statement.value
        if not isinstance(statement, gast.Assign) or not isinstance(value, gast.Name):
            return EVERYWHERE
        later = self._uses.get(name, EVERYWHERE)
        if later is EVERYWHERE or later.branch or not self._is_stable(later):
            return EVERYWHERE
        later = self._spread_back(later, value.id, name)
        return either(self._uses[value.id], later) if value.id in self._uses else later

    def _left_by(self, name: str, index: Any) -> Mask | None:
        """Return the elements of `name` that a store at `index` leaves as they are."""
        kept = getattr(index, "operand", None) if _is_opposite(index) else None
        known = kept is not None and getattr(kept, "id", "") in self._made.truths
        if known and self._shapes.same(kept, load(name)):
            return Mask(kept, least=STEEP)
        if not self._picks(index):
            if not any(isinstance(node, gast.Constant) for node in walk(index)):
                return EVERYWHERE  # a place of its own in each trip, or all of it
            overwritten = call("picked", index_value(index), load(name))
            return Mask(overwritten, holds=False, least=STEEP_AT_THE_EDGE)
        if getattr(index, "id", "") in self._made.truths and self._shapes.same(index, load(name)):
            return Mask(index, holds=False, least=STEEP)
        return Mask(call("picked", index_value(index), load(name)), holds=False, least=STEEP)

    def _step(self, statement: Any, target: str) -> None:
        if target not in self._active:
            return
        operation = self._program.operation(statement)
        whole = self._settle(target) if self._made.each_element(operation) else EVERYWHERE
        chosen = self._chosen(operation, target) or self._passed(statement, target)
        names = operand_names(operation, self._program.reader.vocabulary)
        for name in dict.fromkeys(name for name in names if name in self._active):
            use = both(whole, chosen.get(name, EVERYWHERE))
            if operation.primal not in _PICK and not passes(operation):
                use = self._spread_back(use, name, target)
            self._operands[id(statement), name] = use
            if operation.kind == "primitive" and self._is_gathered(name):
                self._gather(statement, name, use)
                continue
            known = name in self._uses
            self._uses[name] = either(self._uses[name], use) if known else use

    def _is_gathered(self, name: str) -> bool:
        """Say whether the uses of a value are noted one by one: those of a steep one in loops."""
        steep = self._made.level(name) >= STEEP
        home = self._homes.get(name) == [id(self._program.body)]
        return steep and home and name in self._made.misplaced and name not in self.mutated

    def _gather(self, statement: Any, name: str, use: Mask | None) -> None:
        index, operation = None, self._program.operation(statement)
        if operation.primal is getitem and getattr(operation.args[0], "id", "") == name:
            target, index = statement.targets[0].id, operation.args[1]
            once = self._made.is_once(target)
            use = self._uses.get(target, EVERYWHERE) if once else EVERYWHERE
            arrays = any(
                isinstance(p, gast.Name) and not self._shapes.is_number(p) for p in _parts(index)
            )
            if use is not EVERYWHERE and (arrays or not self._is_stable(use)):
                use = EVERYWHERE
        block = self._homes[statement.targets[0].id][0]
        short = index is not None and self._is_short(index)
        self.gathering.add(
            name, Use(statement, index, use, self._perhaps, short, block), self._outermost
        )

    def _is_short(self, index: Any) -> bool:
        """Say whether an index, in a loop, seems to leave elements out."""
        late = any(getattr(part, "id", "") in self._made.late for part in _parts(index))
        return late or self._picks(index)

    def _settle(self, target: str) -> Mask | None:
        """Decide whether a value belongs to a region, now that all its uses are known.

        Return which elements of it are used.
        """
        if target in self.gathering.uses and target not in self._uses:
            mask = self.gathering.settle(target)
            if mask is not EVERYWHERE:
                self.masks[target] = mask
            return mask
        self._settled.add(target)
        mask = self._uses.get(target, EVERYWHERE)
        once = self._made.is_once(target)
        if mask is EVERYWHERE or not once or self._is_read_otherwise(target):
            return EVERYWHERE
        level = self._made.level(target)
        if level < mask.least:
            through = mask.least <= STEEP or mask.branch or isinstance(mask.condition, gast.Compare)
            return mask if through else EVERYWHERE
        self.masks[target] = mask
        return mask

    def _is_read_otherwise(self, target: str) -> bool:
        """Say whether what is written into memory is read from there under an older name, too."""
        older = self._kin.get(target, frozenset()).difference(self._settled)
        return any(name in self._uses for name in older)

    def _chosen(self, operation: Operation, target: str) -> dict[str, Mask | None]:
        """Return the elements of each operand that a selecting step uses."""
        reader = self._program.reader
        name = reader.vocabulary.canonical_name(operation.primal) if operation.primal else ""
        if operation.primal is np.multiply:
            return self._unless_false(operation.args)
        maker = SELECTORS.get(name)
        if maker is None or operation.kind != "primitive":
            return {}
        found: dict[str, Mask | None] = {}
        index = operation.args[1:2]
        if operation.primal is reader.vocabulary.getitem and not self._picks(index[0]):
            return {}
        for operand, mask in maker(operation) or largest(operation, target):
            use = either(found[operand], mask) if operand in found else mask
            found[operand] = use if use is None or self._is_stable(use) else EVERYWHERE
        return found

    def _unless_false(self, factors: Sequence[Any]) -> dict[str, Mask | None]:
        """A product with truth values, or weights, uses the other factor where they are not 0."""
        first, second = factors
        for truth, other in ((first, second), (second, first)):
            name = getattr(truth, "id", "")
            known = self._made.zeros.get(name)
            mask = Mask(truth, least=STEEP) if tells_truth(truth, self._made.truths) else known
            if mask is not None and isinstance(other, gast.Name):
                return {other.id: mask if self._is_stable(mask) else EVERYWHERE}
        return {}

    def _passed(self, statement: Any, target: str) -> dict[str, Mask | None]:
        """Return the elements of an operand that a step moves to places that are used."""
        operation = self._program.operation(statement)
        if (
            not passes(operation)
            or self._homes.get(target, ())[1:]
            or target in self._made.misplaced
        ):
            return {}
        after = self._uses.get(target, EVERYWHERE)
        like = None if after is EVERYWHERE else shaped_like(after.condition)
        fits = like is not None and self._shapes.same(like, load(target))
        mask = led_back(operation, after, fits=fits)
        if mask is EVERYWHERE:
            return self._pulled(statement, target, after, fits=fits)
        return dict.fromkeys(direct_names(operation.args[0]), mask) if self._is_stable(mask) else {}

    def _pulled(
        self, statement: Any, target: str, after: Mask | None, *, fits: bool
    ) -> dict[str, Mask | None]:
        """Return the elements of each operand that a step moves to places that are used."""
        if after is EVERYWHERE or after.branch:
            return {}
        used = after.truth()
        if not fits:
            used = call("np.broadcast_to", used, call("np.shape", load(target)))
        operation = self._program.operation(statement)
        pulled, self.binds[id(statement)] = self._pull(operation, target, used)
        masks = {name: Mask(truth, least=after.least) for name, truth in pulled.items()}
        return {name: mask for name, mask in masks.items() if self._is_stable(mask)}

    def _picks(self, index: Any) -> bool:
        """Say whether an index consists of arrays, which pick elements here and there."""
        arrays = [part.operand if _is_opposite(part) else part for part in _parts(index)]
        return all(isinstance(a, gast.Name) and not self._shapes.is_number(a) for a in arrays)

    def _is_stable(self, mask: Mask) -> bool:
        """Say whether the backward pass finds a condition as it was."""
        condition = mask.condition
        if getattr(getattr(condition, "func", None), "id", "") == "picked":
            condition = condition.args[0]  # of the array, only the shape is read
        names = [node.id for node in walk(condition) if isinstance(node, gast.Name)]
        parameters = self._program.parameters
        for name in names:
            bound = len(self._homes.get(name, ()))
            if name in self.mutated or bound > 1 or (bound and name in parameters):
                return False
        return True

    def _spread_back(self, mask: Mask | None, name: str, target: str) -> Mask | None:
        """Return the mask of an operand that was broadcast to the shape of a masked result."""
        if mask is EVERYWHERE or self._shapes.same(load(name), load(target)):
            return mask
        if mask.branch or self._shapes.same(mask.condition, load(name)):
            return mask
        if self._shapes.is_number(load(name)):
            return Mask(call("np.any", mask.truth()), True, mask.least)
        return Mask(call("any_selected", mask.truth(), load(name)), True, mask.least)


def _kin_of(links: Sequence[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Return, for each name, those that share its memory."""
    kin: dict[str, frozenset[str]] = {}
    for pair in links:
        joined = frozenset().union(*(kin.get(name, frozenset([name])) for name in pair))
        kin.update(dict.fromkeys(joined, joined))
    return kin


def _tells_truth(operation: Operation) -> bool:
    """Say whether an operation is a product with a comparison that stands in it."""
    if operation.primal is not np.multiply:
        return False
    return any(tells_truth(operand, frozenset()) for operand in operation.args)


def _parts(index: Any) -> list[Any]:
    return list(index.elts) if isinstance(index, gast.Tuple) else [index]


def _is_opposite(index: Any) -> bool:
    """Say whether an index is ``~mask``."""
    return isinstance(index, gast.UnaryOp) and isinstance(index.op, gast.Invert)


def _is_whole(index: Any) -> bool:
    """Say whether an index selects everything."""
    if isinstance(index, gast.Slice):
        return index.lower is None and index.upper is None and index.step is None
    return isinstance(index, gast.Constant) and index.value is Ellipsis


_PICK: Final = (
    *(getitem, np.triu, np.tril, np.take, np.compress, compress, np.extract),
    *(np.max, np.min, np.amax, np.amin, np.nanmax, np.nanmin, np.nansum, np.nanmean, np.nanprod),
)
"""Functions whose masks have the shape of the operand, which is not broadcast to the result."""


def _steps(block: list[Any]) -> list[Any]:
    found: list[Any] = []
    for statement in block:
        if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
            found.append(statement)
        for part in blocks_of(statement):
            found.extend(_steps(part))
    return found
