"""Writes the function that looks up what runs its arguments, by their kinds."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Sequence
from typing import Final

from srcgrad.targets.loops.border import OWNED

_FRONT: Final = """\
def run({parameters}):
    try:
        {data}
        {kinds}
    except _sg_refused as problem:
        return _sg_otherwise(problem, ({parts}))
    found = _sg_known.get(({key}))
    if found is None:
        return _sg_first(({args}), ({parts}))
    return found({args})
"""
_KIND: Final = (
    "_sg_{k} = float if type({name}) is float else "
    "({name}.dtype, {name}.ndim, {name}.flags.num | {owned}) if type({name}) is _sg_array else "
    "_sg_{how}({name})"
)


def _declared(parameters: Sequence[inspect.Parameter]) -> str:
    """Return the parameters, with placeholders for defaults, which are put in afterwards."""
    shown: list[str] = []
    for before, item in zip([None, *parameters], [*parameters, None], strict=True):
        kind = None if item is None else item.kind
        if before is not None and before.kind is before.POSITIONAL_ONLY is not kind:
            shown.append("/")
        if item is None:
            break
        is_rest, is_options = item.kind is item.VAR_POSITIONAL, item.kind is item.VAR_KEYWORD
        stars = "*" if is_rest else "**" if is_options else ""
        is_first = before is None or before.kind not in (item.KEYWORD_ONLY, item.VAR_POSITIONAL)
        if item.kind is item.KEYWORD_ONLY and is_first:
            shown.append("*")
        shown.append(f"{stars}{item.name}" + ("" if item.default is item.empty else "=None"))
    return ", ".join(shown)


def front_text(
    signature: inspect.Signature, data: Collection[Sequence[str]], fixed: Collection[str]
) -> str:
    """Return the text of the function, for the parameters of another and data of outside.

    Lists in `fixed` parameters have to be what they are.
    """
    parameters = list(signature.parameters.values())
    given = [*[item.name for item in parameters], *[f"_sg_x{k}" for k in range(len(data))]]
    return _FRONT.format(
        parameters=_declared(parameters),
        data="; ".join(f"_sg_x{k} = {_read(path)}" for k, path in enumerate(data)) or "pass",
        kinds="; ".join(
            _KIND.format(k=k, name=name, how=how_to_ask(name, fixed), owned=OWNED)
            for k, name in enumerate(given)
        )
        or "pass",
        key="".join(f"_sg_{k}, " for k in range(len(given))),
        args="".join(f"{name}, " for name in given),
        parts="".join(f"{item.name}, " for item in parameters),
    )


def how_to_ask(name: str, fixed: Collection[str]) -> str:
    """Return by what function the kind of an argument is asked."""
    return "fixed" if name in fixed else "kind"


def _read(path: Sequence[str]) -> str:
    """Return the text that reads data from a namespace."""
    return ".".join((f"_sg_space[{path[0]!r}]", *path[1:]))
