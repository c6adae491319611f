"""A rule about modules: a process imports each of them once, and until then it does nothing else."""

from __future__ import annotations

from ...protocol.plain_text import counted
from ..model import Finding, ReportFigures
from ..units import seconds, share
from .tasks import SHORT_SECONDS

IMPORT_SHARE = 0.25
"""Importing that took at least this share of the time says more of the figures than anything else."""


def imports(report: ReportFigures) -> Finding | None:
    """The cell, the scheduler or one of the workers imported modules for ``IMPORT_SHARE`` of the time."""
    floor = max(IMPORT_SHARE * report.wall_seconds, SHORT_SECONDS)
    here, there = report.notebook_import_seconds or 0.0, report.worker_import_seconds
    between = report.scheduler_import_seconds or 0.0
    evidence, advice = [], []
    if here >= floor:
        evidence.append(f"The cell itself imported modules for {_of(here, report)}.")
        advice.append("Put imports into a cell of their own, before this one: they are done once.")
    if between >= floor:
        evidence.append(f"The scheduler imported modules for {_of(between, report)}, to read the graph of tasks.")
    if there >= floor:
        importing = [worker for worker in report.workers if (worker.import_seconds or 0.0) >= floor]
        names = ", ".join(worker.name for worker in importing[:5]) + (" …" if len(importing) > 5 else "")
        evidence.append(
            f"{counted(len(importing), 'worker')} of {len(report.workers)} ({names}) imported modules for up to "
            f"{_of(there, report)}, before tasks or in them."
        )
    if there >= floor or between >= floor:
        advice.append(
            "Scheduler and workers import what tasks need when they first meet it, and never again: run the cell once "
            "more for figures without that. Workers that start with it: preload=['MODULE'] when the cluster is created."
        )
    if not evidence:
        return None
    return Finding(
        rule="imports", title="Importing modules took the time", evidence=" ".join(evidence), advice=" ".join(advice)
    )


def _of(took: float, report: ReportFigures) -> str:
    return f"{seconds(took)} of {seconds(report.wall_seconds)} ({share(took / report.wall_seconds)})"
