"""Rewrites calls of local functions, of methods, and of functions that are given functions."""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import Any

from srcgrad.frontend.callees import ELSEWHERE
from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.expand.binding import (
    BindingError,
    axes_given,
    bind,
    count_reads,
    default_values,
    numbers_given,
    only_passes_on,
)
from srcgrad.frontend.expand.deciding import asked_of
from srcgrad.frontend.expand.keeping import may_return_function, returns_object
from srcgrad.frontend.expand.literals import said_by_text
from srcgrad.frontend.expand.managed import managed
from srcgrad.frontend.expand.part import Part, callee
from srcgrad.frontend.expand.placing import makes_functions
from srcgrad.frontend.expand.scoping import (
    calls_variables,
    free_names,
    parameters,
    starred_names,
)
from srcgrad.frontend.expand.session import WRITTEN_OUT
from srcgrad.frontend.expand.short import gives_rows_to_write, reads_better_in_place
from srcgrad.frontend.expand.values import (
    Choice,
    Identity,
    Instance,
    Items,
    Known,
    Lazy,
    Local,
    Method,
    Object,
    Partial,
    Recorded,
    Static,
    Value,
    class_of,
    copied,
    is_literal,
    is_named,
    written_value,
)
from srcgrad.frontend.long_loops import is_repeated, repeated_of
from srcgrad.frontend.source import FunctionSource, find_source
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load, may_be_literal
from srcgrad.ir.handlers import expression
from srcgrad.ir.scopes import uncached
from srcgrad.ir.walk import walk
from srcgrad.runtime.interpolators import stands_for_object
from srcgrad.runtime.objects import is_plain_class

Bound = dict[str, Value]
_STEPS = (gast.BinOp, gast.UnaryOp, gast.Call, gast.Compare, gast.Subscript)
_MOST_STEPS = 10


class Calls(Part):
    """The part of the expansion that deals with calls."""

    @expression(gast.Call)
    def _called(self, node: Any) -> Value:
        with self.frame.used_at_once(node):
            callee = self.frame.value(node.func)
        before = len(self.frame.out)
        given = self.frame.given.evaluated(node, callee)
        args, keywords = given.args, given.keywords
        if args is None:
            args = self.frame.stars.of_object(callee, given, node)
        if keywords is None and args is not None:
            keywords = self.frame.unpacking.by_names(callee, given, node)
        if not isinstance(callee, Static):
            self.frame.record_holders.note_put(node, args or [])
        if isinstance(callee, Static) and args is not None and keywords is not None:
            return self.frame.call(callee, args, keywords, node)
        if isinstance(callee, Known):
            found = self.frame.results.starred_result(callee, args, node)
            if found is not None:
                return found
        if args is None and keywords is not None and len(self.frame.out) == before:
            result = self.frame.stars.by_size(callee, node, keywords)
            if result is not None:
                return result
        said = said_by_text(callee, args, keywords)
        if said is not None:
            return at(said, node)
        node.func = self.frame.plain(callee, node.func)
        self.frame.given.spell(node, given)
        self.frame.held_fields.note_call_writes(node, callee)
        return self.frame.cursors.listed(callee, node) or node

    # -- by what is called

    def as_text(
        self, func: Any, args: list[Value], keywords: Bound, node: Any, callee: Value = None
    ) -> Any:
        plain = [
            self.frame.plain(item, node) for item in self.frame.held_entries.passed_on(args, callee)
        ]
        named = [
            gast.keyword(name, self.frame.plain(item, node)) for name, item in keywords.items()
        ]
        self.frame.held_fields.note_call_writes(
            made := at(gast.Call(func, plain, named), node), callee
        )
        return made

    @callee(Partial)
    def _call_partial(
        self, callee: Partial, args: list[Value], keywords: Bound, node: Any
    ) -> Value:
        named = {**callee.keywords, **keywords}
        return self.frame.call(callee.function, [*callee.args, *args], named, node)

    @callee(Method)
    def _call_method(self, callee: Method, args: list[Value], keywords: Bound, node: Any) -> Value:
        return self.frame.call(callee.function, [callee.owner, *args], keywords, node)

    @callee(Identity)
    def _call_identity(
        self, callee: Identity, args: list[Value], keywords: Bound, node: Any
    ) -> Value:
        function = args[0]
        if callee.caches and isinstance(function, Local):
            return self.frame.special.cached(function, node)
        return function

    @callee(Object)
    def _call_object(self, callee: Object, args: list[Value], keywords: Bound, node: Any) -> Value:
        return self.frame.call(self.frame.attribute(callee, "__call__", node), args, keywords, node)

    @callee(Instance, Recorded)
    def _call_instance(
        self, callee: Instance | Recorded, args: list[Value], keywords: Bound, node: Any
    ) -> Value:
        return self.frame.call(self.frame.attribute(callee, "__call__", node), args, keywords, node)

    @callee(Choice)
    def _call_choice(self, callee: Choice, args: list[Value], keywords: Bound, node: Any) -> Value:
        simple = [self._simple(item, node) for item in args]
        named = {name: self._simple(item, node) for name, item in keywords.items()}
        with self.frame.conditional():
            then = self.frame.call(callee.then, list(map(copied, simple)), dict(named), node)
            other = self.frame.call(callee.other, list(map(copied, simple)), dict(named), node)
        if isinstance(then, Static) or isinstance(other, Static):
            return Choice(callee.test, then, other)
        return at(gast.IfExp(clone(callee.test), then, other), node)

    def _simple(self, value: Value, node: Any) -> Value:
        """Return a value that may stand in two places, which is evaluated once."""
        calls = not isinstance(value, Static) and any(
            isinstance(item, gast.Call) for item in walk(value)
        )
        return self.frame.keep("value", value, node) if calls and self.frame.hoistable else value

    @callee(Known)
    def _call_known(self, callee: Known, args: list[Value], keywords: Bound, node: Any) -> Value:
        function = callee.value
        found = self.frame.derivatives.special(function, args, keywords, node)
        for ask in (
            self.frame.record_holders.called,
            self.frame.folding.answered,
            self.frame.interpolators.interpolator,
            self.frame.mapping.polynomial_value,
            self.frame.laws.law,
            self.frame.solvers.solver,
            self.frame.results.result,
            self.frame.special.kept,
            self.frame.literals.truth,
        ):
            found = ask(callee, args, keywords, node) if found is None else found
        if found is not None:
            return found
        varying = any(map(self.frame.varies, [*args, *keywords.values()]))
        needed = varying or stands_for_object(function)
        written = self._written_out(function, args, keywords) if needed else None
        if written is not None:
            lead = [Known(item) for item in written.lead]
            return self.frame.call(
                Known(written.function), [*lead, *written.args], dict(written.keywords), node
            )
        member = self.frame.members.by_value(function, args, keywords)
        if member is not None:
            return member
        opened: Static | None = self.frame.members.called(function)
        opened = opened or self._dispatched(function, args) or self._opened(callee, varying)
        if opened is not None:
            return self.frame.call(opened, args, keywords, node)
        if isinstance(function, type) and is_plain_class(function):
            made = self.frame.constructing.construct(function, args, keywords, node)
            if made is not None:
                return made
        if self.session.is_user(function):
            return self._call_user(callee, args, keywords, node)
        return self.as_text(self.frame.plain(callee, node), args, keywords, node, callee)

    def _written_out(self, function: Any, args: list[Value], keywords: Bound) -> Any:
        """Return the call that stands for one of a function that is written out with others."""
        found = self.session.vocabulary.equivalent(function, args, keywords, written_value)
        inside = found is not None and found.function is self.frame.code.source.function
        return None if inside else found

    def _dispatched(self, function: Any, args: list[Value]) -> Known | None:
        """Return the function that `functools.singledispatch` calls for an object of a class."""
        dispatch = getattr(function, "dispatch", None) if hasattr(function, "registry") else None
        if not args or not isinstance(args[0], (Object, Instance)) or not callable(dispatch):
            return None
        kind = class_of(args[0])
        chosen = dispatch(kind)
        self.session.assume(lambda _: dispatch(kind), chosen)
        return Known(chosen) if isinstance(chosen, FunctionType) else None

    def _opened(self, callee: Known, varying: bool = True) -> Static | None:
        """Return what a callable from outside calls: a partial, a method, a cache or the like."""
        value, expression = callee.value, callee.expression
        again = repeated_of(value) or managed(value)
        if again is not None:
            return Known(again)
        wrapped = uncached(value)
        if wrapped is not value and varying:
            return Known(wrapped)
        if isinstance(value, MethodType) and self.session.is_user(value.__func__):
            expression = expression or self.frame.constant(value, value.__func__.__name__)
            owner = gast.Attribute(expression, "__self__", gast.Load())
            root = self.session.reader(lambda: value.__self__)
            return Method(
                Known(value.__func__), self.frame.lookup.outside(value.__self__, owner, root)
            )
        if type(value).__name__ != "partial" or not self._worth_opening(value.func):
            return None
        expression = expression or self.frame.constant(value, "partial")
        args = [
            self.stored(
                item, gast.Subscript(_part(expression, "args"), gast.Constant(i, None), gast.Load())
            )
            for i, item in enumerate(value.args)
        ]
        named = {
            name: self.stored(
                item,
                gast.Subscript(
                    _part(expression, "keywords"), gast.Constant(name, None), gast.Load()
                ),
            )
            for name, item in value.keywords.items()
        }
        return Partial(Known(value.func), args, named)

    def _worth_opening(self, function: Any) -> bool:
        vocabulary = self.session.vocabulary
        known = vocabulary.rule_for(function) is not None
        return known or self.session.is_user(function) or self._opened(Known(function)) is not None

    def stored(self, value: Any, expression: Any) -> Value:
        """Return what is kept in an object for good."""
        if may_be_literal(value):
            return gast.Constant(value, None)
        return self.frame.lookup.outside(value, expression, self.session.reader(lambda: value))

    # -- functions with source

    def _call_user(self, callee: Known, args: list[Value], keywords: Bound, node: Any) -> Value:
        function = callee.value
        source = find_source(function)
        self.session.functions[function] = None
        tree, code = source.tree, self.session.code(function)
        inlined = any(tree is item for item in self.frame.inlined) or is_repeated(function)
        if function.__name__ == "<lambda>" and not inlined:
            bound = self.bound_to(function, args, keywords, node)
            if self._may_substitute(tree, bound, node):
                return self.frame.placing.inline(code, bound, {}, node)
        placed = hasattr(function, "__srcgrad_in_place__") and self.frame.hoistable
        if (
            placed
            or self.frame.held_entries.places_writer(function)
            or self.session.knows_written(function)
            or (self.frame.hoistable and gives_rows_to_write(function, node, self.frame.tree))
        ):
            bound = self.bound_to(function, args, keywords, node)
            return self.frame.placing.call_in_place(code, source.name, bound, {}, node)
        placed = not inlined and self.frame.hoistable
        if placed and self.frame.record_calls.go_in_place(tree, [*args, *keywords.values()]):
            bound = self.bound_to(function, args, keywords, node)
            return self.frame.placing.call_in_place(code, source.name, bound, {}, node)
        defaults = self.defaults_of(function, source.name)
        given = [*args, *keywords.values()]
        of_class = any(isinstance(v, Known) and isinstance(v.value, type) for v in args)
        constant = not of_class and not any(map(self.frame.varies, given))
        written = written_parameters(function, self.session.vocabulary) if constant else set()
        if all(isinstance(v, Known) or is_literal(v) for v in given):  # no memory of arrays
            written &= {ELSEWHERE}
        if constant and not inlined and self.frame.hoistable and returns_object(source):
            made = self.frame.constructing.made_by(function, args, keywords, node)
            if made is not None:
                return made
        if constant and not written and not may_return_function(source):
            asked = not inlined and self._settles_tests(tree, args, keywords, {})
            said = self.frame.literals.answer(function, args, keywords, node) if asked else None
            text = self.frame.plain(callee, node) if said is None else None
            return self.as_text(text, args, keywords, node, callee) if said is None else said
        short = self._shortly(function, source, args, keywords, node)
        if short is not None:
            return self.frame.placing.inline(code, short, {}, node)
        every = [*given, *defaults.values()]
        starred = tree.args.vararg is not None or tree.args.kwarg is not None
        starred = starred or self._hands_on_tuple(tree, every) or calls_variables(tree)
        starred = starred or self._settles_tests(tree, args, keywords, defaults)
        starred = starred or any(
            isinstance(v, Lazy) and type(v.value) is dict for v in defaults.values()
        )
        if not starred and not any(isinstance(item, Static) for item in every):
            return self._expanded_call(callee, args, keywords, node)
        bound = self.bound_tree(tree, args, keywords, defaults, node)
        return self.frame.placing.call_code(code, source.name, bound, {}, node)

    def _settles_tests(
        self, tree: Any, args: list[Value], keywords: Bound, defaults: Bound
    ) -> bool:
        """Say whether a call gives a literal that a test, or an axis of a call, depends on."""
        bound = {**defaults, **dict(zip(parameters(tree.args), args, strict=False)), **keywords}
        asked = asked_of(tree) & set(bound)
        told = axes_given(tree, bound) | numbers_given(tree, bound)
        return bool(told) or any(is_literal(bound[name]) for name in asked)

    def _shortly(
        self,
        function: FunctionType,
        source: FunctionSource,
        args: list[Value],
        keywords: Bound,
        node: Any,
    ) -> Bound | None:
        """Return the values of the parameters of a function that reads better in place."""
        tree = source.tree
        apart = hasattr(function, "__srcgrad_source__") or hasattr(function, WRITTEN_OUT)
        inside = any(tree is item for item in [*self.frame.inlined, self.frame.code.tree])
        if apart or inside or is_repeated(function) or function in self.session.factories:
            return None
        itself = self.frame.record_calls.calls_itself(tree, args)
        if source.file != self.frame.code.source.file or itself:
            return None
        better = reads_better_in_place(tree, node, self.frame.code.tree)
        if not better or self.session.recurs(function):
            return None
        if not self.frame.is_first(node) and written_parameters(function, self.session.vocabulary):
            return None
        bound = self.bound_to(function, args, keywords, node)
        return bound if self._may_substitute(tree, bound, node) else None

    def bound_to(
        self, function: FunctionType, args: list[Value], keywords: Bound, node: Any
    ) -> Bound:
        """Return the values of the parameters of a function from outside."""
        tree = self.session.code(function).tree
        return self.bound_tree(tree, args, keywords, self.defaults_of(function, tree.name), node)

    def defaults_of(self, function: FunctionType, shown: str) -> Bound:
        return {
            name: self._default_of(shown, name, value)
            for name, value in default_values(function).items()
        }

    def _expanded_call(self, callee: Known, args: list[Value], keywords: Bound, node: Any) -> Value:
        """Call a function that needs no other parameters, but perhaps other statements."""
        function = callee.value
        expanded = self.session.expand(function)
        if function in self.session.factories and self.frame.hoistable:
            bound, code = self.bound_to(function, args, keywords, node), self.session.code(function)
            return self.frame.placing.call_in_place(code, function.__name__, bound, {}, node)
        if function in self.session.promised and expanded is function:
            func = load(self.frame.cell_name(function.__name__, self.session.promised[function]))
            return self.as_text(func, args, keywords, node, callee)
        func = self.frame.plain(callee, node)
        if expanded is not callee.value:
            self.frame.changed = True
            func = self.frame.constant(expanded, expanded.__name__)
        return self.as_text(func, args, keywords, node, callee)

    def _default_of(self, function: str, name: str, value: Any) -> Value:
        if may_be_literal(value):
            return gast.Constant(value, None)
        if type(value) is tuple and not value:
            return gast.Tuple([], gast.Load())
        if is_named(value):
            return Known(value)
        return Lazy(f"{function}_{name}", value)

    def bound_tree(
        self, tree: Any, args: list[Value], keywords: Bound, defaults: Bound, node: Any
    ) -> Bound:
        try:
            bound = bind(tree.args, args, keywords, defaults)
        except BindingError as error:
            self.frame.refuse(
                node, f"this call does not fit the function: {error}", "mend the call"
            )
        found = {
            name: self._given_default(tree, name, v) if isinstance(v, Lazy) else v
            for name, v in bound.items()
        }
        if any(isinstance(value, gast.Tuple) for value in found.values()):
            starred, _ = starred_names(tree)
            for name in starred & set(found):
                found[name] = self._handed_on(name, found[name], node)
        return found

    def _given_default(self, tree: Any, name: str, default: Lazy) -> Value:
        """Return what stands for a default; no entries for a dict without, if it is passed on."""
        held = default.value
        if type(held) is not dict or held or not only_passes_on(tree, name):
            return self.frame.constant(held, default.wish)
        self.session.assume(self.session.reader(lambda: len(held)), 0)
        return Items("dict", [], [])

    def _hands_on_tuple(self, tree: Any, given: list[Value]) -> bool:
        """Say whether a function may pass on a tuple that it is given with a star."""
        tuples = any(isinstance(item, gast.Tuple) for item in given)
        return tuples and bool(starred_names(tree)[0] & set(parameters(tree.args)))

    def _handed_on(self, name: str, value: Value, node: Any) -> Value:
        """Return a tuple that is passed on with a star by its parts, whose number is known."""
        if not isinstance(value, gast.Tuple):
            return value
        if any(isinstance(item, gast.Starred) for item in value.elts):
            return value
        atoms = all(isinstance(item, (gast.Name, gast.Constant)) for item in value.elts)
        if not atoms and not self.frame.hoistable:
            return value
        kept = (gast.Name, gast.Constant)
        parts = [v if isinstance(v, kept) else self.frame.keep(name, v, node) for v in value.elts]
        return Items("tuple", parts)

    @callee(Local)
    def _call_local(self, callee: Local, args: list[Value], keywords: Bound, node: Any) -> Value:
        tree = callee.code.tree
        bound = self.bound_tree(tree, args, keywords, dict(callee.defaults), node)
        around = any(tree is item for item in self.frame.inlined)
        recursive = around or tree.name in free_names(tree) or callee.code.repeated
        single = len(tree.body) == 1 and isinstance(tree.body[0], gast.Return)
        short = self._is_short(tree, node)
        if single and short and not recursive and self._may_substitute(tree, bound, node):
            return self.frame.placing.inline(callee.code, bound, callee.captured, node)
        return self.frame.placing.call_code(callee.code, tree.name, bound, callee.captured, node)

    def _is_short(self, tree: Any, node: Any) -> bool:
        """Say whether a function reads better in place: it is small, or called once or twice."""
        size = sum(isinstance(item, _STEPS) for line in tree.body for item in walk(line))
        name = getattr(node.func, "id", None) if isinstance(node, gast.Call) else None
        calls = sum(
            isinstance(item, gast.Call) and getattr(item.func, "id", "") == name
            for item in walk(self.frame.code.tree)
        )
        makes = isinstance(getattr(tree.body[0], "value", None), (gast.Lambda, gast.Name))
        return calls <= 1 or makes or size * calls <= _MOST_STEPS

    def _may_substitute(self, tree: Any, bound: Bound, node: Any) -> bool:
        """Say whether arguments may be put in place of parameters, or kept in variables before."""
        ordered = sum(self.frame.order.count(value) for value in bound.values())
        if self.frame.hoistable:
            named = isinstance(node, gast.Call) and bool(node.keywords)
            return not self.frame.disturbs(node) and (ordered < 2 or not named)
        return (
            len(tree.body) == 1
            and not ordered
            and all(
                isinstance(value, (Static, gast.Name, gast.Constant))
                or count_reads(name, tree.body) < 2
                for name, value in bound.items()
            )
            and (not makes_functions(tree) or all(map(self._means_the_same, bound.values())))
        )

    def _means_the_same(self, value: Value) -> bool:
        """Say whether a function that is made in a call may read a value when it is called."""
        named = isinstance(value, gast.Name) and value.id in self.frame.bound_once
        return named or isinstance(value, (Static, gast.Constant))


def _part(expression: Any, name: str) -> Any:
    return gast.Attribute(clone(expression), name, gast.Load())
