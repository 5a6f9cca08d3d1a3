"""Pulls masks back through functions that move elements: their adjoints of truth values."""

from __future__ import annotations

from typing import Any

from srcgrad.analyses.activity import Activity
from srcgrad.analyses.memory import Storage
from srcgrad.analyses.selection import Selection
from srcgrad.analyses.shapes import Shapes
from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, clone, load, store
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program
from srcgrad.ir.walk import walk
from srcgrad.transforms.rule_sources import NotInlinableError
from srcgrad.transforms.templates import Inliner


def selection_of(
    program: Program, reached: Activity, shapes: Shapes, memory: Storage, inliner: Inliner
) -> Selection:
    """Return the masks of a program, led back by the rules."""
    pull = _Pulling(program, inliner).masks
    return Selection(program, reached, shapes, memory.mutated, pull, memory.mirror.links)


class _Pulling:
    """Says which elements of the operands become the used ones of a result."""

    def __init__(self, program: Program, inliner: Inliner) -> None:
        self._program = program
        self._inliner = inliner

    def masks(
        self, operation: Operation, target: str, used: Any
    ) -> tuple[dict[str, Any], list[Any]]:
        """Return truth values for each name among the operands, and a statement that binds them.

        `used` has the shape of what is bound to `target`. Nothing if it cannot be written so.
        """
        known = self._program.reader.vocabulary.primitive(operation.primal)
        if not known.moves or operation.kind != "primitive":
            return {}, []
        try:
            placed = self._inliner.place(
                self._program.reader.vocabulary.rule_for(operation.primal),
                operation.args,
                operation.keywords,
                lambda item: not isinstance(item, gast.Constant),
                [load(target)],
                own_forward=False,
            )
            emitted, parts = placed.adjoint([clone(used)])
        except NotInlinableError:
            return {}, []
        part = _inlined(emitted, parts[0])
        if part is None:
            return {}, []
        if known.adds:
            part = gast.Compare(part, [gast.NotEq()], [gast.Constant(0, None)])
        return self._by_name(placed.parameters[0], part)

    def _by_name(self, item: Any, part: Any) -> tuple[dict[str, Any], list[Any]]:
        if isinstance(item, gast.Name):
            return {item.id: part}, []
        if not isinstance(item, (gast.List, gast.Tuple)):
            return {}, []
        found: dict[str, Any] = {}
        bound: list[Any] = []
        for inner in item.elts:
            name = getattr(inner, "id", "item")
            mask = self._program.namer.fresh(f"used_{self._program.namer.base(name)}")
            bound.append(store(mask))
            here = load(mask)
            found[name] = call("np.logical_or", found[name], here) if name in found else here
        return found, [assign(gast.Tuple(bound, gast.Store()), part)]


def _inlined(emitted: list[Any], part: Any) -> Any:
    """Return an expression with the names that statements bind replaced; None if it cannot be."""
    for statement in reversed(emitted):
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        if not isinstance(target, gast.Name) or part is None:
            return None
        if isinstance(part, gast.Name) and part.id == target.id:
            part = statement.value
        elif any(getattr(node, "id", "") == target.id for node in walk(part)):
            return None
    return part
