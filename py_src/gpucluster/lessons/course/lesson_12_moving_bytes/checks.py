"""The checks of lesson 12."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...answers import Floats, number, several
from ...checks import exercise
from ...examination import Examination, describe
from ..lesson_09_mpi_and_dask.checks import on_ranks, under_mpi

# Collectives: what allreduce costs along a tree and around a ring.


def levels(p: int) -> int:
    """Return the rounds of a tree: log2, rounded up."""
    return (p - 1).bit_length()


def true_tree(p: int, n: float, alpha: float, beta: float) -> float:
    """Return the seconds of reduce and broadcast along a tree."""
    return 2 * levels(p) * (alpha + n / beta)


def true_ring(p: int, n: float, alpha: float, beta: float) -> float:
    """Return the seconds of 2 (p - 1) steps with a p-th of the bytes each."""
    return 2 * (p - 1) * (alpha + n / p / beta)


@exercise("12.6", "tree_seconds", "ring_seconds", "crossover")
def check_allreduce(exam: Examination, tree_seconds: Any, ring_seconds: Any, crossover: Any) -> None:
    """Both times are right for any number of ranks, and the crossover lies where they are equal."""
    ranks = [1, 2, 3, 4, 5, 8, 9, 16, 17, 64, 100, 1024, *(int(p) for p in exam.rng.integers(2, 3000, 12))]
    for p in ranks:
        alpha, beta = float(10 ** exam.rng.uniform(-6, -3)), float(10 ** exam.rng.uniform(8, 11.5))
        n = int(10 ** exam.rng.uniform(0, 9))
        for name, function, true in (
            ("The tree", tree_seconds, true_tree(p, n, alpha, beta)),
            ("The ring", ring_seconds, true_ring(p, n, alpha, beta)),
        ):
            found = number(exam, exam.call(function, p, n, alpha, beta), f"{name}'s time")
            right = abs(found - true) <= 1e-6 * true + 1e-15
            case = f"{p} ranks, {n:,} bytes, latency {alpha:.2e} s, {beta / 1e9:.3g} GB/s"
            exam.expect(f"{name} takes as long as its messages", right,
                        f"{found:.4g} s" + ("" if right else f", not {true:.4g}: {case}"))  # fmt: skip
        if p == 1:
            continue
        size = number(exam, exam.call(crossover, p, alpha, beta), "The crossover")
        if levels(p) >= p - 1:
            exam.expect("If the ring is never slower, the crossover is 0", abs(size) < 1e-6, f"{size:,.0f}: {p} ranks")
            continue
        tree, ring = true_tree(p, size, alpha, beta), true_ring(p, size, alpha, beta)
        right = size > 0 and abs(tree / ring - 1) < 1e-3
        gap = (
            "both take as long" if right else f"at {size:,.0f} bytes the tree takes {tree:.3g} s, the ring {ring:.3g} s"
        )
        exam.expect("At the crossover, both take the same time", right, f"{gap}: {p} ranks")


# Crossings: how often data goes to and fro between host and device on its way through a pipeline.


Step = tuple[str, str, int]


def random_steps(rng: np.random.Generator, length: int) -> list[Step]:
    """Return steps with the place where each runs, and the bytes that it is given."""
    places = rng.choice(["device", "host", "any"], length, p=[0.45, 0.3, 0.25])
    return [(f"step {at}", str(place), int(rng.integers(1, 10**9))) for at, place in enumerate(places)]


def true_crossings(steps: list[Step], start: str) -> tuple[int, int]:
    """Return how often, and how many bytes."""
    at, count, total = start, 0, 0
    for _, place, n_bytes in steps:
        if place not in ("any", at):
            at, count, total = place, count + 1, total + n_bytes
    return count, total


@exercise("12.1", "crossings")
def check_crossings(exam: Examination, crossings: Any) -> None:
    """For random pipelines, from either start, also an empty one."""
    cases = [(random_steps(exam.rng, int(exam.rng.integers(1, 12))), str(exam.rng.choice(["host", "device"])))
             for _ in range(40)]  # fmt: skip
    cases += [([("a", "any", 5), ("b", "any", 7)], "device"), ([], "host"),
              ([("a", "device", 5), ("b", "any", 7), ("c", "device", 9), ("d", "host", 2)], "host")]  # fmt: skip
    for steps, start in cases:
        result = exam.call(crossings, list(steps), start)
        pair = list(result) if isinstance(result, np.ndarray) else result
        found = several(exam, pair, "how often", "bytes")
        count, total = number(exam, found[0], "How often"), number(exam, found[1], "The number of bytes")
        true = true_crossings(steps, start)
        case = f"from {start}: " + (", ".join(place for _, place, _ in steps) or "no steps")
        exam.expect("It counts every crossing", count == true[0],
                    f"{count:g}" + ("" if count == true[0] else f", not {true[0]}; {case}"))  # fmt: skip
        exam.expect("It sums the bytes that cross", total == true[1],
                    f"{total:,.0f}" + ("" if total == true[1] else f", not {true[1]:,}; {case}"))  # fmt: skip


# Fitting: latency and bandwidth of a link from measurements.


def best_fit(sizes: Floats, seconds: Floats) -> tuple[float, float]:
    """Return latency and seconds per byte with the smallest sum of squared relative errors."""
    rows = np.column_stack([np.ones_like(sizes), sizes]) / seconds[:, None]
    scale = np.abs(rows).max(axis=0)  # bytes and seconds are far apart
    found = np.linalg.lstsq(rows / scale, np.ones_like(seconds), rcond=None)[0] / scale
    return float(found[0]), float(found[1])


def misfit(sizes: Floats, seconds: Floats, alpha: float, per_byte: float) -> float:
    """Return the root of the mean squared relative error."""
    return float(np.sqrt(np.mean(((alpha + per_byte * sizes) / seconds - 1) ** 2)))


def random_link(rng: np.random.Generator, noise: float) -> tuple[Floats, Floats]:
    """Return sizes in no order, and the seconds of a link; sizes lie on both sides of latency times bandwidth."""
    alpha, beta = 10 ** rng.uniform(-5.5, -1), 10 ** rng.uniform(8, 11)
    powers = np.concatenate([rng.uniform(-3, -1, 3), rng.uniform(-1, 1, int(rng.integers(1, 5))), rng.uniform(1, 3, 3)])
    sizes = np.maximum(1, np.round(alpha * beta * 10**powers))
    rng.shuffle(sizes)
    return sizes, (alpha + sizes / beta) * np.exp(noise * rng.normal(size=len(sizes)))


def _share(error: float) -> str:
    """An error as a share; one that is many times the measurement as a power of ten."""
    return f"{error:.2%}" if error < 100 else f"{error:.0e} times the measured time"


@exercise("12.3", "fit_link", "half_size")
def check_fit(exam: Examination, fit_link: Any, half_size: Any) -> None:
    """Relative errors are as small as they can be, with and without noise."""
    for turn in range(24):
        sizes, seconds = random_link(exam.rng, 0.0 if turn % 3 == 0 else float(exam.rng.uniform(0.03, 0.15)))
        given: tuple[Any, Any] = (sizes, seconds)
        if turn % 2:
            given = ([int(size) for size in sizes], [float(second) for second in seconds])
        result = exam.call(fit_link, *given)
        pair = list(result) if isinstance(result, np.ndarray) else result
        found = several(exam, pair, "latency", "bandwidth")
        alpha, beta = number(exam, found[0], "The latency"), number(exam, found[1], "The bandwidth")
        exam.require("The bandwidth is more than 0", beta > 0, f"it is {beta:.3g}")
        true = best_fit(sizes, seconds)
        least, error = misfit(sizes, seconds, *true), misfit(sizes, seconds, alpha, 1 / beta)
        said = f"{1e6 * alpha:,.3g} µs and {beta / 1e9:,.3g} GB/s"
        best = "" if error <= 1.02 * least + 1e-4 else f"; best is {1e6 * true[0]:,.3g} µs, {1e-9 / true[1]:,.3g} GB/s"
        kind = (
            "Exact measurements are fitted exactly" if turn % 3 == 0 else "With noise, the relative errors are minimal"
        )
        exam.expect(kind, error <= 1.02 * least + 1e-4,
                    f"off by {_share(error)} on average, {least:.2%} is possible; {said}{best}")  # fmt: skip
    for _ in range(10):
        alpha, beta = float(10 ** exam.rng.uniform(-6, -1)), float(10 ** exam.rng.uniform(8, 11))
        size = number(exam, exam.call(half_size, alpha, beta), "The size")
        rate = size / (alpha + size / beta)
        exam.expect("A message of this size reaches half of the bandwidth", abs(rate / beta - 0.5) < 1e-3,
                    f"{size:,.0f} bytes reach {rate / beta:.1%}")  # fmt: skip


# Options: the configuration of UCX as distributed-ucxx reads it.


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
    """Return a configuration for UCX-Py, with other settings beside it."""
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
        exam.expect("UCX settings are under distributed-ucxx, and existing ones stay", ucx == new,
                    "it is" if ucx == new else f"{case}; distributed-ucxx should be {new}")  # fmt: skip
        rest = {name: value for name, value in found.items() if name != "distributed-ucxx"}
        other = {name: value for name, value in true.items() if name != "distributed-ucxx"}
        exam.expect("All other settings stay, and moved ones leave no empty section", rest == other,
                    "they do" if rest == other else f"{case}; the rest should be {other}")  # fmt: skip
        exam.expect("No distributed-ucxx is created if nothing moves", bool(ucx) or "distributed-ucxx" not in found,
                    "none" if ucx or "distributed-ucxx" not in found else case)  # fmt: skip


# Paths: which way data takes between two places, and how often it is staged in host memory.


WORDS = ("nothing moves", "nvlink", "pcie", "shared memory", "gpudirect", "rdma", "tcp")
Place = dict[str, Any]


def place(
    node: str, process: int, device: int | None = None, nvlink: tuple[int, ...] = (), card: str = "plain"
) -> Place:
    """Return one end of a path; ``device`` is None for host memory, ``card`` says what the node's network card can."""
    return {"node": node, "process": process, "device": device, "nvlink": nvlink, "card": card}


def true_path(one: Place, other: Place) -> str:
    """Return the word of the first row of the lesson's table that fits."""
    on_device = [end for end in (one, other) if end["device"] is not None]
    if one["node"] == other["node"]:
        if one["process"] == other["process"] and one["device"] == other["device"]:
            return "nothing moves"
        if len(on_device) == 2:
            return "nvlink" if other["device"] in one["nvlink"] else "pcie"
        return "pcie" if on_device else "shared memory"
    if "plain" in (one["card"], other["card"]):
        return "tcp"
    return "gpudirect" if on_device and all(end["card"] == "gpudirect" for end in on_device) else "rdma"


def true_copies(one: Place, other: Place) -> int:
    """Return how many ends are copied to or from host memory first."""
    way = true_path(one, other)
    on_device = [end for end in (one, other) if end["device"] is not None]
    if way == "tcp":
        return len(on_device)
    return sum(end["card"] != "gpudirect" for end in on_device) if way == "rdma" else 0


TABLE: tuple[tuple[Place, Place], ...] = (
    (place("a", 1), place("a", 1)),
    (place("a", 1, 0), place("a", 1, 0)),
    (place("a", 1), place("a", 2)),
    (place("a", 1, 0, (1, 2)), place("a", 2, 1, (0, 2))),
    (place("a", 1, 0, (1,)), place("a", 2, 3, (2,))),
    (place("a", 1, 0), place("a", 1)),
    (place("a", 1), place("b", 1)),
    (place("a", 1, 0), place("b", 1, 0)),
    (place("a", 1, card="rdma"), place("b", 1, card="rdma")),
    (place("a", 1, 0, card="gpudirect"), place("b", 1, 0, card="gpudirect")),
    (place("a", 1, 0, card="gpudirect"), place("b", 2, 1, card="rdma")),
    (place("a", 1, 0, card="rdma"), place("b", 2, card="plain")),
)
"""Twelve pairs, one for each case of the table."""


def random_pair(rng: np.random.Generator) -> tuple[Place, Place]:
    """Return two ends. Each process has its own GPU; cards belong to nodes; NVLink goes both ways."""
    same_node = rng.random() < 0.5
    nodes = ("n1", "n1") if same_node else ("n1", "n2")
    cards = [str(rng.choice(["plain", "rdma", "gpudirect"])) for _ in range(2)]
    if same_node:
        cards[1] = cards[0]
    processes = [int(rng.integers(1, 4)) for _ in range(2)]
    linked = bool(rng.random() < 0.5)
    ends = []
    for node, process, card, peer in zip(nodes, processes, cards, processes[::-1], strict=True):
        gpu = process if rng.random() < 0.6 else None
        nvlink = (peer, peer + 5) if linked and peer != process else (peer + 5,)
        ends.append(place(node, process, gpu, nvlink if gpu is not None else (), card))
    return ends[0], ends[1]


@exercise("12.5", "path", "host_copies")
def check_paths(exam: Examination, path: Any, host_copies: Any) -> None:
    """For the twelve pairs of the table, and for random ones, in both directions."""
    pairs = [*TABLE, *(random_pair(exam.rng) for _ in range(360))]
    for number_, pair in enumerate(pairs):
        for one, other in (pair, pair[::-1]):
            true, copies = true_path(one, other), true_copies(one, other)
            found = str(exam.call(path, dict(one), dict(other))).strip().lower()
            case = f"{_said(one, other)} → {_said(other, one)}"
            exam.require("Each path is one of the seven words", found in WORDS, f"{found!r}; {case}")
            kind = (
                "The twelve pairs of the table are right" if number_ < len(TABLE) else "Other pairs are right as well"
            )
            exam.expect(kind, found == true, f"{found}" + ("" if found == true else f", not {true}: {case}"))
            n_copies = number(exam, exam.call(host_copies, dict(one), dict(other)), "The number of copies")
            what = f"{n_copies:g}" + ("" if n_copies == copies else f", not {copies}: {true}, {case}")
            exam.expect("Copies through host memory are counted", n_copies == copies, what)


def _said(one: Place, other: Place) -> str:
    where = "host memory" if one["device"] is None else f"GPU {one['device']}"
    linked = ", NVLink to the other" if one["device"] is not None and other["device"] in one["nvlink"] else ""
    return f"{where} of process {one['process']} on {one['node']} ({one['card']} card{linked})"


# Ping-pong: messages to and fro between two ranks, with a clock that the check turns.


class _Clocked:
    """A communicator whose clock goes on with each message that this rank receives, more slowly after the first."""

    def __init__(self, comm: Any, ticks: list[float], warm_up: int) -> None:
        self._comm, self._ticks, self._warm_up = comm, ticks, warm_up
        self.now, self._received = 100.0, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._comm, name)

    def clock(self) -> float:
        """Return the time."""
        return self.now

    def _passes(self) -> None:
        # The first ones are slow: connections are made, memory is touched.
        self.now += 5.0 if self._received < self._warm_up else self._ticks[min(self._received, len(self._ticks) - 1)]
        self._received += 1

    def Recv(self, *args: Any, **kwargs: Any) -> Any:
        """Receive, and let time pass."""
        found = self._comm.Recv(*args, **kwargs)
        self._passes()
        return found

    def recv(self, *args: Any, **kwargs: Any) -> Any:
        """Receive an object, and let time pass."""
        found = self._comm.recv(*args, **kwargs)
        self._passes()
        return found


@exercise("12.2", "ping_pong")
def check_ping_pong(exam: Examination, ping_pong: Any) -> None:
    """A number of messages of this size each way, as buffers; the time is that of one way, without the first ones."""
    for n_bytes, repeats, warm_up in ((1, 3, 1), (1000, 5, 2), (4096, 1, 0), (100_000, 4, 3), (17, 7, 2)):
        ticks = [float(one) for one in exam.rng.uniform(0.1, 1.0, repeats + warm_up)]

        def program(comm: Any, n: int, times: int, first: int, told: Any = ticks) -> Any:
            clocked = _Clocked(comm, told, first)
            return ping_pong(clocked, n, times, first, clocked.clock)

        run = on_ranks(exam, program, n_bytes, repeats, warm_up, n_ranks=2)
        case = f"{n_bytes:,} bytes, {counted(repeats, 'repeat')}, {warm_up} before"
        sizes = [message.bytes for message in run.messages if message.kind == "buffer"]
        pickled = [message for message in run.messages if message.kind == "pickle"]
        exam.expect("Messages are buffers, not pickles", not pickled, f"{counted(len(pickled), 'pickle')}; {case}")
        exam.expect("Each message has n_bytes bytes", set(sizes) <= {n_bytes},
                    f"{sorted(set(sizes))[:3]} bytes; {case}")  # fmt: skip
        ways = [(message.source, message.target) for message in run.messages]
        needed = 2 * (repeats + warm_up)
        exam.expect("There is one message each way for each repeat and each warm-up", len(ways) == needed,
                    f"{len(ways)} messages, not {needed}; {case}" if len(ways) != needed else f"{needed}")  # fmt: skip
        takes_turns = all(way == ((0, 1) if place % 2 == 0 else (1, 0)) for place, way in enumerate(ways))
        exam.expect("Rank 0 starts, and rank 1 answers each message", takes_turns, case)
        exam.require("Rank 0 returns seconds", run.results[0] is not None, f"it returned None; {case}")
        found = number(exam, run.results[0], "The time")
        true = sum(ticks[warm_up:]) / repeats / 2
        right = abs(found - true) <= 1e-6 * true
        exam.expect("Rank 0 returns the seconds of one way, on average over the repeats", right,
                    f"{found:.4g}" + ("" if right else f", not {true:.4g}; {case}"))  # fmt: skip
        if not exam.passed:
            return
    import time

    found_by_ranks = under_mpi(exam, ping_pong, 1000, 10, 2, time.perf_counter, n_ranks=2)
    if found_by_ranks is not None:
        seconds = number(exam, found_by_ranks[0], "The time under mpiexec")
        exam.expect("With mpiexec, the time is plausible", 0 < seconds < 60, f"{seconds:.3g} s")
