"""Colours appear on terminals only."""

from __future__ import annotations

import io
import re
import sys

import pytest

from srcgrad.codegen.highlight import highlight

SOURCE = "def f(x):\n    return x + 1\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def on_a_terminal(monkeypatch):
    """Not a fixture: pytest puts its own stdout back between set-up and test."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", Terminal())


def test_text_for_a_file_or_pipe_stays_plain(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert highlight(SOURCE) == SOURCE


def test_text_for_a_terminal_is_coloured(monkeypatch):
    pytest.importorskip("pygments", reason="pygments is optional")
    on_a_terminal(monkeypatch)
    coloured = highlight(SOURCE)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == SOURCE


def test_no_color_is_respected(monkeypatch):
    on_a_terminal(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    assert highlight(SOURCE) == SOURCE


def test_pygments_is_optional(monkeypatch):
    on_a_terminal(monkeypatch)
    monkeypatch.setitem(sys.modules, "pygments", None)
    assert highlight(SOURCE) == SOURCE
