"""Canaries: Dask collections."""

import pickle
import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask._expr import LLGExpr
from dask._task_spec import Task, TaskRef
from dask.base import collections_to_expr
from distributed import futures_of
from distributed.utils import offload
from gpucluster.dask_internals import collections, loops, scheduler_information

FRAME = pd.DataFrame({"a": [1, 2, 3, 4]})


def test_meta_of_blocks(canary):
    with canary("Array._meta and DataFrame._meta"):
        assert isinstance(collections.meta(da.ones(4, chunks=2)), np.ndarray)
        assert len(collections.meta(da.ones(4, chunks=2))) == 0
        assert isinstance(collections.meta(dd.from_pandas(FRAME, npartitions=2)), pd.DataFrame)
        assert collections.meta(np.ones(1)) is None


def test_chunks(canary):
    with canary("Array._chunks, and Array.copy() that has its own"):
        unknown = dd.from_pandas(FRAME, npartitions=2).to_dask_array()
        known = collections.with_chunks(unknown, ((2, 2), (1,)))
        assert known.shape == (4, 1)
        assert known.sum().compute(scheduler="synchronous") == 10
        assert np.isnan(unknown.shape[0]), "the original array was changed"


@pytest.mark.parametrize(
    "made", [da.ones((4, 2), chunks=2), dd.from_pandas(FRAME, npartitions=2)], ids=["array", "frame"]
)
def test_names_and_keys(made, canary):
    with canary("_name, and __dask_keys__ that begin with it"):
        keys = collections.keys(made)
        assert len(keys) == 2
        assert {key[0] for key in keys} == {collections.name(made)}


def test_blocks(here, canary):
    array = da.ones((4, 2), chunks=2)
    with canary("to_delayed(optimize_graph=False) of arrays"):
        blocks = collections.delayed_blocks(array)
        assert [block.compute(scheduler="synchronous").shape for block in blocks] == [(2, 2), (2, 2)]
    with canary("__dask_graph__ of a persisted array, with a future for each key"):
        assert not collections.are_futures(array)
        assert collections.are_futures(here.client.persist(array))
        assert not collections.are_futures(here.client.persist(array) + 1)


def test_futures(here, canary):
    kept = here.client.persist(da.ones((4, 2), chunks=2))
    with canary("unpack_collections, and the layers of graphs with their futures"):
        assert collections.futures_in([[da.ones(4)], 1]) == []
        futures = collections.futures_in([da.ones(4), ((kept + 1).sum(), {"a": kept})])
        assert {future.key for future in futures} == set(collections.keys(kept))


def test_unpickled_futures_get_a_client(here, canary):
    with canary("Future.client, None in an unpickled future, and Future.bind_client"):
        future = here.client.scatter(1, direct=False)
        copy = pickle.loads(pickle.dumps(future))
        assert copy.client is None
        collections.bind_futures([copy, future], here.client)
        assert copy.client is future.client is here.client
        assert copy.result(timeout=60) == 1
    with canary("Client._scheduler_identity"):
        assert scheduler_information.known_scheduler_id(here.client) == here.client.scheduler_info()["id"]
    with canary("the names of Dask's threads, IO loop and Dask-Offload"):
        assert not loops.in_dask_thread()
        assert here.client.sync(_in_dask_threads) == (True, True)


async def _in_dask_threads():
    return loops.in_dask_thread(), await offload(loops.in_dask_thread)


@pytest.mark.parametrize(
    "made", [da.ones((4, 2), chunks=2), dd.from_pandas(FRAME, npartitions=2), dask.delayed(abs)(-1)],
    ids=["array", "frame", "delayed"],
)  # fmt: skip
def test_keys_needed_by_graph(here, canary, made):
    with canary("Expr.operands, layers of graphs with futures, and GraphNode.dependencies"):
        kept = here.client.persist(made)
        needed = {future.key for future in futures_of(kept)}
        expr = collections_to_expr([dask.delayed(len)(kept)])
        assert needed and needed <= collections.needed_by(expr)
        assert collections.needed_by(LLGExpr({"x": Task("x", abs, TaskRef("y"))})) == {"y"}


def test_stored_error_holds_no_futures(here, canary, interrupted, wait_until):
    lazy = dask.delayed(abs)(-3)
    with canary("futures in frames of distributed, of what calls it, and of the event loop"):
        with interrupted(here.client.loop), pytest.raises(KeyboardInterrupt) as kept, collections.leaving_no_futures():
            here.client.compute(lazy)
        time.sleep(0.2)  # until the messages arrive
        wait_until(lambda: lazy.key not in here.scheduler.tasks)
        assert kept.value.__traceback__ is not None


def test_variables_that_hold_results(here, canary, wait_until):
    frame = here.client.persist(dd.from_pandas(FRAME, npartitions=2))
    array, one = here.client.persist([da.ones(4, chunks=2), dask.delayed(sum)([1, 2])])
    future, several = here.client.submit(abs, -7), here.client.map(abs, [-8, -9])
    held = {"frame": frame, "array": array, "one": one, "future": future, "several": several}
    namespace = {"_": array, "sum": array.sum(), "mean": frame.a.mean(), "numbers": [1], **held}
    with canary("key_split"):
        assert [collections.kind(futures_of(one)[0].key) for one in (future, array)] == ["abs", "ones_like"]
    with canary("Future.key; Expr and FromGraph in expr of frames; the graph of persisted collections"):
        for name, value in held.items():
            key = futures_of(value)[0].key
            assert collections.variables_of(namespace, key) == [name]
    wait_until(lambda: all(future.key in here.scheduler.tasks for future in futures_of(list(held.values()))))
    with canary("key_split_group"):
        for name, value in held.items():
            group = here.scheduler.tasks[futures_of(value)[0].key].group.name
            found = collections.variables_of(namespace, group=group)
            assert found == (["future", "several"] if name in {"future", "several"} else [name])
        here.client.status = "closed"  # Its futures are of no cluster that runs.
        assert collections.variables_of(namespace, group=group) == []
        here.client.status = "running"
    with canary("Future.key; Expr and FromGraph in expr of frames; the graph of persisted collections"):
        del namespace["array"], namespace["frame"]
        assert collections.variables_of(namespace, futures_of(array)[0].key) == ["sum"]
        assert collections.variables_of(namespace, futures_of(frame)[0].key) == ["mean"]
