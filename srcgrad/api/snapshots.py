"""Keeps what a backward half reads outside of the function as it was when the forward half ran."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from srcgrad.api.aftermath import alike, picture
from srcgrad.api.keeping import apart
from srcgrad.api.plan import HalvesPlan, Plan
from srcgrad.api.reruns import before, leaves_marks
from srcgrad.api.surroundings import Surroundings
from srcgrad.codegen.loader import functions_of, rebound
from srcgrad.errors import NotProvenError
from srcgrad.tape.userspace import is_users

AnyPlan = TypeVar("AnyPlan", bound=Plan)


class AsItWas(NamedTuple):
    """What a call was made with, for whoever has to run the function once more later.

    Attributes:
        arguments: Its arguments.
        is_still: Says whether all that the function reads outside is as the call has left it.
        has_run: To be called as soon as it has.
        start: What it began with, if it may leave anything else.
    """

    arguments: dict[str, Any]
    is_still: Callable[[], bool]
    has_run: Callable[[], None]
    start: Surroundings | None


def as_it_was(plan: HalvesPlan, arguments: dict[str, Any], *, copies: bool) -> AsItWas:
    """Return what a call is about to be made with; `copies` says whether that is looked into."""
    primal = plan.function.__dict__["__srcgrad_primal__"]
    seen = [picture(outside_of(plan)) if copies else None]
    start = before(plan, primal, arguments.values()) if copies else None

    def is_still() -> bool:
        if not plan.is_current(primal):
            return False
        return not copies or alike(seen[0], picture(outside_of(plan)), 0.0)

    def has_run() -> None:
        if copies and leaves_marks(plan):
            seen[0] = picture(outside_of(plan))

    return AsItWas(arguments, is_still, has_run, start)


def changed_since(name: str) -> NotProvenError:
    """Return the error of a pullback that would have to run its function once more, too late."""
    return NotProvenError(
        f"the pullback of `{name}` has to run it once more, and what it reads outside has changed",
        hint="call the pullback before that changes, or hand it over as an argument",
    )


def with_data_as_now(plan: HalvesPlan) -> HalvesPlan:
    """Return a plan whose backward half reads the user's data as they are now.

    That is the plan itself if the half reads none. The user may bind other data, or write into
    these, before the half is run.
    """
    if plan.reads_back is None:
        reached = _read_from(plan, plan.backward)
        if plan.values is not None:  # compiled, the way back begins with the way there
            reached += _read_from(plan, plan.forward)
        plan.reads_back = tuple(name for name in plan.generated.data if name in reached)
        plan.holders_back = _holders(vars(plan.module), reached, set())
    if not plan.reads_back and not plan.holders_back:
        return plan
    scope = vars(plan.module)
    now = {name: scope[name] for name in plan.reads_back} | _as_now(scope, plan.holders_back)
    names = rebound(plan.module, apart(now))
    twin = copy.copy(plan)
    twin.module = ModuleType(plan.module.__name__)
    vars(twin.module).update(names)
    twin.backward = names[plan.backward.__name__]
    return twin


def outside_of(plan: HalvesPlan) -> list[Any]:
    """Return what the forward half reads outside: data, and classes and modules that hold some."""
    if plan.outside is None:
        scope = vars(plan.module)
        names = _read_from(plan, plan.forward)
        plan.outside = [scope[n] for n in names if n in scope and _is_holder(scope[n])]
    known = (*plan.generated.data.values(), *plan.generated.outside.values())
    return [*(item.current() for item in known), *plan.outside]


def _read_from(plan: HalvesPlan, half: Any) -> list[str]:
    """Return the names that a half reads, itself or in what it calls."""
    own = functions_of(plan.module)
    reached = [half.__name__]
    for name in reached:
        item = own.get(name)
        if item is not None:
            reached += [n for n in item.__code__.co_names if n not in reached]
            reached += [
                n
                for inner in item.__code__.co_consts
                for n in getattr(inner, "co_names", ())
                if n not in reached
            ]
    return reached


Holders = dict[str, Any]


def _holders(scope: Mapping[str, Any], names: Sequence[str], met: set[int]) -> Holders:
    """Return which attributes of classes and modules of the user's are read, and are data."""
    found: Holders = {}
    for name in names:
        value = scope.get(name)
        if not _is_holder(value) or id(value) in met:
            continue
        inside = {n: getattr(value, n) for n in names if n != name and hasattr(value, n)}
        read: Holders = {n: None for n, item in inside.items() if not _is_fixed(item)}
        read |= _holders(inside, names, met | {id(value)})
        if read:
            found[name] = read
    return found


def _is_holder(value: Any) -> bool:
    if isinstance(value, ModuleType):
        return is_users(value.__name__)
    return isinstance(value, type) and is_users(value.__module__)


def _is_fixed(value: Any) -> bool:
    return callable(value) or isinstance(value, (ModuleType, property))


def _as_now(scope: Mapping[str, Any], holders: Holders) -> dict[str, Any]:
    """Return what stands for classes and modules, with the data in them that they hold now."""
    made: dict[str, Any] = {}
    for name, read in holders.items():
        holder = scope[name]
        inside = {n: getattr(holder, n) for n in read}
        nested = {n: part for n, part in read.items() if part}
        made[name] = _AsNow(holder, {**apart(inside), **_as_now(inside, nested)})
    return made


class _AsNow:
    """A class or module, but for the data in it, which are as they were."""

    def __init__(self, holder: Any, data: dict[str, Any]) -> None:
        self.__dict__.update(data)
        self._holder = holder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._holder, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._holder(*args, **kwargs)
