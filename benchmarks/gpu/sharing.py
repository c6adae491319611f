"""Four clusters in slots of one GPU, and what the protocol costs between a notebook and its GPU worker.

``slots``: how fast one learner multiplies matrices alone, and four at once; that a fifth is refused; that a task which
takes too much fails alone. ``comms``: the same results over each protocol, from the worker's device to the device here.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import gpucluster
from gpucluster.protocol.errors import GPUClusterError

from .clusters import LEFT_BYTES, own_registry
from .devicememory import settles_to, used_by_us
from .piece import write_json

GIB = 2**30
SLOTS = 4
WORK_SECONDS = 5.0
PROTOCOLS = ("unix", "tls", "tcp", "ucx")
RESULT_BYTES = GIB
REPEATS = 5
ROUND_TRIPS = 200
PROOFS = ("fifth_refused", "too_much_refused", "all_go_on", "nothing_left")
"""What has to be so where four share a GPU."""


def multiply(seconds: float) -> float:
    """Multiply matrices on the device for this long; return products per second. Runs in a worker."""
    import time

    import cupy

    factor = cupy.random.default_rng(0).random((2048, 2048), dtype="float32")
    factor @ factor
    cupy.cuda.runtime.deviceSynchronize()
    begin, products = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        for _ in range(20):
            factor @ factor
        cupy.cuda.runtime.deviceSynchronize()
        products += 20
    return products / (time.perf_counter() - begin)


def take(n_bytes: int) -> int:
    """Take memory through RMM and give it back; runs in a worker."""
    import rmm

    return int(rmm.DeviceBuffer(size=n_bytes).size)


def slots() -> dict[str, Any]:
    """Let four clusters share a GPU."""
    before = used_by_us()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        site = Path(folder) / "site.yaml"
        site.write_text(f"sharing:\n  slots_per_gpu: {SLOTS}\n", encoding="utf-8")
        os.environ["GPUCLUSTER_SITE"] = str(site)
        stack.callback(os.environ.pop, "GPUCLUSTER_SITE")
        began = time.perf_counter()
        first = stack.enter_context(gpucluster.create("cuda", name="learner-0"))
        client = stack.enter_context(first.get_client())
        alone_created = time.perf_counter() - began
        alone = client.submit(multiply, WORK_SECONDS, pure=False).result(timeout=120)
        clusters = [first, *(stack.enter_context(gpucluster.create("cuda", name=f"learner-{n}")) for n in (1, 2, 3))]
        clients = [client, *(stack.enter_context(each.get_client()) for each in clusters[1:])]
        with ThreadPoolExecutor(SLOTS) as pool:
            together = list(
                pool.map(lambda one: one.submit(multiply, WORK_SECONDS, pure=False).result(timeout=120), clients)
            )
        try:
            gpucluster.create("cuda", name="learner-4", wait_in_line=False)
            refused = ""
        except GPUClusterError as error:
            refused = str(error)
        more = max(slot.memory_bytes or 0 for slot in clusters[1].model.slots or ())  # than its pool, which is less
        try:
            clients[1].submit(take, more, pure=False).result(timeout=60)
            too_much = ""
        except MemoryError as error:
            too_much = str(error)
        after = [one.submit(take, GIB, pure=False).result(timeout=60) for one in clients]
        found = {
            "create_seconds": alone_created,
            "labels": [[slot.label for slot in each.model.slots or ()] for each in clusters],
            "products_per_second_alone": alone,
            "products_per_second_together": together,
            "share_of_alone_in_sum": sum(together) / alone,
            "used_bytes": used_by_us() - before,
            "fifth_refused": refused,
            "too_much_refused": too_much,
            "all_go_on": after == [GIB] * SLOTS,
        }
    clean, left = settles_to(before, within=LEFT_BYTES)
    return {**found, "nothing_left": clean, "memory_after_bytes": left}


def held(n_bytes: int) -> Any:
    """Return an array of that size on the worker's device."""
    import cupy

    return cupy.ones(n_bytes // 8, dtype="f8")


def comms(file: Path) -> dict[str, Any]:
    """Time small round trips and large results over each protocol."""
    from distributed import wait

    found: dict[str, Any] = {"result_bytes": RESULT_BYTES}
    for protocol in PROTOCOLS:
        try:
            options: dict[str, Any] = {"rmm_pool_size": 8 * GIB, "rmm_allocator_external_lib_list": ["cupy"]}
            with gpucluster.create("cuda", n_workers=1, protocol=protocol, **options) as cluster:
                client = cluster.get_client()
                try:
                    small, large = [], []
                    for _ in range(ROUND_TRIPS):
                        began = time.perf_counter()
                        client.submit(os.getpid, pure=False).result(timeout=60)
                        small.append(time.perf_counter() - began)
                    for _ in range(REPEATS + 1):
                        future = client.submit(held, RESULT_BYTES, pure=False)
                        wait(future, timeout=60)
                        began = time.perf_counter()
                        array = future.result(timeout=120)
                        large.append(time.perf_counter() - began)
                        assert float(array[-1]) == 1.0
                        del array, future
                finally:
                    client.close()
            found[protocol] = {
                "round_trip_seconds": statistics.median(small),
                "result_seconds": statistics.median(large[1:]),
                "result_bytes_per_second": RESULT_BYTES / statistics.median(large[1:]),
            }
        except Exception as error:  # the other protocols are worth having
            found[protocol] = {"failed": f"{type(error).__name__}: {error}"}
        print(protocol, found[protocol], flush=True)
        write_json(file, found)
    return found


def main() -> int:
    """Measure and write the figures down."""
    parser = argparse.ArgumentParser(description="Share one GPU, or compare protocols.")
    parser.add_argument("what", choices=("slots", "comms"))
    parser.add_argument("--figures", type=Path, required=True)
    options = parser.parse_args()
    with own_registry():
        found = slots() if options.what == "slots" else comms(options.figures)
    write_json(options.figures, found)
    print(found, flush=True)
    if options.what == "slots":
        return 0 if all(found[name] for name in PROOFS) else 1
    return int(any("failed" in found[name] for name in PROTOCOLS))


if __name__ == "__main__":
    # By its own name: workers then import the functions from this module.
    from benchmarks.gpu.sharing import main as main_by_name

    raise SystemExit(main_by_name())
