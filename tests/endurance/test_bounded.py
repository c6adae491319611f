"""Short runs of `chaos`, `fuzz` and `soak` on one Jupyter server.

A failure names the seed: `python -m tests.endurance.chaos --seed …` repeats the run.
"""

import json
import random
from collections.abc import Iterator

import pytest

from .chaos import chaos
from .fuzz import SITE, Fuzzer
from .place import Place, place
from .sampling import of_process
from .soak import Day

pytestmark = [pytest.mark.full, pytest.mark.processes, pytest.mark.timeout(400)]
MOST_MIB_OF_A_CYCLE = 1.0
"""In the long run a cycle adds next to nothing, but a few cycles cannot show that."""


@pytest.fixture(scope="module")
def here() -> Iterator[Place]:
    with place(site_text=SITE, standby=False) as made:
        yield made


@pytest.fixture
def seed() -> int:
    return random.SystemRandom().randrange(10**6)


def test_no_request_makes_the_server_fail(here: Place, seed: int) -> None:
    report = Fuzzer(here, seed).run(150)
    assert report.passed, json.dumps(report.as_json(), indent=1)
    assert report.requests == 150
    assert len(report.answers) >= 3
    assert here.forget() == []


def test_long_use_leaves_no_files_or_threads(here: Place, seed: int) -> None:
    assert here.jupyter is not None
    server = here.jupyter.process.pid
    day = Day(here.control, seed, {"server": lambda: of_process(server)}, watch=lambda: None, most_workers=2)
    day.live(cycles=2)  # This loads libraries and fills pools.
    before = day.sampled()
    day.live(cycles=5)
    after = day.sampled()
    day.end()
    assert day.report.failures == []
    for name, figures in after.items():
        for what in ("files", "threads"):
            assert figures[what] <= before[name][what] + 2, (seed, name, what, before, after)
        grown = figures["rss_mib"] - before[name]["rss_mib"]
        assert grown <= 3 * MOST_MIB_OF_A_CYCLE + 0.05 * before[name]["rss_mib"], (seed, name, before, after)
    assert here.forget() == []


def test_kills_leave_nothing(here: Place, seed: int) -> None:
    if here.jupyter is None:  # The test was repeated, and it ends the server.
        here.start_jupyter()
    report = chaos(here, operations=40, seed=seed, seconds_between_signals=0.7)
    assert report.passed, json.dumps(report.as_json(), indent=1)
    assert sum(report.signals.values()) > 0
