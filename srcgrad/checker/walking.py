"""Runs trees in normal form over lanes, node by node: most are run once, so none is compiled."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from srcgrad.checker.arithmetic import Shape
from srcgrad.checker.lanes import Lane
from srcgrad.checker.nesting import store
from srcgrad.checker.runs import NotCovered, Now
from srcgrad.ir import gast
from srcgrad.ir.marks import OF_RULE


class Frame:
    """The values of names, in a function or in an expression that binds names of its own.

    Attributes:
        values: What the names are.
        outer: Where names are found that are not there.
        names: Which name stands for another, if values are kept under other names.
    """

    __slots__ = ("names", "outer", "values")

    def __init__(
        self,
        values: dict[str, Any],
        outer: Frame | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self.values, self.outer, self.names = values, outer, names

    def bind(self, name: str, value: Any) -> None:
        """Let a name mean a value."""
        self.values[name if self.names is None else self.names[name]] = value


class Returned:
    """What a block gives back that returns."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Walker:
    """Runs the statements of one function.

    Attributes:
        local: The names that it binds.
        names: What all other names mean.
    """

    def __init__(self, local: set[str]) -> None:
        self.local = local
        self.names: Any = {}
        self._handled: list[BaseException] = []

    def untie(self) -> None:
        """Let go of all that refers to this, when nothing is run any more."""
        self.__dict__.clear()

    # -- statements

    def block(self, statements: list[Any], frame: Frame) -> Any:
        """Run statements; return None, or how they are left: by `break`, `continue` or `return`."""
        for item in statements:
            left = self.statement(item, frame)
            if left is not None:
                return left
        return None

    def statement(self, node: Any, frame: Frame) -> Any:
        """Run a statement; return as `block` does."""
        return STATEMENTS[node.__class__](self, node, frame)

    def assign(self, target: Any, value: Any, frame: Frame) -> None:
        """Do ``target = value``."""
        kind = target.__class__
        if kind is gast.Name:
            frame.bind(target.id, value)
        elif kind is gast.Subscript:
            holder = self.value(target.value, frame)
            store(holder, self.value(target.slice, frame), value)
        elif kind is gast.Attribute:
            setattr(self.value(target.value, frame), target.attr, value)
        else:
            self._unpack(target.elts, value, frame)

    def _unpack(self, targets: list[Any], value: Any, frame: Frame) -> None:
        stars = [i for i, item in enumerate(targets) if isinstance(item, gast.Starred)]
        items = taken(value, stars[0] + 1 if stars else len(targets))
        if not stars:
            if len(items) != len(targets):
                raise ValueError("another number of values to unpack")
        else:
            first, rest = stars[0], len(targets) - stars[0] - 1
            if len(items) < first + rest:
                raise ValueError("not enough values to unpack")
            last = len(items) - rest
            items = [*items[:first], items[first:last], *items[last:]]
        for target, item in zip(targets, items, strict=True):
            self.assign(target.value if isinstance(target, gast.Starred) else target, item, frame)

    # -- expressions

    def value(self, node: Any, frame: Frame) -> Any:
        """Return the value of an expression."""
        return _VALUES[node.__class__](self, node, frame)

    def items(self, nodes: list[Any], frame: Frame) -> list[Any]:
        """Return the values of expressions, of which some may be starred."""
        found: list[Any] = []
        for node in nodes:
            if node.__class__ is gast.Starred:
                found.extend(self.value(node.value, frame))
            else:
                found.append(_VALUES[node.__class__](self, node, frame))
        return found

    def named(self, name: str, frame: Frame) -> Any:
        """Return what a name means.

        Raises:
            UnboundLocalError: It is bound later, or was deleted.
            NameError: It means nothing.
        """
        inner: Frame | None = frame
        while inner is not None:
            if name in inner.values:
                return inner.values[name]
            if inner.names is not None:
                name = inner.names[name]
                if name in inner.values:
                    return inner.values[name]
                if name in self.local:
                    raise UnboundLocalError(f"`{name}` has no value yet")
            inner = inner.outer
        return self.names[name]

    def trips(self, loops: list[Any], items: Any, frame: Frame) -> Iterator[None]:
        """Bind the names of a comprehension's loops, once for each element."""
        loop, *inner = loops
        for item in items:
            self.assign(loop.target, item, frame)
            if not all(self.value(test, frame) for test in loop.ifs):
                continue
            if inner:
                yield from self.trips(inner, self.value(inner[0].iter, frame), frame)
            else:
                yield


def taken(value: Any, count: int) -> list[Any]:
    """Return the items of what is unpacked into so many names."""
    return value.unpacked(count) if isinstance(value, (Lane, Shape)) else list(value)


# -- statements


def _assign(walker: Walker, node: Any, frame: Frame) -> None:
    value = walker.value(node.value, frame)
    for target in node.targets:
        walker.assign(target, value, frame)


def _augmented(walker: Walker, node: Any, frame: Frame) -> None:
    target, change = node.target, _IN_PLACE[node.op.__class__]
    if isinstance(target, gast.Subscript):
        holder = walker.value(target.value, frame)
        key = walker.value(target.slice, frame)
        store(holder, key, change(holder[key], walker.value(node.value, frame)))
    elif isinstance(target, gast.Attribute):
        holder = walker.value(target.value, frame)
        former = getattr(holder, target.attr)
        setattr(holder, target.attr, change(former, walker.value(node.value, frame)))
    else:
        former = walker.named(target.id, frame)
        frame.bind(target.id, change(former, walker.value(node.value, frame)))


def _if(walker: Walker, node: Any, frame: Frame) -> Any:
    return walker.block(node.body if walker.value(node.test, frame) else node.orelse, frame)


def _for(walker: Walker, node: Any, frame: Frame) -> Any:
    for item in walker.value(node.iter, frame):
        Now.run.go_through()
        walker.assign(node.target, item, frame)
        left = walker.block(node.body, frame)
        if left is _BREAK:
            return None
        if left is not None and left is not _CONTINUE:
            return left
    return walker.block(node.orelse, frame)


def _while(walker: Walker, node: Any, frame: Frame) -> Any:
    while walker.value(node.test, frame):
        Now.run.go_through()
        left = walker.block(node.body, frame)
        if left is _BREAK:
            return None
        if left is not None and left is not _CONTINUE:
            return left
    return walker.block(node.orelse, frame)


def _try(walker: Walker, node: Any, frame: Frame) -> Any:
    try:
        try:
            left = walker.block(node.body, frame)
        except Exception as error:
            handler = _handler_of(walker, node, error, frame)
            if handler is None:
                raise
            left = _handle(walker, handler, error, frame)
        else:
            left = walker.block(node.orelse, frame) if left is None else left
    finally:
        last = walker.block(node.finalbody, frame)
    return left if last is None else last


def _handler_of(walker: Walker, node: Any, error: Exception, frame: Frame) -> Any:
    for handler in node.handlers:
        if handler.type is None or isinstance(error, walker.value(handler.type, frame)):
            return handler
    return None


def _handle(walker: Walker, handler: Any, error: Exception, frame: Frame) -> Any:
    name = getattr(handler.name, "id", handler.name)
    if name is not None:
        frame.bind(name, error)
    walker._handled.append(error)  # noqa: SLF001 - it is a part of it
    try:
        return walker.block(handler.body, frame)
    finally:
        walker._handled.pop()  # noqa: SLF001
        if name is not None:
            frame.values.pop(name, None)


def _raise(walker: Walker, node: Any, frame: Frame) -> None:
    if node.exc is None:
        if not walker._handled:  # noqa: SLF001
            raise RuntimeError("nothing to raise again")
        raise walker._handled[-1]  # noqa: SLF001
    if node.cause is None:
        raise walker.value(node.exc, frame)
    raise walker.value(node.exc, frame) from walker.value(node.cause, frame)


def _with(walker: Walker, node: Any, frame: Frame) -> Any:
    return _within(walker, node.items, node.body, frame)


def _within(walker: Walker, items: list[Any], body: list[Any], frame: Frame) -> Any:
    if not items:
        return walker.block(body, frame)
    first, *rest = items
    with walker.value(first.context_expr, frame) as value:
        if first.optional_vars is not None:
            walker.assign(first.optional_vars, value, frame)
        return _within(walker, rest, body, frame)


def _delete(walker: Walker, node: Any, frame: Frame) -> None:
    for target in node.targets:
        if isinstance(target, gast.Subscript):
            holder = walker.value(target.value, frame)
            del holder[walker.value(target.slice, frame)]
        else:
            walker.named(target.id, frame)
            frame.values.pop(target.id, None)


def _assert(walker: Walker, node: Any, frame: Frame) -> None:
    if not walker.value(node.test, frame):
        raise AssertionError("the program asserts what does not hold")


def _run(walker: Walker, node: Any, frame: Frame) -> None:
    walker.value(node.value, frame)


def _return(walker: Walker, node: Any, frame: Frame) -> Returned:
    return Returned(None if node.value is None else walker.value(node.value, frame))


class _Table(dict[type, Callable[..., Any]]):
    """What to do with each kind of node."""

    def __missing__(self, kind: type) -> Callable[..., Any]:
        raise NotCovered(f"a statement or expression of the kind `{kind.__name__}`")


_BREAK: Final = object()
_CONTINUE: Final = object()
STATEMENTS: Final = _Table({
    gast.Assign: _assign, gast.AugAssign: _augmented, gast.If: _if, gast.For: _for,
    gast.While: _while, gast.Try: _try, gast.With: _with, gast.Raise: _raise, gast.Expr: _run,
    gast.Return: _return, gast.Delete: _delete, gast.Assert: _assert,
    gast.Pass: lambda *_: None, gast.Break: lambda *_: _BREAK, gast.Continue: lambda *_: _CONTINUE,
})  # fmt: skip


# -- expressions


def _name(walker: Walker, node: Any, frame: Frame) -> Any:
    name = node.id
    if OF_RULE.is_on(node):
        return walker.names.ours(name)
    values = frame.values
    return values[name] if name in values else walker.named(name, frame)


def _binary(walker: Walker, node: Any, frame: Frame) -> Any:
    left, right = node.left, node.right
    return _OPERATORS[node.op.__class__](
        _VALUES[left.__class__](walker, left, frame), _VALUES[right.__class__](walker, right, frame)
    )


def _call(walker: Walker, node: Any, frame: Frame) -> Any:
    function = _VALUES[node.func.__class__](walker, node.func, frame)
    args = walker.items(node.args, frame)
    if not node.keywords:
        return function(*args)
    keywords: dict[str, Any] = {}
    for item in node.keywords:
        found = walker.value(item.value, frame)
        keywords.update(found if item.arg is None else {item.arg: found})
    return function(*args, **keywords)


def _compare(walker: Walker, node: Any, frame: Frame) -> Any:
    left, found = walker.value(node.left, frame), True
    for op, item in zip(node.ops, node.comparators, strict=True):
        right = walker.value(item, frame)
        found = _TESTS[op.__class__](left, right)
        if item is not node.comparators[-1] and not found:
            return found
        left = right
    return found


def _either(walker: Walker, node: Any, frame: Frame) -> Any:
    found: Any = None
    stops = isinstance(node.op, gast.Or)
    for item in node.values:
        found = walker.value(item, frame)
        if item is not node.values[-1] and bool(found) is stops:
            return found
    return found


def _slice(walker: Walker, node: Any, frame: Frame) -> slice:
    parts = node.lower, node.upper, node.step
    return slice(*[None if part is None else walker.value(part, frame) for part in parts])


def _dict(walker: Walker, node: Any, frame: Frame) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            found.update(walker.value(value, frame))
        else:
            place = walker.value(key, frame)
            found[place] = walker.value(value, frame)
    return found


def _elements(walker: Walker, node: Any, frame: Frame) -> Iterator[Any]:
    inner = Frame({}, frame)
    items = walker.value(node.generators[0].iter, frame)

    def made() -> Iterator[Any]:
        for _ in walker.trips(node.generators, items, inner):
            if isinstance(node, gast.DictComp):
                key = walker.value(node.key, inner)
                yield key, walker.value(node.value, inner)
            else:
                yield walker.value(node.elt, inner)

    return made()


def _named(walker: Walker, node: Any, frame: Frame) -> Any:
    value = walker.value(node.value, frame)
    walker.assign(node.target, value, frame)
    return value


def _text(walker: Walker, node: Any, frame: Frame) -> str:
    return "".join(str(walker.value(item, frame)) for item in node.values)


def _formatted(walker: Walker, node: Any, frame: Frame) -> str:
    value = walker.value(node.value, frame)
    if node.conversion in _SHOWN:
        value = _SHOWN[node.conversion](value)
    return format(value, "" if node.format_spec is None else walker.value(node.format_spec, frame))


def _lambda(walker: Walker, node: Any, frame: Frame) -> Callable[..., Any]:
    own = node.args
    names = [item.id for item in (*own.posonlyargs, *own.args)]
    defaults = walker.items(own.defaults, frame)
    only = {
        name.id: walker.value(value, frame)
        for name, value in zip(own.kwonlyargs, own.kw_defaults, strict=True)
        if value is not None
    }

    def call(*given: Any, **named: Any) -> Any:
        values = {**dict(zip(names[len(names) - len(defaults) :], defaults, strict=True)), **only}
        values.update(zip(names, given, strict=False))
        if own.vararg is not None:
            values[own.vararg.id] = given[len(names) :]
        elif len(given) > len(names):
            raise TypeError("too many arguments")
        known = {*names, *(item.id for item in own.kwonlyargs)}
        values.update((key, item) for key, item in named.items() if key in known)
        if own.kwarg is not None:
            values[own.kwarg.id] = {k: item for k, item in named.items() if k not in known}
        elif not known.issuperset(named):
            raise TypeError("an argument of another name")
        if not known.issubset(values):
            raise TypeError("an argument is missing")
        return walker.value(node.body, Frame(values, frame))

    call.__code__ = call.__code__.replace(co_name="<lambda>")  # by which functions are known apart
    call.__defaults__ = tuple(defaults) or None
    return call


_OPERATORS: Final[dict[type, Callable[[Any, Any], Any]]] = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul,
    gast.Div: operator.truediv, gast.Pow: operator.pow, gast.MatMult: operator.matmul,
    gast.FloorDiv: operator.floordiv, gast.Mod: operator.mod, gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_, gast.BitXor: operator.xor, gast.LShift: operator.lshift,
    gast.RShift: operator.rshift,
}  # fmt: skip
_IN_PLACE: Final[dict[type, Callable[[Any, Any], Any]]] = {
    gast.Add: operator.iadd, gast.Sub: operator.isub, gast.Mult: operator.imul,
    gast.Div: operator.itruediv, gast.Pow: operator.ipow, gast.MatMult: operator.imatmul,
    gast.FloorDiv: operator.ifloordiv, gast.Mod: operator.imod, gast.BitAnd: operator.iand,
    gast.BitOr: operator.ior, gast.BitXor: operator.ixor, gast.LShift: operator.ilshift,
    gast.RShift: operator.irshift,
}  # fmt: skip
_UNARY: Final[dict[type, Callable[[Any], Any]]] = {
    gast.USub: operator.neg, gast.UAdd: operator.pos, gast.Invert: operator.invert,
    gast.Not: operator.not_,
}  # fmt: skip
_TESTS: Final[dict[type, Callable[[Any, Any], Any]]] = {
    gast.Eq: operator.eq, gast.NotEq: operator.ne, gast.Lt: operator.lt, gast.LtE: operator.le,
    gast.Gt: operator.gt, gast.GtE: operator.ge, gast.Is: operator.is_,
    gast.IsNot: operator.is_not, gast.In: lambda item, held: item in held,
    gast.NotIn: lambda item, held: item not in held,
}  # fmt: skip
_SHOWN: Final[dict[int, Callable[[Any], str]]] = {115: str, 114: repr, 97: ascii}
_VALUES: Final = _Table({
    gast.Name: _name, gast.BinOp: _binary, gast.Call: _call, gast.Compare: _compare,
    gast.BoolOp: _either, gast.Slice: _slice, gast.Dict: _dict, gast.NamedExpr: _named,
    gast.JoinedStr: _text, gast.FormattedValue: _formatted, gast.Lambda: _lambda,
    gast.Constant: lambda _, node, __: node.value,
    gast.Attribute: lambda w, node, frame: getattr(w.value(node.value, frame), node.attr),
    gast.Subscript: lambda w, node, frame: w.value(node.value, frame)[w.value(node.slice, frame)],
    gast.UnaryOp: lambda w, node, frame: _UNARY[node.op.__class__](w.value(node.operand, frame)),
    gast.IfExp: lambda w, node, frame: w.value(
        node.body if w.value(node.test, frame) else node.orelse, frame
    ),
    gast.Tuple: lambda w, node, frame: tuple(w.items(node.elts, frame)),
    gast.List: lambda w, node, frame: w.items(node.elts, frame),
    gast.Set: lambda w, node, frame: set(w.items(node.elts, frame)),
    gast.GeneratorExp: _elements,
    gast.ListComp: lambda w, node, frame: list(_elements(w, node, frame)),
    gast.SetComp: lambda w, node, frame: set(_elements(w, node, frame)),
    gast.DictComp: lambda w, node, frame: dict(_elements(w, node, frame)),
})  # fmt: skip
