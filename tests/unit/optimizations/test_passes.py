"""What passes that shorten texts make of small texts, and what they leave as it is."""

from __future__ import annotations

import pytest

from srcgrad.compiler.doctesting import parse, text
from srcgrad.optimizations.read_originals import read_originals

READ_ORIGINALS = {
    "copies that nobody reads go": ("a = b\nc = b", "c = b"),
    "of names of the user's stay": ("x = b\nc = x", "x = b\nc = x"),
    "what is bound twice stays": ("a = b\na = b\nc = a", "a = b\na = b\nc = a"),
    "the first name is read": ("a = b\nc = a + a", "c = b + b"),
    "not after it changes": ("a = b\nb = 2\nc = a", "a = b\nb = 2\nc = a"),
    "in what changes it": ("a = b\nb = a + 1", "b = b + 1"),
    "not in an update of it": ("a = b\nb += a", "a = b\nb += a"),
    "of a copy of a copy": ("a = b\nc = a\nd = c", "d = b"),
    "in blocks": ("if k:\n    a = b\n    c = a", "if k:\n    c = b"),
    "not where a block changes it": (
        "a = b\nfor i in k:\n    b = i\nc = a",
        "a = b\nfor i in k:\n    b = i\nc = a",
    ),
}


@pytest.mark.parametrize("case", READ_ORIGINALS)
def test_values_are_read_under_their_first_names(case: str) -> None:
    before, after = READ_ORIGINALS[case]
    assert text(read_originals(parse(before), lambda name: name in "acd")) == after
