"""Lines that are too long: where they are broken, and that ruff would break them there too."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.util import find_spec

import pytest

from srcgrad.codegen.printer import to_source

WRAPPED = """
import numpy as np
from some.package import (
    first_name,
    second_name as other,
)

total = (
    first_term
    + second_term * third
    - fourth_term
)
total = first_term + np.sum(
    second_term, axis=0
)
value = first_value * function(
    name_of_a_rather_long_argument_n,
    second,
)
value = (
    first_condition
    | second_conditions
) & name_of_mask
grad_x += (
    grad_y * np.cos(x) * weights
    + grad_z
)
grad_x = (
    grad_y
    * np.cos(x)
    * weights
    * np.sin(x)
    * other
)
y = np.einsum(
    "ij,jk->ik", first, second
)
y = np.concatenate(
    [first, second, third, four]
)
y = np.concatenate(
    [
        first_array,
        second_array,
        third_array,
    ],
    axis=0,
    out=some_output_array,
)
x = first.reshape(-1).sum(
    axis=first_axis, keepdims=True
)
x = table[
    first_index, 1:, None, ...
]
pairs = {
    "first": np.zeros(3),
    "second": np.ones(3),
}
chosen = (
    first_long_value
    if condition_holds
    else second_long_value
)
values = [
    element * 2 for element in items
]
values = {
    name: element * 2
    for name, element in items
    if element
}
first, second = (
    first_function_of_a_module
)
result = not (
    first_condition or second_one
)
function = lambda x: first_function(
    x, second
)


def function_with_many_parameters(
    x, y: int = 1, *, key=None
) -> float:
    if (
        first_condition
        and second_condition
        or not third
    ):
        return (
            first_value,
            second_value,
            third_value,
        )
    while self.method in (
        first_method,
        second_method,
    ):
        pass
    for name, value in zip(
        first_list, second_list
    ):
        assert name, (
            "a message of words"
        )
    with np.errstate(
        all="ignore", over="raise"
    ) as state:
        raise SomeKindOfError(
            "a message", name
        ) from error
    return function(
        *positional_arguments,
        key=first_operand
        + second_operand,
        **keyword_arguments,
    )


class NameOfTheClass(
    FirstBase, metaclass=Metaclass
):
    pass


with (
    first_context() as first,
    second_context() as second,
):
    pass
"""


def test_long_lines_are_broken_at_brackets_then_commas_then_operators():
    text = WRAPPED.lstrip("\n")
    assert to_source(ast.parse(text), 36) == text


@pytest.mark.skipif(find_spec("ruff") is None, reason="ruff is not installed")
def test_ruff_has_nothing_to_change():
    text = WRAPPED.lstrip("\n")
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "36", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert done.stdout == text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("x = a_name_that_is_much_too_long_to_be_broken_anywhere", 1),
        ("import a_module_name_that_is_too_long, another_module_name", 1),
        ("x = 'a text that is much longer than the line may ever be'", 1),
        ("del first_name_to_delete, second_name_to_delete, third", 1),
        ("x[first_index:second_index_of_a_slice_that_is_too_long]", 1),
        ("call()", 1),
    ],
)
def test_what_cannot_be_broken_stays_on_its_line(text, lines):
    printed = to_source(ast.parse(text), 30)
    assert len(printed.splitlines()) == lines
    assert ast.dump(ast.parse(printed)) == ast.dump(ast.parse(text))


def test_parentheses_are_added_where_only_they_make_the_lines_fit():
    text = "value = (first_condition | second) & function_name(third_condition, fourth)"
    printed = to_source(ast.parse(text), 36)
    assert max(map(len, printed.splitlines())) <= 36
    assert ast.dump(ast.parse(printed)) == ast.dump(ast.parse(text))


ADJOINT = """
def adjoint(x, weights, bias, saved_values, grad_output, *, learning_rate=0.1, momentum=None):
    grad_hidden = (np.matmul(grad_output, np.transpose(weights)) * (1 - hidden * hidden)
        + np.sum(saved_values[1:, None] * bias[:-1], axis=(0, 1)) - learning_rate * momentum)
    if (grad_hidden.shape[0] > weights.shape[1] and (bias is not None or momentum)
            and saved_values):
        return {"weights": unbroadcast(grad_hidden * x, weights),
            "bias": [value + 1 for value in saved_values if value]}
    result[index_of_row, 1:][saved_values[0]] = compute(
        lambda value, other: value * other + bias * momentum, x)
    return (unbroadcast(grad_hidden * np.where(x > 0, x, -x) ** (momentum - 1), x),
        (grad_output / (x + bias), None))
"""


@pytest.mark.parametrize("width", [40, 60, 79, 100])
def test_no_line_is_longer_than_it_must_be(width):
    printed = to_source(ast.parse(ADJOINT), width)
    assert ast.dump(ast.parse(printed)) == ast.dump(ast.parse(ADJOINT))
    assert max(map(len, printed.splitlines())) <= max(width, 60)
