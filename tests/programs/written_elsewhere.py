"""Programs that call functions of another module, which write by functions of their own."""

import numpy as np

from tests.programs import writers
from tests.programs.corpus import program
from tests.programs.writers import counted_down, rated, step


def soft(x):
    return x


@program("v", "s")
def function_of_another_module_that_calls_its_own(x, k):
    out = np.zeros(len(x))
    step(out, x, k)
    return np.sum(out * soft(x))


@program("v", "s")
def function_of_another_module_in_a_loop(x, k):
    out = np.zeros(len(x))
    for _ in range(2):
        writers.step(out, x, k)
        x = x + out
    return np.sum(out**2)


@program("v", by="tape")
def function_of_another_module_that_reads_its_number(x):
    out = np.zeros(len(x))
    rated(out, x)
    return np.sum(out**2)


@program("v", by="tape")
def function_of_another_module_that_calls_itself(x):
    out = np.zeros(len(x))
    counted_down(out, x, 2)
    return np.sum(out**2)
