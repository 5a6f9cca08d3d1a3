"""Modules that are imported when they are needed are whole in every thread and every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from srcgrad.later import later

ROOT = str(Path(__file__).parents[2])

FORKED = """\
import os
import signal
import threading
import time

import numpy as np

import srcgrad as sg


def loss(x):
    return np.sum(np.sin(x) * x)


gradient = sg.grad(loss)
thread = threading.Thread(target=lambda: gradient(np.ones(3)))
thread.start()
children = []
while thread.is_alive() and len(children) < 8:
    time.sleep(0.01)
    child = os.fork()
    if not child:
        signal.alarm(60)
        found = sg.grad(loss)(np.ones(3))
        os._exit(0 if np.allclose(found, np.sin(1.0) + np.cos(1.0)) else 1)
    children.append(child)
thread.join()
print(len(children) > 0, {os.waitpid(child, 0)[1] for child in children})
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_that_is_forked_while_a_thread_imports_the_compiler_has_it(tmp_path):
    names = {
        **os.environ,
        "SRCGRAD_CACHE_DIR": str(tmp_path),
        "PYTHONWARNINGS": "ignore",
        "PYTHONPATH": ROOT,
    }
    (tmp_path / "forked.py").write_text(FORKED)
    command = [sys.executable, str(tmp_path / "forked.py")]
    done = subprocess.run(command, env=names, capture_output=True, text=True, check=False)
    assert done.stdout == "True {0}\n", done.stdout + done.stderr


def test_a_module_is_imported_once_it_is_asked_for():
    name = "colorsys"
    before = name in sys.modules
    module = later(name)
    assert (name in sys.modules) == before
    assert module.rgb_to_hsv(0.0, 0.0, 0.0) == (0.0, 0.0, 0.0)
    assert name in sys.modules


def test_what_is_not_there_is_said():
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        later("no_such_module").name  # noqa: B018 - it is asked for
    with pytest.raises(AttributeError, match="nothing"):
        later("fractions").nothing  # noqa: B018 - it is asked for
