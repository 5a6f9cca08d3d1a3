"""Tests that the repository holds nothing of the machine it was written on."""

from __future__ import annotations

import re
import subprocess

import pytest

from tools.structure import ROOT

FORBIDDEN = {
    "a path of one machine": r"(?<![\w.])/(work|root|home|Users)/\w",
    "a temporary path": r"(?<![\w.])/(tmp)/\w",
    "the host of a package registry": r"(pypi|pythonhosted|anaconda|download\.pytorch)\.(org|com)",
    "an option that chooses a registry": r"(extra-)?(index)-url|--(find)-links",
}


def tracked_files():
    """Return the text files of the repository, or of the folder where git is not at hand."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listing.stdout.split("\0") if name]


@pytest.mark.parametrize("what", FORBIDDEN)
def test_the_repository_does_not_hold(what):
    pattern = re.compile(FORBIDDEN[what])
    found = []
    for path in tracked_files():
        if not path.is_file() or path.suffix in {".png", ".gif", ".ico"}:
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        found += [
            f"{path.relative_to(ROOT)}:{n}"
            for n, line in enumerate(lines, 1)
            if pattern.search(line)
        ]
    assert not found


@pytest.mark.parametrize(
    ("what", "text"),
    [  # each with a gap, so that this file is clean itself
        ("a path of one machine", "see /~home/me/x.py"),
        ("a temporary path", "open('/~tmp/x')"),
        ("the host of a package registry", "https://pypi~.org/simple"),
        ("an option that chooses a registry", "pip install --extra-index~-url x"),
    ],
)
def test_the_patterns_find_what_they_are_for(what, text):
    assert re.search(FORBIDDEN[what], text.replace("~", ""))
