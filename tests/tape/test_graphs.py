"""The graphs of all programs are those that the table knows, by a hash of what `graphs` tells."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Final

import pytest

from tests.programs.corpus import Program, programs_by, sample
from tests.tape.graphs import graph_of
from tests.text import ledger

FILE: Final = Path(__file__).with_name("graphs.txt")
SHARE: Final = 1 if ledger.EVERY else 4
PROGRAMS: Final = programs_by("source", "tape").values()


def entry(program: Program) -> str:
    """Return what the table says of a program: of its graph, or of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ledger.shown(graph_of(program.function, program.arguments(3), program.argnums))
        except Exception as error:  # noqa: BLE001 - which one it is, is what is compared
            said = ledger.IN_ERRORS.sub("", str(error))
            return f"{type(error).__name__}:{ledger.hashed(said)}"


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> dict[str, str]:
    """What the table says, written anew if that is wanted."""
    if request.config.getoption("--update-golden"):
        lines = [f"{program.name} {entry(program)}\n" for program in PROGRAMS]
        FILE.write_text("".join(sorted(lines)), encoding="utf-8")
    return dict(line.split() for line in FILE.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("program", sample(PROGRAMS, SHARE), ids=lambda p: p.name)
def test_the_graph_is_the_one_in_the_table(program: Program, table: dict[str, str]) -> None:
    if program.name in table:  # a new program is added when the table is next written
        hint = f"read `graph_of` of {program.name}; then `pytest {__file__} --update-golden`"
        assert entry(program) == table[program.name], hint


def test_the_table_has_most_programs(table: dict[str, str]) -> None:
    assert len({program.name for program in PROGRAMS} & set(table)) > 0.9 * len(PROGRAMS)


def test_a_graph_tells_of_nodes_edges_and_what_is_kept() -> None:
    program = programs_by("source")["basics.loop_over_elements"]
    told = graph_of(program.function, program.arguments(3), program.argnums)
    assert told.startswith("result\n  0: Tensor ")
    assert "Backward0#0 -> " in told
    assert "keeps tuple(" in told
    assert "AccumulateGrad" in told.partition("gradient")[0]
