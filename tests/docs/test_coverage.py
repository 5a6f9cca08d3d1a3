"""Checks that the page of programs by construct says what the corpus says."""

from __future__ import annotations

from tests.docs.constructs import constructs
from tests.docs.coverage import PAGE, page


def test_the_page_is_what_the_corpus_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run make pages"


def test_constructs_are_found() -> None:
    def sample(x, n=2, *rest):
        total = 0.0
        for i in range(n):
            if x[i] > 0:
                return total
            total += x[i]
        y = x[1:] if n > 1 else x
        y[0], y[1] = y[1], y[0]
        return total

    assert constructs(sample) == {
        "`*args`, `**kwargs` parameters",
        "`for` over `range`",
        "`if`",
        "`return` inside a loop",
        "augmented assignment of a name",
        "conditional expression",
        "default arguments",
        "tuple assignment, swap",
    }
