"""The checks of lesson 13."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np

from ...answers import number, several
from ...checks import exercise
from ...examination import Examination, describe
from .tools import ON_DEVICE, TO_DEVICE, TO_HOST, Copy, Kernel, export

# No cluster needed: queries of a capture of Nsight Systems.


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
            exam.expect("The database is unchanged", same, "it does" if same else "something was written")
            right = isinstance(found, dict) and set(found) == set(NAMES)
            exam.require(f"It returns a dictionary with {', '.join(NAMES)}", right,
                         f"{sorted(map(str, found))}" if isinstance(found, dict) else describe(found))  # fmt: skip
            given = {name: number(exam, found[name], f'"{name}"') for name in NAMES}
            _expect_figures(exam, given, true_summary(kernels, copies, device), bool(copies))
            connection.close()
            if not exam.passed:
                return


def _expect_figures(exam: Examination, given: dict[str, float], true: dict[str, float], copies: bool) -> None:
    exam.expect("The kernels' seconds are summed, for this device only",
                abs(given["kernel_seconds"] - true["kernel_seconds"]) < 1e-9 + 1e-6 * true["kernel_seconds"],
                f"{given['kernel_seconds']:.6g} s")  # fmt: skip
    for name, words, kind in (
        ("to_device_bytes", "from host to device", 1),
        ("to_host_bytes", "from device to host", 2),
    ):
        expected = f"The bytes {words} are those of copyKind {kind}, of this device only"
        observed = f"{given[name]:,.0f}" + ("" if copies else ", where there is no table of copies")
        exam.expect(expected, given[name] == true[name], observed)
    exam.expect("The idle share is the fraction of time without a kernel, from the first to the last kernel or copy",
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


# No cluster needed: logs of ``nvidia-smi dmon`` as tables.


COLUMNS = {"pwr": "W", "gtemp": "C", "mtemp": "C", "sm": "%", "mem": "%", "enc": "%", "dec": "%", "mclk": "MHz",
           "pclk": "MHz", "fb": "MB", "bar1": "MB", "rxpci": "MB/s", "txpci": "MB/s"}  # fmt: skip
Row = list[float]


def random_log(rng: np.random.Generator) -> tuple[str, list[str], list[Row]]:
    """Return a log with some columns and devices, its names, and its figures with NaN for what was not measured."""
    others = [name for name in COLUMNS if name != "sm" and rng.random() < 0.6]
    names = ["gpu", *[str(name) for name in rng.permutation(["sm", *others])]]
    devices = sorted(int(one) for one in rng.choice(9, size=int(rng.integers(1, 4)), replace=False))
    silent = {device for device in devices if rng.random() < 0.25}
    lines: list[str] = []
    rows: list[Row] = []
    for sample in range(int(rng.integers(6, 14))):
        for device in devices:
            if len(rows) % 9 == 0:
                units = ["Idx", *(COLUMNS[name] for name in names[1:])]
                lines += [
                    "# " + " ".join(f"{name:>6}" for name in names),
                    "# " + " ".join(f"{one:>6}" for one in units),
                ]
            row = [float(device)]
            for name in names[1:]:
                missing = rng.random() < 0.15 or (device in silent and name == "sm")
                row.append(float("nan") if missing else float(rng.integers(0, 101)))
            rows.append(row)
            cells = ["-" if np.isnan(value) else f"{value:.0f}" for value in row]
            lines.append("  " + " ".join(f"{cell:>6}" for cell in cells))
        if sample == 3:
            lines.append("")
    return "\n".join(lines) + "\n", names, rows


def shares(names: list[str], rows: list[Row], limit: float) -> dict[int, float]:
    """Return the true shares."""
    place = names.index("sm")
    values: dict[int, list[float]] = {}
    for row in rows:
        if not np.isnan(row[place]):
            values.setdefault(int(row[0]), []).append(row[place])
    return {device: float(np.mean([value < limit for value in one])) for device, one in values.items()}


@exercise("13.3", "read_dmon", "share_below")
def check_log(exam: Examination, read_dmon: Any, share_below: Any) -> None:
    """Tables of 20 random logs are right, and the shares of their devices."""
    import pandas as pd

    for place in range(20):
        text, names, rows = random_log(exam.rng)
        table, units = several(exam, exam.call(read_dmon, text), "the table", "the units")
        exam.require("The table is a DataFrame of pandas", isinstance(table, pd.DataFrame), describe(table))
        exam.require("There is one column for each name of the header, in its order", list(table.columns) == names,
                     f"{list(table.columns)[:8]}")  # fmt: skip
        exam.require("There is one row for each line of figures, and none for headers and empty lines",
                     len(table) == len(rows), f"{len(table)} rows instead of {len(rows)}")  # fmt: skip
        types = {str(kind) for kind in table.dtypes}
        exam.require("All columns are of type float", types == {"float64"}, ", ".join(sorted(types)))
        same = np.array_equal(table.to_numpy(), np.array(rows), equal_nan=True)
        exam.expect("The figures are those of the log, with NaN for -", same,
                    _difference(table.to_numpy(), np.array(rows)))  # fmt: skip
        said = dict(units) if isinstance(units, dict) else {}
        wanted = {"gpu": "Idx", **{name: COLUMNS[name] for name in names[1:]}}
        exam.expect("The units map each name to its unit", said == wanted,
                    f"{said}"[:120] if said else describe(units))  # fmt: skip
        _expect_shares(exam, share_below, names, rows, [37, 50, 80, 20][place % 4])
        if not exam.passed:
            return


def _expect_shares(exam: Examination, share_below: Any, names: list[str], rows: list[Row], limit: float) -> None:
    import pandas as pd

    place = names.index("sm")
    rows = [list(row) for row in rows]
    rows[0][place] = limit  # one sample just at the limit is not below it
    true = shares(names, rows, limit)
    given = exam.call(share_below, pd.DataFrame(rows, columns=names), limit)
    exam.require("The shares are a dictionary", isinstance(given, dict), describe(given))
    whole = all(isinstance(device, (int, np.integer)) for device in given)
    exam.expect("Its keys are device numbers, as int", whole, f"{list(given)}")
    exam.expect("Devices whose sm was never measured are left out, all others are listed",
                {float(device) for device in given} == {float(device) for device in true},
                f"{sorted(given)} instead of {sorted(true)}")  # fmt: skip
    right = given.keys() == true.keys() and all(abs(float(given[one]) - true[one]) < 1e-9 for one in true)
    exam.expect("The share counts only measured samples, per device, strictly below the limit", right,
                ", ".join(f"device {one}: {float(value):.3f}" for one, value in given.items()))  # fmt: skip


def _difference(found: Any, true: Any) -> str:
    if np.isnan(found).sum() != np.isnan(true).sum():
        return f"{np.isnan(found).sum()} NaN instead of {np.isnan(true).sum()}"
    return "the same" if np.array_equal(found, true, equal_nan=True) else "other figures"


# No cluster needed: idle share and longest gap of a task stream.


Records = list[dict[str, Any]]


def random_stream(rng: np.random.Generator, *, gap: bool) -> tuple[Records, int]:
    """Return records as ``get_task_stream`` gives them, in any order, and the number of threads.

    Some threads run nothing. Long tasks cover short ones of other threads. With ``gap``, there is a time in the middle
    in which no task computes; without, one task goes from the beginning to the end.
    """
    zero = float(rng.uniform(1e9, 2e9))
    records: Records = []
    used = int(rng.integers(2, 5))
    for worker in range(used):
        now = zero + float(rng.uniform(0, 0.3))
        for part in range(2 if gap else 1):
            if part:
                now = zero + 3.0 + float(rng.uniform(0, 0.3))
            for place in range(int(rng.integers(1, 6))):
                length = float(rng.choice([rng.uniform(0.02, 0.1), rng.uniform(0.2, 0.5)]))
                if now + length > zero + (2.2 if not part else 9.0):
                    break
                records.append(_record(rng, worker, f"{part}.{place}", now, now + length))
                now += length + float(rng.choice([0.0, rng.uniform(0.0, 0.25)]))
    if not gap:
        records.append(_record(rng, used, "long", zero - 0.1, zero + 4.0))
    order = rng.permutation(len(records))
    return [records[place] for place in order], used + 1 + int(rng.integers(0, 4))


def _record(rng: np.random.Generator, worker: int, name: str, start: float, stop: float) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"action": "compute", "start": start, "stop": stop}]
    if rng.random() < 0.6:  # transfers fill the time before, also gaps
        parts.insert(0, {"action": "transfer", "start": start - float(rng.uniform(0.05, 0.6)), "stop": start,
                         "source": "tcp://10.0.0.9:1"})  # fmt: skip
    if rng.random() < 0.3:
        parts.insert(-1, {"action": "deserialize", "start": start - float(rng.uniform(0.01, 0.2)), "stop": start})
    if name != "long" and rng.random() < 0.3:  # it waits in the middle, as one that secedes
        first, second = start + 0.3 * (stop - start), start + 0.6 * (stop - start)
        parts[-1:] = [{**parts[-1], "stop": first}, {**parts[-1], "start": second}]
    if rng.random() < 0.3:
        parts.append({"action": "disk-write", "start": stop, "stop": stop + float(rng.uniform(0.01, 0.2))})
    return {
        "key": f"crunch-{name}-{worker}",
        "worker": f"tcp://10.0.0.{worker}:4000",
        "thread": 140_000 + worker,
        "startstops": tuple(parts),
        "status": "OK",
        "nbytes": 28,
    }


def spans_of(records: Records) -> list[tuple[float, float]]:
    """Return when compute parts began and ended, in the order of their beginning."""
    parts = [part for record in records for part in record["startstops"] if part["action"] == "compute"]
    return sorted((part["start"], part["stop"]) for part in parts)


def true_gap(records: Records) -> tuple[float, float]:
    """Return where the longest gap begins, and its length."""
    spans = spans_of(records)
    zero = latest = spans[0][0]
    longest = (0.0, 0.0)
    for start, stop in spans:
        if start - latest > longest[1]:
            longest = (latest - zero, start - latest)
        latest = max(latest, stop)
    return longest


def true_idle(records: Records, threads: int) -> float:
    """Return the idle share."""
    spans = spans_of(records)
    length = max(stop for _, stop in spans) - spans[0][0]
    return 1 - sum(stop - start for start, stop in spans) / (threads * length)


@exercise("13.1", "idle_share", "longest_gap")
def check_stream(exam: Examination, idle_share: Any, longest_gap: Any) -> None:
    """Both figures are right for 30 random streams, one third of them without a gap."""
    for place in range(30):
        records, threads = random_stream(exam.rng, gap=place % 3 != 2)
        share = number(exam, exam.call(idle_share, _copied(records), threads), "The idle share")
        true = true_idle(records, threads)
        exam.expect("The idle share covers all threads of the cluster, during the computation",
                    abs(share - true) < 1e-6, f"{share:.4f} for {threads} threads")  # fmt: skip
        start, seconds = several(exam, exam.call(longest_gap, _copied(records)), "start", "seconds")
        start, seconds = number(exam, start, "The start"), number(exam, seconds, "The seconds of the gap")
        begin, length = true_gap(records)
        if not length:
            exam.expect("If some thread is always computing, there is no gap", seconds == 0 and start == 0,
                        f"({start:.4g}, {seconds:.4g})")  # fmt: skip
            continue
        exam.expect("The longest gap is one in which no thread computed, however long other tasks take",
                    abs(seconds - length) < 1e-5, f"{seconds:.4f} s")  # fmt: skip
        exam.expect("Its start is relative to the beginning of the window", abs(start - begin) < 1e-5, f"{start:.4f} s")
        if not exam.passed:
            return


def _copied(records: Records) -> Records:
    return [dict(record) for record in records]


# No cluster needed: seconds of stages that lie inside each other, and what is left.


STAGES = ("load", "unpack", "forward", "backward", "optimizer", "copy", "wait", "log")
Events = list[tuple[str, str, float]]


def random_events(rng: np.random.Generator, depth: int) -> tuple[Events, float, dict[str, float]]:
    """Return events with stages up to so deep inside each other, the total, and the true seconds."""
    events: Events = []
    own: dict[str, float] = {}
    now = 0.0
    other = 0.0

    def pause() -> float:
        nonlocal now
        seconds = float(rng.uniform(0.01, 1.0)) if rng.random() < 0.85 else 0.0
        now += seconds
        return seconds

    def run(name: str, around: tuple[str, ...]) -> None:
        events.append((name, "begin", now))
        own.setdefault(name, 0.0)
        own[name] += pause()
        inside = [one for one in STAGES if one not in (*around, name)]
        for one in rng.choice(inside, size=int(rng.integers(0, 3)), replace=False) if len(around) + 1 < depth else ():
            run(str(one), (*around, name))
            own[name] += pause()
        events.append((name, "end", now))

    zero = float(rng.uniform(5, 5000))
    now = zero
    for _ in range(int(rng.integers(3, 9))):
        other += pause()
        run(str(rng.choice(STAGES)), ())
    after = float(rng.uniform(0.05, 2.0))
    other += after
    total = now - zero + after
    return events, total, {**own, "other": other}


@exercise("13.8", "breakdown")
def check_breakdown(exam: Examination, breakdown: Any) -> None:
    """Parts of 30 random runs: flat ones, and stages up to four deep."""
    for place in range(30):
        events, total, true = random_events(exam.rng, depth=1 + place % 4)
        found = exam.call(breakdown, list(events), total)
        exam.require("It returns a dictionary", isinstance(found, dict), describe(found))
        missing = true.keys() - found.keys()
        extra = found.keys() - true.keys()
        exam.require('It contains each stage, and "other"', not missing and not extra,
                     f"without {', '.join(sorted(missing))}" if missing else
                     f"more: {', '.join(sorted(map(str, extra)))}")  # fmt: skip
        given = {name: number(exam, found[name], f'"{name}"') for name in true}
        whole = sum(given.values())
        exam.expect("The parts add up to the total", abs(whole - total) < 1e-6, f"{whole:.4f} s of {total:.4f} s")
        wrong = [name for name in true if name != "other" and abs(given[name] - true[name]) > 1e-6]
        kind = "that lie inside each other" if place % 4 else "that follow each other"
        exam.expect(f"The seconds of stages {kind} are their own, of all their times", not wrong,
                    f"{wrong[0]}: {given[wrong[0]]:.4f} s" if wrong else "all are")  # fmt: skip
        exam.expect('"other" is the time outside all stages', abs(given["other"] - true["other"]) < 1e-6,
                    f"{given['other']:.4f} s")  # fmt: skip
        if not exam.passed:
            return


# No cluster needed: cost of a matrix product, and kernels on a roofline.


@exercise("13.5", "matmul_cost", "place")
def check_roofline(exam: Examination, matmul_cost: Any, place: Any) -> None:
    """Costs of 20 products; 20 machines with kernels on both sides of the corner, and at it."""
    for _ in range(20):
        m, n, k = (int(size) for size in exam.rng.choice(np.arange(2, 3000), size=3, replace=False))
        itemsize = int(exam.rng.choice([2, 4, 8]))
        flops, n_bytes = several(exam, exam.call(matmul_cost, m, n, k, itemsize), "flops", "n_bytes")
        said = f"for ({m} × {k}) @ ({k} × {n}), {itemsize} bytes per number"
        exam.expect("A product costs 2 k operations per number in the result",
                    number(exam, flops, "flops") == 2 * m * n * k, f"{flops:,.0f} {said}")  # fmt: skip
        exam.expect("Each of the three matrices is moved once",
                    number(exam, n_bytes, "n_bytes") == itemsize * (m * k + k * n + m * n),
                    f"{n_bytes:,.0f} {said}")  # fmt: skip
    if not exam.passed:
        return
    for _ in range(20):
        _expect_places(exam, place)
        if not exam.passed:
            return


def random_machine(rng: np.random.Generator) -> tuple[dict[str, tuple[float, float]], float, float]:
    """Return kernels, peak and bandwidth; all powers of two, so that the kernel at the corner is there exactly."""
    bandwidth = 2.0 ** int(rng.integers(32, 43))
    ridge = 2.0 ** int(rng.integers(1, 7))
    kernels: dict[str, tuple[float, float]] = {}
    sides = ("left", "left", "right", "right", "corner")
    for place, side in zip(rng.choice(1000, len(sides), replace=False), sides, strict=True):
        n_bytes = 2.0 ** int(rng.integers(18, 34))
        factor = {"left": rng.uniform(0.02, 0.95), "right": rng.uniform(1.05, 60.0), "corner": 1.0}[side]
        kernels[f"kernel {place}"] = (float(n_bytes * ridge * factor), n_bytes)
    names = [str(name) for name in rng.permutation(list(kernels))]
    return {name: kernels[name] for name in names}, ridge * bandwidth, bandwidth


def _expect_places(exam: Examination, place: Any) -> None:
    kernels, peak, bandwidth = random_machine(exam.rng)
    found = exam.call(place, dict(kernels), peak, bandwidth)
    exam.require("It returns a dictionary with each kernel, and no others",
                 isinstance(found, dict) and found.keys() == kernels.keys(),
                 f"{list(found)[:5]}" if isinstance(found, dict) else describe(found))  # fmt: skip
    for name, (flops, n_bytes) in kernels.items():
        intensity, attainable, label = several(exam, found[name], "intensity", "attainable", "label")
        intensity, attainable = number(exam, intensity, "The intensity"), number(exam, attainable, "What is attainable")
        true = flops / n_bytes
        said = f"{flops:.4g} operations, {n_bytes:.4g} bytes, peak {peak:.4g}, bandwidth {bandwidth:.4g}"
        exam.expect("The intensity is operations per byte", abs(intensity / true - 1) < 1e-9,
                    f"{intensity:.4g} for {said}")  # fmt: skip
        most = min(peak, true * bandwidth)
        exam.expect("The attainable rate is the lower of slope and roof", abs(attainable / most - 1) < 1e-9,
                    f"{attainable:.4g} for {said}")  # fmt: skip
        right = "compute" if true * bandwidth >= peak else "memory"
        where = (
            "at the corner itself, compute" if true * bandwidth == peak else "memory below the corner, compute above"
        )
        exam.expect(f"The label is right: {where}", str(label) == right, f"{label!r} for {said}")
