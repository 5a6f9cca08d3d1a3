"""Builds the parameter lists of generated functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import store
from srcgrad.ir.walk import walk


def positional(names: Sequence[str]) -> Any:
    """Return the parameter list of a function that takes all arguments by position."""
    return gast.arguments([_parameter(name) for name in names], [], None, [], [], None, [])


def _parameter(name: str) -> Any:
    node = store(name)
    node.ctx = gast.Param()
    return node


def renamed_root(text: str, renamed: Mapping[str, str]) -> str:
    """Return what is read from a parameter, which has another name.

    >>> renamed_root("xs[*][0]", {"xs": "xs_2"}), renamed_root("y", {"xs": "xs_2"})
    ('xs_2[*][0]', 'y')
    """
    name, bracket, rest = text.partition("[")
    return f"{renamed.get(name, name)}{bracket}{rest}"


def as_generated(arguments: Any) -> None:
    """Make the parameters of a function of the user's those of a generated one, in place."""
    _drop_annotations(arguments)
    _leave_out_defaults(arguments)


def _drop_annotations(arguments: Any) -> None:
    """Remove the annotations of parameters."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
    for item in every:
        item.annotation = None


def is_literal(node: Any) -> bool:
    """Say whether a default is a literal, which may stand in generated text."""
    allowed = (gast.Constant, gast.UnaryOp, gast.USub, gast.Tuple, gast.Load)
    return all(isinstance(item, allowed) for item in walk(node))


def _leave_out_defaults(arguments: Any) -> None:
    """Leave out defaults that are no literals: they are put in place when the module is loaded."""
    for group in (arguments.defaults, arguments.kw_defaults):
        for position, default in enumerate(group):
            if default is not None and not is_literal(default):
                group[position] = gast.Constant(None, None)
