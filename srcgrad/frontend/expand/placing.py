"""Makes a function of its own of a definition that is called, or puts its statements in place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import CellType, FunctionType
from typing import Any, Final, NoReturn

from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.expand.binding import axes_given, count_reads, numbers_given
from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.holding import binds_attributes
from srcgrad.frontend.expand.lifting import Lifting, NotLiftedError
from srcgrad.frontend.expand.making import definition, make_function
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.plain_values import asks_of_classes
from srcgrad.frontend.expand.scoping import (
    all_names,
    assigned_names,
    free_names,
    nonlocals,
    own_names,
    parameters,
    renamed,
    spread,
)
from srcgrad.frontend.expand.session import Placed, is_empty
from srcgrad.frontend.expand.values import (
    Code,
    Items,
    Known,
    Local,
    Object,
    Recorded,
    Static,
    Value,
    is_literal,
    is_literal_tuple,
    is_negative,
)
from srcgrad.frontend.long_loops import mark_repeated
from srcgrad.frontend.normalize.returns import single_exit
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.source import find_source
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load
from srcgrad.ir.names import Namer, bare
from srcgrad.ir.origins import note_foreign
from srcgrad.ir.walk import (
    found_in,
    names_bound,
    names_read,
    root_name,
    statements,
    walk,
    without_docstring,
)

Bound = dict[str, Value]

_MOST_NESTED: Final = 32
_ATOMS: Final = (gast.Name, gast.Constant)


class Placing(Part):
    """The part of the expansion that deals with definitions that are called."""

    def call_code(self, code: Code, name: str, bound: Bound, captured: Any, node: Any) -> Value:
        """Call a definition: as a function of its own if it can be one, else in place."""
        if not nonlocals(code.tree):
            try:
                return self.specialised(code, name, bound, captured, node)
            except NeedsInlineError:
                pass
        return self.call_in_place(code, name, bound, captured, node)

    def call_in_place(self, code: Code, name: str, bound: Bound, captured: Any, node: Any) -> Value:
        """Put a definition in the place of its call.

        Raises:
            UnsupportedSyntaxError: The call may not be evaluated, or is inside of the definition.
        """
        inside = any(code.tree is item for item in self.frame.inlined)
        if self.frame.comprehensions:
            self.session.records.leak(*bound.values())
        if not self.frame.hoistable and not inside:
            self.frame.open_next_time()
            self.frame.take_apart_once(node)
        if not self.frame.hoistable or inside:
            self.frame.refuse(
                node,
                f"`{name}`, which changes its caller's variables or returns a function",
                "call it in a statement of its own",
            )
        return self.inline(code, bound, captured, node)

    # -- a function of its own

    def specialised(
        self,
        code: Code,
        name: str,
        bound: Bound,
        captured: Any,
        node: Any,
        *,
        every: bool = False,
    ) -> Value:
        """Return a call of a function that is made of a definition.

        It takes the parameters that are used, or `every` one, then what the definition closes over.
        """
        name = bare(name) or name if name.startswith("__") else name
        lifting = Lifting(
            set(all_names(code.tree)), self.frame.fields.fields_of, self.session.assume
        )
        try:
            env, key = self._lifted(code, bound, captured, lifting)
        except NotLiftedError as wish:
            self.frame.refuse(
                node,
                f"`{wish}`, which may be one function or object or another, and is handed on",
                "use it in each of the branches that bind it",
            )
        lifted = list(lifting.parameters)
        plain = [p for p, value in bound.items() if p not in env]
        told = (code.repeated, every)
        asking = not code.names.every.isdisjoint(("isinstance", "callable"))
        asks = asking and asks_of_classes(code.tree, code.home.globals)
        sure = tuple(p for p in plain if asks and self.frame.plain_values.of(bound[p]))
        passed = zip([*plain, *lifted], [*map(bound.get, plain), *lifting.arguments], strict=True)
        there = tuple(code.asked.concern(p) and self.frame.is_something(v) for p, v in passed)
        which = tuple(plain), told, there, sure
        full = (id(code.tree), id(code.home.globals), name, tuple(key), *which)
        if full not in self.session.made:
            self._refuse_endless(code, name, node)
            self._make(full, code, name, [*plain, *lifted], env, len(plain) if every else 0)
        cell, kept = self.session.made[full]
        given = [*[self.frame.plain(bound[p], node) for p in plain], *lifting.arguments]
        if full in self.session.answers and all(isinstance(v, _ATOMS) for v in given):
            return clone(self.session.answers[full])
        if is_empty(cell):
            self.session.recursive.add(id(cell))
        self.frame.changed = True
        func = load(self.frame.cell_name(name, cell))
        args = [given[place] for place in kept]
        call = at(gast.Call(func, [clone(item) for item in args], []), node)
        return self.frame.record_calls.result(code, env, call)

    def _refuse_endless(self, code: Code, name: str, node: Any) -> None:
        """Refuse a recursion whose every call has other functions or tuples as its arguments."""
        if self.session.pending(code) >= _MOST_NESTED:
            self.frame.refuse(
                node,
                f"`{name}`, which calls itself with ever new functions or tuples",
                "write it as a loop",
            )

    def _lifted(
        self, code: Code, bound: Bound, captured: Any, lifting: Lifting
    ) -> tuple[Bound, list[Any]]:
        env: Bound = {}
        key: list[Any] = []
        for name in free_names(code.tree):
            found = captured.get(name)
            if found is not None:
                if getattr(found, "id", None) == name:
                    lifting._taken.discard(name)  # noqa: SLF001 - the free name gets its meaning
                env[name], part = lifting.lift(found, name)
                key.append((name, part))
        told = axes_given(code.tree, bound)
        if not self.session.may_recur(code, captured):
            told |= numbers_given(code.tree, bound)
        for name, value in bound.items():
            known = isinstance(value, Static) or is_literal(value) or is_literal_tuple(value)
            if known or name in told:
                env[name], part = lifting.lift(value, name)
                key.append((name, part))
        for starred in (code.tree.args.vararg, code.tree.args.kwarg):
            if starred is not None:
                env[starred.id].lent = False  # the call itself makes it
        return env, key

    def _make(
        self, key: Any, code: Code, name: str, params: list[str], env: Bound, first: int
    ) -> None:
        """Make the function of a definition for one pattern of static values.

        Of its parameters the `first` ones stay, the others if they are used.
        """
        cell = CellType()
        self.session.made[key] = (cell, list(range(len(params))))
        self.session.kept.append((code, env))
        inner = self.frame.another(code, env)
        inner.own.update(params)
        given = {*env, *params}
        inner.taken.update(params)
        inner.varying.update(params)
        inner.plain_values.take(code.tree, key[-1])
        inner.lent = set(params)
        inner.present = {p for p, is_there in zip(params, key[-2], strict=False) if is_there}
        inner.receivers = [(code.owner, env.get(next(iter(parameters(code.tree.args)), ""), None))]
        try:
            body = inner.statements.function_body(clone(code.tree.body))
            inner.refuse_lost_names(body, given)
            inner.record_names.refuse_mistaken(code.tree)
        except BaseException:
            del self.session.made[key]
            raise
        done = without_docstring(body)
        if len(done) == 1 and isinstance(done[0], gast.Return) and is_literal(done[0].value):
            self.session.answers[key] = done[0].value
        if id(cell) not in self.session.recursive:
            used = {item for line in body for item in names_read(line)}
            used |= {name for s in statements(body) for name in _assigned(s)}
            used.update([*parameters(code.tree.args), *params[:first]])
            self.session.made[key] = (cell, [i for i, p in enumerate(params) if p in used])
            params = [p for p in params if p in used]
        tree = definition(name, params, body, code.tree)
        temporaries, results = frozenset(inner.temporaries), frozenset(inner.result_variables)
        made = make_function(tree, inner.home, code.source, temporaries, (), results)
        cell.cell_contents = made
        if code.repeated:
            mark_repeated(cell.cell_contents)

    def made_function(self, function: Static, count: int, node: Any) -> tuple[Any, list[Any]]:
        """Return a function of `count` arguments as one that closes over nothing.

        With it come the variables that it takes after those arguments instead.
        """
        if isinstance(function, Local) and found_in(function.code.tree, gast.Nonlocal):
            self._refuse_effects(node)
        if isinstance(function, Local) and takes(function, count):
            code, captured = function.code, function.captured
            names = parameters(code.tree.args)
        else:
            names = [self.frame.fresh("argument") for _ in range(count)]
            callee = self.frame.fresh("function")
            call = gast.Call(load(callee), [load(name) for name in names], [])
            tree = definition("residual", names, [at(gast.Return(call), node)], node)
            code = Code(tree, self.frame.home, self.frame.code.source, self.frame.code.owner)
            captured = {callee: function}
            self.session.kept.append(code)
        bound: Bound = {name: load(name) for name in names}
        made = self.specialised(code, code.tree.name, bound, captured, node, every=True)
        own = self.frame.meaning(made.func.id)
        if isinstance(own, FunctionType):
            written = written_parameters(own, self.session.vocabulary)
            if not written.isdisjoint(parameters(find_source(own).tree.args)[count:]):
                self._refuse_effects(node)
        return made.func, made.args[count:]

    def _refuse_effects(self, node: Any) -> NoReturn:
        """Refuse to let a solver call what changes more than it returns, as often as it likes."""
        what = "a function that changes what its caller holds, which a solver calls,"
        self.frame.refuse(node, what, "return what it changes")

    # -- in place

    def inline(
        self,
        code: Code,
        bound: Bound,
        captured: Any,
        node: Any,
        rewrite: Callable[[Any], None] | None = None,
    ) -> Value:
        """Put the statements of a definition before the statement; return its value.

        `rewrite` is what is done to the definition once its names are those of this function.
        """
        before, own, start = set(self.frame.env), set(self.frame.own), len(self.frame.out)
        outer, is_first = (self.frame.first, self.frame.ordered), self.frame.is_first(node)
        fresh = self._meanings(code, captured, node)
        hidden = {name for name in fresh if fresh[name] in self.frame.env}
        tree = self._put_in_place(code.tree, fresh)
        if rewrite is not None:
            rewrite(tree)
        name = "a lambda" if code.tree.name == "function" else code.tree.name
        self.session.placed.append(
            Placed(name, self.frame.code.source.file, getattr(node, "lineno", 0) or 0)
        )
        if code.source.file != self.frame.code.source.file:
            for item in walk(tree):
                note_foreign(item, code.source.file, code.source.line)
                at(item, node)
        self.frame.plain_values.take(tree)
        self._bind_parameters(code, tree, bound, fresh, node)
        given = {fresh[name] for name, value in bound.items() if self.frame.varies(value)}
        self.frame.varying |= spread(tree, given | self.frame.varying.intersection(all_names(tree)))
        mine = [new for old, new in fresh.items() if old not in hidden and not captured.get(old)]
        self.frame.own.update(name for name in mine if name not in self.frame.env)
        self.frame.locals |= {fresh[n] for n in assigned_names(code.tree) & fresh.keys()} - {
            *self.frame.env
        }
        self.frame.starred = self.frame.starred | {fresh.get(n, n) for n in code.names.starred}
        self.frame.rewritten = self.frame.rewritten | {
            fresh.get(n, n) for n in code.names.rewritten
        }
        self.frame.inlined.append(code.tree)
        self.frame.running.append(tree)
        receiver = next(iter(parameters(code.tree.args)), "")
        self.frame.receivers.append((code.owner, bound.get(receiver)))
        self.frame.changed = True
        try:
            result = self.frame.statements.run(tree.body)
        finally:
            self.frame.inlined.pop()
            self.frame.running.pop()
            self.frame.receivers.pop()
            self.frame.first, self.frame.ordered = outer
        if not is_first and self.changes(self.frame.out[start:], own):
            self.frame.refuse_order(node)
        if not makes_functions(tree):  # else a closure may still read its parameters
            for name in set(fresh.values()) & set(self.frame.env):
                if isinstance(self.frame.env[name], Object) and name not in before:
                    del self.frame.env[name]
        return gast.Constant(None, None) if result is None else result

    def _put_in_place(self, tree: Any, fresh: dict[str, str]) -> Any:
        """Return a copy of a definition with its own names made new; they are noted in `fresh`."""
        for name in sorted(own_names(tree)):
            fresh.setdefault(name, self.frame.fresh(name))
        return renamed(tree, fresh)

    def with_one_exit(self, body: list[Any]) -> list[Any]:
        """Return the rest of a definition that is put in place, which returns at its end alone."""
        if not self.frame.begins:  # where more may be known of the arguments, and of tests
            raise NeedsInlineError
        namer, refusals = Namer(self.frame.taken), Refusals(self.frame.code.source)
        tree = definition("rest", [], body, body[0])
        made = single_exit(tree, namer, refusals)
        if refusals.found:
            raise NeedsInlineError
        self.frame.taken |= namer.made
        self.frame.own |= namer.made
        self.frame.varying.update(made.results)
        self.frame.result_variables.update(made.results)
        self.frame.changed = True
        return list(made.tree.body)

    def _meanings(self, code: Code, captured: Any, node: Any) -> dict[str, str]:
        """Return the names that the free names of a definition have in this function."""
        fresh: dict[str, str] = {}
        named = [item for line in code.tree.body for item in found_in(line, gast.Name)]
        lost = nonlocals(code.tree) & {v.id for v in named if not isinstance(v.ctx, gast.Load)}
        for name in free_names(code.tree):
            found = captured.get(name)
            outside = found is None
            if outside:
                if name in lost:
                    fresh[name] = self.frame.held_names.bound_outside(name, code.home, node)
                    continue
                found = self.frame.lookup.foreign(name, code.home, node)
            if isinstance(found, gast.Name):
                fresh[name] = found.id
                if outside:
                    self.frame.free.add(found.id)
                if name in lost and found.id in self.frame.lent:
                    raise NeedsInlineError
            elif name in lost and getattr(captured, "frame", None) is self.frame:
                fresh[name] = name  # which is bound anew here, also if it is known what it means
            else:
                fresh[name] = self.frame.fresh(name)
                self.frame.env[fresh[name]] = found
        return fresh

    def changes(self, block: list[Any], own: set[str]) -> bool:
        """Say whether statements change variables or objects that were there before."""
        made: set[str] = set()
        for statement in statements(block):
            targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
            for target in targets:
                root = root_name(target) if target is not None else None
                if own.intersection([root, *(names_bound(target) if target is not None else [])]):
                    return True
                if isinstance(target, _PLACES) and root not in made:
                    return True
                made.update(names_bound(target) if target is not None else ())
            if isinstance(statement, (gast.Nonlocal, gast.Global)):
                return True
            if isinstance(statement, gast.Expr) and not self._only_asks(statement.value):
                return True
        return False

    def _only_asks(self, value: Any) -> bool:
        """Say whether an expression whose value nobody reads may raise, and do nothing else."""
        if self.frame.order.count(value) or self.frame.may_write(value):
            return False
        callees = [call.func for call in found_in(value, gast.Call)]
        found = [
            self.frame.look(func.id) if isinstance(func, gast.Name) else None for func in callees
        ]
        return all(isinstance(item, Known) and self.session.is_user(item.value) for item in found)

    def _may_bind_fields(self, tree: Any) -> bool:
        """Say whether a definition may bind fields of objects anew, itself or by what it calls."""
        if not self.frame.of_fields:
            return False
        calls = [call for statement in tree.body for call in found_in(statement, gast.Call)]
        functions = [self.frame.looked_at(call.func) for call in calls]
        ruled = self.session.vocabulary.rule_for
        plain = all(isinstance(item, Known) and ruled(item.value) for item in functions)
        return not plain or binds_attributes(tree)

    def _as_given(self, value: Value, node: Any) -> Value:
        """Return an argument that stays what it is, whatever a method binds a field to."""
        text = value.expression if isinstance(value, Recorded) else value
        if isinstance(text, gast.Name) and text.id in self.frame.of_fields:
            return self.frame.bound_now(value, "part", node)
        if isinstance(value, Items):
            return replace(value, values=[self._kept_in(item, node) for item in value.values])
        if isinstance(value, (gast.Tuple, gast.List)):
            value.elts = [self._kept_in(item, node) for item in value.elts]
        return value

    def _kept_in(self, value: Value, node: Any) -> Value:
        """Return what a tuple or the like holds, which is read wherever the tuple is."""
        reads = not isinstance(value, Static) and names_read(value)
        if reads and not self.frame.of_fields.isdisjoint(reads):
            return self.frame.bound_now(value, "part", node)
        return self._as_given(value, node)

    def _bind_parameters(
        self, code: Code, tree: Any, bound: Bound, fresh: dict[str, str], node: Any
    ) -> None:
        written = {name for s in statements(tree.body) for name in _assigned(s)}
        makes = makes_functions(tree)
        ordered = any(map(self.frame.order.count, bound.values()))
        rebinds = self.session.binds_fields and self._may_bind_fields(tree)
        for name, given in bound.items():
            new, value = fresh[name], self._as_given(given, node) if rebinds else given
            kept = isinstance(value, Recorded)
            if isinstance(value, Static) and not kept:
                self.frame.env[new] = value
                continue
            text = value.expression if kept else value
            reads = count_reads(new, tree.body)
            in_text = (
                isinstance(text, gast.Constant)
                or is_negative(text)
                or (
                    isinstance(text, gast.Name)
                    and text.id not in written
                    and (not makes or text.id in self.frame.bound_once)
                )
            )
            once = reads == 1 and len(tree.body) == 1 and not makes and not ordered
            known = is_literal(text) and not makes  # until it is bound anew
            if known or (new not in written and (in_text or once)):
                self.frame.env[new] = value
                continue
            if kept:
                self.frame.record_names.bind(new, value, node)
                continue
            self.frame.own.add(new)
            self.frame.record_names.note_plain(new, value, node)
            self.frame.held_fields.name_field(load(new), value)
            self.frame.bind(new, clone(value), node)


_PLACES: Final = (gast.Attribute, gast.Subscript)


def takes(function: Local, count: int) -> bool:
    """Say whether a definition takes just so many arguments, by position."""
    args = function.code.tree.args
    starred = args.vararg or args.kwarg or args.kwonlyargs
    return not starred and not function.defaults and len(parameters(args)) == count


def makes_functions(tree: Any) -> bool:
    """Say whether a definition holds others."""
    inner = (gast.FunctionDef, gast.Lambda)
    return any(isinstance(n, inner) for line in tree.body for n in walk(line))


def _assigned(statement: Any) -> list[str]:
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return [name for target in targets if target is not None for name in names_bound(target)]
