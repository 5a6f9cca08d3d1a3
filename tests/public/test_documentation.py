"""Tests that what the documentation shows is so."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

from srcgrad import errors
from tools.pages import ROOT, differences, examples, excerpts, pages

PAGES = pages()
WITH_CODE = [page for page in PAGES if examples(page.read_text(encoding="utf-8"))]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", WITH_CODE, ids=name_of)
def test_every_example_of_a_page_runs_and_prints_what_is_below_it(page, tmp_path):
    # after a change of what they print: python -m tools.pages
    for block, printed in differences(page.read_text(encoding="utf-8"), tmp_path):
        assert printed == block["text"]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_excerpt_is_of_its_file(page):
    for path, text in excerpts(page.read_text(encoding="utf-8")):
        lines = [line.strip() for line in (ROOT / path).read_text(encoding="utf-8").splitlines()]
        assert "\n".join(line.strip() for line in text.splitlines()) in "\n".join(lines)


def test_the_readme_shows_the_gradient_that_is_generated(tmp_path):
    # after a change of the text: python tools/update_readme.py
    example, generated = examples((ROOT / "README.md").read_text(encoding="utf-8"))
    script = tmp_path / "example.py"
    script.write_text(example.code, encoding="utf-8")
    command = [sys.executable, "-W", "error", script]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == generated.code.strip()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_between_pages_leads_somewhere(page):
    text = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))  # code may look like a link
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_every_error_has_a_line_and_a_page():
    folder = ROOT / "docs" / "errors"
    table = (folder / "index.md").read_text(encoding="utf-8")
    for name, cls in inspect.getmembers(errors, inspect.isclass):
        if issubclass(cls, errors.SrcgradError) and cls is not errors.SrcgradError:
            assert f"| [{cls.code}]({cls.code}.md) | `{name}` |" in table
            page = (folder / f"{cls.code}.md").read_text(encoding="utf-8")
            assert page.startswith(f"# {cls.code}: {name}\n")
            assert (
                f"`{cls.__bases__[-1].__name__}`" in page
                or cls.__bases__[-1].__module__ != "builtins"
            )
