"""Tests that a page links every line, shows what lines cost, and needs nothing but itself."""

from __future__ import annotations

import html.parser
import inspect
import re
import sys
import time

import numpy as np
import pytest

import srcgrad as sg
from tests.programs.corpus import programs_by, sample


def step(u, r):
    k = np.sin(u)
    assert k.ndim == 1  # which keeps it a function of its own
    return u + r * k * np.abs(u)


def loss(u, r, n):
    for _ in range(n):
        u = step(u, r)
        u = np.maximum(u, 0.1)
    return np.sum(u * u) if n < 5 else np.sum(u)  # 5 is "many" & more


ARGS = (np.linspace(0.1, 1.0, 1000), 0.3, 4)
VOID = {"meta", "input", "br", "link"}


class Page(html.parser.HTMLParser):
    """A page taken apart: the lines of each pane, the tabs, and whether all tags are closed."""

    def __init__(self, text):
        super().__init__()
        self.panes = []
        self.tags = []
        self.headings = []
        self.addresses = []
        self.identities = []
        self._open = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append((tag, found))
        self.addresses += [found[name] for name in ("src", "href") if name in found]
        self.identities += [found["id"]] if "id" in found else []
        if tag not in VOID:
            self._open.append((tag, found.get("class", "")))
        classes = found.get("class", "").split()
        if "pane" in classes:
            self.panes.append([])
        if "line" in classes:
            self.panes[-1].append({"key": found.get("data-u"), "classes": classes})

    def handle_endtag(self, tag):
        opened, _ = self._open.pop()
        assert opened == tag

    def handle_data(self, data):
        for name in ("number", "text", "cost", "bytes"):
            inside = any(name in c.split() for t, c in self._open if t == "code")
            if inside:
                line = self.panes[-1][-1]
                line[name] = line.get(name, "") + data


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    g = sg.grad(loss, argnums=(0, 1))
    g(*ARGS)
    path = g.report(tmp_path_factory.mktemp("report") / "loss.html", *ARGS)
    return g, path.read_text(encoding="utf-8")


def test_the_sides_show_the_functions_and_the_text(report):
    g, text = report
    primal, generated = Page(text).panes[:2]
    assert [line["text"].rstrip() for line in generated] == g.source.splitlines()
    expected = inspect.getsource(loss).splitlines() + inspect.getsource(step).splitlines()
    assert [line["text"] for line in primal] == expected
    first = loss.__code__.co_firstlineno
    assert primal[0]["number"] == str(first)


def test_every_line_is_linked_with_its_partner(report):
    g, text = report
    primal, generated = Page(text).panes[:2]
    ours = {line["key"]: line for line in primal if line["key"]}
    theirs = {line["key"] for line in generated if line["key"]}
    assert set(ours) == theirs
    lines = g._ready().generated.lines
    for number, line in enumerate(generated, 1):
        user = lines.at(number)
        if user is not None:
            assert ours[line["key"]]["number"] == str(user.line)
    assert all(line["key"] for line in primal)  # each line of these functions has a derivative


def test_links_light_up_by_rules_of_the_page(report):
    _, text = report
    page = Page(text)
    for line in page.panes[1]:
        if line["key"]:
            assert f':has([data-u="{line["key"]}"]:is(:hover,:focus))' in text


def test_the_backward_pass_is_marked(report):
    g, text = report
    marked = [line["text"] for line in Page(text).panes[1] if "backward" in line["classes"]]
    assert any("step_backward(saved, " in line for line in marked)
    assert not any("step_forward(" in line for line in marked)
    assert "def loss_grad" not in "".join(marked)
    assert g.source.count("grad_") > 3


def test_costs_stand_beside_lines(report):
    _, text = report
    primal, generated = Page(text).panes[:2]
    sine = next(line for line in generated if line["text"].strip() == "k = np.sin(u)")
    assert sine["cost"].endswith(("µs", "ms"))
    assert sine["bytes"] == "32.0 kB"  # four trips with 1000 numbers
    both = next(line for line in primal if line["text"].strip() == "k = np.sin(u)")
    assert both["cost"]
    assert "kept for the backward pass" in text


def test_without_arguments_nothing_is_measured(tmp_path):
    text = sg.grad(loss).report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert all("cost" not in line for line in Page(text).panes[1])


def test_the_page_needs_nothing_but_itself(report):
    _, text = report
    page = Page(text)
    assert page.addresses == []
    assert not re.search(r"https?:|url\(|@import", text)
    assert len(page.identities) == len(set(page.identities))


def test_stages_are_tabs(report):
    g, text = report
    labels = [found["for"] for tag, found in Page(text).tags if tag == "label"]
    sections = [found["id"] for tag, found in Page(text).tags if tag == "section"]
    assert len(labels) == len(sections) == 1 + len(g.stages())  # the source is the first tab
    for name in ("Explanation", "flatten", "reverse"):
        assert f">{name}</label>" in text


def test_text_of_the_user_is_escaped(tmp_path):
    def tricky(x):
        y = x * 2.0  # </code><script>alert("x")</script> &amp;
        return y * y

    text = sg.grad(tricky).report(tmp_path / "page.html", 2.0).read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text
    Page(text)


def test_a_notebook_shows_both_sides():
    text = sg.grad(loss)._repr_html_()
    primal, generated = Page(text).panes
    assert {line["key"] for line in primal} - {None} == {line["key"] for line in generated} - {None}
    assert "<script" not in text


def test_a_notebook_shows_why_a_function_is_on_the_tape():
    def weird(x):
        global somewhere
        somewhere = 1
        return x * x

    assert "global" in sg.grad(weird)._repr_html_()


def test_times_are_those_of_lines(tmp_path):
    def sleepy(x):
        y = x * 2.0
        pause(0.02)
        return y * y

    text = sg.grad(sleepy).report(tmp_path / "page.html", 2.0).read_text(encoding="utf-8")
    line = next(item for item in Page(text).panes[1] if "pause(" in item["text"])
    assert line["cost"].endswith("ms")
    assert float(line["cost"].split()[0]) >= 20.0


def pause(seconds):
    time.sleep(seconds)


def test_a_tracer_that_is_at_work_is_put_back(tmp_path):
    def tracer(frame, event, arg):
        del frame, event, arg

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        sg.grad(loss).report(tmp_path / "page.html", *ARGS)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)


SOME = sample(programs_by("source").values(), 40)


@pytest.mark.parametrize("program", SOME, ids=[program.name for program in SOME])
def test_every_program_has_a_page_with_linked_lines(program, tmp_path):
    g = sg.grad(program.function, program.argnums)
    if inspect.getfullargspec(program.function).varkw:
        g(*program.arguments())  # the text is for the keywords of a call
    try:
        page = g.report(tmp_path / "page.html")
    except sg.UnsupportedError:  # there is no text for all shapes
        page = g.report(tmp_path / "page.html", *program.arguments())
    primal, generated = Page(page.read_text(encoding="utf-8")).panes[:2]
    keys = {line["key"] for line in generated} - {None}
    assert keys
    assert keys == {line["key"] for line in primal} - {None}
