"""Chooses readable names for intermediate values, from the expressions that make them."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.ir import gast

_LONGEST: Final = 18

_NOUNS: Final = {
    "Add": ("plus", "total"),
    "Sub": ("minus", "difference"),
    "Mult": ("times", "product"),
    "Div": ("over", "ratio"),
    "Pow": ("to", "power"),
    "MatMult": ("at", "product"),
    "Mod": ("mod", "remainder"),
    "FloorDiv": ("div", "quotient"),
}


def wording(node: Any) -> str:
    """Return a name for the value of an expression.

    >>> def word(text):
    ...     return wording(gast.parse(text).body[0].value)
    >>> word("np.exp(z)"), word("a * b"), word("x @ w"), word("params['w1']"), word("x[i]")
    ('exp_z', 'a_times_b', 'x_at_w', 'w1', 'x_i')
    >>> word("x ** 2"), word("(a + b).sum()"), word("x.T"), word("-x")
    ('x_squared', 'sum', 'x_t', 'neg_x')
    >>> word("a_long_name * another_name")
    'product'
    >>> word("3 * x")
    'product'
    """
    name = _compose(node)
    return name if len(name) <= _LONGEST and name.isidentifier() else _fallback(node)


def _compose(node: Any) -> str:
    if isinstance(node, gast.BinOp):
        return _binary(node)
    if isinstance(node, gast.UnaryOp):
        return _join("neg", _word(node.operand))
    if isinstance(node, gast.Call):
        func = node.func
        if isinstance(func, gast.Attribute):
            first = node.args[0] if node.args else func.value
            subject = first if _is_module(func.value) else func.value
            return _join(func.attr, _word(subject))
        return _join(func.id if isinstance(func, gast.Name) else "value", _first(node.args))
    if isinstance(node, gast.Subscript):
        key = getattr(node.slice, "value", None)
        if isinstance(key, str) and key.isidentifier():
            return key
        return _join(_word(node.value) or "item", _index(node.slice) or "part")
    if isinstance(node, gast.Attribute):
        return _join(_word(node.value) or "value", node.attr.lower())
    return "test" if isinstance(node, gast.Compare) else "value"


def _binary(node: Any) -> str:
    verb, noun = _NOUNS.get(type(node.op).__name__, ("op", "value"))
    left, right = _word(node.left), _word(node.right)
    squared = isinstance(node.op, gast.Pow) and getattr(node.right, "value", None) == 2
    if left and squared:
        return f"{left}_squared"
    return f"{left}_{verb}_{right}" if left and right else noun


def _fallback(node: Any) -> str:
    if isinstance(node, gast.BinOp):
        return _NOUNS.get(type(node.op).__name__, ("op", "value"))[1]
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
        return str(node.func.attr)
    if isinstance(node, gast.Subscript):
        return "item"
    return "value"


def _word(node: Any) -> str:
    if isinstance(node, gast.Name):
        return str(node.id)
    if isinstance(node, gast.Constant) and isinstance(node.value, int):
        return str(node.value)
    if isinstance(node, gast.Subscript):
        key = getattr(node.slice, "value", None)
        if isinstance(key, str):
            return key if key.isidentifier() else ""
        inner = _word(node.value)
        return _join(inner, _index(node.slice)) if inner else ""
    return ""


def _index(node: Any) -> str:
    if isinstance(node, gast.Constant) and isinstance(node.value, (int, str)):
        text = str(node.value)
        return text if text.isidentifier() or text.isdigit() else ""
    return str(node.id) if isinstance(node, gast.Name) else ""


def _first(args: list[Any]) -> str:
    return _word(args[0]) if args else ""


def _is_module(node: Any) -> bool:
    """Guess whether a call's owner is a module; for wording, a wrong guess is harmless."""
    return (
        isinstance(node, gast.Name) and node.id in {"np", "numpy", "math", "xp", "cp", "scipy"}
    ) or (isinstance(node, gast.Attribute) and _is_module(node.value))


def _join(first: str, second: str) -> str:
    return f"{first}_{second}" if second else first
