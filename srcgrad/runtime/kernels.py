"""Runs functions that calculate by element as one kernel each, where the library can.

A kernel gives the very numbers that the operations give one after the other: products and sums are
not contracted. Rules that ask which of several values a minimum is depend on that, since they may
calculate the values anew.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcgrad.backends import CUPY
from srcgrad.parsing import parsed

Way = Callable[..., Any]
_RAISING: Final = (ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_TYPES: Final = {"float64": "double", "float32": "float", "bool": "bool"}
_SIGNS: Final = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.BitAnd: "&&",
    ast.BitOr: "||",
}
_FUNCTIONS: Final = {
    **{name: name for name in "exp expm1 log log1p log2 log10 sqrt cbrt floor ceil".split()},
    **{name: name for name in "sin cos tan sinh cosh tanh hypot".split()},
    **{f"arc{name}": f"a{name}" for name in "sin cos tan tan2 sinh cosh tanh".split()},
    "abs": "fabs",
    "absolute": "fabs",
    "fabs": "fabs",
    "power": "pow",
}
_FORMS: Final = {
    "square": "({0} * {0})",
    "reciprocal": "(1 / {0})",
    "negative": "(-{0})",
    "add": "({0} + {1})",
    "subtract": "({0} - {1})",
    "multiply": "({0} * {1})",
    "divide": "({0} / {1})",
    "true_divide": "({0} / {1})",
    "maximum": "({0} != {0} ? {0} : {1} != {1} ? {1} : {0} < {1} ? {1} : {0})",
    "minimum": "({0} != {0} ? {0} : {1} != {1} ? {1} : {1} < {0} ? {1} : {0})",
    "sign": "({0} != {0} ? {0} : ({0} > 0) - ({0} < 0))",
}


class one_kernel:
    """Decorates a function that is to run as one kernel, for the kinds of arguments it is good for.

    The first call with arguments of new types, axes and orders in memory runs both ways. If the
    results differ in type, shape, order in memory or in any number, or if no kernel can be made of
    it, the function runs as it is written for such arguments from then on.
    """

    def __init__(self, function: Way) -> None:
        self._function = function
        self._chosen: dict[Any, Way] = {}
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__

    def __call__(self, *args: Any) -> Any:
        """Calculate by the kernel, or without one."""
        kinds = tuple(_kind(value) if hasattr(value, "ndim") else type(value) for value in args)
        found = self._chosen.get(kinds)
        if found is not None:
            return found(*args)
        self._chosen[kinds], result = _choose(self._function, args)
        return result


def _kind(array: Any) -> tuple[Any, ...]:
    """Return what the shapes and the orders in memory of results hang on, beside the type.

    A kernel gives all its results the shape that all its arguments have together, so it is good for
    those alone whose axes of length one are the same.
    """
    shape, flags = array.shape, array.flags
    single = tuple(n == 1 for n in shape) if 1 in shape else len(shape)
    if flags.c_contiguous or flags.f_contiguous:
        return array.dtype.char, single, "C" * flags.c_contiguous + "F" * flags.f_contiguous
    steps = array.strides
    return array.dtype.char, single, tuple(sorted(range(len(shape)), key=lambda k: -steps[k]))


def _choose(function: Way, args: tuple[Any, ...]) -> tuple[Way, Any]:
    """Return the way a function is to run, and its result."""
    plain = function(*args)
    library: Any = CUPY.loaded()
    if not any(map(CUPY.owns, args)):
        return function, plain
    try:
        (tree,) = parsed(textwrap.dedent(inspect.getsource(function))).body
        assert isinstance(tree, ast.FunctionDef)
        for squares in ("pow({0}, {1})", "({0} * {0})"):
            code = KernelCode(tree, args, squares)
            kernel = library.ElementwiseKernel(
                *(code.given, code.returned, code.body, "srcgrad"), options=("--fmad=false",)
            )
            if _agree(kernel(*args), plain):
                return kernel, plain
            if not code.has_squares:
                break
    except Exception:  # noqa: BLE001, S110 - no kernel can be made of it, whoever says so
        pass
    return function, plain


class NoKernelError(Exception):
    """A function calculates with what a kernel is not made for."""


class KernelCode:
    r"""The code of a kernel: its parameters, its results, and what it does with an element.

    >>> (tree,) = ast.parse('''
    ... def kernel(x, s):
    ...     y = np.tanh(x * s)
    ...     return y, np.where(y > 0.5, y, -x)
    ... ''').body
    >>> code = KernelCode(tree, (np.ones(3), 2.0), "pow({0}, {1})")
    >>> print(code.given, code.returned, code.body, sep="\n")
    float64 a0, float64 a1
    float64 o0, float64 o1
    double v0 = tanh((a0 * a1));
    o0 = v0;
    o1 = ((v0 > (double)0.5) ? v0 : (-a0));
    """

    def __init__(self, tree: ast.FunctionDef, args: tuple[Any, ...], squares: str) -> None:
        self._squares = squares
        self.has_squares = False
        self._names: dict[str, tuple[str, str]] = {}
        self._numbers: set[str] = set()
        self.type = _type_of(args)
        self._number = _TYPES[self.type]
        given = []
        for place, (item, value) in enumerate(zip(tree.args.args, args, strict=True)):
            kind = str(value.dtype) if hasattr(value, "ndim") else self.type
            if not hasattr(value, "ndim"):
                self._numbers.add(item.arg)
            given.append(f"{kind} a{place}")
            self._names[item.arg] = (f"a{place}", kind)
        self.given = ", ".join(given)
        *statements, last = tree.body
        lines = [self._bound(place, item) for place, item in enumerate(statements)]
        assert isinstance(last, ast.Return)
        assert last.value is not None
        parts = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
        results = [self._value(part) for part in parts]
        lines += [f"o{place} = {code};" for place, (code, _) in enumerate(results)]
        self.returned = ", ".join(f"{kind} o{place}" for place, (_, kind) in enumerate(results))
        self.body = "\n".join(lines)

    def _bound(self, place: int, statement: ast.stmt) -> str:
        assert isinstance(statement, ast.Assign)
        (target,) = statement.targets
        assert isinstance(target, ast.Name)
        code, kind = self._value(statement.value)
        is_number = self._is_number(statement.value)
        self._numbers = self._numbers - {target.id} | ({target.id} if is_number else set())
        self._names[target.id] = (f"v{place}", kind)
        return f"{_TYPES[kind]} v{place} = {code};"

    def _is_number(self, node: ast.expr) -> bool:
        """Say whether an expression gives a number of Python's."""
        if any(isinstance(item, ast.Call) for item in ast.walk(node)):
            return False
        names = (item.id for item in ast.walk(node) if isinstance(item, ast.Name))
        return all(name in self._numbers for name in names)

    def _value(self, node: ast.expr) -> tuple[str, str]:
        """Return the code of an expression and the type that it gives."""
        if isinstance(node, ast.Name):
            return self._names[node.id]
        if isinstance(node, ast.Constant):
            return self._constant(node.value), self.type
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        if isinstance(node, ast.Compare):
            left, right = self._numeric(node.left), self._numeric(node.comparators[0])
            return f"({left} {_SIGNS[type(node.ops[0])]} {right})", "bool"
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Attribute)
        return self._call(node.func.attr, node.args)

    def _constant(self, value: Any) -> str:
        if type(value) not in (int, float) or not np.isfinite(value):
            raise NoKernelError("a constant")
        return f"({self._number}){float(value)!r}"

    def _numeric(self, node: ast.expr) -> str:
        code, kind = self._value(node)
        if kind == "bool":
            raise NoKernelError("arithmetic of truth values")
        return code

    def _truth(self, node: ast.expr) -> str:
        code, kind = self._value(node)
        if kind != "bool":
            raise NoKernelError("bits of numbers")
        return code

    def _unary(self, node: ast.UnaryOp) -> tuple[str, str]:
        if isinstance(node.op, ast.Invert):
            return f"(!{self._truth(node.operand)})", "bool"
        sign = "-" if isinstance(node.op, ast.USub) else ""
        return f"({sign}{self._numeric(node.operand)})", self.type

    def _binary(self, node: ast.BinOp) -> tuple[str, str]:
        if self._is_number(node) and (isinstance(node.op, _RAISING) or self.type != "float64"):
            raise NoKernelError("numbers are calculated with, which may raise or is more precise")
        if isinstance(node.op, (ast.BitAnd, ast.BitOr)):
            both = self._truth(node.left), self._truth(node.right)
            return f"({both[0]} {_SIGNS[type(node.op)]} {both[1]})", "bool"
        left, right = self._numeric(node.left), self._numeric(node.right)
        if isinstance(node.op, ast.Pow):
            is_square = isinstance(node.right, ast.Constant) and node.right.value == 2
            self.has_squares |= is_square
            form = self._squares if is_square else "pow({0}, {1})"
            return form.format(left, right), self.type
        return f"({left} {_SIGNS[type(node.op)]} {right})", self.type

    def _call(self, name: str, args: list[ast.expr]) -> tuple[str, str]:
        if name == "where":
            test = self._truth(args[0])
            both = self._numeric(args[1]), self._numeric(args[2])
            return f"({test} ? {both[0]} : {both[1]})", self.type
        given = [self._numeric(item) for item in args]
        if name in _FORMS:
            return _FORMS[name].format(*given), self.type
        return f"{_FUNCTIONS[name]}({', '.join(given)})", self.type


def _type_of(args: tuple[Any, ...]) -> str:
    """Return the one type of floats that arrays have."""
    kinds = {str(item.dtype) for item in args if hasattr(item, "ndim")} - {"bool"}
    if len(kinds) != 1 or not kinds <= {"float64", "float32"}:
        raise NoKernelError("not one type of floats")
    return kinds.pop()


def _agree(ours: Any, theirs: Any) -> bool:
    """Say whether two results are the same."""
    if isinstance(theirs, tuple):
        apart = len({id(item) for item in ours}) == len(ours) == len(theirs)
        return apart and all(map(_agree, ours, theirs))
    if type(ours) is not type(theirs) or ours.dtype != theirs.dtype:
        return False
    if ours.shape != theirs.shape or ours.strides != theirs.strides:
        return False
    return bool(np.array_equal(ours.get(), theirs.get(), equal_nan=ours.dtype.kind == "f"))
