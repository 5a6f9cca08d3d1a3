"""Tests that every example runs to its end, says that it went well, and draws its picture."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tools.structure import ROOT

EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs_and_draws(name):
    pytest.importorskip("sklearn", reason="the examples need scikit-learn")
    pytest.importorskip("matplotlib", reason="the examples need matplotlib")
    picture = ROOT / "build" / f"{name}.png"
    picture.unlink(missing_ok=True)
    result = subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Warning" not in result.stderr
    assert "grad_" in result.stdout
    assert picture.stat().st_size > 10_000


@pytest.mark.slow
def test_data_larger_than_a_worker_of_a_cluster():
    pytest.importorskip("distributed", reason="the example needs dask.distributed")
    command = [sys.executable, ROOT / "examples" / "cluster" / "larger_than_a_worker.py"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "MB at most" in result.stdout


def test_the_gallery_shows_each():
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    for name in EXAMPLES:
        assert f"`{name}.py`" in page
        assert f"(pictures/{name}.png)" in page
        assert (ROOT / "docs" / "pictures" / f"{name}.png").is_file()


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "digits"])
def test_a_small_example_is_short(name):
    lines = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8").count("\n")
    assert lines < 80
