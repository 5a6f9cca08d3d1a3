"""Tests reports in a real browser, where one is installed."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import srcgrad as sg
from tests.unit.reporting.browser import BROWSER, DRIVER, Browser

pytestmark = pytest.mark.skipif(
    DRIVER is None or BROWSER is None, reason="chromium and chromedriver are not installed"
)
COLOUR = "return getComputedStyle(document.querySelector(arguments[0])).backgroundColor"
SHOWN = "return getComputedStyle(document.querySelector(arguments[0])).display"


def step(u, r):
    k = np.sin(u)
    assert k.ndim == 1  # which keeps it a function of its own
    return u + r * k * np.abs(u)


def loss(u, r, n):
    for _ in range(n):
        u = step(u, r)
        u = np.maximum(u, 0.1)
    return np.sum(u * u)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as made:
        yield made


@pytest.fixture
def page(browser, tmp_path):
    g = sg.grad(loss, argnums=(0, 1))
    browser.open(g.report(tmp_path / "report.html", np.linspace(0.1, 1.0, 1000), 0.3, 4))
    return browser


@pytest.fixture
def picture(browser, request):
    """Keep pictures where REPORT_PICTURES says, to be looked at."""
    yield
    folder = os.environ.get("REPORT_PICTURES")
    if folder:
        browser.picture(Path(folder) / f"{request.node.name}.png")


@pytest.mark.usefixtures("picture")
def test_lines_light_up_with_their_partners(page):
    number = step.__code__.co_firstlineno + 1
    key = page.run(
        "return [...document.querySelectorAll('.primal .line')].find("
        "line => line.querySelector('.number').textContent === arguments[0]).dataset.u",
        str(number),
    )
    partner = f'.generated .line[data-u="{key}"]'
    before = page.run(COLOUR, partner)
    page.point_at(f'.primal .line[data-u="{key}"]')
    lit = page.run(COLOUR, partner)
    assert lit != before
    texts = page.run(
        "return [...document.querySelectorAll(arguments[0])].map(l => l.textContent)", partner
    )
    assert any("k = np.sin(u)" in text for text in texts)
    assert any("np.cos(u)" in text for text in texts)
    page.point_at(".srcgrad h1")
    assert page.run(COLOUR, partner) == before
    page.point_at(partner)
    assert page.run(COLOUR, f'.primal .line[data-u="{key}"]') == lit


@pytest.mark.usefixtures("picture")
def test_tabs_show_one_part_at_a_time(page):
    assert page.run(SHOWN, "#part0") == "block"
    page.point_at('label[for="tab1"]', click=True)
    assert page.run(SHOWN, "#part0") == "none"
    assert page.run(SHOWN, "#part1") == "block"
    assert "np.maximum" in page.run("return document.querySelector('#part1').textContent")


@pytest.mark.usefixtures("picture")
def test_the_theme_changes_by_its_button(page):
    light = page.run(COLOUR, ".srcgrad")
    page.point_at("#theme", click=True)
    assert page.run(COLOUR, ".srcgrad") != light
    page.point_at("#theme", click=True)
    assert page.run(COLOUR, ".srcgrad") == light


def test_a_click_brings_the_partner_into_view(page):
    page.run("document.querySelectorAll('.pane').forEach(p => { p.style.maxHeight = '8rem' })")
    line = "[...document.querySelectorAll('.generated .line[data-u]')].at(-1)"
    page.run(f"{line}.id = 'last'; {line}.scrollIntoView()")
    page.run("document.querySelector('.primal').scrollTop = 1000")
    page.point_at("#last", click=True)
    inside = (
        "const pane = document.querySelector('.primal').getBoundingClientRect();"
        "const line = document.querySelector(`.primal [data-u='${arguments[0]}']`)"
        ".getBoundingClientRect(); return line.top >= pane.top && line.bottom <= pane.bottom;"
    )
    key = page.run("return document.querySelector('#last').dataset.u")
    assert any(
        page.run(inside, key) or page.run("return performance.now()") < 0 for _ in range(200)
    )


def test_the_page_loads_nothing_and_the_browser_complains_of_nothing(page):
    assert page.run("return performance.getEntriesByType('resource').length") == 0
    assert page.complaints() == []


@pytest.mark.usefixtures("picture")
def test_a_notebook_cell_shows_the_same_in_small(browser, tmp_path):
    path = tmp_path / "cell.html"
    path.write_text(f"<!doctype html><body>{sg.grad(loss)._repr_html_()}</body>", encoding="utf-8")
    browser.open(path)
    partner = ".generated .line[data-u]"
    key = browser.run("return document.querySelector(arguments[0]).dataset.u", partner)
    before = browser.run(COLOUR, f'.generated [data-u="{key}"]')
    browser.point_at(f'.primal [data-u="{key}"]')
    assert browser.run(COLOUR, f'.generated [data-u="{key}"]') != before
    assert browser.complaints() == []
