"""Takes the gradient of a sum by parts, each at a worker: processes, a Dask cluster, MPI ranks."""

from srcgrad.distributed.gradient import DistributedGradient, grad, value_and_grad
from srcgrad.distributed.parts import Parts

__all__ = ["DistributedGradient", "Parts", "grad", "value_and_grad"]
