"""Which lines of the compiler a run has reached."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

PACKAGE = Path(__file__).resolve().parents[2] / "srcgrad"
FOLDERS = (
    *("frontend", "analyses", "transforms", "optimizations"),
    *("codegen", "compiler", "checker", "ir"),
)
APART = {PACKAGE / "compiler" / "doctesting.py"}  # the examples in docstrings run it alone
ROOTS = tuple(f"{PACKAGE / folder}/" for folder in FOLDERS)
Lines = dict[str, set[int]]
Statements = Mapping[str, Sequence["Statement"]]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a function: its first line, all its own lines, and whether it refuses."""

    first: int
    lines: frozenset[int]
    refuses: bool


def all_statements() -> dict[str, list[Statement]]:
    """Return the statements of functions of the compiler, by file; modules ran on import."""
    found: dict[str, list[Statement]] = {}
    for folder in FOLDERS:
        for path in sorted({*(PACKAGE / folder).rglob("*.py")} - APART):
            text = path.read_text(encoding="utf-8")
            known = set(_lines_of(compile(text, str(path), "exec")))
            found[f"{path.relative_to(PACKAGE)}"] = [
                statement
                for node in ast.walk(ast.parse(text))
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                for statement in map(_statement, _inside(node))
                if statement.lines & known  # of some, such as `continue`, the jump is all there is
            ]
    return found


def _lines_of(code: CodeType) -> Iterator[int]:
    yield from (line for _, _, line in code.co_lines() if line)
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _lines_of(item)


def _inside(node: Any) -> Iterator[Any]:
    """Yield the statements of a function, not those of functions in it."""
    for part in ast.iter_child_nodes(node):
        is_text = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
        if isinstance(part, ast.stmt) and not is_text:
            yield part
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.expr)):
            yield from _inside(part)


def _statement(node: Any) -> Statement:
    blocks = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.stmt)]
    end = blocks[0].lineno if blocks else node.end_lineno + 1
    return Statement(node.lineno, frozenset(range(node.lineno, end)), _refuses(node))


def _refuses(node: Any) -> bool:
    """Say whether a statement raises, or notes or tells what is refused, and does nothing else."""
    called = getattr(getattr(node, "value", None), "func", None)
    if not isinstance(node, (ast.Expr, ast.Return)) or not isinstance(called, ast.Attribute):
        return isinstance(node, ast.Raise)
    adds = called.attr == "add" and "refusals" in ast.unparse(called)
    return adds or called.attr in ("refuse", "refuse_order")


@contextmanager
def noted(lines: Lines) -> Iterator[None]:
    """Note the lines that run in a block."""

    def note(code: CodeType, line: int) -> None:
        if code.co_filename.startswith(ROOTS):
            key = str(Path(code.co_filename).relative_to(PACKAGE))
            lines.setdefault(key, set()).add(line)

    with _monitored(note) if sys.version_info >= (3, 12) else _traced(note):
        yield


@contextmanager
def _monitored(note: Callable[[CodeType, int], None]) -> Iterator[None]:
    """Tell of each line once, which costs next to nothing."""
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]

    def seen(code: CodeType, line: int) -> Any:
        note(code, line)
        return monitoring.DISABLE

    tool = monitoring.COVERAGE_ID
    monitoring.use_tool_id(tool, "reach")
    monitoring.register_callback(tool, monitoring.events.LINE, seen)
    monitoring.set_events(tool, monitoring.events.LINE)
    monitoring.restart_events()
    try:
        yield
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)


@contextmanager
def _traced(note: Callable[[CodeType, int], None]) -> Iterator[None]:
    """Tell of lines until all of a function are told, which makes a run some three times as long."""
    waiting: dict[CodeType, set[int]] = {}

    def begin(frame: FrameType, event: str, arg: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        if code not in waiting:
            ours = code.co_filename.startswith(ROOTS)
            waiting[code] = {n for _, _, n in code.co_lines() if n} if ours else set()
        return step if waiting[code] else None

    def step(frame: FrameType, event: str, arg: Any) -> Callable[..., Any] | None:
        left = waiting[frame.f_code]
        if event == "line" and frame.f_lineno in left:
            left.discard(frame.f_lineno)
            note(frame.f_code, frame.f_lineno)
        return step if left else None

    before = sys.gettrace()
    sys.settrace(begin)
    try:
        yield
    finally:
        sys.settrace(before)


def told(lines: Lines) -> str:
    """Say which share of the statements ran, and where the most are missing."""
    every = all_statements()
    missing = {
        path: [item for item in known if item.lines.isdisjoint(lines.get(path, ()))]
        for path, known in every.items()
    }
    text = [
        f"statements of the compiler reached: {_share(every, missing)}",
        f"without those that raise or refuse: {_share(_others(every), _others(missing))}",
    ]
    most = sorted(missing, key=lambda path: -len(missing[path]))[:25]
    text += [
        f"  {len(missing[path]):4} not in {path}: {[item.first for item in missing[path][:20]]}"
        for path in most
        if missing[path]
    ]
    return "\n".join(text)


def _share(every: Statements, missing: Statements) -> str:
    total, left = (sum(map(len, found.values())) for found in (every, missing))
    return f"{100 * (total - left) / total:.1f} % of {total}"


def _others(found: Statements) -> Statements:
    return {path: [item for item in known if not item.refuses] for path, known in found.items()}


def run_corpus(part: int = 0, parts: int = 1) -> None:
    """Differentiate programs of the corpus, calls of the rules, and what is refused.

    Of all of them one in `parts`, so that several processes can share them.
    """
    from tests.fuzz.odd import odd_functions, run_in_folders
    from tests.programs import test_agreement
    from tests.programs.corpus import every_program
    from tests.programs.test_refused import FILES
    from tests.unit.rules.callers import callers_of_specs

    assert test_agreement.__doc__  # it fills the corpus
    for place, program in list(enumerate(every_program().values()))[part::parts]:
        run_program(program, jacobians=place % 4 == 0)
    for caller in callers_of_specs()[part::parts]:
        run_call(caller)
    for path in FILES[part::parts]:
        run_refused(path)
    if part == 0:
        for function in odd_functions():
            run_odd(function)
        print_files([*FILES, *Path(test_agreement.__file__).parent.glob("*.py")])
        run_in_folders()


def print_files(paths: Sequence[Path]) -> None:
    """Print files as generated text is printed."""
    from srcgrad.codegen.printer import to_source
    from srcgrad.ir import gast

    for path in paths:
        to_source(gast.parse(path.read_text()))


def run_refused(path: Path) -> None:
    """Differentiate the program of a file that is refused."""
    from tests.programs.test_refused import derivative_of, load

    module = load(path)
    arguments = getattr(module, "ARGUMENTS", None) or (module.X,)
    with suppress(Exception):
        derivative_of(module, fallback="error")(*arguments)


def run_call(caller: Any) -> None:
    """Differentiate a call that a rule is tested with, and write it for a batch."""
    import srcgrad as sg
    from tests.programs.test_batched import together
    from tests.unit.rules.test_batched_calls import batches, fits

    if not caller.leaves:
        return
    args = (*caller.leaves, *caller.weights)
    along = (caller.leaves[0], *(None for _ in args[1:]))
    gradient = sg.grad(caller.function, caller.argnums[0], fallback="error")
    run_all([(gradient, args), (sg.jvp, (caller.function, args, along))])
    for own in batches(caller) if fits(caller) else ():
        axes = tuple(0 if place in own else None for place in range(len(args)))
        given = tuple(together([a, a]) if i in own else a for i, a in enumerate(args))
        kinds = [caller.function, gradient] if own[0] == 0 and len(own) > 1 else [caller.function]
        run_all([(sg.vmap(kind, axes, fallback="error"), given) for kind in kinds])


def run_all(runs: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]) -> None:
    """Call functions with copies of arguments, whatever they raise."""
    import warnings

    import numpy as np

    from tests.differences import copied

    for run, given in runs:
        with warnings.catch_warnings(), np.errstate(all="ignore"), suppress(Exception):
            warnings.simplefilter("ignore")
            run(*copied(given))


def run_odd(function: Callable[..., Any]) -> None:
    """Differentiate a function that raises or goes to the tape in part."""
    import numpy as np

    import srcgrad as sg

    x = np.array([0.3, 0.7, 1.1, 0.4])
    along = (function, (x,), (x,))
    run_all([(sg.grad(function), (x,)), (sg.vjp, (function, x)), (sg.jvp, along)])


def batch_of(program: Any) -> tuple[tuple[int | None, ...], tuple[Any, ...]]:
    """Return along which axes there are several examples of arguments, and those."""
    from tests.programs.test_batched import EXAMPLES, together

    axes = tuple(None if kind in ("n", "l", "k") else 0 for kind in program.kinds)
    drawn = [program.arguments(seed) for seed in range(EXAMPLES)]
    every = zip(axes, *drawn, strict=True)
    return axes, tuple(
        first[0] if axis is None else together(list(first)) for axis, *first in every
    )


def run_program(program: Any, *, jacobians: bool) -> None:
    """Differentiate a program of the corpus in each mode; what is refused ran through it, too."""
    import numpy as np

    import srcgrad as sg
    from tests.programs.test_forward import random_tangent

    rng = np.random.default_rng(0)
    args, function = program.arguments(), program.function
    along = tuple(
        random_tangent(a, rng) if i in program.argnums else None for i, a in enumerate(args)
    )
    gradient = sg.grad(function, program.argnums, fallback="error")
    axes, batch = batch_of(program)
    runs: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
        (gradient, args),
        (gradient.explain, ()),
        (sg.vjp, (function, *args)),
        (sg.jvp, (function, args, along)),
        (sg.hvp, (function, args, along)),
        (sg.vmap(function, axes, fallback="error"), batch),
    ]
    if len(axes) > 1 and axes[0] == 0:  # the others are the same for all examples
        alone = (0, *(None for _ in axes[1:]))
        runs.append((sg.vmap(function, alone, fallback="error"), (batch[0], *args[1:])))
    runs.append(along_the_last_axis(function, axes, batch))
    if jacobians:
        runs.append((sg.vmap(gradient, axes, fallback="error"), batch))
        runs.append((sg.grad(function, program.argnums, pure=True, fallback="error"), args))
        runs.append((sg.hessian(function, program.argnums[0]), args))
        runs += [(kind(function, program.argnums[0]), args) for kind in (sg.jacfwd, sg.jacrev)]
    run_all(runs)


def along_the_last_axis(
    function: Callable[..., Any], axes: tuple[int | None, ...], batch: tuple[Any, ...]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return a program over a batch whose examples lie along the last axes, and its arguments."""
    import srcgrad as sg

    turned = tuple(None if axis is None else -1 for axis in axes)
    args = tuple(a if axis is None else _turned(a) for a, axis in zip(batch, axes, strict=True))
    return sg.vmap(function, turned, -1, fallback="error"), args


def _turned(value: Any) -> Any:
    import numpy as np

    if isinstance(value, dict):
        return {key: _turned(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [_turned(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return np.moveaxis(value, 0, -1)
