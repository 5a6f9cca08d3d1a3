"""Writes comprehensions out as loops."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, method, store, subscript
from srcgrad.ir.names import Namer
from srcgrad.ir.walk import found_in, names_bound, nodes_in, walk

COMPREHENSIONS = (gast.ListComp, gast.GeneratorExp, gast.DictComp)


def written_out(name: str, value: Any, node: Any) -> list[Any]:
    """Return the statements that make a list or dict under a name that `value` does not read.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> (line,) = parse("ys = [a * b for a in xs if a > 0 for b in a]")
    >>> print(text(written_out("ys", line.value, line)))
    ys = []
    for a in xs:
        if a > 0:
            for b in a:
                ys.append(a * b)
    """
    if isinstance(value, gast.DictComp):
        empty: Any = gast.Dict([], [])
        put = assign(subscript(load(name), value.key, storing=True), value.value, node)
    else:
        empty = gast.List([], gast.Load())
        put = at(gast.Expr(method(load(name), "append", value.elt)), node)
    return [assign(name, empty, node), *loops(value.generators, [put], node)]


def loops(generators: list[Any], body: list[Any], node: Any) -> list[Any]:
    """Return the loops of a comprehension around `body`."""
    for part in reversed(generators):
        for condition in reversed(part.ifs):
            body = [at(gast.If(condition, body, []), node)]
        body = [at(gast.For(part.target, part.iter, body, [], None), node)]
    return body


def own_names(value: Any, taken: set[str], namer: Namer) -> Any:
    """Return a comprehension whose variables are called like nothing else of the function or text.

    In Python they have a scope of their own. `taken` gets their names.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> (line,) = parse("ys = [v * w for v in v]")
    >>> line.value = own_names(line.value, {"v"}, Namer(["v"]))
    >>> print(text([line]))
    ys = [v_2 * w for v_2 in v]
    """
    bound = [name for part in value.generators for name in names_bound(part.target)]
    names: dict[str, str] = {}
    for name in bound:
        if (name in taken or namer.is_reserved(name)) and name not in names:
            names[name] = namer.version(name)
        taken.add(names.get(name, name))
    if names:
        first = value.generators[0].iter  # it alone is read outside of that scope
        value.generators[0].iter = gast.Constant(None, None)
        rename(value, names)
        value.generators[0].iter = first
    return value


def rename(node: Any, names: dict[str, str]) -> None:
    """Rename the variables of an expression, but not those of the scopes inside that hide them."""
    if isinstance(node, gast.Name):
        node.id = names.get(node.id, node.id)
        return
    children = list(nodes_in(node))
    if isinstance(node, gast.Lambda):
        hidden = {item.id for item in walk(node.args) if isinstance(item, gast.Name)}
        names = {old: new for old, new in names.items() if old not in hidden}
        children = [node.body]
    for child in children:
        rename(child, names)


_SCOPED = frozenset((*COMPREHENSIONS, gast.SetComp))


def names_outside(body: list[Any]) -> set[str]:
    """Return the names that statements use outside of comprehensions.

    >>> from srcgrad.compiler.doctesting import parse
    >>> sorted(names_outside(parse("a = [b * c for b in d]")))
    ['a', 'c', 'd']
    """
    named = found_in(gast.Module(body, []), gast.Name, *_SCOPED)
    if not any(node.__class__ in _SCOPED for node in named):
        return {node.id for node in named}
    found: set[str] = set()
    stack: list[tuple[Any, frozenset[str]]] = [(item, frozenset()) for item in body]
    while stack:
        node, hidden = stack.pop()
        kind = node.__class__
        if kind is gast.Name:
            if node.id not in hidden:
                found.add(node.id)
            continue
        if kind in _SCOPED:
            stack.append((node.generators[0].iter, hidden))
            hidden = hidden | {n for part in node.generators for n in names_bound(part.target)}
        stack += [(child, hidden) for child in nodes_in(node)]
    return found


def inlined(function: Any, arguments: list[Any]) -> Any:
    """Return the value of a call: the body of a lambda that is written there, or the call.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> (line,) = parse("f = lambda a, b: a * b + c")
    >>> text([gast.Expr(inlined(line.value, [load("x"), load("y")]))])
    'x * y + c'
    """
    if not isinstance(function, gast.Lambda):
        return gast.Call(clone(function), arguments, [])
    parameters = [item.id for item in function.args.args]
    body = clone(function.body)
    rename(body, {p: a.id for p, a in zip(parameters, arguments, strict=True)})
    return body


def is_plain_lambda(node: Any, count: int) -> bool:
    """Say whether an expression is a lambda of so many plain parameters."""
    if not isinstance(node, gast.Lambda):
        return False
    args = node.args
    others = [*args.posonlyargs, *args.kwonlyargs, args.vararg, args.kwarg, *args.defaults]
    return len(args.args) == count and not any(item is not None for item in others)


def comprehension_of(element: Any, target: str, iterable: Any, condition: Any = None) -> Any:
    """Return ``[element for target in iterable if condition]``."""
    ifs = [] if condition is None else [condition]
    part = gast.comprehension(store(target), iterable, ifs, 0)
    return gast.ListComp(element, [part])
