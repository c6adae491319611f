"""Wrong requests get a status 4xx with a message and change nothing."""

import asyncio
import errno
import json
import os
from typing import Any, NoReturn

import pytest
from gpucluster.client.control import AsyncControl
from gpucluster.protocol import errors
from gpucluster.registry import store
from gpucluster.server import extension
from tornado.httpclient import HTTPClientError

COUNTS = [
    "-1", '"abc"', "null", '""', "1.5", "true", "100000", "1e30", "1" + "0" * 30, '"NaN"', "NaN", "Infinity", "[]",
]  # fmt: skip
ADAPTS = [
    '{"minimum": 5, "maximum": 1}', '{"minimum": -3, "maximum": -1}', '{"minimum": 0, "maximum": 1000000000}',
    '{"minimum": 1}', '{"minimum": "1", "maximum": 2}', "{}", "null", "7", '"abc"',
]  # fmt: skip
PATCHES = [
    *[f'{{"n_workers": {count}}}' for count in COUNTS], *[f'{{"adapt": {adapt}}}' for adapt in ADAPTS],
    *[f'{{"idle_timeout_seconds": {seconds}}}' for seconds in ("-1", '"1h"', "null", "1e9", "true")], "{}", "[]",
    "null", "3", '"n_workers"', '{"n_workers": 1, "adapt": {"minimum": 1, "maximum": 2}}', '{"workers": 2}',
    '{"n_workers": 1, "unknown": 2}',
]  # fmt: skip
SPECS = [
    *[f'{{"backend": "local", "n_workers": {count}}}' for count in COUNTS if count != "null"],
    '{"backend": "quantum"}', '{"backend": null}', '{"backend": "local", "name": "../etc"}',
    '{"backend": "local", "name": ""}', '{"backend": "local", "name": "' + "n" * 64 + '"}',
    '{"backend": "local", "threads_per_worker": 0}', '{"backend": "local", "memory_limit": 1}',
    '{"backend": "local", "memory_limit": "much"}', '{"backend": "local", "local_directory": "relative"}',
    '{"backend": "local", "kernel_name": "no-such-kernel"}', '{"backend": "local", "devices": [0]}',
    '{"backend": "cuda", "devices": []}', "[]", "7",
]  # fmt: skip
BROKEN = [b"", b"  \n", b"not json", b"{", b'{"n_workers": 1', b"\xff\xfe", b"[" * 5000, b'{"a":' * 2000]


def assert_refused(code: int, error: dict, body: object = None) -> None:
    assert code == 422, (body, error)
    assert error["code"] == "invalid_request", body
    assert error["message"].endswith("."), body
    for technical in ("Traceback", "pydantic", "object at 0x", "Unhandled"):
        assert technical not in error["message"], body


async def test_patch(api, running_cluster):
    path = f"clusters/{running_cluster.id}"
    _, before = await api("GET", path)
    for body in [*map(str.encode, PATCHES), *BROKEN]:
        assert_refused(*await api("PATCH", path, raw=body), body)
    _, after = await api("GET", path)
    for field in ("state", "wanted", "workers", "spec", "pid"):
        assert after[field] == before[field]
    assert after["idle"]["timeout_seconds"] == before["idle"]["timeout_seconds"]


async def test_create(api):
    _, before = await api("GET", "clusters")
    for body in [*map(str.encode, SPECS), *BROKEN]:
        assert_refused(*await api("POST", "clusters", raw=body), body)
    _, after = await api("GET", "clusters")
    assert [model["id"] for model in after["clusters"]] == [model["id"] for model in before["clusters"]]


async def test_too_large(api, running_cluster):
    assert_refused(*await api("POST", "clusters", raw=b" " * 2**20 + b"{}"))
    assert_refused(*await api("PATCH", f"clusters/{running_cluster.id}", raw=b"[" * (2**20 + 1)))


async def test_message_names_field_fault_and_allowed_values(api, running_cluster):
    _, error = await api("PATCH", f"clusters/{running_cluster.id}", {"n_workers": -1})
    assert error["message"] == "n_workers: must be at least 0, not -1."
    assert error["fields"] == [{"field": "n_workers", "message": "must be at least 0, not -1"}]


async def test_lines_of_the_log(api, running_cluster):
    for lines in ("abc", "-1", "0", "1.5", "", "1e3", "100000000000", "NaN", "²"):
        code, error = await api("GET", f"clusters/{running_cluster.id}/logs", lines=lines)
        assert_refused(code, error, lines)
        assert error["message"].startswith("lines: must be a whole number from 1 to 10000"), lines


async def test_cache_busting_argument_is_ignored(jp_fetch, running_cluster):
    # JupyterLab's ServerConnection adds '?<milliseconds>' to each request.
    response = await jp_fetch("gpucluster/api/clusters", params={"1795249869000": ""})
    assert response.code == 200


def failing(error):
    async def fail(*args, **options):
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.SupervisorUnreachable("The cluster's process is gone."), 503),
        (errors.ProtocolMismatch("This cluster speaks another version."), 409),
        (errors.MissingPackage("Install dask-cuda."), 409),
        (errors.NoUsableDevice("No GPU here."), 409),
        (errors.StartFailed("The Python cannot be started."), 500),
        (errors.StartTimedOut("Not all workers arrived."), 504),
        (errors.OperationTimedOut("Not all workers are back yet."), 504),
        (errors.ScaleFailed("1 of 2 workers could not start."), 500),
        (errors.RegistryUnwritable("The disk is full."), 507),
    ],
)
async def test_each_error_has_its_status_and_message(api, monkeypatch, caplog, error, code):
    monkeypatch.setattr(AsyncControl, "create", failing(error))
    assert await api("POST", "clusters", {"backend": "local"}) == (code, error.model().model_dump())
    assert "Traceback" not in caplog.text


async def test_bug_is_logged_and_hidden(api, monkeypatch, caplog):
    monkeypatch.setattr(AsyncControl, "list", failing(RuntimeError("the secret detail")))
    code, error = await api("GET", "clusters")
    assert code == 500
    assert error == {
        "code": "error",
        "message": "An internal error occurred in the Jupyter server; see its log.",
        "fields": [],
    }
    assert "the secret detail" in caplog.text


async def test_bug_in_the_dashboard_is_hidden_too(jp_fetch, monkeypatch, caplog):
    monkeypatch.setattr(AsyncControl, "get", failing(RuntimeError("the <secret> detail")))
    response = await jp_fetch("gpucluster/dashboard/x/status", raise_error=False)
    assert response.code == 500
    assert response.headers["Content-Type"].startswith("text/html")
    assert b"secret" not in response.body
    assert "the <secret> detail" in caplog.text


class TestUnsafeRegistry:
    @pytest.fixture
    def registry_directory(self, tmp_path, monkeypatch):
        open_to_all = tmp_path / "open"
        open_to_all.mkdir()
        open_to_all.chmod(0o777)
        monkeypatch.setenv("GPUCLUSTER_DIR", str(open_to_all))
        return open_to_all

    async def test_every_request_says_why(self, capfd, api, jp_fetch):
        for method, path in (("GET", "clusters"), ("POST", "clusters"), ("GET", "schema"), ("DELETE", "clusters/x")):
            code, error = await api(method, path, {} if method == "POST" else None)
            assert (code, error["code"]) == (500, "registry_unsafe")
        response = await jp_fetch("gpucluster/dashboard/x/status", raise_error=False)
        assert response.code == 500
        assert "Clusters are not available" in capfd.readouterr().err

    async def test_it_works_as_soon_as_the_cause_is_gone(self, registry_directory, api, jp_fetch, jp_ws_fetch):
        advice = "is open to other users. Set GPUCLUSTER_DIR to a directory that only you can enter."
        assert (await api("GET", "clusters"))[1]["message"] == f"The cluster directory {registry_directory} {advice}"
        with pytest.raises(HTTPClientError) as refused:
            await jp_ws_fetch("gpucluster/api/events")
        assert refused.value.code == 500
        guest = await jp_fetch("gpucluster/shared/0123abcd/session", raise_error=False)
        assert (guest.code, str(registry_directory).encode() in guest.body) == (503, False)
        registry_directory.chmod(0o700)
        assert (await api("GET", "clusters"))[1]["clusters"] == []
        assert (await api("GET", "schema"))[0] == 200
        socket = await jp_ws_fetch("gpucluster/api/events")
        assert json.loads(await socket.read_message())["kind"] == "hello"

    async def test_unauthorized_reply_hides_the_reason(self, registry_directory, api, jp_serverapp, monkeypatch):
        monkeypatch.setattr(jp_serverapp.authorizer, "is_authorized", lambda *arguments: False)
        for path in ("clusters", "schema"):
            code, error = await api("GET", path)
            assert (code, error["message"]) == (403, "Your account is not allowed to do this on this Jupyter server.")


async def test_directory_opened_to_others_while_running(registry_directory, api, jp_ws_fetch, closing):
    assert (await api("GET", "clusters"))[0] == 200
    socket = closing(await jp_ws_fetch("gpucluster/api/events"))
    assert json.loads(await socket.read_message())["kind"] == "hello"
    registry_directory.chmod(0o755)
    async with asyncio.timeout(60):
        while await socket.read_message() is not None:  # Open pages then ask for the list.
            pass
    advice = f"is open to other users. Run: chmod 700 {registry_directory}. Or set GPUCLUSTER_DIR to a directory"
    for method in ("GET", "POST"):
        code, error = await api(method, "clusters", {"backend": "local"} if method == "POST" else None)
        assert (code, error["code"]) == (500, "registry_unsafe")
        assert advice in error["message"]
    registry_directory.chmod(0o700)
    assert (await api("GET", "clusters"))[0] == 200


async def test_unreadable_registry_is_named_while_it_holds(registry_directory, api, monkeypatch):
    def refuse(path: Any) -> NoReturn:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    with monkeypatch.context() as patch:
        patch.setattr(store.os, "scandir", refuse)
        code, error = await api("GET", "clusters")
    assert (code, error["code"]) == (500, "registry_unsafe")
    cannot = f"The cluster directory {registry_directory} cannot be read (Permission denied). Run: "
    assert error["message"].startswith(cannot)
    assert (await api("GET", "clusters"))[0] == 200


@pytest.mark.extension(limits={"n_workers": 0})
async def test_wrong_settings_are_named_in_every_answer(api):
    for method, path in (("GET", "clusters"), ("POST", "clusters"), ("GET", "schema")):
        code, error = await api(method, path, {} if method == "POST" else None)
        assert (code, error["code"]) == (500, "extension_not_loaded")
        assert error["message"] == (
            "The settings of gpucluster's server extension cannot be used: GPUClusterExtension.limits.n_workers: "
            "must be at least 1, not 0. Correct that, and restart the Jupyter server."
        )


class TestFailedLoad:
    @pytest.fixture(autouse=True)
    def fault(self, monkeypatch):
        def fail(*arguments: Any) -> NoReturn:
            raise RuntimeError("the secret detail")

        monkeypatch.setattr(extension, "NotifyHook", fail)

    async def test_every_request_points_to_the_log(self, capfd, api):
        code, error = await api("GET", "clusters")
        assert (code, error["code"], error["message"]) == (500, "extension_not_loaded", extension.NOT_LOADED)
        assert "the secret detail" in capfd.readouterr().err
