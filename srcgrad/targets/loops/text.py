"""Writes the text of a derivative as Numba takes it: compiled functions, data as arguments."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from srcgrad.codegen.printer import print_module
from srcgrad.codegen.tracebacks import LineMap, UserLine
from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, dotted, load
from srcgrad.ir.nodes import Comment
from srcgrad.ir.parsing import gast_parsed
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.bounds import LOOK, Bounds
from srcgrad.targets.loops.comprehensions import Comprehensions
from srcgrad.targets.loops.data import Path, put_names
from srcgrad.targets.loops.dicts import answer_for_dicts
from srcgrad.targets.loops.endless import endless
from srcgrad.targets.loops.exchanging import Exchange
from srcgrad.targets.loops.integers import guard_integers
from srcgrad.targets.loops.kind import Many
from srcgrad.targets.loops.kinds import Kinds
from srcgrad.targets.loops.masks import Masks
from srcgrad.targets.loops.narrow import Narrow, is_narrow, steady_sums
from srcgrad.targets.loops.nest import PARALLEL
from srcgrad.targets.loops.nests import Nests
from srcgrad.targets.loops.placeholders import Placeholders
from srcgrad.targets.loops.plain import leave_out_calls
from srcgrad.targets.loops.records import Records
from srcgrad.targets.loops.recursion import Recursion, limit_depth, recursive
from srcgrad.targets.loops.statements import Statements
from srcgrad.targets.loops.upward import count_upwards
from srcgrad.targets.loops.whole_numbers import Lists

_NARROW: Final = re.compile(r"\b(?:float32|complex64)\b")
_COMMENT: Final = re.compile(r" *# (.*)")
_BLOCKS: Final = ("body", "orelse", "finalbody", "handlers")
DECORATOR: Final = "jitted"
_CPU: Final = "numba.core.cpu_options"
_OTHERS: Final = "comprehension reduction inplace_binop setitem numpy stencil fusion".split()


@dataclass(frozen=True, slots=True)
class LoopsText:
    """The text of a module of compiled functions.

    Attributes:
        source: The text.
        lines: The user's lines behind its own.
        data: The names of data of the user's, which follow the arguments in this order.
        refused: What it holds that is not compiled, each with its line in the text for NumPy.
        has_records: Whether it makes named tuples in the place of dicts.
        returned: The kind of what it returns.
        is_narrow: Whether it calculates with numbers of less than 64 bits.
        origins: For each line, the line of the text for NumPy that it comes from; 0 for none.
    """

    source: str
    lines: LineMap
    data: tuple[str, ...]
    refused: tuple[tuple[str, int], ...]
    has_records: bool
    returned: Any
    is_narrow: bool
    origins: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be written for Numba.

    Attributes:
        source: The text for NumPy.
        entry: The name of its function for calls.
        data: What it reads of the user's data, by the names that they will have.
        lines: The user's lines behind its own.
        options: What the compiler is told.
        records: Classes of named tuples to define, with their fields.
        given: The kinds of the arguments, and of the data behind them.
        fuses: Whether statements over arrays become nested loops.
        objects: The same as `records` for objects, which the text does not make.
        lists: Parameters that are returned beside the result.
        vectors: The functions of ours that compute several entries at a time.
        looks: Whether to look at indices before loops, where that can be said of all.
    """

    source: str
    entry: str
    data: Mapping[str, Path]
    lines: LineMap
    options: Mapping[str, Any]
    records: Mapping[str, Sequence[str]]
    given: Sequence[Any]
    fuses: bool
    objects: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lists: Sequence[str] = ()
    vectors: Collection[str] = ()
    looks: bool = False


def loops_text(wish: Wish) -> LoopsText:
    """Return the text of a derivative, rewritten for Numba."""
    source, entry = wish.source, wish.entry
    tree = gast_parsed(source)
    put_comments(tree, source)
    functions = {item.name: item for item in tree.body if isinstance(item, gast.FunctionDef)}
    functions = {name: functions[name] for name in reached(entry, functions)}
    put_names(tree, wish.data)
    data = _data_of(functions, entry, frozenset(wish.data))
    _plain_parameters(functions[entry])
    records = _with_displays(functions.values(), wish.records)
    rewriting = Statements(records)
    for function in functions.values():
        loops = Comprehensions(function)
        loops.write()
        rewriting.rewrite(function)
        rewriting.refused += loops.refused
    for name, function in functions.items():
        _take_data(function, data[name], data)
        function.decorator_list = [load(DECORATOR)]
    kinds, masks = _found_kinds(functions, wish, records)
    rewriting.used |= masks
    rewriting.refused += endless(functions, kinds)
    rewriting.refused += _settled(functions, kinds, wish, records)
    rewriting.used |= _take_lists(functions[entry], wish.given)
    _give_lists(functions[entry], wish.lists)
    narrow = bool(is_narrow(wish.given) or _NARROW.search(source))
    used, options = _lowered(functions, kinds, wish, narrow=narrow)
    rewriting.used |= used
    body = [item for item in tree.body if not isinstance(item, gast.FunctionDef)]
    read = {node.id for item in functions.values() for node in found_in(item, gast.Name)}
    rewriting.used &= read
    body = _without_unread(body, functions)
    imported = _with_imports(body, rewriting.imports(), reads_numpy="np" in read)
    parts = ["njit", PARALLEL] if PARALLEL in rewriting.used else ["njit"]
    head = [*imported, *_definitions(parts, options, {**wish.objects, **records})]
    ordered = sorted(functions.values(), key=lambda item: item.name == entry)
    printed = print_module(gast.Module([*head, *ordered], []))
    origins = [getattr(owner, "lineno", None) or 0 for owner in printed.statements]
    return LoopsText(
        printed.text,
        behind(printed.statements, wish.lines),
        data[entry],
        tuple(rewriting.refused),
        bool(records) or bool(wish.objects),
        kinds.returned[entry],
        narrow,
        tuple(origins),
    )


def _found_kinds(
    functions: dict[str, Any], wish: Wish, records: Mapping[str, Sequence[str]]
) -> tuple[Kinds, set[str]]:
    """Return what names hold, once masks and what calls keep are written so that it has kinds.

    The names of ours that functions call then are returned, too.
    """
    entry = wish.entry
    placeholders, recursion = Placeholders(functions, entry), Recursion(functions, entry)
    limit_depth(functions, entry)
    kinds = Kinds(functions, entry, wish.given, records)
    used: set[str] = set()
    for name, function in functions.items():
        used |= Masks(function, functools.partial(kinds.of, function=name)).write()
    if used:
        kinds = Kinds(functions, entry, wish.given, records)
    placeholders.put_back(kinds.of)
    recursion.begin(kinds.of)
    return kinds, used


def _settled(
    functions: Mapping[str, Any],
    kinds: Kinds,
    wish: Wish,
    records: Mapping[str, Sequence[str]],
) -> list[tuple[str, int]]:
    """Write what lists and dicts of Python do that Numba's do not; return what is left."""
    refused = []
    for name, function in functions.items():
        kind_of = functools.partial(kinds.of, function=name)
        refused += answer_for_dicts(function, kind_of, records.values())
        lists = Lists(function, kind_of, records)
        lists.write(wish.given if name == wish.entry else ())
        refused += lists.refused
    return refused


def _lowered(
    functions: Mapping[str, Any], kinds: Kinds, wish: Wish, *, narrow: bool
) -> tuple[set[str], Mapping[str, Any]]:
    """Write functions as loops over numbers, in place.

    Returns the names of ours that they call, and what the compiler is told then.
    """
    parallel = bool(wish.options.get("parallel"))
    used: set[str] = set()
    looks: list[Bounds] = []
    again = recursive(functions)
    for name, function in functions.items():
        kind_of = functools.partial(kinds.of, function=name)
        used |= leave_out_calls(function, kind_of) | guard_integers(function, kind_of, again)
        if narrow:
            Narrow(function, kind_of, kinds.parameters()).write()
        if wish.fuses:
            used |= Records(function, kind_of, kinds.names[name]).write()
        count_upwards(function, kind_of)
        if wish.fuses:
            known = kinds.names[name]
            nests = Nests(function, kind_of, known, parallel=parallel, vectors=wish.vectors)
            used |= nests.write()
            if not (narrow or parallel):
                Exchange(function, kind_of, known).write()
            looks.append(Bounds(function, kind_of, nests.mark))
        if narrow:
            used |= steady_sums(function, kind_of)
    options = wish.options
    if again and options.get("cache"):
        options = {**options, "cache": False}  # which Numba falls over in the next process
    if wish.looks and options.get("boundscheck") and all(item.find() for item in looks):
        options = {**options, "boundscheck": False}
        used |= {LOOK for item in looks if item.write()}
    return used, options


def reached(entry: str, functions: Mapping[str, Any]) -> list[str]:
    """Return the functions that one reads, itself or in what it calls, in the order of the text."""
    found = [entry]
    for name in found:
        read = {node.id for node in found_in(functions[name], gast.Name)} & functions.keys()
        found += sorted(read - set(found))
    return sorted(found, key=list(functions).index)


def reached_text(source: str, entry: str) -> str:
    """Return the text of a function, and of those that it reads, itself or in what it calls."""
    body = gast_parsed(source).body
    functions = {item.name: item for item in body if isinstance(item, gast.FunctionDef)}
    lines = source.splitlines()
    parts = [functions[name] for name in reached(entry, functions)]
    return "\n".join(line for part in parts for line in lines[part.lineno - 1 : part.end_lineno])


def _with_displays(
    functions: Iterable[Any], records: Mapping[str, Sequence[str]]
) -> Mapping[str, Sequence[str]]:
    """Return the records with those for the dicts that functions display."""
    found = dict(records)
    known = {frozenset(fields) for fields in records.values()}
    for function in functions:
        for node in found_in(function, gast.Dict):
            keys: list[Any] = [getattr(key, "value", None) for key in node.keys]
            if not keys or not all(type(key) is str and key.isidentifier() for key in keys):
                continue
            if frozenset(keys) not in known:
                known.add(frozenset(keys))
                found[f"Record{len(found) + 1 if found else ''}"] = tuple(dict.fromkeys(keys))
    return found


def put_comments(tree: Any, source: str) -> None:
    """Put the comments of a text, which its tree lacks, before the statements that they precede."""
    waiting = [
        (number, found[1])
        for number, line in enumerate(source.splitlines(), 1)
        if (found := _COMMENT.fullmatch(line))
    ]
    if waiting:
        _place(tree.body, waiting)


def _place(body: list[Any], waiting: list[tuple[int, str]]) -> None:
    done: list[Any] = []
    for statement in body:
        while waiting and waiting[0][0] < statement.lineno:
            number, text = waiting.pop(0)
            note = Comment(text)
            note.lineno = number
            done.append(note)
        if not isinstance(statement, gast.FunctionDef) or statement.body:
            for name in _BLOCKS:
                _place(getattr(statement, name, []), waiting)
        done.append(statement)
    body[:] = done


def _data_of(
    functions: Mapping[str, Any], entry: str, data: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    """Return what data each function takes: what it or those that it calls read, the entry all."""
    names = {
        key: {item.id for item in found_in(function, gast.Name)}
        for key, function in functions.items()
    }
    read = {key: found & data for key, found in names.items()}
    changed = True
    while changed:
        changed = False
        for key, found in names.items():
            more = set().union(*(read[name] for name in found & functions.keys())) - read[key]
            read[key] = read[key] | more
            changed = changed or bool(more)
    done = {key: tuple(sorted(found)) for key, found in read.items()}
    return {**done, entry: tuple(sorted(data))}


def _plain_parameters(function: Any) -> None:
    """Let a function take all its arguments by position."""
    given = function.args
    starred = [given.vararg] if given.vararg else []
    given.args = [*given.posonlyargs, *given.args, *starred, *given.kwonlyargs]
    given.posonlyargs, given.kwonlyargs, given.vararg = [], [], None
    given.defaults, given.kw_defaults = [], []


def _take_data(function: Any, data: Sequence[str], read: Mapping[str, Sequence[str]]) -> None:
    """Let a function take the data that it reads after its arguments, and hand on others'."""
    for name in data:
        parameter = gast.Name(name, gast.Param(), None, None)
        function.args.args.append(parameter)
    for node in found_in(function, gast.Call):
        if isinstance(node.func, gast.Name) and read.get(node.func.id):
            node.args += [load(name) for name in read[node.func.id]]


def _take_lists(function: Any, given: Sequence[Any]) -> set[str]:
    """Let a function make lists of those arguments that come as arrays of what they hold."""
    parameters = [item.id for item in function.args.args]
    many = [name for name, kind in zip(parameters, given, strict=False) if isinstance(kind, Many)]
    place = 1 if gast.get_docstring(function) else 0
    for name in many:
        made = assign(name, call("list_of", load(name)))
        made.lineno = function.lineno
        function.body.insert(place, made)
    return {"list_of"} if many else set()


def _give_lists(function: Any, names: Sequence[str]) -> None:
    """Let a function return lists that it was given, and has changed, beside its result."""
    if not names:
        return
    last = function.body[-1]
    if not isinstance(last, gast.Return):
        last = gast.Return(gast.Constant(None, None))
        function.body.append(last)
    lists = gast.Tuple(list(map(load, names)), gast.Load())
    last.value = gast.Tuple([last.value, lists], gast.Load())


def _without_unread(body: Sequence[Any], functions: Mapping[str, Any]) -> list[Any]:
    """Return the statements outside of functions without imports that none reads."""
    read = {node.id for function in functions.values() for node in found_in(function, gast.Name)}
    done = []
    for item in body:
        if isinstance(item, (gast.Import, gast.ImportFrom)):
            item.names = [
                alias
                for alias in item.names
                if (alias.asname or alias.name.partition(".")[0]) in read
            ]
            if not item.names:
                continue
        done.append(item)
    return done


def _with_imports(body: list[Any], more: Sequence[Any], *, reads_numpy: bool) -> list[Any]:
    """Return the statements outside of functions, with an import of Numba and others."""
    imports = [item for item in body if isinstance(item, (gast.Import, gast.ImportFrom))]
    others = [item for item in body if item not in imports]
    known = {alias.asname or alias.name for item in imports for alias in item.names}
    more = [item for item in more if not {a.asname or a.name for a in item.names} <= known]
    numpy = [] if "np" in known or not reads_numpy else [gast.Import([gast.alias("numpy", "np")])]
    return [*numpy, *imports, *more, *others]


def _definitions(
    parts: Sequence[str], options: Mapping[str, Any], records: Mapping[str, Sequence[str]]
) -> list[Any]:
    """Return the imports of Numba, the definition of the decorator, and those of named tuples."""
    numba = gast.ImportFrom("numba", [gast.alias(part, None) for part in parts], 0)
    keywords = [gast.keyword(key, gast.Constant(value, None)) for key, value in options.items()]
    found: list[Any] = [numba]
    if options.get("parallel"):  # Numba's own changes of array statements let slices overlap
        found.append(gast.ImportFrom(_CPU, [gast.alias("ParallelOptions", None)], 0))
        others = gast.Dict(
            [gast.Constant(name, None) for name in _OTHERS],
            [gast.Constant(False, None) for _ in _OTHERS],
        )
        found.append(_bound("loops_alone", call("ParallelOptions", others)))
        keywords = [item for item in keywords if item.arg != "parallel"]
        keywords.append(gast.keyword("parallel", load("loops_alone")))
    if records:
        found.append(gast.ImportFrom("collections", [gast.alias("namedtuple", None)], 0))
    found.append(_bound(DECORATOR, gast.Call(dotted("njit"), [], keywords)))
    for name, fields in records.items():
        shown = gast.Tuple([gast.Constant(field, None) for field in fields], gast.Load())
        found.append(_bound(name, call("namedtuple", gast.Constant(name, None), shown)))
    return found


def _bound(name: str, value: Any) -> Any:
    return gast.Assign([gast.Name(name, gast.Store(), None, None)], value, None)


def behind(owners: Sequence[Any], lines: LineMap) -> LineMap:
    """Return the user's lines behind a text whose statements say the lines of another."""
    entries: dict[int, UserLine] = {}
    for number, owner in enumerate(owners, 1):
        found = lines.entries.get(getattr(owner, "lineno", None) or 0)
        if found is not None:
            entries[number] = found
    return LineMap(entries)
