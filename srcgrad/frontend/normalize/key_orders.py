"""Tells what chooses or orders the keys of a dict by its entries from what computes with them."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from srcgrad.frontend.normalize.comprehensions import is_plain_lambda
from srcgrad.frontend.normalize.dicts import treats_as_dict
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, settled, store, subscript
from srcgrad.ir.names import Namer
from srcgrad.ir.pairs import names_with_values
from srcgrad.ir.rewriting import Rewriter
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import found_in, names_bound, nodes_in

_CHOOSING: Final = (max, min)
_LISTING: Final = (sorted, list, tuple)
_DICTS: Final = (gast.Dict, gast.DictComp)
_QUESTIONS: Final = ("isinstance", "hasattr", "type", "callable")
_READERS: Final = ("get", "items", "keys", "values")
_BUILTINS: Final = (*_CHOOSING, *_LISTING, len, sum, enumerate)


class KeyOrders(Rewriter):
    """Rewrites one function body, in which what ``max(d, key=d.get)`` gives has no derivative.

    A pair of ``d.items()`` that is chosen is read by its key, and so are all of them in an order.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> scope = program_of("def f(x): d = k = v = x; return d").reader.scope
    >>> body = parse('''
    ... d = {"a": x, "b": y}
    ... k, v = max(d.items(), key=lambda pair: pair[1])
    ... for k, v in sorted(d.items(), key=lambda pair: (-pair[1], pair[0])):
    ...     t = t * v
    ... ''')
    >>> print(text(KeyOrders(scope, Namer(["d", "x", "y", "k", "v"])).function(body)))
    d = {"a": x, "b": y}
    k, v = (key := max(d, key=lambda one: d[one])), d[key]
    for k in sorted(d, key=lambda one_2: (-d[one_2], one_2)):
        v = d[k]
        t = t * v
    """

    def __init__(self, scope: Scope, namer: Namer) -> None:
        self._scope = scope
        self._namer = namer
        self._dicts: set[str] = set()
        self._alone: set[str] = set()

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of the function with what the keys are chosen by told apart."""
        whole = gast.Module(body, [])
        names = found_in(whole, gast.Name)
        bound = Counter(item.id for item in names if _is_stored(item))
        displays = Counter(_given_displays(whole))
        self._dicts = _made_dicts(whole, displays, bound) | _treated_as_dicts(whole, bound)
        if not self._dicts and not any(map(_asks_for_keys, found_in(whole, gast.Call))):
            return body
        mentioned = Counter(item.id for item in names)
        plain = Counter(_plain_uses(whole, self._scope))
        self._alone = {name for name in displays if mentioned[name] == plain[name]}
        return [self.visit(statement) for statement in body]

    # -- what gives keys

    def visit_Call(self, node: Any) -> Any:
        """Mark a call that chooses or lists keys; one that chooses pairs gets them by a key."""
        self.generic_visit(node)
        callee = self._scope.resolve(node.func)
        chooses = any(callee is item for item in _CHOOSING)
        if not chooses and not any(callee is item for item in _LISTING):
            return node
        if len(node.args) == 1 and self._gives_keys(node.args[0]):
            return settled(node)
        by_keys = None if callee is tuple else self._by_keys(node)
        if by_keys is None:
            return node
        if not chooses:
            key = self._namer.fresh("key")
            pair = gast.Tuple(
                [load(key), subscript(clone(by_keys.args[0]), load(key))], gast.Load()
            )
            part = gast.comprehension(store(key), by_keys, [], 0)
            return at(gast.ListComp(pair, [part]), node)
        key = self._namer.fresh("key")
        first = gast.NamedExpr(store(key), by_keys)
        value = subscript(clone(by_keys.args[0]), load(key))
        return at(gast.Tuple([first, value], gast.Load()), node)

    def _gives_keys(self, node: Any) -> bool:
        """Say whether a node is a dict, or a call of the method `keys`, which dicts alone have."""
        return _asks_for_keys(node) or (isinstance(node, gast.Name) and node.id in self._dicts)

    def _by_keys(self, node: Any) -> Any | None:
        """Return what chooses or orders the keys as a call does the pairs of a dict, or None."""
        options = {item.arg: item.value for item in node.keywords}
        if len(node.args) != 1 or not set(options) <= {"key", "reverse"}:
            return None
        callee = self._scope.resolve(node.func)
        items = node.args[0]
        viewed = isinstance(items, gast.Call) and not items.args and not items.keywords
        owner = items.func.value if viewed and getattr(items.func, "attr", "") == "items" else None
        orders = any(callee is item for item in (*_CHOOSING, *_LISTING))
        if getattr(owner, "id", "") not in self._alone or not orders:
            return None
        key = options.get("key")
        keywords = [item for item in node.keywords if item.arg != "key"]
        if getattr(key, "value", key) is not None:
            asked = self._asked(key, owner)
            if asked is None:
                return None
            keywords.insert(0, gast.keyword("key", asked))
        return settled(at(gast.Call(node.func, [owner], keywords), node))

    def _asked(self, key: Any, owner: Any) -> Any | None:
        """Return the function of a key that says what `key` says of its pair; None if unclear."""
        one = self._namer.fresh("one")
        pair = gast.Tuple([load(one), subscript(clone(owner), load(one))], gast.Load())
        if is_plain_lambda(key, 1):
            value = _Reading(key.args.args[0].id, pair).visit(clone(key.body))
        elif isinstance(key, gast.Name):
            value = gast.Call(clone(key), [pair], [])
        elif isinstance(key, gast.Call) and self._scope.resolve(key.func) is operator.itemgetter:
            place: Any = key.args[0] if len(key.args) == 1 else None
            if getattr(place, "value", None) not in (0, 1):
                return None
            value = pair.elts[place.value]
        else:
            return None
        parameter = store(one)
        parameter.ctx = gast.Param()
        return gast.Lambda(gast.arguments([parameter], [], None, [], [], None, []), value)

    # -- loops over pairs in an order

    def visit_For(self, node: Any) -> Any:
        """Write a loop over pairs in an order as one over their keys, if it changes no entries."""
        value = self._read_by_key(node, gast.Module(node.body, []))
        if value is not None:
            second = node.target.elts[1]
            node.target = node.target.elts[0]
            node.body.insert(0, assign(second, value, node))
        return self.generic_visit(node)

    def _comprehension(self, node: Any) -> Any:
        for place, part in enumerate(node.generators):
            second = part.target.elts[1] if _is_pair(part.target) else None
            if not isinstance(second, gast.Name) or _bound(node).count(second.id) > 1:
                continue
            value = self._read_by_key(part, node, 1)
            if value is not None:
                part.target = part.target.elts[0]
                reading = _Reading(second.id, value)
                part.ifs = [reading.visit(item) for item in part.ifs]
                node.generators[place + 1 :] = map(reading.visit, node.generators[place + 1 :])
                for field in ("elt", "key", "value"):
                    if hasattr(node, field):
                        setattr(node, field, reading.visit(getattr(node, field)))
        return self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _read_by_key(self, loop: Any, body: Any, times: int = 0) -> Any | None:
        """Let a loop run over keys; return how the value of its pair is read, None if it cannot.

        `times` says how often the loop's body binds its own variables for this.
        """
        key = _as_key(loop.target.elts[0]) if _is_pair(loop.target) else None
        holder, inner = loop, loop.iter
        while isinstance(inner, gast.Subscript) and isinstance(inner.slice, gast.Slice):
            holder, inner = inner, inner.value
        by_keys = self._by_keys(inner) if key is not None and isinstance(inner, gast.Call) else None
        if by_keys is None:
            return None
        bound, name = _bound(body), by_keys.args[0].id
        stored = [item for item in found_in(body, gast.Subscript) if _is_stored(item)]
        if not times and isinstance(key, gast.Name) and key.id not in bound:
            stored = [item for item in stored if getattr(item.slice, "id", "") != key.id]
        if name in bound or any(getattr(item.value, "id", "") == name for item in stored):
            return None
        if times and any(bound.count(item) > times for item in names_bound(loop.target)):
            return None
        setattr(holder, "iter" if holder is loop else "value", by_keys)
        return subscript(load(name), key)


class _Reading(Rewriter):
    """Writes an expression where a variable is read, and parts of it where these are."""

    def __init__(self, name: str, value: Any) -> None:
        self._name = name
        self._value = value

    def visit_Name(self, node: Any) -> Any:
        """Write the expression in the place of the variable."""
        return at(clone(self._value), node) if node.id == self._name else node

    def visit_Subscript(self, node: Any) -> Any:
        """Write the part of a pair that is read of it."""
        self.generic_visit(node)
        parts: Any = getattr(node.value, "elts", None)
        place: Any = getattr(node.slice, "value", None)
        known = isinstance(node.value, gast.Tuple) and type(place) is int
        return parts[place] if known and 0 <= place < len(parts) else node


def _given_displays(whole: Any) -> Iterator[str]:
    """Yield the names that statements bind to new dicts."""
    yield from (name for name, value in _bindings(whole) if isinstance(value, _DICTS))


def _bindings(whole: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names that assignments bind, with what to: of ``a, b = {}, v`` both."""
    for node in found_in(whole, gast.Assign):
        yield from names_with_values(node)


def _made_dicts(whole: Any, displays: Counter[str], bound: Counter[str]) -> set[str]:
    r"""Return the names that are bound to new dicts alone, and to other such names: ``d = new``.

    >>> whole = gast.parse("d = {}\nfor i in x:\n  new = {}\n  d = new\ne = {}\ne = x")
    >>> sorted(_made_dicts(whole, Counter("d new e".split()), Counter("d d new e e".split())))
    ['d', 'new']
    """
    copies = [(name, value.id) for name, value in _bindings(whole) if isinstance(value, gast.Name)]
    copied = Counter(name for name, _ in copies)
    found = {name for name, count in displays.items() if bound[name] == count + copied[name]}
    size = -1
    while len(found) != size:
        size = len(found)
        found -= {name for name, source in copies if source not in found}
    return found


def _treated_as_dicts(whole: Any, bound: Counter[str]) -> set[str]:
    """Return the names that are surely dicts since some statement needs one: of one value each."""
    if found_in(whole, gast.Try):
        return set()
    unclear = {
        item.id
        for node in found_in(whole, gast.Call)
        if getattr(node.func, "id", "") in _QUESTIONS
        for item in node.args
        if isinstance(item, gast.Name)
    }
    made = {
        target.id
        for node in found_in(whole, gast.Assign)
        for target in node.targets
        if isinstance(target, gast.Name) and isinstance(node.value, gast.Call)
    }
    nodes = found_in(whole, gast.Subscript, gast.Attribute)
    return {
        name
        for name in (node.value.id for node in nodes if treats_as_dict(node))
        if name not in unclear and bound[name] <= (name in made)
    }


def _plain_uses(node: Any, scope: Scope) -> Iterator[str]:
    """Yield the names, as often as they stand where only entries are read or bound."""
    parts: list[Any] = []
    if isinstance(node, gast.Assign):
        parts = [load(n) for n, value in names_with_values(node) if isinstance(value, _DICTS)]
    elif isinstance(node, gast.Subscript) or (
        isinstance(node, gast.Attribute) and node.attr in _READERS
    ):
        parts = [node.value]
    elif isinstance(node, (gast.For, gast.comprehension)):
        parts = [node.iter]
    elif isinstance(node, gast.Compare) and isinstance(node.ops[0], (gast.In, gast.NotIn)):
        parts = node.comparators[:1]
    elif isinstance(node, gast.Call):
        callee = scope.resolve(node.func)
        parts = node.args[:1] if any(callee is item for item in _BUILTINS) else []
    yield from (part.id for part in parts if isinstance(part, gast.Name))
    for part in nodes_in(node):
        yield from _plain_uses(part, scope)


def _as_key(target: Any) -> Any | None:
    """Return what a loop's target for a key is, as it is read; None if that is not clear."""
    if isinstance(target, gast.Name):
        return load(target.id)
    names = [getattr(item, "id", "") for item in getattr(target, "elts", ())]
    plain = names and "" not in names and len({*names}) == len(names)
    return gast.Tuple([load(name) for name in names], gast.Load()) if plain else None


def _is_pair(target: Any) -> bool:
    return isinstance(target, gast.Tuple) and len(target.elts) == len(("key", "value"))


def _asks_for_keys(node: Any) -> bool:
    asks = isinstance(node, gast.Call) and getattr(node.func, "attr", "") == "keys"
    return asks and not node.args and not node.keywords


def _is_stored(node: Any) -> bool:
    return not isinstance(node.ctx, gast.Load)


def _bound(node: Any) -> list[str]:
    """Return the names that a node binds, as often as it does."""
    return [item.id for item in found_in(node, gast.Name) if _is_stored(item)]
