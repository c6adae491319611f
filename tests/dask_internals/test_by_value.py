"""Canary: our code is sent to processes that do not have it."""

from __future__ import annotations

import pickle

from gpucluster.dask_internals import scheduler_state
from gpucluster.dask_internals.by_value import sent_by_value


def test_functions_travel_as_code(here, canary):
    with canary("cloudpickle by value in what clients send, looked up by the function's own module"):
        # A reference takes some dozens of bytes, code many more.
        from distributed.protocol.pickle import dumps

        with sent_by_value():
            code = dumps(scheduler_state.has_work)
        assert len(code) > 3 * len(dumps(scheduler_state.has_work))
        assert pickle.loads(code)(here.scheduler) is False
        assert pickle.loads(code) is not scheduler_state.has_work


def test_a_plugin_given_from_elsewhere(here, canary):
    from distributed import WorkerPlugin

    class Elsewhere(WorkerPlugin):
        name = "elsewhere"

    with canary("the scheduler's handler register_worker_plugin"):
        import cloudpickle

        pickled = cloudpickle.dumps(Elsewhere())
        here.client.sync(scheduler_state.give_worker_plugin_elsewhere, here.client, pickled, "elsewhere")
        assert "elsewhere" in here.worker.plugins and "elsewhere" in here.scheduler.worker_plugins
        here.client.sync(scheduler_state.take_worker_plugin, here.scheduler, "elsewhere")
        assert "elsewhere" not in here.worker.plugins
    with canary("the scheduler's handler unregister_worker_plugin"):
        here.client.sync(scheduler_state.give_worker_plugin_elsewhere, here.client, pickled, "elsewhere")
        here.client.sync(scheduler_state.take_worker_plugin_elsewhere, here.client, "elsewhere", seconds=10)
        assert "elsewhere" not in here.worker.plugins
