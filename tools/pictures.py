"""Makes the small pictures of the gallery from those that the examples have drawn in `build/`.

``make pictures`` runs the examples first. The pictures are committed, so that the documentation can
be built without running them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "pictures"
WIDTH, COLOURS = 760, 96


def main() -> int:
    """Write a small picture for each example, and return 1 if one has drawn none."""
    missing = []
    FOLDER.mkdir(exist_ok=True)
    for path in sorted((ROOT / "examples").glob("*.py")):
        drawn = ROOT / "build" / f"{path.stem}.png"
        if not drawn.is_file():
            missing.append(path.stem)
            continue
        image = Image.open(drawn).convert("RGB")
        if image.width > WIDTH:
            image = image.resize((WIDTH, round(image.height * WIDTH / image.width)))
        image.quantize(COLOURS).save(FOLDER / f"{path.stem}.png", optimize=True)
    print(f"no picture of: {', '.join(missing)}" if missing else f"written: {FOLDER}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
