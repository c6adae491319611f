"""Lesson 12, paths: which way data takes between two places, and how often it is staged in host memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination
from .. import exercise
from ..answers import number

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
    """Return two ends. Each process has one GPU of its own; cards belong to nodes; NVLink goes both ways."""
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
    pairs = [*TABLE, *(random_pair(exam.rng) for _ in range(120))]
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
            exam.expect("The copies by way of host memory are counted", n_copies == copies, what)


def _said(one: Place, other: Place) -> str:
    where = "host memory" if one["device"] is None else f"GPU {one['device']}"
    linked = ", NVLink to the other" if one["device"] is not None and other["device"] in one["nvlink"] else ""
    return f"{where} of process {one['process']} on {one['node']} ({one['card']} card{linked})"
