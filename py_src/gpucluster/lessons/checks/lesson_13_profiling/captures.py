"""Lesson 13, no cluster needed: queries of a capture of Nsight Systems."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...simulations.capture import ON_DEVICE, TO_DEVICE, TO_HOST, Copy, Kernel, export
from .. import exercise
from ..answers import number

NAMES = ("kernel_seconds", "to_device_bytes", "to_host_bytes", "idle_share")


def random_capture(rng: np.random.Generator, *, copies: bool) -> tuple[list[Kernel], list[Copy]]:
    """Return kernels of several devices and streams that overlap, in any order, and copies of three kinds."""
    kernels: list[Kernel] = []
    copied: list[Copy] = []
    zero = int(rng.integers(10**9, 10**12))
    for device in range(int(rng.integers(2, 4))):
        for stream in (7, 13, 14)[: int(rng.integers(2, 4))]:
            now = zero + int(rng.integers(0, 5_000_000))
            for _ in range(int(rng.integers(2, 7))):
                length = int(rng.integers(20_000, 200_000) if rng.random() < 0.5 else rng.integers(10**6, 6 * 10**6))
                kernels.append(Kernel(now, now + length, device, stream, f"kernel {rng.integers(3)}"))
                now += length + (int(rng.integers(10**5, 8 * 10**6)) if rng.random() < 0.5 else 0)
        if copies:
            for kind in rng.choice([TO_DEVICE, TO_HOST, ON_DEVICE], size=int(rng.integers(3, 8))):
                begin = zero + int(rng.integers(-4 * 10**6, 40 * 10**6))
                size = int(rng.integers(10**4, 10**8))
                copied.append(Copy(begin, begin + max(size // 20, 1000), device, 7, size, int(kind)))
    return [kernels[place] for place in rng.permutation(len(kernels))], copied


def true_summary(kernels: list[Kernel], copies: list[Copy], device: int) -> dict[str, float]:
    """Return the four figures of one device."""
    own = sorted((one for one in kernels if one.device == device), key=lambda one: one.start)
    moved = [one for one in copies if one.device == device]
    begin = min([one.start for one in own] + [one.start for one in moved])
    end = max([one.end for one in own] + [one.end for one in moved])
    busy, latest = 0, begin
    for one in own:
        busy += max(0, one.end - max(one.start, latest))
        latest = max(latest, one.end)
    return {
        "kernel_seconds": sum(one.end - one.start for one in own) / 1e9,
        "to_device_bytes": sum(one.n_bytes for one in moved if one.kind == TO_DEVICE),
        "to_host_bytes": sum(one.n_bytes for one in moved if one.kind == TO_HOST),
        "idle_share": 1 - busy / (end - begin),
    }


@exercise("13.4", "device_summary")
def check_summary(exam: Examination, device_summary: Any) -> None:
    """The four figures are right for each device of 12 random captures, a third of them without copies."""
    for place in range(12):
        kernels, copies = random_capture(exam.rng, copies=place % 3 != 2)
        for device in sorted({one.device for one in kernels}):
            connection = export(kernels, copies)
            before = _dump(connection)
            found = exam.call(device_summary, connection, device)
            exam.require("The connection stays open", _is_open(connection), "it was closed")
            same = _dump(connection) == before
            exam.expect("The database stays as it was", same, "it does" if same else "something was written")
            right = isinstance(found, dict) and set(found) == set(NAMES)
            exam.require(f"It returns a dictionary with {', '.join(NAMES)}", right,
                         f"{sorted(map(str, found))}" if isinstance(found, dict) else describe(found))  # fmt: skip
            given = {name: number(exam, found[name], f'"{name}"') for name in NAMES}
            _expect_figures(exam, given, true_summary(kernels, copies, device), bool(copies))
            connection.close()
            if not exam.passed:
                return


def _expect_figures(exam: Examination, given: dict[str, float], true: dict[str, float], copies: bool) -> None:
    exam.expect("The kernels' seconds are added up, of this device only",
                abs(given["kernel_seconds"] - true["kernel_seconds"]) < 1e-9 + 1e-6 * true["kernel_seconds"],
                f"{given['kernel_seconds']:.6g} s")  # fmt: skip
    for name, words, kind in (
        ("to_device_bytes", "from host to device", 1),
        ("to_host_bytes", "from device to host", 2),
    ):
        expected = f"The bytes {words} are those of copyKind {kind}, of this device only"
        observed = f"{given[name]:,.0f}" + ("" if copies else ", where there is no table of copies")
        exam.expect(expected, given[name] == true[name], observed)
    exam.expect("The idle share is that of the time without any kernel, between the first and the last kernel or copy",
                abs(given["idle_share"] - true["idle_share"]) < 1e-6, f"{given['idle_share']:.4f}")  # fmt: skip


def _is_open(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return False
    return True


def _dump(connection: sqlite3.Connection) -> list[str]:
    connection.row_factory = None  # an answer may like rows with names
    return list(connection.iterdump())
