"""Tests that the package keeps its shape: small files, small functions, no knots."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from tools import structure
from tools.structure import Source

LONGEST_FILE = 500
LONGEST_FUNCTION = 60
LONGEST_CLASS = 800  # with all of its bases: who reads it reads them, too
SURFACES = ("srcgrad.tape.tensor.Tensor", "srcgrad.tape.pynumbers.PythonFloat")  # a line a method

# errors that one function of ours raises for another and no user sees: name -> who catches it
SIGNALS = {
    "AgainError": "a function is written for a batch again, with what was found out",
    "PartsError": "a function is written for a batch again, with one exit of each block",
    "NotElementwiseError": "a statement over arrays is no nest of loops",
    "NoTangentError": "forward mode runs on the tape, or the tangent is not known",
    "NotInlinableError": "the compiler calls the rule instead of putting it in place",
    "NeedsInlineError": "the expansion of the caller puts the function in place",
    "KindFoundError": "the expansion starts anew, with what was found known from the start",
    "UnknownError": "a text that another function had is not taken, and it is compiled anew",
    "ComplexMetError": "the compiler starts again with text that is right for complex numbers",
}

SOURCES = structure.package()


def source_of(text):
    """Make a file out of a text, to see the measures fail."""
    text = textwrap.dedent(text)
    return Source(structure.PACKAGE / "made_up.py", "srcgrad.made_up", text, ast.parse(text))


def test_files_are_read_whole_in_one_sitting():
    long = [s.at() for s in SOURCES if s.text.count("\n") > LONGEST_FILE]
    assert not long


def test_functions_fit_on_a_screen():
    long = [
        f"{s.at(f)} {f.name}: {structure.length(f)} lines"
        for s in SOURCES
        for f in structure.functions(s)
        if structure.length(f) > LONGEST_FUNCTION
    ]
    assert not long


def test_classes_with_their_bases_are_read_in_one_sitting():
    lengths = structure.class_lengths(SOURCES)
    assert set(SURFACES) == {name for name, lines in lengths.items() if lines > LONGEST_CLASS}


def test_the_length_of_a_class_counts_its_bases():
    text = """
        class A:
            x = 1
            y = 2
        class B(A):
            z = 3
        class C(B, A, dict):
            pass
    """
    assert structure.class_lengths([source_of(text)]) == {
        "srcgrad.made_up.A": 3,
        "srcgrad.made_up.B": 5,
        "srcgrad.made_up.C": 7,
    }


def test_no_modules_import_each_other_even_inside_functions():
    names = frozenset(s.module for s in SOURCES)
    graph = {s.module: structure.imports(s, names) for s in SOURCES}
    assert structure.cycles(graph) == []


def test_every_error_has_words():
    silent = [(s.at(n), ast.unparse(n)) for s in SOURCES for n in structure.silent_raises(s)]
    assert not [place for place, text in silent if text.split()[1] not in SIGNALS]


def test_every_public_name_has_a_docstring():
    assert not [s.at(node) for s in SOURCES for node in structure.undocumented(s)]


def test_every_folder_of_python_is_a_package():
    folders = {s.path.parent for s in SOURCES}
    assert not [str(f) for f in folders if not (f / "__init__.py").is_file()]


def test_tests_of_units_stand_in_folders_of_their_layers():
    layers = {path.name for path in structure.PACKAGE.iterdir() if path.is_dir()}
    folders = {p.parent for p in (structure.ROOT / "tests" / "unit").glob("*/test_*.py")}
    assert len(folders) > 5
    assert {folder.name for folder in folders} <= layers


def test_all_text_is_parsed_in_one_place_that_threads_may_share():
    elsewhere = [
        s.at(node)
        for s in SOURCES
        if s.module != "srcgrad.parsing"
        for node in s.nodes
        if isinstance(node, ast.Attribute) and node.attr == "parse"
        if ast.unparse(node) in ("ast.parse", "gast.parse")
    ]
    assert not elsewhere


def test_all_trees_are_of_our_own_nodes():
    theirs = [s.at(node) for s in SOURCES for node in s.nodes if _imports_gast(node)]
    assert {place.partition(":")[0] for place in theirs} == {"srcgrad/ir/gast.py"}


def _imports_gast(node):
    names = [item.name for item in node.names] if isinstance(node, ast.Import) else []
    if isinstance(node, ast.ImportFrom) and not node.level:
        names = [node.module or ""]
    return any(name.partition(".")[0] == "gast" for name in names)


def test_no_property_waits_for_a_lock_that_another_process_held():
    locked = [  # that of Python 3.11 has one lock for all objects; `srcgrad.locks` has another
        s.at(node)
        for s in SOURCES
        for node in s.nodes
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for item in node.decorator_list
        if ast.unparse(item).rpartition(".")[2] == "cached_property"
    ]
    assert not locked


def test_nothing_is_written_to_the_terminal_outside_the_command_line_and_show():
    allowed = ("srcgrad.cli", "srcgrad.api")
    prints = [
        s.at(node)
        for s in SOURCES
        if not s.module.startswith(allowed)
        for node in s.nodes
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    ]
    assert not prints


def test_an_import_inside_a_function_counts_as_one():
    source = source_of("""
        def f():
            from srcgrad import errors
            import srcgrad.spans
    """)
    modules = frozenset({"srcgrad", "srcgrad.errors", "srcgrad.spans"})
    assert structure.imports(source, modules) == {"srcgrad.errors", "srcgrad.spans"}


def test_an_import_for_types_alone_does_not_count():
    source = source_of("""
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            import srcgrad.spans
    """)
    assert structure.imports(source, frozenset({"srcgrad.spans"})) == frozenset()


def test_a_long_way_round_is_a_cycle():
    graph = {"a": frozenset("b"), "b": frozenset("c"), "c": frozenset("a"), "d": frozenset("a")}
    assert structure.cycles(graph) == [["a", "b", "c"]]


@pytest.mark.parametrize("text", ["raise ValueError", "raise ValueError()"])
def test_an_error_without_words_is_found(text):
    assert len(list(structure.silent_raises(source_of(text)))) == 1


@pytest.mark.parametrize("text", ["raise ValueError('why')", "raise", "raise error"])
def test_an_error_with_words_or_passed_on_is_fine(text):
    assert not list(structure.silent_raises(source_of(text)))


def test_a_public_function_without_docstring_is_found():
    source = source_of('"""Module."""\ndef f():\n    pass\ndef _g():\n    pass\n')
    assert [node.name for node in structure.undocumented(source)] == ["f"]


def test_a_formula_needs_none_as_it_names_its_function():
    source = source_of('"""Module."""\n@table.slope(special.erf)\ndef erf(x):\n    return x\n')
    assert not list(structure.undocumented(source))


def test_lengths_count_from_def_to_the_last_line():
    source = source_of("def f():\n    a = 1\n\n    return a\n")
    assert [structure.length(f) for f in structure.functions(source)] == [4]


def test_the_package_was_found():
    assert Path(structure.PACKAGE / "__init__.py") in {s.path for s in SOURCES}
