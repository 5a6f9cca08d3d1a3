"""What printed text looks like: parentheses, quotes, comments, empty lines, line numbers."""

from __future__ import annotations

import ast
from textwrap import dedent

import numpy as np
import pytest

from srcgrad.codegen.patterns import PatternPrinter
from srcgrad.codegen.printer import Printer, print_module, to_source
from srcgrad.errors import InternalError
from srcgrad.ir import gast
from srcgrad.ir.nodes import Blank, Comment


def expression(text):
    return gast.parse(text, mode="eval").body


def program(text):
    return gast.parse(dedent(text).lstrip("\n"))


@pytest.mark.parametrize(
    "text",
    [
        "a + b * c",
        "(a + b) * c",
        "a - (b - c)",
        "a * b / c @ d",
        "grad_y * (1 - h * h)",
        "-grad * np.sin(x)",
        "-(x**2)",
        "(-x) ** 2",
        "(-1) ** 2",
        "x**-1 + x.real**2.5 + f(x) ** 2 + x ** (1 / 2) + x ** -f(y)",
        "x[1:, None] * y[:-1]",
        "x[i - 1 : i + 1, ::2, : n + 1, f(i) :, -n:]",
        "x[a, (b, c)] + x[(a,)[0]] + x[...]",
        "not a and (b or c)",
        "a < b + 1 <= c",
        "(a if b else c) + d",
        "f(a if b else c, lambda x: x + 1, *args, key=a or b, **kwargs)",
        "sum(x for x in y)",
        "(await_ + 1).real",
        "(1).real",
        "{**a, 'b': (1, 2)}".replace("'", '"'),
        "[(a, b), (c,), ()]",
        "(y := f(x)) + y",
        "f(y := 1)",
    ],
)
def test_only_needed_parentheses_are_printed(text):
    assert to_source(expression(text)) == text
    assert to_source(ast.parse(text, mode="eval")) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("it's", '"it\'s"'),
        ('say "x"', "'say \"x\"'"),
        ("'\"", '"\'\\""'),
        ("\\'", '"\\\\\'"'),
        (b"a'", 'b"a\'"'),
        (-1, "-1"),
        (1e16, "1e16"),
        (1e-07, "1e-07"),
        (float("inf"), "1e309"),
        (float("-inf"), "-1e309"),
        (float("nan"), 'float("nan")'),
        (2j, "2j"),
        (1 + 2j, "1.0 + 2j"),
        (1 - 2j, "1.0 - 2j"),
        (True, "True"),
        (None, "None"),
        (..., "..."),
        ((1, "a"), '(1, "a")'),
        ((1,), "(1,)"),
        (np.float64(1.5), "1.5"),
        (np.float32(0.5), "0.5"),
        (np.int64(-3), "-3"),
    ],
)
def test_constants_are_written_as_python_numbers_and_strings(value, text):
    assert to_source(gast.Constant(value, None)) == text


@pytest.mark.parametrize("value", [-1, -0.5, -1e309, np.int64(-1), 1 + 2j, -2j])
def test_a_negative_or_complex_constant_is_one_operand(value):
    power = gast.BinOp(gast.Constant(value, None), gast.Pow(), gast.Constant(2, None))
    assert eval(to_source(power)) == value**2
    attribute = gast.Attribute(gast.Constant(value, None), "real", gast.Load())
    assert eval(to_source(attribute)) == value.real


def test_a_constant_without_text_is_refused():
    with pytest.raises(InternalError, match="type object has no text"):
        to_source(gast.Constant(object(), None))


def test_an_integer_beyond_the_digit_limit_is_printed():
    value = 7**9000
    assert eval(to_source(gast.Constant(value, None))) == value


@pytest.mark.parametrize("symbol", ["+", "*", "@"])
def test_a_chain_of_a_thousand_operators_needs_no_recursion(symbol):
    text = "x = " + f" {symbol} ".join(["a"] * 1001)
    tree = ast.parse(text)
    assert to_source(tree, 10**6) == text + "\n"
    wrapped = to_source(tree)
    assert max(map(len, wrapped.splitlines())) <= 100
    assert "".join(wrapped.split()) == "".join(text.replace("= ", "=(").split()) + ")"


def test_a_tree_made_by_hand_without_optional_fields_is_printed():
    x = gast.Name("x", gast.Param(), None, None)
    arguments = gast.arguments([x], [], None, [], [], None, [])
    body = [gast.Return(gast.Constant(value=1))]
    function = gast.FunctionDef("f", arguments, body, [], None, None)
    assert to_source(function) == "def f(x):\n    return 1"


def test_a_list_of_statements_and_an_expression_have_no_line_end():
    tree = program("a = 1\nb = 2\n")
    assert to_source(tree.body) == "a = 1\nb = 2"
    assert to_source(tree.body[0]) == "a = 1"
    assert to_source(tree.body[0].value) == "1"
    assert to_source(tree) == "a = 1\nb = 2\n"


FORMATTED = '''
"""A module."""

import numpy as np
from math import pi

K = 3


@decorated(1)
def f(x, *, n: int = 2):
    """Return something.

    With "quotes" and a backslash: \\\\.
    """
    y = x

    def inner():
        return y

    if x:
        return 1
    elif n:
        return 2
    else:
        for i in range(n):
            y += i
        else:
            pass
    return inner


class A(B, metaclass=M):
    """Doc."""

    field = 1

    def method(self):
        pass

    # about the next
    async def other(self):
        await f"{self!r:>{K}}"


if K:

    def g():
        pass
else:
    g = None
match K:
    case [1, *rest] | {"a": rest} if rest:
        pass
    case Point(x=0) as p:
        pass
try:
    pass
except* (A, B) as e:
    raise e from None
finally:
    del K, f.x
'''


def with_comments(tree, text):
    """Put the comments of the text, which the parser drops, back into the tree."""
    method = tree.body[5].body
    method.insert(3, Comment("about the next"))
    assert "# about the next" in text
    return tree


def test_a_program_in_the_style_of_ruff_is_printed_as_it_is():
    text = FORMATTED.lstrip("\n")
    assert to_source(with_comments(gast.parse(text), text)) == text


# --- comments and empty lines ---------------------------------------------------------------------


def test_comments_stand_where_their_statements_stand():
    tree = program("def f(x):\n    y = x\n    return y\n")
    tree.body.insert(0, Comment("made by hand\n\nsecond"))
    tree.body[0:0] = [Blank(), Blank()]
    body = tree.body[-1].body
    body.insert(1, Comment("L2: y = x"))
    body.insert(1, Blank())
    assert to_source(tree) == (
        "# made by hand\n#\n# second\ndef f(x):\n    y = x\n\n    # L2: y = x\n    return y\n"
    )


@pytest.mark.parametrize("body", [[], [Comment("why")], [Blank()], [Comment("a"), Comment("b")]])
@pytest.mark.parametrize(
    "text",
    ["def f():\n 1", "class A:\n 1", "if a:\n 1", "while a:\n 1", "for a in b:\n 1", "with a:\n 1"],
)
def test_a_block_of_comments_only_gets_pass(text, body):
    tree = program(text)
    tree.body[0].body = body
    printed = to_source(tree)
    assert [type(node).__name__ for node in ast.parse(printed).body[0].body] == ["Pass"]
    assert printed.count("#") == sum(isinstance(node, Comment) for node in body)


def test_other_blocks_of_comments_only_get_pass():
    tree = program("try:\n 1\nexcept A:\n 2\nelse:\n 3\nfinally:\n 4\nif a:\n 1\nelse:\n 2")
    attempt, choice = tree.body
    attempt.body = attempt.handlers[0].body = attempt.orelse = [Comment("x")]
    attempt.finalbody = choice.orelse = [Comment("x")]
    parsed = ast.parse(to_source(tree)).body
    blocks = [parsed[0].body, parsed[0].handlers[0].body, parsed[0].orelse, parsed[0].finalbody]
    assert {type(block[0]).__name__ for block in [*blocks, parsed[1].orelse]} == {"Pass"}


def test_an_if_below_a_comment_is_no_elif():
    tree = program("if a:\n    b\nelif c:\n    d\n")
    assert to_source(tree) == "if a:\n    b\nelif c:\n    d\n"
    tree.body[0].orelse.insert(0, Comment("why"))
    assert to_source(tree) == "if a:\n    b\nelse:\n    # why\n    if c:\n        d\n"


def test_at_most_two_empty_lines_are_printed_in_a_row():
    blanks = [Blank() for _ in range(5)]
    first, second = program("a = 1\nif b:\n    c\n    d\n").body
    second.body[1:1] = blanks
    tree = gast.Module([first, *blanks, second, *blanks], [])
    assert to_source(tree) == "a = 1\n\n\nif b:\n    c\n\n    d\n"


def test_functions_at_the_top_are_two_lines_apart():
    tree = program("def f(): pass\ndef g(): pass\nx = 1\n")
    tree.body.insert(1, Comment("about g"))
    assert to_source(tree) == ("def f():\n    pass\n\n\n# about g\ndef g():\n    pass\n\n\nx = 1\n")


# --- line numbers ---------------------------------------------------------------------------------


def test_every_line_knows_its_statement():
    tree = program(
        """
        import numpy as np
        def f(x, n):
            '''Two
            lines.'''
            for i in range(n):
                x = x * i
            else:
                pass
            if x:
                y = 1
            elif n:
                y = np.some_function(x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x)
            return y
        """
    )
    tree.body[1].body.insert(1, Comment("no line"))
    printed = print_module(tree, 60)
    lines = printed.text.splitlines()
    assert len(printed.lines) == len(printed.statements) == len(lines)
    found = [(number, line.strip()) for number, line in zip(printed.lines, lines, strict=True)]
    expected = [
        (1, "import numpy as np"),
        (0, ""),
        (0, ""),
        (2, "def f(x, n):"),
        (3, '"""Two'),
        (3, 'lines."""'),
        (0, "# no line"),
        (5, "for i in range(n):"),
        (6, "x = x * i"),
        (5, "else:"),
        (8, "pass"),
        (9, "if x:"),
        (10, "y = 1"),
        (11, "elif n:"),
        (12, "y = np.some_function("),
    ]
    assert found[: len(expected)] == expected
    assert found[-2:] == [(12, ")"), (13, "return y")]
    assert {number for number, _ in found[len(expected) : -1]} == {12}
    assert printed.statements[8] is tree.body[1].body[2].body[0]


def test_lines_of_handlers_and_cases_are_known():
    tree = program(
        """
        try:
            a
        except B:
            c
        finally:
            d
        match x:
            case 1:
                y
        """
    )
    assert print_module(tree).lines == [1, 2, 3, 4, 1, 6, 7, 8, 9]


@pytest.mark.parametrize(("owner", "method"), [(Printer, "_Match"), (PatternPrinter, "_MatchOr")])
def test_syntax_that_has_no_method_yet_is_borrowed(monkeypatch, owner, method):
    text = "def f(x):\n    match x:\n        case 1 | 2:\n            return x\n"
    monkeypatch.delattr(owner, method)
    assert to_source(gast.parse(text)) == text
    assert to_source(ast.parse(text)) == text


def test_printing_is_deterministic_and_leaves_the_tree_alone():
    tree = gast.parse(FORMATTED)
    before = gast.dump(tree)
    assert to_source(tree) == to_source(tree) == to_source(gast.parse(FORMATTED))
    assert gast.dump(tree) == before
