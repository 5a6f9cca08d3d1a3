"""Checks second and third derivatives of programs, in every order of the two modes.

Of all programs one in sixteen is taken, so that the suite stays quick; a refusal is no failure.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api.pushforward import Tangents
from tests.differences import assert_same, copied, numerical_gradient
from tests.programs.corpus import Program, programs_by, sample
from tests.programs.test_forward import dot, drawn, moved

ALL = [p for p in programs_by("source").values() if not p.warns]
ALWAYS = [  # whose adjoints are lists, complex, kept under other names, or of unknown kind
    "aliases.view_in_a_tuple_beside_its_base_written",
    "collisions.a_copy_of_an_array_that_might_be_a_dict",
    "containers.nested_container_read_twice",
    "counterexamples.list_of_a_helper_made_an_array",
    "dicts.zipped_with_keys_of_an_argument",
    "exceptions.default_kept_where_the_body_fails",
    "layouts.spectrum_written_in_part",
    "layouts.written_after_a_change_of_type",
    "lists.list_beside_a_number_of_a_helper_made_an_array",
    "lists.two_names_of_a_copy",
    "number_tables.sums_of_rows_in_two_entries",
    "numbers_of_kinds.lines_by_ranges",
    "scipy_interpolators.values_on_a_grid",
    "unpacking.linked_tuples_that_end_in_an_empty_one",
    "views.greatest_so_far",
]
CHOSEN = [
    *sample((p for p in ALL if p.name not in ALWAYS), 36),
    *(p for p in ALL if p.name in ALWAYS),
]
some_programs = pytest.mark.parametrize("program", CHOSEN, ids=lambda p: p.name)
few_programs = pytest.mark.parametrize("program", sample(ALL, 52), ids=lambda p: p.name)


class Orders:
    """The second derivatives of one program, between two directions."""

    def __init__(self, program: Program) -> None:
        self.args, self.along = _whole(program, *drawn(program, 0))
        _, self.other = _whole(program, *drawn(program, 5))
        self.nums = program.argnums
        self.gradient = sg.grad(program.function, self.nums, fallback="error")
        parameters = list(inspect.signature(program.function).parameters)
        self.names = tuple(parameters[i] for i in self.nums)
        self.program = program

    def chosen(self, tangents: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the tangents of the arguments that are differentiated."""
        return tuple(copied(tangents[i]) for i in self.nums)

    def push(self, function: Any) -> Callable[..., Any]:
        """Return the generated tangent function of a function, as a function of its own."""
        return Tangents(function, self.names).general_plan().function

    def differences(self) -> Any:
        """Return the derivative of the gradient along `along`, against `other`."""
        h = 1e-4

        def at(step: float) -> Any:
            pairs = zip(self.args, self.along, strict=True)
            ends = tuple(copied(a) if t is None else moved(a, t, step) for a, t in pairs)
            return dot(self.gradient(*ends), self.chosen(self.other))

        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)

    def forward_over_reverse(self) -> Any:
        """Return the tangent of the gradient."""
        _, tangent = sg.jvp(self.gradient, copied(self.args), self.along)
        return dot(tangent, self.chosen(self.other))

    def reverse_over_reverse(self) -> Any:
        """Return what the pullback of the gradient gives."""
        _, pull = sg.vjp(self.gradient, *copied(self.args))
        pulled = pull(self.chosen(self.other))
        return dot(tuple(pulled[i] for i in self.nums), self.chosen(self.along))

    def reverse_over_forward(self) -> Any:
        """Return what the pullback of the tangent function gives."""
        push = self.push(self.program.function)
        value, pull = sg.vjp(push, *copied(self.args), *self.chosen(self.along))
        pulled = pull((np.zeros_like(value[0]), np.ones_like(value[1])))
        return dot(tuple(pulled[i] for i in self.nums), self.chosen(self.other))

    def forward_over_forward(self) -> Any:
        """Return the tangent of the tangent."""
        push = self.push(self.program.function)
        held = [None] * len(self.nums)
        primals = (*copied(self.args), *self.chosen(self.along))
        _, (_, second) = sg.jvp(push, primals, (*self.other, *held))
        return second


def _whole(program: Program, args: Any, tangents: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return arguments and tangents with the parameters' defaults, which tangents follow."""
    left = list(inspect.signature(program.function).parameters.values())[len(args) :]
    defaults = tuple(item.default for item in left if item.default is not item.empty)
    return (*args, *defaults), (*tangents, *(None for _ in defaults))


def by_source(take: Callable[[], Any]) -> Any:
    """Return a derivative, or None if it is refused by source."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", sg.FallbackWarning)
        try:
            return take()
        except (sg.SrcgradError, sg.FallbackWarning):
            return None


@some_programs
def test_second_derivatives_agree_in_every_order_of_modes(program: Program) -> None:
    orders = Orders(program)
    expected = by_source(orders.differences)
    modes = (
        *(orders.forward_over_reverse, orders.reverse_over_reverse),
        *(orders.reverse_over_forward, orders.forward_over_forward),
    )
    found = {mode.__name__: by_source(mode) for mode in modes}
    taken = {name: value for name, value in found.items() if value is not None}
    if not taken:
        pytest.skip("refused in every order of modes")
    for name, value in taken.items():
        np.testing.assert_allclose(value, expected, rtol=2e-5, atol=1e-6, err_msg=name)
    values = np.array(list(taken.values()))
    np.testing.assert_allclose(values, values[0], rtol=1e-8, atol=1e-9)


TWICE = (
    *("basics.axis_reductions", "basics.call_two_results", "basics.dict_parameters"),
    *(
        "basics.while_counter",
        "comprehensions.array_of_nested_lists",
        "exits.return_from_a_while_in_a_for",
    ),
    *("containers.dict_by_a_key_in_a_variable", "selection.bounded_both_ways"),
    *("mutation.mask_stored", "objects.inheritance_and_super", "realistic.attention"),
    "exceptions.scaled_by_roots_or_moved",
    "exceptions.entries_by_literal_keys_that_may_be_missing",
)
"""Programs whose gradients share, gather and add adjoints up in as many ways as there are."""


@pytest.mark.parametrize("name", TWICE)
def test_gradients_that_gather_adjoints_are_differentiated_by_source(name: str) -> None:
    orders = Orders(programs_by("source")[name])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error", sg.FallbackWarning)
        found = orders.forward_over_reverse(), orders.reverse_over_reverse()
    np.testing.assert_allclose(found, orders.differences(), rtol=2e-5, atol=1e-6)


def test_parameters_called_like_functions_of_ours_have_second_derivatives() -> None:
    def f(numbers: Any, sign: Any) -> Any:
        return np.sum(numbers**3) * sign

    def same(a: Any, b: Any) -> Any:
        return np.sum(a**3) * b

    given, along = (np.array([1.0, 2.0]), 2.0), (np.array([0.5, -1.0]), 3.0)
    for take in (
        lambda g: sg.hvp(g, given, along),
        lambda g: sg.hessian(g, (0, 1))(*given),
        lambda g: sg.vjp(sg.grad(g, (0, 1)), *given)[1](along),
        lambda g: sg.jvp(sg.hessian(g), given, along)[1],
    ):
        assert_same(take(f), take(same), 1e-14)


def test_an_array_that_the_last_trip_binds_has_derivatives() -> None:
    def f(x: Any) -> Any:
        n = 0
        while True:
            y = np.sin(x) * 1.3
            n += 1
            if n > 2:
                out = y
                break
            x = y
        return np.sum(out * np.cos(out))

    x = np.array([0.4, -0.9])
    assert_same(sg.grad(f, fallback="error")(x), numerical_gradient(f, (x,), 0))


@few_programs
def test_third_derivatives_agree_with_differences(program: Program) -> None:
    orders = Orders(program)
    push = by_source(lambda: orders.push(orders.gradient))
    if push is None:
        pytest.skip("refused by source")

    def third() -> Any:
        held = [None] * len(orders.nums)
        primals = (*copied(orders.args), *orders.chosen(orders.along))
        _, (_, tangent) = sg.jvp(push, primals, (*orders.other, *held))
        return tangent

    def second(step: float) -> Any:
        pairs = zip(orders.args, orders.other, strict=True)
        ends = tuple(copied(a) if t is None else moved(a, t, step) for a, t in pairs)
        return sg.jvp(orders.gradient, ends, orders.along)[1]

    found = by_source(third)
    if found is None:
        pytest.skip("refused by source")
    found = found if len(orders.nums) > 1 else (found,)
    weights = orders.chosen(orders.along)
    h = 1e-4
    near = dot(second(h), weights) - dot(second(-h), weights)
    far = dot(second(2 * h), weights) - dot(second(-2 * h), weights)
    expected = (8 * near - far) / (12 * h)
    np.testing.assert_allclose(dot(found, weights), expected, rtol=5e-5, atol=1e-5)
