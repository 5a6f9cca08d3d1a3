"""Tests that a picture of a tape has all of its nodes and edges."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.autograd import graph, set_detect_anomaly

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def recorded():
    """Return two leaves and what is computed from them."""
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    w = sg.tensor([[3.0, 4.0]], requires_grad=True)
    return x, w, (np.sin(x) * w).sum() + x.max()


def test_every_node_and_edge_is_drawn_once():
    x, w, y = recorded()
    dot = graph.draw(y, names={"x": x, "w": w, "loss": y}).dot
    for name in ("AddBackward0", "SumBackward0", "MulBackward0", "SinBackward0", "MaxBackward0"):
        assert dot.count(name) == 1
    assert 'label="x\\nfloat64 (2,)"' in dot
    assert 'label="w\\nfloat64 (1, 2)"' in dot
    assert 'label="loss\\nfloat64 ()"' in dot
    assert dot.count(" -> ") == 8  # x twice, w, sin, mul, sum, max, and the result


def test_several_results_share_a_graph():
    x, _, y = recorded()
    dot = graph.draw([y, x * 2.0]).dot
    assert "out0" in dot
    assert "out1" in dot
    assert dot.count("leaf\\nfloat64 (2,)") == 1


def test_a_constant_has_no_graph():
    with pytest.raises(sg.ArgumentError, match="none of the tensors has a graph"):
        graph.draw(sg.tensor([1.0]))


def test_a_long_chain_is_refused_or_drawn_without_recursion():
    x = sg.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(3000):
        y = y * 1.001
    with pytest.raises(sg.ArgumentError, match="more than 2000 nodes"):
        graph.draw(y)
    assert graph.draw(y, most=5000).dot.count("MulBackward0") == 3000


def test_lines_of_calls_are_tooltips_in_anomaly_mode():
    x = sg.tensor([1.0], requires_grad=True)
    with set_detect_anomaly(True):
        y = np.exp(x).sum()
    assert "test_drawing.py" in graph.draw(y).dot


def test_text_needs_no_graphviz(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    *_, y = recorded()
    drawing = graph.draw(y, tmp_path / "graph.dot")
    assert (tmp_path / "graph.dot").read_text(encoding="utf-8") == drawing.dot == str(drawing)
    assert drawing._repr_svg_() is None
    with pytest.raises(sg.ToolNotFoundError, match="Graphviz"):
        drawing.svg()


@needs_dot
def test_graphviz_draws_it(tmp_path):
    x, w, y = recorded()
    graph.draw(y, tmp_path / "graph.svg", names={"x": x, 'a "w"\\': w})
    root = ET.fromstring((tmp_path / "graph.svg").read_text(encoding="utf-8"))
    texts = [item.text for item in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"x", 'a "w"\\', "SinBackward0", "result"} <= set(texts)
    assert "<svg" in graph.draw(y)._repr_svg_()
    with pytest.raises(sg.ArgumentError, match="cannot draw"):
        graph.draw(y, tmp_path / "graph.nothing")
