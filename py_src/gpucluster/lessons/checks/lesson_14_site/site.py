"""Lesson 14, the site: where steps belong, what an allocation costs, how to get to Jupyter on a node."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...material.routes import follow
from .. import exercise
from ..answers import relative_gap, several

_PLACES = ("login", "compute", "split")


def true_place(step: dict[str, Any], login_minutes: float) -> str:
    """Return where a step belongs."""
    if not step["gpus"] and step["minutes"] <= login_minutes:
        return "login"
    return "split" if step["internet"] else "compute"


@exercise("14.1", "places")
def check_places(exam: Examination, places: Any) -> None:
    """Each of many random steps is where the rules put it, also at the limit."""
    for turn in range(60):
        limit = [10, 10, 5, 30, 0.5][turn % 5]
        steps = [
            {
                "name": f"step {number}", "internet": bool(exam.rng.random() < 0.5),
                "gpus": int(exam.rng.choice([0, 0, 0, 1, 4])),
                "minutes": float(exam.rng.choice([0, limit / 2, limit, limit + 0.01, limit * 3])),
            }
            for number in range(turn % 6)
        ]  # fmt: skip
        found = exam.call(places, steps, limit) if turn % 5 else exam.call(places, steps)
        listed = hasattr(found, "__iter__") and not isinstance(found, (str, dict, set))
        exam.require("It returns a list", listed, describe(found))
        named = [str(one) for one in found]
        exam.require("It returns one place for each step", len(named) == len(steps), f"{len(named)} for {len(steps)}")
        unknown = next((one for one in named if one not in _PLACES), None)
        exam.require("Each place is 'login', 'compute' or 'split'", unknown is None, f"{unknown!r}")
        for step, place in zip(steps, named, strict=True):
            true = true_place(step, limit)
            shown = {name: value for name, value in step.items() if name != "name"}
            exam.expect(_sentence(step, limit), place == true, f"{place!r} for {shown}, limit {limit} minutes")


def _sentence(step: dict[str, Any], limit: float) -> str:
    if step["gpus"]:
        more = ", and split where it needs the internet" if step["internet"] else ""
        return f"What needs GPUs is never on the login node{more}"
    if step["minutes"] == limit:
        return "A step of exactly the limit is still allowed on the login node"
    if step["minutes"] < limit:
        return "A short step without GPUs is on the login node"
    return "A long step is on a compute node, or split where it needs the internet"


def random_jobs(rng: np.random.Generator, cores: int, gpus: int) -> list[dict[str, Any]]:
    """Return jobs with busy times in any order, some overlapping, some out of the job."""
    jobs = []
    for _ in range(int(rng.integers(0, 4))):
        start = float(rng.uniform(0, 5))
        end = start + float(rng.uniform(0.5, 6))
        begins = rng.uniform(start - 1, end + 0.5, int(rng.integers(0, 6)))
        jobs.append({
            "start": start, "end": end, "nodes": int(rng.integers(1, 5)), "cores": int(rng.integers(1, cores + 1)),
            "gpus": int(rng.integers(0, gpus + 1)),
            "busy": [(float(begin), float(begin + rng.uniform(0.05, 2.5))) for begin in begins],
        })  # fmt: skip
    return jobs


def true_node_hours(jobs: list[dict[str, Any]], cores: int, gpus: int) -> tuple[float, float]:
    """Return charged and idle node-hours, by looking at each piece between two of all the moments."""
    charged = idle = 0.0
    for job in jobs:
        share = max(job["cores"] / cores, job["gpus"] / gpus if gpus else 0.0) * job["nodes"]
        inside = [moment for pair in job["busy"] for moment in pair if job["start"] < moment < job["end"]]
        moments = sorted({job["start"], job["end"], *inside})
        for begin, end in itertools.pairwise(moments):
            middle = (begin + end) / 2
            charged += share * (end - begin)
            if not any(one <= middle <= other for one, other in job["busy"]):
                idle += share * (end - begin)
    return charged, idle


@exercise("14.5", "node_hours")
def check_node_hours(exam: Examination, node_hours: Any) -> None:
    """Both numbers are right for simple cases, each of which has one difficulty, and for random ones."""
    one = {"start": 1.0, "end": 5.0, "nodes": 2, "cores": 8, "gpus": 1, "busy": [(1.0, 5.0)]}
    cases: list[tuple[str, list[dict[str, Any]], int, int]] = [
        ("Without any job, both are 0", [], 32, 4),
        ("The share is the larger one of cores and GPUs", [one, {**one, "cores": 30}, {**one, "gpus": 4}], 32, 4),
        ("Nodes without GPUs are shared by cores", [{**one, "gpus": 0}], 32, 0),
        ("A job that is never busy is idle all the time", [{**one, "busy": []}], 32, 4),
        ("Busy times may come in any order", [{**one, "busy": [(4.0, 4.5), (1.5, 2.0), (3.0, 3.5)]}], 32, 4),
        ("Busy times that overlap count once", [{**one, "busy": [(1.5, 4.0), (2.0, 3.0), (3.5, 4.5)]}], 32, 4),
        ("Busy times outside of the job do not count", [{**one, "busy": [(0.0, 1.5), (4.5, 7.0), (8.0, 9.0)]}], 32, 4),
        ("Busy times before the job do not count", [{**one, "busy": [(0.0, 0.5), (2.0, 3.0)]}], 32, 4),
    ]
    for _ in range(40):
        cores, gpus = int(exam.rng.integers(4, 129)), int(exam.rng.choice([0, 2, 4, 8]))
        cases.append(("Random jobs", random_jobs(exam.rng, cores, gpus), cores, gpus))
    for sentence, jobs, cores, gpus in cases:
        found = several(exam, exam.call(node_hours, jobs, cores, gpus), "charged", "idle")
        true = true_node_hours(jobs, cores, gpus)
        for name, value, right in zip(("charged", "idle"), found, true, strict=True):
            close = _number(value) is not None and relative_gap(float(value), right) < 1e-6 + 1e-9 / max(right, 1e-9)
            told = f"{name}: {value} instead of {right:.4f}"
            exam.expect(f"{sentence}: {name}", close, f"{told}, {describe(jobs)}, {cores} cores, {gpus} GPUs")


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


@exercise("14.6", "tunnel_line")
def check_tunnel_line(exam: Examination, tunnel_line: Any) -> None:
    """The line is followed from the laptop, for both ways of listening and for any ports."""
    for turn in range(24):
        user = str(exam.rng.choice(["me", "ada", "g_rossi1"]))
        login = str(exam.rng.choice(["login.site.org", "login02-ext.example.eu"]))
        node = str(exam.rng.choice(["node7", "lrdn0042", "cn-12"]))
        port, local = (int(one) for one in exam.rng.choice(np.arange(2000, 60000), 2, replace=False))
        loopback = turn % 2 == 0
        line = exam.call(tunnel_line, user, login, node, port, loopback, local)
        exam.require("It returns one text", isinstance(line, str), describe(line))
        route = follow(line, login=login, node=node, port=port, loopback=loopback)
        how = "loopback" if loopback else "its network"
        exam.expect(f"It leads to a server that listens on {how}", route.works, f"{route.told} Line: {line}")
        if not route.works:
            continue
        exam.expect("The laptop's port is local_port", route.local_port == local, f"{route.local_port}: {line}")
        ends = "node" if loopback else "login"
        exam.expect("The connection ends where the rules say", route.ends_at == ends, f"{route.ends_at}: {line}")
        known = all(one == user for one in route.users)
        exam.expect("It says the user for each machine", known, f"{route.users}: {line}")
        exam.expect("No command is run", route.only_tunnel, line)
        exam.expect("Only the laptop's own programs can use its port", not route.for_all, line)
