"""Printing and parsing are inverse: on every form of syntax, on random programs, on real files."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srcgrad.codegen.printer import to_source
from srcgrad.ir import gast
from tests.properties.syntax import NEWER, SNIPPETS


def dump(text: str) -> str:
    return ast.dump(ast.parse(text))


def assert_round_trip(text: str, width: int = 100) -> None:
    tree = ast.parse(text)
    expected = ast.dump(tree)
    assert dump(to_source(tree, width)) == expected
    assert dump(to_source(gast.ast_to_gast(tree), width)) == expected


@pytest.mark.parametrize("width", [100, 12])
@pytest.mark.parametrize("snippet", SNIPPETS)
def test_each_form_prints_to_what_parses_to_it(snippet: str, width: int) -> None:
    assert_round_trip(snippet, width)


@pytest.mark.parametrize(
    ("version", "snippet"), [(version, text) for version in NEWER for text in NEWER[version]]
)
def test_each_newer_form_prints_to_what_parses_to_it(
    version: tuple[int, int], snippet: str
) -> None:
    if sys.version_info < version:
        pytest.skip(f"syntax of Python {version[0]}.{version[1]}")
    assert_round_trip(snippet)
    assert_round_trip(snippet, 12)


# --- random programs ------------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "np", "grad_x", "long_name_of_a_variable"])
BINARY = st.sampled_from(["+", "-", "*", "/", "//", "%", "@", "**", "<<", ">>", "|", "&", "^"])
ANY = st.characters(exclude_categories=["Cs"])  # without `codec`, for which all are encoded first
TEXTS = st.text(ANY, max_size=6).filter(lambda text: "\0" not in text)


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return texts of expressions that hold smaller ones, each in parentheses."""

    def form(pattern: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(*parts).map(lambda values: pattern.format(*values))

    bound = st.one_of(st.just(""), inner.map(lambda text: f"({text})"))
    return st.one_of(
        form("({}) {} ({})", inner, BINARY, inner),
        form("{} ({})", st.sampled_from(["-", "+", "~", "not"]), inner),
        form("({}) and ({}) or ({})", inner, inner, inner),
        form("({}) {} ({}) == ({})", inner, st.sampled_from(["<", "in", "is not"]), inner, inner),
        form("({}) if ({}) else ({})", inner, inner, inner),
        form("lambda x, y=({}): ({})", inner, inner),
        form("({}).attribute", inner),
        form("({})(({}), *({}), key=({}), **({}))", *[inner] * 5),
        form("({})[({}):({}), ({})]", inner, inner, inner, inner),
        form("({})[{}:{}:{}]", inner, bound, bound, bound),
        form("({})[({})]", inner, inner),
        form("[({}), ({})]", inner, inner),
        form("(({}), ({}))", inner, inner),
        form("(({}),)", inner),
        form("{{({}): ({}), **({})}}", inner, inner, inner),
        form("{{({}), *({})}}", inner, inner),
        form("[({}) for x, y in ({}) if ({})]", inner, inner, inner),
        form("(({}) for x in ({}))", inner, inner),
        form("{{({}): ({}) for x in ({})}}", inner, inner, inner),
        form("(x := ({}))", inner),
    )


EXPRESSIONS = st.recursive(
    st.one_of(NAMES, st.integers(0, 10**6).map(str), st.floats(0).map(repr), TEXTS.map(repr)).map(
        lambda text: {"nan": "a", "inf": "1e309"}.get(text, text)
    ),
    grown,
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(EXPRESSIONS, st.sampled_from([100, 40, 10]))
def test_random_expressions_survive(text: str, width: int) -> None:
    assert_round_trip(f"result = {text}", width)


@settings(max_examples=60, deadline=None)
@given(st.lists(EXPRESSIONS, min_size=4, max_size=4), st.sampled_from([100, 30]))
def test_random_statements_survive(texts: list[str], width: int) -> None:
    a, b, c, d = texts
    program = (
        f"@({a})\ndef f(x: ({b}), y=({c})) -> ({d}):\n"
        f"    for i in ({a}):\n        x[({b})] += ({c})\n        del x[({d})]\n"
        f"    if ({a}):\n        return ({b})\n    elif ({c}):\n        raise ({d}) from ({a})\n"
        f"    with ({a}) as z, ({b}):\n        assert ({c}), ({d})\n"
        f"    while ({d}):\n        ({a})\n    return"
    )
    assert_round_trip(program, width)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(TEXTS, EXPRESSIONS.map(lambda text: ("code", text))), max_size=4))
def test_random_formatted_strings_survive(parts: list[object]) -> None:
    values: list[ast.expr] = []
    for part in parts:
        if isinstance(part, tuple):
            node = ast.parse(part[1], mode="eval").body
            if sys.version_info < (3, 12) and ("\\" in part[1] or part[1].count("'") > 2):
                continue  # not a program before PEP 701
            values.append(ast.FormattedValue(node, 114, None))
        elif part and not (values and isinstance(values[-1], ast.Constant)):
            values.append(ast.Constant(part))
    tree = ast.fix_missing_locations(ast.Expression(ast.JoinedStr(values)))
    assert ast.dump(ast.parse(to_source(tree), mode="eval")) == ast.dump(tree)


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(ANY), st.text("\"\\\n't ", max_size=8)))
def test_any_text_survives_as_docstring_and_as_constant(text: str) -> None:
    body = [ast.Expr(ast.Constant(text)), ast.Expr(ast.Constant(text))]
    tree = ast.fix_missing_locations(ast.Module(body, []))
    assert dump(to_source(tree)) == ast.dump(tree)


# --- real programs --------------------------------------------------------------------------------

LIBRARY = Path(ast.__file__).parent
FILES = [*sorted(LIBRARY.glob("*.py"))[::5], *sorted(LIBRARY.glob("*/*.py"))[::25]]


@pytest.mark.slow
@pytest.mark.parametrize("width", [100, 30])
def test_files_of_the_standard_library_survive(width: int) -> None:
    files = FILES if width == 100 else FILES[::6]
    printed = 0
    for path in files:
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue  # files that are wrong on purpose
        assert dump(to_source(tree, width)) == ast.dump(tree), path
        printed += 1
    assert printed > len(files) * 0.9
