"""Canaries: dask-gateway's client. The backend's tests use a real server."""

import time
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from distributed.comm.registry import get_backend
from gpucluster.dask_internals import other_packages

dask_gateway = pytest.importorskip("dask_gateway", reason="needs the package 'dask-gateway'")
from aiohttp import web  # noqa: E402

ANSWERS = {"/unknown": 404, "/wrong": 422, "/refused": 409, "/broken": 500}


async def _answer(request: web.Request) -> web.Response:
    """Accept alice only, and answer by path."""
    if request.headers.get("Authorization") != f"Basic {b64encode(b'alice:secret').decode()}":
        return web.Response(status=401, headers={"WWW-Authenticate": "Basic"})
    if request.path in ANSWERS:
        return web.json_response({"error": "such and such"}, status=ANSWERS[request.path])
    if request.method == "DELETE":
        return web.Response(status=204)
    return web.json_response(
        {"method": request.method, "body": await request.json() if request.can_read_body else None}
    )


@pytest.fixture
async def client_with() -> AsyncIterator[Callable[[str], Any]]:
    """Return a function that makes clients with a password."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", _answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0]
    made: list[Any] = []

    def client(password: str) -> Any:
        auth = dask_gateway.BasicAuth("alice", password)
        made.append(dask_gateway.Gateway(f"http://{host}:{port}", auth=auth, asynchronous=True))
        return made[-1]

    yield client
    for one in made:
        await one.close()
    await runner.cleanup()


async def test_requests_are_authenticated(client_with: Callable[[str], Any], canary: Any) -> None:
    with canary("dask_gateway.Gateway._request"):
        client = client_with("secret")
        assert await other_packages.ask(client, "POST", "/here", {"n": 1}) == {"method": "POST", "body": {"n": 1}}
        assert await other_packages.ask(client, "DELETE", "/here") is None
        assert abs(await other_packages.clock(client) - time.time()) < 60
        cluster_error, server_error = other_packages.refusals()
        for path, error in {
            "/unknown": ValueError,
            "/wrong": ValueError,
            "/refused": cluster_error,
            "/broken": server_error,
        }.items():
            with pytest.raises(error, match="^such and such$"):
                await other_packages.ask(client, "GET", path)
    with canary("aiohttp.ClientResponseError for 401"), pytest.raises(Exception, match="401") as refused:
        await other_packages.ask(client_with("wrong"), "GET", "/here")
    assert refused.value.status == 401


def test_distributed_knows_their_addresses(canary: Any) -> None:
    with canary("dask_gateway.comm"):
        other_packages.know_addresses()
        assert get_backend(other_packages.SCHEME).get_address_host("host:1/name") == "host"
