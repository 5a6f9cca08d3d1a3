"""Says of what kinds an argument is, and writes the text that asks whether another one is as well.

An outline holds all that a derivative's text may depend on, and no values: types, lengths, keys and
types of elements. What it has no word for (objects, functions, complex numbers, tensors, arrays of
Dask) goes by the long way of a call.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from srcgrad.backends import CUPY
from srcgrad.codegen.printer import to_source
from srcgrad.parsing import expression_of

_NUMBERS: Final = frozenset((float, int, np.float64, np.float32))
_ATOMS: Final = _NUMBERS | {bool, str, type(None)}
_FLOATS: Final = frozenset((float, int))
_COMPARISONS: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_MOST: Final = 128  # parts of one argument
_FEW: Final = 8  # elements of a list, which are asked one by one


class UnknownKindError(Exception):
    """There is something that only the long way can look at."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The kind of one value.

    Attributes:
        kind: Its type.
        dtype: That of the elements of an array, or of all the arrays in a long list.
        axes: How many an array has.
        keys: Those of a dict, or the positions in a list or tuple.
        parts: The outlines of the entries, in this order.
        every: The type of all elements of a long list, which may be of any length.
    """

    kind: type
    dtype: Any = None
    axes: int = 0
    keys: tuple[Any, ...] = ()
    parts: tuple[Outline, ...] = ()
    every: type | None = None

    @property
    def is_array(self) -> bool:
        """Whether it is that of an array."""
        return self.dtype is not None and self.every is None


def outline_of(value: Any) -> Outline:
    """Return the outline of an argument.

    >>> outline_of({"w": np.ones(3)}) == outline_of({"w": np.ones(5)})
    True
    >>> outline_of(1.0) == outline_of(1), outline_of(np.ones(3)) == outline_of(np.ones(3, "f4"))
    (False, False)

    Raises:
        UnknownKindError: There is no outline for it.
    """
    return _outline(value, [_MOST])


def _outline(value: Any, left: list[int]) -> Outline:
    left[0] -= 1
    kind = type(value)
    if left[0] < 0:
        raise UnknownKindError("an argument has many parts")
    if kind in _ATOMS:
        return Outline(kind)
    if kind is np.ndarray or CUPY.has(kind):
        return Outline(kind, _dtype_of(value), value.ndim)
    if kind is dict:
        if not all(type(key) in (str, int) for key in value):
            raise UnknownKindError("keys are neither texts nor integers")
        parts = tuple(_outline(item, left) for item in value.values())
        return Outline(kind, keys=tuple(value), parts=parts)
    if kind not in (list, tuple):
        raise UnknownKindError(f"there is no word for a {kind.__name__}")
    if len(value) > _FEW and (found := _of_all(kind, value)) is not None:
        return found
    parts = tuple(_outline(item, left) for item in value)
    return Outline(kind, keys=tuple(range(len(value))), parts=parts)


def _dtype_of(array: Any) -> Any:
    dtype = array.dtype
    if dtype.kind not in "fiub" or dtype is not np.dtype(dtype.char):  # it is one object for all
        raise UnknownKindError(f"there is no word for arrays of {dtype}")
    return dtype


def _of_all(kind: type, values: Any) -> Outline | None:
    """Return the outline of a long list whose elements are all of one kind."""
    kinds = set(map(type, values))
    every = kinds.pop()
    if kinds or (every is not np.ndarray and every not in _FLOATS):
        return None
    if every is not np.ndarray:
        return Outline(kind, every=every)
    dtype = _dtype_of(values[0])
    same = all(item.dtype is dtype for item in values)
    return Outline(kind, dtype, every=every) if same else None


def all_of_type(values: Any, every: type, dtype: Any) -> bool:
    """Say whether all elements of a list are of a type, and if they are arrays of a dtype.

    >>> all_of_type([1.0, 2.0], float, None), all_of_type([1.0, 2], float, None)
    (True, False)
    """
    if {*map(type, values)} != {every}:
        return False
    return dtype is None or all(item.dtype is dtype for item in values)


class Questions:
    """Text that asks whether arguments, and then a gradient, are of the kinds of outlines.

    Attributes:
        scope: What the text names, by its names there.
        lines: The statements that ask about arguments; they end in `break` if something is not so.
    """

    def __init__(self) -> None:
        self.scope: dict[str, Any] = {"_sg_type": type, "_sg_len": len, "_sg_of": all_of_type}
        self.lines: list[str] = []
        self._names: dict[str, str] = {}
        self._outlines: dict[str, Outline] = {}
        self._shapes: set[str] = set()

    def name(self, value: Any, word: str) -> str:
        """Return the name of a value in the text."""
        for name, known in self.scope.items():
            if known is value and name.startswith(f"_sg_{word}"):
                return name
        name = f"_sg_{word}{len(self.scope)}"
        self.scope[name] = value
        return name

    def ask(self, text: str, name: str, outline: Outline) -> None:
        """Ask about what stands at `text` in the arguments, which the local `name` holds."""
        self._names[_printed(text)], self._outlines[name] = name, outline
        tests = [f"_sg_type({name}) is not {self.name(outline.kind, 't')}"]
        if outline.every is not None:
            element = f"{self.name(outline.every, 't')}, {self.name(outline.dtype, 'd')}"
            tests.append(f"not {name} or not _sg_of({name}, {element})")
        elif outline.dtype is not None:
            tests.append(f"{name}.dtype is not {self.name(outline.dtype, 'd')}")
            tests.append(f"{name}.ndim != {outline.axes}")
        elif outline.kind in (dict, list, tuple):
            tests.append(f"_sg_len({name}) != {len(outline.keys)}")
        self._leave_if(" or ".join(tests))
        for key, part in zip(outline.keys, outline.parts, strict=True):
            inner = f"_sg_v{len(self._names)}"
            self.lines.append(f"{inner} = {name}[{key!r}]")
            self.ask(f"{text}[{key!r}]", inner, part)

    def _leave_if(self, test: str) -> None:
        self.lines.append(f"if {test}: break")

    def ask_condition(self, text: str) -> None:
        """Ask for a condition on the arguments, whose names and kinds are known by now."""
        test = _Known(self).visit(expression_of(text))
        if not (isinstance(test, ast.Constant) and test.value is True):
            self._leave_if(f"not ({to_source(test)})")

    def local(self, node: ast.expr) -> tuple[str, Outline] | None:
        """Return the local that holds what an expression of arguments means, and its outline."""
        name = self._names.get(to_source(node))
        return None if name is None else (name, self._outlines[name])

    def shape_of(self, name: str) -> str:
        """Return the local that holds the shape of an array in a local, taken if nobody has.

        The shape of an array of one axis is its length, which is sooner taken.
        """
        shape = f"_sg_s_{name}"
        if name not in self._shapes:
            self._shapes.add(name)
            what = "size" if self._outlines[name].axes == 1 else "shape"
            self.lines.append(f"{shape} = {name}.{what}")
        return shape

    def fitting(self, gradient: str, text: str) -> Iterator[tuple[str, str]]:
        """Yield tests that a gradient fits the argument at `text`, and leaves to look for NaN in.

        Each is a pair of which one is empty.
        """
        name = self._names[_printed(text)]
        outline = self._outlines[name]
        kind = outline.kind
        if outline.every is not None:
            raise UnknownKindError("the elements of a list are asked about together")
        if kind in (bool, str, type(None)) or (outline.dtype and outline.dtype.kind != "f"):
            yield f"{gradient} is None", ""
            return
        wanted = float if kind is int else kind
        local = gradient if gradient.isidentifier() else f"_sg_g{name}"
        made = gradient if local == gradient else f"({local} := {gradient})"
        yield f"_sg_type({made}) is {self.name(wanted, 't')}", ""
        if outline.is_array:
            yield f"{local}.dtype is {self.name(outline.dtype, 'd')}", ""
            yield f"{local}.ndim == {outline.axes}", ""
            what = "size" if outline.axes == 1 else "shape"
            if outline.axes:
                yield f"{local}.{what} == {self.shape_of(name)}", ""
            if kind is not np.ndarray:
                return  # on a device nobody looks for NaN
            if outline.axes == 1:  # the product is NaN if there is one: squares have one sign
                yield "", f"(_sg_product := {local}.dot({local})) != _sg_product"
            else:
                yield "", f"_sg_nan({local})"
        elif kind in _NUMBERS:
            yield "", f"{local} != {local}"
        else:
            yield f"_sg_len({local}) == {len(outline.keys)}", ""
            for key in outline.keys:
                yield from self.fitting(f"{local}[{key!r}]", f"{text}[{key!r}]")


class _Known(ast.NodeTransformer):
    """Writes a condition by the locals of a text, without what the kinds of these say already."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions

    def visit(self, node: ast.AST) -> Any:
        found = self._questions.local(node) if isinstance(node, ast.expr) else None
        return ast.Name(found[0], ast.Load()) if found is not None else super().visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        """Answer what the kinds of arguments tell; unroll `all` over a short list."""
        match node:
            case ast.Call(ast.Name("isinstance"), [tested, types]) if (
                found := self._questions.local(tested)
            ):
                known = eval(to_source(types), {"np": np})  # noqa: S307 - text of our own making
                kind = np.ndarray if found[1].is_array else found[1].kind
                return ast.Constant(issubclass(kind, known))
            case ast.Call(ast.Attribute(ast.Name("np"), "ndim" | "shape" as asked), [tested]) if (
                found := self._questions.local(tested)
            ) and found[1].is_array:
                return self.visit_Attribute(ast.Attribute(tested, asked, ast.Load()))
            case ast.Call(ast.Name("all"), [ast.GeneratorExp() as trips]):
                return self._unrolled(trips) or self.generic_visit(node)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Answer how many axes an array has; read its shape from the local that holds it."""
        found = self._questions.local(node.value)
        if found is None or not found[1].is_array:
            return self.generic_visit(node)
        if node.attr == "ndim":
            return ast.Constant(found[1].axes)
        return self._shape(*found) if node.attr == "shape" else self.generic_visit(node)

    def _shape(self, name: str, outline: Outline) -> ast.expr:
        shape: ast.expr = ast.Name(self._questions.shape_of(name), ast.Load())
        return ast.Tuple([shape], ast.Load()) if outline.axes == 1 else shape

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Compare what is known already, and the lengths of arrays of one axis by themselves."""
        node = ast.Compare(
            self.visit(node.left), node.ops, [self.visit(item) for item in node.comparators]
        )
        match node:
            case ast.Compare(ast.Constant(left), [op], [ast.Constant(right)]):
                test = _COMPARISONS.get(type(op))
                return node if test is None else ast.Constant(test(left, right))
            case ast.Compare(ast.Tuple([left]), [ast.Eq()], [ast.Tuple([right])]):
                return ast.Compare(left, node.ops, [right])
        return node

    def _unrolled(self, trips: ast.GeneratorExp) -> ast.expr | None:
        match trips.generators:
            case [ast.comprehension(ast.Name() as item, over, [], 0)]:
                found = self._questions.local(over)
                if found is None or not found[1].parts:
                    return None
                text = to_source(over)
                tests = [
                    self.visit(_put(trips.elt, item.id, f"{text}[{key!r}]"))
                    for key in found[1].keys
                ]
                asked = [
                    item
                    for item in tests
                    if not (isinstance(item, ast.Constant) and item.value is True)
                ]
                if not asked:
                    return ast.Constant(True)
                return ast.BoolOp(ast.And(), asked) if len(asked) > 1 else asked[0]
        return None


def _put(node: ast.expr, name: str, text: str) -> ast.expr:
    """Return a copy of an expression with another one in the place of a name."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> Any:
            return expression_of(text) if node.id == name else node

    put: ast.expr = Put().visit(expression_of(to_source(node)))
    return put


def _printed(text: str) -> str:
    """Return a text as it is printed, by which expressions are known."""
    return text if text.isidentifier() else to_source(expression_of(text))
