"""Runs the examples of the documentation, and writes what they print below them.

A block of ``python`` that imports srcgrad begins a script; the blocks after it go on with it. A
block of ``text`` right after an example is what it prints, where ``...`` stands for anything. An
excerpt of a file is announced by a comment, ``<!-- excerpt of path -->``: it is compared, not run.

``python -m tools.pages [page...]`` writes the blocks of text anew.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import sys
import tempfile
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(
    r"(?:<!-- excerpt of (?P<excerpt>\S+) -->\n+)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Example:
    """One block of Python of a page, and the block of what it prints, if there is one."""

    code: str
    printed: re.Match[str] | None

    @property
    def begins(self) -> bool:
        """Whether it is a script of its own."""
        return re.search(r"^(import|from) srcgrad", self.code, re.MULTILINE) is not None


def pages() -> list[Path]:
    """Return every page, the README first."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def examples(text: str) -> list[Example]:
    """Return the blocks of Python that are run, in order."""
    fences = list(FENCE.finditer(text))
    found = []
    for place, fence in enumerate(fences):
        if fence["kind"] != "python" or fence["excerpt"]:
            continue
        after = fences[place + 1] if place + 1 < len(fences) else None
        follows = after is not None and after["kind"] == "text"
        if after is not None and text[fence.end() : after.start()].strip():
            follows = False
        found.append(Example(fence["text"], after if follows else None))
    return found


def excerpts(text: str) -> list[tuple[str, str]]:
    """Return the blocks that are announced as parts of a file: its path, and the text."""
    return [(f["excerpt"], f["text"]) for f in FENCE.finditer(text) if f["excerpt"]]


def scripts(text: str) -> list[list[Example]]:
    """Return the examples of a page, each with those that go on with it."""
    found: list[list[Example]] = []
    for example in examples(text):
        if example.begins or not found:
            found.append([])
        found[-1].append(example)
    return found


def run(script: list[Example], folder: Path, name: str = "model") -> list[str]:
    """Run a script as a module of its own in a folder, and return what each block prints."""
    path = folder / f"{name}.py"
    path.write_text("\n\n".join(example.code for example in script), encoding="utf-8")
    module = types.ModuleType(f"{name}_{folder.name}".replace("-", "_"))
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    printed = []
    line = 0
    with _in(folder), warnings.catch_warnings():
        warnings.simplefilter("error")
        for example in script:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                code = compile("\n" * line + example.code, str(path), "exec")
                exec(code, module.__dict__)  # noqa: S102 - these are our own pages
            printed.append(out.getvalue().replace(f"{folder}{os.sep}", ""))
            line += example.code.count("\n") + 2
    return printed


@contextlib.contextmanager
def _in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def agrees(expected: str, printed: str) -> bool:
    """Say whether a text is what was printed, where ``...`` stands for anything.

    >>> agrees("error 1.0e-...", "error 1.0e-12")
    True
    """
    checker = doctest.OutputChecker()
    options = doctest.ELLIPSIS
    return checker.check_output(expected.rstrip() + "\n", printed.rstrip() + "\n", options)


def differences(text: str, folder: Path) -> Iterator[tuple[re.Match[str], str]]:
    """Run all examples of a page; yield each block of text that is not so, and what would be."""
    for number, script in enumerate(scripts(text)):
        own = folder / f"example-{number}"
        own.mkdir()
        for example, printed in zip(script, run(script, own), strict=True):
            expected = example.printed
            if expected is not None and not agrees(expected["text"], printed):
                yield expected, printed.rstrip() + "\n"


def main() -> None:
    """Write the blocks of text of some pages, or of all, anew."""
    chosen = [Path(argument) for argument in sys.argv[1:]] or pages()
    for page in chosen:
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            wrong = list(differences(text, Path(folder)))
        for block, printed in reversed(wrong):
            text = text[: block.start("text")] + printed + text[block.end("text") :]
        page.write_text(text, encoding="utf-8")
        if wrong:
            print(f"{page.name}: {len(wrong)} blocks written")


if __name__ == "__main__":
    main()
