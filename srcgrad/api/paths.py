"""Watches which branches an unproven text takes, so that numbers are compared along each of them.

Numbers that agree at one call say nothing of branches that it did not take. So the functions of
such a text are run with marks in the branches that no compared call has taken; the others have
none, and cost nothing. A mark stops the call before the branch is run: numbers are compared at its
arguments, and it begins anew. Where a call cannot begin anew, since the function writes, draws or
prints, each one is compared until all branches have been.
"""

from __future__ import annotations

import contextlib
import dis
import weakref
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

from srcgrad.api.plan import Plan
from srcgrad.codegen.branches import MARK, Branches
from srcgrad.codegen.loader import functions_of
from srcgrad.compiler.proof import Proof
from srcgrad.errors import NotProvenError, SrcgradError
from srcgrad.ir.scopes import scope_of
from srcgrad.ir.walk import walk
from srcgrad.later import later
from srcgrad.locks import Lock

if TYPE_CHECKING:
    from srcgrad.compiler import vocabulary
    from srcgrad.frontend import callees, effects, repeatable, source
else:
    vocabulary = later("srcgrad.compiler.vocabulary")
    callees = later("srcgrad.frontend.callees")
    effects = later("srcgrad.frontend.effects")
    repeatable = later("srcgrad.frontend.repeatable")
    source = later("srcgrad.frontend.source")

_WATCH: Final = "__srcgrad_branches__"
_REBINDING: Final = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR"})
_LOCK: Final = Lock()


class NewBranchError(NotProvenError):
    """A text comes to a branch that is not proven, and that no numbers were compared along."""

    def __init__(self, watch: Watch, line: int) -> None:
        super().__init__(
            f"`{watch.entry}` is not proven, and no numbers were compared along the branch that "
            f"begins in line {line} of its text",
            hint="call the derivative itself, which compares them",
        )
        self.watch = watch


class Watch:
    """The functions of one module, with marks in the branches of their text.

    Attributes:
        proof: What the checker says of the text, and the branches that were compared.
        entry: The name of its function.
        stops: Whether a call that comes to a new branch may be stopped, to begin anew.
        repeats: Whether a call may be run once more, on copies of its arguments.
    """

    def __init__(self, plan: Plan, proof: Proof) -> None:
        self.proof = proof
        self.entry = plan.generated.entry
        self._branches = Branches(plan.generated.source)
        self.repeats = is_repeatable(plan)
        functions = functions_of(plan.module)
        leaves = leaves_arguments(plan) and not rebinds_outside(functions.values())
        self.stops = self.repeats and leaves and not self._branches.catches
        self._functions = {name: weakref.ref(item) for name, item in functions.items()}
        self._plain = {name: item.__code__ for name, item in functions.items()}
        for names in (vars(plan.module), *(item.__globals__ for item in functions.values())):
            names[MARK] = self.note
        self.narrow()

    @property
    def branches(self) -> range:
        """The branches of the text, by their numbers."""
        return range(len(self._branches.lines))

    def trust_what_is_proven(self) -> None:
        """Leave marks in the branches alone that the checker never ran."""
        self.proof.agree_but_for_missed(self._branches.lines)
        self.narrow()

    def narrow(self) -> None:
        """Leave marks where no numbers were compared, and nowhere else."""
        proof = self.proof
        with _LOCK:
            codes = self._plain
            if not proof.is_settled:
                file = next(iter(self._plain.values())).co_filename
                codes = self._branches.code(file, proof.is_new)
            for name, ref in self._functions.items():
                function = ref()
                if function is not None:
                    function.__code__ = codes[name]

    def has_new(self, name: str) -> bool:
        """Say whether a call of a function may be stopped before one of its own branches."""
        lines = {line for _, _, line in self._plain[name].co_lines() if line is not None}
        own = range(min(lines), max(lines) + 1)
        found = (k for k, line in enumerate(self._branches.lines) if line in own)
        return self.stops and self.proof.was_compared and any(map(self.proof.is_new, found))

    def note(self, branch: int) -> None:
        """Take notice of a branch that is about to be run.

        Raises:
            NewBranchError: It must not be run before numbers were compared.
        """
        for watch, seen in _UNDER_WAY.get():
            if watch is self:
                seen.add(branch)
                return
        if self.stops and self.proof.was_compared and self.proof.is_new(branch):
            raise NewBranchError(self, self._branches.lines[branch])


_UNDER_WAY: ContextVar[tuple[tuple[Watch, set[int]], ...]] = ContextVar(
    "srcgrad_under_way", default=()
)
"""The texts that numbers are being compared of, with the branches that were taken."""


def watch_of(plan: Plan, proof: Proof) -> Watch:
    """Return the watch over the module of a plan, of which there is one."""
    names = vars(plan.module)
    found: Watch | None = names.get(_WATCH)
    if found is None:
        found = names[_WATCH] = Watch(plan, proof)
    elif found.proof is not proof:
        proof.share(found.proof)  # the text was made twice
    return found


def is_under_way(plan: Plan) -> bool:
    """Say whether numbers are being compared of the text of a plan, for which it is run."""
    watch = vars(plan.module).get(_WATCH)
    return any(item is watch for item, _ in _UNDER_WAY.get())


@contextlib.contextmanager
def noting(watch: Watch) -> Iterator[set[int]]:
    """Let a text run along any branches within a block; yield those that it takes."""
    seen: set[int] = set()
    token = _UNDER_WAY.set((*_UNDER_WAY.get(), (watch, seen)))
    try:
        yield seen
    finally:
        _UNDER_WAY.reset(token)


def begins_anew(plan: Plan) -> bool:
    """Say whether a call of a text may be left in the middle and begun anew."""
    return leaves_arguments(plan) and is_repeatable(plan)


def leaves_arguments(plan: Plan) -> bool:
    """Say whether the function of a text writes into none of its arguments."""
    primal: Any = plan.function.__dict__.get("__srcgrad_primal__")
    if not isinstance(primal, FunctionType) or plan.written:
        return False
    try:
        return not effects.written_parameters(primal, vocabulary.VOCABULARY)
    except SrcgradError:  # a text that cannot be read
        return False


def rebinds_outside(functions: Iterable[FunctionType]) -> bool:
    """Say whether functions, or those of the user's that they name, bind what lies outside anew.

    A call of such a one that was left in the middle would count twice.
    """
    waiting, seen = [*functions], set[FunctionType]()
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        codes = [function.__code__]
        for code in codes:  # which grows by those of the functions inside
            codes += [item for item in code.co_consts if isinstance(item, CodeType)]
            if any(item.opname in _REBINDING for item in dis.get_instructions(code)):
                return True
            waiting += _named_in(code, function.__globals__)
    return False


def _named_in(code: CodeType, names: dict[str, Any]) -> list[FunctionType]:
    """Return the functions of the user's that a code may call by the names in it."""
    found = [names.get(name) for name in code.co_names]
    modules = [item for item in found if isinstance(item, ModuleType)]
    found += [vars(module).get(name) for module in modules for name in code.co_names]
    functions = [item for item in found if isinstance(item, FunctionType)]
    return [
        item
        for item in functions
        if not callees.is_library(item) and not str(item.__module__).startswith("srcgrad.runtime")
    ]


def is_repeatable(plan: Plan) -> bool:
    """Say whether the function of a text does the same at each call, and tells nobody of it."""
    primal: Any = plan.function.__dict__.get("__srcgrad_primal__")
    try:
        if not isinstance(primal, FunctionType) or repeatable.not_repeatable(
            primal, vocabulary.VOCABULARY
        ):
            return False
        return not any(map(_reports, functions_of(plan.module).values()))
    except SrcgradError:
        return False


def _reports(function: FunctionType) -> bool:
    """Say whether a function prints, or writes into a log."""
    tree = source.find_source(function).tree
    scope = scope_of(function, tree, with_imports=True)
    calls = (node for node in walk(tree) if type(node).__name__ == "Call")
    return any(vocabulary.VOCABULARY.is_report(scope.resolve(node.func)) for node in calls)
