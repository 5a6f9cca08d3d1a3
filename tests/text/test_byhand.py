"""Compares the texts of derivatives with gradients that were written by hand."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from tests.differences import assert_same
from tests.text.byhand import gradient_by_hand, statements, text_by_hand
from tests.text.golden import FILES, Golden
from tests.text.page import PAGE, written
from tests.text.test_golden import listed

MOST = 1.24
"""How many times as many statements the texts have, over the set; where it falls, this follows."""


@pytest.mark.parametrize("golden", FILES, ids=lambda golden: golden.name)
def test_the_gradient_by_hand_is_the_same(golden: Golden) -> None:
    args = golden.module().example(np.random.default_rng(0))
    ours = golden.gradient()(*copy.deepcopy(args))
    by_hand = gradient_by_hand(golden.name)(*copy.deepcopy(args))
    assert_same(listed(ours), listed(by_hand), 1e-9)


def test_the_texts_are_not_much_longer() -> None:
    ours = sum(statements(golden.text) for golden in FILES)
    by_hand = sum(statements(text_by_hand(golden.name)) for golden in FILES)
    assert ours / by_hand <= MOST


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == written(), "run `make pages`"
