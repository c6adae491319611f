"""One run of the class, from the first login until nothing is left."""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import psutil

from .accounts import Account
from .browserpage import real_page
from .learner import Learner
from .machine import Machine
from .memory import kind_of, proportional_bytes
from .watching import DeviceWatch, StatusProbe, cpu_at_rest, cpu_used

LEAST_MEMORY = 1.5 * 2**30
"""With less than this left, the run is given up."""
SINGLE_CREATES = 3
MINUTE = 60.0


class Class:
    """The class and its machine.

    Parameters
    ----------
    machine : Machine
    number : int
        Of learners.
    rest_seconds : float
        How long is looked how much they use at rest.
    creates_only : bool
        Whether it ends when all run.
    """

    def __init__(self, machine: Machine, number: int, rest_seconds: float, *, creates_only: bool = False) -> None:
        self.machine = machine
        self.number = number
        self.rest_seconds = rest_seconds
        self.creates_only = creates_only
        self.accounts = [Account(machine, each) for each in range(number + 1)]
        """The last one is the instructor's."""
        self.learners = [Learner(account) for account in self.accounts[:number]]
        self.watch = DeviceWatch(machine)
        self.figures: dict[str, Any] = {"learners": number, "slots": machine.slots}
        self.phases: dict[str, tuple[float, float]] = {}

    async def run(self, *, browser: bool) -> dict[str, Any]:
        """Play it; returns the figures."""
        watching = asyncio.create_task(self.watch.run())
        guard = asyncio.create_task(self._mind_memory(asyncio.current_task()))
        try:
            await self._one_alone()
            probe = StatusProbe()
            try:
                await self._all(probe, browser=browser)
            finally:
                self._note_status(probe.end())
        finally:
            for task in (watching, guard):
                task.cancel()
            self.figures["devices"] = {
                "looks": self.watch.looks, "claims": self.watch.most_claims, "in_line": self.watch.longest_line,
                "double": self.watch.double,
            }  # fmt: skip
        return self.figures

    async def _one_alone(self) -> None:
        """Measure the CPU time of one create while all others are idle."""
        learner = Learner(self.accounts[0])
        cpu, seconds = [], []
        await learner.log_in(0)
        await asyncio.sleep(3)
        for _ in range(SINGLE_CREATES):
            before = learner.account.cpu_seconds()
            await learner.create(0)
            await learner.running()
            cpu.append(learner.account.cpu_seconds() - before)
            seconds.append(learner.seconds["running"])
            await learner.stop()
            await self._only_the_server(learner.account)
        await learner.leave()
        self.figures["one_create"] = {"cpu_seconds": _told(cpu), "seconds": _told(seconds)}

    async def _only_the_server(self, account: Account) -> None:
        """Wait until nothing of a cluster is left: what a process has used is counted no more when it is gone."""
        for _ in range(100):
            if not _kinds(account) - {"server"}:
                return
            await asyncio.sleep(0.2)

    async def _all(self, probe: StatusProbe, *, browser: bool) -> None:
        begin = time.monotonic() + 1
        window = MINUTE * min(1.0, self.number / 30)
        logins = [learner.log_in(begin + window / 2 * number / self.number)
                  for number, learner in enumerate(self.learners)]  # fmt: skip
        clicks = [begin + window * random.uniform(0.8, 1.0) for _ in self.learners]
        opened = asyncio.gather(*logins)
        for learner in self.learners:
            probe.add(learner.server)
        failures = await self._each(self.learners, lambda learner: _come(learner, opened, clicks))
        self._phase("log in and create", begin)
        clicked_cpu, clicked_at = cpu_used(self.accounts), time.monotonic()
        clicked = [learner.clicked for learner in self.learners]
        self.figures["within_seconds"] = round(max(clicked) - begin, 1)
        settled = Counter(await asyncio.gather(*[learner.settled() for learner in self.learners if learner.id]))
        self.figures["settled"] = dict(settled)
        runs = [learner for learner in self.learners if not learner.waits_for_gpu]
        waits = [learner for learner in self.learners if learner.waits_for_gpu]
        self.figures["line_as_told"] = sorted(learner.page.seen[-1][2] for learner in waits)
        failures += await self._each(runs, Learner.running)
        self.figures["seconds"] = {"to_running": _told([each.seconds["running"] for each in runs])}
        sight = [each.seconds_to_sight for each in self.learners]
        self.figures["seconds"] |= {
            "to_sight": _told([each for each in sight if each is not None]),
            "never_seen": sum(each is None for each in sight),
            "seen_first": dict(Counter(each.first_seen for each in self.learners)),
            "server": _told([each.seconds["server"] for each in self.learners]),
            "page": _told([each.seconds["page"] for each in self.learners]),
            "answer": _told([each.seconds["answer"] for each in self.learners]),
        }
        self._phase("until all run", max(clicked))
        self.figures["clicked_began_running"] = sorted(each.moments(begin) for each in runs)
        took = time.monotonic() - clicked_at
        self.figures["cpu_until_all_run"] = {
            "seconds": round(took, 1),
            "cores": {
                kind: round((value - clicked_cpu.get(kind, 0)) / took, 3)
                for kind, value in cpu_used(self.accounts).items()
            },
        }
        self._compare_slots(runs)
        self.figures["memory_after_create"] = self._memory()
        if self.creates_only:
            self.figures["failures"] = failures + await self._each(self.learners, _go)
            return

        began = time.monotonic()
        if waits:
            failures += await self._each(self.learners, _work_and_give_way)
            self.figures["seconds"]["to_running_with_line"] = _told([e.seconds["running"] for e in self.learners])
        else:
            failures += await self._each(runs, _work)
        self._phase("work", began)
        for what in ("work", "scale"):
            self.figures["seconds"][what] = _told([e.seconds[what] for e in self.learners if what in e.seconds])
        self.figures["memory_at_work"] = self._memory()
        if not waits:
            await self._rest(browser=browser)
        await self._instruct()
        failures += await self._each(self.learners, _go)
        self.figures["failures"] = failures
        await asyncio.sleep(3)
        self.figures["left"] = [line for account in self.accounts for line in account.left()]

    def _compare_slots(self, runs: Sequence[Learner]) -> None:
        """Note slots that two clusters say they have."""
        found = Counter((each.device, each.slot) for each in runs if each.device)
        twice = [(device, slot) for (device, slot), number in found.items() if number > 1]
        self.watch.double += [f"{device} slot {slot} is in two clusters" for device, slot in twice]

    async def _rest(self, *, browser: bool) -> None:
        learners = self.accounts[: self.number]
        began = time.monotonic()
        seen = [(each.page.messages, each.page.bytes) for each in self.learners]
        tab = await cpu_at_rest(learners, self.rest_seconds)
        took = time.monotonic() - began
        messages = sum(each.page.messages for each in self.learners) - sum(each[0] for each in seen)
        size = sum(each.page.bytes for each in self.learners) - sum(each[1] for each in seen)
        self.figures["tab_open"] = {
            "seconds": round(took, 1), "percent_of_a_core_per_learner": tab,
            "messages_per_second": round(messages / took / self.number, 2),
            "bytes_per_second": round(size / took / self.number),
        }  # fmt: skip
        self._phase("tab open", began)
        if browser:
            self.figures["real_page"] = await real_page(self.learners[0].server, self.rest_seconds)
        for learner in self.learners:
            await learner.close_lid()
        await asyncio.sleep(5)
        began = time.monotonic()
        closed = await cpu_at_rest(learners, self.rest_seconds)
        self.figures["lid_closed"] = {"percent_of_a_core_per_learner": closed}
        self._phase("lid closed", began)
        self.figures["memory_at_rest"] = self._memory()

    async def _instruct(self) -> None:
        """Look at the machine and at the class, as the instructor does."""
        instructor = self.accounts[self.number]
        began = time.monotonic()
        text = await asyncio.to_thread(instructor.run, "-m", "gpucluster.cli", "node")
        took = time.monotonic() - began
        names = {learner.account.uid for learner in self.learners}
        shown = sum(f"{uid}" in text for uid in names)
        began = time.monotonic()
        folder = str(self.machine.shared)
        view = json.loads(
            await asyncio.to_thread(instructor.run, "-m", "gpucluster.cli", "lessons", "class", folder, "--json")
        )
        self.figures["instructor"] = {
            "node_seconds": round(took, 2), "users_in_node": shown,
            "class_seconds": round(time.monotonic() - began, 2), "learners_in_class": len(view["learners"]),
            "passed": [learner["passed"] for learner in view["learners"]],
        }  # fmt: skip

    async def _each(self, learners: Sequence[Learner], what: Any) -> list[str]:
        """Let all do something at the same time; returns sentences on what failed."""
        found = await asyncio.gather(*[what(learner) for learner in learners], return_exceptions=True)
        failed = [(learner, each) for learner, each in zip(learners, found, strict=True)
                  if isinstance(each, BaseException)]  # fmt: skip
        for learner, error in failed:
            print(f"{learner.account.name}: {type(error).__name__}: {error}", flush=True)
        return [f"{learner.account.name}: {type(error).__name__}: {error}"[:500] for learner, error in failed]

    def _memory(self) -> dict[str, Any]:
        each = [proportional_bytes(account) for account in self.accounts[: self.number]]
        kinds = sorted({kind for found in each for kind in found})
        mean = {kind: round(sum(found[kind] for found in each) / len(each) / 1e6, 1) for kind in kinds}
        return {
            "mean_mb": mean,
            "mean_total_mb": round(sum(mean.values()), 1),
            "largest_total_mb": round(max(sum(found.values()) for found in each) / 1e6, 1),
            "machine_available_gb": round(psutil.virtual_memory().available / 1e9, 1),
        }

    def _phase(self, name: str, began: float) -> None:
        self.phases[name] = (began, time.monotonic())
        print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)

    def _note_status(self, found: dict[int, list[tuple[float, float]]]) -> None:
        told: dict[str, Any] = {}
        spans = {**self.phases, "all of it": (0.0, float("inf"))}
        for name, (began, ended) in spans.items():
            each = [[took for at, took in times if began <= at <= ended] for times in found.values()]
            each = [times for times in each if len(times) > 1]
            if each:
                ranked = [_quantile(times, 0.95) for times in each]
                told[name] = {
                    "p95_of_the_slowest_server_ms": round(1000 * max(ranked), 1),
                    "p95_median_of_servers_ms": round(1000 * statistics.median(ranked), 1),
                    "p95_of_all_ms": round(1000 * _quantile([took for times in each for took in times], 0.95), 1),
                    "longest_ms": round(1000 * max(max(times) for times in each), 1),
                }
        self.figures["api_status"] = told

    async def _mind_memory(self, task: asyncio.Task[Any] | None) -> None:
        while True:
            if psutil.virtual_memory().available < LEAST_MEMORY:
                break
            await asyncio.sleep(1)
        print("This machine has too little memory left for the rest.", flush=True)
        assert task is not None
        task.cancel()

    def close(self) -> list[str]:
        """Stop everything; return what had to be killed but should not have been running."""
        left = []
        for account in self.accounts:
            left += account.left()
            account.close()
        return left


def _kinds(account: Account) -> set[str]:
    found = set()
    for process in account.processes():
        try:
            found.add(kind_of(process))
        except psutil.ZombieProcess:
            found.add("ended")  # and not waited for: its time still counts
        except psutil.Error:
            pass
    return found


async def _come(learner: Learner, opened: asyncio.Future[Any], clicks: list[float]) -> None:
    await asyncio.shield(opened)
    await learner.create(clicks.pop())


async def _work(learner: Learner) -> None:
    await learner.work()
    await learner.scale()


async def _work_and_give_way(learner: Learner) -> None:
    await learner.running()
    await _work(learner)
    await learner.notebook.shut_down()
    await learner.stop()


async def _go(learner: Learner) -> None:
    model = await learner.server.ask("GET", f"/gpucluster/api/clusters/{learner.id}")
    if model["state"] not in {"stopped", "failed"}:
        await learner.stop()
    await learner.leave()


def _quantile(values: Sequence[float], share: float) -> float:
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))]


def _told(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {"n": 0}
    return {
        "n": len(values), "p50": round(_quantile(values, 0.5), 2), "p95": round(_quantile(values, 0.95), 2),
        "largest": round(max(values), 2),
    }  # fmt: skip
