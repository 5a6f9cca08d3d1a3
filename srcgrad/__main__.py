"""Runs the command line as `python -m srcgrad`."""

from __future__ import annotations

import sys

from srcgrad.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
