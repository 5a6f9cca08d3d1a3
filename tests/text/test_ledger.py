"""The texts of all programs of the corpus are those that the table knows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

from srcgrad.checker import witness
from tests.programs.corpus import Program
from tests.text import ledger


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> ledger.Table:
    """What the table says, written anew if that is wanted."""
    if request.config.getoption("--update-golden"):
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            patch.setenv(witness.VARIABLE, "0")
            warnings.simplefilter("ignore")
            ledger.write(ledger.current())
    return ledger.read()


@pytest.fixture(autouse=True)
def unchecked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave the texts unproven, which other tests see to, and let programs warn."""
    monkeypatch.setenv(witness.VARIABLE, "0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize(
    ("mode", "program"),
    [pytest.param(*case, id=f"{case[1].name}-{case[0]}") for case in ledger.cases()],
)
def test_the_text_is_the_one_in_the_table(mode: str, program: Program, table: ledger.Table) -> None:
    if program.name in table[mode]:  # a new program is added when the table is next written
        hint = f"read the {mode} text of {program.name}; then `pytest tests/text --update-golden`"
        assert ledger.entry(mode, program) == table[mode][program.name], hint


def test_the_table_has_most_programs(table: ledger.Table) -> None:
    names = {program.name for mode, program in ledger.cases() if mode == "reverse"}
    assert len(names & set(table["reverse"])) > 0.9 * len(names)
