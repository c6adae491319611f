"""Random operations from three faces at once, while processes are killed, stopped and continued at random.

``python -m tests.endurance.chaos --operations 1000 --seed 7`` prints the outcomes. The seed repeats the operations and
signals, but not their timing.
"""

import sys
import threading
import time
import traceback
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import psutil
from gpucluster.protocol.errors import GPUClusterError
from gpucluster.protocol.models import ClusterState

from tests.conftest import until

from .operations import LIMIT_SECONDS, MOST_LIVING, Failure, People
from .place import Place, place
from .report import Report, begin, command
from .signals import Attacker

FACES = ("python", "rest", "shell")
SETTLE_SECONDS = 90.0
SITE = f"sharing:\n  per_user: {{clusters: {MOST_LIVING + 1}}}\n"


@dataclass
class Outcomes(Report):
    """What became of the operations."""

    operations: int = 0
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    longest: dict[str, float] = field(default_factory=dict)
    signals: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        outcomes = {name: dict(counts.most_common()) for name, counts in sorted(self.outcomes.items())}
        return {**super().as_json(), "outcomes": outcomes}


def chaos(place: Place, *, operations: int, seed: int, seconds_between_signals: float = 2.0) -> Outcomes:
    """Run operations in a place with a Jupyter server, end everything there, and find what is left.

    `operations`: of all faces together; up to ten times as many until a signal was sent. `seconds_between_signals`: on
    average.
    """
    report, lock, begun = Outcomes(seed), threading.Lock(), time.monotonic()

    def live(face: str) -> None:
        people = People(place, face, seed)
        while True:
            with lock:
                if report.operations >= (operations if attacker.sent else 10 * operations) or len(report.failures) > 20:
                    return
                report.operations += 1
                if report.operations % 50 == 0:
                    print(f"{report.operations} operations, {len(report.failures)} failed", file=sys.stderr, flush=True)
            started, name = time.monotonic(), "draw"
            try:
                name, do = people.draw()
                outcome = do()
            except Failure as failure:
                outcome = _failed(report, f"{face} {name}: {failure}")
            except Exception:
                outcome = _failed(report, f"{face} {name}: {traceback.format_exc()[-2500:]}")
            took = time.monotonic() - started
            if took > LIMIT_SECONDS:
                _failed(report, f"{face} {name} took {took:.0f} s")
            with lock:
                report.outcomes.setdefault(name, Counter())[outcome] += 1
                report.longest[name] = round(max(report.longest.get(name, 0.0), took), 1)

    attacker = Attacker(place, seed, seconds_between_signals)
    people = [threading.Thread(target=live, args=(face,), name=face, daemon=True) for face in FACES]
    for thread in (attacker, *people):
        thread.start()
    for thread in people:
        thread.join()
    attacker.end()
    report.signals = dict(attacker.sent)
    report.failures += attacker.slow
    report.left = settled(place) + place.end()
    report.seconds = round(time.monotonic() - begun, 1)
    return report


def _failed(report: Report, what: str) -> str:
    # Printed at once: a run takes long and may be interrupted.
    print(what, file=sys.stderr, flush=True)
    report.failures.append(what)
    return "FAILED"


def settled(place: Place) -> list[str]:
    """Wait until each cluster is at rest; return the others, and processes without an entry."""
    resting = {ClusterState.RUNNING, ClusterState.STOPPED, ClusterState.FAILED}

    def restless() -> list[str]:
        return [
            f"stuck: {model.name} is {model.state.value}, wanted {model.wanted}, {model.progress}"
            for model in place.control.list()
            if model.state not in resting
        ]

    with suppress(AssertionError):
        until(lambda: not restless(), timeout=SETTLE_SECONDS)
    listed = {model.pid for model in place.control.list() if not model.state.ended} | set(place.standby_pids())

    def unlisted() -> list[str]:
        found = []
        for process in place.of_clusters():
            with suppress(psutil.Error):
                # The command of a supervisor names its folder; its children are below it.
                words = process.cmdline()
                if "--folder" in words and not listed & {process.pid, *(p.pid for p in process.parents())}:
                    found.append(f"lost: process {process.pid} belongs to no entry: {' '.join(words)[-120:]}")
        return found

    with suppress(AssertionError):
        until(lambda: not unlisted(), timeout=30)
    return restless() + unlisted()


def main() -> None:
    parser = command("chaos", __doc__)
    parser.add_argument("--operations", type=int, default=1000)
    parser.add_argument("--seconds-between-signals", type=float, default=2.0)
    options = begin(parser)
    with place(site_text=SITE, standby=True) as here:
        between = options.seconds_between_signals
        try:
            report = chaos(here, operations=options.operations, seed=options.seed, seconds_between_signals=between)
        except GPUClusterError as error:
            sys.exit(f"the run itself failed: {error}")
    report.end(options.out)


if __name__ == "__main__":
    main()
