"""Lets a call run on the library that owns its arrays, and refuses arrays of several."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from srcgrad.api.plan import HalvesPlan, Plan
from srcgrad.api.policy import Policy
from srcgrad.api.structures import mapped
from srcgrad.api.values import leaves
from srcgrad.backends import (
    NUMPY,
    Library,
    library_named,
    library_of,
    on_host,
    others_loaded,
)
from srcgrad.errors import ArgumentError, LibraryGapError, MixedLibrariesError
from srcgrad.later import later

if TYPE_CHECKING:
    from srcgrad.targets import arrays
else:
    arrays = later("srcgrad.targets.arrays")


AnyPlan = TypeVar("AnyPlan", bound=Plan)


def library_for(policy: Policy, named: Callable[[], Mapping[str, Any]]) -> Library:
    """Return the library that a call runs on: the one that owns its arrays.

    Without an array that is the one that ``backend=`` names, or NumPy.

    Args:
        policy: How the derivative is taken.
        named: Returns the arguments of the call and the data that it reads, by name.

    Raises:
        MixedLibrariesError: There are arrays of several, or of another than is asked for.
        ArgumentError: The library that is asked for is not installed.
    """
    wanted = library_named(policy.backend)
    if not others_loaded() and (wanted is None or wanted is NUMPY):
        return NUMPY
    asked_by = f"backend={policy.backend!r}"
    found: tuple[str, Library] | None = None
    for name, value in named().items():
        for library in _libraries_in(value):
            if wanted is not None and library is not wanted:
                raise _not_the_wanted(name, library, wanted, asked_by)
            if found is not None and library is not found[1]:
                raise _mixed(found, (name, library))
            found = found or (name, library)
    library = found[1] if found is not None else wanted or NUMPY
    if library is not NUMPY and policy.compiles:
        raise MixedLibrariesError(
            f"{asked_by} compiles for arrays of NumPy, and `{found[0] if found else ''}` is one of "
            f"{library.title}",
            hint="leave backend= out for a derivative that runs there",
        )
    if library.load() is None:
        raise ArgumentError(f"{asked_by} needs {library.title}", hint=library.how_to_install)
    return library


def is_elsewhere(values: Iterable[Any]) -> bool:
    """Say whether an array among some values, or in containers of them, is not one of NumPy."""
    if not others_loaded():
        return False
    return any(library is not NUMPY for value in values for library in _libraries_in(value))


def _libraries_in(value: Any) -> list[Library]:
    found = map(library_of, leaves(value))
    return [library for library in found if library is not None]


def _not_the_wanted(
    name: str, library: Library, wanted: Library, asked_by: str
) -> MixedLibrariesError:
    hint = "leave backend= out" if wanted is NUMPY else f"convert it: {wanted.example}"
    return MixedLibrariesError(
        f"{asked_by} asks for {wanted.title}, and `{name}` is an array of {library.title}",
        hint=hint,
    )


def _mixed(one: tuple[str, Library], other: tuple[str, Library]) -> MixedLibrariesError:
    host, there = (one, other) if one[1] is NUMPY else (other, one)
    example = there[1].example.replace("(x)", f"({host[0]})")
    return MixedLibrariesError(
        f"`{one[0]}` is an array of {one[1].title}, and `{other[0]}` one of {other[1].title}",
        hint=f"bring them together: {example}",
    )


def placed(plan: AnyPlan, library: Library) -> AnyPlan:
    """Return a plan that runs on a library: itself, or its twin, made at the first call.

    Raises:
        LibraryGapError: The text asks for something that the library does not have.
    """
    if library is plan.library:
        return plan
    kept: Any = plan.elsewhere.get(library.name)
    if kept is None:
        kept = plan.elsewhere[library.name] = _twin(plan, library)
    kept.refresh()
    found: AnyPlan = kept
    return found


def _twin(plan: Plan, library: Library) -> Plan:
    generated = plan.generated
    names = {**generated.bound, **plan.latest, **plan.defaults_in_module()}
    twin = arrays.twin_of(generated.source, generated.entry, names, generated.lines, library)
    scope = vars(twin.module)
    function = scope[generated.entry]
    function.__defaults__ = plan.function.__defaults__
    function.__kwdefaults__ = plan.function.__kwdefaults__
    function.__dict__.update(plan.function.__dict__)
    changes: dict[str, Any] = {
        "generated": dataclasses.replace(generated, source=twin.source, lines=twin.lines),
        "module": twin.module,
        "function": function,
        "loops": None,
        "wider": None,
        "elsewhere": {},
        "latest": dict(plan.latest),
        "library": library,
    }
    if isinstance(plan, HalvesPlan):
        changes |= {"forward": function, "backward": scope[generated.backward]}
    made = dataclasses.replace(plan, **changes)
    made.traps = False  # to look for NaN would fetch numbers, and the tape is not there to ask
    return made


def say_what_lacks(error: Exception, plan: Plan) -> None:
    """Refuse by name what a library does not do, if that is what an error of a text's run means.

    Raises:
        LibraryGapError: It is.
    """
    if plan.library is not NUMPY:
        refusal = arrays.refused(error, plan.library)
        if refusal is not None:
            raise refusal from error


def copies_on_host(value: Any) -> Any:
    """Return containers with copies of their arrays as those of NumPy: the user asked for it."""
    return mapped(on_host, value, on_host)


def refuse_checks(library: Library) -> None:
    """Refuse to look at every value of a run that is not on the host.

    Raises:
        LibraryGapError: It is not.
    """
    if library is not NUMPY:
        raise LibraryGapError(
            f"debug_nans looks at every value on the host, and the arrays are of {library.title}",
            hint="look for the first NaN with arrays of NumPy, which run the same text",
        )


def refuse_elsewhere(what: str, values: Iterable[Any], hint: str) -> None:
    """Refuse arrays of other libraries than NumPy where something is for those alone.

    Raises:
        LibraryGapError: There is one among some values.
    """
    for library in (item for value in values for item in _libraries_in(value)):
        if library is not NUMPY:
            raise LibraryGapError(f"{what} on arrays of NumPy, not of {library.title}", hint=hint)


def refuse_tape(values: Iterable[Any]) -> None:
    """Refuse to run arrays of other libraries than NumPy on the tape.

    Raises:
        LibraryGapError: There is one among some values.
    """
    hint = "fallback='error' says why it is not differentiated by source; or pass arrays of NumPy"
    refuse_elsewhere("the tape runs", values, hint)
