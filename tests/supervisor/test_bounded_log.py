"""A log with endless output keeps its beginning and its end, with a note on what is missing."""

from __future__ import annotations

import asyncio
import logging
import os
import re
from pathlib import Path

from gpucluster.protocol.plain_text import RateLimit
from gpucluster.protocol.sizes import format_size
from gpucluster.registry.ending import LONGEST_LINE, tail
from gpucluster.supervisor.bounded_log import BoundedLog

LINE = "line {:06d} of what a task prints\n"


def bounded(path: Path) -> BoundedLog:
    return BoundedLog(path, most=400_000, first=50_000, last=100_000)


def test_the_first_and_the_last_lines_stay(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = bounded(path)
    wrote, number = 0, 0
    with path.open("a") as file:  # as workers have it
        for _ in range(5):
            for _ in range(20_000):
                wrote += file.write(LINE.format(number))
                number += 1
            file.flush()
            log.shorten()
            assert path.stat().st_size < 160_000
    text = path.read_text()
    begin, omitted, end = re.split(r"\n--- (.+) are left out here: .* ---\n", text)
    assert begin.splitlines() == [LINE.format(n).strip() for n in range(len(begin.splitlines()))]
    count = len(end.splitlines())
    assert end.splitlines() == [LINE.format(n).strip() for n in range(number - count, number)]
    assert omitted == format_size(wrote - len(begin) - len(end)) == "3.1 MiB"
    assert tail(path, 2) == end.splitlines()[-2:]


def test_endless_line_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = bounded(path)
    path.write_text("Scheduler at unix://\n")
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    for _ in range(4):
        os.write(descriptor, b"x" * 500_000)
        log.shorten()
        assert path.stat().st_size < 160_000
    os.write(descriptor, b"\nlast words\n")
    os.close(descriptor)
    text = path.read_text()
    assert text.startswith("Scheduler at unix://\nxxx")
    assert text.count(" are left out here: ") == 1
    *_, long, last = tail(path, 200)
    assert last == "last words"
    assert set(long) == {"…", " ", "x"}
    assert len(long) == LONGEST_LINE + 2


async def test_log_is_checked_again_soon(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = bounded(path)
    path.write_text("x" * 500_000)
    log.look()
    with path.open("a") as file:
        file.write("y" * 500_000)
    for _ in range(1000):
        if path.stat().st_size <= 400_000:
            break
        await asyncio.sleep(0.01)
    assert path.read_text().endswith("y" * 100_000)


def test_a_short_log_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("x" * 400_000)
    bounded(path).shorten()
    assert path.read_text() == "x" * 400_000


def test_repeated_refusals_are_rate_limited() -> None:
    def lines(name: str, level: int, number: int) -> list[str]:
        brake = RateLimit()
        records = [logging.LogRecord(name, level, "x.py", 1, "refused %s", (n,), None) for n in range(number)]
        return [record.getMessage() for record in records if brake.filter(record)]

    for name, level in (("gpucluster.comm", logging.INFO), ("distributed.core", logging.WARNING)):
        logged = lines(name, level, 120)
        assert len(logged) == RateLimit.AT_MOST
        assert logged[-1] == f"refused {RateLimit.AT_MOST - 1} (repeated; not logged for a while)"
    assert lines("distributed.scheduler", logging.INFO, 120) == [f"refused {n}" for n in range(120)]
