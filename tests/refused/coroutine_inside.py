"""A coroutine that is defined inside of the function."""

import asyncio
import contextlib

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    async def doubled(v):  # SG101
        return v * 2.0

    async def each():  # SG101
        for v in x:
            yield v  # SG101

    async def added():  # SG101
        total = 0.0
        async with contextlib.nullcontext():  # SG101
            async for v in each():  # SG101
                total = total + await doubled(v)  # SG101
        return total

    return asyncio.run(added())
