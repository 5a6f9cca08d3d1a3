"""Visits statements and names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from srcgrad.ir import gast

_BLOCKS = ("body", "orelse", "finalbody")
_MISSING = object()
_FEW = 5
_SIGNS = (gast.operator, gast.unaryop, gast.cmpop, gast.boolop)
# asked for at each node, and of most of them the fields are read without asking a table
_AST, _NAME, _LOAD, _CONSTANT = gast.AST, gast.Name, gast.Load, gast.Constant
_BINARY, _CALL, _ATTRIBUTE = gast.BinOp, gast.Call, gast.Attribute
_ARGUMENTS: Final = gast.arguments
_TEXTS = frozenset("ctx id attr arg kind type_comment conversion level module rest".split())


class _Inner(dict[type, tuple[str, ...]]):
    """The fields of each kind of node that can hold nodes; of contexts nobody asks."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        fields: tuple[str, ...] = getattr(kind, "_fields", ())
        plain = kind is gast.Constant
        self[kind] = () if plain else tuple(name for name in fields if name not in _TEXTS)
        return self[kind]


class _Walked(dict[type, tuple[str, ...] | None]):
    """The same, and nothing for what is no node: lists may hold None, or names."""

    def __missing__(self, kind: type) -> tuple[str, ...] | None:
        self[kind] = INNER[kind] if issubclass(kind, gast.AST) else None
        return self[kind]


class _Blocks(dict[type, tuple[str, ...]]):
    """The fields of each kind of node that are lists of statements."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        fields: tuple[str, ...] = getattr(kind, "_fields", ())
        fields = () if issubclass(kind, gast.expr) else fields
        self[kind] = tuple(name for name in _BLOCKS if name in fields)
        return self[kind]


class _Reading(dict[type, tuple[str, ...]]):
    """The fields of each kind of node in which names may stand, the last one first."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        self[kind] = tuple(name for name in reversed(INNER[kind]) if name not in ("op", "ops"))
        return self[kind]


class _Sought(dict[tuple[type, ...], tuple[Any, Any]]):
    """Of some kinds of nodes: the kinds to be asked for, and the fields in which they may stand."""

    def __missing__(self, kinds: tuple[type, ...]) -> tuple[Any, Any]:
        fields: Any = INNER if any(issubclass(kind, _SIGNS) for kind in kinds) else _UNSIGNED
        if all(issubclass(kind, gast.stmt) for kind in kinds):
            fields = _HOLDING
        self[kinds] = kinds if len(kinds) < _FEW else frozenset(kinds), fields
        return self[kinds]


class _Holding(dict[type, tuple[str, ...]]):
    """The fields of each kind of node in which statements may stand, at whatever depth."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        found = (*_BLOCKS, "handlers", "cases")
        fields = () if issubclass(kind, gast.expr) else INNER[kind]
        self[kind] = tuple(name for name in fields if name in found)
        return self[kind]


class _Unsigned(dict[type, tuple[str, ...]]):
    """The fields of each kind of node in which there may be more than signs."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        self[kind] = tuple(name for name in INNER[kind] if name not in ("op", "ops"))
        return self[kind]


INNER = _Inner()
_UNSIGNED = _Unsigned()
_HOLDING = _Holding()
_SOUGHT = _Sought()
_WALKED = _Walked()
_BLOCKS_OF = _Blocks()
READING = _Reading()


def nodes_in(node: Any) -> list[Any]:
    """Return the nodes directly inside a node, in order (without contexts such as `Load`).

    >>> [type(item).__name__ for item in nodes_in(gast.parse("f(a, -b)").body[0].value)]
    ['Name', 'Name', 'UnaryOp']
    """
    found: list[Any] = []
    fields = INNER[node.__class__]
    if not fields:
        return found
    for name in fields:
        part = getattr(node, name, None)
        if part is not None:
            if part.__class__ is list:
                found += [item for item in part if isinstance(item, gast.AST)]
            elif isinstance(part, gast.AST):
                found.append(part)
    return found


def walk(node: Any) -> Iterator[Any]:  # noqa: C901, PLR0912 - the kinds that most nodes are of
    """Yield a node and all nodes inside it, the outer first, as `ast.walk` does, but faster.

    Contexts such as `Load` are left out.

    >>> [type(item).__name__ for item in walk(gast.parse("f(a, -b)").body[0].value)]
    ['Call', 'Name', 'Name', 'UnaryOp', 'USub', 'Name']
    """
    waiting, walked = [node], _WALKED
    put = waiting.append
    for item in waiting:
        kind = item.__class__
        if kind is _NAME:  # every second one
            if item.annotation is not None:
                put(item.annotation)
            yield item
            continue
        if kind is _CONSTANT:
            yield item
            continue
        if kind is _BINARY:
            waiting += item.left, item.op, item.right
            yield item
            continue
        if kind is _CALL:
            put(item.func)
            waiting += item.args
            waiting += item.keywords
            yield item
            continue
        if kind is _ATTRIBUTE:
            put(item.value)
            yield item
            continue
        fields = walked[kind]
        if fields:
            for name in fields:
                part = getattr(item, name, None)
                if part:
                    if part.__class__ is list:
                        waiting += part
                    else:
                        put(part)
        elif fields is None:
            continue
        yield item


def found_in(node: Any, *kinds: type) -> list[Any]:  # noqa: C901, PLR0912 - as in `walk`
    """Return the nodes of some kinds in a tree, the outer first, as `walk` yields them.

    >>> [item.id for item in found_in(gast.parse("f(a, -b)").body[0].value, gast.Name)]
    ['f', 'a', 'b']
    """
    waiting, found = [node], []
    wanted, inner = _SOUGHT[kinds]
    put, signed = waiting.append, inner is INNER
    annotated = node.__class__ is _NAME
    for item in waiting:
        kind = item.__class__
        if kind in wanted:
            found.append(item)
        if kind is _NAME:  # every second one
            if annotated and item.annotation is not None:
                put(item.annotation)
            continue
        if kind is _CONSTANT:
            continue
        if kind is _BINARY and not signed:
            waiting += item.left, item.right
            continue
        if kind is _CALL:
            put(item.func)
            waiting += item.args
            waiting += item.keywords
            continue
        if kind is _ATTRIBUTE:
            put(item.value)
            continue
        fields = inner[kind]  # of what is no node there are none
        if fields:
            annotated = annotated or kind is _ARGUMENTS  # no other names are
            for name in fields:
                part = getattr(item, name, None)
                if part:
                    if part.__class__ is list:
                        waiting += part
                    else:
                        put(part)
    return found


def found_with(node: Any, mark: str) -> list[Any]:
    """Return the nodes of a tree that have a mark of a name, the outer first, as `walk` does.

    >>> tree = gast.parse("f(a, -b)").body[0].value
    >>> tree.args[1].adjoint = "grad_c"
    >>> [type(item).__name__ for item in found_with(tree, "adjoint")]
    ['UnaryOp']
    """
    waiting, found = [node], []
    for item in waiting:
        kind = item.__class__
        if getattr(item, mark, _MISSING) is not _MISSING:
            found.append(item)
        if kind is _NAME or kind is _CONSTANT:
            continue
        if kind is _BINARY:
            waiting += item.left, item.right
            continue
        for name in _UNSIGNED[kind]:
            part = getattr(item, name, None)
            if part:
                if part.__class__ is list:
                    waiting += [inner for inner in part if isinstance(inner, gast.AST)]
                elif isinstance(part, gast.AST):
                    waiting.append(part)
    return found


def is_same(one: Any, other: Any) -> bool:
    """Say whether two trees are the same, as `gast.dump` shows them, wherever they stand.

    >>> trees = [gast.parse(text) for text in ("f(a, 1)", "f(a,  1)", "f(a, 1.0)")]
    >>> is_same(trees[0], trees[1]), is_same(trees[0], trees[2])
    (True, False)
    """
    pairs = [(one, other)]
    while pairs:
        first, second = pairs.pop()
        if first is second:
            continue
        if first.__class__ is not second.__class__:
            return False
        if isinstance(first, gast.AST):
            for name in first._fields:
                mine, other = getattr(first, name, _MISSING), getattr(second, name, _MISSING)
                if mine is not other:  # as names and contexts are
                    pairs.append((mine, other))
        elif isinstance(first, list):
            if len(first) != len(second):
                return False
            pairs += zip(first, second, strict=True)
        elif repr(first) != repr(second):
            return False
    return True


def spelled(node: Any) -> str:
    """Return a text that two trees have in common only if they are the same.

    >>> texts = ["f(a, 1)", "f(a,  1)", "f(a, 1.0)", "f(a, '1')"]
    >>> len({spelled(gast.parse(text)) for text in texts})
    3
    """
    kind = node.__class__
    if kind is _NAME:
        return str(node.id) if node.ctx.__class__ is _LOAD else f"{node.id}!"
    if kind is list:
        return f"[{','.join(map(spelled, node))}]"
    if not isinstance(node, gast.AST):
        return repr(node)
    parts = [spelled(getattr(node, name, None)) for name in node._fields if name != "ctx"]
    return f"{kind.__name__}({','.join(parts)})"


def blocks_of(statement: Any) -> list[list[Any]]:
    """Return the statement lists directly inside a statement."""
    fields = _BLOCKS_OF[statement.__class__]
    if not fields:
        return []
    found = [getattr(statement, name) for name in fields]
    if isinstance(statement, gast.Try):
        found.extend(handler.body for handler in statement.handlers)
    return found


def own_nodes(statement: Any) -> list[Any]:
    """Return the nodes of a statement but for those of its blocks."""
    inner = {id(item) for block in blocks_of(statement) for item in block}
    found = []
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += [child for child in nodes_in(node) if id(child) not in inner]
    return found


def statements(block: list[Any]) -> Iterator[Any]:
    r"""Return every statement of a block in source order, those of inner blocks included.

    >>> tree = gast.parse("if a:\n    b = 1\nc = 2")
    >>> [type(s).__name__ for s in statements(tree.body)]
    ['If', 'Assign', 'Assign']
    """
    if not any(map(_BLOCKS_OF.__getitem__, map(type, block))):
        return iter(block[:])  # as of most functions
    return _all_statements(block)


def _all_statements(block: list[Any]) -> Iterator[Any]:
    """Yield every statement of a block, those of inner blocks included."""
    stack = block[::-1]
    while stack:
        statement = stack.pop()
        yield statement
        if _BLOCKS_OF[statement.__class__]:  # most hold none
            for part in reversed(blocks_of(statement)):
                stack += part[::-1]


def names_read(node: Any) -> list[str]:  # noqa: C901 - as in `walk`
    """Return the names that an expression reads, in order, with repetitions.

    >>> names_read(gast.parse("a + f(b)[a]").body[0].value)
    ['a', 'f', 'b', 'a']
    """
    found: list[str] = []
    stack, reading = [node], READING
    take, put = stack.pop, stack.append
    while stack:
        item = take()
        kind = item.__class__
        if kind is _NAME:
            if item.ctx.__class__ is _LOAD:
                found.append(item.id)
        elif kind is _BINARY:
            stack += item.right, item.left
        elif kind is _CALL:
            if item.keywords:
                stack += item.keywords[::-1]
            stack += item.args[::-1]
            put(item.func)
        elif kind is _ATTRIBUTE:
            put(item.value)
        elif kind is list:
            stack += item[::-1]
        elif kind is not _CONSTANT:
            fields = reading[kind]
            if fields:
                for name in fields:
                    part = getattr(item, name, None)
                    if part:  # many lists are empty
                        put(part)
    return found


def names_bound(target: Any) -> list[str]:
    """Return the names that an assignment target binds (not those it writes into).

    >>> names_bound(gast.parse("a, (b, c[0]) = x").body[0].targets[0])
    ['a', 'b']
    """
    if target.__class__ is _NAME:
        return [target.id]
    if isinstance(target, (gast.Tuple, gast.List)):
        return [name for item in target.elts for name in names_bound(item)]
    if isinstance(target, gast.Starred):
        return names_bound(target.value)
    return []


def places_in(target: Any) -> list[Any]:
    """Return the places that an assignment target names, in the order in which they are written.

    >>> target = gast.parse("(a, b[0]), *c = x").body[0].targets[0]
    >>> [type(item).__name__ for item in places_in(target)]
    ['Name', 'Subscript', 'Name']
    """
    if isinstance(target, (gast.Tuple, gast.List)):
        return [place for item in target.elts for place in places_in(item)]
    return places_in(target.value) if isinstance(target, gast.Starred) else [target]


def root_name(node: Any) -> str | None:
    """Return the variable at the root of ``x[i].a[j]``, or None.

    >>> root_name(gast.parse("x[1:].T[0]").body[0].value)
    'x'
    """
    while isinstance(node, (gast.Subscript, gast.Attribute)):
        node = node.value
    return node.id if isinstance(node, gast.Name) else None


def without_docstring(body: list[Any]) -> list[Any]:
    """Return the statements of a function without the text that says what it does."""
    first = body[0] if body else None
    is_text = isinstance(first, gast.Expr) and isinstance(first.value, gast.Constant)
    return body[1:] if is_text else body
