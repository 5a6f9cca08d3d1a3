"""Defines what the compiler found out about a program, as frozen tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from srcgrad.analyses.reasons import Variable

How = Literal["in place", "as a function", "rule in place", "rule called", "on the tape", "forward"]


@dataclass(frozen=True, slots=True)
class CallFound:
    """A call of a function that is no primitive.

    Attributes:
        callee: The function's name.
        line: The user's line.
        how: "in place" (its statements stand in the caller), "as a function" (it has a forward and
            a backward half), "rule in place" or "rule called" (a `Function`), "on the tape", or
            "forward" (it carries no derivative, and is called as it is).
        names: The generated functions, if there are.
        reason: Why so.
    """

    callee: str
    line: int
    how: How
    names: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class KinkFound:
    """A function with a kink, as it stands in a line, and the convention that holds there."""

    function: str
    line: int
    where: str
    gradient: str


@dataclass(frozen=True, slots=True)
class Record:
    """What is kept for the backward pass.

    Attributes:
        names: The variables, as the generated text calls them.
        lines: The user's lines that made them; 0 for an argument.
        per: "call" or "iteration".
        loop: The line of the loop.
        list_name: The list that holds one entry for each iteration.
    """

    names: tuple[str, ...]
    lines: tuple[int, ...]
    per: Literal["call", "iteration"]
    loop: int = 0
    list_name: str = ""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A loop or a call that is computed again in the backward pass, not recorded.

    `step` is the name of the function of one trip, if it is a loop.
    """

    line: int
    what: str
    step: str = ""


@dataclass(frozen=True, slots=True)
class FunctionFound:
    """What was found out about one of the user's functions.

    Attributes:
        name, file, line: The function, and where it is defined.
        generated: The names of the functions that were generated for it.
        inputs: The parameters that derivatives are taken by.
        variables: Its arguments and variables, in the order of the text.
        chains: For each of `inputs`, the lines that lead from it to the result.
        texts: The user's lines, by number.
    """

    name: str
    file: str
    line: int
    generated: tuple[str, ...]
    inputs: tuple[str, ...]
    variables: tuple[Variable, ...]
    chains: Mapping[str, tuple[int, ...]]
    calls: tuple[CallFound, ...]
    kinks: tuple[KinkFound, ...]
    records: tuple[Record, ...]
    checkpoints: tuple[Checkpoint, ...]
    texts: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found out about a module: its functions, the user's entry first."""

    functions: tuple[FunctionFound, ...]
