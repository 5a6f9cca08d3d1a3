"""Says of which parameters a variable may be a part, at each place of a function as it was written.

A variable that is bound again is what it was bound to last: after ``s = np.asarray(s)`` the name no
longer means what was passed.
"""

from __future__ import annotations

from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.walk import blocks_of, names_bound, nodes_in, walk

Origins = dict[str, set[tuple[str, int]]]
"""The parameters that each variable may be (depth 0), or be an entry of (depth 1 and more)."""
Use = tuple[Any, Origins]
"""A node, with what variables may be where it is evaluated."""

DEEPEST: Final = 4
_LOOPS: Final = (gast.For, gast.While, gast.AsyncFor)
_INNER: Final = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)


def uses_of(tree: Any, names: set[str]) -> list[Use]:
    """Return the nodes of a function, each with the origins of variables at that place.

    A node in a loop may stand there several times.
    """
    flow = _Flow()
    flow.block(tree.body, {name: {(name, 0)} for name in names})
    return [*flow.uses, *((node, flow.ever) for inner in flow.inner for node in walk(inner))]


def origin(node: Any, origins: Origins) -> set[tuple[str, int]]:
    """Return the parameters that an expression may be, be a copy of, or be an entry of."""
    level, part = 0, node
    while part is not None:
        node, part = part, copied(part)
        if isinstance(node, gast.Subscript):
            level += not isinstance(node.slice, gast.Slice)
            part = node.value
    known = origins.get(node.id, set()) if isinstance(node, gast.Name) else set()
    return {(name, min(depth + level, DEEPEST)) for name, depth in known}


def copied(value: Any) -> Any:
    """Return `p` of ``p.copy()`` and ``copy.copy(p)``; None of anything else."""
    if not isinstance(value, gast.Call) or value.keywords or len(value.args) > 1:
        return None
    if value.args:
        return value.args[0] if getattr(value.func, "attr", value.func) == "copy" else None
    return value.func.value if getattr(value.func, "attr", "") == "copy" else None


class _Flow:
    """Goes through a function with what its variables may be."""

    def __init__(self) -> None:
        self.uses: list[Use] = []
        self.inner: list[Any] = []  # nested functions, which run at any time later
        self.ever: Origins = {}
        self._may_stop = False  # inside of a `try`: any statement may be the last

    def block(self, body: list[Any], origins: Origins) -> Origins:
        """Return what variables may be after a block, and note the nodes in it."""
        for statement in body:
            origins = self._statement(statement, origins)
            _join(self.ever, origins)
        return origins

    def _statement(self, node: Any, origins: Origins) -> Origins:
        if isinstance(node, _INNER):
            self.inner.append(node)
            return origins
        if isinstance(node, _LOOPS):
            return self._loop(node, origins)
        if isinstance(node, gast.Try):
            return self._attempt(node, origins)
        origins = self._header(node, origins)
        if isinstance(node, gast.Assign):
            return self._bound(node, origins)
        ways = blocks_of(node)
        if isinstance(node, gast.If):
            ways = [node.body, node.orelse]
        return _joined(*[self.block(way, origins) for way in ways]) if ways else origins

    def _header(self, node: Any, origins: Origins) -> Origins:
        """Note the nodes of a statement without its blocks; return the origins with its targets."""
        inside = {id(item) for block in blocks_of(node) for item in block}
        nodes = [node]
        for part in nodes:
            nodes += [inner for inner in nodes_in(part) if id(inner) not in inside]
        self.inner += [part for part in nodes if isinstance(part, _INNER)]
        for part in nodes:
            if isinstance(part, (gast.For, gast.AsyncFor, gast.comprehension)):
                origins = _joined(origins, _of_items(part, origins))
        self.uses += [(part, origins) for part in nodes]
        return origins

    def _bound(self, node: Any, origins: Origins) -> Origins:
        given: Origins = {}
        for target in node.targets:
            for name, level in _levels(target):
                _add(given, name, origin(node.value, origins), level)
        return _joined(origins, given) if self._may_stop else {**origins, **given}

    def _loop(self, node: Any, origins: Origins) -> Origins:
        before = None
        while origins != before:
            before = origins
            entered = self._header(node, origins)
            origins = _joined(origins, entered, self.block(node.body, entered))
        return self.block(node.orelse, origins)

    def _attempt(self, node: Any, origins: Origins) -> Origins:
        outer, self._may_stop = self._may_stop, True
        for block in blocks_of(node):
            origins = _joined(origins, self.block(block, origins))
        self._may_stop = outer
        return origins


def _of_items(node: Any, origins: Origins) -> Origins:
    """Return what the variables of a loop or a comprehension may be."""
    found: Origins = {}
    given = 0 if isinstance(node.iter, gast.Call) else 1  # as zip makes tuples
    for name, level in _levels(node.target):
        for part in walk(node.iter):
            _add(found, name, origin(part, origins), max(1, level + given))
    return found


def _levels(target: Any, level: int = 0) -> list[tuple[str, int]]:
    """Return the names in a target, with the number of tuples that they are in."""
    if isinstance(target, (gast.Tuple, gast.List)):
        return [pair for item in target.elts for pair in _levels(item, level + 1)]
    return [(name, level) for name in names_bound(target)]


def _add(found: Origins, name: str, origins: set[tuple[str, int]], level: int) -> None:
    deeper = {(of, min(depth + level, DEEPEST)) for of, depth in origins}
    found.setdefault(name, set()).update(deeper)


def _join(into: Origins, origins: Origins) -> None:
    for name, known in origins.items():
        into.setdefault(name, set()).update(known)


def _joined(*ways: Origins) -> Origins:
    found: Origins = {}
    for way in ways:
        _join(found, way)
    return found


def text_parameters(tree: Any) -> set[str]:
    r"""Return the parameters that are texts by default or by annotation, and not bound anew.

    They are texts in every call, whose methods read what they are given.

    >>> tree = gast.parse("def f(x, a: str, how='sum', *, why='', n=1):\n    why = x")
    >>> sorted(text_parameters(tree.body[0]))
    ['a', 'how']
    """
    args = tree.args
    positional = [*args.posonlyargs, *args.args]
    last = len(positional) - len(args.defaults)
    pairs = [
        *zip(positional[last:], args.defaults, strict=True),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    texts = {item.id for item, default in pairs if isinstance(getattr(default, "value", None), str)}
    texts |= {item.id for item in [*positional, *args.kwonlyargs] if _is_text(item.annotation)}
    nodes = (node for line in tree.body for node in walk(line))
    return texts - {
        n.id for n in nodes if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)
    }


def number_parameters(tree: Any) -> set[str]:
    r"""Return the parameters that a function takes for integers: it counts, or cuts, by them.

    >>> tree = gast.parse("def f(x, m, n, k):\n    m = x\n    return [x[n:] for _ in range(m, k)]")
    >>> sorted(number_parameters(tree.body[0]))
    ['k', 'n']
    """
    args = tree.args
    nodes = [node for line in tree.body for node in walk(line)]
    counts = [n for n in nodes if isinstance(n, gast.Call) and getattr(n.func, "id", "") == "range"]
    cuts = [node for node in nodes if isinstance(node, gast.Slice)]
    asked = [item for call in counts for item in call.args]
    asked += [item for cut in cuts for item in (cut.lower, cut.upper, cut.step)]
    found = {item.id for item in asked if isinstance(item, gast.Name)}
    found &= {item.id for item in [*args.posonlyargs, *args.args, *args.kwonlyargs]}
    return found - bound_anew(nodes)


def bound_anew(nodes: list[Any]) -> set[str]:
    """Return the names that nodes bind to something else; an update may keep what it holds."""
    updated = {id(node.target) for node in nodes if isinstance(node, gast.AugAssign)}
    names = (node for node in nodes if isinstance(node, gast.Name) and id(node) not in updated)
    return {node.id for node in names if isinstance(node.ctx, (gast.Store, gast.Del))}


def _is_text(annotation: Any) -> bool:
    """Say whether an annotation is `str`, which may be written as a text."""
    return "str" in (getattr(annotation, "id", None), getattr(annotation, "value", None))
