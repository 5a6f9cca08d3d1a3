"""Writes what the installed PyTorch logs for each program to `recorded.json`."""

import json
import warnings
from pathlib import Path

from tests.peers.torch import (
    harness,
    programs_basics,
    programs_corners,
    programs_function,
    programs_graph,
)


def main():
    warnings.simplefilter("ignore")
    logs = {}
    for module in (programs_basics, programs_corners, programs_function, programs_graph):
        for program in module.PROGRAMS:
            logs[program.__name__] = harness.encoded(harness.run(program, harness.theirs()))
    lines = [f"{json.dumps(name)}: {json.dumps(logs[name])}" for name in sorted(logs)]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (Path(__file__).parent / "recorded.json").write_text(text)


if __name__ == "__main__":
    main()
