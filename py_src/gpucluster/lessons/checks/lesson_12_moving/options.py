"""Lesson 12, options: the configuration of UCX as distributed-ucxx reads it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise

_UCX: dict[str, tuple[Any, ...]] = {
    "tcp": (True, False, None), "nvlink": (True, False, None), "infiniband": (True, False), "rdmacm": (True, None),
    "cuda-copy": (True,), "create-cuda-context": (True,), "multi-buffer": (False,),
    "environment": ({"log-level": "info"}, {"tls": "tcp,cuda_copy", "memtype-cache": "n"}),
}  # fmt: skip

_TODAY: tuple[dict[str, Any], ...] = (
    {"nvlink": "new", "rmm": {"pool-size": "new"}}, {"tcp": "new"}, {"rmm": {"track": "new"}},
    {"environment": {"log-level": "new", "proto-info": "y"}, "cuda-copy": "new"},
)  # fmt: skip


def random_old(rng: np.random.Generator) -> dict[str, Any]:
    """Return a configuration as it was written for UCX-Py, with other settings beside it."""
    ucx = {
        name: copy.deepcopy(values[int(rng.integers(len(values)))])
        for name, values in _UCX.items()
        if rng.random() < 0.4
    }
    comm: dict[str, Any] = {}
    if ucx or rng.random() < 0.2:
        comm["ucx"] = ucx
    if rng.random() < 0.5:
        comm["timeouts"] = {"connect": f"{int(rng.integers(5, 60))}s"}
    distributed: dict[str, Any] = {"comm": comm} if comm else {}
    if rng.random() < 0.5:
        distributed["rmm"] = {"pool-size": str(rng.choice(["1GB", "30GB"]))}
        if rng.random() < 0.2:
            distributed["rmm"]["note"] = "mine"
    if rng.random() < 0.6:
        distributed["worker"] = {"memory": {"target": 0.6}, "profile": {}}
    config: dict[str, Any] = {"distributed": distributed} if distributed else {}
    if rng.random() < 0.5:
        config["temporary-directory"] = "/scratch/me"
    if rng.random() < 0.4:
        config["distributed-ucxx"] = copy.deepcopy(_TODAY[int(rng.integers(len(_TODAY)))])
    return config


def true_migration(config: dict[str, Any]) -> dict[str, Any]:
    """Return the same settings under the names of today."""
    new = copy.deepcopy(config)
    distributed = new.get("distributed", {})
    moved: dict[str, Any] = {}
    if "ucx" in distributed.get("comm", {}):
        moved = distributed["comm"].pop("ucx")
        if not distributed["comm"]:
            del distributed["comm"]
    if "pool-size" in distributed.get("rmm", {}):
        moved.setdefault("rmm", {})["pool-size"] = distributed["rmm"].pop("pool-size")
        if not distributed["rmm"]:
            del distributed["rmm"]
    if "distributed" in new and not distributed:
        del new["distributed"]
    if moved:
        there = new.setdefault("distributed-ucxx", {})
        for name, value in moved.items():
            if isinstance(value, dict) and isinstance(there.get(name), dict):
                there[name] = {**value, **there[name]}
            else:
                there.setdefault(name, value)
    return new


def _old_with_today() -> dict[str, Any]:
    """Return settings of both kinds that meet inside of two dictionaries."""
    return {
        "distributed": {
            "comm": {"ucx": {"environment": {"log-level": "info", "tls": "tcp"}}},
            "rmm": {"pool-size": "1GB"},
        },
        "distributed-ucxx": {"environment": {"log-level": "new"}, "rmm": {"track": "new"}},
    }


@exercise("12.10", "migrate")
def check_migrate(exam: Examination, migrate: Any) -> None:
    """For random configurations: what moves, what stays, and what is there already."""
    cases = [random_old(exam.rng) for _ in range(80)]
    cases += [
        _old_with_today(),
        {},
        {"distributed": {"rmm": {"pool-size": "2GB"}}},
        {"distributed": {"comm": {"ucx": {"tcp": True}}}},
    ]
    for config in cases:
        found = exam.call(migrate, copy.deepcopy(config))
        exam.require("It returns a dictionary", isinstance(found, dict), describe(found))
        true = true_migration(config)
        ucx, new = found.get("distributed-ucxx", {}), true.get("distributed-ucxx", {})
        case = f"{config} became {found}"
        exam.expect("What was for UCX is under distributed-ucxx, and what was there stays", ucx == new,
                    "it is" if ucx == new else f"{case}; distributed-ucxx should be {new}")  # fmt: skip
        rest = {name: value for name, value in found.items() if name != "distributed-ucxx"}
        other = {name: value for name, value in true.items() if name != "distributed-ucxx"}
        exam.expect("All other settings stay, and nothing empty is left where something moved", rest == other,
                    "they do" if rest == other else f"{case}; the rest should be {other}")  # fmt: skip
        exam.expect("No distributed-ucxx is made when nothing moves", bool(ucx) or "distributed-ucxx" not in found,
                    "none" if ucx or "distributed-ucxx" not in found else case)  # fmt: skip
