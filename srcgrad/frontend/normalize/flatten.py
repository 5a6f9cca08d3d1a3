"""Takes statements that carry derivatives apart: one operation a statement, on names and literals.

Expressions that carry none stay as the user wrote them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.frontend.callees import is_library
from srcgrad.frontend.looking import is_mere_value, only_looks
from srcgrad.frontend.normalize.comprehensions import names_outside
from srcgrad.frontend.normalize.dicts import treats_as_dict
from srcgrad.frontend.normalize.expressions import Expressions
from srcgrad.frontend.normalize.index_steps import element_loop, growing_loop
from srcgrad.frontend.normalize.kinds import find_kinds
from srcgrad.frontend.normalize.loops import IndexLoops
from srcgrad.frontend.normalize.resizing import growing_parts, resized
from srcgrad.frontend.normalize.strictness import is_strict, loosened
from srcgrad.frontend.normalize.targets import Targets
from srcgrad.frontend.normalize.workspace import Varies, Workspace
from srcgrad.frontend.refusals import Refusals
from srcgrad.garbage import weakly
from srcgrad.ir import gast
from srcgrad.ir.asked_sets import asked_sets
from srcgrad.ir.build import assign, at, attribute, call, clone, load, method, store, subscript
from srcgrad.ir.changes import change_of
from srcgrad.ir.marks import CASTS, IN_PLACE, REPEATS, UPDATES_ENTRY
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader
from srcgrad.ir.packages import package_of
from srcgrad.ir.pairs import names_with_values
from srcgrad.ir.program import bound_names
from srcgrad.ir.walk import blocks_of, found_in, is_same, names_bound, places_in, statements, walk
from srcgrad.primitives.methods import SHAPERS
from srcgrad.runtime import add_entries, add_to_shadows

_QUESTIONS = ("isinstance", "hasattr", "type", "callable")
_LOOKS: Final = (gast.Name, gast.Attribute, gast.Subscript, gast.BinOp, gast.UnaryOp)


_TELLING: Final = (gast.Subscript, gast.Attribute, gast.Assign, gast.AugAssign, gast.Call)
"""What tells of the names in it that they are lists, dicts or the like."""


class Flattener:
    """Rewrites one function body into normal form.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> print(text(program_of('''
    ... def f(x, y):
    ...     return np.sin(x * y[0]) + np.pi / 2
    ... ''').body))
    y_0 = y[0]
    x_times_y_0 = x * y_0
    sin = np.sin(x_times_y_0)
    ratio = np.pi / 2
    out = sin + ratio
    return out
    """

    def __init__(
        self,
        varies: Varies,
        reader: Reader,
        namer: Namer,
        refusals: Refusals,
        held: Iterable[str] = (),
    ) -> None:
        self._varies = varies
        self._reader = reader
        self._namer = namer
        self._refusals = refusals
        self._work = Workspace(varies, reader, namer, refusals)
        self._work.held.update(held)
        self._expressions = Expressions(self._work)
        self._targets = Targets(self._work, self._expressions)
        self._work.run = weakly(self._run)
        work = self._work
        self._loops = IndexLoops(
            reader,
            namer,
            weakly(self._simple),
            weakly(self._is_dict),
            lambda node: node.id in work.dicts - work.lists - work.unordered,
            self._work.used_up.__contains__,
        )
        self._loop: Any = None
        self.carried = self._work.carried

    @property
    def holders(self) -> set[str]:
        """The names of lists and dicts, as far as their use shows."""
        return self._work.lists | self._work.dicts

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of the function in normal form."""
        work = self._work
        code = self._reader.scope.function.__code__
        given = code.co_varnames[: code.co_argcount]
        work.taken = names_outside(body) | set(given)
        self._list_new_parts(body)
        find_kinds(body, work)
        nodes = [node for item in body for node in found_in(item, *_TELLING)]
        work.dicts = {node.value.id for node in nodes if treats_as_dict(node)}
        bindings = [node for node in nodes if isinstance(node, gast.Assign)]
        made = [pair for node in bindings for pair in names_with_values(node)]
        work.dicts |= {n for n, value in made if isinstance(value, (gast.Dict, gast.DictComp))}
        work.changing = {node.value.id for node in nodes if _changes(node)}
        work.asked = {name for node in nodes for name in _asked(node)}
        tuples = {name for name, value in made if isinstance(value, gast.Tuple)}
        work.changing |= {
            node.target.id
            for node in nodes
            if isinstance(node, gast.AugAssign)
            and isinstance(node.op, gast.Add)
            and getattr(node.target, "id", None) in work.lists - tuples
        }
        known = work.arrays | work.counted | (work.lists - work.dicts) | {*given}
        work.sets = asked_sets(body)
        work.resized = resized(body, known, self._reader)
        others = growing_parts(body, work.arrays | work.counted, self._reader)
        work.parts_grow = others is not None
        work.resized |= others or set()
        return self.block(body)

    def _list_new_parts(self, body: list[Any]) -> None:
        """Keep the parts of an array, some of which get others in their place, in a list."""
        stored = {
            place.value.id
            for statement in statements(body)
            if isinstance(statement, gast.Assign)
            for target in statement.targets
            for place in places_in(target)
            if isinstance(place, gast.Subscript) and isinstance(place.value, gast.Name)
        }
        vocabulary, scope = self._reader.vocabulary, self._reader.scope
        for statement in statements(body) if stored else ():
            value = statement.value if isinstance(statement, gast.Assign) else None
            splits = isinstance(value, gast.Call) and bool(
                vocabulary.primitive(scope.resolve(value.func)).is_split
            )
            names = {getattr(target, "id", "") for target in getattr(statement, "targets", ())}
            if splits and names <= stored:
                statement.value = at(call("list", value), value)

    def block(self, body: list[Any]) -> list[Any]:
        """Return a statement list in normal form."""
        outer = self._work.begin()
        self._take(body)
        return self._work.end(outer)

    def _take(self, body: list[Any]) -> None:
        for statement in body:
            handler: Callable[[Any], None] | None
            handler = getattr(self, f"_{type(statement).__name__}", None)
            if handler is None:
                self._work.emit(statement)
            else:
                handler(statement)

    def _run(self, made: list[Any]) -> None:
        """Put statements into normal form that stand for an expression of the user's."""
        self._varies.spread(made)
        self._take(made)

    def _Assign(self, node: Any) -> None:
        first, *others = node.targets
        if others:
            value = self._expressions.atom(node.value, node)
            for target in node.targets:
                self._targets.bind(target, clone(value), node)
            return
        self._targets.bind(first, node.value, node)
        if CASTS.of(node):
            CASTS.put(self._work.last, True)

    def _AnnAssign(self, node: Any) -> None:
        if node.value is not None:
            self._targets.bind(node.target, node.value, node)

    def _AugAssign(self, node: Any) -> None:
        target = node.target
        if isinstance(target, gast.Name):
            if isinstance(node.op, gast.Add) and self._extends(target.id, node.value):
                made = method(load(target.id), "extend", node.value)
                self._Expr(at(gast.Expr(made), node))
                return
            value = at(gast.BinOp(load(target.id), node.op, node.value), node)
            before = self._work.count
            self._expressions.into(target.id, value, node)
            if self._work.count > before:
                IN_PLACE.put(self._work.last, True)
            return
        if not self._varies.of(target) and not self._varies.of(node.value):
            self._work.emit(node)
            return
        if not self._targets.is_plain_element(target):
            return
        parts = self._work.parted | self._work.held
        if target.value.id in parts and not isinstance(target.slice, gast.Tuple):
            self._update_part(node)
            return
        target.slice = self._expressions.index(target.slice, node)
        value = self._targets.stored(node.value, target, node)
        if isinstance(node.op, (gast.Add, gast.Sub)):
            update = at(gast.AugAssign(target, node.op, value), node)
            REPEATS.put(update, REPEATS.of(node))
            self._work.emit(update)
            return
        old = subscript(load(target.value.id), clone(target.slice))
        new = self._expressions.atom(at(gast.BinOp(old, node.op, value), node), node)
        stored = assign(target, new, node)
        UPDATES_ENTRY.put(stored, True)  # of a list, it would be written in place
        self._work.emit(stored)

    def _update_part(self, node: Any) -> None:
        """Write ``parts[i] *= v`` as an update of the part itself, which the list only holds."""
        target = node.target
        part = self._namer.fresh(f"{target.value.id}_part")
        self._varies.names.add(part)
        self._expressions.into(part, at(subscript(target.value, target.slice), node), node)
        self._AugAssign(at(gast.AugAssign(store(part), node.op, node.value), node))

    def _Try(self, node: Any) -> None:
        for part in blocks_of(node):
            part[:] = self.block(part)
        self._work.emit(node)

    def _With(self, node: Any) -> None:
        for item in node.items:
            if self._varies.of(item.context_expr):
                self._refusals.add(
                    item.context_expr,
                    "a context manager of values with derivatives is not differentiated by source",
                    "move the `with` block to the caller",
                )
        node.body = self.block(node.body)
        self._work.emit(node)

    def _extends(self, name: str, value: Any) -> bool:
        """Say whether ``name += value`` extends a list that carries derivatives."""
        varies = self._varies.of(load(name)) or self._varies.of(value)
        return varies and name in self._work.lists and name in self._work.changing

    def _Expr(self, node: Any) -> None:
        if isinstance(node.value, gast.Constant):
            return
        if self._varies.of(node.value):
            made, before = None, clone(node.value)
            if isinstance(node.value, gast.Call):
                made = self._expressions.containers.changing(node.value, node)
            if made is not None and not _is_normal(made, before):
                self._run(made)
                return
            if made is None:
                made = self._dropped(node)
            plain = made is None and self._only_looks(node.value)
            if plain or (made is None and self._adds_adjoints(node.value)):
                made = [at(gast.Expr(self._expressions.operands_of(node.value, node)), node)]
            if made is None and self._puts_into_set(node.value):
                key = node.value.args[0]
                node.value.args = [key if _is_plain_key(key) else self._expressions.atom(key, node)]
                made = [node]
            if isinstance(node.value, _LOOKS):  # it may raise
                made = [at(gast.Expr(self._expressions.operands(node.value, node)), node)]
            if made is None:
                self._expressions.refuse(node.value)
                made = [node]
            for statement in made:
                self._work.emit(statement)
            return
        self._work.emit(node)

    def _adds_adjoints(self, value: Any) -> bool:
        """Say whether a call adds adjoints up in place, in a text that was generated before."""
        called = isinstance(value, gast.Call)
        return called and self._reader.scope.resolve(value.func) in (add_entries, add_to_shadows)

    def _only_looks(self, value: Any) -> bool:
        """Say whether a call of the user's writes nothing: a check may raise, or print."""
        callee = self._harmless_callee(value)
        return callee is not None and only_looks(callee, self._reader.vocabulary)

    def _puts_into_set(self, value: Any) -> bool:
        """Say whether a call puts something into a set that is only asked what is in it."""
        owner = getattr(getattr(value, "func", None), "value", None)
        return getattr(owner, "id", None) in self._work.sets and len(value.args) == 1

    def _only_returns(self, value: Any) -> bool:
        """Say whether a call of the user's writes into memory of its own alone."""
        callee = self._harmless_callee(value)
        ours = callee is not None and package_of(callee) == "srcgrad"  # of a generated text
        return callee is not None and not ours and not self._only_looks(value)

    def _harmless_callee(self, value: Any) -> FunctionType | None:
        """Return the function of the user's that is called, if it writes nothing from outside."""
        operation = self._reader.read(value)
        callee = operation.primal
        if operation.kind != "user" or not isinstance(callee, FunctionType) or is_library(callee):
            return None
        return None if self._reader.vocabulary.how_written(callee) is not None else callee

    def _dropped(self, node: Any) -> list[Any] | None:
        """Bind a value that nobody reads: of ``xs.pop()``, ``np.sort(x)``, a call of the user's."""
        value = node.value
        if not isinstance(value, gast.Call):
            return None
        taken_out = getattr(value.func, "attr", "") == "pop"
        known = is_mere_value(value, self._reader.scope, self._reader.vocabulary)
        if not taken_out and not known and not self._only_returns(value):
            return None
        name = self._namer.fresh("_")
        self._varies.names.add(name)
        self._expressions.into(name, node.value, node)
        return []

    def _If(self, node: Any) -> None:
        test = self._expressions.test(node.test, node)
        self._work.emit(at(gast.If(test, self.block(node.body), self.block(node.orelse)), node))

    def _While(self, node: Any) -> None:
        self._work.emit(at(gast.While(node.test, self.block(node.body), []), node))

    def _For(self, node: Any) -> None:
        if self._varies.of(node.iter):
            node.iter = self._expressions.containers.as_list(node.iter, through=False)
            if self._grows(node):
                made = growing_loop(node, self._namer)
                self._work.carried.add(made[0].targets[0].id)
                self._take(made)
                return
            outer, self._loop = self._loop, node
            unclear = getattr(node.iter, "id", None) in self._work.asked & self._work.dicts
            if not found_in(gast.Module(node.body, []), gast.Break):
                self._loosen(node.iter)
            loop = None if unclear else self._over_elements(node) or self._loops.rewritten(node)
            self._loop = outer
            if loop is None:
                self._refusals.add(
                    node.iter,
                    "a loop over this iterable is not differentiated by source",
                    "loop over `range(len(x))` and index",
                )
                return
            self._spread(loop.body[: len(loop.body) - len(node.body)])  # what binds its names
            node = loop
            self._varies.names.difference_update(names_bound(node.target))
            if self._varies.of(node.iter):  # the keys of a dict
                body = self.block(node.body)
                self._work.emit(at(gast.For(node.target, node.iter, body, [], None), node))
                return
        node.iter = self._expressions.iterable(self._loops.counted_down(node.iter), node)
        body = self.block(node.body)
        self._work.emit(at(gast.For(node.target, node.iter, body, [], None), node))

    def _over_elements(self, loop: Any) -> Any | None:
        """Return a loop over the indices of an array, for one over `np.ndenumerate`."""
        func = getattr(loop.iter, "func", None)
        known = self._reader.scope.resolve(func) is np.ndenumerate
        if not known or not isinstance(func, gast.Attribute) or len(loop.iter.args) != 1:
            return None
        (array,) = loop.iter.args
        if not self._work.is_array(array):
            array = at(gast.Call(attribute(clone(func.value), "asarray"), [array], []), loop.iter)
        return element_loop(loop, func.value, self._simple(array))

    def _grows(self, loop: Any) -> bool:
        """Say whether the body of a loop changes the list that it runs over."""
        name = getattr(loop.iter, "id", None)
        if name not in self._work.changing or name in self._work.dicts:
            return False
        inner = [node for statement in loop.body for node in walk(statement)]
        return any(_changes(node) and node.value.id == name for node in inner)

    def _spread(self, nodes: list[Any]) -> None:
        """Follow what varies into comprehensions that were made for a loop."""
        made = [value for node in nodes for value in found_in(node, gast.ListComp)]
        self._varies.spread([gast.Expr(value) for value in made])

    def _simple(self, value: Any) -> Any:
        """Return a name of what a loop runs over that the loop does not bind anew."""
        loop = self._loop
        self._spread([value])
        sequence = self._expressions.atom(value, loop)
        if getattr(sequence, "id", None) not in bound_names([loop]):
            return sequence
        return self._work.keep("items", sequence, loop)

    def _loosen(self, iterable: Any) -> None:
        """Compare the lengths of what a loop zips strictly, as one that a comprehension was."""
        callee = self._work.reader.scope.resolve(getattr(iterable, "func", None))
        if callee is enumerate and iterable.args:
            self._loosen(iterable.args[0])
        starred = any(isinstance(item, gast.Starred) for item in getattr(iterable, "args", ()))
        if callee is zip and is_strict(iterable) and len(iterable.args) > 1 and not starred:
            iterable.args = [self._simple(item) for item in iterable.args]
            self._take([at(loosened(iterable), iterable)])

    def _is_dict(self, node: Any) -> bool:
        """Say whether a loop runs over the keys of a dict, which have no positions."""
        loop = self._loop
        keys = set(names_bound(loop.target))
        if self._work.reader.scope.resolve(getattr(loop.iter, "func", None)) is enumerate:
            keys -= set(names_bound(loop.target)[:1])  # that is a number
        return node.id in self._work.dicts | self._work.unordered or any(
            isinstance(item, gast.Subscript)
            and getattr(item.value, "id", None) == node.id
            and getattr(item.slice, "id", "") in keys
            for statement in loop.body
            for item in walk(statement)
        )


def _is_normal(made: list[Any], before: Any) -> bool:
    """Say whether the only statement is a change on names, or what it was `before`."""
    change = change_of(made[0]) if len(made) == 1 else None
    if change is None:
        return False
    return isinstance(change.value, (gast.Name, gast.Constant)) or is_same(made[0].value, before)


def _is_plain_key(key: Any) -> bool:
    """Say whether what is put into a set is a name, or a tuple of names."""
    parts = key.elts if isinstance(key, gast.Tuple) else [key]
    return all(isinstance(part, (gast.Name, gast.Constant)) for part in parts)


def _changes(node: Any) -> bool:
    """Say whether a node is ``xs.append`` or the like, with a name for `xs`."""
    return (
        isinstance(node, gast.Attribute)
        and isinstance(node.value, gast.Name)
        and node.attr in SHAPERS
    )


def _asked(node: Any) -> list[str]:
    """Return the names that are asked for their type by ``isinstance(x, ...)`` or the like."""
    asks = isinstance(node, gast.Call) and getattr(node.func, "id", "") in _QUESTIONS
    names = [item.id for item in node.args[:1] if isinstance(item, gast.Name)] if asks else []
    return [*names, *(f"{name}_dot" for name in names)]  # its tangent, in generated text
