"""Failures that cannot be provoked, with controls made for them; what goes out and what stays in the log."""

from __future__ import annotations

import pytest
from gpucluster.client.control import AsyncControl
from gpucluster.protocol import errors


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
async def test_each_error_has_its_status_and_its_sentence(api, monkeypatch, caplog, error, code):
    monkeypatch.setattr(AsyncControl, "create", failing(error))
    assert await api("POST", "clusters", {"backend": "local"}) == (code, error.model().model_dump())
    assert "Traceback" not in caplog.text


async def test_bug_is_logged_and_hidden(api, monkeypatch, caplog):
    monkeypatch.setattr(AsyncControl, "list", failing(RuntimeError("the secret detail")))
    code, error = await api("GET", "clusters")
    assert code == 500
    assert error == {
        "code": "error",
        "message": "Something went wrong in the Jupyter server; its log says what.",
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
