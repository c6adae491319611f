"""One page that shows what passed where: ``report.md`` in the folder of the results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .piece import Result

OURS = "gpucluster.learn"


def report(out: Path, facts: dict[str, Any], results: Mapping[str, Result | None]) -> Path:
    """Write the page and return its path.

    Parameters
    ----------
    out : pathlib.Path
        Folder of the results.
    facts : dict
        As `machine_facts` gives them.
    results : mapping
        Of each piece; ``None`` where it has not been run.
    """
    page = out / "report.md"
    parts = ["# Proof on a GPU\n"]
    if facts["simulated"]:
        parts.append("**The GPU was simulated.** This proves the command, and says nothing about any GPU.\n")
    gpus = "; ".join(f"{one['name']}, driver {one['driver_version']}" for one in facts["gpus"]) or "none"
    versions = ", ".join(f"{name} {found}" for name, found in facts["versions"].items())
    parts += [
        f"* Date: {facts['at']}",
        f"* GPU: {gpus}",
        f"* CPU: {facts['cpus']} × {facts['cpu']}, Linux {facts['kernel']}, Python {facts['python']}",
        f"* Versions: {versions}",
        f"* Commit: {facts['commit']}\n",
        "| Piece | Outcome | Seconds | Began | Commit | Command |",
        "|---|---|---|---|---|---|",
    ]
    for name, result in results.items():
        if result is None:
            parts.append(f"| {name} | not run | | | | |")
        else:
            parts.append(
                f"| {name} | {result.outcome} | {result.seconds:.0f} | {result.began_at} | {result.commit} "
                f"| `{result.command}` |"
            )
    page_of = _Page(out, results)
    for title, names, table in (
        ("Settings", ("settings",), _settings),
        ("Starts", ("starts",), _starts),
        ("Gauges", ("gauges",), _gauges),
        ("Tests", ("tests",), _tests),
        ("Speed", ("direct", "cpu", "sampling", "allocations"), _speed),
        ("Sharing", ("slots",), _sharing),
        ("Connections", ("comms",), _comms),
        ("Lessons", tuple(sorted(name for name in results if name.startswith("lesson-"))), _lessons),
    ):
        if text := table(page_of):
            parts += [f"\n## {title}\n", *page_of.sources(names), "", text]
    page.write_text("\n".join(parts) + "\n", encoding="utf-8")
    return page


class _Page:
    """What pieces have left in their folders. Figures without a result, of a piece that was killed, are not shown."""

    def __init__(self, out: Path, results: Mapping[str, Result | None]) -> None:
        self._out = out
        self.results = results

    def sources(self, names: tuple[str, ...]) -> list[str]:
        """Return a line about each of these pieces that has a result."""
        found = [result for name in names if (result := self.results.get(name)) is not None]
        return [f"* `{result.name}`: **{result.outcome}**, code {result.commit}, {result.began_at}" for result in found]

    def file(self, name: str, file: str) -> str:
        """Return the text of a file that a piece has written; nothing where it was not run."""
        path = self._out / name / file
        return path.read_text(encoding="utf-8") if self.results.get(name) is not None and path.exists() else ""

    def figures(self, name: str) -> Any:
        """Return the figures of a piece; nothing where it was not run, or has written none."""
        try:
            return json.loads(self.file(name, "figures.json") or "{}")
        except ValueError:
            return {}


def _settings(page: _Page) -> str:
    found = page.figures("settings")
    if not found:
        return ""
    rows = ["| Setting | Create | Restart | Stop | Left in GPU memory |", "|---|---|---|---|---|"]
    for name, one in found.items():
        told = one.get("failed") or one.get("skipped")
        if told:
            rows.append(f"| {name} | {told} | | | |")
            continue
        left = (one["memory_after_bytes"] - one["memory_before_bytes"]) / 2**20
        rows.append(
            f"| {name} | {one['create_seconds']:.2f} s | {one['restart_seconds']:.2f} s | {one['stop_seconds']:.2f} s "
            f"| {left:+.0f} MiB |"
        )
    return "\n".join(rows)


def _starts(page: _Page) -> str:
    found = page.figures("starts")
    if not found:
        return ""
    rows = ["| Start | Create | Restart | Context in the parent |", "|---|---|---|---|"]
    for name, one in found.items():
        # That none is seen in the parents says something only where one is seen in the worker.
        seen = all(run["context_in_worker"] for run in one["runs"])
        context = any(run["context_in_forkserver"] or run["context_in_supervisor"] for run in one["runs"])
        rows.append(
            f"| {name} | {one['median']['create_seconds']:.2f} s | {one['median']['restart_seconds']:.2f} s "
            f"| {'yes' if context else 'no' if seen else 'unknown'} |"
        )
    return "\n".join(rows)


def _gauges(page: _Page) -> str:
    return page.file("gauges", "gauges.md")


def _tests(page: _Page) -> str:
    counts = page.figures("tests")
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items()) + "." if counts else ""


def _speed(page: _Page) -> str:
    rows = []
    for name, sizes in page.figures("direct").items():
        for size, one in sizes.items() if isinstance(sizes, dict) else ():
            if isinstance(one, dict) and OURS in one.get("median", ()):
                rows.append(f"| {name}, {size} | {one['median'][OURS]:.3f} s | {_compared(one)} |")
    faster = page.figures("cpu").get("cpu_seconds_by_gpu_seconds", {})
    rows += [
        f"| {name} | | {times:.1f} × faster than the CPU cores of the same machine |" for name, times in faster.items()
    ]
    rows += [f"| {sentence} | | not compared |" for sentence in page.figures("cpu").get("not_compared", ())]
    sampling = page.figures("sampling")
    if sampling:
        rows.append(f"| k-means while the gauges are looked at | | {sampling['ratio']['median']:.3f} × its time |")
    pool = page.figures("allocations")
    if pool:
        rows.append(f"| allocations with a pool | | {pool['times_faster_with_pool']:.1f} × faster than without |")
    return "\n".join(["| Work | Time | Compared |", "|---|---|---|", *rows]) if rows else ""


def _compared(one: dict[str, Any]) -> str:
    """Return how our time compares, of a fit that ``direct`` has timed."""
    ratio, share = one["by_cuml_dask"].get(OURS), one.get("roofline_share", {}).get(OURS)
    words = [f"{ratio:.2f} × `cuml.dask`'s time"] if ratio is not None else []
    words += [f"{100 * share:.0f} % of the copy bandwidth"] if share is not None else []
    return ", ".join(words)


def _sharing(page: _Page) -> str:
    found = page.figures("slots")
    if not found:
        return ""
    return (
        f"{len(found['products_per_second_together'])} clusters in slots of one GPU compute together "
        f"{found['share_of_alone_in_sum']:.2f} × what one does alone."
    )


def _comms(page: _Page) -> str:
    rows = []
    for protocol, one in page.figures("comms").items():
        if not isinstance(one, dict):
            continue
        if "failed" in one:
            rows.append(f"| {protocol} | {one['failed']} | |")
        else:
            each, rate = 1e6 * one["round_trip_seconds"], one["result_bytes_per_second"] / 1e9
            rows.append(f"| {protocol} | {each:.0f} µs | {rate:.2f} GB/s |")
    return "\n".join(["| Connection | Round trip | Large results |", "|---|---|---|", *rows]) if rows else ""


def _lessons(page: _Page) -> str:
    rows = []
    for piece in sorted(name for name in page.results if name.startswith("lesson-")):
        for number, one in page.figures(piece).items():
            if "failed" in one:
                rows.append(f"| {number} | {one['failed']} | | |")
                continue
            passed = sum(state == "passed" for state in one["checks"].values())
            workers = ", ".join(one["backends"])
            rows.append(f"| {number} | {passed} of {len(one['checks'])} | {workers} | {one['seconds']:.0f} s |")
    return "\n".join(["| Lesson | Checks passed | Workers | Time |", "|---|---|---|---|", *rows]) if rows else ""
