"""Which displays names may be bound to, and which containers get shadows of their own."""

from __future__ import annotations

import pytest

from srcgrad.analyses.container_shadows import container_shadows
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.points_to import PointsTo
from srcgrad.analyses.shapes import Shapes
from srcgrad.compiler.doctesting import program_of
from srcgrad.ir.program import is_store, store_target
from srcgrad.ir.walk import statements


def _shadows(text):
    program = program_of(text)
    stores = [s for s in statements(program.body) if is_store(s)]
    named = [(s, store_target(s).value.id) for s in stores]
    return container_shadows(program, named, Shapes(program, Integers(program)).is_number)


def _word_read(statement):
    key = getattr(getattr(statement, "value", None), "slice", None)
    return getattr(key, "value", None)


def test_names_of_what_is_read_out_are_containers():
    found = PointsTo(
        program_of("""
def f(x):
    rows = [[x, x], [x * 2, x]]
    first, second = rows
    cell = second[0]
    last = rows[len(rows) - 1]
    return first[0] * cell * last[1]
""")
    )
    assert all(map(found.is_container, ["rows", "first", "second", "last"]))
    assert not found.may_be_container("cell")
    assert found.of("first") == found.of("last")
    assert not found.escaped


def test_a_name_that_is_bound_later_in_a_loop_is_a_container_from_the_start():
    found = PointsTo(
        program_of("""
def f(x):
    rows = [[x], [x * 2]]
    last = rows[0]
    for row in rows:
        row[0] = row[0] * last[0]
        last = row
    return last[0]
""")
    )
    assert found.is_container("last")


@pytest.mark.parametrize(
    "use",
    ["y = np.array(rows)", "y = max(rows)", "y = rows + [[x]]", "y = rows or [x]"],
)
def test_what_is_used_as_a_whole_has_escaped(use):
    text = f"def f(x):\n    rows = [[x, x], [x]]\n    rows[0][1] = x * 3\n    {use}\n    return y"
    found = PointsTo(program_of(text))
    assert found.escaped
    assert _shadows(text) is None


@pytest.mark.parametrize("use", ["np.sum(rows[0])", "max(rows[0])", "sum(rows[1]) * x"])
def test_what_is_added_up_has_not(use: str) -> None:
    text = f"def f(x):\n    rows = [[x, x], [x]]\n    rows[0][1] = x * 3\n    return {use}"
    assert not PointsTo(program_of(text)).escaped


def test_a_key_that_is_a_word_tells_what_is_under_it():
    program = program_of("""
def f(x):
    layers = [{"w": x, "b": 2.0 * x}, {"w": x, "b": x}]
    layer = layers[1]
    return layer["b"]
""")
    found = PointsTo(program)
    held = [v.id for display in found.of("layer") for v in found.held(display)]
    assert sorted(set(held)) == ["product", "x"]
    read = next(s.value for s in statements(program.body) if _word_read(s) == "b")
    assert {item.id for item in found.read(read)} == {"product", "x"}


def test_containers_have_shadows_and_what_is_in_them_has_none():
    mirror = _shadows("""
def f(x):
    layers = [{"w": x}, {"w": 2.0 * x}]
    for layer in layers:
        layer["w"] = layer["w"] * x
    return layers[0]["w"]
""")
    assert mirror.names == {"layers", "layer", "value", "value_2", "layers_0"}
    assert set(mirror.replaced.values()) == {"dict"}


@pytest.mark.parametrize(
    "store",
    [
        "rows[0][0] = rows[1]",  # the adjoint of the array before would have to be put back
        "rows[0][0] = x; rows[0].append([x]); rows[0].pop()",  # an array, or a list?
        "rows.append(x); rows[0][0] = x; rows = [*rows]",  # some are shared, some are not
        "rows[0][0] *= x",  # that writes into an array
        "rows[0][0][0] = 1.0",
        "given[0][0] = x",
    ],
)
def test_nothing_else_is_taken_for_the_entry_of_a_container(store):
    text = f"def f(x, given):\n    rows = [[x * 1.0], [x]]\n    {store}\n    return rows[0][0]"
    assert _shadows(text) is None


def _names_of(text, *names):
    found = PointsTo(program_of(text))
    return [found.of(name) for name in names], found


@pytest.mark.parametrize("copy", ["rows[:]", "rows[1:]", "rows.copy()", "list(rows)", "[*rows]"])
def test_a_copy_is_another_list_that_holds_the_same(copy):
    (rows, other, row, cell), found = _names_of(
        f"def f(x):\n    rows = [[x], [x * 2]]\n    other = {copy}\n    row = other[0]\n"
        "    other[0] = rows[1]\n    rows[0][0] = x * 3\n    cell = rows[1]\n"
        "    return row[0] * cell[0]",
        *("rows", "other", "row", "cell"),
    )
    assert other
    assert rows.isdisjoint(other)
    assert row == cell
    assert not found.escaped


def test_what_is_taken_out_is_what_was_put_in():
    (last, first), found = _names_of(
        """
def f(x):
    stack = [[x], [x * 2]]
    first = stack[0]
    while stack:
        last = stack.pop()
        last[0] = last[0] * x
    return first[0]
""",
        *("last", "first"),
    )
    assert last == first
    assert found.is_container("last")
    assert not found.escaped


def test_a_table_of_numbers_is_a_list_of_lists():
    (row, table), found = _names_of(
        """
def f(x):
    table = [[0.0] * 3 for _ in range(2)]
    row = table[1]
    row[0] = x[0]
    return table[1][0]
""",
        *("row", "table"),
    )
    assert row
    assert table
    assert row.isdisjoint(table)
    assert table <= found.whole
    assert row <= found.whole
    assert not found.may_be_container("x")


def test_only_dicts_are_dicts():
    found = _names_of(
        """
def f(x):
    parts = [{"w": x}, {"w": x * 2}]
    rows = [[x], {"w": x}]
    part, row = parts[0], rows[0]
    part["w"] = x * 3
    return part["w"] * rows[0][0]
"""
    )[1]
    assert found.is_dict("part")
    assert not found.is_dict("parts")
    assert not found.is_dict("row")
