"""Makes shadows: adjoints that mirror the storage of what is written under more than one name.

The shadow of an array is an array of zeros of the same layout, made next to it in the forward pass;
the shadow of a view is the same view of that. Which names share memory is then settled by NumPy at
run time, for the shadows as for the arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.analyses.entries_put import entries_put
from srcgrad.analyses.number_tables import number_tables
from srcgrad.analyses.points_to import PointsTo
from srcgrad.errors import MutationError
from srcgrad.ir import gast
from srcgrad.ir.build import (
    add_assign,
    assign,
    at,
    call,
    clone,
    constant,
    index_value,
    load,
    method,
    store,
    subscript,
)
from srcgrad.ir.changes import Change, change_of
from srcgrad.ir.marks import CLOSING
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import direct_names, store_target
from srcgrad.ir.walk import blocks_of, names_bound, statements, walk
from srcgrad.locks import kept_property
from srcgrad.transforms.adjoints import Status
from srcgrad.transforms.real_shadows import real_parts, take_real_parts
from srcgrad.transforms.sure_numbers import is_number
from srcgrad.transforms.sweep import Sweep, renamed
from srcgrad.transforms.unbroadcasting import shortened


class ShadowSteps:
    """The shadows of one program: made forward, written into backward."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self._mirror = sweep.facts.storage.mirror
        self._operations: dict[int, Operation] = {}
        self._kept: list[Any] = []
        sweep.adjoints.mirrored = frozenset(self._mirror.names & sweep.facts.activity.active)
        self._share_names()
        sweep.adjoints.roots = self._roots()

    @property
    def names(self) -> frozenset[str]:
        """The active names with a shadow."""
        return self._sweep.adjoints.mirrored

    def _roots(self) -> frozenset[str]:
        """Return the shadows that are arrays of their own: those of new arrays and parameters."""
        makers: dict[str, set[str]] = {name: set() for name in self.names}
        for statement in statements(self._sweep.program.body):
            maker = self._mirror.makers.get(id(statement), "")
            for name in [n for t in getattr(statement, "targets", []) for n in names_bound(t)]:
                if name in makers:
                    makers[name].add(maker)
        given = set(self._before())
        roots = {n for n, found in makers.items() if found == {"fresh"} or n in given}
        return frozenset(self._name(name) for name in roots)

    def _share_names(self) -> None:
        """Let versions of a variable that are surely the same memory have one shadow variable."""
        sources: dict[str, set[str] | None] = {name: set() for name in self.names}
        for statement in statements(self._sweep.program.body):
            maker = self._mirror.makers.get(id(statement))
            for name in [n for t in getattr(statement, "targets", []) for n in names_bound(t)]:
                known = sources.get(name)
                if known is not None and maker == "copy":
                    known.add(statement.value.id)
                elif known is not None and maker == "update":
                    known.add(statement.value.left.id)
                elif name in sources:
                    sources[name] = None
        first = same_memory(sources, self._before(), self._sweep.namer.base)
        for name, owner in first.items():
            self._sweep.namer.set_adjoint(name, self._sweep.namer.adjoint(owner))

    def at_entry(self) -> list[Any]:
        """Return the statements that make the shadows of the parameters, and of what is outside."""
        return [self._zeros(name, None) for name in self._before() if name in self.names]

    def _before(self) -> list[str]:
        """Return the names of what is there before the function runs."""
        return [*self._sweep.program.parameters, *sorted(self._mirror.outside)]

    def made_by(self, statement: Any) -> list[Any]:
        """Return the statements that make the shadows of what an assignment binds."""
        targets = [name for t in statement.targets for name in names_bound(t)]
        if self.names.isdisjoint(targets):
            return []
        maker = self._mirror.makers[id(statement)]
        if maker == "fresh":
            return [self._zeros(name, statement) for name in targets if name in self.names]
        if maker == "number":
            self._sweep.externals.use_numpy()
            zero = call("np.zeros", gast.Tuple([], gast.Load()))
            return [assign(self._name(targets[0]), zero, statement)]
        if maker == "nothing":
            return [assign(self._name(targets[0]), gast.Constant(None, None), statement)]
        (target,) = statement.targets
        value = self._mirrored_value(statement)
        if maker in ("maybe", "either"):
            helper = self._sweep.externals.use_runtime("shadow_of_view")
            value = call(helper, value, load(target.id), self._base(statement))
        made = assign(self._renamed_target(target), value, statement)
        if isinstance(value, gast.Name) and getattr(made.targets[0], "id", "") == value.id:
            return []
        CLOSING.put(made, CLOSING.of(statement))
        return [made]

    def put_by(self, statement: Any, name: str) -> list[Any]:
        """Return what puts a shadow where a statement puts an entry into the list or dict."""
        if name not in self.names:
            return []
        change = change_of(statement)
        if change is not None and change.method == "pop":
            return [self._taken_out(change, statement)]
        value = statement.value if change is None else change.value
        shadow, entry = load(self._name(name)), self._shadow_of_entry(value, name)
        if change is None:
            place = subscript(shadow, clone(store_target(statement).slice), storing=True)
            return [assign(place, entry, statement)]
        index = [] if change.index is None else [clone(change.index)]
        return [at(gast.Expr(method(shadow, change.method, *index, entry)), statement)]

    def cell_put_by(self, statement: Any) -> list[Any]:
        """Return what lets the shadow of a row that is a dict have a cell that the row gets."""
        target = store_target(statement)
        row: Any = target.value if isinstance(statement, gast.Assign) else None
        if getattr(row, "id", "") not in self.names or not self._is_keyed(row):
            return []
        put = method(load(self._name(row.id)), "setdefault", clone(target.slice), constant(0.0))
        return [at(gast.Expr(put), statement)]

    def entry_updated_by(self, statement: Any) -> list[Any]:
        """Return what names the shadow of an array that is updated as an entry: ``xs[i] += v``.

        By then it may lie elsewhere: what the list or dict holds is bound anew, or moved.
        """
        target = store_target(statement)
        holder = getattr(target.value, "id", "")
        moves = holder in self.names and holder in self._sweep.facts.storage.reshaped
        if not moves or not isinstance(statement, gast.AugAssign):
            return []
        if not self._updates_array(target):
            return []  # the adjoint of a number is one, and is bound anew where that is
        name = self._sweep.namer.fresh(f"grad_{self._sweep.namer.base(holder)}_updated")
        self._sweep.entries_updated[id(statement)] = name
        return [assign(name, subscript(load(self._name(holder)), clone(target.slice)), statement)]

    def _updates_array(self, place: Any) -> bool:
        """Say whether an entry surely is an array, by what is put into the list or dict."""
        points = self._sweep.program.once(PointsTo)
        held = points.of(place.value.id)
        put = [value for name, value in self._all_put if not held.isdisjoint(points.of(name))]
        return bool(put) and not self._is_keyed(place.value) and all(map(self._is_array_put, put))

    def _is_array_put(self, value: Any) -> bool:
        """Say whether what is put into a list is an array that has a shadow, or such a row."""
        if not isinstance(value, gast.Starred):
            return getattr(value, "id", "") in self.names
        axes = self._sweep.facts.dimensions.of(value.value)
        return getattr(value.value, "id", "") in self.names and len(axes or ()) > 1

    @kept_property
    def _all_put(self) -> list[tuple[str, Any]]:
        return list(entries_put(self._sweep.program.body))

    def _is_keyed(self, row: Any) -> bool:
        return self._sweep.program.once(number_tables).is_keyed(row)

    def _taken_out(self, change: Change, like: Any) -> Any:
        index = [] if change.index is None else [clone(change.index)]
        part = method(load(self._name(change.name)), "pop", *index)
        if change.target in self.names:
            return assign(self._name(change.target), part, like)
        return at(gast.Expr(part), like)

    def moves_whole(self, change: Change) -> bool:
        """Say whether what is put into a list, or taken out, has a shadow that goes with it.

        A number has none of its own, nor has an array in a list of which the entries have adjoints.
        """
        if change.method != "pop":
            return getattr(change.value, "id", "") in self._mirror.names
        return change.name not in self._mirror.entries or change.target in self._mirror.names

    def _shadow_of_entry(self, value: Any, holder: str) -> Any:
        """Return the shadow of what is put into a list or dict: zeros of numbers, and of rows."""
        if isinstance(value, gast.List):
            return gast.List([constant(0.0) for _ in value.elts], gast.Load())
        if isinstance(value, gast.Dict):
            return gast.Dict(clone(value).keys, [constant(0.0) for _ in value.values])
        if isinstance(value, gast.Name) and value.id in self._mirror.names:
            return load(self._name(value.id))
        counts = isinstance(value, gast.Constant) or is_number(self._sweep, value)
        if holder in self._mirror.entries and not counts:
            return self._sweep.zeros_like(clone(value))
        return constant(0.0)

    def _zeros(self, name: str, like: Any) -> Any:
        zeros = "shadow_of" if name in self._mirror.numbers else "zeros_like"
        if self._sweep.inliner.keep_complex:
            zeros = f"complex_{zeros}"
        function = self._sweep.externals.use_runtime(zeros)
        return assign(self._name(name), call(function, load(name)), like)

    def _name(self, name: str) -> str:
        return self._sweep.namer.adjoint(name)

    def _renamed_target(self, target: Any) -> Any:
        target = clone(target)
        for node in walk(target):
            if isinstance(node, gast.Name):
                node.id = self._name(node.id)
        return target

    def _base(self, statement: Any) -> Any:
        """Return what the result of an assignment may be a view of."""
        base = self._mirror.bases.get(id(statement))
        return (
            clone(self._sweep.program.operation(statement).args[0]) if base is None else load(base)
        )

    def _mirrored_value(self, statement: Any) -> Any:
        """Return the value of an assignment with shadows in the place of what they mirror."""
        operation = self._sweep.program.operation(statement)
        base = self._mirror.bases.get(id(statement))
        if base is not None:
            return renamed(statement.value, {base: self._name(base)})
        whole = operation.kind in ("tuple", "list", "dict")
        sources = operation.args if whole else operation.args[:1]
        names = {name: self._name(name) for arg in sources for name in direct_names(arg)}
        value = statement.value
        if isinstance(value, gast.Subscript):
            return subscript(renamed(value.value, names), clone(value.slice))
        if whole and isinstance(value, (gast.List, gast.Tuple, gast.Dict)):
            (target,) = names_bound(statement.targets[0])
            return self._display(value, names, load(target))
        return renamed(value, names)

    def _display(self, value: Any, names: dict[str, str], holder: Any) -> Any:
        """Return a display with the shadows of names, and zeros like what else is in `holder`."""
        if isinstance(value, gast.Dict):
            pairs = list(zip(value.keys, value.values, strict=True))
            return gast.Dict(
                [clone(key) for key, _ in pairs],
                [
                    renamed(item, names)
                    if key is None  # ``{**p}``
                    else self._entry(item, names, subscript(clone(holder), clone(key)))
                    for key, item in pairs
                ],
            )
        starred = [isinstance(item, gast.Starred) for item in value.elts]
        items = []
        for place, item in enumerate(value.elts):
            after = any(starred[:place])
            index = constant(place - len(value.elts) if after else place)
            items.append(self._entry(item, names, subscript(clone(holder), index)))
        cells = any(map(self._is_cell, value.elts))  # to which adjoints are added, in their places
        return (gast.List if cells else type(value))(items, gast.Load())

    def _is_cell(self, item: Any) -> bool:
        return not isinstance(item, (gast.List, gast.Tuple, gast.Dict)) and self._is_entry(item)

    def _entry(self, item: Any, names: dict[str, str], part: Any) -> Any:
        """Return the shadow of an entry, which is `part` of the display."""
        if isinstance(item, (gast.List, gast.Tuple, gast.Dict)):
            return self._display(item, names, part)
        if isinstance(item, (gast.Name, gast.Starred)) and not self._is_entry(item):
            return renamed(item, names)
        return self._sweep.zeros_like(part)

    def _is_entry(self, item: Any) -> bool:
        """Say whether an item of a display has an adjoint of its own."""
        held = item.value if isinstance(item, gast.Starred) else item
        return bool(self._mirror.entries) and getattr(held, "id", "") not in self._mirror.names

    # -- backward

    def reversed_by(self, statement: Any) -> list[Any] | None:
        """Return what reverses the making of a shadow, or None if a rule does that."""
        targets = [n for t in getattr(statement, "targets", []) for n in names_bound(t)]
        if self.names.isdisjoint(targets):
            return None
        maker = self._mirror.makers[id(statement)]
        by_entries = maker == "display" and not self._mirror.entries.isdisjoint(targets)
        if maker == "fresh" or by_entries:
            return None  # each entry gets its part
        if maker not in ("maybe", "either") or self._is_imaginary(statement):
            return []
        (source,) = direct_names(self._base(statement))
        whole, part = load(self._name(source)), load(self._name(targets[0]))
        apart = gast.UnaryOp(gast.Not(), call("np.may_share_memory", clone(part), clone(whole)))
        self._sweep.externals.use_numpy()
        if maker == "maybe":
            given = [self._give_back(statement, whole, part)]
        else:
            given = self._given_by_rule(statement, source)
        return [at(gast.If(apart, given, []), statement)] if given else []

    def _given_by_rule(self, statement: Any, source: str) -> list[Any]:
        """Return what adds the adjoint of new memory to that of the one operand that varies."""
        operation = self._sweep.program.operation(statement)
        values = [*operation.args, *operation.keywords.values()]
        varied = {n for v in values for n in direct_names(v)} & self._sweep.facts.activity.active
        if varied - {source} or self._sweep.inliner.keep_complex:
            raise MutationError(
                "what this gives may be a view of an array that is written into",
                hint="make a copy: `y = y.copy()`",
            )
        step = self._sweep.steps.get(id(statement))
        return [] if step is None else step()

    def _is_imaginary(self, statement: Any) -> bool:
        """Say whether it takes imaginary parts: those that are no view are 0, of real numbers."""
        primal = self._sweep.program.operation(statement).primal
        return bool(self._sweep.program.reader.vocabulary.primitive(primal).name == "numpy.imag")

    def _give_back(self, statement: Any, whole: Any, part: Any) -> Any:
        """Add the adjoint of what turned out to be a copy, or a number, to that of its source."""
        value = statement.value
        if isinstance(value, gast.Subscript):
            function = self._sweep.externals.use_runtime("add_at")
            added = call(function, whole, index_value(value.slice), part)
            return at(gast.Expr(added), statement)
        shape = gast.Attribute(clone(whole), "shape", gast.Load())
        given = [*getattr(value, "args", ()), *getattr(value, "keywords", ())]  # `y.real` has none
        if self._sweep.inliner.keep_complex and len(given) > 1:
            part = call(self._sweep.externals.use_runtime("real_as"), part, clone(whole))
        return add_assign(store(whole.id), call("np.reshape", part, shape), statement)

    def fit(self, block: list[Any]) -> None:
        """Let a block add nothing but real numbers to shadows of real parts."""
        if self._mirror.names and self._sweep.inliner.keep_complex:
            names = real_parts(self._sweep.program, self._mirror)
            shadows = {self._name(name) for name in names}
            take_real_parts(block, shadows, self._sweep.externals)

    # -- updates in place

    def with_updates(self, block: list[Any]) -> list[Any]:
        """Write ``y_2 = y * v`` as the update in place that it is, and a copy of the name."""
        done: list[Any] = []
        for statement in block:
            for part in blocks_of(statement):
                part[:] = self.with_updates(part)
            if id(statement) in self._mirror.updates:
                done += self._pinned(statement)
            elif id(statement) not in self._mirror.settled:
                done.append(statement)
        return done

    def _pinned(self, statement: Any) -> list[Any]:
        value = statement.value
        update = at(gast.AugAssign(store(value.left.id), value.op, clone(value.right)), statement)
        copy = at(gast.Assign(statement.targets, load(value.left.id), None), statement)
        order = self._sweep.facts.storage.order
        order[id(update)] = order[id(copy)] = order[id(statement)]
        self._mirror.makers[id(copy)] = "copy"
        self._sweep.facts.selection.replace(statement, update)
        self._operations[id(update)] = self._sweep.program.operation(statement)
        self._sweep.witness.stands_for(update, statement)
        self._kept += [update, copy, statement]  # their identities are keys
        return [update, copy]

    def prepare_update(self, update: Any) -> list[Any]:
        """Return the forward statements of an update, and keep how to reverse it."""
        sweep = self._sweep
        if not isinstance(update.target, gast.Name):
            raise MutationError(
                "an update of an attribute is not differentiated by source",
                hint="work on a local array and keep that",
            )
        left = update.target.id
        if left not in self.names:
            return [update]
        operation = self._operations[id(update)]
        rule = sweep.program.reader.vocabulary.rule_for(operation.primal)
        if rule is None:  # as of `//=`, after which nothing varies any more
            nothing = gast.Constant(0.0, None)
            sweep.witness.note(update, [load(self._name(left))], [], [])
            sweep.steps[id(update)] = lambda: self._change(update, load(self._name(left)), nothing)
            return [update]
        before = sweep.namer.fresh(f"{sweep.namer.base(left)}_before")
        after = sweep.namer.fresh(f"{sweep.namer.base(left)}_after")
        copied = sweep.externals.use_runtime("copied")
        lead = [assign(before, call(copied, load(left)), update)]
        kept: dict[str, str] = {}
        for name in direct_names(update.value):
            if name in sweep.facts.storage.mutated and name not in kept:
                kept[name] = sweep.namer.fresh(f"{sweep.namer.base(name)}_now")
                lead.append(assign(kept[name], call(copied, load(name)), update))
        tail = [assign(after, call(copied, load(left)), update)]
        operand = renamed(update.value, kept)
        active = sweep.is_active(update.value)
        placed = sweep.inliner.place(
            rule,
            [load(before), operand],
            {},
            lambda item: getattr(item, "id", "") == before or (item is operand and active),
            [load(after)],
            own_forward=False,
        )

        def step() -> list[Any]:
            grads = [load(self._name(left))]
            emitted, values = placed.adjoint(grads)
            emitted = [at(item, update) for item in emitted]
            said = [(left, values[0])]
            if active:
                said.append((update.value.id, values[1]))
            sweep.witness.rename(kept)
            sweep.witness.note(update, grads, emitted, said, (before, after))
            return [*emitted, *self._reverse_update(update, values)]

        sweep.steps[id(update)] = step
        return [*lead, update, *tail]

    def _reverse_update(self, update: Any, values: list[Any]) -> list[Any]:
        left = update.target.id
        done: list[Any] = []
        later: list[Any] = []
        if self._sweep.is_active(update.value):
            name = update.value.id
            value = shortened(values[1], load(left), self._sweep)
            if self._sweep.status(value) is Status.SHARED:
                value = call(self._sweep.externals.use_runtime("copied"), value)
            if name in self.names:
                part = self._sweep.namer.fresh(f"grad_{self._sweep.namer.base(name)}_part")
                done.append(assign(part, value, update))
                later = self._sweep.adjoints.accumulate(name, load(part), update)
            else:
                done += self._sweep.contribute(update, [], [(name, value)], inherits=True)
        return [*done, *self._change(update, load(self._name(left)), values[0]), *later]

    def _change(self, statement: Any, shadow: Any, value: Any) -> list[Any]:
        """Return what replaces the adjoint of what was updated by that of its value before."""
        if getattr(getattr(value, "func", None), "id", "") == "unbroadcast":
            value = value.args[0]  # an update in place never changes the shape
        if isinstance(value, gast.Name) and value.id == shadow.id:
            return []
        if isinstance(value, gast.BinOp) and getattr(value.left, "id", "") == shadow.id:
            return [at(gast.AugAssign(store(shadow.id), value.op, value.right), statement)]
        place = subscript(shadow, gast.Constant(Ellipsis, None), storing=True)
        return [assign(place, value, statement)]


def same_memory(
    sources: dict[str, set[str] | None], owners: Sequence[str], base: Callable[[str], str]
) -> dict[str, str]:
    """Return the first of the versions of one variable that are surely bound to the same memory.

    `sources` are what each name is a mere copy of, on some path or other; None if it is no copy.

    >>> sources = {"y": None, "y_2": {"y"}, "y_3": {"y", "y_2"}, "y_4": {"y_3", "z"}, "z": None}
    >>> same_memory(sources, (), lambda name: name[0])
    {'y_2': 'y', 'y_3': 'y'}
    """
    first = {name: name for name in sources}

    def find(name: str) -> str:
        while first[name] != name:
            name = first[name]
        return name

    changed = True
    while changed:
        changed = False
        for name, found in sources.items():
            if found is None or name in owners or first[name] != name:
                continue
            known = {find(item) if item in first else item for item in found} - {name}
            if len(known) == 1 and (owner := known.pop()) in first and base(owner) == base(name):
                first[name] = owner
                changed = True
    return {name: find(name) for name in sources if first[name] != name}
