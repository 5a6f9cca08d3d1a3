"""Defines what is asked of the compiler, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcgrad.codegen.tracebacks import LineMap
    from srcgrad.compiler.findings import Findings
    from srcgrad.compiler.proof import Proof
    from srcgrad.errors import Diagnostic, UnsupportedError
    from srcgrad.frontend.expand.assumptions import Assumption
    from srcgrad.frontend.source import Path
    from srcgrad.ir.scopes import Binding


class ComplexMetError(Exception):
    """Complex numbers may come up in a function: start again with text that is right for them."""


@dataclass(frozen=True, slots=True)
class FunctionState:
    """What a function was made of when it was compiled: code and defaults can be replaced."""

    function: FunctionType
    code: Any
    defaults: Any
    keyword_defaults: Any

    @classmethod
    def of(cls, function: FunctionType) -> FunctionState:
        """Return the state of a function now."""
        return cls(function, function.__code__, function.__defaults__, function.__kwdefaults__)

    def is_current(self) -> bool:
        """Say whether the function is still made of the same."""
        function = self.function
        return (
            function.__code__ is self.code
            and function.__defaults__ is self.defaults
            and function.__kwdefaults__ is self.keyword_defaults
        )


@dataclass(frozen=True, slots=True)
class Generated:
    """The text of a derivative, and what is needed to load and to trust it.

    Attributes:
        source: The module's text.
        entry: The name of its function for the user.
        lines: Where its lines come from.
        bound: The names that the loader must put into the module.
        data: The user's free names that hold data, by their names in the module.
        fixed: The user's free names that were compiled in: modules, functions and classes.
        scalars: Parameters for which the text holds only if they are no arrays.
        keep_complex: Whether the text is right for complex numbers too.
        conditions: What the text takes for granted of its arguments, as Python expressions.
        backward: The name of the backward half, where `entry` is a forward half.
        taped: The calls that run on the tape.
        functions: The user's functions that were compiled in, as they were then.
        written: Parameters that are written into, and names of the user's data; nothing else that
            is given or read may share their memory.
        renamed: The user's parameters whose names the text needs for itself, with their new ones.
        assumptions: What else was compiled in: classes of objects, methods, lists of functions.
        layout: How many statements of each function come before its backward pass.
        findings: What the passes found out, if an account of it was kept.
        nested: Whether the derivatives that the function takes itself are still current.
        shape_blind: Whether the text would be plainer if the shapes of arguments were known.
        inlined: The adjoints of each function that stand where they are read, by their texts.
        proof: What the checker says of the text, if it is to be asked.
        copied: The arguments, arrays, of which the text takes copies to write into.
        stored: The fields that are written: what each is reached by, the steps to the object, and
            the name of the field, or nothing if it is only bound anew.
        outside: The names outside that are written, as the text reaches them, with their meanings.
        tables: The data that are taken for tables of numbers.
        left_out: Why parts are refused in whose place the text raises, by what it says there.
    """

    source: str
    entry: str
    lines: LineMap
    bound: Mapping[str, Any]
    data: Mapping[str, Binding]
    fixed: Sequence[Binding]
    scalars: frozenset[str]
    keep_complex: bool
    conditions: tuple[str, ...]
    backward: str = ""
    taped: tuple[Diagnostic, ...] = ()
    functions: tuple[FunctionState, ...] = ()
    written: frozenset[str] = frozenset()
    assumptions: tuple[Assumption, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    layout: Mapping[str, int] = field(default_factory=dict)
    findings: Findings | None = None
    nested: tuple[Callable[[], bool], ...] = ()
    shape_blind: bool = False
    inlined: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    proof: Proof | None = None
    copied: frozenset[str] = frozenset()
    left_out: Mapping[str, UnsupportedError] = field(default_factory=dict)
    stored: frozenset[tuple[str, Path, Any]] = frozenset()
    outside: Mapping[str, Binding] = field(default_factory=dict)
    tables: frozenset[str] = frozenset()


def without_data(generated: Generated) -> Generated:
    """Return the same without the values of data, which may be bound anew and freed."""
    data = generated.data
    return replace(
        generated,
        bound={name: value for name, value in generated.bound.items() if name not in data},
        data={name: replace(binding, value=None) for name, binding in data.items()},
    )


@dataclass(frozen=True, slots=True)
class Request:
    """What to compile.

    Attributes:
        function: A plain Python function.
        wrt: The names of the parameters to differentiate with respect to.
        value: Whether the generated function returns the value too.
        aux: Whether the function returns a pair of which only the first is differentiated.
        keep_complex: Whether complex numbers may appear; costs a conjugate here and there.
        assume: Whether to take operands of ``@`` for matrices, and so on (see `conditions`).
        arrays: Parameters that are known to be arrays, so that ``+=`` writes into them, and of
            which kind: vector, matrix or array.
        given: The arguments that are functions, objects or flags, for which the text is made.
        plain: Whether the text is to be differentiated again: checkpointed loops are as others, and
            sums of adjoints are bound anew, not added to in place.
        stacks: Whether seeds may be stacks, of which one run carries all rows.
        seen: The shapes of arguments (and the values of integers) that the text may be made for.
        pure: Whether the text is to leave its arguments as they are.
        copied: The arguments of which it takes copies for that, since it writes into them.
        holds: Whether what is outside and written may be read into variables.
        by_entries: Whether dicts and lists are so entry by entry; as wholes they were refused.
        in_place: Whether functions that may hand back their arguments are put in the place of
            their calls; as functions they were refused.
    """

    function: FunctionType
    wrt: tuple[str, ...]
    value: bool = False
    aux: bool = False
    keep_complex: bool = False
    assume: bool = True
    arrays: frozenset[tuple[str, str]] = frozenset()
    given: Mapping[str, Any] = field(default_factory=dict)
    plain: bool = False
    stacks: bool = False
    seen: Mapping[str, tuple[int, ...] | int] = field(default_factory=dict)
    pure: bool = False
    copied: frozenset[str] = frozenset()
    holds: bool = True
    by_entries: bool = False
    in_place: bool = False
