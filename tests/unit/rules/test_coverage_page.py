"""The page of functions with a derivative says what the specs check."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from tests.unit.rules.coverage_page import MISSING, PAGE, differentiated, page

WRITE = "run make pages"


def before_the_versions(text: str) -> str:
    return text.split("## Not differentiated", maxsplit=1)[0]


def test_the_page_lists_every_rule_with_its_arguments() -> None:
    shown = before_the_versions(PAGE.read_text(encoding="utf-8"))
    assert shown == before_the_versions(page()), WRITE


def test_the_page_lists_what_these_versions_have_without_a_rule() -> None:
    text = PAGE.read_text(encoding="utf-8")
    if MISSING.format(numpy=np.__version__, scipy=scipy.__version__) not in text:
        pytest.skip("the page was written with other versions of NumPy or SciPy")
    assert text == page(), WRITE


def test_arguments_are_those_of_the_specs() -> None:
    found = differentiated()
    assert found["numpy"]["add"] == ["x", "y"]
    assert set(found["numpy"]["interp"]) >= {"x", "fp"}
    assert found["scipy.special"]["jv"] == ["z"]
    assert found["scipy.stats"]["norm.logpdf"] == ["x", "loc", "scale"]
