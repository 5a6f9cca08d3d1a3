"""Says which `with` statements run their block exactly once and pass exceptions on."""

from __future__ import annotations

import contextlib
import inspect
import textwrap
import threading
import warnings
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.errors import SrcgradError
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.source import find_source
from srcgrad.ir import gast
from srcgrad.ir.marks import OF_ERRORS
from srcgrad.ir.parsing import gast_parsed
from srcgrad.ir.scopes import MISSING, Scope
from srcgrad.ir.walk import statements, walk

_PLAIN: Final = (
    np.errstate,
    np.printoptions,
    warnings.catch_warnings,
    contextlib.nullcontext,
    contextlib.redirect_stdout,
    contextlib.redirect_stderr,
    threading.Lock,
    threading.RLock,
    open,
)
_LOCKS: Final = (type(threading.Lock()), type(threading.RLock()))


def check_managers(body: list[Any], scope: Scope, refusals: Refusals) -> None:
    """Refuse every `with` whose manager may swallow an exception, for all that is known of it."""
    for statement in statements(body):
        if not isinstance(statement, gast.With):
            continue
        OF_ERRORS.put(statement, all(_is_errstate(item, scope) for item in statement.items))
        for item in statement.items:
            if not _passes_exceptions_on(item.context_expr, scope):
                refusals.add(
                    item.context_expr,
                    "a context manager that may swallow exceptions is not differentiated by source",
                    "use `try`, or a manager whose `__exit__` returns nothing",
                )


def _is_errstate(item: Any, scope: Scope) -> bool:
    """Say whether a manager is ``np.errstate`` with literal arguments."""
    call = item.context_expr
    if not isinstance(call, gast.Call) or scope.resolve(call.func) is not np.errstate:
        return False
    values = [*call.args, *[keyword.value for keyword in call.keywords]]
    return item.optional_vars is None and all(isinstance(v, gast.Constant) for v in values)


def _passes_exceptions_on(node: Any, scope: Scope) -> bool:
    called = isinstance(node, gast.Call)
    value = scope.resolve(node.func if called else node)
    if value is MISSING:
        return False
    if not called:
        return isinstance(value, _LOCKS) or _exits_plainly(type(value))
    if any(value is plain for plain in _PLAIN):
        return True
    if isinstance(value, type):
        return _exits_plainly(value)
    generator = getattr(value, "__wrapped__", None)  # of `contextlib.contextmanager`
    return isinstance(generator, FunctionType) and not _catches_at_yield(generator)


def _exits_plainly(owner: type) -> bool:
    """Say whether the `__exit__` of a class surely returns nothing."""
    leave = getattr(owner, "__exit__", None)
    if not isinstance(leave, FunctionType):
        return False
    try:
        tree = find_source(leave).tree
    except SrcgradError:
        return False
    values = [s.value for s in statements(tree.body) if isinstance(s, gast.Return)]
    return all(getattr(value, "value", MISSING) in (None, False) for value in values if value)


def _catches_at_yield(generator: FunctionType) -> bool:
    """Say whether a generator may catch what is raised in the block that it stands around."""
    try:
        tree = gast_parsed(textwrap.dedent(inspect.getsource(generator)))
    except (OSError, TypeError, SyntaxError):
        return True
    return any(_may_catch(node) for node in walk(tree))


def _may_catch(statement: Any) -> bool:
    if not isinstance(statement, (gast.Try, gast.With)):
        return False
    yields = any(isinstance(node, gast.Yield) for part in statement.body for node in walk(part))
    return yields and (isinstance(statement, gast.With) or bool(statement.handlers))
