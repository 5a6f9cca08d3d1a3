"""Writes the short way into a derivative: text that checks the arguments of one kind, and calls.

All that is asked before and after a generated text runs (whether it still belongs to the program as
it is, whether it holds for the arguments, whether a gradient has the structure of its argument) is
the same for calls of one kind. So it is written down once, as a function with the parameters of the
text: for five floats it compares five types. Whatever it does not know for sure it leaves, by
calling what comes next, to other entries and in the end to the long way, which decides everything
anew.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from types import CellType, CodeType
from typing import Any, Final

import numpy as np

from srcgrad.api.form import Form
from srcgrad.api.outlines import Outline, Questions, UnknownKindError, outline_of
from srcgrad.api.paths import NewBranchError
from srcgrad.api.plan import Plan
from srcgrad.api.proofs import is_taken_for_wrong, needs_look
from srcgrad.api.reruns import leaves_more
from srcgrad.api.sharing import are_apart
from srcgrad.api.traps import array_has_nan, has_nan
from srcgrad.backends import NUMPY
from srcgrad.codegen.tracebacks import annotate, failed_going_back
from srcgrad.frontend.fixed import never_changes
from srcgrad.insight.switch import ANYTHING
from srcgrad.ir.scopes import MISSING
from srcgrad.runtime.tables import depth_of_table
from srcgrad.tape.modes import EVER, current_modes

_MISS: Final = object()
_STARS: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_MOST_ENTRIES: Final = 8
_MOST_TRIES: Final = 32  # kinds of calls; who has more is not helped by entries
_LONGEST: Final = 12_000  # characters


class Way(property):
    """The way that calls of a derivative take: `__call__`, read from each object, not a method.

    Python asks the class of an object for `__call__` and calls what it gets, here the short way of
    this one object: one call less than through a method.
    """

    def __call__(self, derivative: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a derivative, as unbound methods are called."""
        return self.__get__(derivative)(*args, **kwargs)


@dataclass(slots=True)
class Ran:
    """What the last call ran.

    Attributes:
        looks_closer: Says whether a call of a plan does more than to run its text.
        what: The plan of its text, or why it ran on the tape.
    """

    looks_closer: Callable[[Plan], bool]
    what: Any = None


def serves(plan: Plan) -> bool:
    """Say whether calls of a plan may go by entries: arguments are all that they depend on."""
    generated = plan.generated
    return not (
        (plan.written and generated.data)
        or plan.meets
        or (plan.traps and leaves_more(plan))
        or plan.records
        or plan.given
        or generated.assumptions
        or generated.keep_complex
        or needs_look(plan)
        or (plan.loops is not None and is_taken_for_wrong(plan))
        or (plan.library is not NUMPY and (plan.written or generated.data))
    )


@dataclass(frozen=True, slots=True)
class Served:
    """What an entry belongs to.

    Attributes:
        plan: The plan that it runs.
        user: The function that the plan is of.
        now: Returns the function that the plan must be of, where that is no fixed one.
        form: In what form the gradient is given.
        ran: Where to note what ran.
    """

    plan: Plan
    user: Any
    now: Callable[[], Any] | None
    form: Form
    ran: Ran


def entry_of(subject: Served, outlines: Sequence[Outline]) -> Callable[..., Any]:
    """Return the short way into a plan for arguments of some outlines, one for each parameter.

    Raises:
        UnknownKindError: There is none.
    """
    plan = subject.plan
    parameters = list(inspect.signature(plan.function).parameters.values())
    if any(item.kind in _STARS or item.name.startswith("_sg_") for item in parameters):
        raise UnknownKindError("a parameter takes any number of arguments")
    by_name = {new: old for old, new in plan.generated.renamed.items()}
    asks = bool(by_name) or any(item.default is not item.empty for item in parameters)
    passed = ", ".join(_passed(item, by_name) for item in parameters)
    miss = "return _sg_miss" if asks else f"return _sg_next({passed})"
    questions = Questions()
    for item, outline in zip(parameters, outlines, strict=True):
        questions.ask(item.name, item.name, outline)
    for condition in plan.generated.conditions:
        questions.ask_condition(condition)
    names = {by_name.get(item.name, item.name): item.name for item in parameters}
    if plan.written:
        questions.lines.append(_apart(names, plan.generated.written))
    keep, undo = _kept(plan, names, dict(zip(names.values(), outlines, strict=True)))
    answers = _answers(questions, subject.form, plan, names, undo)
    scope = questions.scope
    scope |= {"_sg_" + key: value for key, value in _fixed_scope(subject).items()}
    kinds = [outline.kind for outline in outlines]
    if set(kinds) == {float}:
        scope["_sg_text"] = plan.runs_of(kinds)
    scope["__name__"] = __name__  # whose warnings are of the line that called
    text = _ENTRY.format(
        parameters=_declared(parameters),
        facts=" or ".join(_facts(subject, scope)),
        data=_renewed(_data(plan, scope)),
        questions="\n            ".join(questions.lines),
        keep=keep,
        call=", ".join(_passed(item, {}) for item in parameters),
        miss=miss,
        **answers,
    )
    if len(text) > _LONGEST:
        raise UnknownKindError("the text would be long")
    exec(_compiled(text), scope)  # noqa: S102 - text of our own making
    made: Any = scope["entry"]
    made.__name__, made.__qualname__ = plan.function.__name__, plan.function.__qualname__
    if asks:
        made = _behind_another(scope, plan, by_position=bool(by_name))
    entry: Callable[..., Any] = made
    return entry


def _behind_another(scope: dict[str, Any], plan: Plan, *, by_position: bool) -> Any:
    """Return what binds defaults in the entry alone, so that others see which were left out.

    `by_position` keeps from the entry what is given by names of the user's that it does not know.
    """
    entry = scope["entry"]
    entry.__defaults__ = plan.function.__defaults__
    entry.__kwdefaults__ = plan.function.__kwdefaults__
    exec(_compiled(_OUTER), scope)  # noqa: S102 - text of our own making
    return scope["by_position" if by_position else "outer"]


_OUTER: Final = """\
def outer(*args, **kwargs):
    found = entry(*args, **kwargs)
    return _sg_next(*args, **kwargs) if found is _sg_miss else found
def by_position(*args, **kwargs):
    found = _sg_miss if kwargs else entry(*args)
    return _sg_next(*args, **kwargs) if found is _sg_miss else found
"""


class Entries:
    """The entries of one gradient, which try a call one after the other."""

    def __init__(self, last: Callable[..., Any]) -> None:
        self._last = last
        self._tried: dict[tuple[Outline, ...], int] = {}
        self._made: tuple[tuple[Plan, Any, tuple[Outline, ...]], ...] = ()

    def __len__(self) -> int:
        return len(self._made)

    def wanted(self, plan: Plan, arguments: Iterable[Any]) -> tuple[Outline, ...] | None:
        """Return the outlines of a call's arguments, if such calls come again and have no entry."""
        if len(self._tried) >= _MOST_TRIES:
            return None
        try:
            outlines = tuple(map(outline_of, arguments))
        except UnknownKindError:
            return None
        before = self._tried.get(outlines)
        self._tried[outlines] = id(plan)
        has_one = any(made is plan and known == outlines for made, _, known in self._made)
        return outlines if before == id(plan) and not has_one else None

    def add(self, subject: Served, outlines: tuple[Outline, ...]) -> None:
        """Make an entry for calls with arguments of some outlines, if that can be."""
        try:
            entry = entry_of(subject, outlines)
        except UnknownKindError:
            return
        made = self._made if subject.now else self._current(subject.user)
        self._made = (*made[1 - _MOST_ENTRIES :], (subject.plan, entry, outlines))

    def _current(self, user: Any) -> tuple[tuple[Plan, Any, tuple[Outline, ...]], ...]:
        """Return what may still serve: the rest need not be kept alive."""
        return tuple(item for item in self._made if item[0].is_current(user))

    def chained(self, first: Plan | None) -> Callable[..., Any]:
        """Return the first of the entries, each of which leaves calls to the next.

        Those of the plan `first` come first: it holds under more conditions than others.
        """
        following = self._last
        for _, entry, _ in sorted(self._made, key=lambda item: item[0] is first):
            entry.__globals__["_sg_next"] = following
            following = entry
        return following


_ENTRY: Final = """\
def entry({parameters}):
    while True:
        try:
            if _sg_ever.strict and _sg_modes().strict: break
            if _sg_anything.on and _sg_ran.looks_closer(_sg_plan): break
            {questions}
            if {facts}: break{data}{keep}
        except _sg_doubts:
            break
        _sg_ran.what = _sg_plan
        try:
            _sg_result = _sg_text({call})
        except _sg_again: break
        except Exception as _sg_error:
            if not _sg_plan.written and _sg_went_back(_sg_error): break
            _sg_annotate(_sg_error)
            raise
        {grads} = _sg_result{place}
        if {fits}:
            {fitting}
        {others}
    {miss}
"""


def _renewed(changed: list[str]) -> str:
    """Return text that binds data anew, if one of the tests says that they were bound anew."""
    if not changed:
        return ""
    test = " or ".join(changed)
    renew = "not _sg_plan.refresh() or _sg_plan.records"
    return f"\n            if ({test}) and ({renew}): break"


def _again(plan: Plan) -> tuple[type[Exception], ...]:
    """Return the exceptions after which the long way begins anew, and tells what they mean."""
    if plan.written:
        return ()
    if plan.generated.left_out:
        return (ZeroDivisionError, NewBranchError, NotImplementedError)
    return (ZeroDivisionError, NewBranchError) if plan.library is NUMPY else (Exception,)


def _fixed_scope(subject: Served) -> dict[str, Any]:
    return {
        "miss": _MISS,
        "ever": EVER,
        "modes": current_modes,
        "anything": ANYTHING,
        "ran": subject.ran,
        "plan": subject.plan,
        "text": subject.plan.runs,
        "annotate": annotate,
        "went_back": failed_going_back,
        "form": subject.form,
        "nan": array_has_nan,
        "any_nan": has_nan,
        "again": _again(subject.plan),
        "apart": are_apart,
        "doubts": (AttributeError, KeyError, TypeError, IndexError, ValueError, NameError),
    }


def _apart(names: dict[str, str], written: Collection[str]) -> str:
    """Return text that leaves a call to others if what is written may have another name."""
    first = [name for user, name in names.items() if user in written]
    rest = [name for user, name in names.items() if user not in written]
    if not first:
        raise UnknownKindError("what is written is none of the parameters")
    return f"if not _sg_apart(({', '.join(first)},), [{', '.join(rest)}]): break"


def _kept(plan: Plan, names: dict[str, str], outlines: dict[str, Outline]) -> tuple[str, str]:
    """Return texts that keep what is written into, and that put it back before the long way.

    That begins anew where a gradient is NaN that may be none of the function's.
    """
    if not (plan.written and plan.traps):
        return "", ""
    written = plan.generated.written
    if not written <= names.keys():
        raise UnknownKindError("more is written than arguments")
    arrays = [name for user, name in names.items() if user in written]
    if any(outlines[name].kind is not np.ndarray for name in arrays):
        raise UnknownKindError("what is written is no array")
    kept = "".join(f"\n            _sg_kept_{name} = {name}.copy()" for name in arrays)
    return kept, "".join(f"{name}[...] = _sg_kept_{name}; " for name in arrays)


@functools.lru_cache(maxsize=256)
def _compiled(text: str) -> CodeType:
    return compile(text, "<srcgrad entry>", "exec")


def _declared(parameters: Sequence[inspect.Parameter]) -> str:
    """Return the parameters, with placeholders for defaults, which are put in afterwards."""
    shown: list[str] = []
    for before, item in zip([None, *parameters], [*parameters, None], strict=True):
        kind = None if item is None else item.kind
        if before is not None and before.kind is before.POSITIONAL_ONLY is not kind:
            shown.append("/")
        if item is not None:
            if item.kind is item.KEYWORD_ONLY and (before is None or before.kind is not item.kind):
                shown.append("*")
            shown.append(item.name if item.default is item.empty else f"{item.name}=None")
    return ", ".join(shown)


def _passed(item: inspect.Parameter, by_name: dict[str, str]) -> str:
    if item.kind is not item.KEYWORD_ONLY:
        return item.name
    return f"{by_name.get(item.name, item.name)}={item.name}"


def _facts(subject: Served, scope: dict[str, Any]) -> list[str]:
    """Return tests that something that was compiled in is another now."""

    def name(value: Any) -> str:
        for key, known in scope.items():
            if known is value and key.startswith("_sg_f"):
                return key
        key = f"_sg_f{len(scope)}"
        scope[key] = value
        return key

    plan, user = subject.plan, subject.user
    tests: dict[str, None] = {}
    if subject.now is not None:
        tests[f"{name(subject.now)}() is not {name(user)}"] = None
    tests[f"{name(user)}.__code__ is not {name(plan.code)}"] = None
    for state in plan.generated.functions:
        function = name(state.function)
        tests[f"{function}.__code__ is not {name(state.code)}"] = None
        tests[f"{function}.__defaults__ is not {name(state.defaults)}"] = None
        tests[f"{function}.__kwdefaults__ is not {name(state.keyword_defaults)}"] = None
    for is_current in plan.generated.nested:
        tests[f"not {name(is_current)}()"] = None
    for binding in plan.generated.fixed:
        holder, value = binding.holder, name(binding.value)
        if type(holder) is dict and binding.value is not MISSING:
            test = f"{name(holder)}[{binding.name!r}] is not {value}"
        elif isinstance(holder, CellType):
            test = f"{name(holder)}.cell_contents is not {value}"
        else:
            reader = name(binding.reader())
            test = f"{reader}({binding.name!r}, {name(MISSING)}) is not {value}"
        tests[test] = None
    for space, hiding in plan.unhidden():
        tests[f"{hiding!r} in {name(space)}"] = None
    return [*tests]


def _data(plan: Plan, scope: dict[str, Any]) -> list[str]:
    """Return tests that data which the text reads were bound anew since it last looked."""
    tests = []
    for number, (name, binding) in enumerate(plan.generated.data.items()):
        holder = binding.holder
        now = f"_sg_h{number}"
        if isinstance(holder, CellType):
            scope[now] = holder
            value = f"{now}.cell_contents"
        elif type(holder) is dict:
            scope[now] = holder
            value = f"{now}[{binding.name!r}]"
        else:
            scope[now] = binding.current
            value = f"{now}()"
        local = f"_sg_x{number}"
        tests.append(f"({local} := {value}) is not _sg_latest[{name!r}]")
        tests.append(f"_sg_names[{name!r}] is not {local}")
        if name in plan.generated.tables and not never_changes(plan.latest[name]):
            _, depth = plan.kinds[name]
            tests.append(f"_sg_depth({local}) != {depth}")
    scope |= {"_sg_latest": plan.latest, "_sg_names": vars(plan.module)}
    scope["_sg_depth"] = depth_of_table
    return tests


def _answers(
    questions: Questions, form: Form, plan: Plan, names: dict[str, str], undo: str
) -> dict[str, str]:
    """Return the text that gives gradients: as they are if they fit, else as `form` makes them.

    `undo` is done before the long way begins anew.
    """
    chosen = [names[name] for name in form.names]
    single = len(chosen) == 1
    grads = ["_sg_grads"] if single else [f"_sg_grad{number}" for number in range(len(chosen))]
    try:
        pairs = [
            pair
            for grad, name in zip(grads, chosen, strict=True)
            for pair in questions.fitting(grad, name)
        ]
    except UnknownKindError:
        pairs = [("False", "")]
    nans = [test for _, test in pairs if test] if plan.traps else []
    other = f"return _sg_form.whole(_sg_result, ({', '.join(chosen)},))"
    finish = "return _sg_result" if single == form.single else other
    return {
        "place": "[1]" if form.value else "[0]" if form.has_aux else "",
        "grads": ", ".join(grads),
        "fits": " and ".join(test for test, _ in pairs if test),
        "fitting": f"if {' or '.join(nans)}: {undo}break\n            {finish}" if nans else finish,
        "others": f"if _sg_any_nan(({', '.join(grads)},)): {undo}break\n        {other}"
        if plan.traps
        else other,
    }
