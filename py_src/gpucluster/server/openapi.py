"""The OpenAPI document of the REST interface, made from the models that validate it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from ..client.history.comparing import RunComparison
from ..protocol.cells import Cells, History
from ..protocol.errors import ErrorModel
from ..protocol.instructing import ClassAnswer, ClassClusters, ClassMessage, ClassStop, NodeModel
from ..protocol.kinds import Schemas, spec_union
from ..protocol.links import LinkRequest, NewLink, SharedLinks
from ..protocol.models import (
    EVENT,
    ClusterList,
    ClusterModel,
    HostDevices,
    LogLines,
    Notes,
    OfferedPreset,
    ProcessStopped,
    ResultsReleased,
    SiteFaults,
    StopProcess,
    Submission,
)
from ..protocol.recordings import RecordedSession, RecordingEntry, RecordingList
from ..protocol.spec import ClusterPatch
from ..protocol.telemetry import Activity, LargestResults, TaskFailures, TelemetryHistory
from ..protocol.verbs import VERBS, posts
from ..protocol.version import PROTOCOL_VERSION


class PresetList(BaseModel):
    """Named starting points for the creation form."""

    presets: list[OfferedPreset]


_MODELS: dict[str, TypeAdapter[Any]] = {
    **{model.__name__: TypeAdapter(model) for model in (
        ClusterPatch, ClusterModel, ClusterList, LogLines, Submission, Notes, Activity, Cells, History, RunComparison,
        TelemetryHistory, TaskFailures, LargestResults, ResultsReleased, PresetList, LinkRequest, SharedLinks, NewLink,
        SiteFaults,
        NodeModel, ClassClusters, ClassMessage, ClassStop, ClassAnswer, HostDevices, StopProcess, ProcessStopped,
        RecordingList, RecordedSession, RecordingEntry, ErrorModel, Schemas,
    )},
    "Event": EVENT,
}  # fmt: skip


@dataclass(frozen=True)
class Operation:
    method: str
    path: str
    summary: str
    answer: str | None
    body: str | None = None
    status: int = 200
    media_type: str = "application/json"
    refusals: tuple[int, ...] = ()
    query: dict[str, dict[str, Any]] = field(default_factory=dict)


_CLUSTER, _DASHBOARD = "api/clusters/{cluster}", "dashboard/{cluster}/{path}"
_LINES = {"type": "integer", "minimum": 1, "maximum": 10_000, "default": 200}


def _text(*names: str) -> dict[str, dict[str, Any]]:
    return {name: {"type": "string"} for name in names}


def _of_cluster(method: str, path: str, summary: str, answer: str, *refusals: int, **more: Any) -> Operation:
    """Return an operation of one cluster. `refusals`: besides 404."""
    return Operation(method, f"{_CLUSTER}{path}", summary, answer, refusals=(404, *refusals), **more)


def _of_dashboard(method: str, summary: str) -> Operation:
    return Operation(method, _DASHBOARD, summary, None, media_type="text/html", refusals=(404, 409, 502))


OPERATIONS = (
    Operation("get", "api/clusters", "List the clusters, newest first.", "ClusterList"),
    Operation(
        "post", "api/clusters", "Create a cluster; returns immediately, while it starts.", "ClusterModel",
        body="ClusterSpec", status=201, refusals=(409, 422),
    ),
    Operation(
        "post", "api/notes", "Check a cluster before it is created; return errors and warnings.", "Notes",
        body="ClusterSpec", refusals=(422,),
    ),
    Operation(
        "post", "api/preview", "Show what a cluster would submit to a batch system, and the expected start.",
        "Submission", body="ClusterSpec", refusals=(409, 422),
    ),
    _of_cluster("get", "", "Return one cluster.", "ClusterModel"),
    _of_cluster(
        "patch", "", "Scale, adapt, or set the idle time.", "ClusterModel", 409, 422, 503, body="ClusterPatch"
    ),
    _of_cluster(
        "delete", "", "Stop a running cluster, or remove a stopped one from the list. Programs that do not know its "
        "state specify which of the two they mean.", "ClusterModel", 409, 422, 503,
        query={"only": {"type": "string", "enum": ["stop", "remove"]}},
    ),
    _of_cluster(
        "post", "/notes", "Check a change before it is made; return errors and warnings.", "Notes", 422,
        body="ClusterPatch",
    ),
    *(_of_cluster("post", f"/{path}", VERBS[verb].summary, "ClusterModel", 409, 503) for verb, path, _ in posts()),
    _of_cluster(
        "get", "/activity", "Read the log of requests and their results, even of a stopped cluster.", "Activity"
    ),
    _of_cluster(
        "get", "/cells", "Read what each notebook cell computed, even on a stopped cluster.", "Cells",
        query=_text("kernel", "run"),
    ),
    Operation(
        "get", "api/history", "Read what cells and scripts computed, also on clusters that are gone.",
        "History", refusals=(422,), query={**_text("work"), "lines": _LINES},
    ),
    Operation(
        "get", "api/history/compare", "Compare two selections of the history.", "RunComparison", refusals=(422,),
        query=_text("first", "second"),
    ),
    _of_cluster("get", "/history", "Read the metrics of the last ten minutes.", "TelemetryHistory", 409, 503),
    _of_cluster(
        "get", "/failures", "Read the errors of failed tasks that are still held, with their tracebacks.",
        "TaskFailures", 409, 503,
    ),
    _of_cluster("get", "/results", "Read which results take the most memory.", "LargestResults", 409, 503),
    _of_cluster(
        "post", "/results/release", "Release results that a notebook holds.", "ClusterModel", 409, 422, 503,
        body="ResultsReleased",
    ),
    _of_cluster(
        "get", "/script", "Read what was submitted to a batch system, even for a stopped cluster.", "Submission"
    ),
    _of_cluster("get", "/logs", "Read the end of the log.", "LogLines", 422, query={"lines": _LINES}),
    _of_cluster(
        "post", "/recording", "Record what the gauges show into a new file below Jupyter's root.", "ClusterModel",
        409, 422, 503, status=201,
    ),
    _of_cluster("delete", "/recording", "Stop the recording in progress.", "RecordingEntry", 409, 503),
    _of_cluster("get", "/links", "List the links for viewing a cluster.", "SharedLinks"),
    _of_cluster(
        "post", "/links", "Create a link; the only response that contains its token.", "NewLink", 409, 422,
        body="LinkRequest", status=201,
    ),
    _of_cluster("delete", "/links", "Revoke all links.", "SharedLinks"),
    _of_cluster("delete", "/links/{link}", "Revoke a link.", "SharedLinks"),
    Operation("get", "api/schema", "Schema of the creation form, by backend.", "Schemas"),
    Operation("get", "api/presets", "Named starting points for the creation form.", "PresetList"),
    Operation("get", "api/node", "Users of each GPU on this machine, and the queue for them.", "NodeModel"),
    Operation("get", "api/node/class", "The clusters of all users on this machine, for instructors.", "ClassClusters"),
    Operation(
        "post", "api/node/class/message", "Send a message to the owners of clusters, as an instructor.", "ClassAnswer",
        body="ClassMessage", refusals=(404, 422),
    ),
    Operation(
        "post", "api/node/class/stop", "Stop the clusters of a user, as an instructor.", "ClassAnswer",
        body="ClassStop", refusals=(404, 422),
    ),
    Operation("get", "api/site", "Errors in the site's file and their effects.", "SiteFaults"),
    Operation("get", "api/devices", "GPUs of the Jupyter server's machine.", "HostDevices"),
    Operation(
        "get", "api/recordings", "List the recordings below Jupyter's root and those that come with gpucluster.",
        "RecordingList",
    ),
    Operation(
        "get", "api/recordings/session", "Read a recording, to be played.", "RecordedSession", refusals=(404, 422),
        query={"source": {"type": "string", "enum": ["folder", "bundled"], "default": "folder"}, **_text("path")},
    ),
    Operation(
        "post", "api/devices/processes/{pid}/stop", "Stop one of your own processes that uses a GPU.", "ProcessStopped",
        body="StopProcess", refusals=(409, 422),
    ),
    Operation(
        "get", "api/metrics", "Metrics of clusters, workers and GPUs, for Prometheus.", None,
        media_type="application/openmetrics-text; version=1.0.0; charset=utf-8",
    ),
    Operation("get", "api/openapi.json", "This document.", None),
    Operation(
        "get", "api/events", "WebSocket: Hello first, then changes of clusters and telemetry.", "Event", status=101
    ),
    _of_dashboard("get", "Dask's own dashboard, HTTP and WebSocket."),
    _of_dashboard("head", "Headers of a page of Dask's dashboard."),
)  # fmt: skip
"""All routes of the extension except those of other packages; a test compares them with the registered ones."""

_REFUSALS = {
    403: "Not logged in, or not allowed.",
    404: "There is no such cluster, worker, link, lesson, class or recording.",
    409: "The state of the cluster, of another one, or of the learner's folder does not allow this.",
    422: "A value is not allowed; the message names it. Nothing was changed.",
    502: "The dashboard does not respond.",
    503: "The process that owns the cluster does not respond.",
}


def openapi_document(base_url: str = "/") -> dict[str, Any]:
    """Return the OpenAPI 3.1 document. `base_url`: base URL of the Jupyter server."""
    from .added_routes import usable

    added = usable()
    models = {"ClusterSpec": spec_union(), **_MODELS}
    for one in added:
        models |= one.models
    operations = [*OPERATIONS, *(operation for one in added for operation in one.operations)]
    requests = {operation.body for operation in operations}
    modes: dict[str, Any] = {name: "validation" if name in requests else "serialization" for name in models}
    generator = GenerateJsonSchema(by_alias=True, ref_template="#/components/schemas/{model}")
    references, definitions = generator.generate_definitions(
        [(name, modes[name], adapter.core_schema) for name, adapter in models.items()]
    )
    named = {name: references[(name, modes[name])] for name in models}
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(f"/{operation.path}", {})[operation.method] = _operation(operation, named)
    return {
        "openapi": "3.1.0",
        "info": {"title": "gpucluster", "version": str(PROTOCOL_VERSION)},
        "servers": [{"url": f"{base_url.rstrip('/')}/gpucluster"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": definitions,
            "securitySchemes": {"token": {"type": "apiKey", "in": "header", "name": "Authorization"}},
        },
    }


def _operation(operation: Operation, named: dict[str, Any]) -> dict[str, Any]:
    schema = named[operation.answer] if operation.answer else {}
    shown = {operation.media_type: {"schema": schema}}
    described: dict[str, Any] = {
        "summary": operation.summary,
        "responses": {str(operation.status): {"description": operation.summary, "content": shown}},
    }
    for status in (403, *operation.refusals):
        media_type = "text/html" if operation.media_type == "text/html" else "application/json"
        content = {} if media_type == "text/html" else {"schema": named["ErrorModel"]}
        described["responses"][str(status)] = {
            "description": _REFUSALS[status], "content": {media_type: content}
        }  # fmt: skip
    names = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    described["parameters"] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names
    ] + [{"name": name, "in": "query", "schema": query} for name, query in operation.query.items()]
    if operation.body:
        described["requestBody"] = {
            "required": True, "content": {"application/json": {"schema": named[operation.body]}}
        }  # fmt: skip
    return described
