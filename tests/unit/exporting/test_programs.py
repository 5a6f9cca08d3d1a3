"""Tests that exported gradients are those of srcgrad, in a process that has no srcgrad."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import srcgrad as sg
from tests.programs.corpus import programs_by, sample

ONE_IN = int(os.environ.get("SRCGRAD_EXPORTED_ONE_IN", "48"))  # drawn by name
RUNNER = Path(__file__).with_name("without_srcgrad.py")

REFUSED = {  # these read what no text can make, or SciPy calls back a function of theirs
    "objects.network_of_the_module",
    "counters.counts_between_reads",
    "counters.counts_in_a_loop",
    *(
        f"scipy_paths.{name}"
        for name in (
            "end_of_a_path fitted_curve path_at_given_times path_of_a_nested_function "
            "path_of_odeint_that_closes_over"
        ).split()
    ),
    "given_arrays.each_of_a_tuple_updated",
    *(
        f"scipy_results.{name}"
        for name in (
            "curve_of_a_valley depth_of_a_root line_that_fits_data "
            "line_that_fits_data_within_bounds result_that_a_helper_returns root_by_newton "
            "roots_by_newton_in_a_loop smallest_energy smallest_energy_of_a_nested_function "
            "smallest_energy_within_bounds solution_of_a_system solver_that_a_branch_chooses "
            "system_written_as_an_array valley_between_walls where_an_energy_is_smallest"
        ).split()
    ),
    *(
        f"scipy_solvers.{name}"
        for name in (
            "area_of_several_waves area_under_what_a_lambda_closes_over "
            "energy_between_frequencies path_of_a_decay root_of_a_nested_function "
            "where_a_planet_is"
        ).split()
    ),
}
CHOSEN = sample(programs_by("source").values(), ONE_IN)


def differences_of(calls, folder):
    """Return what is wrong with exported modules, by their names."""
    (folder / "calls.pickle").write_bytes(pickle.dumps(calls))
    command = [sys.executable, "-I", RUNNER, folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def entry_of(text):
    """Return the name of the function that an exported module is for."""
    return next(line for line in text.splitlines() if line.startswith("def "))[4:].split("(")[0]


@pytest.mark.slow
def test_programs_give_the_same_gradients_without_srcgrad(tmp_path):
    calls = {}
    with warnings.catch_warnings(), contextlib.redirect_stdout(None):
        warnings.simplefilter("ignore")
        for number, program in enumerate(CHOSEN):
            derivative = sg.grad(program.function, program.argnums, fallback="error")
            name = program.name.replace(".", "_")
            example = program.arguments(1) if number % 2 else None
            try:
                text = derivative.export(tmp_path / f"{name}.py", example=example)
                asks = "refuse_arrays(" in text or "isinstance(p, np.ndarray)" in text
                if asks:  # it updates its argument in place, or what that holds: what is it?
                    text = derivative.export(tmp_path / f"{name}.py", example=program.arguments(1))
            except sg.SrcgradError:
                assert program.name in REFUSED
                continue
            assert program.name not in REFUSED
            assert not any("import srcgrad" in line for line in text.splitlines())
            expected = derivative(*program.arguments(2))
            calls[name] = entry_of(text), program.arguments(2), expected
    assert len(calls) > len(CHOSEN) - len(REFUSED) - 1
    assert differences_of(calls, tmp_path) == {}
