"""Writes generators that are used up where they are called as functions that return a list."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Hashable, Mapping
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from srcgrad.backends.compat import is_of_compat, tells_namespace
from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.expand.list_makers import (
    NEW,
    Taken,
    calls_itself,
    ends_by_itself,
    list_maker,
    stores,
)
from srcgrad.frontend.expand.lookup import WithItself
from srcgrad.frontend.expand.order import evaluated_first, place
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.scoping import (
    free_names,
    parameters,
    renamed_in,
)
from srcgrad.frontend.expand.values import (
    Code,
    Known,
    Local,
    Method,
    Object,
    Static,
    Value,
    class_of,
)
from srcgrad.frontend.expand.yielding import (
    leaves,
    may_run_through,
    returns_in_place,
    run_through,
    with_breaks,
)
from srcgrad.frontend.libraries import gives_module, scopes_with_libraries
from srcgrad.frontend.library_generators import generator_for, is_library_generator
from srcgrad.frontend.looking import is_harmless
from srcgrad.frontend.source import has_source
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, method
from srcgrad.ir.packages import package_of
from srcgrad.ir.program import header_of
from srcgrad.ir.scopes import MISSING, Scope, scope_of
from srcgrad.ir.walk import found_in, names_bound, names_read, root_name, walk
from srcgrad.runtime.objects import is_plain_class

if TYPE_CHECKING:
    from srcgrad.frontend.expand.interpreter import Interpreter

_USERS: Final = (sum, list, tuple, max, min, sorted, set, dict)
_LAZY: Final = (map, filter, zip, enumerate, reversed)
_COMPREHENSIONS: Final = (gast.ListComp, gast.SetComp, gast.DictComp)
_HEADED: Final = (
    *(gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Return, gast.Expr, gast.If, gast.While),
    gast.For,
)
_TAKING: Final = (
    *(gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp, gast.Starred, gast.Call),
    *(gast.comprehension, gast.Lambda),
)
_CHANGING: Final = (gast.AugAssign, gast.Nonlocal, gast.Global, gast.Delete, gast.NamedExpr)


class Generators(Part):
    """The part of the expansion that deals with calls of generators.

    A generator runs while its values are used. Where all of them are used at once, as in
    ``sum(steps(x))`` and ``[v * v for v in steps(x)]``, and neither side changes what the other
    sees, they may as well be made first.
    """

    def __init__(self, frame: Interpreter) -> None:
        super().__init__(frame)
        self._used_up: set[Any] = set()
        self._looped_over: set[Any] = set()

    def use_up(self, statement: Any) -> None:
        """Let the generators that a statement uses up be functions that return lists, or loops."""
        simple = isinstance(statement, (gast.Assign, gast.Return, gast.Expr))
        if simple and self.frame.hoistable and statement.value is not None:
            self._open_objects(statement)
        if isinstance(statement, _HEADED):
            self._make_lists(statement)
        if simple and self.frame.hoistable:
            self._write_out(statement)

    def _open_objects(self, statement: Any) -> None:
        """Let a statement run through what the `__iter__` of an object returns."""
        iterated = self.frame.iterating.iterated
        if isinstance(statement, gast.Assign) and _takes_apart(statement):
            statement.value = iterated(statement.value)
            return
        for node in evaluated_first(statement.value, self.frame.may_wait):
            if isinstance(node, gast.Call):
                node.args = iterated(node).args if self.frame.iterating.runs(node) else node.args
            elif isinstance(node, (gast.ListComp, gast.GeneratorExp)):
                node.generators[0].iter = iterated(node.generators[0].iter)

    def _write_out(self, statement: Any) -> None:
        """Write the sum or list of what a generator yields as a loop, where it is evaluated first.

        The generator then runs in turn with what is done with its values.
        """
        first = evaluated_first(statement.value, self.frame.may_wait)
        for node in first if statement.value is not None else ():
            sums = isinstance(node, gast.Call) and self._plain_callee(node) is sum
            alone = sums and len(node.args) == 1 and not node.keywords
            made = node.args[0] if alone else node
            kinds = (gast.ListComp, gast.GeneratorExp) if alone else gast.ListComp
            if not isinstance(made, kinds) or len(made.generators) > 1:
                continue
            (part,) = made.generators
            if not isinstance(part.iter, gast.Call):
                continue
            code, _ = self.generator(self.called(part.iter))
            if code is None or found_in(made, gast.NamedExpr) or not self.frame.varies(made):
                continue
            own = {name: self.frame.variable(name) for name in names_bound(part.target)}
            held = self.frame.variable("total" if alone else "items")
            put: Any = at(gast.Expr(method(load(held), "append", renamed_in(made.elt, own))), node)
            if alone:
                put = assign(held, gast.BinOp(load(held), gast.Add(), renamed_in(made.elt, own)))
            for test in reversed(part.ifs):
                put = at(gast.If(renamed_in(test, own), [at(put, node)], []), node)
            target = renamed_in(part.target, own)
            loop = at(gast.For(target, part.iter, [at(put, node)], [], None), node)
            empty = gast.Constant(0, None) if alone else gast.List([], gast.Load())
            self.frame.out.append(assign(held, at(empty, node), node))
            self.frame.statement(loop)
            self._put(statement, node, load(held))
            return

    def _put(self, statement: Any, node: Any, value: Any) -> None:
        """Put an expression in the place of another one in a statement."""
        for parent in walk(statement):
            for name, part in gast.iter_fields(parent):
                if part is node:
                    setattr(parent, name, at(value, node))
                elif isinstance(part, list):
                    part[:] = [at(value, node) if item is node else item for item in part]

    def _make_lists(self, statement: Any) -> None:
        parts = [part for part in header_of(statement) if part is not None]
        nodes = [node for part in parts for node in found_in(part, *_TAKING)]
        self._note_used_up(statement, nodes)
        used = [pair for node in nodes for pair in self._used_up_by(node)]
        if isinstance(statement, gast.Assign) and _takes_apart(statement):
            used.append((statement.value, "all"))
        calls = [pair for made, taken in used for pair in self._calls_in(made, taken)]
        if not calls:
            return
        hidden: set[str] = set()
        for node in nodes:
            if isinstance(node, gast.comprehension):  # there the names mean something else
                hidden.update(names_bound(node.target))
            elif isinstance(node, gast.Lambda):
                hidden.update(parameters(node.args))
        for made, taken in calls:
            if hidden.isdisjoint(names_read(made.func)):
                self._make_list(made, taken)

    def _calls_in(self, made: Any, taken: Taken) -> list[tuple[Any, Taken]]:
        """Return the calls that something goes through: itself, or those that it numbers or zips.

        The others of a `zip` may end first: then not all values are taken, and what is made before
        has to end by itself.
        """
        if not isinstance(made, gast.Call):
            return []
        callee = self._plain_callee(made)
        if callee is map and len(made.args) == len(("function", "values")):
            plain = self._calls_nothing_else(made.args[0])
            return self._calls_in(made.args[1], taken) if plain else []
        if callee not in (zip, enumerate) or any(k.arg != "strict" for k in made.keywords):
            return [(made, taken)]
        calls = [item for item in made.args if isinstance(item, gast.Call)]
        if callee is enumerate:
            return [(item, taken) for item in calls]
        return [(item, "each" if taken == "each" else "") for item in calls if self._ends(item)]

    def _ends(self, call: Any) -> bool:
        callee = self.called(call)
        code, _ = self.generator(callee)
        owner = class_of(callee.owner) if isinstance(callee, Method) else None
        return code is not None and ends_by_itself(code, owner)

    def _note_used_up(self, statement: Any, nodes: list[Any]) -> None:
        """Note what a statement goes through once where it is made, and what its loop does."""
        looped = [statement.iter] if isinstance(statement, gast.For) else []
        used = [node.value for node in nodes if isinstance(node, gast.Starred)]
        used += [node.iter for node in nodes if isinstance(node, gast.comprehension)]
        for node in nodes:
            if isinstance(node, gast.Call):
                user = self._plain_callee(node)
                if any(user is item for item in (*_USERS, any, all, functools.reduce)):
                    used += node.args
        if isinstance(statement, gast.Assign) and _takes_apart(statement):
            used.append(statement.value)
        for found, noted in ((looped, self._looped_over), (used, self._used_up)):
            waiting = list(found)
            while waiting:  # each with what it goes through itself
                node = waiting.pop()
                if isinstance(node, gast.Call):
                    noted.add(place(node))
                    waiting.extend(node.args if self._plain_callee(node) in _LAZY else [])

    def _plain_callee(self, call: Any) -> Any:
        """Return the function that a name calls, if it is known; None of all others."""
        named = isinstance(call.func, gast.Name) or getattr(call.func, "attr", "") == "reduce"
        known = self.frame.looked_at(call.func) if named else None
        value = known.value if isinstance(known, Known) else None
        return value if isinstance(value, Hashable) else None

    def is_used_up(self, node: Any) -> bool:
        """Say whether a call is surely gone through once, where it stands."""
        return place(node) in self._used_up or self.is_looped_over(node)

    def is_looped_over(self, node: Any) -> bool:
        """Say whether a call is gone through by a loop, trip by trip."""
        return place(node) in self._looped_over

    def run_through(self, node: Any) -> bool:
        """Run a generator in the place of a loop over it; say whether that may be done.

        This is what Python does: the loop's body runs wherever the generator yields a value.
        """
        call, start = node.iter, None
        if self._is_enumerate(call) and isinstance(call.args[0], gast.Call):
            start = call.args[1] if len(call.args) > 1 else gast.Constant(0, None)
            call = call.args[0]
        if not isinstance(call, gast.Call) or (start is not None and not _is_pair(node.target)):
            return False
        callee = self.called(call)
        code, captured = self.generator(callee)
        if (
            code is None
            or not self.frame.hoistable
            or any(code.tree is item for item in self.frame.inlined)
        ):
            return False
        if calls_itself(code.tree):
            if self._is_apart(call, code, node.body):
                self._make_list(call)
            return False
        returned = self._returned(node, code.tree)
        if not may_run_through(code.tree, node.body) or (node.orelse and leaves(node.body)):
            return False
        bound = self.arguments_of(callee, call)
        if bound is None:
            return False
        counter = ""
        if start is not None:
            counter = self.frame.variable("count")
            self.frame.out.append(assign(counter, self.frame.expression(start), node))

        def put(tree: Any) -> None:
            run_through(tree, node.target, node.body, counter)

        self.frame.placing.inline(code, bound, captured, call, put)
        for statement in [*node.orelse, *returned]:
            self.frame.statement(statement)
        return True

    def _is_apart(self, call: Any, code: Code, body: list[Any]) -> bool:
        """Say whether a loop is run to its end, and writes into nothing that a generator reads."""
        nodes = [node for line in body for node in walk(line)]
        if leaves(body) or any(isinstance(node, gast.Return) for node in nodes):
            return False
        places = [node for node in nodes if stores(node)]
        places += [node.target for node in nodes if isinstance(node, gast.AugAssign)]
        places += [node.value for node in nodes if isinstance(node, gast.Expr)]  # a method's owner
        read = {*names_read(call), *free_names(code.tree)}
        return all(_root(place) not in {None, *read} for place in places)

    def _returned(self, loop: Any, tree: Any) -> list[Any]:
        """Let a loop over a generator that returns break instead; return what returns after it."""
        if loop.orelse or not returns_in_place(loop.body):
            return []
        body, left, value = clone(loop.body), self.frame.fresh("left"), self.frame.fresh("result")
        with_breaks(body, left, value)
        if not may_run_through(tree, body):
            return []
        for name in (left, value):
            self.frame.own.add(name)
            self.frame.varying.add(name)
        self.frame.result_variables.add(value)
        loop.body = body
        self.frame.out.append(assign(left, gast.Constant(False, None), loop))
        return [at(gast.If(load(left), [at(gast.Return(load(value)), loop)], []), loop)]

    def _is_enumerate(self, node: Any) -> bool:
        if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Name):
            return False
        known = self.frame.look(node.func.id)
        plain = bool(node.args) and not node.keywords
        return plain and isinstance(known, Known) and known.value is enumerate

    def called(self, call: Any) -> Value:
        """Return what a call calls: of a library's generators those of ours that do the same."""
        self._name_owner(call.func)
        callee = self.frame.looked_at(call.func)
        if isinstance(callee, Known):
            own = generator_for(callee.value, call)
            return callee if own is None else Known(own)
        return callee

    def _name_owner(self, func: Any) -> None:
        """Give an object a name where a method is called of a new one, so that it is made once."""
        made = func.value if isinstance(func, gast.Attribute) else None
        if not isinstance(made, gast.Call) or not self.frame.hoistable:
            return
        known = self.frame.looked_at(made.func)
        if not isinstance(known, Known) or not isinstance(known.value, type):
            return
        if is_plain_class(known.value):
            owner = self.frame.value(made)
            named = isinstance(owner, Object)
            func.value = self.frame.named(owner) if named else self.frame.plain(owner, made)

    def generator(self, callee: Value) -> tuple[Code | None, Mapping[str, Any]]:
        """Return the definition of a generator of the user's, and what it closes over."""
        if isinstance(callee, Method):
            return self.generator(callee.function)
        if isinstance(callee, Local):
            yields = found_in(callee.code.tree, gast.Yield, gast.YieldFrom)
            return (callee.code if yields else None), callee.captured
        function = callee.value if isinstance(callee, Known) else None
        if not isinstance(function, FunctionType) or not inspect.isgeneratorfunction(function):
            return None, {}
        foreign = package_of(function) in ("numpy", "scipy", "srcgrad")
        if foreign and not is_library_generator(function):
            return None, {}
        return (self.session.code(function) if has_source(function) else None), {}

    def arguments_of(self, callee: Value, call: Any) -> dict[str, Value] | None:
        """Return the values of the parameters of a generator that is called."""
        given = self.frame.given.evaluated(call, callee)
        args, keywords = given.args, given.keywords
        if args is None or keywords is None:
            return None
        if isinstance(callee, Method):
            callee, args = callee.function, [callee.owner, *args]
        if isinstance(callee, Local):
            return self.frame.calls.bound_tree(
                callee.code.tree, args, keywords, dict(callee.defaults), call
            )
        return self.frame.calls.bound_to(callee.value, args, keywords, call)

    def _used_up_by(self, node: Any) -> list[tuple[Any, Taken]]:
        """Return what a comprehension, a star or a call as of `sum` takes values of, and how."""
        if isinstance(node, _COMPREHENSIONS):
            return [(self._taken_by(node), _way_of(node))]
        if isinstance(node, gast.Starred):
            lazy = isinstance(node.value, gast.GeneratorExp)
            taken = (self._taken_by(node.value), _way_of(node.value)) if lazy else None
            return [taken or (node.value, "all")]
        if not isinstance(node, gast.Call) or not node.args or node.keywords:
            return []
        named = isinstance(node.func, gast.Name) or getattr(node.func, "attr", "") == "reduce"
        user = self.frame.looked_at(node.func) if named else None
        if isinstance(user, Known) and user.value is functools.reduce:
            return [(made, "") for made in node.args[1:2]]
        if not isinstance(user, Known) or not any(user.value is item for item in _USERS):
            return []
        first = node.args[0]
        if isinstance(first, gast.GeneratorExp):
            return [(self._taken_by(first), _way_of(first))]
        return [(first, "each" if user.value in (sum, max, min) else "all")]

    def _taken_by(self, comprehension: Any) -> Any:
        """Return what a comprehension runs over, if what it does with that changes nothing."""
        first, *others = comprehension.generators
        names = ("elt", "key", "value")
        parts = [getattr(comprehension, name) for name in names if hasattr(comprehension, name)]
        parts += [*first.ifs, *others]
        known = {*self.frame.own, *self.frame.env, *names_bound(first.target)}
        scope = scope_of(self.frame.code.source.function, self.frame.code.tree)
        scope = replace(scope, local=scope.local | known)
        for node in [node for part in parts for node in walk(part)]:
            writes = isinstance(node, gast.Call) and not is_harmless(
                node, scope, self.session.vocabulary
            )
            if writes or isinstance(node, gast.NamedExpr):
                return None
        return first.iter

    def _make_list(self, call: Any, taken: Taken = "") -> None:
        """Let a call of a generator be one of a function that returns the list of its values."""
        callee = self.called(call)
        code, captured = self.generator(callee)
        if code is None:
            return
        if isinstance(callee, Known) and is_library_generator(callee.value):
            given = [*call.args, *(item.value for item in call.keywords)]
            tree = list_maker(code.tree) if all(map(self._calls_nothing_else, given)) else None
        else:
            tree = self._maker(code, captured, taken)
        if tree is None:
            return
        function = callee.function if isinstance(callee, Method) else callee
        defaults = dict(function.defaults) if isinstance(function, Local) else {}
        if isinstance(function, Known):
            defaults = self.frame.calls.defaults_of(function.value, tree.name)
        own: Any = WithItself(captured, tree.name) if calls_itself(code.tree) else captured
        made: Static = Local(replace(code, tree=tree), own, defaults)
        if isinstance(own, WithItself):
            own.itself = made
        if isinstance(callee, Method):
            made = Method(made, callee.owner)
        name = self.frame.fresh(tree.name)
        self.frame.env[name] = made
        call.func = at(load(name), call.func)
        self.frame.changed = True

    def _calls_nothing_else(self, given: Any) -> bool:
        """Say whether what a library's generator is given changes nothing if it is called there."""
        scope = scope_of(self.frame.code.source.function, self.frame.code.tree)
        calls = [gast.Call(given, [load("_"), load("_")], [])]
        inner = given if isinstance(given, gast.Lambda) else None
        if inner is None and scope.resolve(given) is MISSING:
            known = self.frame.look(given.id) if isinstance(given, gast.Name) else None
            if not isinstance(known, Static):
                return True  # it is a value
            inner = known.code.tree if isinstance(known, Local) else None
        if inner is not None:
            nodes = list(walk(inner))
            if any(stores(node) or isinstance(node, _CHANGING) for node in nodes):
                return False
            scope = replace(scope, local=scope.local | set(parameters(inner.args)))
            calls = [node for node in nodes if isinstance(node, gast.Call)]
        return all(is_harmless(item, scope, self.session.vocabulary) for item in calls)

    def _maker(self, code: Code, captured: Mapping[str, Any], taken: Taken) -> Any:
        """Return the definition that makes the list of what a generator yields, if it may.

        One that may be used wherever the values are taken in any way comes first.
        """
        kept, key = self.session.list_makers, (id(code.tree), taken)
        made = self._maker(code, captured, "") if taken else None
        if made is not None:
            return made
        if key not in kept and not found_in(code.tree, gast.Yield):
            kept[key] = (None, code.tree)
        if key not in kept:
            outer = {name for name in free_names(code.tree) if captured.get(name) is not None}
            scope = scope_of(code.source.function, code.tree)
            scope = replace(scope, local=scope.local | outer)
            calls = found_in(gast.Module(code.tree.body, []), gast.Call)
            plain = all(
                self._is_harmless(item, known)
                for known in scopes_with_libraries(scope, code.tree)
                for item in calls
                if not (calls_itself(code.tree) and getattr(item.func, "id", "") == code.tree.name)
            )
            kept[key] = (list_maker(code.tree, taken) if plain else None, code.tree)
        return kept[key][0]

    def _is_harmless(self, call: Any, scope: Scope) -> bool:
        """Say whether a call changes nothing: it may ask which library arrays are of."""
        vocabulary = self.session.vocabulary
        if is_harmless(call, scope, vocabulary):
            return True
        callee = scope.resolve(call.func)
        if tells_namespace(callee) or callee is getattr or callee is hasattr:
            return True
        known = isinstance(callee, FunctionType) and is_of_compat(callee.__module__)
        return (known or gives_module(call, scope)) and not written_parameters(callee, vocabulary)


def _way_of(comprehension: Any) -> Taken:
    """Return how a comprehension takes values: it may keep them, unless what it makes is new."""
    return "each" if isinstance(getattr(comprehension, "elt", None), NEW) else ""


def _takes_apart(statement: Any) -> bool:
    """Say whether an assignment binds several names to the parts of a value."""
    return isinstance(statement.targets[0], (gast.Tuple, gast.List))


def _root(place: Any) -> str | None:
    """Return the name of what is written into, also by a call of its method; or None."""
    if isinstance(place, gast.Call):
        place = place.func if isinstance(place.func, gast.Attribute) else None
    return None if place is None else root_name(place)


def _is_pair(target: Any) -> bool:
    return isinstance(target, gast.Tuple) and len(target.elts) == len(("number", "value"))
