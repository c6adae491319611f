"""The sentence about workers whose GPU memory could not be set up, with messages that real RMM gave."""

from __future__ import annotations

from typing import Any

import pytest
from gpucluster.backends.cuda.memory import explain

POOL = "CUDARuntimeError: cudaErrorNotSupported: operation not supported"
ASYNC = (
    "RuntimeError: RMM failure at: cuda_async_memory_resource_impl.cpp:32: "
    "cudaMallocAsync not supported with this CUDA driver/runtime version"
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
    explained = explain(message, options)
    assert explained.startswith(f"{message}. ") and words in explained and not explained.endswith(".")


def test_other_failures_stay_as_they_are() -> None:
    other = "RuntimeError: no licence"
    assert explain(other, {"rmm_pool_size": 2**30}) == other
    assert explain(POOL, {}) == POOL
