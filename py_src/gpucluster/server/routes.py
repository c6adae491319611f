"""Addresses and their handlers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..client.control import AsyncControl
from ..protocol.verbs import posts
from .added_routes import Rule
from .api import UnknownHandler
from .catalog import DevicesHandler, OpenAPIHandler, PresetList, PresetsHandler, SchemaHandler, SiteHandler
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
    ReadHandler,
    ReleaseHandler,
    VerbHandler,
)
from .dashboards.relay import DashboardHandler
from .dashboards.upstream import DashboardClient
from .events.pump import EventPump
from .events.socket import EventsHandler
from .machine.devices import DeviceReader, StopProcessHandler
from .machine.metrics import MetricsHandler
from .machine.node import ClassClustersHandler, ClassMessageHandler, ClassStopHandler, NodeHandler
from .recordings import ClusterRecordingHandler, RecordedSessionHandler, RecordingFolder, RecordingsHandler
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
    both: dict[str, Any] = {"control": services.control, "standby": services.standby}
    devices = services.devices
    recordings: dict[str, Any] = {**both, "recordings": services.recordings}
    making: dict[str, Any] = {**both, "directory": services.directory}
    return [
        (r"gpucluster/api/clusters", ClustersHandler, making),
        (r"gpucluster/api/notes", NotesHandler, {**making, "offers": Offers(), "lifetime": note_on_lifetime()}),
        (r"gpucluster/api/preview", PreviewHandler, making),
        (_CLUSTER, ClusterHandler, both),
        (_CLUSTER + "/notes", PatchNotesHandler, both),
        *((f"{_CLUSTER}/{pattern}", VerbHandler, {**both, "verb": verb}) for verb, _, pattern in posts()),
        (_CLUSTER + "/logs", LogsHandler, both),
        (_CLUSTER + "/script", ReadHandler, {**both, "read": "submission"}),
        (_CLUSTER + "/activity", ReadHandler, {**both, "read": "activity", "polled": True}),
        (_CLUSTER + "/cells", CellsHandler, {**both, "polled": True}),
        (r"gpucluster/api/history", HistoryHandler, both),
        (r"gpucluster/api/history/compare", CompareHandler, both),
        (_CLUSTER + "/history", ReadHandler, {**both, "read": "history", "polled": True}),
        (_CLUSTER + "/failures", ReadHandler, {**both, "read": "failures", "polled": True}),
        (_CLUSTER + "/results", ReadHandler, {**both, "read": "results", "polled": True}),
        (_CLUSTER + "/results/release", ReleaseHandler, both),
        (_CLUSTER + "/recording", ClusterRecordingHandler, recordings),
        (_CLUSTER + "/links", LinksHandler, {**both, "allowed": services.shared.sessions.policy.shows}),
        (_CLUSTER + "/links/([^/]+)", LinkHandler, both),
        (r"gpucluster/api/schema", SchemaHandler, both),
        (r"gpucluster/api/presets", PresetsHandler, {**both, "presets": services.presets}),
        (r"gpucluster/api/site", SiteHandler, both),
        (r"gpucluster/api/node", NodeHandler, both),
        (r"gpucluster/api/node/class", ClassClustersHandler, both),
        (r"gpucluster/api/node/class/message", ClassMessageHandler, both),
        (r"gpucluster/api/node/class/stop", ClassStopHandler, both),
        (r"gpucluster/api/devices", DevicesHandler, {**both, "devices": devices}),
        (
            r"gpucluster/api/devices/processes/([0-9]{1,9})/stop",
            StopProcessHandler,
            {**both, "devices": devices, "allowed": services.stop_processes},
        ),
        (r"gpucluster/api/metrics", MetricsHandler, {**both, "devices": devices}),
        (r"gpucluster/api/openapi\.json", OpenAPIHandler, both),
        (r"gpucluster/api/recordings", RecordingsHandler, recordings),
        (r"gpucluster/api/recordings/session", RecordedSessionHandler, recordings),
        (r"gpucluster/api/events", EventsHandler, {**both, "pump": services.pump}),
        *((f"gpucluster/api/{pattern}", handler, {**both, **parts}) for pattern, handler, parts in services.added),
        (r"gpucluster/api(?:/.*)?", UnknownHandler, both),
        (
            r"gpucluster/dashboard/([^/]+)(?:/(.*))?",
            DashboardHandler,
            {"control": services.control, "client": services.dashboards},
        ),
    ]
