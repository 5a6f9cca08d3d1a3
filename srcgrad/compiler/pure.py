"""Lets a derivative leave its arguments as they are: it works on copies of what it writes into."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

from srcgrad.compiler.generated import ComplexMetError, Request
from srcgrad.errors import MutationError
from srcgrad.frontend.remembered import nothing_changes
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load
from srcgrad.spans import Span

Made = tuple[Any, str, str]
"""A module, and the names of its entry and of a backward half."""


def made(request: Request, make: Callable[[Request], Made]) -> tuple[Request, Any, str, str]:
    """Return what `make` makes of a request, and the request as it could be met.

    A text that is to leave its arguments alone is made once more, with copies of those that it
    would write into. Nothing else that a call gives may share their memory, as without copies.
    """
    request, module, entry, backward = _made(request, make)
    copied = _written_arguments(module.written, request)
    if copied:
        request, module, entry, backward = _made(replace(request, copied=copied), make)
        _refuse_written_inside(module.written, request)
        module.written |= copied
    return request, module, entry, backward


def _made(request: Request, make: Callable[[Request], Made]) -> tuple[Request, Any, str, str]:
    try:
        with nothing_changes():
            return request, *make(request)
    except ComplexMetError:
        return _made(replace(request, keep_complex=True), make)


def with_copies(source: FunctionSource, names: Collection[str]) -> FunctionSource:
    """Return a function that begins with copies of some of its arguments.

    They lie in memory as the arguments do, which decides whether ``reshape`` copies.
    """
    if not names:
        return source
    tree = clone(source.tree)
    fields = len(source.fields)
    tree.body[fields:fields] = _copies(tree, names)
    return replace(source, tree=tree)


def _copies(tree: gast.FunctionDef, names: Collection[str]) -> Iterator[gast.Assign]:
    known = {node.id: node for node in (*tree.args.posonlyargs, *tree.args.args)}
    known |= {node.id: node for node in tree.args.kwonlyargs}
    for name in known:
        if name in names:
            order = gast.Constant("K", None)
            copy = gast.Call(gast.Attribute(load(name), "copy", gast.Load()), [order], [])
            yield at(assign(name, copy), known[name])


def _written_arguments(written: Collection[str], request: Request) -> frozenset[str]:
    """Return the arrays among the arguments that a text writes into, if it is not to."""
    code = request.function.__code__
    given = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]}
    given -= {name for name, kind in request.arrays if kind in ("list", "dict")}
    return frozenset(written) & given if request.pure else frozenset()


def _refuse_written_inside(written: Collection[str], request: Request) -> None:
    """Refuse to write into what an argument holds, of which no copy was taken.

    Raises:
        MutationError: The text with copies still does.
    """
    for name in sorted(_written_arguments(written, request)):
        code = request.function.__code__
        raise MutationError(
            f"`{code.co_name}` writes into what its argument `{name}` holds",
            span=Span(code.co_filename, code.co_firstlineno),
            hint=f"with pure=True, begin with a copy: `{name} = copy.deepcopy({name})`",
        )
