"""Addresses and their handlers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel

from ..client.control import AsyncControl
from ..client.node import class_clusters, message_class, node, stop_class
from ..protocol.errors import parsed
from ..protocol.instructing import ClassMessage, ClassStop
from ..protocol.verbs import posts
from .added_routes import Rule
from .api import ActHandler, ReadHandler, UnknownHandler
from .catalog import OpenAPIHandler, PresetList, PresetsHandler, SchemaHandler, SiteHandler
from .clusters import (
    CellsHandler,
    ClusterHandler,
    ClustersHandler,
    CompareHandler,
    HistoryHandler,
    LinkHandler,
    LinksHandler,
    LogsHandler,
    NotesHandler,
    Offers,
    PatchNotesHandler,
    PreviewHandler,
    ReleaseHandler,
    VerbHandler,
)
from .dashboards import DashboardClient, DashboardHandler
from .devices import DeviceReader, StopProcessHandler
from .event_stream import EventPump, EventsHandler
from .metrics import MetricsHandler
from .recordings import ClusterRecordingHandler, RecordedSessionHandler, RecordingFolder
from .server_use import note_on_lifetime
from .shared_view.routes import SharedViews
from .standby import StandbyKeeper

_CLUSTER = r"gpucluster/api/clusters/([^/]+)"


@dataclass(frozen=True)
class Services:
    """The long-lived objects of the extension."""

    control: AsyncControl
    standby: StandbyKeeper
    presets: PresetList
    devices: DeviceReader
    pump: EventPump
    dashboards: DashboardClient
    directory: str  # Working directory of clusters created here.
    recordings: RecordingFolder
    shared: SharedViews
    stop_processes: bool = True  # Whether users may stop their processes that use a GPU.
    added: Sequence[Rule] = ()  # Routes of other packages.


def routes(services: Services) -> list[Rule]:
    """Return pattern, handler and arguments of every address, below the base URL."""
    control, devices = services.control, services.devices
    both: dict[str, Any] = {"control": control, "standby": services.standby}
    recordings: dict[str, Any] = {**both, "recordings": services.recordings}
    making: dict[str, Any] = {**both, "directory": services.directory}

    def read(path: str, function: Callable[..., Awaitable[BaseModel]], *, polled: bool = False) -> Rule:
        return path, ReadHandler, {**both, "read": function, "polled": polled}

    def act(path: str, function: Callable[[bytes], BaseModel]) -> Rule:
        return path, ActHandler, {**both, "act": function}

    return [
        (r"gpucluster/api/clusters", ClustersHandler, making),
        (r"gpucluster/api/notes", NotesHandler, {**making, "offers": Offers(), "lifetime": note_on_lifetime()}),
        (r"gpucluster/api/preview", PreviewHandler, making),
        (_CLUSTER, ClusterHandler, both),
        (_CLUSTER + "/notes", PatchNotesHandler, both),
        *((f"{_CLUSTER}/{pattern}", VerbHandler, {**both, "verb": verb}) for verb, _, pattern in posts()),
        (_CLUSTER + "/logs", LogsHandler, both),
        read(_CLUSTER + "/script", lambda cluster: control.submission(cluster)),
        read(_CLUSTER + "/activity", lambda cluster: control.activity(cluster), polled=True),
        (_CLUSTER + "/cells", CellsHandler, {**both, "polled": True}),
        (r"gpucluster/api/history", HistoryHandler, both),
        (r"gpucluster/api/history/compare", CompareHandler, both),
        read(_CLUSTER + "/history", lambda cluster: control.history(cluster), polled=True),
        read(_CLUSTER + "/failures", lambda cluster: control.failures(cluster), polled=True),
        read(_CLUSTER + "/results", lambda cluster: control.results(cluster), polled=True),
        (_CLUSTER + "/results/release", ReleaseHandler, both),
        (_CLUSTER + "/recording", ClusterRecordingHandler, recordings),
        (_CLUSTER + "/links", LinksHandler, {**both, "allowed": services.shared.sessions.policy.shows}),
        (_CLUSTER + "/links/([^/]+)", LinkHandler, both),
        (r"gpucluster/api/schema", SchemaHandler, both),
        (r"gpucluster/api/presets", PresetsHandler, {**both, "presets": services.presets}),
        (r"gpucluster/api/site", SiteHandler, both),
        read(r"gpucluster/api/node", partial(asyncio.to_thread, node), polled=True),
        read(r"gpucluster/api/node/class", partial(asyncio.to_thread, class_clusters), polled=True),
        act(r"gpucluster/api/node/class/message", lambda body: message_class(**dict(parsed(ClassMessage, body)))),
        act(r"gpucluster/api/node/class/stop", lambda body: stop_class(**dict(parsed(ClassStop, body)))),
        read(r"gpucluster/api/devices", devices.read),
        (
            r"gpucluster/api/devices/processes/([0-9]{1,9})/stop",
            StopProcessHandler,
            {**both, "devices": devices, "allowed": services.stop_processes},
        ),
        (r"gpucluster/api/metrics", MetricsHandler, {**both, "devices": devices}),
        (r"gpucluster/api/openapi\.json", OpenAPIHandler, both),
        read(r"gpucluster/api/recordings", services.recordings.list),
        (r"gpucluster/api/recordings/session", RecordedSessionHandler, recordings),
        (r"gpucluster/api/events", EventsHandler, {**both, "pump": services.pump}),
        *((f"gpucluster/api/{pattern}", handler, {**both, **parts}) for pattern, handler, parts in services.added),
        (r"gpucluster/api(?:/.*)?", UnknownHandler, both),
        (
            r"gpucluster/dashboard/([^/]+)(?:/(.*))?",
            DashboardHandler,
            {"control": control, "client": services.dashboards},
        ),
    ]
