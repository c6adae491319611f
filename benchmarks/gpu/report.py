"""One page that says what was proved where: ``report.md`` in the folder of the results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .piece import Result


def report(out: Path, facts: dict[str, Any], results: Mapping[str, Result | None]) -> Path:
    """Write the page and return its path.

    Parameters
    ----------
    out : pathlib.Path
        Folder of the results.
    facts : dict
        As `surroundings` gives them.
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
    tables = {
        "Settings": _settings(out),
        "Starts": _starts(out),
        "Gauges": _gauges(out),
        "Speed": _speed(out),
        "Lessons": _lessons(out, results),
    }
    for title, table in tables.items():
        if table:
            parts += [f"\n## {title}\n", table]
    page.write_text("\n".join(parts) + "\n", encoding="utf-8")
    return page


def _figures(out: Path, name: str) -> Any:
    try:
        return json.loads((out / name / "figures.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _settings(out: Path) -> str:
    found = _figures(out, "settings")
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


def _starts(out: Path) -> str:
    found = _figures(out, "starts")
    if not found:
        return ""
    rows = ["| Start | Create | Restart | Context in the parent |", "|---|---|---|---|"]
    for name, one in found.items():
        context = any(run["context_in_forkserver"] or run["context_in_supervisor"] for run in one["runs"])
        rows.append(
            f"| {name} | {one['median']['create_seconds']:.2f} s | {one['median']['restart_seconds']:.2f} s "
            f"| {'yes' if context else 'no'} |"
        )
    return "\n".join(rows)


def _gauges(out: Path) -> str:
    path = out / "gauges" / "gauges.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _speed(out: Path) -> str:
    rows = []
    for name, one in (_figures(out, "direct") or {}).items():
        if isinstance(one, dict) and "roofline_share" in one:
            rows.append(
                f"| {name} | {one['median']['gpucluster.learn']:.3f} s | {one['ratio']:.2f} × `cuml.dask`'s time, "
                f"{100 * one['roofline_share']:.0f} % of the copy bandwidth |"
            )
    faster = (_figures(out, "cpu") or {}).get("cpu_seconds_by_gpu_seconds", {})
    rows += [
        f"| {name} | | {times:.1f} × faster than the CPU cores of the same machine |" for name, times in faster.items()
    ]
    sampling = _figures(out, "sampling")
    if sampling:
        rows.append(f"| k-means while the gauges are looked at | | {sampling['ratio']['median']:.3f} × its time |")
    pool = _figures(out, "allocations")
    if pool:
        rows.append(f"| allocations with a pool | | {pool['times_faster_with_pool']:.1f} × faster than without |")
    return "\n".join(["| Work | Time | Compared |", "|---|---|---|", *rows]) if rows else ""


def _lessons(out: Path, results: Mapping[str, Result | None]) -> str:
    rows = []
    for piece in sorted(name for name in results if name.startswith("lesson-")):
        for number, one in (_figures(out, piece) or {}).items():
            if "failed" in one:
                rows.append(f"| {number} | {one['failed']} | |")
                continue
            passed = sum(state == "passed" for state in one["checks"].values())
            rows.append(f"| {number} | {passed} of {len(one['checks'])} | {one['seconds']:.0f} s |")
    return "\n".join(["| Lesson | Checks passed | Time |", "|---|---|---|", *rows]) if rows else ""
