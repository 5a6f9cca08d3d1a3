"""Which names programs use: plain ones, and those that the compiler or NumPy use as well."""

from __future__ import annotations

import random

PLAIN = "a b c d e f g h k p q r t u v w y z".split()
LONG = "left right state field rates carry row total part first last best".split()
# names that generated text, the runtime or builtins have: a program may bind them
OURS = (
    "abs sum given zeros_like grad_x grad_u saved np_2 x_2 u_2 out tail numbers steps grads value "
    "seed ones_like unbroadcast max min len range_2 grad_out x_dot u_dot result copy shadow item "
    "kept places taken sign spread several x_shape grad_parts zip_2 trips condition"
).split()
# what may be imported from NumPy by its bare name
IMPORTED = (
    "abs sum sign tanh sin cos sqrt where zeros_like maximum copy round exp outer max".split()
)
BUILTINS = {"abs", "sum", "max", "min", "len", "range", "zip", "enumerate", "float", "reversed"}


class Names:
    """The names of one function: each is given once; some that hide builtins are drawn at first."""

    def __init__(self, rng: random.Random, taken: set[str]) -> None:
        self.outer = set(taken)  # what the module binds
        self.taken = set(taken)
        self.rng = rng
        self.ours = [name for name in OURS if rng.random() < 0.12 and name not in taken]

    def hides(self, name: str) -> bool:
        """Say whether a name is a variable of the function somewhere."""
        return name in self.ours or (name in self.taken and name not in self.outer)

    def fresh(self) -> str:
        """Return a name that is not taken yet."""
        ours = [name for name in self.ours if name not in self.taken]
        if ours and self.rng.random() < 0.4:
            name = self.rng.choice(ours)
        else:
            pool = [name for name in PLAIN if name not in self.taken]
            pool = pool or [name for name in LONG if name not in self.taken]
            name = self.rng.choice(pool) if pool else f"v{len(self.taken)}"
        self.taken.add(name)
        return name
