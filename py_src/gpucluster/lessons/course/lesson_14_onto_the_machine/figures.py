"""Figures of the lesson on sites: who may connect to whom, what a job's time went into, where a tunnel ends, pods."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ....protocol.plain_text import counted
from ...figures.drawing import when_ready
from ...figures.vector import BLUE, GREEN, GREY, ORANGE, QUIET, RED, Picture, Steps
from .material import Round, Route, follow

_PLACES = {
    "laptop": (72.0, 150.0, ("laptop", "browser")),
    "login": (262.0, 116.0, ("login node", "sbatch, pip")),
    "internet": (262.0, 28.0, ("outside", "packages, data")),
    "node1": (430.0, 72.0, ("compute node", "scheduler")),
    "node2": (528.0, 176.0, ("compute node", "worker, GPUs")),
    "storage": (350.0, 268.0, ("storage, visible to all nodes", "environments, data, scheduler file")),
}
_WAYS: tuple[tuple[str, tuple[tuple[str, str], ...], bool], ...] = (
    ("The laptop reaches the login node by SSH", (("laptop", "login"),), True),
    ("The login node reaches the internet: packages and data enter here", (("login", "internet"),), True),
    ("Compute nodes do not reach the internet", (("node1", "internet"),), False),
    ("The laptop does not reach compute nodes", (("laptop", "node2"),), False),
    ("From the login node, jobs go to compute nodes", (("login", "node1"), ("login", "node2")), True),
    ("Scheduler and workers reach each other", (("node1", "node2"),), True),
    ("All nodes can access the storage", (("login", "storage"), ("node1", "storage"), ("node2", "storage")), True),
)
_SIZES = {"storage": (250.0, 44.0)}
_USUAL = (120.0, 44.0)


def connections() -> None:
    """Draw the places of a site, and one way between them after the other."""
    pictures = []
    for told, ways, works in _WAYS:
        picture = _site(f"{told}{'' if works else ': refused'}.")
        colour = GREEN if works else RED
        picture.text(8, 312, f"{'✓' if works else '✗ refused:'} {told}", size=13, bold=True)
        for begin, end in ways:
            start, stop = _between(begin, end)
            picture.arrow(start, stop, colour, both=works and begin != "laptop", dashes="" if works else "6 4")
            if not works:
                middle = ((start[0] + stop[0]) / 2, (start[1] + stop[1]) / 2 + 6)
                picture.text(*middle, "✗", anchor="middle", size=20, bold=True, colour=RED)
        pictures.append(picture)
    Steps(pictures, f"A site and its connections: {' '.join(picture.words for picture in pictures)}").show()


def _site(words: str) -> Picture:
    picture = Picture(600, 322, words)
    for name, (x, y, lines) in _PLACES.items():
        picture.frame(x, y, *_SIZES.get(name, _USUAL), *lines)
    return picture


def _between(begin: str, end: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return where a way leaves one frame and meets the other."""
    (x, y, _), (to_x, to_y, _) = _PLACES[begin], _PLACES[end]
    return _edge(begin, to_x - x, to_y - y), _edge(end, x - to_x, y - to_y)


def _edge(name: str, right: float, down: float) -> tuple[float, float]:
    (x, y, _), (width, height) = _PLACES[name], _SIZES.get(name, _USUAL)
    scale = min((width / 2 + 4) / max(abs(right), 1e-9), (height / 2 + 4) / max(abs(down), 1e-9))
    return x + right * scale, y + down * scale


@when_ready
def allocation(jobs: Sequence[dict[str, Any]], total: tuple[float, float] | None) -> None:
    """Draw each job's time: what was computed, and what was charged all the same."""
    assert total is not None
    charged, idle = total
    end, left, width, row = max(job["end"] for job in jobs), 130.0, 520.0, 34.0
    scale = width / end
    words = f"{charged:.2f} node-hours are charged, {idle:.2f} of them idle ({idle / charged if charged else 0:.0%})."
    picture = Picture(left + width + 20, 64 + row * len(jobs) + 44, words)
    picture.text(0, 16, words, size=13, bold=True)
    for number, job in enumerate(jobs):
        top = 34 + number * row
        picture.text(0, top + 16, f"job {number}: {job['nodes']} × {job['cores']} cores,", size=11)
        picture.text(0, top + 28, f"{counted(job['gpus'], 'GPU')} per node", size=11)
        picture.box(left + job["start"] * scale, top, (job["end"] - job["start"]) * scale, 24, ORANGE,
                    f"charged from {job['start']:g} h to {job['end']:g} h")  # fmt: skip
        for begin, stop in job["busy"]:
            begin, stop = max(begin, job["start"]), min(stop, job["end"])
            if begin < stop:
                picture.box(left + begin * scale, top, (stop - begin) * scale, 24, BLUE,
                            f"computes from {begin:g} h to {stop:g} h")  # fmt: skip
    bottom = 34 + row * len(jobs)
    for hour in range(int(end) + 1):
        picture.line([(left + hour * scale, 30), (left + hour * scale, bottom)], QUIET, width=0.6)
        picture.text(left + hour * scale, bottom + 14, f"{hour} h", anchor="middle")
    picture.legend(left, bottom + 40, [(BLUE, "workers compute"), (ORANGE, "charged, and idle")])
    picture.show()


def tunnel(line: str, *, node: str, port: int, loopback: bool, login: str = "login.site.org") -> None:
    """Draw where a line of ssh leads to, as its options say."""
    route = follow(line, login=login, node=node, port=port, loopback=loopback)
    picture = Picture(620, 150, f"{line}: {route.told}")
    colour = GREEN if route.works else RED
    stops = {"laptop": 80.0, "login": 310.0, "node": 540.0}
    picture.text(0, 16, line, size=12, bold=True)
    for name, x in stops.items():
        label = {"laptop": "laptop", "login": "login node", "node": node}[name]
        listens = (f"Jupyter, port {port}",) if name == "node" else ()
        picture.frame(x, 70, 130, 46, label, *listens, colour=colour if name == route.ends_at else GREY)
    _legs(picture, route, stops, colour)
    picture.text(0, 140, ("✓ " if route.works else "✗ ") + route.told, size=12)
    picture.show()


def _legs(picture: Picture, route: Route, stops: dict[str, float], colour: str) -> None:
    places = ["laptop", "login", "node"]
    last = places.index(route.ends_at) if route.ends_at in places else 0
    for begin, end in itertools.pairwise(places[: last + 1]):
        picture.arrow((stops[begin] + 68, 70), (stops[end] - 68, 70), colour)
    if route.reaches and route.reaches != route.ends_at:
        picture.arrow((stops["login"] + 68, 70), (stops["node"] - 68, 70), colour, dashes="5 4")
    if route.asks:
        picture.text(stops.get(route.reaches or route.ends_at, 310), 112, f"asks for {route.asks}", anchor="middle")


def pods(history: Sequence[Round]) -> None:
    """Draw pods that are wanted, running and starting, round by round."""
    left, width, height, top = 60.0, 560.0, 130.0, 26.0
    most = max(max(one.wanted, one.running + one.starting) for one in history)
    step = width / len(history)
    told = [f"round {one.number}: {', '.join(one.told)}" for one in history if one.told]
    words = f"Simulated. Pods wanted and running in {len(history)} rounds. {'. '.join(told)}."
    picture = Picture(left + width + 20, top + height + 40 + 15 * len(told), words)
    picture.legend(left, 12, [(BLUE, "running"), (ORANGE, "starting"), (GREY, "wanted (line)")])
    wanted = []
    for one in history:
        x = left + one.number * step
        for count, base, colour, name in (
            (one.running, 0, BLUE, "running"), (one.starting, one.running, ORANGE, "starting")
        ):  # fmt: skip
            if count:
                picture.box(x + 1, top + height * (1 - (base + count) / most), step - 2, height * count / most, colour,
                            f"round {one.number}: {count} {name}")  # fmt: skip
        wanted += [(x, top + height * (1 - one.wanted / most)), (x + step, top + height * (1 - one.wanted / most))]
        picture.text(x + step / 2, top + height + 14, str(one.number), anchor="middle", size=10)
    picture.line(wanted, GREY, width=2.5)
    for number in range(0, most + 1, 2):
        picture.text(left - 8, top + height * (1 - number / most) + 4, str(number), anchor="end", size=10)
    picture.text(left - 8, top + height + 14, "round", anchor="end", size=10)
    for place, line in enumerate(told):
        picture.text(left, top + height + 36 + 15 * place, line, size=11)
    picture.show()
