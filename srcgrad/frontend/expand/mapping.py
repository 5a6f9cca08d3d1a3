"""Reads NumPy's functions that call a function of elements, such as `np.vectorize`."""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from srcgrad.backends.jit import is_jitted, of_elements, plain
from srcgrad.frontend.expand.part import Part, function
from srcgrad.frontend.expand.scoping import parameters
from srcgrad.frontend.expand.values import Items, Known, Partial, Static, Value
from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone, load, method, subscript
from srcgrad.ir.walk import found_in, is_same, names_read, walk
from srcgrad.rules.equivalents.loops import of_vectorize

Bound = dict[str, Value]

_FLOATS: Final = (float, np.float64, np.float32, complex, np.complex128)
_SINGLE: Final = ([np.dtype(float)], [np.dtype(np.float32)])
_OPERATORS: Final = {
    operator.add: gast.Add,
    operator.sub: gast.Sub,
    operator.mul: gast.Mult,
    operator.truediv: gast.Div,
    operator.floordiv: gast.FloorDiv,
    operator.mod: gast.Mod,
    operator.pow: gast.Pow,
    operator.matmul: gast.MatMult,
    operator.or_: gast.BitOr,
}
_OF_NUMBERS: Final = (
    *(gast.BinOp, gast.UnaryOp, gast.Constant, gast.Name, gast.Call, gast.Attribute),
    *(gast.operator, gast.unaryop, gast.expr_context),
)
_IDLE: Final = (("dtype", None), ("out", None), ("where", True))


def each(*values: Any) -> None:
    """Stand for the call of a function on each element of arrays; it is never run."""


class Mapping(Part):
    """The part of the expansion that deals with functions over elements."""

    def of_numpy(
        self, function: Any, args: list[Value], keywords: Bound, node: Any
    ) -> Value | None:
        """Return the result of a call of a function of NumPy that calls functions, or None."""
        handler = self.handler("function", id(function))
        if handler is not None:
            found: Value | None = handler(args, keywords, node)
            return found
        if isinstance(function, np.vectorize):
            return self._vectorized(function, args, keywords, node)
        if is_jitted(function):
            return self._jitted(function, args, keywords, node)
        if of_elements(function) is not None:
            return self._jitted_of_elements(function, args, keywords, node)
        if len(args) == 2 and getattr(function, "__module__", "") == "_operator":
            return self._operation(function, args, node)
        if isinstance(function, np.ufunc) and keywords:
            return self._with_options(function, args, keywords, node)
        return None

    def _jitted(self, function: Any, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Call the Python function behind one that Numba compiles, where a derivative meets it."""
        if not any(map(self.frame.varies, (*args, *keywords.values()))):
            return None
        self.session.assume(lambda _: plain(function), plain(function))
        return self.frame.call(Known(plain(function)), args, keywords, node)

    def _jitted_of_elements(
        self, function: Any, args: list[Value], keywords: Bound, node: Any
    ) -> Value | None:
        """Call the Python function behind one of `numba.vectorize`, of numbers or each element."""
        python, found = of_elements(function), of_vectorize(1 + len(args), once=True)
        if keywords or found is None or not any(map(self.frame.varies, args)):
            return None
        self.session.assume(lambda _: of_elements(function), python)
        if self._acts_on_elements(Known(python), len(args)):
            return self.frame.call(Known(python), args, {}, node)
        return self.frame.call(Known(found.function), [Known(python), *args], {}, node)

    # -- np.vectorize and np.frompyfunc

    @function(np.vectorize)
    def _vectorize(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Read ``np.vectorize(f)`` as the function that calls `f` on each element."""
        if not args or not isinstance(args[0], Static) or len(args) > 2:
            return None
        if set(keywords) - {"otypes", "doc", "cache"}:
            return None
        otypes = args[1] if len(args) == 2 else keywords.get("otypes")
        kind = None if otypes is None else _single_type(otypes)
        if otypes is not None and kind is None:
            return None
        named: Bound = {} if kind is None else {"dtype": kind}
        return Partial(Known(each), [args[0]], named)

    @function(np.frompyfunc)
    def _frompyfunc(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        plain = len(args) == 3 and not keywords and isinstance(args[0], Static)
        single = plain and getattr(args[2], "value", None) == 1
        return Partial(Known(each), [args[0]], {}) if single else None

    def _vectorized(
        self, function: Any, args: list[Value], keywords: Bound, node: Any
    ) -> Value | None:
        """Call an `np.vectorize` from outside."""
        kinds = [np.dtype(kind) for kind in function.otypes or ()]
        unusual = function.signature is not None or function.excluded or keywords
        if unusual or not any(map(self.frame.varies, args)) or kinds not in ([], *_SINGLE):
            return None
        self.session.assume(lambda _: function.pyfunc, function.pyfunc)
        named: Bound = {"dtype": Known(kinds[0].type)} if kinds else {}
        return self._each([Known(function.pyfunc), *args], named, node)

    @function(each)
    def _each(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Call a function on arrays if that means the same, else on each element."""
        function, *arrays = args
        if not keywords and self._acts_on_elements(function, len(arrays)):
            return self.frame.call(function, arrays, {}, node)
        found = self.session.vocabulary.equivalent(np.vectorize, args, {})
        if found is None:
            return None
        return self.frame.call(Known(found.function), args, dict(keywords), node)

    def _acts_on_elements(self, function: Value, count: int) -> bool:
        """Say whether a function is one formula of all its arguments, of ufuncs and operators."""
        if isinstance(function, Known) and isinstance(function.value, np.ufunc):
            return function.value.nin == count and function.value.nout == 1
        tree = self.frame.stars.tree_of(function)
        if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], gast.Return):
            return False
        names, formula = parameters(tree.args), tree.body[0].value
        if tree.args.defaults or len(names) != count or not set(names) <= set(names_read(formula)):
            return False
        return isinstance(formula, (gast.BinOp, gast.UnaryOp, gast.Call)) and all(
            self._is_of_numbers(item, names, function) for item in walk(formula)
        )

    def _is_of_numbers(self, node: Any, names: list[str], function: Value) -> bool:
        if isinstance(node, gast.Constant):
            return type(node.value) in (int, float)
        if isinstance(node, gast.Call):
            return not node.keywords and isinstance(self._outside(node.func, function), np.ufunc)
        if isinstance(node, gast.Name):
            return node.id in names or self._outside(node, function) is not None
        if isinstance(node, gast.Attribute):
            value = self._outside(node, function)
            return type(value) is float or isinstance(value, np.ufunc)
        return isinstance(node, _OF_NUMBERS)

    def _outside(self, node: Any, function: Value) -> Any:
        """Return the module, ufunc or number that a name or attribute of a function means."""
        if isinstance(node, gast.Attribute):
            return getattr(self._outside(node.value, function), node.attr, None)
        if not isinstance(node, gast.Name):
            return None
        if isinstance(function, Known):
            value = function.value.__globals__.get(node.id)
        else:
            meaning = self.frame.look(node.id)
            value = meaning.value if isinstance(meaning, Known) else None
        return value if value is np or isinstance(value, np.ufunc) else None

    # -- functions of places, and of parts

    @function(np.fromfunction)
    def _fromfunction(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Read ``np.fromfunction(f, (2, 3))`` as the call of `f` with the indices."""
        shape = args[1] if len(args) == 2 else None
        if keywords or not isinstance(shape, gast.Tuple) or not isinstance(args[0], Static):
            return None
        count = len(shape.elts)
        kind = gast.keyword("dtype", self.frame.constant(float, "float"))
        made = gast.Call(self.frame.plain(Known(np.indices), node), [shape], [kind])
        grid = self.frame.keep("grid", at(made, node), node)
        places = [subscript(clone(grid), gast.Constant(i, None)) for i in range(count)]
        return self.frame.call(args[0], list(places), {}, node)

    @function(np.fromiter)
    def _fromiter(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Read ``np.fromiter((f(v) for v in x), float)`` as the array of a list."""
        given = dict(zip(("iter", "dtype", "count"), args, strict=False)) | keywords
        if not {"iter", "dtype"} <= set(given) <= {"iter", "dtype", "count"}:
            return None
        source, kind = given["iter"], given["dtype"]
        if isinstance(source, gast.GeneratorExp):
            source = at(gast.ListComp(source.elt, source.generators), node)
        if isinstance(source, Static) or not self.frame.varies(source):
            return None
        if not isinstance(source, (gast.ListComp, gast.List, gast.Tuple)):
            source = at(call("list", source), node)  # it may be an iterator
        source = self._so_many(source, given.get("count"), node)
        if source is None:
            return None
        plain = [source, self.frame.plain(kind, node)]
        return at(gast.Call(self.frame.plain(Known(np.array), node), plain, []), node)

    def _so_many(self, source: Any, count: Value | None, node: Any) -> Any | None:
        """Return the first items, as many as are asked for, which are to be there; None if unclear.

        As many as an array has elements are all that are made of those.
        """
        number = getattr(getattr(count, "operand", None), "value", None)
        if count is None or (isinstance(getattr(count, "op", None), gast.USub) and number == 1):
            return source
        every = isinstance(source, gast.ListComp) and len(source.generators) == 1
        part = source.generators[0] if every else None
        if part is not None and not part.ifs:
            counted = gast.Call(load("range"), [count], [])
            whole = gast.Call(load("len"), [part.iter], [])
            if is_same(count, whole) or is_same(part.iter, counted):
                return source
        told = type(getattr(count, "value", None)) is int
        told = told or getattr(getattr(count, "func", None), "id", "") == "len"
        if not told or not self.frame.hoistable:  # -1 stands for all
            return None
        items = self.frame.keep("items", source, node)
        wanted = self.frame.bound_now(count, "count", node)
        short = gast.Compare(call("len", clone(items)), [gast.Lt()], [clone(wanted)])
        message = "iterator too short: Expected {} but iterator had only {} items."
        held = call("len", clone(items))
        shown = method(gast.Constant(message, None), "format", clone(wanted), held)
        error = call("ValueError", shown)
        self.frame.out.append(at(gast.If(short, [at(gast.Raise(error, None), node)], []), node))
        return at(subscript(items, gast.Slice(None, wanted, None)), node)

    @function(np.piecewise)
    def _piecewise(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Write the pieces into a new array, one after the other, as NumPy does."""
        if len(args) < 3 or keywords or not self.frame.hoistable:
            return None
        x, conditions, functions, *extra = args
        held, parts = _items(conditions), _items(functions)
        if held is None or parts is None or isinstance(x, Static):
            return None
        if any(isinstance(item, Static) for item in [*held, *extra]):
            return None
        if any(isinstance(item, gast.Constant) for item in held):
            return None  # which are the elements of one condition, if there are axes
        x = x if isinstance(x, gast.Name) else self.frame.keep("x", x, node)
        points = self.frame.keep("points", self._numpy(np.atleast_1d, x, node), node)
        rows = [self._numpy(np.atleast_1d, item, node) for item in held]  # numbers have none
        names = [self.frame.keep("held", row, node) for row in rows]
        if len(parts) == len(names) + 1:
            either = clone(names[0])
            for name in names[1:]:
                either = gast.BinOp(either, gast.BitOr(), clone(name))
            names.append(
                self.frame.keep("rest", at(gast.UnaryOp(gast.Invert(), either), node), node)
            )
        if len(parts) != len(names):
            return None
        pieces = self.frame.keep("pieces", self._numpy(np.zeros_like, points, node), node)
        for name, part in zip(names, parts, strict=True):
            value = part
            if isinstance(part, Static):
                own = subscript(clone(points), clone(name))
                value = self.frame.call(part, [own, *map(clone, extra)], {}, node)
            target = gast.Subscript(clone(pieces), clone(name), gast.Store())
            self.frame.out.append(
                at(gast.Assign([target], self.frame.plain(value, node), None), node)
            )
        shape = self._numpy(np.shape, x, node)
        reshape = self.frame.plain(Known(np.reshape), node)
        return at(gast.Call(reshape, [load(pieces.id), shape], []), node)

    def _numpy(self, function: Any, value: Any, node: Any) -> Any:
        return at(gast.Call(self.frame.plain(Known(function), node), [clone(value)], []), node)

    # -- operators, types, and polynomials as objects

    def _operation(self, function: Any, args: list[Value], node: Any) -> Value | None:
        """Read ``operator.add(x, y)`` as ``x + y``."""
        kind = _OPERATORS.get(function)
        if kind is None or any(isinstance(item, Static) for item in args):
            return None
        return (
            at(gast.BinOp(args[0], kind(), args[1]), node)
            if any(map(self.frame.varies, args))
            else None
        )

    def _with_options(
        self, function: np.ufunc, args: list[Value], keywords: Bound, node: Any
    ) -> Value | None:
        """Leave out options that ask for nothing, and read ``np.add(x, y, dtype=float)``."""
        asked = {name: v for name, v in keywords.items() if not _is_idle(name, v)}
        if (
            set(asked) - {"dtype"}
            or len(args) != function.nin
            or not any(map(self.frame.varies, args))
        ):
            return None
        if asked:
            return self._in_type(function, args, asked["dtype"], node)
        self.frame.changed = True
        return self.frame.call(Known(function), args, {}, node)

    def _in_type(
        self, function: np.ufunc, args: list[Value], kind: Value, node: Any
    ) -> Value | None:
        """Read ``np.add(x, y, dtype=float)`` as the sum of arrays of that type."""
        if "d" * function.nin + "->d" not in function.types:
            return None
        if isinstance(kind, Known):
            if kind.value not in _FLOATS:
                return None
        elif isinstance(kind, (Static, gast.Constant)):
            return None
        elif not isinstance(kind, (gast.Name, gast.Attribute)):
            kind = self.frame.keep("kind", kind, node)
        asarray = self.frame.plain(Known(np.asarray), node)
        made = [
            at(
                gast.Call(
                    clone(asarray),
                    [self.frame.plain(item, node), clone(self.frame.plain(kind, node))],
                    [],
                ),
                node,
            )
            for item in args
        ]
        return at(gast.Call(self.frame.plain(Known(function), node), made, []), node)

    @function(np.poly1d)
    def _poly1d(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        return self._polynomial(np.poly1d, args, keywords, node)

    @function(np.polynomial.Polynomial)
    def _power_series(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        return self._polynomial(np.polynomial.Polynomial, args, keywords, node)

    def _polynomial(self, made: Any, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return a polynomial of coefficients that stand still, if the function calls it."""
        if len(args) != 1 or keywords or isinstance(args[0], Static):
            return None
        called = {getattr(item.func, "id", "") for item in found_in(self.frame.tree, gast.Call)}
        if not self.frame.wished or self.frame.wished not in called:
            return None
        found = self.session.vocabulary.equivalent(made, args, {})
        return self.frame.call(Known(found.function), args, {}, node)

    def polynomial_value(
        self, callee: Known, args: list[Value], keywords: Bound, node: Any
    ) -> Value | None:
        """Return what a `poly1d` of outside is at points; None of other callees."""
        if not isinstance(callee.value, np.poly1d) or len(args) != 1 or keywords:
            return None
        held = gast.Attribute(self.frame.plain(callee, node), "coeffs", gast.Load())
        return self.frame.call(Known(np.polyval), [held, *args], {}, node)


def _is_idle(name: str, value: Value) -> bool:
    """Say whether an option of a ufunc is what it is anyway."""
    return isinstance(value, gast.Constant) and any(
        name == option and value.value is idle for option, idle in _IDLE
    )


def _single_type(otypes: Value) -> Value | None:
    """Return the type in ``otypes=[float]`` or ``otypes="d"``."""
    if isinstance(otypes, Items) and len(otypes.values) == 1:
        kind = otypes.values[0]
        return kind if isinstance(kind, Known) and kind.value in _FLOATS else None
    code = getattr(otypes, "value", None)
    return Known(float) if code == "d" else None


def _items(value: Value) -> list[Value] | None:
    if isinstance(value, Items) and value.keys is None:
        return list(value.values)
    return list(value.elts) if isinstance(value, (gast.List, gast.Tuple)) else None
