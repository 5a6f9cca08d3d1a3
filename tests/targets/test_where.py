"""The page of what runs where says what runs."""

from __future__ import annotations

import re

import pytest

from tests.targets.where import PAGE, ROWS, columns, table


@pytest.mark.slow
def test_the_page_says_what_runs():
    said = table(PAGE.read_text(encoding="utf-8"))
    assert list(said) == list(ROWS)
    with columns() as found:
        for column in found:
            for row in ROWS:
                cell = re.sub(r"\[(SG\d+)\].*", r"\1", said[row][column.title])
                assert column.cell(row) == cell, (row, column.title)
