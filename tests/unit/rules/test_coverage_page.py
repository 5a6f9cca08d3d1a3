"""The page of functions with a derivative says what the specs check."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import scipy

import srcgrad as sg
from tests.unit.rules.coverage_page import NAMES, PAGE, differentiated, page, public_names
from tests.unit.rules.opspec import numeric_gradient
from tests.unit.rules.public_names import BY_LANGUAGE, unlisted_modules

FLAGS = re.MULTILINE | re.DOTALL
WRITE = "run make pages"
NEW = "names that the page does not know: give them a rule or a reason, then run make pages"


def before_the_versions(text: str) -> str:
    return text.split("## All public names", maxsplit=1)[0]


def test_the_page_lists_every_rule_with_its_arguments() -> None:
    shown = before_the_versions(PAGE.read_text(encoding="utf-8"))
    assert shown == before_the_versions(page()), WRITE


def test_the_page_has_an_answer_for_every_public_name() -> None:
    text = PAGE.read_text(encoding="utf-8")
    if NAMES.format(numpy=np.__version__, scipy=scipy.__version__) in text:
        assert text == page(), WRITE
    new = []
    for module, names in public_names().items():
        section = re.search(rf"^### {re.escape(module)}: not yet$(.*?)(^#|\Z)", text, FLAGS)
        known = set(re.findall(r"`([^`]+)`", section[1])) if section else set()
        new += [f"{module}.{name}" for name in names["not yet"] if name not in known]
    assert not new, NEW


def test_every_public_module_is_looked_at() -> None:
    assert not unlisted_modules()


def test_arguments_are_those_of_the_specs() -> None:
    found = differentiated()
    assert found["numpy"]["add"] == ["x", "y"]
    assert set(found["numpy"]["interp"]) >= {"x", "fp"}
    assert set(found["scipy.special"]["jv"]) == {"v", "z"}
    assert found["scipy.stats"]["norm.logpdf"] == ["x", "loc", "scale"]


def copyto(x: Any) -> Any:
    y = np.zeros_like(x)
    np.copyto(y, x * x)
    return np.sum(y)


def fill_diagonal(x: Any) -> Any:
    y = x * x
    np.fill_diagonal(y, x[0, 1])
    return np.sum(y)


def place(x: Any) -> Any:
    y = x * x
    np.place(y, y > 0.5, x[1, :2])
    return np.sum(y)


def put(x: Any) -> Any:
    y = x * x
    np.put(y, [0, 1], x[1, :2])
    return np.sum(y)


def putmask(x: Any) -> Any:
    y = x * x
    np.putmask(y, y > 0.5, x)
    return np.sum(y)


WRITERS = [copyto, fill_diagonal, place, put, putmask]


@pytest.mark.parametrize("program", WRITERS, ids=lambda program: program.__name__)
def test_what_the_page_says_of_functions_that_write_is_so(program: Any) -> None:
    x = np.random.default_rng(0).uniform(0.2, 0.9, (3, 3))
    found = sg.grad(program, fallback="error")(x)
    np.testing.assert_allclose(found, numeric_gradient(program, x), rtol=1e-6, atol=1e-8)


def test_every_function_that_writes_has_a_program_here() -> None:
    assert {f"numpy.{program.__name__}" for program in WRITERS} == BY_LANGUAGE
