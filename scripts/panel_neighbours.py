"""Other users of a machine, for a picture: they hold GPUs, stand in line, and have clusters that an instructor sees."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from gpucluster.operating_system.abstract_names import hold, seconds_since_boot
from gpucluster.sharing.instructor_lines import socket_name
from gpucluster.sharing.node import VARIABLE, claim_name, held_name, place_name

from tests.fakes.nvml.machine import gpu_uuid
from tests.otheruser import OtherUser

HOLDS = """
import json, socket, sys, threading, time
told = json.loads(sys.argv[1])
held = []
for name, says in told:
    held.append(socket.socket(socket.AF_UNIX))
    held[-1].bind("\\0" + name)
    if says is not None:
        held[-1].listen(8)
        def serve(listener, line):
            while True:
                connection, _ = listener.accept()
                connection.sendall(line)
                threading.Timer(2, connection.close).start()
        threading.Thread(target=serve, args=(held[-1], json.dumps(says).encode() + b"\\n"), daemon=True).start()
print("held", flush=True)
time.sleep(3600)
"""


def _claim(number: int, mark: int | str, minutes: float, left: float | None) -> list[tuple[str, None]]:
    now = seconds_since_boot()
    told = held_name(gpu_uuid(number), str(mark), now - 60 * minutes, None if left is None else now + 60 * left)
    return [(claim_name(gpu_uuid(number), str(mark)), None), *([(told, None)] if told is not None else [])]


def _place(minutes: float, count: int, wanted: list[str] | None = None) -> tuple[str, None]:
    return place_name(int((seconds_since_boot() - 60 * minutes) * 1e9), count, wanted), None


def _cluster(id: str, kind: str, minutes: float, idle: float | None = None, gpus: Any = ()) -> tuple[str, Any]:
    def time(ago: float) -> str:
        return (datetime.now(UTC) - timedelta(minutes=ago)).isoformat(timespec="seconds").replace("+00:00", "Z")

    facts = {"kind": kind, "state": "running", "n_workers": max(1, len(gpus)), "gpus": list(gpus)}
    return socket_name(id), {**facts, "since": time(minutes), "idle_since": None if idle is None else time(idle)}


@contextmanager
def neighbours(node: str) -> Iterator[None]:
    """Let two others, and this user, have something of a machine with eight GPUs; one has a slot without a number."""
    os.environ[VARIABLE] = node
    others = [OtherUser({VARIABLE: node, "PATH": "/usr/bin:/bin"}) for _ in range(2)]
    slot = {"uuid": gpu_uuid(1), "slot": 1, "slots": 2}
    theirs: list[list[tuple[str, Any]]] = [
        [*_claim(1, 1, 12, 228), *_claim(3, 1, 3, 237), *_claim(4, 1, 3, 237), _place(4, 1),
         _cluster("a1000000", "cuda", 12, gpus=[slot]), _cluster("a2000000", "local", 95, 41)],
        [*_claim(1, 2, 41, None), *_claim(5, "x0000002a", 64, 176), _cluster("b1000000", "cuda", 41, 12)],
    ]  # fmt: skip
    processes = [user.start("-c", HOLDS, json.dumps(names)) for user, names in zip(others, theirs, strict=True)]
    mine = [hold(name) for name, _ in [*_claim(2, 1, 8, 52), _place(1, 2, [gpu_uuid(5), gpu_uuid(6)])]]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
        yield
    finally:
        for each in mine:
            if each is not None:
                each.close()
        for process in processes:
            process.kill()
            process.communicate()
        for user in others:
            user.close()
        os.environ.pop(VARIABLE, None)


@contextmanager
def site_says(site: Path, more: str) -> Iterator[None]:
    """Let a site's file say more for a while."""
    before = site.read_text()
    site.write_text(before + more)
    try:
        yield
    finally:
        site.write_text(before)
