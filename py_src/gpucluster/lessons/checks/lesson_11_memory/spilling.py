"""Lesson 11, spilling: which buffers leave the device, and where a worker's results are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...simulations.spilling import Buffer
from .. import exercise


def random_device(rng: np.random.Generator) -> tuple[list[Buffer], int, int]:
    """Return the buffers on a device in no order, the bytes that are needed, and the limit."""
    count = int(rng.integers(0, 10))
    moments = rng.permutation(np.arange(1, 100))[:count]
    buffers: list[Buffer] = [
        {"name": f"buffer {place}", "bytes": int(rng.integers(1, 60)) * 100, "last_used": int(moment),
         "exposed": bool(rng.random() < 0.25)}
        for place, moment in enumerate(moments)
    ]  # fmt: skip
    held = sum(one["bytes"] for one in buffers)
    needed = int(rng.integers(1, 60)) * 100
    # Room for all, for some, or for less than what must stay; and an exact fit.
    limit = int(rng.choice([held + needed, rng.integers(1, held + needed + 1), max(1, held // 2), held + needed + 500]))
    chance = rng.random()
    if count and chance < 0.5:
        oldest = min(buffers, key=lambda one: one["last_used"])
        # Fits exactly when the oldest has left; or it is a little too small, where a larger one alone would do.
        limit = held + needed - oldest["bytes"] - (0 if chance < 0.3 else 100)
    return buffers, needed, max(1, limit)


def true_choice(buffers: list[Buffer], needed: int, limit: int) -> list[str]:
    """Return who leaves, in order."""
    held, leaving = sum(one["bytes"] for one in buffers), list[str]()
    for one in sorted(buffers, key=lambda one: one["last_used"]):
        if held + needed <= limit:
            break
        if not one["exposed"]:
            leaving.append(one["name"])
            held -= one["bytes"]
    return leaving


@exercise("11.6", "to_spill")
def check_to_spill(exam: Examination, to_spill: Any) -> None:
    """The least recently used leave first, as few as are needed, and none that is exposed."""
    for _ in range(150):
        buffers, needed, limit = random_device(exam.rng)
        result = exam.call(to_spill, [dict(one) for one in buffers], needed, limit)
        exam.require("It returns a list of names", isinstance(result, (list, tuple, np.ndarray)), describe(result))
        found = list(result)
        known = {one["name"]: one for one in buffers}
        strange = [name for name in found if name not in known]
        exam.require("They are names of buffers on the device", not strange, f"{strange[:1]} is none")
        exam.require("Each name is there once", len(set(found)) == len(found), f"{found}")
        exposed = [name for name in found if known[name]["exposed"]]
        exam.expect("Exposed buffers stay", not exposed, f"{exposed[:2]} left" if exposed else "they do")
        true = true_choice(buffers, needed, limit)
        held = sum(one["bytes"] for one in buffers)
        what = f"{len(found)} leave; {held:,} bytes on the device, {needed:,} needed, limit {limit:,}"
        exam.expect("What stays and what is needed fit, where that is possible", set(found) >= set(true) or exposed,
                    what if found == true else f"{what}; {len(true)} should")  # fmt: skip
        exam.expect("No more leave than is needed", len(found) <= len(true), what)
        exam.expect("The least recently used leaves first", found == true or exposed or len(found) != len(true),
                    what if found == true else f"{found[:3]} instead of {true[:3]}")  # fmt: skip


def random_workers(rng: np.random.Generator) -> dict[str, Any]:
    """Return what the scheduler knows of some workers, as ``client.scheduler_info()["workers"]`` has it."""
    workers: dict[str, Any] = {}
    for place in range(int(rng.integers(1, 6))):
        spilled = int(rng.integers(0, 10**9)) if rng.random() < 0.7 else 0
        managed = spilled + int(rng.integers(0, 10**9))
        on_disk = int(spilled * rng.uniform(0.2, 1.1))
        workers[f"tcp://127.0.0.1:{40000 + place}"] = {
            "name": place,
            "memory_limit": int(rng.integers(10**9, 10**10)),
            "metrics": {
                "managed_bytes": managed,
                "spilled_bytes": {"memory": spilled, "disk": on_disk},
                "memory": managed - spilled + int(rng.integers(10**7, 10**8)),
                "cpu": float(rng.uniform(0, 100)),
            },
        }
    return workers


@exercise("11.7", "tiers")
def check_tiers(exam: Examination, tiers: Any) -> None:
    """For random workers: what is in memory, and what the files on disk take."""
    for _ in range(20):
        workers = random_workers(exam.rng)
        found = exam.call(tiers, workers)
        exam.require("It returns a dictionary", isinstance(found, dict), describe(found))
        exam.require("It has one entry for each worker, by its address", set(found) == set(workers),
                     f"{len(found)} entries for {len(workers)} workers")  # fmt: skip
        for address, worker in workers.items():
            pair = found[address]
            is_pair = isinstance(pair, (tuple, list, np.ndarray)) and len(pair) == 2
            exam.require("Each entry is a pair: in memory, on disk", is_pair, describe(pair))
            metrics = worker["metrics"]
            spilled = metrics["spilled_bytes"]
            memory, disk = metrics["managed_bytes"] - spilled["memory"], spilled["disk"]
            exam.expect("In memory is what the worker knows without what it has spilled", pair[0] == memory,
                        f"{pair[0]!r}" + ("" if pair[0] == memory else f", not {memory:,}"))  # fmt: skip
            exam.expect("On disk is what the files take", pair[1] == disk,
                        f"{pair[1]!r}" + ("" if pair[1] == disk else f", not {disk:,}"))  # fmt: skip
