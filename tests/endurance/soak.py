"""A long day at a raised rate: create, scale, compute, watch, kill, stop; memory, files and threads must not grow.

``python -m tests.endurance.soak --minutes 30`` drives a real JupyterLab with the panel open in Chromium. It samples the
Jupyter server, the process of one long-lived cluster, this process (which acts as a user's kernel), and the page.
"""

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gpucluster
import psutil
from gpucluster.client.control import Control
from gpucluster.protocol.errors import GPUClusterError

from tests.conftest import until

from .report import Report, begin, command
from .sampling import Figures, Samples, of_page, of_process, of_this

MOST_PERCENT = 5.0
SAMPLE_SECONDS = 5.0
CLUSTERS_OF_AN_HOUR = 4
"""The cycles that correspond to an hour of a busy user."""


@dataclass
class Growth(Report):
    """What was done, and the growth meanwhile."""

    cycles: int = 0
    done: Counter[str] = field(default_factory=Counter)
    growth: dict[str, Any] = field(default_factory=dict)
    samples: int = 0

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "done": dict(self.done), "simulated_hours": self.cycles / CLUSTERS_OF_AN_HOUR}


class Day:
    """The cycles of one user's day.

    `control`: of the registry of the day. `sources`: of samples by name; the long-lived cluster is added. `watch`:
    called often, so that the page stays alive. `most_workers`: the largest size of the steady cluster.
    """

    def __init__(
        self, control: Control, seed: int, sources: dict[str, Callable[[], Any]], watch: Callable[[], None],
        *, most_workers: int = 3,
    ) -> None:  # fmt: skip
        self._control = control
        self._most_workers = most_workers
        self._random = random.Random(seed)
        self._watch = watch
        self.report = Growth(seed)
        steady = gpucluster.create(
            "local", name="steady", n_workers=2, memory_limit="400 MiB", idle_timeout_seconds=None
        )
        self._steady = steady
        self.samples = Samples({**sources, "supervisor": lambda: of_process(steady.model.pid or 0), "kernel": of_this})
        self._sampled = 0.0

    def live(self, *, seconds: float = float("inf"), cycles: float = float("inf")) -> Growth:
        """Run for `seconds` or `cycles`."""
        begun = time.monotonic()
        while time.monotonic() - begun < seconds and self.report.cycles < cycles:
            try:
                self._cycle()
            except GPUClusterError as error:
                # The day continues; the report contains the error.
                self.report.failures.append(f"cycle {self.report.cycles}: {error.message}")
            self.report.cycles += 1
        self.report.seconds += round(time.monotonic() - begun, 1)
        self.report.samples = len(self.samples.rows)
        return self.report

    def sampled(self) -> dict[str, Figures]:
        self.samples.take()
        return self.samples.rows[-1]

    def end(self) -> None:
        """Stop the long-lived cluster."""
        self._steady.stop()
        self._control.remove("steady")

    def _cycle(self) -> None:
        """Make, use, stop and remove a cluster that loses a worker; use the steady one meanwhile."""
        name = f"day-{self.report.cycles}"
        cluster = gpucluster.create("local", name=name, n_workers=1, memory_limit="300 MiB")
        self._did("create")
        self._compute(cluster)
        cluster.scale(2)
        self._did("scale")
        self._kill_a_worker(cluster)
        self._compute(self._steady)
        # As often up as down, so that the cycles are alike.
        self._steady.scale(self._most_workers)
        self._compute(self._steady)
        self._steady.scale(self._most_workers - 1)
        self._did("scale")
        if self._random.random() < 0.3:
            self._steady.restart()
            self._did("restart")
        for look in (self._control.logs, self._control.activity, self._control.history, self._control.get):
            look("steady")
        self._did("look")
        self._control.stop(name)
        self._control.remove(name)
        self._did("stop")
        self._sample()

    def _compute(self, cluster: Any) -> None:
        numbers = range(self._random.randint(50, 300))
        with cluster.get_client() as client:
            # Sent by value: a cluster made elsewhere cannot import these tests.
            squares = client.map(lambda number: number * number, numbers, pure=False)
            total = client.submit(sum, squares).result(60)
        if total != sum(number * number for number in numbers):
            self.report.failures.append(f"the sum of {len(numbers)} squares came out as {total}")
        self._did("compute")

    def _kill_a_worker(self, cluster: Any) -> None:
        before = {worker.pid for worker in cluster.model.workers}
        victim = self._random.choice(sorted(filter(None, before)))
        psutil.Process(victim).kill()
        until(lambda: len(now := {worker.pid for worker in cluster.model.workers} - {victim}) == len(before) and now)
        self._did("kill a worker")

    def _did(self, what: str) -> None:
        self.report.done[what] += 1
        self._watch()

    def _sample(self) -> None:
        if time.monotonic() - self._sampled > SAMPLE_SECONDS:
            self._sampled = time.monotonic()
            self.samples.take()


def grown(growth: dict[str, Any], most_percent: float = MOST_PERCENT) -> list[str]:
    """Return messages about figures that grew by more than `most_percent`; one or two files or threads are ignored."""
    found = []
    for source, figures in growth.items():
        for name, figure in figures.items():
            more = figure["after"] - figure["before"]
            if figure["percent"] > most_percent and (name not in {"files", "threads"} or more > 2):
                found.append(f"{source}: {name} grew from {figure['before']} to {figure['after']}")
    return found


def _with_page(options: argparse.Namespace) -> tuple[Growth, Samples]:
    """Run a day in front of JupyterLab with the panel open."""
    import os

    from tests.browser.chromium import chromium, open_page, open_panel
    from tests.browser.lab import jupyter

    with ExitStack() as opened:
        lab = opened.enter_context(jupyter())
        os.environ["GPUCLUSTER_DIR"] = str(lab.directory / "registry")
        page = open_page(opened.enter_context(chromium()), lab)
        open_panel(page)
        session = page.context.new_cdp_session(page)
        server = _server_of(lab.directory)
        sources = {"server": lambda: of_process(server), "page": lambda: of_page(session)}
        # The page's own loop runs while we wait here, but Playwright's needs a turn now and then.
        day = Day(lab.control, options.seed, sources, watch=lambda: page.wait_for_timeout(1))
        card = page.locator("#gpucluster-panel").get_by_text("steady").first
        card.click()
        report = day.live(seconds=60 * options.minutes)
        day.end()
        report.growth = day.samples.growth()
        report.failures += grown(report.growth)
        if options.picture is not None:
            page.screenshot(path=options.picture)
        return report, day.samples


def _server_of(directory: Path) -> int:
    for process in psutil.process_iter(["pid", "cmdline"]):
        if f"--ServerApp.root_dir={directory / 'root'}" in (process.info["cmdline"] or ()):
            return int(process.info["pid"])
    raise RuntimeError("the Jupyter server cannot be found")


def main() -> None:
    parser = command("soak", __doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--picture", type=Path, help="where to write a picture of the page at the end")
    options = begin(parser)
    report, samples = _with_page(options)
    report.end(options.out, rows=samples.rows)


if __name__ == "__main__":
    main()
