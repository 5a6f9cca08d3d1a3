"""Differentiates a program in normal form forwards: beside each value its tangent.

Tangents mirror values: the tangent of a view is the same view of the tangent, what is written into
an array is written into its tangent too, and a list of values has a list of tangents. So aliasing
and mutation need no cases of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.analyses.containers import kinds
from srcgrad.analyses.mirroring import Mirroring
from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.threaded_states import threaded_states
from srcgrad.analyses.variation import Variation
from srcgrad.checker.tangent_witness import TangentWitness
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load, store
from srcgrad.ir.changes import change_of
from srcgrad.ir.marks import REPEATS, UPDATES_ENTRY
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names, is_store, operand_names, store_target
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import blocks_of, names_bound, names_read, root_name, statements
from srcgrad.transforms.float_checks import is_check
from srcgrad.transforms.mirrored import entries, reads, renamed_root, result
from srcgrad.transforms.tangent_lists import makes_missing_entries, moved, repeats_entries
from srcgrad.transforms.tangent_masks import TangentMasks
from srcgrad.transforms.tangent_rules import NoTangentError, Pushed, TangentRules, replaced
from srcgrad.transforms.tangent_updates import updated
from srcgrad.transforms.tangent_views import TangentViews
from srcgrad.transforms.templates import Inliner

_MOVERS: Final = frozenset(
    "append extend insert pop popleft appendleft reverse clear remove update fill".split()
)
_NEW_MEMORY: Final = (gast.BinOp, gast.UnaryOp)


@dataclass(frozen=True, slots=True)
class PushedCall:
    """A user function that is differentiated too: the name of its generated tangent function.

    `passed` are its arguments and `seeds` those of them whose tangents it takes.
    """

    name: str
    passed: list[Any]
    seeds: list[Any]


CallPush = Callable[[Any, Operation, Callable[[Any], bool]], PushedCall | None]


class Forwarder:
    """Adds tangents to one program.

    Attributes:
        unknown: The statements whose tangent is not known, with what they call.
    """

    def __init__(
        self,
        program: Program,
        names: Mirroring,
        shapes: Shapes,
        inliner: Inliner,
        push_call: CallPush,
        witness: TangentWitness | None = None,
    ) -> None:
        self.unknown: list[tuple[Any, str]] = []
        self._program = program
        self._active = names.active
        self._shapes = shapes
        self._names, self._written = names, names.written
        self._variation = Variation(names.active, program.reader)
        self._externals = inliner.externals
        self._push_call = push_call
        self._witness = witness
        resolve = program.reader.scope.resolve
        self._rules = TangentRules(inliner, self._dot, self._full, shapes.is_number, resolve)
        self._masks = TangentMasks(program, self._dot, names.written, inliner.externals, shapes)
        self._views = TangentViews(program, names, inliner.externals, self._dot)
        self._short: set[str] = set()
        self._arrays = kinds(program).arrays

    def run(self, *, keeps: bool) -> list[Any]:
        """Return the body with tangents; it returns the value and its tangent.

        With `keeps`, the tangents of the caller are not written into.
        """
        *body, end = self._program.body
        done = self._copies() if keeps else []
        done += self._entry_zeros()
        done += self._block(body)
        outputs = self._program.outputs
        values = [load(name) for name in outputs]
        tangents = [self._tangent_or_zeros(load(name)) for name in outputs]
        is_tuple = self._program.returns_tuple
        pair = [result(values, is_tuple=is_tuple), result(tangents, is_tuple=is_tuple)]
        return [*done, at(gast.Return(gast.Tuple(pair, gast.Load())), end)]

    def start(self, name: str) -> Any:
        """Return the statement that starts the tangent of a name at zero."""
        return assign(self._program.namer.tangent(name), self._zeros_like(load(name), name))

    def _copies(self) -> list[Any]:
        """Return copies of the tangents of the inputs that the program may write into."""
        names = [n for n in self._program.inputs if n in self._written and n in self._active]
        copies = self._externals.use_runtime
        dots = {name: self._dot(name) or "" for name in names}
        made = {n: call(copies("copied_like"), load(dots[n]), load(n)) for n in names}
        return [assign(dots[name], copy) for name, copy in made.items()]

    def _entry_zeros(self) -> list[Any]:
        """Return tangents of zeros for the other parameters that tangents are written into."""
        program = self._program
        others = [n for n in program.parameters if n in self._active and n not in program.inputs]
        zeros = self._externals.use_runtime
        return [assign(self._dot(n) or "", call(zeros("zeros_like"), load(n))) for n in others]

    # -- statements

    def _block(self, block: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in block:
            for part in blocks_of(statement):
                part[:] = self._block(part)
            if isinstance(statement, gast.For):
                self._loop(statement)
            elif isinstance(statement, gast.With):
                names = [n for item in statement.items for n in names_bound(item.optional_vars)]
                statement.body[:0] = [self.start(name) for name in names if self._dot(name)]
            done.extend(at(item, statement) for item in self._step(statement))
        return done

    def _step(self, statement: Any) -> list[Any]:
        try:
            if is_store(statement):
                return self._store(statement)
            if isinstance(statement, gast.AugAssign):
                plain = isinstance(statement.target, gast.Name)  # else of a constant object
                return self._update(statement) if plain else [statement]
            if isinstance(statement, gast.Assign):
                return self._assign(statement)
            if isinstance(statement, gast.Expr):
                return self._effect(statement)
        except NoTangentError:
            self._note_unknown(statement)
        return [statement]

    def _loop(self, loop: Any) -> None:
        """Let a loop over values with tangents run over those beside them."""
        names = [name for name in names_bound(loop.target) if self._dot(name)]
        if not names:
            return
        if isinstance(loop.iter, gast.Name) and self._dot(loop.iter.id):
            pair = [loop.target, self._target(loop.target)]
            loop.target = gast.Tuple(pair, gast.Store())
            loop.iter = call("zip", loop.iter, load(self._program.namer.tangent(loop.iter.id)))
        elif self._gives_constants(loop.iter, names):
            loop.body[:0] = [at(self.start(name), loop) for name in names]
        else:
            self.unknown.append((loop, "this loop"))

    def _gives_constants(self, iterable: Any, names: list[str]) -> bool:
        """Say whether a loop gives new constants, or such as are not written into."""
        called = isinstance(iterable, gast.Call)
        if called and self._program.reader.read(iterable).kind == "constant":
            return True
        parts = getattr(iterable, "elts", ())
        if parts and all(isinstance(part, gast.Constant) for part in parts):
            return True
        return not self._varies(iterable) and self._written.isdisjoint(names)

    def _note_unknown(self, statement: Any) -> None:
        name = "this"
        if isinstance(statement, gast.Assign) and not is_store(statement):
            operation = self._program.operation(statement)
            if operation.primal is not None:
                name = self._program.reader.vocabulary.canonical_name(operation.primal)
        self.unknown.append((statement, name))

    def _store(self, statement: Any) -> list[Any]:
        """``x[i] = v`` writes the tangent of v, or zero, to the same place of the tangent of x."""
        target = store_target(statement)
        holder = self._dot(root_name(target))
        place = None if holder is None else renamed_root(target, holder)
        if UPDATES_ENTRY.of(statement) and root_name(target) not in self._arrays:
            return self._update_entry(statement, target, place)
        updates = isinstance(statement, gast.AugAssign)
        if place is None or (updates and not self._varies(statement.value)):
            return [statement]
        if updates:
            update = gast.AugAssign(place, statement.op, self._tangent(statement.value))
            REPEATS.put(update, REPEATS.of(statement))
            return [update, statement]
        return [assign(place, self._tangent_or_zeros(statement.value)), statement]

    def _assign(self, statement: Any) -> list[Any]:
        (target,) = statement.targets
        names, operation = names_bound(target), self._program.operation(statement)
        if self._witness is not None and operation.kind == "constant":
            self._witness.note_constant(statement)
        if not any(self._dot(name) for name in names):
            change = change_of(statement)
            if change is not None and self._dot(change.name) is not None:
                moved = gast.Expr(self._moved(statement.value))
                return [statement, moved]  # nobody reads the entry
            return [statement]
        value = statement.value
        if not self._carries(operation, value):
            return [statement, *self._zeros(names, statement)]
        if operation.kind == "user":
            return self._call(statement, operation)
        pushed = self._value(value, operation, names)
        if pushed.value is not None:
            statement.value = pushed.value
        tangent = pushed.tangent
        self._note_tangent(statement, operation, pushed)
        if operation.kind == "primitive" and len(names) == 1:
            tangent = self._fitted(names[0], tangent, operation)
        beside = [*pushed.after, assign(self._target(target), tangent)]
        if self._is_rebound(names) and not pushed.before and not set(names) & reads(beside):
            return [*beside, statement]  # it may read what the statement binds anew
        return [*pushed.before, statement, *beside]

    def _note_tangent(self, statement: Any, operation: Operation, pushed: Pushed) -> None:
        """Tell the checker what the rule of a statement says."""
        if self._witness is None or operation.kind not in ("primitive", "class"):
            return
        operands = operand_names(operation, self._program.reader.vocabulary)
        silent = [name for name in operands if self._dot(name) is None]
        around = pushed.before, pushed.after
        self._witness.note(statement, pushed.tangent, around, silent=silent)

    def _is_rebound(self, names: list[str]) -> bool:
        """Say whether a statement binds a variable of the user's once more."""
        namer = self._program.namer
        return any(namer.base(name) != name for name in names)

    def _value(self, value: Any, operation: Operation, names: list[str]) -> Pushed:
        if operation.kind in ("copy", "unpack"):
            return Pushed(self._tangent(value))
        if operation.kind in ("tuple", "list", "dict"):
            return Pushed(self._display(value))
        if operation.kind == "primitive":
            rule = self._program.reader.vocabulary.rule_for(operation.primal)
            return self._masks.within(
                self._rules.of(value, operation, rule, names), operation, names
            )
        if operation.kind == "class" and "jvp" in vars(operation.primal):
            return self._rules.of(value, operation, operation.primal, names)
        if isinstance(value, gast.Call) and getattr(value.func, "attr", "") in _MOVERS:
            return Pushed(self._moved(value))  # v = xs.pop()
        raise NoTangentError

    def _call(self, statement: Any, operation: Operation) -> list[Any]:
        pushed = self._push_call(statement, operation, self._varies)
        if pushed is None:
            raise NoTangentError
        seeds = [self._tangent(item) for item in pushed.seeds]
        target = statement.targets[0]
        both = gast.Tuple([target, self._target(target)], gast.Store())
        done = [assign(both, call(pushed.name, *pushed.passed, *seeds), statement)]
        if self._witness is not None:
            self._witness.note_call(statement, done[0])
        vocabulary = self._program.reader.vocabulary
        written = [name for name in names_bound(target) if name in self._written]
        shares = operation.kind != "user" or threaded_states(statement, operation, vocabulary)
        if shares or vocabulary.returned_operands(operation.primal, statement.value):
            written = []  # views of the arguments, or of states, as their tangents are
        copied = self._externals.use_runtime("copied") if written else ""
        dots = filter(None, map(self._dot, written))  # that of ``u + 1`` may be that of `u`
        return done + [assign(dot, call(copied, load(dot)), statement) for dot in dots]

    def _zeros(self, names: Sequence[str], statement: Any) -> list[Any]:
        """What does not vary has a tangent of zeros where its name has one elsewhere."""
        value = statement.value
        pairs = ((name, self._dot(name)) for name in names)
        return [assign(dot, self._zeros_like(value, n)) for n, dot in pairs if dot is not None]

    def _zeros_like(self, value: Any, name: str) -> Any:
        if isinstance(value, gast.Constant) and isinstance(value.value, (int, float)):
            return gast.Constant(0.0, None)
        if isinstance(value, (gast.List, gast.Dict)) and not list(entries(value)):
            return clone(value)
        if isinstance(value, gast.Constant) and value.value is None:
            return clone(value)
        if self._shapes.is_number(load(name)) and name not in self._written:
            return gast.Constant(0.0, None)
        if makes_missing_entries(value, self._program.reader):
            return clone(value)
        if name in self._written and repeats_entries(value):
            raise NoTangentError  # the entries of the list are one object, its zeros would not be
        return call(self._externals.use_runtime("zeros_like"), load(name))

    def _update(self, statement: Any) -> list[Any]:
        """``x += v`` for a number binds anew, for an array writes; so it does for the tangent."""
        dot = self._dot(statement.target.id)
        if dot is None:
            return [statement]
        return self._updated(statement.target, store(dot), statement.op, statement.value)

    def _update_entry(self, statement: Any, target: Any, place: Any) -> list[Any]:
        """``xs[i] = t`` that stems from ``xs[i] *= v`` writes into what a list holds there."""
        makers = (item for item in statements(self._program.body) if isinstance(item, gast.Assign))
        name = getattr(statement.value, "id", "")
        value = next((m.value for m in makers if name in names_bound(m.targets[0])), None)
        if not isinstance(value, gast.BinOp):
            raise NoTangentError
        if place is None:  # nobody reads its tangent
            return [gast.AugAssign(clone(target), value.op, clone(value.right))]
        return self._updated(target, place, value.op, value.right)

    def _updated(self, target: Any, dot: Any, op: Any, value: Any) -> list[Any]:
        tangent = self._tangent(value) if self._varies(value) else None
        return updated(target, dot, op, value, tangent, self._program.namer)

    def _effect(self, statement: Any) -> list[Any]:
        """A call for its effect on values with tangents does the same to the tangents."""
        value = statement.value
        reads = [name for name in names_read(value) if self._dot(name)]
        if not reads or not isinstance(value, gast.Call) or is_check(statement):
            return [statement]
        given = [
            getattr(value.func, "value", None),
            *value.args,
            *(k.value for k in value.keywords),
        ]
        if not any(self._varies(item) or self._variation.of(item) for item in given if item):
            return [statement]  # it is told a text, or a size
        callee = self._program.reader.scope.resolve(value.func)
        if callee is not MISSING:
            vocabulary = self._program.reader.vocabulary
            if vocabulary.primitive(callee).stores and not value.keywords:
                return [gast.Expr(self._written_call(value)), statement]
            if vocabulary.constant_reason(callee) is not None:
                return [statement]
            raise NoTangentError
        if isinstance(value.func, gast.Attribute) and value.func.attr in _MOVERS:
            return [gast.Expr(self._moved(value)), statement]
        raise NoTangentError

    def _written_call(self, value: Any) -> Any:
        """Return ``np.add.at(x, i, v)`` and its like on tangents, at the same places."""
        first, *between, last = value.args
        root = self._dot(root_name(first))
        if root is None:
            raise NoTangentError
        args = [renamed_root(first, root), *map(clone, between), self._tangent_or_zeros(last)]
        return gast.Call(clone(value.func), args, [])

    def _moved(self, value: Any) -> Any:
        """Return ``xs.append(v)`` and its like on tangents."""
        holder = self._dot(root_name(value.func.value))
        if holder is None or value.keywords:
            raise NoTangentError
        return moved(value, renamed_root(value.func.value, holder), self._tangent_or_zeros)

    # -- tangents

    def _dot(self, name: str | None) -> str | None:
        if name is None or name not in self._active:
            return None
        dot = self._program.namer.tangent(name)
        if self._witness is not None:
            self._witness.dots[dot] = name
        return dot

    def _varies(self, node: Any) -> bool:
        return any(name in self._active for name in direct_names(node))

    def _carries(self, operation: Operation, value: Any) -> bool:
        """Say whether an operation passes a tangent on."""
        if operation.kind == "constant":
            return False
        if operation.kind == "unknown":
            return self._variation.of(value)
        operands = [*operation.args, *operation.keywords.values()]
        return any(self._varies(item) for item in operands)

    def _tangent(self, node: Any) -> Any:
        if isinstance(node, gast.Name):
            if self._dot(node.id) is None:
                raise NoTangentError
            return self._full(node.id)
        if isinstance(node, (gast.Tuple, gast.List, gast.Dict)):
            return self._display(node)
        raise NoTangentError

    def _tangent_or_zeros(self, node: Any) -> Any:
        if self._varies(node):
            return self._tangent(node)
        if self._variation.of(node):
            raise NoTangentError  # an expression that was not taken apart
        if self._shapes.is_number(node) or isinstance(node, gast.Constant):
            return gast.Constant(0.0, None)
        return call(self._externals.use_runtime("zeros_like"), clone(node))

    def _display(self, node: Any) -> Any:
        swaps = {id(item): self._tangent_or_zeros(item) for item in entries(node)}
        return replaced(node, swaps)

    def _target(self, target: Any) -> Any:
        """Return the target of tangents that mirrors a target of values."""
        if isinstance(target, gast.Name):
            return store(self._dot(target.id) or "_")
        if isinstance(target, gast.Starred):
            return gast.Starred(self._target(target.value), gast.Store())
        return gast.Tuple([self._target(item) for item in target.elts], gast.Store())

    def _fitted(self, name: str, tangent: Any, operation: Operation) -> Any:
        """Return a tangent in memory of its own if the value's memory is written.

        A term without tangent may have given the value more axes than the other terms have. Then
        the tangent is short: it is spread where it is read, unless broadcasting does that anyway.
        """
        fills = self._fills(name, tangent, operation)
        changes = name in self._written or self._is_changed(tangent)
        if not fills and not changes:
            self._short.add(name)
            return tangent
        if not fills:  # what is spread has no memory of its own; that of a number is a number
            copy = self._externals.use_runtime("copied_like")
            return call(copy, self._spread(name, tangent), load(name))
        if changes and self._views.may_be_copies(operation):
            return self._views.of(name, tangent, operation)
        if changes and not self._is_new(name, tangent, operation):
            return call(self._externals.use_runtime("copied"), tangent)
        return tangent

    def _is_changed(self, tangent: Any) -> bool:
        """Say whether an expression reads a tangent whose memory is written."""
        dots = {self._dot(name) for name in self._written}
        return not dots.isdisjoint(names_read(tangent))

    def _full(self, name: str) -> Any:
        """Return the tangent of a name in the shape of its value."""
        tangent = load(self._program.namer.tangent(name))
        return self._spread(name, tangent) if name in self._short else tangent

    def _spread(self, name: str, tangent: Any) -> Any:
        self._externals.use_numpy()
        return call("np.broadcast_to", tangent, call("np.shape", load(name)))

    def _is_new(self, name: str, tangent: Any, operation: Operation) -> bool:
        """Say whether a tangent is new memory, or the view of one whose value is a view too."""
        vocabulary = self._program.reader.vocabulary
        if operation.primal is vocabulary.getitem:
            return True
        if vocabulary.primitive(operation.primal).may_view:
            return True
        if isinstance(tangent, gast.Call):
            func = tangent.func
            return not (isinstance(func, gast.Attribute) and func.attr == "broadcast_to")
        return isinstance(tangent, _NEW_MEMORY)

    def _fills(self, name: str, tangent: Any, operation: Operation) -> bool:
        """Say whether a tangent surely has the shape of its value by itself."""
        if self._shapes.is_number(load(name)):
            return True
        if not self._may_broadcast(operation):
            return True
        short = {self._dot(item) for item in self._short}
        seen = set(names_read(tangent)) - short
        if name in seen:
            return True
        operands = {n for item in operation.args for n in direct_names(item)}
        missing = {n for n in operands if n not in seen and (self._dot(n) or "") not in seen}
        return all(
            self._shapes.is_number(load(n)) or self._covered(n, operands - missing) for n in missing
        )

    def _covered(self, name: str, others: set[str]) -> bool:
        """Say whether the axes of an operand are those of another that the tangent has."""
        ours = self._shapes.of(load(name))
        theirs = [self._shapes.of(load(other)) for other in others]
        return ours is not None and any(item is not None and ours <= item for item in theirs)

    def _may_broadcast(self, operation: Operation) -> bool:
        """Say whether the operands of an operation may be stretched to a common shape."""
        vocabulary = self._program.reader.vocabulary
        rule = vocabulary.rule_for(operation.primal)
        if rule is None or len(operation.args) < 2:
            return False
        return bool(rule.elementwise or rule.spreads)
