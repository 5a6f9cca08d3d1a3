"""Says what an expression does: which primitive, function or display it is, on which operands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Final, Literal

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.changes import is_change
from srcgrad.ir.idioms import idiom_of
from srcgrad.ir.marks import SETTLED
from srcgrad.ir.scopes import MISSING, Scope
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import root_name
from srcgrad.primitives import Primitive
from srcgrad.runtime.results import solver_of

Kind = Literal[
    "copy",
    "unpack",
    "primitive",
    "constant",
    "user",
    "taped",
    "class",
    "tuple",
    "list",
    "dict",
    "pop",
    "unknown",
]


@dataclass(slots=True)
class Operation:
    """One operation of a program in normal form.

    Attributes:
        kind: ``primitive`` has a rule; ``constant`` has no derivative; ``user`` is a function
            to be differentiated too; ``class`` is a user's `Function`; ``copy`` reads one value and
            ``unpack`` its elements;
            displays build containers and ``pop`` takes an entry out of one; ``unknown`` is
            everything else.
        primal: The function object of a primitive, a user function or a class.
        args, keywords: The operands, with the array of a method first.
        whole: Whether it is told to make ints or truths of them, which pass no derivative on.
        names: The names through which it can pass a derivative on, once they were asked for.
    """

    kind: Kind
    primal: Any = None
    args: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    whole: bool = False
    names: tuple[str, ...] | None = field(default=None, compare=False, repr=False)


class Reader:
    """Reads expressions of one function: the vocabulary applied to its scope."""

    def __init__(self, scope: Scope, vocabulary: Vocabulary) -> None:
        self.scope = scope
        self.vocabulary = vocabulary

    def read(self, node: Any) -> Operation:
        """Return what the outermost step of an expression does."""
        method = _READING[node.__class__]
        if method is None:
            return Operation("unknown")
        operation: Operation = method(self, node)
        return operation

    def constant_callee(self, call: Any) -> bool:
        """Say whether a call is one whose result never carries a derivative."""
        callee = self.scope.resolve(call.func)
        if SETTLED.of(call) or solver_of(callee) is not None:
            return SETTLED.of(call)
        if writes_result(call, callee):
            return False
        if callee is not MISSING:
            return self.vocabulary.constant_reason(callee) is not None
        func = call.func
        return isinstance(func, gast.Attribute) and func.attr in self.vocabulary.constant_methods

    def gives_keys(self, node: Any) -> bool:
        """Say whether an expression is a call that lists, orders or chooses the keys of a dict."""
        settled = isinstance(node, gast.Call) and SETTLED.of(node)
        return settled and solver_of(self.scope.resolve(node.func)) is None

    def constant_attribute(self, node: Any) -> bool:
        """Say whether an attribute is one such as `x.shape`."""
        return node.attr in self.vocabulary.constant_attributes

    def computing_owner(self, subscript: Any) -> Any:
        """Return the object whose brackets compute with what is in them, as those of `np.r_` do."""
        owner = self.scope.resolve(subscript.value)
        plain = owner is MISSING or isinstance(owner, self.vocabulary.plain_containers)
        return None if plain else owner

    def _read_joined(self, owner: Any, index: Any) -> Operation:
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        primal = next((p for known, p in self.vocabulary.joiners if known is owner), None)
        texts = (isinstance(getattr(part, "value", None), str) for part in parts)
        sliced = any(isinstance(part, gast.Slice) for part in parts)
        if primal is None or sliced or any(texts):
            return Operation("unknown", None, tuple(parts))
        return Operation("primitive", primal, (gast.List(parts, gast.Load()),))

    def _primitive(self, primal: Any, *args: Any, **keywords: Any) -> Operation:
        if self.vocabulary.rule_for(primal) is None:
            if self.vocabulary.constant_reason(primal) is not None:
                return Operation("constant", primal, args, keywords)
            return Operation("unknown", primal, args, keywords)
        whole = self._is_told_whole(primal, args, keywords)
        return Operation("primitive", primal, args, keywords, whole)

    def makes_whole(self, call: Any) -> bool:
        """Say whether a call makes ints or truths of what it is given, as ``x.astype(int)`` does.

        The result may lie in the memory of the operand, if that consists of such already.
        """
        named = (
            isinstance(call.func, gast.Attribute) or self.scope.resolve(call.func) is not MISSING
        )
        return named and self.read(call).whole

    def _is_told_whole(self, primal: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
        place = self.vocabulary.primitive(primal).dtype
        if place is None:
            return False
        given = args[place] if place < len(args) else keywords.get("dtype")
        known = getattr(given, "value", None) if isinstance(given, gast.Constant) else MISSING
        if known is MISSING and given is not None:
            known = self.scope.resolve(given)
        if not isinstance(known, (type, str, np.dtype)):
            return False
        try:
            return np.dtype(known).kind in "iub"
        except TypeError:
            return False

    def _read_Name(self, node: Any) -> Operation:
        return Operation("copy", None, (node,))

    def _read_Constant(self, node: Any) -> Operation:
        return Operation("constant")

    def _read_ListComp(self, node: Any) -> Operation:
        entry = node.value if isinstance(node, gast.DictComp) else node.elt
        plain = isinstance(entry, gast.Constant)
        is_constant = plain or (isinstance(entry, gast.Call) and self.constant_callee(entry))
        return Operation("constant" if is_constant else "unknown")

    _read_DictComp = _read_ListComp

    def _read_Compare(self, node: Any) -> Operation:
        return Operation("constant")

    _read_JoinedStr = _read_Constant

    def _read_BinOp(self, node: Any) -> Operation:
        if isinstance(node.op, gast.Mod) and self.is_text(node.left):
            return Operation("constant")
        idiom = idiom_of(node, self.scope)
        if idiom is not None:
            return self._primitive(idiom.primal, idiom.operand)
        primal = self.vocabulary.binary.get(type(node.op).__name__)
        return self._primitive(primal, node.left, node.right)

    def is_text(self, node: Any) -> bool:
        """Say whether an expression is known to be text, as of ``"%g" % x`` the left side is."""
        if isinstance(node, (gast.Constant, gast.JoinedStr)):
            return isinstance(getattr(node, "value", ""), str)
        return isinstance(self.scope.resolve(node), str)

    def _read_UnaryOp(self, node: Any) -> Operation:
        if isinstance(node.op, gast.Not):
            return Operation("constant")
        primal = self.vocabulary.unary.get(type(node.op).__name__)
        return self._primitive(primal, node.operand)

    def _read_Subscript(self, node: Any) -> Operation:
        owner = self.computing_owner(node)
        if owner is not None:
            return self._read_joined(owner, node.slice)
        return Operation("primitive", self.vocabulary.getitem, (node.value, node.slice))

    def _read_Attribute(self, node: Any) -> Operation:
        if self.constant_attribute(node):
            return Operation("constant")
        if self.scope.resolve(node) is not MISSING:
            return Operation("constant")
        primal = self.vocabulary.attributes.get(node.attr)
        return self._primitive(primal, node.value) if primal else Operation("unknown")

    def _read_Tuple(self, node: Any) -> Operation:
        return Operation("tuple", None, tuple(node.elts))

    def _read_List(self, node: Any) -> Operation:
        return Operation("list", None, tuple(node.elts))

    def _read_Dict(self, node: Any) -> Operation:
        return Operation("dict", None, tuple(node.values))

    def _read_Call(self, node: Any) -> Operation:
        keywords = {item.arg: item.value for item in node.keywords}
        args = tuple(node.args)
        settled = SETTLED.of(node)
        starred = any(isinstance(item, gast.Starred) for item in args)
        if settled or None in keywords or (starred and not self._gives_all(node)):
            constant = settled or (starred and self._is_constant(node))
            return Operation("constant" if constant else "unknown", None, args, {})
        callee = self.scope.resolve(node.func)
        if callee is MISSING:
            return self._read_method(node, args, keywords)
        if solver_of(callee) is not None:
            return Operation("unknown", callee, args, keywords)
        apply_of = self._apply_class(node.func)
        if apply_of is not None:
            return Operation("class", apply_of, args, keywords)
        draw = self.vocabulary.methods.get(getattr(callee, "__name__", ""))
        if draw is not None and self.vocabulary.is_draw(callee):
            return self._primitive(draw, gast.Constant(None, None), *args, **keywords)
        operation = self._primitive(callee, *args, **keywords)
        writes = operation.kind == "constant" and writes_result(node, callee)
        if writes:
            operation = Operation("unknown", callee, args, keywords)
        elif operation.kind == "unknown" and self.vocabulary.needs_tape(callee):
            return Operation("taped", callee, args, keywords)
        followed = isinstance(callee, FunctionType) and not _is_never_followed(callee)
        followed = followed and not writes
        if operation.kind == "unknown" and followed and not self._passes_context(node.func):
            return Operation("user", callee, args, keywords)
        return operation

    def _is_constant(self, call: Any) -> bool:
        """Say whether the result of a call hangs on no derivative, whatever it is given."""
        callee = self.scope.resolve(call.func)
        found = callee is not MISSING and self._primitive(callee).kind == "constant"
        return found and not writes_result(call, callee)

    def _gives_all(self, call: Any) -> bool:
        """Say whether a call gives a primitive all operands, some by a star, that may be one list.

        Methods like `reshape` take the parts of a shape, or one tuple of them.
        """
        func = call.func
        if self.scope.resolve(func) is MISSING and isinstance(func, gast.Attribute):
            return func.attr in self.vocabulary.variadic
        if len(call.args) != 1 or not isinstance(call.args[0], gast.Starred):
            return False
        return self.vocabulary.takes_any_number(self.scope.resolve(call.func))

    def _passes_context(self, func: Any) -> bool:
        """Say whether a call is of one half of a rule, which hands values on through a context."""
        if not isinstance(func, gast.Attribute) or func.attr not in _HALVES_OF_RULES:
            return False
        owner = self.scope.resolve(func.value)
        return owner is not MISSING and self.vocabulary.is_function_class(owner)

    def _apply_class(self, func: Any) -> Any:
        if isinstance(func, gast.Attribute) and func.attr == "apply":
            owner = self.scope.resolve(func.value)
            if owner is not MISSING and self.vocabulary.is_function_class(owner):
                return owner
        return None

    def _read_method(self, node: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Operation:
        func = node.func
        if not isinstance(func, gast.Attribute) or root_name(func) in self.scope.nothing:
            return Operation("unknown", None, args, keywords)
        if is_change(node):
            return Operation("pop" if func.attr == "pop" else "unknown", None, (func.value, *args))
        if func.attr in self.vocabulary.constant_methods:
            return Operation("constant")
        primal = self.vocabulary.methods.get(func.attr)
        if primal is None:
            return Operation("unknown", None, (func.value, *args), keywords)
        starred = any(isinstance(item, gast.Starred) for item in args)
        if func.attr in self.vocabulary.variadic and (starred or len(args) != 1):
            args = (gast.Tuple(list(args), gast.Load()),) if args else ()
        return self._primitive(primal, func.value, *args, **keywords)


class _Reading(dict[type, Any]):
    """How the nodes of each kind are read; None if nobody knows."""

    def __missing__(self, kind: type) -> Any:
        self[kind] = getattr(Reader, f"_read_{kind.__name__}", None)
        return self[kind]


_READING: Final = _Reading()


def _is_never_followed(function: FunctionType) -> bool:
    """Say whether a function is one of those that convert what they are given, and call C."""
    return str(function.__globals__.get("__name__")).startswith(_CONVERTING)


_HALVES_OF_RULES = frozenset(["forward", "backward", "vjp", "jvp", "setup_context"])
_CONVERTING = ("scipy.", "numpy.ma.", "numpy.matrixlib.", "numpy._core.records", "numpy.rec")


def broadcasts(primitive: Primitive, operation: Operation) -> bool:
    """Say whether a result has the shape of the operands of a call, broadcast together."""
    plain = not operation.keywords and len(operation.args) >= primitive.least
    return primitive.shape == "broadcast" and plain


def broadcast_together(args: Sequence[Any]) -> list[Any]:
    """Return the operands that a result is broadcast from: a bound that is None is none.

    >>> call = gast.parse("np.clip(x, 0, None)", mode="eval").body
    >>> [type(item).__name__ for item in broadcast_together(call.args)]
    ['Name', 'Constant']
    """
    return [item for item in args if not _is_none(item)]


def _is_none(node: Any) -> bool:
    return isinstance(node, gast.Constant) and node.value is None


def may_return_operand(primitive: Primitive, operation: Operation) -> bool:
    """Say whether a call may return its operand or a view of it as an option, as of `np.diff`."""
    copies = operation.keywords.get("copy")  # of `astype` and its like
    if copies is not None and getattr(copies, "value", None) is not True:
        return True
    if primitive.memory != "optional":
        return False
    if primitive.name == "numpy.einsum":
        return len(operation.args) == 2
    return len(operation.args) > 1 or bool(operation.keywords)


def operands_viewed(primitive: Primitive, operation: Operation) -> list[Any]:
    """Return the operands of which the result of a view may be: of most functions, the first."""
    return list(operation.args)[: 1 if primitive.viewed == "first" else None]


def given_for(operation: Operation, parameter: str | None) -> Any | None:
    """Return what a call of a Python function gives for one of its parameters; None if nothing."""
    code = operation.primal.__code__
    order = code.co_varnames[: code.co_argcount]
    given = {**dict(zip(order, operation.args, strict=False)), **operation.keywords}
    return given.get(parameter or "")


def operands_read(vocabulary: Vocabulary, callee: FunctionType, call: Any) -> list[Any]:
    """Return the operands that a user's function neither writes into nor returns as they are.

    It may return an element of them.
    """
    written, elsewhere = vocabulary.written_operands(callee, call)
    if elsewhere:
        return []
    elements = set(map(id, vocabulary.elements_returned(callee, call)))
    returned = vocabulary.returned_operands(callee, call)
    kept = {*map(id, written), *(set(map(id, returned)) - elements)}
    return [item for item in call.args if id(item) not in kept]


def writes_result(call: Any, callee: Any) -> bool:
    """Say whether a call of a function of arrays writes its result into one that it is given."""
    for item in call.keywords:
        if item.arg == "out":
            return not (isinstance(item.value, gast.Constant) and item.value.value is None)
    return isinstance(callee, np.ufunc) and len(call.args) > callee.nin


def may_not_copy(call: Any, callee: Any) -> bool:
    """Say whether a call of `nan_to_num` may put its result into the array that it is given."""
    if callee is not np.nan_to_num:
        return False
    given = [*call.args[1:2], *[item.value for item in call.keywords if item.arg == "copy"]]
    return any(getattr(item, "value", None) is not True for item in given)
