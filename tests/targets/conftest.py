"""Lets Numba compile fast rather than well: arrays are small here."""

import os

os.environ.setdefault("NUMBA_OPT", "0")  # read where Numba is first imported
