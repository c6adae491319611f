"""The verbs that only look at clusters, asynchronous and without Dask."""

from __future__ import annotations

import asyncio
import os
from builtins import list as List
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from ..operating_system.plain_file import read_own_file
from ..protocol.errors import ClusterNotFound, InvalidRequest, InvalidState, ProtocolMismatch
from ..protocol.links import SharedLinks
from ..protocol.models import ClusterModel, Event, LogLines, Submission, Telemetry
from ..protocol.spec import ClusterPatch, SpecBase
from ..protocol.telemetry import Activity, Decision, Decisions, TelemetryHistory, TelemetrySample
from ..registry import activity
from ..registry.ending import tail
from ..registry.record import DashboardAddress
from ..registry.store import Registry
from ..registry.unreadable import of_another_version
from .caller import this_process
from .capacity import bounded_spec, checked_patch, checked_spec, notes_on_patch, notes_on_spec
from .ended_cluster import ended_unasked
from .events import RawTelemetry, raw_watch, watch
from .links import links_of
from .telemetry import newest_sample
from .transport import request

MAX_LOG_LINES = 10_000
LEASE_VARIABLE = "GPUCLUSTER_LEASE"
"""Has the id of the cluster that was leased for a command, in the command's environment."""


class ReadingControl:
    """The verbs that change no cluster; ``AsyncControl`` adds those that do, and has the parameters' documentation."""

    def __init__(self, directory: Path | None = None, *, by: str | None = None) -> None:
        self.registry = Registry(directory)
        self.by = activity.who(by) or this_process()

    async def list(self) -> List[ClusterModel]:
        """Return all clusters, living ones first; ended ones stay for a day unless removed."""
        return self.registry.list()

    async def get(self, id: str) -> ClusterModel:
        """Return one cluster.

        Raises
        ------
        ClusterNotFound
        """
        return self.registry.find(id)

    async def logs(self, id: str, *, lines: int = 200) -> LogLines:
        """Return the end of a cluster's log, also of an ended one.

        Raises
        ------
        ClusterNotFound
        """
        model = self.registry.find(id)
        count = max(1, min(lines, MAX_LOG_LINES))
        return LogLines(id=model.id, lines=tail(self.registry.folder(model.id).log, count))

    async def submission(self, id: str) -> Submission:
        """Return what was handed to whoever starts a cluster's workers, also of an ended one.

        Raises
        ------
        ClusterNotFound
        """
        folder = self.registry.folder(self.registry.find(id).id)
        try:
            return Submission(text=read_own_file(folder.submitted).decode("utf-8", "replace"))
        except OSError:
            return Submission()

    async def activity(self, id: str) -> Activity:
        """Return who asked what of a cluster and what came of it, also of an ended one.

        Raises
        ------
        ClusterNotFound
        """
        model = self.registry.find(id)
        return Activity(id=model.id, entries=activity.read(self.registry.folder(model.id).activity))

    async def links(self, id: str) -> SharedLinks:
        """Return the links by which others can look at a cluster, and how many times each was opened.

        Raises
        ------
        ClusterNotFound
        """
        return links_of(self.registry, self.registry.find(id))

    async def telemetry(self, id: str) -> TelemetrySample:
        """Return the newest figures; they are at most a second old.

        Raises
        ------
        ClusterNotFound, InvalidState, SupervisorUnreachable
        """
        model = self._living(id)
        if model.scheduler_address is None:
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; it has no figures yet.")
        return await newest_sample(self.registry.folder(model.id))

    async def glance(self, id: str, *, timeout: float | None = None) -> TelemetrySample:
        """Return the newest figures without making workers report more often: for monitors that ask all day.

        Parameters
        ----------
        id : str
        timeout : float, optional
            Seconds to wait for the answer; default: 30.

        Raises
        ------
        ClusterNotFound, InvalidState, SupervisorUnreachable
        """
        model = self._living(id)
        answer = await request(self.registry.folder(model.id), "GET", "/sample", timeout=timeout)
        return Telemetry.model_validate_json(answer).sample

    async def history(self, id: str) -> TelemetryHistory:
        """Return the figures of the last ten minutes.

        Raises
        ------
        ClusterNotFound, InvalidState, SupervisorUnreachable
        """
        model = self._living(id)
        answer = await request(self.registry.folder(model.id), "GET", "/history")
        return TelemetryHistory.model_validate_json(answer)

    async def decisions(self, id: str) -> List[Decision]:
        """Return what following the load has led to since `adapt` was last called, oldest first.

        Raises
        ------
        ClusterNotFound, InvalidState, SupervisorUnreachable
        """
        model = self._living(id)
        answer = await request(self.registry.folder(model.id), "GET", "/decisions")
        return Decisions.model_validate_json(answer).decisions

    def dashboard(self, id: str) -> DashboardAddress:
        """Return where the dashboard listens: a secret of this user.

        Raises
        ------
        ClusterNotFound, InvalidState
        """
        return self.registry.dashboard(id)

    async def open_dashboard(self, id: str) -> str:
        """Let a browser on this machine reach the dashboard, and return the address of its status page: a secret.

        Raises
        ------
        ClusterNotFound, InvalidState, SupervisorUnreachable
        """
        model = self._living(id)
        answer = await request(self.registry.folder(model.id), "POST", "/dashboard")
        url = DashboardAddress.model_validate_json(answer).url
        assert url is not None
        return url

    def find_living(self, name: str | None = None) -> ClusterModel:
        """Return a cluster that has not ended, by name or id; without one the only one that there is.

        In a command of ``gpucluster lease`` it is the one that was leased for that command.

        Raises
        ------
        ClusterNotFound
            When there is none, or it has ended.
        InvalidRequest
            When the name was left out and there are several.
        """
        living = [model for model in self.registry.list() if not model.state.ended]
        name = name or os.environ.get(LEASE_VARIABLE)
        if name is not None:
            model = self.registry.find(name)
            if model.state.ended:
                why = f" {model.reason}" if model.reason else ""
                raise ClusterNotFound(f"The cluster '{model.name}' has {model.state.value}.{why}")
            return model
        if not living:
            last = ended_unasked(self.registry.list())
            raise ClusterNotFound(f"There is no living cluster. {last}Create one: gpucluster.create().")
        if len(living) > 1:
            names = ", ".join(model.name for model in living)
            raise InvalidRequest(f"There are several living clusters ({names}); name one.")
        return living[0]

    def events(self, *, telemetry: bool = True) -> AsyncIterator[Event]:
        """Yield ``Hello`` with the whole list, then what changes, and samples of running clusters."""
        return watch(self.registry, telemetry=telemetry)

    def raw_events(self) -> AsyncIterator[Event | RawTelemetry]:
        """Like ``events``, with samples as ``(id, line)``: the JSON of a whole event, not parsed."""
        return raw_watch(self.registry)

    # -- before a request ------------------------------------------------------------------------

    async def notes(self, spec: SpecBase | dict[str, Any]) -> List[str]:
        """Return what to know about a cluster before it is made, such as that its workers share cores. Starts nothing.

        Raises
        ------
        InvalidRequest
            It is refused; so would ``create``.
        """
        checked = checked_spec(spec)
        return await asyncio.to_thread(lambda: notes_on_spec(bounded_spec(checked)))

    async def patch_notes(self, id: str, patch: ClusterPatch | dict[str, Any]) -> List[str]:
        """Return what to know about a change before it is made. Changes nothing.

        Raises
        ------
        ClusterNotFound, InvalidRequest
        """
        model = self.registry.find(id)
        return notes_on_patch(model, checked_patch(model, patch))

    def _living(self, id: str) -> ClusterModel:
        model = self.registry.find(id)
        if model.state.ended:
            raise InvalidState(f"The cluster '{model.name}' has {model.state.value}; create a new one.")
        must_speak_our_version(model)
        return model


def must_speak_our_version(model: ClusterModel) -> None:
    """Refuse a cluster of another version of the protocol, which cannot be asked.

    Raises
    ------
    ProtocolMismatch
    """
    if of_another_version(model):
        raise ProtocolMismatch(f"The cluster '{model.name}' can only be stopped. {model.notice}")
