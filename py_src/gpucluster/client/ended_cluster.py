"""How a cluster has ended, in words for whoever was connected to it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import datetime

from ..protocol.models import ClusterModel, ClusterState
from ..protocol.telemetry import ActivityEntry
from ..registry import activity
from ..registry.store import Registry

BEFORE_IT_ENDS = "Take results out of a lease before it ends, with result() or compute()."
_OVER = {ClusterState.STOPPING, ClusterState.STOPPED, ClusterState.FAILED}


def is_over(model: ClusterModel | None) -> bool:
    """Return whether a cluster has ended, or is about to."""
    return model is not None and model.state in _OVER


def is_lease_of_this_process(model: ClusterModel) -> bool:
    """Return whether this process had leased a cluster, and so knows that it ends."""
    return model.lease is not None and model.lease.pid == os.getpid()


def stopped_by(registry: Registry, model: ClusterModel) -> str | None:
    """Return who has asked the cluster to stop, such as ``JupyterLab``; ``None`` where nobody has, or nobody knows."""
    try:
        entries: list[ActivityEntry] = activity.read(registry.folder(model.id).activity)
    except OSError:
        return None
    asked = [entry for entry in entries if entry.kind == "stop"]
    return asked[-1].by if asked else None


def how_it_ended(model: ClusterModel, by: str | None) -> str:
    """Return what has become of a cluster: what happened to it, when, by whom and why.

    Parameters
    ----------
    model : ClusterModel
        One that is over.
    by : str or None
        Who stopped it.
    """
    failed = model.state is ClusterState.FAILED
    verb = "is being stopped" if model.state is ClusterState.STOPPING else "failed" if failed else "was stopped"
    when = "" if model.ended_at is None else f" {_clock(model.ended_at)}"
    reason = model.reason or ""
    if by is None and (told := re.match(r"Stopped by (instructor [^\s:.]+)", reason)) is not None:
        by = told[1]
    if by is not None and reason.startswith(f"Stopped by {by}"):  # An instructor's stop says who it was.
        reason = reason.removeprefix(f"Stopped by {by}").lstrip(":. ")
    who = "" if by is None or failed else f" by {_with_article(by)}"
    why = f": {reason}" if reason else "."
    return f"The cluster '{model.name}' {verb}{when}{who}{why}"


def ended_unasked(models: Iterable[ClusterModel]) -> str:
    """Return a sentence about the cluster that ended last, if it was stopped unasked or has died after it had run.

    Its user may have been away; where there is none, the text is empty. A blank follows the sentence.
    """
    ended = [model for model in models if model.state.ended]
    last = max(ended, key=lambda model: model.ended_at or "", default=None)
    if last is None:
        return ""
    died = last.state is ClusterState.FAILED and last.running_at is not None
    if not died and not any(entry.kind == "stopped" for entry in last.news):
        return ""
    return f"{how_it_ended(last, None)} "


def _clock(time: str) -> str:
    """Return a UTC ISO time as this machine's clock showed it, with the day where it was another one."""
    then = datetime.fromisoformat(time).astimezone()
    today = then.date() == datetime.now().astimezone().date()
    return then.strftime("at %H:%M" if today else "on %Y-%m-%d at %H:%M")


def _with_article(by: str) -> str:
    """Return who asked as a part of a sentence: ``JupyterLab``, ``the idle timer``, ``a notebook, process 12``."""
    kind = by.partition(",")[0]
    article = {"idle timer": "the ", "command line": "the ", "notebook": "a ", "assistant": "an "}.get(kind, "")
    return f"{article}{by}"
