"""Tests that what the documentation shows is so."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

from srcgrad import errors
from tools.structure import ROOT

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def blocks(page):
    """Return the Python examples of a page that stand alone; one without imports is an excerpt."""
    found = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [text for text in found if re.search(r"^(import|from) ", text, re.MULTILINE)]


def run_as_script(text, tmp_path):
    """Run an example from a file, as a reader would, and return what it prints."""
    script = tmp_path / "example.py"
    script.write_text(text, encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-W", "error", script], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_of_a_page_runs(page, tmp_path):
    for text in blocks(page):
        run_as_script(text, tmp_path)


def test_the_readme_shows_the_gradient_that_is_generated(tmp_path):
    # after a change of the text: python tools/update_readme.py
    example, generated = blocks(ROOT / "README.md")
    assert run_as_script(example, tmp_path).strip() == generated.strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_between_pages_leads_somewhere(page):
    text = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))  # code may look like a link
    targets = re.findall(r"\]\(([^)#:]+)\)", text)
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_every_error_has_a_line_with_its_code():
    table = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    for name, cls in inspect.getmembers(errors, inspect.isclass):
        if issubclass(cls, errors.SrcgradError) and cls is not errors.SrcgradError:
            assert f"| {cls.code} | `{name}` |" in table
