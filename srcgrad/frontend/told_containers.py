"""Tells by their bindings which local values are lists, tuples and dicts, and what is in those."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from srcgrad.frontend.webs import BEFORE, Webs, named_in_functions
from srcgrad.ir import gast
from srcgrad.ir.walk import found_in, names_bound, names_read, root_name

ANY: Final = None
"""The step to an entry of which nobody knows where it is."""

_DEEPEST: Final = 6
_BINDING: Final = (gast.Assign, gast.NamedExpr, gast.For, gast.comprehension, gast.Call)
_CHANGING: Final = (gast.Subscript, gast.Attribute, gast.Call)
_ADDING: Final = {"append": 0, "insert": 1, "setdefault": 1}
_TAKING: Final = ("get", "setdefault", "pop")
_SAME: Final = ("copy", "deepcopy", "iter", "tuple")
_MOVING: Final = ("list", "reversed", "sorted")
_SCOPES: Final = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
_KINDS: Final = {
    gast.List: "list",
    gast.ListComp: "list",
    gast.Tuple: "tuple",
    gast.Dict: "dict",
    gast.DictComp: "dict",
    gast.GeneratorExp: "iterator",
}


class Part(NamedTuple):
    """A list, tuple, dict or iterator that may be in a value, or be the value itself.

    Attributes:
        steps: The keys that lead to it: those of dicts if they are written out as text, positions
            in tuples, else ANY.
        kind: Its kind.
        is_taken: Whether the value was taken out of something.
    """

    steps: tuple[Any, ...]
    kind: str
    is_taken: bool


Parts = set[Part]


class ToldContainers:
    """Knows the containers in the local values of a function, whatever way it goes.

    A name that is bound to a list of itself, as in ``q = [q]``, means what it was bound to before
    there; of all others that is not told apart.

    >>> body = gast.parse("net = {'layers': [{'w': x}], 'out': x}; a = net['layers'][0]").body
    >>> told = ToldContainers(body)
    >>> told.of(body[1].targets[0])
    {Part(steps=(), kind='dict', is_taken=True)}
    >>> told.of(gast.parse("net['out']").body[0].value)
    set()
    """

    def __init__(self, body: list[Any]) -> None:
        self._known: dict[str, Parts] = {}
        self._bound: dict[int, Parts] = {}  # by the place of the name
        self._earlier = _earlier_bindings(body)
        self._own = _own_variables(body)
        self._sums: dict[int, Parts] | None = None  # of a long sum each part is asked for
        size = -1
        nodes = [node for statement in body for node in found_in(statement, *_BINDING)]
        while size != (size := sum(map(len, self._known.values()))):
            for node in nodes:
                self._learn(node)
        self._sums = {}

    def of(self, value: Any) -> Parts:
        """Return the containers in the value of an expression."""
        if isinstance(value, gast.Name):
            return self._of_name(value)
        if isinstance(value, gast.Subscript):
            inside = self.of(value.value)
            if isinstance(value.slice, gast.Slice):
                return _moved(inside)
            return entries_of(inside, _step(value.slice))
        if isinstance(value, gast.Call):
            return self._of_call(value)
        if isinstance(value, (gast.IfExp, gast.BoolOp, gast.NamedExpr)):
            return self._of_any(_results(value))
        if isinstance(value, gast.BinOp):
            return self._of_sum(value)
        return self._of_display(value)

    def _of_name(self, name: Any) -> Parts:
        earlier = self._earlier.get(id(name))
        if earlier is None:
            return set(self._known.get(self._called(name, name.id), ()))
        return set().union(*(self._bound.get(key, ()) for key in earlier))

    def _of_any(self, values: list[Any]) -> Parts:
        return set().union(*map(self.of, values))

    def _of_sum(self, value: Any) -> Parts:
        if not isinstance(value.op, (gast.Add, gast.Mult, gast.BitOr)):
            return set()
        known = (self._sums or {}).get(id(value))
        if known is None:
            known = self._of_any([value.left, value.right])
            if not isinstance(value.op, gast.BitOr):
                known = _moved(known)
        if self._sums is not None:  # else more is about to be known
            self._sums[id(value)] = known
        return known

    def _of_display(self, value: Any) -> Parts:
        kind = _KINDS.get(type(value))
        if kind is None:
            return set()
        found = {Part((), kind, False)}
        if isinstance(value, gast.Dict):
            for key, entry in zip(value.keys, value.values, strict=True):
                inside = self.of(entry)
                found |= _inner(inside) if key is None else _put(_step(key), inside)
        elif isinstance(value, gast.DictComp):
            found |= _put(ANY, self.of(value.value))
        elif isinstance(value, (gast.ListComp, gast.GeneratorExp)):
            found |= _put(ANY, self.of(value.elt))
        else:
            found |= self._of_entries(value)
        return found

    def _of_entries(self, value: Any) -> Parts:
        """Return what is in the entries of a list or tuple that is written out."""
        starred = any(isinstance(item, gast.Starred) for item in value.elts)
        known = isinstance(value, gast.Tuple) and not starred
        found: Parts = set()
        for position, item in enumerate(value.elts):
            if isinstance(item, gast.Starred):
                found |= _put(ANY, entries_of(self.of(item.value), ANY))
            else:
                found |= _put(position if known else ANY, self.of(item))
        return found

    def _of_call(self, call: Any) -> Parts:
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        owner = getattr(call.func, "value", None)
        first = call.args[0] if call.args else owner
        if name in _TAKING:
            key = _step(call.args[0]) if call.args and name != "pop" else ANY
            return entries_of(self.of(owner), key) | self._of_any(call.args[1:])
        if name == "values" and not call.args:
            inside = entries_of(self.of(owner), ANY)
            return {Part((), "iterator", False), *_put(ANY, inside)}
        if name == "items" and not call.args:
            return _of_pairs([set(), entries_of(self.of(owner), ANY)])
        if name == "enumerate":
            return _of_pairs([set(), entries_of(self.of(first), ANY)])
        if name == "zip":
            return _of_pairs([entries_of(self.of(item), ANY) for item in call.args])
        if name == "dict":
            return self._of_dict(call)
        if name in _MOVING:
            return _moved(self.of(first))
        return self.of(first) if name in _SAME else set()

    def _of_dict(self, call: Any) -> Parts:
        found = {Part((), "dict", False)}
        for item in call.keywords:
            inside = self.of(item.value)
            found |= _inner(inside) if item.arg is None else _put(item.arg, inside)
        for given in map(self.of, call.args[:1]):
            if is_of_pairs(given):
                found |= _put(ANY, entries_of(entries_of(given, ANY), 1))
            else:
                found |= _inner(given)
        return found

    def _learn(self, node: Any) -> None:
        if isinstance(node, gast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, gast.NamedExpr):
            self._bind(node.target, self.of(node.value))
        elif isinstance(node, (gast.For, gast.comprehension)):
            self._bind(node.target, entries_of(self.of(node.iter), ANY))
        elif isinstance(node.func, gast.Attribute):
            self._change(node)

    def _change(self, call: Any) -> None:
        """Learn from ``rows.append(row)``, ``p.update(q)`` and the like."""
        owner, name = call.func.value, call.func.attr
        if name in _ADDING:
            place = _ADDING[name]
            key = call.args[0] if name == "setdefault" and call.args else gast.Constant(None, None)
            for item in call.args[place : place + 1]:
                self._bind(gast.Subscript(owner, key, gast.Store()), self.of(item))
        elif name in ("update", "extend"):
            added = self._of_dict(call) if name == "update" else self._of_any(call.args[:1])
            self._bind(owner, _inner(added))

    def _assign(self, target: Any, value: Any) -> None:
        parts, items = getattr(target, "elts", ()), getattr(value, "elts", ())
        starred = any(isinstance(item, gast.Starred) for item in (*parts, *items))
        if parts and len(parts) == len(items) and not starred:
            for part, item in zip(parts, items, strict=True):
                self._assign(part, item)
        else:
            self._bind(target, self.of(value))

    def _bind(self, target: Any, found: Parts) -> None:
        if not found:
            return
        if isinstance(target, (gast.Tuple, gast.List)):
            starred = any(isinstance(item, gast.Starred) for item in target.elts)
            for position, item in enumerate(target.elts):
                self._bind(item, entries_of(found, ANY if starred else position))
            return
        self._bound.setdefault(id(target), set()).update(found)
        while (place := _place(target)) is not None:
            target, key = place
            if not isinstance(key, gast.Slice):
                step = _step(key)  # of a number nobody knows if it is the key of a dict
                found = _put(step if isinstance(step, str) else ANY, found)
        for name in names_bound(target) or [root_name(target) or ""]:
            self._known.setdefault(self._called(target, name), set()).update(found)

    def _called(self, node: Any, name: str) -> str:
        """Return what a name is called here: a variable of a comprehension has one of its own."""
        known = self._own.get(id(node))
        return name if known is None else known[1]


def entries_of(found: Parts, step: Any) -> Parts:
    """Return what is in the entry that a step leads to, or in any."""
    return {
        Part(part.steps[1:], part.kind, True)
        for part in found
        if part.steps and (step is ANY or part.steps[0] is ANY or part.steps[0] == step)
    }


def is_of_pairs(found: Parts) -> bool:
    """Say whether a value is a list, tuple or iterator, as `dict` takes pairs from, and no dict."""
    kinds = {part.kind for part in found if not part.steps}
    return bool(kinds) and "dict" not in kinds


def _step(index: Any) -> Any:
    key = getattr(index, "value", None)
    return key if isinstance(index, gast.Constant) and type(key) in (str, int) else ANY


def _place(node: Any) -> tuple[Any, Any] | None:
    """Return what an expression takes an entry out of, and its key: ``p[k]``, ``p.get(k)``."""
    if isinstance(node, gast.Subscript):
        return node.value, node.slice
    if isinstance(node, gast.Call) and getattr(node.func, "attr", "") in _TAKING:
        return node.func.value, node.args[0] if node.args else None
    return None


def _put(step: Any, found: Parts) -> Parts:
    return {
        Part((step, *part.steps), part.kind, False) for part in found if len(part.steps) < _DEEPEST
    }


def _moved(found: Parts) -> Parts:
    """Return the containers in a value whose entries may be at other positions."""
    moved = {part for part in found if part.steps and isinstance(part.steps[0], int)}
    return (found - moved) | {part._replace(steps=(ANY, *part.steps[1:])) for part in moved}


def _inner(found: Parts) -> Parts:
    """Return what is in the entries of a value, which is copied."""
    return {Part(part.steps, part.kind, False) for part in found if part.steps}


def _of_pairs(parts: list[Parts]) -> Parts:
    """Return an iterator over tuples of entries of which the parts are known."""
    found = {Part((), "iterator", False), Part((ANY,), "tuple", False)}
    for position, inside in enumerate(parts):
        found |= _put(ANY, _put(position, inside))
    return found


def _results(value: Any) -> list[Any]:
    """Return the expressions one of which gives the value of another."""
    if isinstance(value, gast.IfExp):
        return [value.body, value.orelse]
    return list(value.values) if isinstance(value, gast.BoolOp) else [value.value]


def _own_variables(body: list[Any]) -> dict[int, tuple[Any, str]]:
    """Return where variables stand that comprehensions have for themselves, and what to call them.

    >>> found = _own_variables(gast.parse("v = [v for v in u]").body)
    >>> [node.id for node, _ in found.values()]
    ['v', 'v']
    """
    found: dict[int, tuple[Any, str]] = {}  # the nodes are kept: they are told by `id`
    scopes = [node for statement in body for node in found_in(statement, *_SCOPES)]
    for number, node in enumerate(scopes):  # the outer ones first
        bound = {name for part in node.generators for name in names_bound(part.target)}
        outside = set(map(id, found_in(node.generators[0].iter, gast.Name)))
        for name in found_in(node, gast.Name):
            if name.id in bound and id(name) not in outside:
                found[id(name)] = name, f"{name.id} of {number}"
    return found


def _earlier_bindings(body: list[Any]) -> dict[int, set[int]]:
    """Return the places that may have bound what a name holds where it is put into a list.

    That is the case of names that are bound to lists of themselves, and changed by nothing else.

    >>> body = gast.parse("q = [0.0]; q = [q]").body
    >>> (earlier,) = _earlier_bindings(body).values()
    >>> earlier == {id(body[0].targets[0])}
    True
    """
    nested: dict[str, list[Any]] = {}
    bindings = [item for statement in body for item in found_in(statement, gast.Assign)]
    for binding in bindings:
        name = getattr(binding.targets[0], "id", "")
        displays = found_in(binding.value, *_KINDS) if name else ()
        if any(name in names_read(item) for item in displays):
            nested.setdefault(name, []).append(binding.value)
    if not nested:
        return {}  # as in most functions
    told = {id(target) for binding in bindings for target in binding.targets} | {BEFORE}
    found: dict[int, set[int]] = {}
    for name in nested.keys() - named_in_functions(body) - _changed(body):
        held = Webs(body, name).held
        for value in nested[name]:
            places = [node for node in found_in(value, gast.Name) if node.id == name]
            found |= {id(n): held[id(n)] for n in places if held.get(id(n), {None}) <= told}
    return found


def _changed(body: list[Any]) -> set[str]:
    """Return the names of what entries are stored in, or that have methods called."""
    nodes = [node for statement in body for node in found_in(statement, *_CHANGING)]
    nodes = [node for node in nodes if not isinstance(getattr(node, "ctx", None), gast.Load)]
    return {root_name(getattr(node, "func", node)) or "" for node in nodes}
