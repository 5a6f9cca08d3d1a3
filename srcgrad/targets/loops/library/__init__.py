"""Bodies that Numba compiles for the functions that texts call often.

These modules import Numba; they are imported where a derivative is compiled, and nowhere else.
"""

from srcgrad.targets.loops.library import (
    adjoints,
    along,
    complexes,
    elementwise,
    integers,
    masks,
    products,
    selecting,
    vectors,
)

__all__ = ["adjoints", "along", "complexes", "elementwise", "integers", "masks", "products"]
__all__ += ["selecting", "vectors"]
