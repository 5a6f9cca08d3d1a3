"""Says of which values only some elements are used: the operands of `np.where` and its like.

What a selection leaves out contributes nothing to the result, whatever its derivative is:
``np.where(x > 0, np.sqrt(x), 0)`` has the gradient 0 at 0, although the square root has none there.
So the steps between a selection and what it was made of form a region: within it adjoints are
left as they are where nothing was selected, and where it ends they are masked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, Final

import gast
import numpy as np

from srcgrad.analyses.activity import Activity
from srcgrad.analyses.inert import inert_operands
from srcgrad.analyses.passing import led_back, passes, shaped_like
from srcgrad.analyses.selectors import (
    CURVED,
    EVERYWHERE,
    PLAIN,
    SELECTORS,
    STEEP,
    STEEP_AT_THE_EDGE,
    STEEP_ITSELF,
    Mask,
    both,
    largest,
    selects,
)
from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.unions import either
from srcgrad.analyses.unpacking import Part, of_parts, of_split
from srcgrad.ir.build import call, index_value, load
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names, is_store, operand_names, store_target
from srcgrad.ir.walk import blocks_of, names_bound, names_read, walk
from srcgrad.rules import steepness
from srcgrad.runtime import compress, getitem

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
    {'sqrt_x': 'np.where(test, g, 0)'}
    """

    def __init__(
        self,
        program: Program,
        activity: Activity,
        shapes: Shapes,
        mutated: Set[str],
        pull: Pull = lambda _operation, _target, _used: ({}, []),
    ) -> None:
        self._program = program
        self._pull = pull
        self._active = activity.active
        self._shapes = shapes
        self.mutated = mutated
        self.masks: dict[str, Mask] = {}
        self.binds: dict[int, list[Any]] = {}
        self._operands: dict[tuple[int, str], Mask | None] = {}
        self._levels: dict[str, int] = {}
        self._own: dict[str, int] = {}
        self._truths: set[str] = set()
        self._homes: dict[str, list[int]] = {}
        self._uses: dict[str, Mask | None] = dict.fromkeys(program.outputs, EVERYWHERE)
        self._misplaced: set[str] = set(program.parameters)
        self._stores = self._unpacked = False
        self._branches: dict[int, int] = {}  # the block around each branch of a condition
        self._find_homes(program.body)
        if (
            self._stores
            or self._unpacked
            or self._branches
            or any(selects(program.operation(s), program) for s in self._steps(program.body))
        ):
            self._block(program.body)

    def of_operand(self, statement: Any, name: str) -> Mask | None:
        """Return the elements of an operand that a step uses towards the result."""
        return self._operands.get((id(statement), name))

    # -- where names are bound, and how steep what they are made of is

    def _steps(self, block: list[Any]) -> list[Any]:
        found: list[Any] = []
        for statement in block:
            if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
                found.append(statement)
            for part in blocks_of(statement):
                found.extend(self._steps(part))
        return found

    def _find_homes(self, block: list[Any]) -> None:
        """Note the block that binds each name, and which names are read before or outside it."""
        for statement in block:
            if isinstance(statement, gast.Assign):
                self._unpacked = self._unpacked or isinstance(statement.targets[0], gast.Tuple)
                operands = operand_names(
                    self._program.operation(statement), self._program.reader.vocabulary.getitem
                )
                for name in operands:
                    if not self._is_around(name, id(block)):
                        self._misplaced.add(name)
                for target in statement.targets:
                    for name in names_bound(target):
                        self._homes.setdefault(name, []).append(id(block))
                self._note_level(statement)
            self._stores = self._stores or is_store(statement)
            for part in blocks_of(statement):
                if isinstance(statement, gast.If):
                    self._branches[id(part)] = id(block)
                self._find_homes(part)

    def _is_around(self, name: str, block: int) -> bool:
        """Say whether a name is bound once, in a block or in one that this is a branch of."""
        homes = self._homes.get(name)
        around: int | None = block
        while around is not None and homes != [around]:
            around = self._branches.get(around)
        return around is not None

    def _note_level(self, statement: Any) -> None:
        operation = self._program.operation(statement)
        target = statement.targets[0]
        if not isinstance(target, gast.Name):
            return
        if self._tells_truth(statement.value, operation):
            self._truths.add(target.id)
        if not self._each_element(operation):
            return
        below = [self._levels.get(name, PLAIN) for arg in operation.args for name in _of(arg)]
        own = self._level(operation)
        self._levels[target.id] = max([own, *below])
        if own == STEEP:
            edge = operation.primal in steepness.AT_THE_EDGE
            self._own[target.id] = STEEP_AT_THE_EDGE if edge else STEEP_ITSELF

    def _tells_truth(self, value: Any, operation: Operation) -> bool:
        """Say whether the value of an elementwise step surely consists of truth values."""
        if isinstance(value, gast.Compare):
            return len(value.ops) == 1 and isinstance(value.ops[0], _ORDERS)
        if isinstance(value, (gast.UnaryOp, gast.BinOp)):
            return isinstance(value.op, _CONNECTIVES) and all(
                name in self._truths for name in names_read(value)
            )
        return operation.primal in (np.isnan, np.isfinite, np.isinf)

    def _level(self, operation: Operation) -> int:
        primal, args = operation.primal, operation.args
        if primal in steepness.LINEAR:
            return PLAIN
        if primal is np.multiply and any(isinstance(arg, gast.Constant) for arg in args):
            return PLAIN
        if primal is np.divide and isinstance(args[1], gast.Constant):
            return PLAIN
        if primal is np.power and _number(args[1]) >= 1:
            return CURVED
        return STEEP if primal in steepness.STEEP else CURVED

    def _each_element(self, operation: Operation) -> bool:
        if operation.kind != "primitive" or operation.keywords:
            return False
        return steepness.acts_on_each_element(operation.primal)

    # -- uses, last step first

    def _block(self, block: list[Any]) -> None:
        for statement in reversed(block):
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
            once = len(self._homes.get(target.id, ())) == 1 and target.id not in self._misplaced
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
        found: list[dict[str, Mask | None]] = []
        for part in (statement.body, statement.orelse):
            self._uses = dict(after)
            self._block(part)
            found.append(self._uses)
        self._uses = dict(after)
        for name in {**found[0], **found[1]}:
            there = [
                name in uses and (name not in after or uses[name] != after[name]) for uses in found
            ]
            if name in found[0] and name in found[1] and not any(there):
                continue
            if self._homes.get(name) == [id(statement.body)] or self._homes.get(name) == [
                id(statement.orelse)
            ]:
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
        for node in walk(statement) if not list(blocks_of(statement)) else ():
            if isinstance(node, gast.Name):
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
        self._use_all(statement)
        if name in names_read(statement.value):
            return
        if self._homes.get(name) == [block] and _is_whole(place.slice):
            del self._uses[name]  # as if it had not been used at all
        else:
            self._uses[name] = before

    def _left_by(self, name: str, index: Any) -> Mask | None:
        """Return the elements of `name` that a store at `index` leaves as they are."""
        kept = getattr(index, "operand", None) if _is_opposite(index) else None
        known = kept is not None and getattr(kept, "id", "") in self._truths
        if known and self._shapes.same(kept, load(name)):
            return Mask(kept, least=STEEP)
        if not self._picks(index):
            if not any(isinstance(node, gast.Constant) for node in walk(index)):
                return EVERYWHERE  # a place of its own in each trip, or all of it
            overwritten = call("picked", index_value(index), load(name))
            return Mask(overwritten, holds=False, least=STEEP_AT_THE_EDGE)
        if getattr(index, "id", "") in self._truths and self._shapes.same(index, load(name)):
            return Mask(index, holds=False, least=STEEP)
        return Mask(call("picked", index_value(index), load(name)), holds=False, least=STEEP)

    def _step(self, statement: Any, target: str) -> None:
        if target not in self._active:
            return
        operation = self._program.operation(statement)
        whole = self._settle(target) if self._each_element(operation) else EVERYWHERE
        chosen = self._chosen(operation, target) or self._passed(statement, target)
        vocabulary = self._program.reader.vocabulary
        names = operand_names(operation, vocabulary.getitem)
        idle = inert_operands(operation, vocabulary)
        for name in dict.fromkeys(n for n in names if n in self._active and n not in idle):
            use = both(whole, chosen.get(name, EVERYWHERE))
            if operation.primal not in _PICK and not passes(operation):
                use = self._spread_back(use, name, target)
            self._operands[id(statement), name] = use
            known = name in self._uses
            self._uses[name] = either(self._uses[name], use) if known else use

    def _settle(self, target: str) -> Mask | None:
        """Decide whether a value belongs to a region, now that all its uses are known.

        Return which elements of it are used.
        """
        mask = self._uses.get(target, EVERYWHERE)
        once = len(self._homes.get(target, ())) == 1 and target not in self._misplaced
        if mask is EVERYWHERE or not once:
            return EVERYWHERE
        level = self._own.get(target, self._levels.get(target, PLAIN))
        if level < mask.least:
            return mask if mask.least <= STEEP else EVERYWHERE
        self.masks[target] = mask
        return mask

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
        """A product with truth values uses the other factor where they hold."""
        first, second = factors
        for truth, other in ((first, second), (second, first)):
            if getattr(truth, "id", "") in self._truths and isinstance(other, gast.Name):
                mask = Mask(truth, least=STEEP)
                return {other.id: mask if self._is_stable(mask) else EVERYWHERE}
        return {}

    def _passed(self, statement: Any, target: str) -> dict[str, Mask | None]:
        """Return the elements of an operand that a step moves to places that are used."""
        operation = self._program.operation(statement)
        if not passes(operation) or self._homes.get(target, ())[1:] or target in self._misplaced:
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
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        arrays = [part.operand if _is_opposite(part) else part for part in parts]
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


_ORDERS: Final = (gast.Lt, gast.LtE, gast.Gt, gast.GtE, gast.Eq, gast.NotEq)
_CONNECTIVES: Final = (gast.Invert, gast.BitAnd, gast.BitOr)


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


def _of(arg: Any) -> list[str]:
    return direct_names(arg)


def _number(node: Any) -> float:
    value = node.value if isinstance(node, gast.Constant) else None
    return float(value) if isinstance(value, (int, float)) else 0.0
