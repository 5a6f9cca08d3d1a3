"""A worker of a Dask cluster that dies in the middle: the sum is right, or there is none."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from tests.unit.distributed import losses

distributed = pytest.importorskip("distributed", reason="needs dask.distributed")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def always_lost(w, batch):
    if batch[-1] > 100.0:
        losses.leave("/dev/null")
    return np.sum(batch * w)


def test_a_part_whose_worker_is_killed_runs_at_another(client, tmp_path):
    mark = str(tmp_path / "mark")
    batch = np.append(np.linspace(0.0, 1.0, 7), 101.0)
    derivative = sg.distributed.value_and_grad(
        losses.beside_a_mark, over="batch", engine=client, parts=4, fallback="tape", check=False
    )
    value, gradient = derivative(0.5, batch, mark)
    assert (tmp_path / "mark").exists()  # a worker was killed
    assert np.isclose(value, np.sum(np.sin(0.5 * batch)))
    assert np.isclose(gradient, np.sum(batch * np.cos(0.5 * batch)))


def test_a_part_that_kills_every_worker_is_an_error(client):
    derivative = sg.distributed.grad(
        always_lost, over="batch", engine=client, parts=2, fallback="tape", check=False
    )
    with pytest.raises(sg.WorkerError, match="a worker was lost"):
        derivative(1.0, np.array([1.0, 2.0, 3.0, 101.0]))
