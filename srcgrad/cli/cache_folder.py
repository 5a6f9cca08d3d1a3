"""Is `srcgrad cache`: says what lies in the folder of generated texts, and empties it."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import Any, Final

from srcgrad import settings
from srcgrad.codegen import cache

EXAMPLES: Final = """\
examples:
  srcgrad cache            where the generated texts lie, and how many there are
  srcgrad cache --clear    remove them; each is written anew when it is needed
"""
_MEGABYTE: Final = 1e6


def add_parser(commands: Any) -> None:
    """Add the parser of this command to the command line's."""
    parser = commands.add_parser(
        "cache",
        help="say what lies in the cache folder, or empty it",
        description="Say what lies in the folder of generated texts, or empty it.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--info", action="store_true", help="say what lies there (the default)")
    chosen.add_argument("--clear", action="store_true", help="remove the texts")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print what lies there, or remove it and print how much that was."""
    if options.clear:
        gone = cache.clear()
        print(f"removed {gone} {'file' if gone == 1 else 'files'}")
        return
    folder, known = settings.cache_directory(), cache.entries()
    reason = cache.why_unusable()
    print(f"folder:  {folder or 'none: the user has no home'}")
    print(f"used:    {f'no: {reason}' if reason else 'yes'}")
    texts = sum(not item.is_record for item in known)
    print(f"texts:   {texts}")
    print(f"known:   {len(known) - texts} functions need not be compiled")
    size, most = sum(item.size for item in known), settings.cache_size()
    print(f"size:    {size / _MEGABYTE:.1f} of {most / _MEGABYTE:g} MB")
    if known:
        print(f"oldest:  used {datetime.fromtimestamp(known[0].used, UTC):%Y-%m-%d %H:%M} UTC")
