"""What dask-cuda 26.10 takes: the options of ``dask cuda worker`` and the memory arguments of ``LocalCUDACluster``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

VERSION = "26.10"

VALUES = frozenset({
    "--host", "--worker-port", "--listen-address", "--contact-address", "--nthreads", "--name", "--memory-limit",
    "--device-memory-limit", "--cudf-spill-stats", "--rmm-pool-size", "--rmm-maximum-pool-size",
    "--set-rmm-allocator-for-libs", "--rmm-release-threshold", "--rmm-log-directory", "--pid-file", "--resources",
    "--dashboard-address", "--local-directory", "--scheduler-file", "--protocol", "--interface", "--preload",
    "--death-timeout", "--dashboard-prefix", "--tls-ca-file", "--tls-cert", "--tls-key", "--worker-class",
    "--pre-import", "--multiprocessing-method",
})  # fmt: skip
"""Options of ``dask cuda worker`` that are followed by a value."""

FLAGS = frozenset({
    "--enable-cudf-spill", "--disable-cudf-spill", "--rmm-managed-memory", "--no-rmm-managed-memory", "--rmm-async",
    "--no-rmm-async", "--rmm-track-allocations", "--no-rmm-track-allocations", "--dashboard", "--no-dashboard",
    "--enable-tcp-over-ucx", "--disable-tcp-over-ucx", "--enable-infiniband", "--disable-infiniband",
    "--enable-nvlink", "--disable-nvlink", "--enable-rdmacm", "--disable-rdmacm",
})  # fmt: skip
"""Options of ``dask cuda worker`` that stand alone."""

REMOVED = frozenset({"--enable-jit-unspill", "--disable-jit-unspill"})
"""Options that older versions had. dask-cuda 26.06 removed them (pull request 1641)."""

ARGUMENTS = frozenset({
    "CUDA_VISIBLE_DEVICES", "n_workers", "threads_per_worker", "memory_limit", "device_memory_limit",
    "enable_cudf_spill", "cudf_spill_stats", "local_directory", "protocol", "enable_tcp_over_ucx",
    "enable_infiniband", "enable_nvlink", "enable_rdmacm", "rmm_pool_size", "rmm_maximum_pool_size",
    "rmm_managed_memory", "rmm_async", "rmm_allocator_external_lib_list", "rmm_release_threshold",
    "rmm_log_directory", "rmm_track_allocations", "log_spilling", "pre_import",
})  # fmt: skip
"""Arguments of ``LocalCUDACluster``, without those that it hands on to ``LocalCluster``."""

OLD_COMMAND = "dask-cuda-worker --protocol ucx --rmm-async --rmm-pool-size=30GB --enable-jit-unspill"
"""As slides and forums still have it."""


def command_problems(command: str) -> list[str]:
    """Return what dask-cuda 26.10 would not take of a command line, in sentences."""
    words = shlex.split(command)
    if words[:3] != ["dask", "cuda", "worker"]:
        return ["It does not begin with the three words: dask cuda worker."]
    words = words[3:]
    found = []
    if not words or words[0].startswith("-"):
        found.append("The address of the scheduler is missing: it comes first.")
    else:
        del words[0]
    names = []
    while words:
        name, equals, value = words.pop(0).partition("=")
        names.append(name)
        if name in FLAGS and equals:
            found.append(f"{name} takes no value.")
        elif name in VALUES and not value:
            if not words:
                found.append(f"{name} has no value.")
            else:
                del words[0]
        elif name in REMOVED:
            found.append(f"{name} no longer exists: no such option.")
        elif name not in VALUES | FLAGS | {"&"}:
            found.append(f"{name} is unknown: no such option.")
    if {"--rmm-async", "--rmm-pool-size"} <= set(names):
        found.append("--rmm-async and --rmm-pool-size cannot be combined: choose one.")
    return found


def call_problems(arguments: Mapping[str, Any], card_bytes: int, n_cards: int) -> list[str]:
    """Return what is wrong with a call of ``LocalCUDACluster`` on a machine with this number of GPUs, as messages."""
    found = [
        f"{name} is not an argument of LocalCUDACluster {VERSION}: the workers' processes end, and a cluster without "
        "workers is left."
        for name in arguments
        if name not in ARGUMENTS
    ]
    visible = str(arguments.get("CUDA_VISIBLE_DEVICES", "")).split(",")
    if visible != [""] and (len(set(visible)) < len(visible) or any(int(one) >= n_cards for one in visible)):
        found.append(f"CUDA_VISIBLE_DEVICES must name different ones of the {n_cards} cards, counted from 0.")
    found += _allocator_problems(arguments)
    pool, limit = arguments.get("rmm_pool_size"), arguments.get("device_memory_limit")
    if pool is not None and _bytes(pool, card_bytes) >= card_bytes:
        found.append("The pool leaves no room for the context: it is as large as the card, or larger.")
    if isinstance(limit, str) and limit.endswith("%"):
        found.append('device_memory_limit does not accept percent signs: write 0.8 instead of "80%".')
    elif limit not in (None, 0, "default", "auto") and 0 < _bytes(limit, card_bytes) < 2**20:
        found.append(f"device_memory_limit={limit!r} means {_bytes(limit, card_bytes)} byte: all of it would spill.")
    return found


def _allocator_problems(arguments: Mapping[str, Any]) -> list[str]:
    found = []
    asynchronous, pool = arguments.get("rmm_async"), arguments.get("rmm_pool_size")
    if asynchronous and pool is not None:
        found.append("rmm_pool_size is not needed with rmm_async: a FutureWarning now, an error later.")
    if asynchronous and arguments.get("rmm_managed_memory"):
        found.append("rmm_managed_memory and rmm_async cannot be combined: a ValueError.")
    if arguments.get("rmm_release_threshold") is not None and not asynchronous:
        found.append("rmm_release_threshold needs rmm_async: a ValueError.")
    if arguments.get("rmm_maximum_pool_size") is not None and pool is None and not asynchronous:
        found.append("rmm_maximum_pool_size without a pool is silently ignored.")
    return found


def _bytes(size: Any, card_bytes: int) -> int:
    """Read a size as dask-cuda does: a number up to 1 with a point is a share, any other number is bytes."""
    from dask.utils import parse_bytes

    if isinstance(size, float) and 0 < size <= 1:
        return int(size * card_bytes)
    return int(size) if isinstance(size, (int, float)) else int(parse_bytes(size))
