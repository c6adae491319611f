"""What is looked at while the class works: devices that two have, the servers' answers, CPU time at rest."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil
from gpucluster.sharing.node import read_node

from .accounts import Account
from .machine import Machine
from .memory import kind_of
from .server import Server


class DeviceWatch:
    """Checks twice a second who has which slot, and changes the GPUs' figures once a second."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._slots = machine.slots // machine.gpus
        self.double: list[str] = []
        self.most_claims = self.longest_line = self.looks = 0

    async def run(self) -> None:
        """Look until it is cancelled."""
        while True:
            for _ in range(2):
                self._look()
                await asyncio.sleep(0.5)
            self._machine.change()

    def _look(self) -> None:
        node = read_node()
        self.looks += 1
        for uuid, number in node.counts.items():
            if number > self._slots:
                self.double.append(f"{uuid}: {number} claims")
        self.most_claims = max(self.most_claims, len(node.claims))
        self.longest_line = max(self.longest_line, len(node.line))


class StatusProbe:
    """The process that requests ``/api/status`` from servers."""

    def __init__(self) -> None:
        program = Path(__file__).with_name("probe.py")
        self._process = subprocess.Popen(
            [sys.executable, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def add(self, server: Server) -> None:
        """Ask this one, too."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{server.port} {server.token}\n")
        self._process.stdin.flush()

    def end(self) -> dict[int, list[tuple[float, float]]]:
        """Ask no more; returns moments and seconds by port."""
        try:
            text, _ = self._process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            return {}
        return {int(port): [(at, took) for at, took in found] for port, found in json.loads(text).items()}


async def cpu_at_rest(accounts: Sequence[Account], seconds: float) -> dict[str, float]:
    """Return the CPU time of an average learner's processes, by kind, in per cent of a core."""
    before, began = _cpu(accounts), time.monotonic()
    await asyncio.sleep(seconds)
    took = time.monotonic() - began
    used: defaultdict[str, float] = defaultdict(float)
    for (pid, kind), value in _cpu(accounts).items():
        used[kind] += max(0.0, value - before.get((pid, kind), value))
    return {kind: round(100 * value / took / len(accounts), 3) for kind, value in used.items()}


def cpu_used(accounts: Sequence[Account]) -> dict[str, float]:
    """Return the CPU seconds of all processes until now, by kind, with the benchmark's own and the whole machine's.

    Processes that have ended count with those that have waited for them.
    """
    found: dict[str, float] = defaultdict(float)
    for account in accounts:
        for process in account.processes():
            with suppress(psutil.Error):
                found[kind_of(process)] += sum(process.cpu_times()[:4])
    me = psutil.Process()
    for process in (me, *me.children()):
        with suppress(psutil.Error):
            if process == me or "probe.py" in " ".join(process.cmdline()):
                found["this benchmark"] += sum(process.cpu_times()[:2])
    whole = psutil.cpu_times()
    found["all of the machine"] = whole.user + whole.system + whole.nice + getattr(whole, "softirq", 0.0)
    return found


def _cpu(accounts: Sequence[Account]) -> dict[tuple[int, str], float]:
    found: dict[tuple[int, str], float] = defaultdict(float)
    for account in accounts:
        for process in account.processes():
            with suppress(psutil.Error):
                times = process.cpu_times()
                found[process.pid, kind_of(process)] = times.user + times.system
    return found
