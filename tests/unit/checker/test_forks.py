"""Tests that a forked process can look at derivatives, whatever other threads of its parent did."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os, threading
import numpy as np
import srcgrad as sg
from srcgrad.checker import check

held, over = threading.Event(), threading.Event()

def hold():
    with check._LOCK:
        held.set()
        over.wait(60)

def cube(x):
    return np.sum(x**3)

thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    print(sg.grad(cube)(np.ones(2)), flush=True)
    os._exit(0)
os.waitpid(child, 0)
over.set()
thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_finds_the_checker_free(tmp_path):
    file = tmp_path / "forking.py"
    file.write_text(SCRIPT)
    options = ["-W", "ignore::DeprecationWarning"]
    done = subprocess.run(
        [sys.executable, *options, str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "[3. 3.]"
