"""Tests that nodes hold the fields of Python's grammar, their places, and declared marks, alone."""

from __future__ import annotations

import ast
from typing import Any

import pytest

import srcgrad as sg
from srcgrad.compiler.stages import Stages
from srcgrad.ir.build import clone, twin
from srcgrad.ir.marks import IN_PLACE, MARKS, ORIGIN, Mark
from srcgrad.ir.walk import walk
from tests.programs.corpus import Program, programs_by, sample
from tools import structure

PLACES = {"lineno", "col_offset", "end_lineno", "end_col_offset"}
COMPILING = ("ir", "frontend", "analyses", "transforms", "optimizations", "compiler", "targets")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "program", sample(programs_by("source").values(), 60), ids=lambda item: item.name
)
def test_nodes_hold_declared_marks_alone(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    others: set[str] = set()
    names: set[str] = set()

    def look(_stages: Stages, name: str, tree: Any) -> None:
        names.add(name)
        for part in tree if isinstance(tree, list) else [tree]:
            for node in walk(part):
                others.update(vars(node).keys() - PLACES - MARKS.keys() - set(node._fields))

    monkeypatch.setattr(Stages, "note", look)
    sg.grad(program.function, program.argnums, fallback="error")(*program.arguments())
    assert {"flatten", "name versions", "reverse", "record", "coalesce names"} <= names
    assert not others


def test_no_file_reads_or_writes_a_mark_but_by_its_declaration() -> None:
    found = [
        source.at(node)
        for source in structure.package()
        if source.module.startswith(tuple(f"srcgrad.{layer}." for layer in COMPILING))
        and source.module != "srcgrad.ir.marks"
        for node in source.nodes
        if _is_a_way_around(node)
    ]
    assert not found, "declare it in `srcgrad.ir.marks`"


def _is_a_way_around(node: ast.AST) -> bool:
    """Say whether a node is ``getattr(item, "mark")`` or the like."""
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return False
    name, text = getattr(node.func, "id", ""), getattr(node.args[1], "value", None)
    return name in ("getattr", "setattr", "hasattr", "delattr") and text in MARKS


def test_copies_have_the_marks_that_are_copied_and_twins_all() -> None:
    update = ast.parse("x = x * 2").body[0]
    IN_PLACE.put(update, True)
    ORIGIN.put(update, "there")
    assert (IN_PLACE.of(clone(update)), ORIGIN.of(clone(update))) == (False, "there")
    assert (IN_PLACE.of(twin(update)), ORIGIN.of(twin(update))) == (True, "there")


def test_a_mark_that_is_taken_off_is_as_if_it_had_never_been() -> None:
    mark: Mark[Any] = IN_PLACE
    node = ast.parse("x = 1").body[0]
    mark.take_off(node)
    mark.put(node, True)
    mark.take_off(node)
    assert not mark.is_on(node)
    assert mark.of(node) is mark.absent
