"""Keeps an array for other modules."""

import numpy as np

TABLE = np.ones(3)
