"""The dashboard of a scheduler that listens on another address than localhost, through the proxy."""

from __future__ import annotations

import json
import re

import pytest
from distributed import Scheduler, Worker
from gpucluster.registry.record import DashboardAddress
from gpucluster.registry.store import Registry
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

from .test_dashboard import Bokeh

ELSEWHERE = "127.0.0.2"
"""Nothing that listens on localhost answers here, nor the other way round."""
SECRET = "s3cret-prefix"


@pytest.fixture
async def scheduler():
    """A real scheduler with one worker on the other address."""
    async with (
        Scheduler(host=ELSEWHERE, dashboard_address=f"{ELSEWHERE}:0", http_prefix=SECRET) as scheduler,
        Worker(scheduler.address, host=ELSEWHERE, dashboard=False, nthreads=1),
    ):
        yield scheduler


@pytest.fixture
def root(scheduler, registry_directory, running_cluster, http_server, jp_http_port, jp_base_url):
    """Address of the dashboard below the Jupyter server; the cluster's record points to the other scheduler."""
    record = Registry(registry_directory).folder(running_cluster.id).dashboard
    own = record.read_text()
    address = DashboardAddress(host=ELSEWHERE, port=scheduler.http_server.port, prefix=SECRET)
    record.write_text(address.model_dump_json())
    yield f"127.0.0.1:{jp_http_port}{jp_base_url}gpucluster/dashboard/{running_cluster.id}"
    record.write_text(own)


@pytest.fixture
def get(root, jp_auth_header):
    """Get a page of it."""

    async def fetch(path):
        return await AsyncHTTPClient().fetch(
            f"http://{root}/{path}", headers=jp_auth_header, raise_error=False, request_timeout=120
        )

    return fetch


async def test_it_is_the_other_scheduler(get, scheduler):
    identity = json.loads((await get("json/identity.json")).body)
    assert identity["address"] == scheduler.address
    assert f"//{ELSEWHERE}:" in scheduler.address


async def test_every_page_that_it_lists_is_there(get):
    plots = json.loads((await get("individual-plots.json")).body)
    assert len(plots) > 20
    for path in ["/status", "/workers", "/system", "/graph", "/groups", "/shuffle", *plots.values()]:
        response = await get(path.lstrip("/"))
        assert response.code == 200, path
        assert SECRET.encode() not in response.body, path


async def test_its_plots_are_streamed(get, root, jp_auth_header, closing):
    page = (await get("individual-workers-memory")).body.decode()
    found = re.search(r'"token":"([^"]+)"', page)
    assert found is not None
    request = HTTPRequest(f"ws://{root}/individual-workers-memory/ws", headers=jp_auth_header)
    bokeh = Bokeh(closing(await websocket_connect(request, subprotocols=["bokeh", found[1]])))
    assert (await bokeh.receive())[0] == "ACK"
    await bokeh.send("PULL-DOC-REQ")
    kind = "PATCH-DOC"
    while kind == "PATCH-DOC":
        kind, document = await bokeh.receive()
    assert kind == "PULL-DOC-REPLY"
    assert document["doc"]["roots"]


async def test_a_scheduler_that_is_gone_is_told_in_words(get, scheduler):
    await scheduler.close()
    response = await get("status")
    assert response.code == 502
    assert b"does not answer" in response.body
