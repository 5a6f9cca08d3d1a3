"""Breaks finished derivatives, and counts which of those that are wrong the checker rejects.

A mutant counts if the program's own arguments show that its gradient (or its tangent), or what it
leaves in its arguments, is another, or that it raises.
"""

# ruff: noqa: S311, TID251 - plain trees that are broken at random
from __future__ import annotations

import ast
import contextlib
import copy
import random
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

import srcgrad as sg
from srcgrad.checker.check import Checker
from srcgrad.checker.verdict import Verdict
from srcgrad.checker.witness import observed
from tests.programs.corpus import Program, programs_by


@dataclass(slots=True)
class Subject:
    """A derivative that the checker has proven; for a tangent function, with the way to go."""

    program: Program
    text: str
    bound: dict[str, Any]
    checker: Checker
    entry: str
    tangents: tuple[Any, ...] = ()


@dataclass(slots=True)
class Count:
    """How many mutants changed a gradient, and how many of them the checker rejects, by kind.

    Attributes:
        wrong: Those that changed a gradient.
        caught: Those of them that are not proven.
        called: Those of them that are called wrong, so that numbers are asked before they run.
    """

    wrong: Counter[str] = field(default_factory=Counter)
    caught: Counter[str] = field(default_factory=Counter)
    called: Counter[str] = field(default_factory=Counter)
    survivors: list[tuple[str, str, str]] = field(default_factory=list)


def proven(program: Program, mode: str = "reverse") -> Subject | None:
    """Return the derivative of a program, if the checker proves it by one text alone."""
    found: list[tuple[str, Any, Any, Any, Verdict]] = []
    tangents: tuple[Any, ...] = ()
    with observed(lambda *item: found.append(item)):
        if mode == "forward":
            tangents = _pushed(program)
        else:
            gradient = sg.grad(program.function, program.argnums, fallback="error")
            gradient(*program.arguments())
    if len({item[0] for item in found}) != len(found) or not found:
        found = found[-1:]
    if not found:
        return None
    text, bound, checker, subject, verdict = found[-1]
    if verdict.kind != "proven" or subject.backward:
        return None
    return Subject(program, text, dict(bound), checker, subject.name, tangents)


def _pushed(program: Program) -> tuple[Any, ...]:
    """Take the tangent of a program, and return the one that it was given."""
    arguments = program.arguments()
    given = [arguments[place] for place in program.argnums]
    tangents = tuple(random_like(np.random.default_rng(7), item) for item in given)
    ways = dict(zip(program.argnums, tangents, strict=True))
    every = tuple(ways.get(place) for place in range(len(arguments)))
    with contextlib.suppress(sg.UnsupportedError):  # there is a gradient, but no tangent
        sg.jvp(anew(program.function), arguments, every, fallback="error")
    return tangents


def anew(function: Any) -> Any:
    """Return another function of the same code: `sg.jvp` keeps the text of one that it knows."""
    if not isinstance(function, FunctionType):
        return function
    parts = function.__name__, function.__defaults__, function.__closure__
    made = FunctionType(function.__code__, function.__globals__, *parts)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def random_like(rng: np.random.Generator, value: Any) -> Any:
    """Return random numbers in the structure of a value."""
    if isinstance(value, dict):
        return {key: random_like(rng, item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(random_like(rng, item) for item in value)
    return rng.normal(size=value.shape) if isinstance(value, np.ndarray) else float(rng.normal())


def outcome(subject: Subject, text: str) -> Any:
    """Return what a text gives for the program's arguments."""
    space = {"__name__": "mutant", **subject.bound}
    arguments = subject.program.arguments()
    tangents = copy.deepcopy(subject.tangents)
    try:
        with _limited(), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            exec(compile(text, "<mutant>", "exec"), space)  # noqa: S102 - a text of ours
            result = space[subject.entry](*arguments, *tangents)
    except Exception as error:  # noqa: BLE001 - whatever a mutant does
        return type(error).__name__
    return result, arguments, tangents


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Stop what has lost its end after two seconds."""

    def stop(*_: object) -> None:
        raise TimeoutError

    former = signal.signal(signal.SIGALRM, stop)
    signal.alarm(2)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, former)


def same(first: Any, second: Any) -> bool:
    """Say whether two outcomes are the same."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[k], second[k]) for k in first)
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    try:
        return bool(np.allclose(first, second, 1e-9, 1e-12, equal_nan=True))
    except (TypeError, ValueError):
        return bool(first is second or str(first) == str(second))


def mutants(text: str, entry: str) -> Iterator[tuple[str, str]]:
    """Yield broken texts, each with what was done to it."""
    tree = ast.parse(text)
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == entry)
    count = sum(1 for _ in _blocks(function))
    for place in range(count):
        block = list(_blocks(function))[place]
        for position in range(len(block)):
            yield from _of_statement(tree, entry, place, position)


def _blocks(function: Any) -> Iterator[list[Any]]:
    for node in ast.walk(function):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _of_statement(tree: Any, entry: str, place: int, position: int) -> Iterator[tuple[str, str]]:
    def fresh() -> tuple[Any, list[Any]]:
        twin = copy.deepcopy(tree)
        function = next(n for n in twin.body if isinstance(n, ast.FunctionDef) and n.name == entry)
        return twin, list(_blocks(function))[place]

    _, block = fresh()
    statement = block[position]
    if isinstance(statement, (ast.Return, ast.FunctionDef)) or _is_text(statement):
        return
    kind = "a record is dropped" if _is_record(statement) else "a statement is dropped"
    if _is_clear(statement):
        kind = "a clear is forgotten"
    if isinstance(statement, ast.AugAssign):
        kind = "an addition is dropped"
    twin, block = fresh()
    block[position] = ast.Pass()
    yield kind, ast.unparse(ast.fix_missing_locations(twin))
    if position + 1 < len(block) and not isinstance(block[position + 1], ast.Return):
        twin, block = fresh()
        block[position], block[position + 1] = block[position + 1], block[position]
        yield "two statements are swapped", ast.unparse(twin)
    yield from _of_expressions(fresh, position)


def _of_expressions(fresh: Any, position: int) -> Iterator[tuple[str, str]]:
    _, block = fresh()
    statement = block[position]
    if isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
        return
    for number, node in enumerate(ast.walk(statement)):
        done = _broken(node)
        if done is None:
            continue
        twin, block = fresh()
        target = list(ast.walk(block[position]))[number]
        kind = _broken(target, change=True)
        yield str(kind), ast.unparse(ast.fix_missing_locations(twin))


def _broken(node: Any, *, change: bool = False) -> str | None:
    """Break one expression; return what was done."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.Sub)):
        if change:
            node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        return "an addition has the wrong sign"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        if change:
            node.op, node.right = ast.Add(), ast.Constant(0.0)
        return "a term is dropped"
    if isinstance(node, ast.Call) and _is_copy(node):
        if change:
            node.func = ast.Lambda(
                ast.arguments([], [ast.arg("v")], None, [], [], None, []), ast.Name("v", ast.Load())
            )
        return "an alias instead of a copy"
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "pop" and not node.args:
        if change:
            node.args = [ast.Constant(0)]
        return "a record is taken from the wrong end"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        if not isinstance(node.slice.value, int):
            return None
        if change:
            node.slice = ast.Constant(node.slice.value + 1)
        return "a wrong index"
    return _misread(node, change=change)


def _misread(node: Any, *, change: bool) -> str | None:
    """Read another name than the text says; return what was done."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return None
    if node.id.endswith("_dot"):
        if change:
            node.id = node.id.removesuffix("_dot")
        return "a value is read for its tangent"
    if node.id[-2:] in _VERSIONS:
        if change:
            node.id = node.id[:-2]
        return "a name is read of another version"
    return None


_OF_MEMORY = (
    "an alias instead of a copy",
    "a clear is forgotten",
    "a record is taken from the wrong end",
    "a name is read of another version",
    "two statements are swapped",
)
"""What goes wrong where memory is written: up to half of the mutants of a program are such."""
_VERSIONS = ("_2", "_3", "_4")


def _is_text(statement: Any) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_record(statement: Any) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "append"


def _is_copy(node: ast.Call) -> bool:
    """Say whether a call copies the one thing that it is given."""
    name = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
    return name in ("copied", "copy", "kept_copy") and len(node.args) == 1


def _is_clear(statement: Any) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Constant) and value.value == 0.0


def count(
    programs: list[Program], each: int, limit: int, seed: int = 0, mode: str = "reverse"
) -> Count:
    """Check mutants of programs until `limit` of them have changed a gradient."""
    total, rng = Count(), random.Random(seed)
    for program in programs:
        subject = proven(program, mode)
        if subject is None:
            continue
        expected = outcome(subject, subject.text)
        made = list(mutants(subject.text, subject.entry))
        rng.shuffle(made)
        first = [item for item in made if item[0] in _OF_MEMORY][: each // 2]
        others = [item for item in made if item[0] not in _OF_MEMORY]
        for kind, text in (first + others)[:each]:
            if same(outcome(subject, text), expected):
                continue
            total.wrong[kind] += 1
            verdict = _verdict(subject, text)
            total.called[kind] += verdict == "wrong"
            if verdict != "proven":
                total.caught[kind] += 1
            else:
                total.survivors.append((program.name, kind, text))
        if total.wrong.total() >= limit:
            break
    return total


def _verdict(subject: Subject, text: str) -> str:
    try:
        with _limited():
            return subject.checker.verdict(text).kind
    except TimeoutError:
        return "unproven"


def main(arguments: list[str]) -> int:
    """Print how many mutants are rejected, by kind: of gradients, and of tangent functions."""
    limit = int(arguments[0]) if arguments else 1000
    programs = list(programs_by("source").values())
    random.Random(1).shuffle(programs)
    enough = True
    for mode, most in (("reverse", limit), ("forward", limit // 2)):
        total = count(programs, 12, most, mode=mode)
        print(f"{mode} mode")
        for kind, number in total.wrong.most_common():
            print(f"{total.caught[kind]:5} ({total.called[kind]}) of {number:5}  {kind}")
        wrong, caught, called = (item.total() for item in (total.wrong, total.caught, total.called))
        share = f"{caught / max(wrong, 1):.1%}"
        print(f"{caught:5} ({called}) of {wrong:5}  in all: {share} are not proven")
        print("in brackets those that are called wrong; of the others it cannot tell")
        for name, kind, _ in total.survivors[:40]:
            print(f"not seen: {name}: {kind}")
        enough = enough and caught >= 0.9 * wrong
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
