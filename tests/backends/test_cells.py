"""Tasks are counted under the cell that sent them: on a real scheduler, with the client that notebooks have."""

import asyncio
import warnings
from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import dask.bag as db
import distributed
import joblib
import pandas as pd
import pytest
from distributed import LocalCluster, get_client
from gpucluster.backends.scheduler import cells as tracking
from gpucluster.backends.scheduler.in_process import InProcessScheduler
from gpucluster.dask_internals.clients import ClientOfCluster
from gpucluster.dask_internals.spans import FACTS

N = 12


class Notebook(ClientOfCluster):
    """A notebook's client; `cell` is the number of the cell that is run, None outside of cells."""

    cell: int | None = None

    async def run(self, work: Callable[[], Any]) -> Any:
        """Run it as a notebook does: in another thread, with this client as the one that Dask uses."""

        def run() -> Any:
            with self.as_current(), dask.config.set(scheduler=self.get):
                return work()

        return await asyncio.to_thread(run)

    def current_cell(self) -> tuple[str, str, dict[str, Any]] | None:
        if self.cell is None:
            return None
        id = f"{self.id}:{self.cell}"
        return f"lab.ipynb [{self.cell}]", id, {"id": id, "number": self.cell, "notebook": "lab.ipynb"}


@pytest.fixture
async def view():
    options: dict[str, Any] = {
        "processes": False,
        "protocol": "tcp",
        "host": "127.0.0.1",
        "dashboard_address": "127.0.0.1:0",
        "asynchronous": True,
    }
    async with LocalCluster(n_workers=2, threads_per_worker=2, **options) as cluster:
        view = InProcessScheduler(cluster.scheduler)
        yield view
        await view.close()


@pytest.fixture
async def notebook(view):
    """Return a client that is used in another thread, as in a notebook; several may be asked for."""
    made: list[Notebook] = []

    async def another() -> Notebook:
        made.append(await asyncio.to_thread(Notebook, view.address, set_as_default=False))
        return made[-1]

    yield another
    for client in made:
        await asyncio.to_thread(client.close)


def one(x: Any) -> Any:
    return x


def tasks_of(view: InProcessScheduler, number: int | None, client: Notebook | None = None) -> dict[str, int]:
    found = [
        cell for cell in view.cells() if cell["number"] == number and (client is None or cell["client"] == client.id)
    ]
    return {group["name"]: group["n_done"] for cell in found for group in cell["groups"]}


WAYS: dict[str, tuple[Callable[[Notebook], Any], int]] = {
    "map": (lambda client: client.gather(client.map(one, range(N), pure=False)), N),
    "submit": (lambda client: client.gather([client.submit(one, i, pure=False) for i in range(N)]), N),
    "delayed": (lambda client: dask.compute([dask.delayed(one)(i) for i in range(N)]), N),
    "array": (lambda client: da.full((N, 4), client.cell, chunks=(1, 4)).sum().compute(), 0),
    "bag": (
        lambda client: db.from_sequence(range(client.cell, N + client.cell), npartitions=N).map(one).sum().compute(),
        0,
    ),
    "joblib": (lambda client: in_joblib(), N),
    "persist": (lambda client: distributed.wait(client.persist(da.full((N, 4), client.cell, chunks=(1, 4)))), N),
}


def in_joblib() -> None:
    with joblib.parallel_backend("dask"):
        joblib.Parallel()(joblib.delayed(one)(i) for i in range(N))


@pytest.mark.parametrize("way", WAYS)
async def test_every_way_to_compute_is_counted_under_its_cell(view, notebook, way):
    work, n_tasks = WAYS[way]
    client = await notebook()

    def run() -> None:
        for client.cell in (1, 2):
            work(client)

    await client.run(run)
    found = [sum(tasks_of(view, number).values()) for number in (1, 2)]
    assert found[0] == found[1] >= max(n_tasks, N)
    assert not any(cell["by_time"] for cell in view.cells())


async def test_data_frames_do_not_warn_of_annotations(view, notebook):
    client = await notebook()
    client.cell = 1

    def run() -> int:
        import dask.dataframe as dd

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            frame = dd.from_pandas(pd.DataFrame({"a": range(N)}), npartitions=N)
            return int(frame.a.sum().compute())

    assert await client.run(run) == sum(range(N))
    assert sum(tasks_of(view, 1).values()) >= N


async def test_results_that_are_held_do_not_take_the_tasks_of_later_cells(view, notebook):
    """Dask's own spans count all of these in the first cell: tasks of one function are one group."""
    client, other = await notebook(), await notebook()

    def run() -> list[Any]:
        held = []
        for number in (1, 2, 3):
            for who in (client, other):
                who.cell = number
                held.append(who.map(one, range(number), pure=False))
                distributed.wait(held[-1])
        return held

    held = await client.run(run)
    for who in (client, other):
        assert [tasks_of(view, number, who) for number in (1, 2, 3)] == [{"one": 1}, {"one": 2}, {"one": 3}]
    assert {group["shared"] for cell in view.cells() for group in cell["groups"]} == {True}
    await asyncio.to_thread(held.clear)


async def test_what_another_cell_has_computed_is_not_counted_again(view, notebook):
    client = await notebook()

    def run() -> None:
        client.cell = 1
        x = client.persist(da.ones((N, 4), chunks=(1, 4)))
        distributed.wait(x)
        client.cell = 2
        client.compute(x.sum()).result()

    await client.run(run)
    assert sum(tasks_of(view, 1).values()) == N
    assert "ones_like" not in tasks_of(view, 2)
    assert tasks_of(view, 2)["sum"] == N


async def test_tasks_of_tasks_belong_to_the_cell(view, notebook):
    client = await notebook()
    client.cell = 4

    def nested() -> int:
        return int(get_client().submit(one, 7, pure=False).result())

    await client.run(lambda: client.submit(nested).result())
    assert tasks_of(view, 4) == {"nested": 1, "one": 1}


async def test_spans_and_annotations_of_users_stay(view, notebook):
    client = await notebook()
    client.cell = 1

    def run() -> Any:
        with distributed.span("mine"), dask.annotate(priority=7):
            future = client.submit(one, 1, key="it")
        distributed.wait(future)
        return future

    future = await client.run(run)
    scheduler = view._scheduler
    task = scheduler.tasks["it"]
    assert task.annotations["priority"] == 7
    assert task.annotations["span"]["name"] == ("lab.ipynb [1]", "mine")
    assert FACTS not in task.annotations
    await asyncio.to_thread(future.release)


async def test_without_a_cell_what_a_client_sends_without_a_pause_is_one_piece(view, notebook, monkeypatch):
    client = await notebook()
    await client.run(lambda: [client.submit(one, i, pure=False).result() for i in range(3)])
    [piece] = view.cells()
    assert piece["by_time"]
    assert piece["client"] == client.id
    assert tasks_of(view, None) == {"one": 3}
    monkeypatch.setattr(tracking, "REST_SECONDS", -1.0)
    await client.run(lambda: client.submit(one, 9, pure=False).result())
    assert len(view.cells()) == 2


async def test_failed_and_cancelled_tasks_are_not_done(view, notebook):
    client = await notebook()

    def wrong(x: int) -> None:
        raise ValueError(x)

    def run() -> None:
        client.cell = 1
        failing = client.map(wrong, range(3))
        distributed.wait(failing)
        client.cell = 2
        waiting = client.map(one, [client.submit(wrong_only_later, key="later")] * 5, pure=False)
        client.cancel(waiting)
        kept.append(failing)

    kept: list[Any] = []
    await client.run(run)
    await asyncio.sleep(0.2)
    [first, second] = view.cells()
    assert [(group["n_done"], group["n_failed"]) for group in first["groups"]] == [(0, 3)]
    assert {group["name"]: group["n_cancelled"] for group in second["groups"]}["one"] == 5
    await asyncio.to_thread(kept.clear)


def wrong_only_later() -> None:
    import time

    time.sleep(1)


async def test_a_cell_has_an_end_and_is_open_again_when_results_are_recomputed(view, notebook, monkeypatch):
    monkeypatch.setattr(tracking, "REST_SECONDS", 0.0)
    client = await notebook()
    client.cell = 1
    future = await client.run(lambda: client.submit(one, 1))
    await asyncio.to_thread(future.result)
    [cell] = view.cells()
    assert cell["began"] <= cell["ended"]
    for _ in range(tracking.RETURNED):
        view.cells()
    assert view.cells() == []
    await client.run(lambda: client.submit(one, 2).result())
    [cell] = view.cells()
    assert sum(group["n_tasks"] for group in cell["groups"]) == 2


async def test_old_cells_and_groups_are_forgotten(view, notebook, monkeypatch):
    monkeypatch.setattr(tracking, "MOST_CELLS", 3)
    monkeypatch.setattr(tracking, "FEW_GROUPS", 4)
    monkeypatch.setattr(tracking, "REST_SECONDS", 0.0)
    view._reader._cells._sweep_at = 4
    client = await notebook()
    for number in range(12):
        client.cell = number

        def run(name: str = f"kind{number}") -> None:
            client.submit(one, 1, key=f"{name}-1").result()

        await client.run(run)
        view.cells()
    followed = view._reader._cells
    assert len(followed._cells) <= 4
    assert len(followed._shares) <= 9


async def test_workers_that_die_are_counted_while_a_cell_computes(view, notebook):
    client = await notebook()
    client.cell = 1
    await client.run(lambda: client.submit(one, 1).result())
    followed = view._reader._cells
    followed.lost("tcp://127.0.0.1:1")  # Nothing was logged about it: it did not leave on purpose.
    assert [cell["n_lost_workers"] for cell in view.cells()] == [1]
