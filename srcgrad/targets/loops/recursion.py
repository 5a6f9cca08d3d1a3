"""Lets functions that call themselves keep what they keep in one list, and hand on places in it.

What a call on the way there keeps holds what its own calls keep, and so on: tuples in tuples, as
deep as calls go, for which Numba has no type. So each call appends one tuple to a list that all
calls share, and returns where that lies. The list's first entry is of no call: it says what kind
all are of, and a call that was not made has its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, constant, load, subscript, tuple_of
from srcgrad.ir.edges import followed
from srcgrad.ir.names import free_name
from srcgrad.ir.walk import blocks_of, found_in
from srcgrad.targets.loops.kind import Array, Items, Kind, Many
from srcgrad.targets.loops.placeholders import blank

_FORWARD: Final = "_forward"
_BACKWARD: Final = "_backward"
_DEEPEST: Final = 1000  # as deep as Python goes


def recursive(functions: Mapping[str, Any]) -> set[str]:
    """Return the functions that call themselves, in those that they call, too."""
    calls = {name: _called(function, functions) for name, function in functions.items()}
    return {name for name in functions if name in followed([name], calls)}


def limit_depth(functions: dict[str, Any], entry: str) -> None:
    """Let functions that call themselves count their calls, and raise where Python would.

    A compiled one would take all of the stack, and the process with it.
    """
    found = recursive(functions)
    taken = {item.id for function in functions.values() for item in found_in(function, gast.Name)}
    depth = free_name("depth", taken) if found else ""
    if entry in found:
        found = {*found - {entry}, _set_apart(functions, entry, taken | functions.keys())}
    for name, function in functions.items():
        for node in found_in(function, gast.Call):
            if getattr(node.func, "id", None) in found:
                more = gast.BinOp(load(depth), gast.Add(), constant(1))
                node.args.append(more if name in found else constant(0))
    for name in found:
        function = functions[name]
        function.args.args.append(gast.Name(depth, gast.Param(), None, None))
        test = gast.Compare(load(depth), [gast.Gt()], [constant(_DEEPEST)])
        error = call("RecursionError", constant("a function calls itself too often"))
        look = gast.If(test, [gast.Raise(error, None)], [])
        look.lineno = look.body[0].lineno = function.lineno
        function.body.insert(1 if gast.get_docstring(function) else 0, look)


def _set_apart(functions: dict[str, Any], entry: str, taken: set[str]) -> str:
    """Let an entry that calls itself call a function that does so; return the name of that."""
    function, name = functions[entry], free_name(f"{entry}_again", taken)
    for other in functions.values():
        for item in found_in(other, gast.Name):
            item.id = name if item.id == entry else item.id
    given = [item.id for item in function.args.args]
    said = gast.Expr(gast.Constant(f"Return what `{name}` returns.", None))
    parameters = [gast.Name(item, gast.Param(), None, None) for item in given]
    arguments = gast.arguments(parameters, [], None, [], [], None, [])
    body = [said, gast.Return(call(name, *map(load, given)))]
    thin = gast.FunctionDef(entry, arguments, body, function.decorator_list, None, None)
    thin.lineno = body[1].lineno = function.lineno
    function.name = name
    functions[name], functions[entry] = function, thin
    return name


class Recursion:
    """The functions of a text that call themselves on the way there, rewritten.

    Attributes:
        lists: The lists in which they keep things, by their names.
    """

    def __init__(self, functions: Mapping[str, Any], entry: str) -> None:
        self._functions = functions
        self._entry = entry
        self._calls = {name: _called(function, functions) for name, function in functions.items()}
        self.lists: dict[str, str] = {}
        keepers = self._keepers()
        if not keepers or not _do_not_escape(functions[entry], self._reach(keepers)):
            return
        taken = {
            item.id for function in functions.values() for item in found_in(function, gast.Name)
        }
        for name in keepers:
            back = _back_of(name)
            if back in functions:
                self.lists[name] = free_name(f"{name.replace(_FORWARD, '')}_kept", taken)
                _read(functions[back], self.lists[name])
            _keep(functions[name], self.lists.get(name))
        self._hand_down()

    def begin(self, kind_of: Callable[[Any, str], Kind]) -> None:
        """Write the first entries of the lists, which say what the others are."""
        for name, kept in self.lists.items():
            kind = kind_of(gast.Name(kept, gast.Load(), None, None), name)
            first = _first(kind.item) if isinstance(kind, Many) else None
            if first is not None:
                for statement in self._functions[self._entry].body:
                    if isinstance(statement, gast.Assign) and _is_name(statement.targets[0], kept):
                        statement.value.elts.append(first)

    # -- which functions

    def _keepers(self) -> list[str]:
        """Return the functions that reach themselves, and return what they keep in tuples."""
        found = [
            name
            for name, function in self._functions.items()
            if name != self._entry
            and _FORWARD in name
            and name in self._reached_by(name)
            and _width(function) is not None
        ]
        for name in found:
            back = self._functions.get(_back_of(name))
            if back is not None and _unpacked(back) != _width(self._functions[name]):
                return []
            if back is None and not self._is_only_handed_on(self._reach(found)):
                return []
        return found if all(self._is_called_plainly(name) for name in found) else []

    def _reached_by(self, name: str) -> set[str]:
        """Return the functions that one calls, itself or in those that it calls."""
        return followed([name], self._calls)

    def _reach(self, names: Sequence[str]) -> set[str]:
        """Return the functions that call some, themselves or in those that they call."""
        wanted = set(names)
        return {name for name in self._functions if self._reached_by(name) & wanted} | wanted

    def _is_called_plainly(self, name: str) -> bool:
        """Say whether a function is only ever called by ``result, kept = name(...)``.

        Or by one of both, ``name(...)[0]``, and by what a way back takes, ``name(...)[1]``.
        """
        for function in self._functions.values():
            uses = sum(item.id == name for item in found_in(function, gast.Name))
            pairs = sum(
                _calls(item.value, name)
                and isinstance(item.targets[0], gast.Tuple)
                and len(item.targets[0].elts) == 2
                for item in found_in(function, gast.Assign)
            )
            parts = [
                item for item in found_in(function, gast.Subscript) if _calls(item.value, name)
            ]
            taken = set(map(id, _taken_back(function.body)))
            fit = sum(_is_constant(x.slice, 0) or id(x) in taken for x in parts)
            if uses != pairs + fit:
                return False
        return True

    def _is_only_handed_on(self, names: set[str]) -> bool:
        """Say whether what some functions keep is read only to be kept, or by ways back."""
        for owner, function in self._functions.items():
            held = {
                item.id
                for statement in found_in(function, gast.Assign)
                if isinstance(statement.targets[0], gast.Tuple)
                and getattr(getattr(statement.value, "func", None), "id", "") in names
                for item in found_in(statement.targets[0].elts[-1], gast.Name)
            }
            appended = _appended_to(function, held)
            handed = [*_taken_back(function.body), *appended]
            if owner in names and _width(function) is not None:
                handed += [item.value.elts[1] for item in found_in(function, gast.Return)]
            passed = {id(item) for node in handed for item in found_in(node, gast.Name)}
            read = [item for item in found_in(function, gast.Name) if _is_load(item)]
            if any(item.id in held and id(item) not in passed for item in read):
                return False
        return True

    # -- lists as arguments

    def _hand_down(self) -> None:
        """Let all functions that reach a list take it, and the entry make it."""
        readers = {kept: {name, _back_of(name)} for name, kept in self.lists.items()}
        for kept, ends in readers.items():
            users = {name for name in self._functions if self._reached_by(name) & ends} | ends
            for name in users:
                function = self._functions[name]
                if name == self._entry:
                    made = assign(kept, gast.List([], gast.Load()))
                    made.lineno = function.lineno
                    function.body.insert(1 if gast.get_docstring(function) else 0, made)
                else:
                    function.args.args.append(gast.Name(kept, gast.Param(), None, None))
                for node in found_in(function, gast.Call):
                    if isinstance(node.func, gast.Name) and node.func.id in users:
                        node.args.append(load(kept))


def _called(function: Any, functions: Mapping[str, Any]) -> set[str]:
    return {item.id for item in found_in(function, gast.Name)} & functions.keys()


def _back_of(name: str) -> str:
    before, _, after = name.rpartition(_FORWARD)
    return f"{before}{_BACKWARD}{after}"


def _is_name(node: Any, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name


def _calls(node: Any, name: str) -> bool:
    return isinstance(node, gast.Call) and _is_name(node.func, name)


def _is_constant(node: Any, value: int) -> bool:
    return isinstance(node, gast.Constant) and type(node.value) is int and node.value == value


def _is_load(node: Any) -> bool:
    return isinstance(node.ctx, gast.Load)


def _width(function: Any) -> int | None:
    """Return how many things a way there keeps; None if it does not always keep a tuple of them."""
    found = {_kept_by(item) for item in found_in(function, gast.Return)}
    return found.pop() if len(found) == 1 else None


def _kept_by(statement: Any) -> int | None:
    whole = statement.value
    if not isinstance(whole, gast.Tuple) or len(whole.elts) != 2:
        return None
    return len(whole.elts[1].elts) if isinstance(whole.elts[1], gast.Tuple) else None


def _unpacked(function: Any) -> int | None:
    """Return how many things a way back takes out of its first argument; None for another use."""
    first = function.args.args[0].id
    statement = function.body[1 if gast.get_docstring(function) else 0]
    if not isinstance(statement, gast.Assign) or not _is_name(statement.value, first):
        return None
    target = statement.targets[0]
    if not isinstance(target, gast.Tuple):
        return None
    uses = sum(_is_name(item, first) for item in found_in(function, gast.Name))
    bound = any(_is_name(item, first) for item in target.elts)
    return len(target.elts) if bound or uses == 2 else None  # the parameter, and where it is read


def _read(function: Any, kept: str) -> None:
    statement = function.body[1 if gast.get_docstring(function) else 0]
    statement.value = subscript(load(kept), statement.value)


def _keep(owner: Any, kept: str | None) -> None:
    """Let a way there append what it keeps to a list, if there is one, and return the place."""
    blocks = [owner.body] if isinstance(owner, gast.FunctionDef) else blocks_of(owner)
    for block in blocks:
        for place in range(len(block) - 1, -1, -1):
            statement = block[place]
            if not isinstance(statement, gast.Return):
                _keep(statement, kept)
                continue
            whole = statement.value
            if kept is None:
                whole.elts[1] = constant(0)
                continue
            added = gast.Expr(
                call(gast.Attribute(load(kept), "append", gast.Load()), whole.elts[1])
            )
            added.lineno = statement.lineno
            whole.elts[1] = gast.BinOp(call("len", load(kept)), gast.Sub(), constant(1))
            block.insert(place, added)


def _do_not_escape(entry: Any, reach: set[str]) -> bool:
    """Say whether a function hands on to nobody outside what those that it calls have kept."""
    held: set[str] = set()
    for node in found_in(entry, gast.Assign):
        called = getattr(getattr(node.value, "func", None), "id", "")
        if called in reach and isinstance(node.targets[0], gast.Tuple):
            held |= {item.id for item in found_in(node.targets[0].elts[-1], gast.Name)}
    _appended_to(entry, held)
    given = {item.id for item in found_in(entry.args, gast.Name)}
    returned = [item.value for item in found_in(entry, gast.Return) if item.value is not None]
    return not held & given and not _reads(returned, held, _taken_back(returned))


def _appended_to(function: Any, held: set[str]) -> list[Any]:
    """Add the lists to some names to which these are appended; return the calls that do so."""
    calls = [
        node for node in found_in(function, gast.Call) if getattr(node.func, "attr", "") == "append"
    ]
    found: list[Any] = []
    while more := [node for node in calls if node not in found and _reads(node.args, held)]:
        found += more
        held |= {item.id for node in more for item in found_in(node.func, gast.Name)}
    return found


def _taken_back(nodes: Sequence[Any]) -> list[Any]:
    """Return the arguments of ways back."""
    return [
        item
        for node in nodes
        for found in found_in(node, gast.Call)
        if _BACKWARD in getattr(found.func, "id", "")
        for item in found.args
    ]


def _reads(nodes: Sequence[Any], names: set[str], but: Sequence[Any] = ()) -> bool:
    """Say whether trees read any of some names, elsewhere than in given nodes."""
    passed = {id(item) for node in but for item in found_in(node, gast.Name)}
    found = [item for node in nodes for item in found_in(node, gast.Name)]
    return any(item.id in names and id(item) not in passed for item in found)


def _first(kind: Kind) -> Any:
    """Return an entry of a list that stands for no call; None if there is none of its kind."""
    if not isinstance(kind, Items):
        return None
    items = [blank(item) for item in kind.items]
    if any(item is None for item in items):
        return None
    strided = [
        _of_any_layout(value, item.ndim) if isinstance(item, Array) else value
        for value, item in zip(items, kind.items, strict=True)
    ]
    return tuple_of(strided)


def _of_any_layout(array: Any, ndim: int) -> Any:
    """Return an array of which Numba does not take for granted how its entries lie in memory."""
    steps = [gast.Slice(None, None, constant(1)) for _ in range(ndim)]
    return subscript(array, steps[0] if ndim == 1 else gast.Tuple(steps, gast.Load()))
