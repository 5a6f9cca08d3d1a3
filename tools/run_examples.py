"""Runs every example, one after the other, and says how far it is and how each ended."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

NAMES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))


def main() -> int:
    """Run them all, also after one fails, and return 1 if any did."""
    failed = []
    for number, name in enumerate(NAMES, 1):
        print(f"==> [{number}/{len(NAMES)}] {name}", flush=True)
        start = time.perf_counter()
        command = [sys.executable, str(ROOT / "examples" / f"{name}.py")]
        if subprocess.run(command, check=False).returncode != 0:
            failed.append(name)
        print(f"    {name}: {time.perf_counter() - start:.1f} s\n", flush=True)
    print(f"failed: {', '.join(failed)}" if failed else f"{len(NAMES)} pictures are in build/")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
