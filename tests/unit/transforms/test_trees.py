"""What transforms read off trees, where hardly any program has such trees."""

from __future__ import annotations

from typing import Any

import pytest

from srcgrad.analyses.affine import Affine, affine_of, number, variable
from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.selectors import Mask
from srcgrad.analyses.shapes import Shapes
from srcgrad.compiler.doctesting import parse, program_of, text
from srcgrad.ir import gast
from srcgrad.ir.names import Namer
from srcgrad.runtime.stacks import CannotStackError
from srcgrad.transforms import rule_forms
from srcgrad.transforms.externals import Externals
from srcgrad.transforms.folding import UNKNOWN, Folder, literal
from srcgrad.transforms.parts_read import parts_read
from srcgrad.transforms.reverse_surgery import _hands_out, _writes_into
from srcgrad.transforms.rule_sources import NotInlinableError, bind
from srcgrad.transforms.rule_trees import last_return, matched
from srcgrad.transforms.runtime_calls import is_sequence_call
from srcgrad.transforms.spreading import spread_by_axes
from srcgrad.transforms.stacking import take_stacks


def expression(source: str) -> Any:
    return gast.parse(source, mode="eval").body


def said(node: Any) -> str:
    return text([gast.Expr(node)])


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("s = both[1]\nu, v = both", {0, 1}),
        ("s = both[1]\nt = other[0]", {1}),
        ("s = both[0] + both[2]", {0, 2}),
        ("u, w = both", {0}),
        ("u, v = both, both[0]", set()),
        ("u, *v = both", set()),
        ("u.a, w = both", set()),
        ("s = both[0] + f(both)", set()),
        ("s = both[-1]", set()),
        ("s = both[i]", set()),
        ("s = both[True]", set()),
        ("s = other[0]", set()),
    ],
)
def test_parts_of_a_tuple_that_are_read(source: str, wanted: set[int]) -> None:
    def is_active(item: Any) -> bool:
        return isinstance(item, gast.Name) and item.id in "stuv"

    assert parts_read(parse(source), "both", is_active) == wanted


@pytest.mark.parametrize(
    ("source", "wanted"),
    [("-2", -2), ("-2.5", -2.5), ("-'a'", UNKNOWN), ("-x", UNKNOWN), ("[1, -x]", UNKNOWN)],
)
def test_the_value_of_a_literal(source: str, wanted: Any) -> None:
    assert literal(expression(source)) == wanted


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("not x", None),
        ("not 0", True),
        ("not (1 < 2)", False),
        ("1 < 'a'", None),
        ("1 < x", None),
        ("2 > 1", True),
        ("0 or x", None),
        ("0 and x", False),
    ],
)
def test_what_a_test_comes_to(source: str, wanted: bool | None) -> None:
    folder = Folder(lambda func: None, lambda node: None)
    assert folder.test(expression(source)) is wanted


RULE = "def forward(ctx, x, by=2, *, how=3):\n    pass"
LISTED = "def forward(ctx, x, *rest):\n    pass"


def bound(tree: str, args: str, **named: str) -> list[str]:
    given = [expression(item) for item in args.split()]
    keywords = {key: expression(item) for key, item in named.items()}
    (function,) = parse(tree)
    ordered, env = bind(function, given, keywords)
    assert {said(item) for item in ordered} <= {said(item) for item in env.values()} | {"b", "c"}
    return [said(item) for item in ordered]


def test_operands_are_bound_to_the_parameters_of_a_rule() -> None:
    assert bound(RULE, "a") == ["a", "2", "3"]
    assert bound(RULE, "a b", how="h") == ["a", "b", "h"]
    assert bound(RULE, "", by="b", x="a") == ["a", "b", "3"]
    assert bound(LISTED, "a b c") == ["a", "b", "c"]
    for args, named in (("a b c", {}), ("a", {"other": "b"}), ("a", {"x": "b"}), ("", {"by": "b"})):
        with pytest.raises(NotInlinableError):
            bound(RULE, args, **named)


def test_targets_are_matched_with_as_many_items() -> None:
    target = expression("(a, b)").elts
    assert [(said(a), said(b)) for a, b in matched(target, expression("(x, y)").elts)] == [
        ("a", "x"),
        ("b", "y"),
    ]
    with pytest.raises(NotInlinableError):
        matched(target, expression("(x, y, z)").elts)


def test_the_last_return_of_a_function_is_that_which_stands_last() -> None:
    (both, none) = parse("def f(x):\n    return x\n    return y\ndef g(x):\n    x")
    assert said(last_return(both)) == "y"
    assert last_return(none) is None


def test_of_too_many_forms_all_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_forms, "_MOST", 2)
    forms: dict[Any, Any] = {}
    for key in "abc":
        rule_forms.keep(forms, (key,), key)
    assert forms == {("c",): "c"}


def test_a_call_of_a_function_that_is_not_ours_gives_no_sequence() -> None:
    assert is_sequence_call(expression("multi_dot_back(g, arrays)"))
    assert not is_sequence_call(expression("no_such_helper(g)"))
    assert not is_sequence_call(expression("np.sum(g)"))


def test_sums_of_variables() -> None:
    assert (variable("i") + number(2)).times(0) == Affine()
    assert affine_of(expression("-(i + 1)"), variable) == Affine({"i": -1}, -1)
    assert affine_of(expression("-i"), lambda name: None) is None
    assert affine_of(expression("-x.y"), variable) is None


def test_masks_are_the_same_where_their_conditions_are() -> None:
    mask = Mask(expression("a < b"))
    assert mask == Mask(expression("a < b"))
    assert mask != Mask(expression("a < c"))
    assert mask != Mask(expression("a < b"), holds=False)
    assert mask != "a < b"
    assert said(mask.of_number(expression("g"))) == "g if a < b else 0.0"
    other = Mask(expression("a < b"), holds=False)
    assert said(other.of_number(expression("g"))) == "g if not a < b else 0.0"
    assert said(other.of(expression("g"))) == "np.where(a < b, 0.0, g)"


@pytest.mark.parametrize(
    ("source", "given", "wanted"),
    [
        ("expand_sum(g, np.shape(total), 0, False)", None, "np.broadcast_to(g, np.shape(total))"),
        (
            "expand_sum(g, np.shape(total), 1, False)",
            None,
            "np.broadcast_to(g[:, None], np.shape(total))",
        ),
        ("expand_sum(g, np.shape(total), 1, True)", None, "np.broadcast_to(g, np.shape(total))"),
        ("expand_sum(g, np.shape(total), 1, False)", (), "np.broadcast_to(g, np.shape(total))"),
        (
            "expand_mean(g, np.shape(total), 0, False)",
            None,
            "np.broadcast_to(g / np.shape(total)[0], np.shape(total))",
        ),
        *[
            (source, None, source)
            for source in (
                "expand_sum(g, np.shape(total), 2, False)",
                "expand_sum(g, np.shape(total), (0, -2), False)",
                "expand_sum(g, np.shape(total), n, False)",
                "expand_sum(g, np.shape(total), 0, keeps)",
                "expand_sum(g, np.shape(unknown), 0, False)",
                "expand_mean(g, np.shape(total), (0, 1), False)",
                "expand_sum(g, np.shape(total), 0)",
                "other(g, np.shape(total), 0, False)",
            )
        ],
        (
            "expand_sum(g, np.shape(total), 0, False)",
            (1, 1),
            "expand_sum(g, np.shape(total), 0, False)",
        ),
    ],
)
def test_what_is_spread_over_axes(source: str, given: Any, wanted: str) -> None:
    program = program_of("def f(w, b, x):\n    return np.sum(np.sin(x @ w + b), axis=0)", "w", "b")
    integers = Integers(program)
    dimensions = Dimensions(program, integers, Shapes(program, integers), assume=True)
    assert said(spread_by_axes(expression(source), dimensions, given)) == wanted


def stacked(source: str, *, parameters: tuple[str, ...] = ("x", "g")) -> str:
    body = parse(source)
    defined = ({"other_grad"}, set[str]())
    take_stacks(body, parameters, ["g"], defined, Externals(Namer(set())))
    return text(body)


def test_functions_that_know_no_stacks_are_called_by_rows() -> None:
    assert stacked("y = helper(x, g)") == "y = by_rows(helper, x, g)"
    assert stacked("y = helper(x)") == "y = helper(x)"
    assert stacked("y = other_grad(x, g)") == "y = other_grad(x, g)"
    assert stacked("y = np.sin(g)\ny.append(g)") == "y = np.sin(g)\ny.append(g)"


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("y = helper(other_grad, g)", "a function that takes a derivative"),
        ("y = x.dot(g)", "a method"),
        ("y = helper(*g)", "a call with stars"),
        ("y = helper(**g)", "a call with stars"),
        ("y = np.array(g, **x)", "a call with stars"),
        ("helper(g)", "a call for its effect"),
        ("by_rows = 1\ny = helper(g)", "a name of ours"),
    ],
)
def test_what_cannot_be_said_for_a_stack_is_refused(source: str, what: str) -> None:
    with pytest.raises(CannotStackError, match=what):
        stacked(source)


@pytest.mark.parametrize(
    ("source", "writes", "hands_out"),
    [
        ("g *= 2", True, False),
        ("g[0] = 1", True, False),
        ("if c: g[1:] = 0", True, False),
        ("g.real[0] += 1", True, False),
        ("y[0] = g * 2", False, False),
        ("z[0][1] = 2", False, False),
        ("y += g", False, False),
        ("np.multiply(g, 2, out=g)", True, True),
        ("np.copyto(g, y)", True, True),
        ("np.add.at(g, 0, 1.0)", True, True),
        ("np.sin(g)", False, False),
        ("g.fill(0)", True, True),
        ("g.sum()", False, False),
        ("print(np.sum(g))", False, False),
        ("f(g)", True, True),
        ("f(y)", False, False),
        ("f(y, k=g)", True, True),
        ("f(y, k=z)", False, False),
        ("y.append(g)", True, True),
        ("h = g", False, True),
        ("h = g[0]", False, True),
        ("h = g.T", False, True),
        ("h = g + 1", False, False),
        ("h = g.T; h[0] = 1", True, True),
        ("h = g.T; h *= 2", True, True),
        ("n += 1", False, False),
        ("h, k = g, 1; h[0] += 1", True, True),
        ("for h in [g]: h[0] = 1", True, False),
        ("h = np.ravel(g); h[0] = 1", True, False),
        ("box[0] = g; box[0][1] = 1", True, True),
    ],
)
def test_what_a_block_may_do_to_an_adjoint(source: str, writes: bool, hands_out: bool) -> None:
    body = parse(source)
    assert (_writes_into(body, "g"), _hands_out(body, "g")) == (writes, hands_out)
