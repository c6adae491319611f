"""The dashboard of a scheduler that listens on another address than localhost, through the proxy."""

import json
import re
import subprocess
import sys
import time

import pytest
from gpucluster.registry.record import DashboardAddress
from gpucluster.registry.store import Registry
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

from .test_dashboard import Bokeh

ELSEWHERE = "127.0.0.2"
"""Nothing that listens on localhost answers here, nor the other way round."""
SECRET = "s3cret-prefix"


@pytest.fixture(scope="module")
def identity(tmp_path_factory):
    """Identity of a real scheduler in a separate process on the other address."""
    file = tmp_path_factory.mktemp("scheduler") / "scheduler.json"
    command = [
        sys.executable, "-m", "distributed.cli.dask_scheduler", f"--host={ELSEWHERE}", "--port=0",
        f"--dashboard-address={ELSEWHERE}:0", f"--dashboard-prefix={SECRET}", f"--scheduler-file={file}",
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 90
        while not file.exists() or not file.read_text().endswith("}"):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
        yield json.loads(file.read_text())
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def record(registry_directory, running_cluster):
    """The file with the address of a cluster's dashboard; restored afterwards."""
    path = Registry(registry_directory).folder(running_cluster.id).dashboard
    own = path.read_text()
    yield path
    path.write_text(own)


@pytest.fixture
def root(identity, record, running_cluster, http_server, jp_http_port, jp_base_url):
    """Address of the dashboard below the Jupyter server; the cluster's record points to the other scheduler."""
    address = DashboardAddress(host=ELSEWHERE, port=identity["services"]["dashboard"], prefix=SECRET)
    record.write_text(address.model_dump_json())
    return f"127.0.0.1:{jp_http_port}{jp_base_url}gpucluster/dashboard/{running_cluster.id}"


@pytest.fixture
def get(root, jp_auth_header):
    async def fetch(path):
        return await AsyncHTTPClient().fetch(
            f"http://{root}/{path}", headers=jp_auth_header, raise_error=False, request_timeout=120
        )

    return fetch


async def test_it_is_the_other_scheduler(get, identity):
    shown = json.loads((await get("json/identity.json")).body)
    assert shown["id"] == identity["id"]
    assert f"//{ELSEWHERE}:" in shown["address"]


@pytest.mark.full
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
    assert (await bokeh.document())["roots"]
