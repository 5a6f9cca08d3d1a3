"""Holds one compiled derivative, and says whether it still holds for the user's program."""

from __future__ import annotations

import builtins
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from srcgrad.api.keeping import apart, fresh_lists, keeps_shadows
from srcgrad.api.kinds import kind_of
from srcgrad.api.on_tensors import tensors_of
from srcgrad.api.traps import may_trap
from srcgrad.api.values import is_complex
from srcgrad.backends import ARRAYS, NUMPY, Library
from srcgrad.codegen.loader import bind_anew, load
from srcgrad.compiler import Generated
from srcgrad.compiler.generated import without_data
from srcgrad.errors import UnsupportedError
from srcgrad.insight.switch import ANYTHING, is_comparing
from srcgrad.ir.depth import deeply
from srcgrad.ir.scopes import MISSING, Binding
from srcgrad.later import later
from srcgrad.runtime.choosing import MEETING
from srcgrad.runtime.labelled import has_labels

if TYPE_CHECKING:
    from srcgrad.frontend import joining
    from srcgrad.frontend.joining import Join
    from srcgrad.targets import loops as targets
    from srcgrad.targets.loops import Loops, border, copies
else:
    joining = later("srcgrad.frontend.joining")
    targets = later("srcgrad.targets.loops")
    copies = later("srcgrad.targets.loops.copies")
    border = later("srcgrad.targets.loops.border")


def records(binding: Any) -> bool:
    """Say whether a tensor that requires a gradient is bound."""
    return any(item.requires_grad for item in tensors_of(binding.current()))


_NUMBERS: Final = (float, int, complex, np.number)


@dataclass(slots=True)
class Plan:
    """A loaded derivative.

    Attributes:
        generated: Its text and what is known of it.
        module: The module that the text became.
        function: The generated function.
        code: What the user's function was made of when it was compiled.
        holds: Whether the text holds for given arguments, if it takes anything for granted.
        scalars: Positions of parameters that must not be arrays.
        written: Whether the function writes into its arguments.
        given: The parameters for whose arguments, functions or objects, the text was made.
        joins: What the function does with `+` and `*` to its arguments, once it was asked for.
        options: How it was compiled.
        wider: The plan for arguments of other shapes, if this one was made for those of a call.
        in_place: Whether the text may write into an array; True if nobody has looked.
        records: Whether tensors that require a gradient are among the data that the text reads.
        watched: What reads each name that was compiled in, with the name and what it meant.
        latest: What each name of the user's data meant when it was last looked at.
        kinds: Of what kind those data were for which the text was made.
        meets: Whether equal eigenvalues or singular values may matter to the text.
        traps: Whether the text has selections, which may leave out what is NaN or steep.
        leaves: Whether a run may leave anything besides its results, if that was asked.
        is_plain: Whether a call needs no look at its arguments.
        verified: Whether the text was compared with the other engine and with differences.
        doubted: Whether it has to be: it reads data of pandas, which goes by labels.
        space: What tells the globals of the function apart, where its data may be.
        loops: What runs the function compiled, if it is to be.
        library: The array library that it runs on.
        elsewhere: The same for arrays of other libraries, by their names.
    """

    generated: Generated
    module: ModuleType
    function: Callable[..., Any]
    code: Any
    holds: Callable[..., bool] | None
    scalars: tuple[int, ...] = ()
    written: bool = False
    given: frozenset[str] = frozenset()
    joins: frozenset[Join] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    wider: Plan | None = None
    in_place: bool = True
    records: bool = False
    watched: tuple[tuple[Callable[..., Any], str, Any], ...] = ()
    latest: dict[str, Any] = field(default_factory=dict)
    kinds: dict[str, Any] = field(default_factory=dict)
    meets: bool = False
    traps: bool = False
    leaves: bool | None = None
    is_plain: bool = True
    verified: bool = False
    doubted: bool = False
    space: int = 0
    loops: Loops | None = None
    library: Library = NUMPY
    elsewhere: dict[str, Plan] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find what to look at, once: a plan is asked at every call whether it is current."""
        primal = self.function.__dict__.get("__srcgrad_primal__")
        self.space = id(getattr(primal, "__globals__", None))
        self.watched = (
            *((item.reader(), item.name, item.value) for item in self.generated.fixed),
            *((space.get, name, MISSING) for space, name in self.unhidden()),
        )
        self.meets = any(name in self.generated.source for name in MEETING)
        self.traps = may_trap(self.generated.source, self._parameters())
        self.is_plain = not (self.scalars or self.written or self.meets)
        self.records = any(map(records, self.generated.data.values()))

    @property
    def runs(self) -> Callable[..., Any]:
        """What runs the derivative: the text for NumPy, or what has compiled it."""
        if self.loops is None or self._is_by_numpy():
            self._say_that_numpy_runs()
            return self.function
        return self.loops.run

    def runs_of(self, kinds: Sequence[type]) -> Callable[..., Any]:
        """Return what runs the derivative of numbers of some types, which are asked before."""
        if self.loops is None or self._is_by_numpy():
            self._say_that_numpy_runs()
            return self.function
        return self.loops.run_of(kinds)

    def _say_that_numpy_runs(self) -> None:
        """Say that what is to be compiled is not, if numbers were asked and did not settle it."""
        proof = self.generated.proof
        if self.loops is None or is_comparing() or proof is None or not proof.was_compared:
            return
        self.loops.leave("branches of it are compared with another engine before they run")

    def _is_by_numpy(self) -> bool:
        """Say whether NumPy runs what is otherwise compiled.

        It does as long as branches of the text are doubted, before which it stops, and where the
        text is compared with another engine.
        """
        proof = self.generated.proof
        return (proof is not None and proof.is_doubted) or is_comparing()

    @property
    def shown(self) -> str:
        """The text that ran last: that for NumPy, or the one that is compiled."""
        text = None if self.loops is None else self.loops.text
        return self.generated.source if text is None else text.source

    def unhidden(self) -> Iterator[tuple[dict[str, Any], str]]:
        """Yield the names of Python's own that were compiled in, with what must not hide them."""
        own = vars(builtins)
        names = [item.name for item in self.generated.fixed if item.holder is own]
        spaces = {id(s.function.__globals__): s.function for s in self.generated.functions}
        for function in spaces.values() if names else ():
            space = function.__globals__
            yield from ((space, name) for name in names if name not in space)

    def defaults_in_module(self) -> dict[str, Any]:
        """Return what tells the modules of functions with other defaults apart."""
        kept = ("__srcgrad_defaults__", "__srcgrad_named__")
        names = vars(self.module)
        return {name: names[name] for name in kept if name in names}

    def _parameters(self) -> tuple[str, ...]:
        code = self.function.__code__
        return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    def note_data(self, data: Mapping[str, Binding]) -> None:
        """Note the user's data for which the text was made, which the plan itself does not keep."""
        self.latest = {name: item.value for name, item in data.items()}
        self.kinds = {name: self._kind_of(name, item.value) for name, item in data.items()}
        if has_labels(self.latest.values()):
            self.doubted = ANYTHING.on = True
        self.refresh()

    def _kind_of(self, name: str, value: Any) -> Any:
        return kind_of(value, is_table=name in self.generated.tables)

    def arrays(self, arguments: Mapping[str, Any]) -> frozenset[str]:
        """Return the parameters that the text takes for numbers and that are arrays."""
        return frozenset(
            name
            for name in self.generated.scalars
            if name in arguments and not isinstance(arguments[name], _NUMBERS)
        )

    @deeply
    def joins_lists(self, arguments: Mapping[str, Any]) -> bool:
        """Say whether the function may join or repeat arguments that are lists."""
        if self.joins is None:
            function: Any = self.function.__dict__["__srcgrad_primal__"]
            self.joins = frozenset(joining.joins_of(function))
        return any(join.happens(arguments) for join in self.joins)

    def fits(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Say whether the text holds for these arguments."""
        if self.holds is None:
            return True
        try:
            return self.holds(*args, **self.named(kwargs))
        except (AttributeError, KeyError, TypeError, IndexError, ValueError):
            return False
        except NameError:  # it speaks of a field of an object, which is no argument by itself
            return False

    def named(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return keyword arguments under the names that the text has for them."""
        renamed = self.generated.renamed
        return {renamed.get(k, k): v for k, v in kwargs.items()} if renamed else kwargs

    def suits(self, arguments: Mapping[str, Any]) -> bool:
        """Say whether the functions and classes that were compiled in are still the same."""
        assumed = self.generated.assumptions
        return not assumed or all(item.holds(arguments) for item in assumed)

    def is_current(self, user: Any) -> bool:
        """Say whether all that was compiled in is still the same; bind changed data anew."""
        if user.__code__ is not self.code:
            return False
        if self.generated.data and id(user.__globals__) != self.space:
            return False  # the same text, with data of its own: a gradient that was made anew
        for state in self.generated.functions:
            if not state.is_current():
                return False
        for is_current in self.generated.nested:
            if not is_current():
                return False
        for read, name, value in self.watched:
            if read(name, MISSING) is not value:
                return False
        if self.generated.data:
            return self.refresh()
        return True

    def refresh(self) -> bool:
        """Bind data as they are now (the module may be of other plans, too); say if it suits."""
        names = vars(self.module)
        for name, binding in self.generated.data.items():
            value = binding.current()
            new = self.latest[name] is not value
            if new and (value is MISSING or callable(value) or is_complex(value)):
                return False
            if new or name in self.generated.tables:  # lists may hold something else by now
                if self._kind_of(name, value) != self.kinds[name]:
                    return False
                self.latest[name] = value
            if names.get(name, MISSING) is not value:
                bind_anew(self.module, name, value)
                self.records = any(map(records, self.generated.data.values()))
                if self.wider is not None:
                    self.wider.refresh()  # it must not keep alive what is replaced
        return True


@dataclass(slots=True)
class HalvesPlan(Plan):
    """A loaded pair of halves.

    Attributes:
        forward: From the arguments to the value and what is kept.
        backward: From what is kept and the adjoints of the results to those of the arguments.
        parameters: The names of the arguments, in order.
        shadows: Whether the backward half writes into memory that was kept.
        reads_back: The names of the user's data that the backward half reads, once looked for.
        holders_back: The classes and modules whose data it reads, with the names of those.
        outside: The classes and modules that the forward half reads, once looked for.
        has_pulled: Whether the backward half has run without an error.
        values: What runs the function itself compiled; `loops` goes there and back.
    """

    forward: Callable[..., Any] = print
    backward: Callable[..., Any] = print
    parameters: tuple[str, ...] = ()
    shadows: bool = False
    reads_back: tuple[str, ...] | None = None
    holders_back: dict[str, Any] = field(default_factory=dict)
    outside: list[Any] | None = None
    has_pulled: bool = False
    values: Loops | None = None

    @property
    def is_compiled(self) -> bool:
        """Say whether a call may run compiled: what it keeps are then the arguments."""
        return self.values is not None and not self._is_by_numpy()

    def there(self, *args: Any) -> tuple[Any, Any]:
        """Return the value, compiled, and what is kept for the way back."""
        assert self.values is not None
        kept = copies.copied(args) if self.written else args
        return self.values.run(*args), kept

    def there_and_back(self, kept: Any, *adjoints: Any) -> Any:
        """Return the adjoints of the arguments, compiled, with the data that the module holds."""
        assert self.loops is not None
        given = map(border.as_numbers, adjoints)
        kept = copies.copied(kept) if self.written else kept
        return self.loops.on(vars(self.module))(*kept, *given)

    def again(self, kept: Any) -> Any:
        """Return what the forward half kept, as one run of the backward half may use it up."""
        return apart(kept) if self.shadows else fresh_lists(kept)

    @property
    def gives_tuple(self) -> bool:
        """Say whether the function returns a tuple display, with an adjoint for each entry."""
        code: Any = self.backward.__code__
        given = code.co_varnames[1 : code.co_argcount]
        return len(given) != 1 or given[0].endswith("_1")


def compile_loops(
    plan: Plan,
    refuse: Callable[[UnsupportedError], None],
    options: Mapping[str, Any],
    *,
    retyped: bool = True,
) -> None:
    """Let Numba run a plan; `refuse` is told of what it does not compile.

    `options` are what Numba is told beside the usual; `retyped` says that all numbers but the first
    are given their types by those who run it.
    """
    generated = plan.generated
    plan.loops = targets.Loops(
        targets.Derivative(
            generated.source,
            generated.entry,
            plan.function,
            plan.module,
            frozenset((*generated.bound, *generated.data)),
            generated.lines,
            plan.written,
            retyped,
        ),
        refuse,
        options,
    )


def compile_both_ways(
    plan: HalvesPlan, refuse: Callable[[UnsupportedError], None], options: Mapping[str, Any]
) -> None:
    """Let Numba run the value of halves, and both halves in one; `refuse` as in `compile_loops`."""
    generated = plan.generated
    ways = targets.both_ways(generated.source, generated.entry, generated.backward)
    source, lines = generated.source + ways.text, generated.lines
    names = frozenset((*generated.bound, *generated.data))
    scope = vars(plan.module)
    exec(compile(ways.text, "<both ways>", "exec"), scope)  # noqa: S102 - text of our own making
    plan.values, plan.loops = (
        targets.Loops(
            targets.Derivative(
                source, name, scope[name], plan.module, names, lines, plan.written, retyped
            ),
            refuse,
            options,
        )
        for name, retyped in ((ways.value, False), (ways.adjoints, True))
    )


def load_halves(generated: Generated, user: FunctionType) -> HalvesPlan:
    """Load the generated halves of a function as a plan."""
    module = load(
        generated.source, generated.entry, generated.bound, generated.lines, lasting=False
    )
    data, generated = generated.data, without_data(generated)
    code = user.__code__
    forward = vars(module)[generated.entry]
    forward.__srcgrad_primal__ = user
    forward.__srcgrad_renamed__ = _renamed(generated, user)
    plan = HalvesPlan(
        generated,
        module,
        forward,
        code,
        None,
        (),
        forward=forward,
        backward=vars(module)[generated.backward],
        parameters=code.co_varnames[: code.co_argcount + code.co_kwonlyargcount],
        shadows=keeps_shadows(generated.source),
        written=bool(generated.written),
    )
    plan.note_data(data)
    return plan


def load_plan(
    generated: Generated, user: FunctionType, given: frozenset[str] = frozenset()
) -> Plan:
    """Load generated text as a module and return it as a plan."""
    defaults = {"__srcgrad_defaults__": user.__defaults__, "__srcgrad_named__": user.__kwdefaults__}
    bound = {**generated.bound, **defaults}  # functions with other defaults need another module
    module = load(generated.source, generated.entry, bound, generated.lines, lasting=False)
    data, generated = generated.data, without_data(generated)
    function = vars(module)[generated.entry]
    function.__defaults__ = user.__defaults__
    renamed = generated.renamed
    only = {renamed.get(k, k): v for k, v in (user.__kwdefaults__ or {}).items()}
    function.__kwdefaults__ = only or None
    function.__srcgrad_primal__ = user
    function.__srcgrad_renamed__ = _renamed(generated, user)
    names = user.__code__.co_varnames
    scalars = tuple(i for i, name in enumerate(names) if name in generated.scalars)
    holds = _conditions(generated, function)
    written = bool(generated.written)
    plan = Plan(generated, module, function, user.__code__, holds, scalars, written, given)
    plan.note_data(data)
    return plan


def _renamed(generated: Generated, user: FunctionType) -> dict[str, str]:
    """Return what generated text calls the parameters of the user's that it had to rename.

    `user` may be generated itself, and have another name for some of them.
    """
    before: dict[str, str] = getattr(user, "__srcgrad_renamed__", {})
    now = generated.renamed
    known = {name: now.get(name, name) for name in before.values()}
    own = {k: v for k, v in now.items() if k not in known}
    return own | {name: known[inner] for name, inner in before.items()}


def _conditions(generated: Generated, function: Callable[..., Any]) -> Callable[..., bool] | None:
    """Return a function of the same parameters that checks what the text takes for granted."""
    if not generated.conditions:
        return None
    text = " and ".join(generated.conditions)
    names = inspect.signature(function).parameters.values()
    shown = ", ".join(_parameter(item) for item in names)
    text = text.replace("np.ndarray", "_sg_arrays")  # of any library
    scope: dict[str, Any] = {"np": np, "_sg_arrays": ARRAYS}
    exec(_checking(shown, text), scope)  # noqa: S102 - text of our own making
    holds: Any = scope["holds"]
    holds.__defaults__, holds.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    checked: Callable[..., bool] = holds
    return checked


@functools.lru_cache(maxsize=256)
def _checking(parameters: str, text: str) -> CodeType:
    return compile(f"def holds({parameters}):\n    return {text}", "<conditions>", "exec")


def _parameter(item: inspect.Parameter) -> str:
    """Return a parameter's text with a placeholder for its default, which is put in afterwards."""
    default = "" if item.default is item.empty else "=None"
    is_rest, is_options = item.kind is item.VAR_POSITIONAL, item.kind is item.VAR_KEYWORD
    stars = "*" if is_rest else "**" if is_options else ""
    return f"{stars}{item.name}{default}"
