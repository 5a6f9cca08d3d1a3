"""Finds what is tried with attributes that a value may lack: ``try: x = x.to_numpy()``.

Where it lacks them nothing of it happens, so that it is a part that some calls do not come by.
"""

from __future__ import annotations

from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone
from srcgrad.ir.walk import found_in

_WITH_VALUES: Final = (gast.Assign, gast.AnnAssign, gast.Return, gast.Expr)
_CATCHING: Final = frozenset(["AttributeError", "Exception", "BaseException"])


def without_tried(statement: Any, raised: Any) -> Any:
    r"""Return a branch for what is tried: it raises where the attribute is there.

    None of any other statement, and of a handler that asks for the error.

    >>> lines = "try:\n    x = x.to_numpy()\nexcept AttributeError:\n    x = np.abs(x)"
    >>> (statement,) = gast.parse(lines).body
    >>> print(gast.unparse(without_tried(statement, gast.Raise(None, None))))
    if hasattr(x, 'to_numpy'):
        raise
    else:
        x = np.abs(x)
    """
    otherwise = _otherwise(statement)
    asked = None if otherwise is None else _asked_first(statement.body[0])
    if otherwise is None or asked is None:
        return None
    test = call("hasattr", clone(asked.value), gast.Constant(asked.attr, None))
    return at(gast.If(at(test, statement), [raised], otherwise), statement)


def _otherwise(statement: Any) -> list[Any] | None:
    """Return what is done where an attribute is lacking; None of what does not wait for that."""
    if isinstance(statement, gast.With) and len(statement.items) == 1:
        manager = statement.items[0].context_expr
        kinds = manager.args if isinstance(manager, gast.Call) else []
        suppresses = _last_name(getattr(manager, "func", None)) == "suppress"
        return [] if suppresses and any(map(_catches, kinds)) else None
    if not isinstance(statement, gast.Try) or len(statement.handlers) != 1:
        return None
    (handler,) = statement.handlers
    asks = handler.name is not None or any(
        item.exc is None for part in handler.body for item in found_in(part, gast.Raise)
    )
    if asks or statement.orelse or statement.finalbody:
        return None
    catches = handler.type is None or _catches(handler.type)
    return [clone(item) for item in handler.body] if catches else None


def _catches(kind: Any) -> bool:
    kinds = kind.elts if isinstance(kind, gast.Tuple) else [kind]
    return any(_last_name(item) in _CATCHING for item in kinds)


def _last_name(node: Any) -> str:
    return str(getattr(node, "id", getattr(node, "attr", "")))


def _asked_first(statement: Any) -> Any:
    """Return the attribute of a variable that a statement asks for before it does anything."""
    node = statement.value if isinstance(statement, _WITH_VALUES) else None
    while isinstance(node, (gast.Attribute, gast.Call, gast.Subscript)):
        if isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name):
            return node
        node = node.func if isinstance(node, gast.Call) else node.value
    return None
