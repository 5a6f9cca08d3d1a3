"""Tests that colours tell the entries of every pattern apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from srcgrad.api.colouring import colour_columns, colour_star, count_colours
from srcgrad.api.sparsity import Pattern


def random_pattern(seed, shape):
    rng = np.random.default_rng(seed)
    return rng.random(shape) < rng.uniform(0.0, 0.5)


@pytest.mark.parametrize("seed", range(40))
def test_columns_of_a_colour_have_no_row_in_common(seed):
    matrix = random_pattern(seed, (7, 9))
    colours = colour_columns(Pattern.of(matrix))
    for one, other in itertools.combinations(range(9), 2):
        if colours[one] == colours[other]:
            assert not np.any(matrix[:, one] & matrix[:, other])
    assert count_colours(colours) >= matrix.sum(axis=1).max()


@pytest.mark.parametrize("seed", range(40))
def test_two_colours_of_a_star_colouring_are_on_no_path_of_four(seed):
    matrix = random_pattern(seed, (9, 9))
    matrix |= matrix.T
    colours = colour_star(Pattern.of(matrix))
    for path in itertools.permutations(range(9), 4):
        if all(matrix[one, other] for one, other in itertools.pairwise(path)):
            assert len(set(colours[list(path)])) > 2
    for one, other in itertools.combinations(range(9), 2):
        assert not matrix[one, other] or colours[one] != colours[other]


def test_bands_and_arrows_take_few_colours():
    band = np.abs(np.subtract.outer(np.arange(50), np.arange(50))) <= 2
    arrow = np.eye(50, dtype=bool)
    arrow[0] = arrow[:, 0] = True
    assert count_colours(colour_columns(Pattern.of(band))) == 5
    assert count_colours(colour_columns(Pattern.of(arrow))) == 50
    assert count_colours(colour_star(Pattern.of(arrow))) == 2


def test_a_matrix_without_columns_has_no_colours():
    assert count_colours(colour_columns(Pattern.of(np.zeros((3, 0))))) == 0
    assert count_colours(colour_star(Pattern.of(np.zeros((0, 0))))) == 0


def test_patterns_are_joined_and_turned():
    one, other = random_pattern(1, (4, 6)), random_pattern(2, (4, 6))
    joined = Pattern.of(one) | Pattern.of(other)
    rows, columns = np.nonzero(one | other)
    np.testing.assert_array_equal(joined.rows, rows)
    np.testing.assert_array_equal(joined.columns, columns)
    np.testing.assert_array_equal(joined.transposed.rows, np.nonzero((one | other).T)[0])
