"""The sentence about workers whose GPU memory could not be set up, with messages that real RMM gave."""

from __future__ import annotations

from typing import Any

import pytest
from gpucluster.backends.cuda.failures import explain
from gpucluster.protocol.errors import StartFailed, StartTimedOut

POOL = "2 of 2 workers could not start: CUDARuntimeError: cudaErrorNotSupported: operation not supported."
ASYNC = (
    "2 of 2 workers could not start: RuntimeError: RMM failure at: cuda_async_memory_resource_impl.cpp:32: "
    "cudaMallocAsync not supported with this CUDA driver/runtime version."
)


@pytest.mark.parametrize(
    ("message", "options", "words"),
    [
        (POOL, {"rmm_pool_size": 2**30, "rmm_track_allocations": True}, "rmm_pool_size (1 GiB) could not be set up"),
        (ASYNC, {"rmm_async": True}, "use rmm_pool_size instead"),
        (POOL, {"rmm_track_allocations": True}, "turn it off"),
    ],
)
def test_the_option_is_named(message: str, options: dict[str, Any], words: str) -> None:
    explained = explain(StartFailed(message), options).message
    assert explained.startswith(message) and words in explained


def test_other_failures_stay_as_they_are() -> None:
    other = StartFailed("1 of 1 workers could not start: RuntimeError: no licence.")
    assert explain(other, {"rmm_pool_size": 2**30}) is other
    late = StartTimedOut("1 of 2 workers arrived; MemoryError")
    assert explain(late, {"rmm_pool_size": 2**30}) is late
    assert explain(plain := StartFailed(POOL), {}) is plain
