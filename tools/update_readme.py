"""Writes the gradient of the README's example into the README, after the example."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
BLOCKS = re.compile(r"```python\n(?P<example>.*?)```(?P<between>.*?)```python\n.*?```", re.DOTALL)


def main() -> None:
    """Run the first block of Python and replace the second by what it prints."""
    text = README.read_text(encoding="utf-8")
    found = BLOCKS.search(text)
    if found is None:
        sys.exit("the README has no example with its output after it")
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "example.py"
        script.write_text(found["example"], encoding="utf-8")
        command = [sys.executable, str(script)]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
    blocks = (
        f"```python\n{found['example']}```{found['between']}```python\n{result.stdout.strip()}\n```"
    )
    README.write_text(text[: found.start()] + blocks + text[found.end() :], encoding="utf-8")


if __name__ == "__main__":
    main()
