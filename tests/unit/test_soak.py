"""Some seconds of the soak: threads and processes, and nothing left behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.slow
def test_threads_and_processes_leave_no_files_modules_or_threads():
    command = [sys.executable, "tools/soak.py", "--seconds", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert "Traceback" not in said, said
    last = done.stdout.strip().splitlines()[-1]
    assert last in ("nothing has grown", "grown: megabytes"), (
        done.stdout
    )  # caches are still filling
