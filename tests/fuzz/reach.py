"""Which lines of the compiler a run has reached."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

PACKAGE = Path(__file__).resolve().parents[2] / "srcgrad"
FOLDERS = ("frontend", "analyses", "transforms", "optimizations", "compiler", "ir")
Lines = dict[str, set[int]]


def bodies(code: CodeType, inside: bool = False) -> Iterator[int]:
    """Yield the lines of all functions in some code; those of modules and classes ran on import."""
    if inside:
        yield from {line for _, _, line in code.co_lines() if line and line != code.co_firstlineno}
    for item in code.co_consts:
        if isinstance(item, CodeType):
            is_function = bool(item.co_flags & 0x2)  # it has fast locals: classes have not
            yield from bodies(item, inside or is_function)


def all_lines() -> Lines:
    """Return the lines of functions of the compiler, by file."""
    found: Lines = {}
    for folder in FOLDERS:
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            code = compile(path.read_text(encoding="utf-8"), str(path), "exec")
            found[f"{path.relative_to(PACKAGE)}"] = set(bodies(code))
    return found


@contextmanager
def noted(lines: Lines) -> Iterator[None]:
    """Note the lines that run in a block."""
    roots = tuple(f"{PACKAGE / folder}/" for folder in FOLDERS)
    waiting: dict[CodeType, set[int] | None] = {}

    def begin(frame: FrameType, event: str, arg: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        if code not in waiting:
            ours = code.co_filename.startswith(roots)
            waiting[code] = {n for _, _, n in code.co_lines() if n} if ours else None
        return note if waiting[code] else None

    def note(frame: FrameType, event: str, arg: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        left = waiting[code]
        if event == "line" and left and frame.f_lineno in left:
            left.discard(frame.f_lineno)
            key = str(Path(code.co_filename).relative_to(PACKAGE))
            lines.setdefault(key, set()).add(frame.f_lineno)
        return note if left else None

    before = sys.gettrace()
    sys.settrace(begin)
    try:
        yield
    finally:
        sys.settrace(before)


def told(lines: Lines) -> str:
    """Say which share of the lines ran, and where the most are missing."""
    every = all_lines()
    total = sum(map(len, every.values()))
    missing = {path: sorted(known - lines.get(path, set())) for path, known in every.items()}
    left = sum(map(len, missing.values()))
    text = [f"lines of the compiler reached: {100 * (total - left) / total:.1f} % of {total}"]
    most = sorted(missing, key=lambda path: -len(missing[path]))[:25]
    text += [
        f"  {len(missing[path]):4} not in {path}: {missing[path][:20]}"
        for path in most
        if missing[path]
    ]
    return "\n".join(text)


def run_corpus() -> None:
    """Differentiate the programs of the corpus, in each mode."""
    import warnings

    import numpy as np

    import srcgrad as sg
    from tests.programs import test_agreement
    from tests.programs.corpus import every_program
    from tests.programs.test_forward import random_tangent

    assert test_agreement.__doc__  # it fills the corpus
    for program in every_program().values():
        rng = np.random.default_rng(0)
        args, function = program.arguments(), program.function
        along = tuple(
            random_tangent(a, rng) if i in program.argnums else None for i, a in enumerate(args)
        )
        runs: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
            (sg.grad(function, program.argnums, fallback="error"), args),
            (sg.vjp, (function, *args)),
            (sg.jvp, (function, args, along)),
            (sg.hvp, (function, args, along)),
        ]
        for run, given in runs:
            with warnings.catch_warnings(), np.errstate(all="ignore"), suppress(Exception):
                warnings.simplefilter("ignore")
                run(*given)  # what is refused has run through the compiler, too
