"""Pulls many vectors back through a graph in one pass, as stacks (`srcgrad.runtime.stacks`).

A node whose rule says everything in operations that stacks know is run once for all vectors; any
other is run for each of them, and what it returns is stacked again. So only what may not be run
for all at once costs as much as before.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.runtime.stacks import TAKES_STACKS, CannotStackError, Stack, by_rows, refusals
from srcgrad.tape.core import Core, make
from srcgrad.tape.engine import Pass, below, run_backward
from srcgrad.tape.modes import STATE
from srcgrad.tape.node import Edge, Node
from srcgrad.tape.ops import Op, helper_behind
from srcgrad.tape.rulenode import RuleNode
from srcgrad.tape.tied import tied_nodes

_BUILTINS: Final = frozenset("range len tuple list zip enumerate reversed sum abs slice".split())
_CONSTANTS: Final = (np.ufunc, int, float, complex, str, bool, type(None))
_OURS: Final = ("srcgrad.runtime.", "srcgrad.rules.")
_OF_VALUES: Final = ("srcgrad.runtime.predicates", "srcgrad.runtime.slopes")
_KNOWN: Final[dict[Op, bool]] = {}


class StackedPass(Pass):
    """A backward pass of which each gradient is a stack."""

    def __init__(self, keep: bool, create: bool, *, careful: bool = False) -> None:
        super().__init__(True, create, careful=careful)  # a second try needs what was saved
        self.ran: list[Node] = []
        self.releases = not keep

    def _call(self, node: Node, grad: Any) -> tuple[Any, ...]:
        self.ran.append(node)
        selections = self.selections
        if node._selects or node._key in selections.masks:
            masked: tuple[Any, ...] = selections.pull(node, grad, _pulling(node), self.nodes)
            return masked
        return _pulling(node)(grad)

    def run(self) -> None:
        """Pull gradients back, and let go of what was saved, if that is wanted."""
        super().run()
        if self.releases:
            for node in self.ran:
                node.release()


def stacked_grad(
    roots: Sequence[Edge], wanted: Sequence[Edge], rows: Sequence[Any], *, keep: bool
) -> dict[int, Any] | None:
    """Return gradients for many vectors at once, by the position of what they are of, or None.

    `rows` are the vectors of each root in one array, None for a root without.
    """
    if STATE.anomaly or STATE.profiler is not None or not _is_quiet(roots):
        return None
    seeds = [None if part is None else Stack(part, is_array=True) for part in rows]
    try:
        return run_backward(
            roots, seeds, keep=keep, create=False, wanted=wanted, accumulates=False,
            kind=StackedPass,
        )  # fmt: skip
    except CannotStackError:
        return None


def finished(value: Any, item: Any, count: int) -> Any:
    """Return a gradient of each vector as one tensor of its own memory, with the item's dtype."""
    if not isinstance(value, Stack):  # a gradient that is zero, whatever the vector is
        value = Stack(np.broadcast_to(value, (count, *np.shape(value))))
    if isinstance(item, Core):
        value = value.conformed(item._array.shape, item._array.dtype)
    return make(np.array(value.rows))


def _is_quiet(roots: Iterable[Edge]) -> bool:
    """Say whether no hook wants to see the gradients, and no factorisation needs more than them."""
    tied = tied_nodes()
    for node in below(root for root, _ in roots):
        leaf = node.variable if node._leaf else None  # type: ignore[attr-defined]
        if node._hooks is not None or node in tied or (leaf is not None and leaf._hooks):
            return False
    return True


def _pulling(node: Node) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that pulls stacks back through a node, at once or row by row."""

    def pull(grad: Any) -> tuple[Any, ...]:
        if isinstance(node, RuleNode) and node._packed is None and takes_stacks(node.op):
            before = refusals.count
            try:
                parts = node.pull(grad)
            except (CannotStackError, TypeError):
                pass
            else:
                if refusals.count == before:
                    return parts
        rows: tuple[Any, ...] = by_rows(node.pull, grad)
        return rows

    return pull


def takes_stacks(op: Op) -> bool:
    """Say whether all that a rule's backward calls acts on stacks as on arrays."""
    known = _KNOWN.get(op)
    if known is None:
        is_formula = op.slope is not None or hasattr(op.rule, "partials")  # these see no gradient
        known = is_formula or (not op.rule.tells_unused and _acts(op.backward, set()))
        _KNOWN[op] = known
    return known


def _acts(value: Any, seen: set[Any]) -> bool:
    """Say whether something that a rule names acts on stacks, refuses them, or is given none.

    What asks for the type of a value may take a stack for a number.
    """
    if isinstance(value, _CONSTANTS):
        return True
    if isinstance(value, ModuleType):
        return value.__name__ in ("numpy", "math")
    helper = helper_behind(value)
    module = getattr(helper, "__module__", None) or ""
    if not isinstance(helper, FunctionType) or not module.startswith(_OURS):
        return False
    if helper in seen or module in _OF_VALUES or hasattr(helper, "__wrapped__"):
        return True  # what records hands stacks over to those who know them
    if helper.__name__ in TAKES_STACKS and module.startswith("srcgrad.runtime."):
        return True
    seen.add(helper)
    return all(_acts(item, seen) for item in _globals_of(helper))


def _globals_of(function: FunctionType) -> Iterator[Any]:
    """Yield what the free names of a function mean, but for builtins that ask for no type."""
    if function.__closure__:
        yield from (cell.cell_contents for cell in function.__closure__)
    for name in _names_in(function.__code__):
        if name in function.__globals__:
            yield function.__globals__[name]
        elif name not in _BUILTINS and hasattr(builtins, name):
            yield getattr(builtins, name)


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _names_in(item)
