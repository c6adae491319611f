"""Dashboard pages and figures of a link."""

import json

import pytest
from distributed.dashboard.scheduler import applications
from gpucluster.protocol.telemetry import TelemetryHistory, TelemetrySample
from gpucluster.server.shared_view.routes import ReadOnly
from gpucluster.server.shared_view.shown import (
    FIGURES,
    SHOWN,
    TASKS,
    WITHHELD,
    Address,
    address_of,
    all_tasks,
    shown_pages,
    shown_telemetry,
)  # fmt: skip

DECIDED_AGAINST = {
    "status", "workers", "tasks", "system", "profile", "profile-server", "graph", "groups", "gpu", "hardware",
    "shuffle", "stealing", "exceptions", "events", "counters",
    "individual-workers", "individual-exceptions", "individual-profile", "individual-profile-server",
    "individual-scheduler-system", "individual-contention", "individual-fine-performance-metrics",
}  # fmt: skip
OTHERS = [
    "", "/", "ws", "json/identity.json", "json/counts.json", "individual-plots.json", "sitemap.json", "metrics",
    "health", "info/main/workers.html", "info/main/logs.html", "info/logs/x.html",
    "info/call-stacks/x.html", "info/task/x.html",
    "info/call-stack/x.html", "info/worker/x.html", "info", "eventstream", "proxy/8787/127.0.0.1/status",
    "individual-cpu/autoload.js", "individual-cpu/metadata", "individual-cpu/../status", "individual-cpu/", "status/ws",
    "individual-profile/ws", "individual-cpu/ws/ws", "static/../status.js", "statics/../../api.js", "static//x.js",
    "static/js/bokeh.min.js.map", "static/x.js?y", "statics/individual-cluster-map.html", "Individual-CPU",
    "jupyter/lab",
]  # fmt: skip


def test_every_page_that_dask_has_was_decided_on():
    known = {path.strip("/") for path in applications}
    assert known == (known & {*FIGURES, *TASKS}) | (known & DECIDED_AGAINST)
    assert {*FIGURES, *TASKS} <= known and not {*FIGURES, *TASKS} & DECIDED_AGAINST


@pytest.mark.parametrize("tasks", [False, True])
def test_pages_sockets_and_files(tasks):
    assert address_of("individual-cpu", tasks=tasks) is Address.PAGE
    assert address_of("individual-cpu/ws", tasks=tasks) is Address.SOCKET
    assert address_of("static/js/bokeh.min.js", tasks=tasks) is Address.FILE
    assert address_of("statics/css/base.css", tasks=tasks) is Address.FILE
    assert address_of("individual-task-stream", tasks=tasks) is (Address.PAGE if tasks else None)
    for path in ("individual-graph/ws", "individual-progress/ws", "individual-memory-by-key/ws"):
        assert address_of(path, tasks=tasks) is (Address.SOCKET if tasks else None)
    for path in (*DECIDED_AGAINST, *OTHERS):
        assert address_of(path, tasks=tasks) is None, path


def test_pages_are_offered_as_they_can_be_seen():
    assert [page.path for page in shown_pages(tasks=False, gpus=False) if "gpu" in page.path] == []
    assert {page.path for page in shown_pages(tasks=True, gpus=True)} == {*FIGURES, *TASKS}


def test_every_figure_was_decided_on():
    assert set(TelemetrySample.model_fields) == SHOWN | WITHHELD and not SHOWN & WITHHELD


def test_a_history_names_no_machine():
    assert not any("host" in name or "address" in name for name in TelemetryHistory.model_fields)


def test_withheld_and_unknown_fields_are_left_out():
    sample = {"id": "0a1b2c3d", "at": "x", "workers": ["0"], "host": ["node-1"], "secret": 1, "cpu_percent": [3.0]}
    shown = shown_telemetry(json.dumps({"kind": "telemetry", "sample": sample, "more": 1}).encode(), tasks=False)
    assert json.loads(shown) == {
        "kind": "telemetry", "sample": {"id": "0a1b2c3d", "at": "x", "workers": ["0"], "cpu_percent": [3.0]},
    }  # fmt: skip
    for broken in (b"", b"{", b"[]", b'{"sample": 1}', b"\xff"):
        assert shown_telemetry(broken, tasks=False) is None


def test_link_without_tasks_names_no_task():
    progress = [
        {"prefix": "inc", "processing": 1},
        {"prefix": "/home/ada/patients/miller.csv", "in_memory": 2, "erred": 1},
        {"prefix": "read-parquet_2", "in_memory": 4},
    ]
    line = json.dumps({"sample": {"progress": progress}}).encode()
    assert json.loads(shown_telemetry(line, tasks=False))["sample"]["progress"] == [
        {"prefix": "all tasks", "processing": 1, "in_memory": 6, "erred": 1}
    ]
    assert json.loads(shown_telemetry(line, tasks=True))["sample"]["progress"] == progress


def test_malformed_progress_is_ignored():
    assert all_tasks([{"prefix": "a", "erred": 1, "secret": "x"}, {"prefix": "b", "erred": "x"}, "x", 5]) == [
        {"prefix": "all tasks", "erred": 1}
    ]
    assert all_tasks(None) == []


QUESTION = '{"msgid": "7", "msgtype": "PULL-DOC-REQ"}'
PATCH = '{"msgid": "8", "msgtype": "PATCH-DOC"}'


def heard(*frames: str | bytes) -> list[str]:
    """Return the frames that the dashboard gets."""
    read_only = ReadOnly()
    return [passed for frame in frames for passed in read_only.passed_on(frame)]


def kinds(frames: list[str]) -> list[str]:
    """Return the types of the messages; every message is three frames."""
    assert len(frames) % 3 == 0 and all(frame == "{}" for place, frame in enumerate(frames) if place % 3)
    return [json.loads(frame)["msgtype"] for frame in frames[::3]]


def test_questions_pass():
    assert kinds(heard(QUESTION, "{}", "{}", '{"msgid": "9", "msgtype": "SERVER-INFO-REQ", "num_buffers": 0}')) == [
        "PULL-DOC-REQ", "SERVER-INFO-REQ",
    ]  # fmt: skip


def test_only_read_requests_are_forwarded():
    with_buffers = '{"msgid": "8", "msgtype": "PATCH-DOC", "num_buffers": 2}'
    assert kinds(heard(PATCH, "{}", "{}", QUESTION)) == ["PULL-DOC-REQ"]
    assert kinds(heard(with_buffers, "{}", "{}", *["{}", b"x"] * 2, QUESTION)) == ["PULL-DOC-REQ"]


def test_forwarded_request_contains_known_fields_only():
    """A dashboard that cannot read the second frame uses the third one as a header."""
    assert kinds(heard(QUESTION, "no JSON", PATCH, QUESTION, "{}", '{"events": []}')) == ["PULL-DOC-REQ"] * 2
    [header, *_] = heard('{"msgid": "7", "msgtype": "PULL-DOC-REQ", "more": {"msgtype": "PATCH-DOC"}}')
    assert json.loads(header) == {"msgid": "7", "msgtype": "PULL-DOC-REQ"}


@pytest.mark.parametrize(
    "frame",
    [
        "", "x", "[]", "null", "[" * 100_000, "{}", '{"msgtype": ["PULL-DOC-REQ"], "msgid": "1"}',
        '{"msgtype": "pull-doc-req", "msgid": "1"}', '{"msgtype": "PULL-DOC-REQ", "msgid": 1}', b"\xff\xfe",
        '{"msgtype": "PULL-DOC-REQ", "msgid": "' + "a" * 65 + '"}', '{"msgtype": "PUSH-DOC", "msgid": "1"}',
        '{"msgtype": "PULL-DOC-REQ", "msgtype": "PATCH-DOC", "msgid": "1"}',
        '{"msgtype": "PATCH-DOC", "msgid": "1", "num_buffers": 1e99}',
        '{"msgtype": "PATCH-DOC", "msgid": "1", "num_buffers": -1}',
    ],
)  # fmt: skip
def test_other_messages_are_not_forwarded(frame):
    assert heard(frame) == []
