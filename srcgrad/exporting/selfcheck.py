"""Writes the part of an exported module that checks it: its gradient against differences."""

from __future__ import annotations

import textwrap
from typing import Final

from srcgrad.errors import ExportError
from srcgrad.exporting import differences, slopes
from srcgrad.exporting.collector import Collector
from srcgrad.exporting.origins import Namespace
from srcgrad.exporting.request import Export

_WIDEST: Final = 80
_MATRICES: Final = ("jacfwd", "jacrev", "hessian")


def self_check(export: Export, collector: Collector, name: str) -> str:
    """Return the statements that compare a gradient with differences when the module is run."""
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
    compare, found = (_of_gradient if export.kind == "grad" else _of_other)(export, collector, name)
    listed = f"({', '.join(arguments)},)"
    lines = [f"arguments = {listed}"]
    if len(listed) > _WIDEST:
        inner = "".join(textwrap.indent(item, "    ") + ",\n" for item in arguments)
        lines = [f"arguments = (\n{inner})"]
    line = f"{compare}({value}, {found}, arguments, {places})"
    if len(line) > _WIDEST:
        parts = [value, found, "arguments", str(places)]
        line = f"{compare}(\n" + "".join(f"    {part},\n" for part in parts) + ")"
    lines.append(line)
    body = textwrap.indent("\n".join(lines), "    ")
    return f'if __name__ == "__main__":\n{body}\n'


def _of_gradient(export: Export, collector: Collector, name: str) -> tuple[str, str]:
    """Return what compares, and what is compared: the gradients in a tuple."""
    space = Namespace.of_module(differences)
    compare = collector.name_of(differences.compare, "compare", space)
    taken = f"{name}(*args)"
    if export.value or export.aux:
        taken += "[1]" if export.value else "[0]"
    if export.value or export.aux or export.single:
        return compare, f"lambda *args: {f'({taken},)' if export.single else taken}"
    return compare, name


def _of_other(export: Export, collector: Collector, name: str) -> tuple[str, str]:
    """Return the same for the other kinds: the slope, or the curvature, along directions."""
    space = Namespace.of_module(slopes)
    is_second = export.kind in ("hvp", "hessian")
    comparing = slopes.compare_curvatures if is_second else slopes.compare_slopes
    compare = collector.name_of(comparing, comparing.__name__, space)
    product = slopes.contracted if export.kind in _MATRICES else slopes.inner_product
    times = collector.name_of(product, product.__name__, space)
    along = "along[0]" if export.single else "tuple(along)"
    weights = "others" if is_second else "weights"
    if export.kind in _MATRICES:
        taken = f"{name}(*args)[0]" if export.aux else f"{name}(*args)"
        others = "others[0]" if is_second else weights
        found = f"{times}({others}, {taken}, {along})"
    elif export.kind == "vjp":
        found = f"{times}({along}, {name}(*args)[1]({weights}))"
    else:
        dots = [f"{item}_dot=along[{place}]" for place, item in enumerate(export.names)]
        taken = f"{name}(*args, {', '.join(dots)})"
        if export.kind == "jvp":
            found = f"{times}({weights}, {taken}[1])"
        else:
            others = "others[0]" if export.single else "tuple(others)"
            found = f"{times}({others}, {taken}{'[0]' if export.aux else ''})"
    return compare, f"lambda args, along, {weights}: {found}"


def _value(export: Export, collector: Collector, name: str) -> str:
    """Return the function to take differences of: the user's, if none here has its value."""
    if export.value:
        return f"lambda *args: {name}(*args)[0]{'[0]' if export.aux else ''}"
    function = export.written if export.kind in ("hvp", "hessian") else export.function
    user = Namespace.of_function(function)
    primal = collector.name_of(function, function.__name__, user)
    return f"lambda *args: {primal}(*args)[0]" if export.aux else primal
