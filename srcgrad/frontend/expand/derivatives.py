"""Turns derivatives that a program takes into calls of functions with source.

``sg.grad(f)(x)`` in a program that is differentiated is read as ``f_grad(x)``, where `f_grad` is
the generated gradient, which is then differentiated like any other function.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType
from typing import Any

from srcgrad.frontend.expand.operators import Kind, Wish, make_derived, operator_of, taken_from
from srcgrad.frontend.expand.part import Part, callee, differentiated
from srcgrad.frontend.expand.scoping import parameters
from srcgrad.frontend.expand.unit_columns import columns_function
from srcgrad.frontend.expand.values import (
    Derivative,
    Items,
    Known,
    Local,
    Method,
    Partial,
    Pulling,
    Static,
    Value,
)
from srcgrad.frontend.source import find_source
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load, store

Bound = dict[str, Value]


@dataclass(slots=True)
class _Real:
    """A function with source, and the arguments of one call of it, in order.

    `names` are those of its parameters that the caller knows of.
    """

    function: FunctionType
    arguments: dict[str, Any]
    names: list[str]


def derivative_of_method(found: Any, owner: Value) -> Static:
    """Return a derivative that stands in a class, as that of the method of an object."""
    taken = taken_from(found)
    if taken is None:
        return Method(Known(found), owner)
    inner = derivative_of_method(taken.function, owner)
    return Derivative(taken.kind, inner, taken.argnums, taken.argnames, taken.aux)


class Derivatives(Part):
    """The part of the expansion that deals with derivatives which the program takes."""

    def special(self, function: Any, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return the result of a call of an operator or of a derivative, if it is one."""
        operator = operator_of(function)
        if operator is not None:
            return self._operator(operator, args, keywords, node)
        taken = taken_from(function)
        if taken is None:
            return self.frame.special.of_library(function, args, keywords, node)
        if not any(map(self.frame.varies, [*args, *keywords.values()])):
            return None
        inner = Known(taken.function)
        made = Derivative(taken.kind, inner, taken.argnums, taken.argnames, taken.aux)
        return self.frame.call(made, args, keywords, node)

    def _operator(self, name: str, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        if not args and not isinstance(keywords.get("f"), Static):
            return None if "f" not in keywords else self._unclear(node)
        function, rest = (args[0], args[1:]) if args else (keywords.pop("f"), [])
        if not isinstance(function, Static):
            self._unclear(node)
        if name in ("jvp", "hvp"):
            named = [keywords[key] for key in ("primals", "tangents") if key in keywords]
            return self._pushed(name, function, [*rest, *named], node)
        if name == "vjp":
            return self._pulling(function, rest, node)
        options = dict(zip(("argnums", "argnames", "aux"), rest, strict=False))
        options.update({key.removeprefix("has_"): item for key, item in keywords.items()})
        for name_of_how in ("fallback", "backend", "verify"):  # the whole program says how it runs
            options.pop(name_of_how, None)
        if getattr(options.get("pure"), "value", None) is False:
            del options["pure"]
        if not options.keys() <= {"argnums", "argnames", "aux"}:
            self._unclear(node)
        given = {key: self._literal(item, node) for key, item in options.items()}
        if name in ("jacfwd", "jacrev"):
            name = "jacobian"
        if name == "hessian":
            name, function = "jacobian", Derivative("grad", function, given.get("argnums"), None)
        kind: Any = name
        aux = bool(given.get("aux"))
        return Derivative(kind, function, given.get("argnums"), given.get("argnames"), aux)

    def _unclear(self, node: Any) -> Any:
        return self.frame.refuse(
            node,
            "a derivative of which only the run tells what it is of",
            "name the function, and give argnums as a number",
        )

    def _literal(self, value: Value, node: Any) -> Any:
        """Return the number, text or tuple that an option is."""
        if isinstance(value, gast.Constant):
            return value.value
        if isinstance(value, (gast.Tuple, gast.List)):
            return tuple(self._literal(item, node) for item in value.elts)
        if isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub):
            return -self._literal(value.operand, node)
        return self._unclear(node)

    # -- calls of derivatives

    @callee(Derivative)
    def _call_derivative(
        self, callee: Derivative, args: list[Value], keywords: Bound, node: Any
    ) -> Value:
        if callee.kind == "jacobian":
            return self._jacobian(callee, args, keywords, node)
        real = self._real(callee.function, args, keywords, node)
        chosen = self._chosen_names(callee, real, node)
        made = self._made(callee.kind, real, chosen, callee.aux, node)
        result = self._call_of(made[0], real, [], node)
        single = isinstance(callee.argnums or 0, int) and not isinstance(callee.argnames, tuple)
        if len(chosen) == 1 and not single:
            self._unclear(node)
        return result

    def _jacobian(self, callee: Derivative, args: list[Value], keywords: Bound, node: Any) -> Value:
        """Return the Jacobian, column by column."""
        real = self._real(callee.function, args, keywords, node)
        chosen = self._chosen_names(callee, real, node)
        if len(chosen) != 1 or callee.aux:
            self._unclear(node)
        (push,) = self._made("jvp", real, chosen, False, node)
        return self._call_of(columns_function(push, real.function, chosen[0]), real, [], node)

    def _pushed(self, name: str, function: Static, rest: list[Value], node: Any) -> Value:
        """Return the pair of ``sg.jvp(f, (x, y), (v, w))``, or the product of ``sg.hvp``."""
        if len(rest) != 2:
            self._unclear(node)
        primals, tangents = (self._entries(item, node) for item in rest)
        moved = [place for place, item in enumerate(tangents) if not _is_none(item)]
        if len(primals) != len(tangents) or not moved:
            self._unclear(node)
        if name == "hvp":
            several: Any = tuple(moved)
            function = Derivative("grad", function, moved[0] if len(moved) == 1 else several, None)
        real = self._real(function, primals, {}, node)
        chosen = [real.names[place] for place in moved]
        self._check_names(chosen, real, node)
        (push,) = self._made("jvp", real, chosen, False, node)
        pair = self._call_of(push, real, [self.frame.plain(tangents[i], node) for i in moved], node)
        if name == "hvp":
            return at(gast.Subscript(pair, gast.Constant(1, None), gast.Load()), node)
        return pair

    def _pulling(self, function: Static, primals: list[Value], node: Any) -> Value:
        """Return the pair of ``sg.vjp(f, x, y)``: the value, and what pulls adjoints back."""
        real = self._real(function, primals, {}, node)
        constant = [isinstance(item, gast.Constant) for item in primals]
        pairs = zip(real.names, constant, strict=False)
        chosen = [name for name, flag in pairs if not flag and name in real.arguments]
        forward, backward = self._made("vjp", real, chosen, False, node)
        value, saved = self.frame.variable("value"), self.frame.variable("saved")
        self.frame.temporaries.update((value, saved))
        target = gast.Tuple([store(value), store(saved)], gast.Store())
        if not self.frame.hoistable:
            self._unclear(node)
        self.frame.out.append(
            at(gast.Assign([target], self._call_of(forward, real, [], node), None), node)
        )
        places = [real.names.index(name) for name in chosen]
        pull = Pulling(Known(backward), load(saved), places, len(primals), self.frame.depth)
        return Items("tuple", [load(value), pull])

    @callee(Pulling)
    def _call_pulling(
        self, callee: Pulling, args: list[Value], keywords: Bound, node: Any
    ) -> Value:
        code = callee.backward.value.__code__
        wanted = code.co_argcount - 1
        if len(args) != 1 or keywords:
            self._unclear(node)
        several = wanted > 1 or code.co_varnames[1].endswith("_1")
        given = self._entries(args[0], node) if several else args
        if len(given) != wanted:
            self._unclear(node)
        func = self.frame.constant(callee.backward.value, code.co_name)
        plain = [self.frame.plain(item, node) for item in given]
        call: Any = at(gast.Call(func, [clone(callee.saved), *plain], []), node)
        self._spend(callee, call, node)
        found: list[Value] = [gast.Constant(None, None) for _ in range(callee.count)]
        if len(callee.places) == 1:
            found[callee.places[0]] = call
            return at(gast.Tuple(found, gast.Load()), node)
        if len(callee.places) == callee.count:
            return call
        held = self.frame.keep("adjoints", call, node)
        for index, place in enumerate(callee.places):
            part = gast.Subscript(clone(held), gast.Constant(index, None), gast.Load())
            found[place] = part
        return at(gast.Tuple(found, gast.Load()), node)

    def _spend(self, callee: Pulling, call: Any, node: Any) -> None:
        """Refuse a second run of a backward half that uses up what the forward half kept."""
        written, elsewhere = self.session.vocabulary.written_operands(callee.backward.value, call)
        again = callee.spent or self.frame.depth != callee.depth or not self.frame.hoistable
        if again and (elsewhere or any(item is call.args[0] for item in written)):
            self.frame.refuse(
                node,
                "a pullback that may run more than once, of a function with loops or views",
                "call srcgrad.vjp again, or take srcgrad.jacobian",
            )
        callee.spent = True

    # -- functions with source

    def _made(
        self, kind: Kind, real: _Real, names: list[str], aux: bool, node: Any
    ) -> tuple[FunctionType, ...]:
        """Return the derivative of a function, as functions with source."""
        tree = find_source(real.function).tree
        if tree.args.vararg or tree.args.kwarg:
            self.frame.refuse(
                node, "a derivative of a function with starred parameters", "name them"
            )
        keep_complex = self.session.keep_complex
        derived = make_derived(Wish(kind, real.function, tuple(names), aux, keep_complex))
        self.session.nested.append(derived.is_current)
        return derived.functions

    def _call_of(self, function: FunctionType, real: _Real, more: list[Any], node: Any) -> Any:
        """Return the call of a derivative, with the arguments of the function and some more."""
        tree = find_source(function).tree
        only = [item.id for item in tree.args.kwonlyargs]
        order = parameters(find_source(real.function).tree.args)
        plain = [real.arguments[name] for name in order if name not in only]
        named = [gast.keyword(name, real.arguments[name]) for name in order if name in only]
        self.frame.changed = True
        func = self.frame.constant(function, function.__name__)
        return at(gast.Call(func, [*map(clone, plain), *more], named), node)

    def _chosen_names(self, wanted: Derivative, real: _Real, node: Any) -> list[str]:
        numbers = wanted.argnums
        if numbers is None and wanted.argnames is None:
            numbers = 0
        listed: Any = () if numbers is None else numbers
        listed = listed if isinstance(listed, (tuple, list)) else (listed,)
        given: Any = wanted.argnames or ()
        given = (given,) if isinstance(given, str) else given
        try:
            chosen = [*[real.names[number] for number in listed], *given]
        except (IndexError, TypeError):
            return list(self._unclear(node))
        self._check_names(chosen, real, node)
        return chosen

    def _check_names(self, chosen: list[str], real: _Real, node: Any) -> None:
        known = parameters(find_source(real.function).tree.args)
        if len(set(chosen)) != len(chosen):
            self.frame.refuse(
                node, "a derivative by one parameter twice", "give each parameter once"
            )
        if not chosen or any(name not in known for name in chosen):
            self.frame.refuse(
                node,
                "a derivative with respect to what the function does not read, or to an object",
                "take it with respect to an array or a number that the function reads",
            )

    def _real(self, callee: Value, args: list[Value], keywords: Bound, node: Any) -> _Real:
        """Return a function with source for a callee, and what it is called with."""
        method = self.handler("differentiated", type(callee))
        if method is None:
            return self._unclear(node)  # type: ignore[no-any-return]
        found: _Real = method(callee, args, keywords, node)
        return found

    @differentiated(Known)
    def _real_known(self, callee: Known, args: list[Value], keywords: Bound, node: Any) -> _Real:
        taken = taken_from(callee.value)
        if taken is not None:
            made = Derivative(
                taken.kind, Known(taken.function), taken.argnums, taken.argnames, taken.aux
            )
            return self._real(made, args, keywords, node)
        if not isinstance(callee.value, FunctionType):
            return self._unclear(node)  # type: ignore[no-any-return]
        source = find_source(callee.value)
        self.session.functions[callee.value] = None
        bound = self.frame.calls.bound_to(callee.value, args, keywords, node)
        if any(isinstance(item, Static) for item in bound.values()):
            code = self.session.code(callee.value)
            return self._specialised_real(code, source.name, bound, {}, node)
        arguments = {name: self.frame.plain(item, node) for name, item in bound.items()}
        return _Real(callee.value, arguments, parameters(source.tree.args))

    @differentiated(Local)
    def _real_local(self, callee: Local, args: list[Value], keywords: Bound, node: Any) -> _Real:
        tree = callee.code.tree
        bound = self.frame.calls.bound_tree(tree, args, keywords, dict(callee.defaults), node)
        return self._specialised_real(callee.code, tree.name, bound, callee.captured, node)

    def _specialised_real(
        self, code: Any, name: str, bound: Bound, captured: Any, node: Any
    ) -> _Real:
        call = self.frame.placing.specialised(code, name, bound, captured, node)
        cell = self.frame.home.cells[call.func.id]
        try:
            function = cell.cell_contents
        except ValueError:
            self.frame.refuse(
                node, "a derivative of a function that takes it itself", "write a loop"
            )
        order = parameters(find_source(function).tree.args)
        arguments = dict(zip(order, call.args, strict=True))
        return _Real(function, arguments, parameters(code.tree.args))

    @differentiated(Method)
    def _real_method(self, callee: Method, args: list[Value], keywords: Bound, node: Any) -> _Real:
        real = self._real(callee.function, [callee.owner, *args], keywords, node)
        real.names = real.names[1:]
        return real

    @differentiated(Partial)
    def _real_partial(
        self, callee: Partial, args: list[Value], keywords: Bound, node: Any
    ) -> _Real:
        named = {**callee.keywords, **keywords}
        real = self._real(callee.function, [*callee.args, *args], named, node)
        real.names = [n for n in real.names[len(callee.args) :] if n not in callee.keywords]
        return real

    @differentiated(Derivative)
    def _real_derivative(
        self, callee: Derivative, args: list[Value], keywords: Bound, node: Any
    ) -> _Real:
        real = self._real(callee.function, args, keywords, node)
        chosen = self._chosen_names(callee, real, node)
        kind: Kind = "jvp" if callee.kind == "jacobian" else callee.kind
        made = self._made(kind, real, chosen, callee.aux, node)[0]
        if callee.kind == "jacobian":
            made = columns_function(made, real.function, chosen[0])
        mapped = dict(
            zip(
                parameters(find_source(made).tree.args),
                [real.arguments[n] for n in parameters(find_source(real.function).tree.args)],
                strict=True,
            )
        )
        return _Real(made, mapped, real.names)

    def _entries(self, value: Value, node: Any) -> list[Value]:
        """Return the entries of a tuple that is written down."""
        if isinstance(value, Items) and value.keys is None:
            return list(value.values)
        if isinstance(value, (gast.Tuple, gast.List)):
            return list(value.elts)
        return list(self._unclear(node))


def _is_none(value: Value) -> bool:
    return isinstance(value, gast.Constant) and value.value is None
