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
