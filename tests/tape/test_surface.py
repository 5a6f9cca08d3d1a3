"""All that tensors answer to does what the table says, and has the gradient of differences."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Final

import pytest

from tests.tape import surface
from tests.text import ledger

FILE: Final = Path(__file__).with_name("surface.txt")
SHARE: Final = 1 if ledger.EVERY else 32
NAMES: Final = sorted(surface.calls())
some_names = pytest.mark.parametrize(
    "name", [name for name in NAMES if zlib.crc32(name.encode()) % SHARE == 0]
)


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> dict[str, str]:
    """What the table says, written anew if that is wanted."""
    if request.config.getoption("--update-golden"):
        lines = [f"{name} {ledger.hashed(surface.told(name))}\n" for name in NAMES]
        FILE.write_text("".join(lines), encoding="utf-8")
    return dict(line.split() for line in FILE.read_text(encoding="utf-8").splitlines())


@some_names
def test_a_name_does_what_the_table_says(name: str, table: dict[str, str]) -> None:
    hint = f"read `surface.told({name!r})`; then `pytest {__file__} --update-golden`"
    assert ledger.hashed(surface.told(name)) == table.get(name), hint


@some_names
def test_what_has_a_gradient_has_that_of_differences(name: str) -> None:
    assert surface.wrong_slopes(name) == []


def test_what_is_told_has_values_graphs_gradients_and_errors() -> None:
    lines = dict(line.split(": ", 1) for line in surface.told("tape.mul").splitlines())
    assert lines["v v"].count("ndarray float64 (3,)") >= 3
    assert "MulBackward0#0" in lines["v v"]
    assert lines["v text"].startswith("UFuncTypeError")
    assert len(lines) == len(surface.WAYS)


def test_the_table_has_all_names(table: dict[str, str]) -> None:
    assert set(table) == set(NAMES)
