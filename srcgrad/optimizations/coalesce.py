"""Gives the versions of a variable one name again, where they do not get in each other's way.

Two versions interfere if one is bound while the other is still needed. The versions are coloured
greedily in the order of their appearance (Chaitin, 1982, without spilling); copies between versions
of one colour disappear.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import at
from srcgrad.ir.liveness import killed, walk_live
from srcgrad.ir.marks import IN_PLACE
from srcgrad.ir.names import Namer
from srcgrad.ir.program import bound_by, targets_of
from srcgrad.ir.walk import blocks_of, found_in, statements

MayShare = Callable[[str, str], bool]


def coalesce(
    body: list[Any],
    parameters: tuple[str, ...],
    namer: Namer,
    keep_in_place: set[str],
    results: frozenset[str] = frozenset(),
    may_share: MayShare | None = None,
) -> list[Any]:
    """Return `body` with versions renamed; `keep_in_place` are those that `+=` must not change.

    Nor must it change what another name that is read later may share its memory with. The versions
    of `results` never get in each other's way: only one of them is bound in a run.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> namer = Namer(["h", "x"])
    >>> names = [namer.version("h"), namer.version("h")]
    >>> body = parse('''
    ... h_2 = h + x
    ... h_3 = h_2 * x
    ... out = h_3 - h_2
    ... ''')
    >>> print(text(coalesce(body, ("h", "x"), namer, set())))
    h = h + x
    h_2 = h * x
    out = h_2 - h

    >>> body = parse("h_2 = h; h_3 = h_2 * x; h_2 = h_3; out = h_3 - h")
    >>> IN_PLACE.put(body[1], True)
    >>> print(text(coalesce(body, ("h", "x"), namer, set(), may_share=lambda a, b: a[0] == b[0])))
    h_2 = h
    h_2 = h_2 * x
    out = h_2 - h
    """
    versions = _versions(body, parameters, namer)
    crowded = {
        base: names for base, names in versions.items() if len(names) > 1 and base not in results
    }
    conflicts: dict[str, set[str]] = {}
    lasting: dict[int, set[str]] = {}
    if crowded or any(IN_PLACE.of(item) for item in statements(body)):
        conflicts, lasting = _conflicts(body, parameters, crowded, namer)
    names: dict[str, str] = {}
    every = {name for members in versions.values() for name in members}
    for base, members in versions.items():
        titles = _titles(base, members, namer, every)
        names.update(_colour(members, conflicts, parameters, titles))
    bases = {namer.base(name) for name in keep_in_place}  # a version may be another's memory

    def keeps(statement: Any) -> bool:
        """Say whether what a statement updates must be there afterwards as it was before."""
        name = statement.value.left.id
        return namer.base(name) in bases or any(
            names.get(other) != names.get(name) and may_share is not None and may_share(name, other)
            for other in lasting[id(statement)]
        )

    _mark_in_place(body, names, keeps)
    _rename(body, names)
    return _without_self_copies(body)


def _versions(body: list[Any], parameters: tuple[str, ...], namer: Namer) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    seen: set[str] = set()
    bound = [*parameters]
    for statement in statements(body):
        bound += bound_by(statement)
    for name in bound:
        if name not in seen:
            seen.add(name)
            found[namer.base(name)].append(name)
    return found


def _conflicts(
    body: list[Any], parameters: tuple[str, ...], crowded: dict[str, list[str]], namer: Namer
) -> tuple[dict[str, set[str]], dict[int, set[str]]]:
    """Return the versions that interfere, and what is needed after each update in place."""
    conflicts: dict[str, set[str]] = defaultdict(set)
    lasting: dict[int, set[str]] = {}
    together = {base: set(names) for base, names in crowded.items()}

    def note(name: str, live: set[str], also: Collection[str], copied: str | None) -> None:
        versions = together.get(namer.base(name))
        if versions is None:  # most names are the only version of their variable
            return
        others = live.intersection(versions) | versions.intersection(also)
        others.difference_update((name, copied))
        conflicts[name] |= others
        for other in others:
            conflicts[other].add(name)

    def visit(statement: Any, live: set[str]) -> None:
        names = list(killed(statement))
        if IN_PLACE.of(statement):
            lasting[id(statement)] = live.difference(names)
        if isinstance(statement, gast.AugAssign) and isinstance(statement.target, gast.Name):
            names = [statement.target.id]
        value = getattr(statement, "value", None)
        unpacks = any(not isinstance(target, gast.Name) for target in targets_of(statement))
        copies = isinstance(value, gast.Name) and not unpacks and len(names) == 1
        copied = getattr(value, "id", "") if copies else None
        for name in names:
            note(name, live, names, copied)
        if isinstance(statement, gast.For):
            inside = _read_in(statement)
            for name in names:
                note(name, live, inside, None)

    entry = walk_live(body, set(), visit)
    for name in parameters:
        note(name, entry, parameters, None)
    return conflicts, lasting


def _read_in(loop: Any) -> set[str]:
    return walk_live(loop.body, set())


def _colour(
    members: list[str],
    conflicts: dict[str, set[str]],
    parameters: tuple[str, ...],
    titles: list[str],
) -> dict[str, str]:
    colours: list[tuple[str, set[str]]] = []
    chosen: dict[str, str] = {}
    for name in sorted(members, key=lambda item: item not in parameters):
        enemies = conflicts.get(name, set())
        for title, group in colours:
            if enemies.isdisjoint(group):
                group.add(name)
                chosen[name] = title
                break
        else:
            title = name if name in parameters else next(t for t in titles if t not in parameters)
            titles.remove(title)
            colours.append((title, {name}))
            chosen[name] = title
    return chosen


def _titles(base: str, members: list[str], namer: Namer, every: set[str]) -> list[str]:
    """Return the names that the versions may get: the plain one first, if it is nobody else's."""
    free = not namer.is_reserved(base) and base not in every
    plain = [base] if base in members or free else []
    return list(dict.fromkeys([*plain, *sorted(members, key=lambda name: (len(name), name))]))


def _mark_in_place(body: list[Any], names: dict[str, str], keeps: Callable[[Any], bool]) -> None:
    for statement in statements(body):
        if IN_PLACE.of(statement) and isinstance(statement.value, gast.BinOp):
            left, target = statement.value.left, statement.targets[0]
            together = (
                isinstance(left, gast.Name)
                and isinstance(target, gast.Name)
                and names.get(left.id) == names.get(target.id)
            )
            IN_PLACE.put(statement, together and not keeps(statement))


def _rename(body: list[Any], names: dict[str, str]) -> None:
    names = {name: title for name, title in names.items() if name != title}
    seen: set[int] = set()  # a node may stand in two places; rename it once
    for statement in body if names else ():
        for node in found_in(statement, gast.Name):
            if id(node) not in seen:
                seen.add(id(node))
                node.id = names.get(node.id, node.id)


def _without_self_copies(block: list[Any]) -> list[Any]:
    kept: list[Any] = []
    for statement in block:
        for part in blocks_of(statement):
            part[:] = _without_self_copies(part)
        if _is_self_copy(statement):
            continue
        kept.append(_as_update(statement))
    return kept


def _is_self_copy(statement: Any) -> bool:
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return False
    target, value = statement.targets[0], statement.value
    return isinstance(target, gast.Name) and isinstance(value, gast.Name) and target.id == value.id


def _as_update(statement: Any) -> Any:
    r"""Return ``x = x + v`` as the update that it was; a sum of displays is none any more.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse("x = x + v\nt = (*t, v)")
    >>> for statement in body:
    ...     IN_PLACE.put(statement, True)
    >>> print(text([_as_update(statement) for statement in body]))
    x += v
    t = *t, v
    """
    value = statement.value if IN_PLACE.of(statement) else None
    if not isinstance(value, gast.BinOp):
        return statement
    return at(gast.AugAssign(statement.targets[0], value.op, value.right), statement)
