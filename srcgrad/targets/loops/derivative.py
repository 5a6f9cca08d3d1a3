"""Holds what is compiled, and what was compiled of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from srcgrad.codegen.tracebacks import LineMap
from srcgrad.targets.loops.border import is_known
from srcgrad.targets.loops.text import LoopsText


@dataclass(frozen=True, slots=True)
class Derivative:
    """The derivative that is compiled.

    Attributes:
        source: Its text for NumPy.
        entry: The name of its function for calls.
        function: That function, loaded.
        module: The module that it was loaded from, which holds the user's data.
        bound: The names that were put into it.
        lines: The user's lines behind the text.
        written: Whether the function writes into its arguments.
        retyped: Whether callers give the numbers of a gradient or tangent their types.
        lists: The parameters whose lists methods change, which are given back beside the result.
        alone: Whether no two of the lists that it returns may be one.
        fixed: The parameters whose lists it writes into, so that they cannot go as arrays.
    """

    source: str
    entry: str
    function: Callable[..., Any]
    module: ModuleType
    bound: frozenset[str]
    lines: LineMap
    written: bool
    retyped: bool = True
    fixed: frozenset[str] = frozenset()
    alone: bool = True
    lists: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """What was compiled for one kind of arguments.

    Attributes:
        key: The kind.
        text: The text.
        dispatcher: Numba's function.
        converts: What takes each argument there; None for those that go as they are.
        asks: Whether what it returns has to be looked at, since tuples may stand for lists.
        arrays: The types of the numbers of the arrays that it returns; None if there are others.
    """

    key: Any
    text: LoopsText
    dispatcher: Any
    converts: Sequence[Any]
    asks: bool = False
    arrays: Any = None

    @property
    def is_told(self) -> bool:
        """Whether the types of what it returns are known without NumPy's."""
        return not self.asks and (not self.text.is_narrow or is_known(self.text.returned))
