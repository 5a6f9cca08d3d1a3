"""Writes the part of an exported module that checks it: its gradient against differences."""

from __future__ import annotations

import textwrap
from typing import Final

from srcgrad.errors import ExportError
from srcgrad.exporting import differences
from srcgrad.exporting.collector import Collector
from srcgrad.exporting.origins import Namespace
from srcgrad.exporting.request import Export

_WIDEST: Final = 80


def self_check(export: Export, collector: Collector, name: str) -> str:
    """Return the statements that compare a gradient with differences when the module is run."""
    space = Namespace.of_module(differences)
    compare = collector.name_of(differences.compare, "compare", space)
    user = Namespace.of_function(export.function)
    call = export.example
    if call is None or call.kwargs:
        raise ExportError(
            f"`{export.function.__name__}` has parameters that are given by name alone",
            hint="export the gradient of a function that is given all by position",
        )
    arguments = [collector.expression(item, "example", user) for item in call.args]
    places = tuple(list(call.signature.parameters).index(item) for item in export.names)
    value = _value(export, collector, name)
    taken = f"{name}(*args)"
    if export.value or export.aux:
        taken += "[1]" if export.value else "[0]"
    if export.value or export.aux or export.single:
        gradients = f"lambda *args: {f'({taken},)' if export.single else taken}"
    else:
        gradients = name
    listed = f"({', '.join(arguments)},)"
    lines = [f"arguments = {listed}"]
    if len(listed) > _WIDEST:
        inner = "".join(textwrap.indent(item, "    ") + ",\n" for item in arguments)
        lines = [f"arguments = (\n{inner})"]
    line = f"{compare}({value}, {gradients}, arguments, {places})"
    if len(line) > _WIDEST:
        parts = [value, gradients, "arguments", str(places)]
        line = f"{compare}(\n" + "".join(f"    {part},\n" for part in parts) + ")"
    lines.append(line)
    body = textwrap.indent("\n".join(lines), "    ")
    return f'if __name__ == "__main__":\n{body}\n'


def _value(export: Export, collector: Collector, name: str) -> str:
    """Return the function to take differences of: the user's, if none here has its value."""
    if export.value:
        return f"lambda *args: {name}(*args)[0]{'[0]' if export.aux else ''}"
    user = Namespace.of_function(export.function)
    primal = collector.name_of(export.function, export.function.__name__, user)
    return f"lambda *args: {primal}(*args)[0]" if export.aux else primal
