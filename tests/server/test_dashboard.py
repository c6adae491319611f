"""A real dashboard through the proxy, over HTTP and WebSocket."""

import asyncio
import base64
import json
import re
import socket
from contextlib import asynccontextmanager

import pytest
from gpucluster.client.control import AsyncControl
from gpucluster.protocol.errors import ClusterNotFound
from gpucluster.registry.record import DashboardAddress
from gpucluster.registry.store import Registry
from gpucluster.server.dashboards import Disguise, PathRefused, checked_path, forwarded_query
from hypothesis import given
from hypothesis import strategies as st
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from tests.models import cluster_model


@pytest.fixture(params=["/", "/user/x/", "/a%40b/"])
def jp_base_url(request):
    return request.param


@pytest.fixture
def secret(registry_directory, running_cluster):
    return AsyncControl(registry_directory).dashboard(running_cluster.id).prefix


@pytest.fixture
def get(http_server, jp_http_port, jp_base_url, jp_auth_header, running_cluster):
    """Get an unchanged path below the dashboard of the running cluster."""

    async def fetch(path, *, cluster=running_cluster.id, method="GET", headers=None):
        return await AsyncHTTPClient().fetch(
            f"http://127.0.0.1:{jp_http_port}{jp_base_url}gpucluster/dashboard/{cluster}/{path}",
            method=method,
            headers={**jp_auth_header, **(headers or {})},
            body="" if method == "POST" else None,
            raise_error=False,
            follow_redirects=False,
        )

    return fetch


def shown(response) -> bytes:
    """Body and headers of a response."""
    return response.body + str(sorted(response.headers.get_all())).encode()


async def test_status_page_with_all_it_loads(get, secret, jp_base_url, running_cluster):
    page = await get("status")
    assert page.code == 200
    assert page.headers["Content-Type"].startswith("text/html")
    assert b"Dask Diagnostic UI" in page.body
    assert secret.encode() not in shown(page)
    # Only this origin may frame it.
    assert "frame-ancestors 'self'" in page.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in page.headers
    root = f"{jp_base_url}gpucluster/dashboard/{running_cluster.id}/"
    scripts = [link for link in re.findall(r'src="([^"]+)"', page.body.decode()) if "bokeh" in link]
    styles = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page.body.decode())
    assert scripts
    assert styles
    for link in [*scripts, *styles]:
        response = await get(link.removeprefix(root))
        assert response.code == 200, link
        assert "html" not in response.headers["Content-Type"], link
        assert secret.encode() not in shown(response), link


async def test_other_pages(get, secret, running_cluster):
    plots = json.loads((await get("individual-plots.json")).body)
    assert plots["Individual Task Stream"] == "/individual-task-stream"
    assert json.loads((await get("json/identity.json")).body)["address"].startswith("gpucluster+unix://127.0.0.1/")
    for path in ("workers", "tasks", "system", "profile", "graph", "groups", "individual-task-stream",
                 "info/main/workers.html", "metrics", "health", "json/index.html"):  # fmt: skip
        response = await get(path)
        assert response.code == 200, path
        assert secret.encode() not in shown(response), path


async def test_redirects_stay_in_the_dashboard(get, jp_base_url, running_cluster, secret):
    here = f"{jp_base_url}gpucluster/dashboard/{running_cluster.id}"
    response = await get("")
    assert (response.code, response.headers["Location"]) == (302, f"{here}/status")
    response = await get("info")
    assert response.code == 302
    assert response.headers["Location"] in {"info/main/workers.html", f"{here}/info/main/workers.html"}
    assert secret.encode() not in shown(response)


async def test_unchanged_file_is_not_sent_again(get):
    first = await get("statics/css/base.css")
    again = await get("statics/css/base.css", headers={"If-None-Match": first.headers["Etag"]})
    assert (again.code, again.body) == (304, b"")


async def test_methods(get):
    head = await get("status", method="HEAD")
    assert (head.code, head.body) == (200, b"")
    for method in ("POST", "DELETE"):
        assert (await get("status", method=method)).code == 405


async def test_refused_paths(get, secret):
    paths = [
        "../status", "%2e%2e/status", "..%2fstatus", "%2e%2e%2f%2e%2e%2fapi", "statics/../../status",
        "statics/%2e%2e/x",
        "%5c..%5cx", "/evil.example/", "%2fevil.example/", "//evil.example", "%00", "status%0d%0aX-Evil:1",
        "proxy/8787/127.0.0.1/status", "%70roxy/8787/127.0.0.1/status", "PROXY/8787/127.0.0.1/status",
        "%2570roxy/8787/127.0.0.1/status", "%252e%252e/status", "sitemap.json", "no-such-page",
    ]  # fmt: skip
    for path in paths:
        response = await get(path)
        assert response.code == 404, path
        assert secret.encode() not in shown(response), path
    assert (await get(f"{secret}/status")).code == 404


async def test_unknown_cluster_shows_an_error_page(get):
    for cluster, path in (("no-such", "status"), ("..", "status"), ("%2e%2e", "x"), ("<script>", "status")):
        response = await get(path, cluster=cluster)
        assert response.code == 404, cluster
    assert response.headers["Content-Type"].startswith("text/html")
    assert b"<script>" not in response.body
    assert b"not found. Running clusters" in response.body


class OtherControl:
    """A control with one cluster, whose dashboard the test sets."""

    model = cluster_model()
    port = 0

    def __init__(self, by, later):
        self.by = by
        self.registry = Registry()

    async def get(self, cluster):
        if cluster != self.model.id:
            raise ClusterNotFound("There is no such cluster.")
        return self.model

    def dashboard(self, cluster):
        return DashboardAddress(host="127.0.0.1", port=self.port, prefix="s3cret")


@pytest.fixture
def other_control(monkeypatch):
    monkeypatch.setattr("gpucluster.server.extension.AsyncControl", OtherControl)


@pytest.fixture
def upstream(other_control, monkeypatch):
    """Let the dashboard send an answer; yields the requests that it gets."""

    @asynccontextmanager
    async def answering(answer: bytes):
        requests = []

        async def serve(reader, writer):
            requests.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(answer)
            await writer.drain()
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            monkeypatch.setattr(OtherControl, "port", server.sockets[0].getsockname()[1])
            yield requests

    return answering


@pytest.mark.parametrize("jp_base_url", ["/"], indirect=True)
class TestOtherUpstream:
    async def test_jupyter_credentials_and_cookies_are_not_forwarded(self, upstream, get, jp_auth_header):
        answer = (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\nSet-Cookie: evil=1\r\n"
            b"Connection: close\r\nAccess-Control-Allow-Origin: *\r\nServer: x\r\nX-Path: /s3cret\r\n\r\n/s3cret/a"
        )
        async with upstream(answer) as requests:
            response = await get(
                f"status?token={jp_auth_header['Authorization'].split()[1]}&a=1",
                cluster=OtherControl.model.id,
                headers={"Cookie": "login=jupyter-cookie", "X-Forwarded-For": "1.2.3.4", "Accept-Language": "de"},
            )
        assert response.body == f"/gpucluster/dashboard/{OtherControl.model.id}/a".encode()
        [request] = requests
        assert request.startswith(b"GET /s3cret/status?a=1 HTTP/1.1\r\n")
        told = request.lower()
        for word in (b"cookie", b"authorization", b"forwarded", b"token", b"referer"):
            assert word not in told
        assert b"accept-language: de" in told
        assert "X-Path" not in response.headers
        assert b"evil" not in shown(response)
        assert response.headers.get("Access-Control-Allow-Origin") != "*"
        assert response.headers.get("Server") != "x"

    async def test_redirect_to_elsewhere_is_not_followed(self, upstream, get):
        answer = b"HTTP/1.1 302 Found\r\nLocation: http://evil.example/s3cret\r\nContent-Length: 0\r\n\r\n"
        async with upstream(answer):
            response = await get("status", cluster=OtherControl.model.id)
        assert response.code == 502
        assert "Location" not in response.headers

    @pytest.mark.parametrize(
        "answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", b"nonsense\r\n\r\n"]
    )
    async def test_broken_answer(self, upstream, get, answer):
        async with upstream(answer):
            response = await get("status", cluster=OtherControl.model.id)
        assert response.code == 502
        assert b"does not respond" in response.body

    async def test_closed_port_shows_an_error(self, other_control, get, monkeypatch):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            monkeypatch.setattr(OtherControl, "port", taken.getsockname()[1])
            response = await get("status", cluster=OtherControl.model.id)
        assert response.code == 502
        assert b"does not respond" in response.body
        assert b"s3cret" not in shown(response)

    async def test_ended_clusters_port_is_not_contacted(self, upstream, get, monkeypatch):
        ended = cluster_model(state="failed")
        async with upstream(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as requests:
            monkeypatch.setattr(OtherControl, "model", ended)
            response = await get("status", cluster=ended.id)
        assert response.code == 409
        assert b"no longer has a dashboard" in response.body
        assert requests == []


class Bokeh:
    """The part of Bokeh's protocol that pages use."""

    def __init__(self, connection):
        self.connection = connection
        self.texts = []

    async def receive(self):
        header, _, content = [json.loads(await self._read()) for _ in range(3)]
        for _ in range(2 * header.get("num_buffers", 0)):
            await self._read()
        return header["msgtype"], content

    async def send(self, kind):
        for part in ({"msgid": "1", "msgtype": kind}, {}, {}):
            await self.connection.write_message(json.dumps(part))

    async def document(self):
        """Fetch the page's document; changes to it may come first."""
        await self.send("PULL-DOC-REQ")
        kind = "PATCH-DOC"
        while kind == "PATCH-DOC":
            kind, document = await self.receive()
        assert kind == "PULL-DOC-REPLY"
        return document["doc"]

    async def _read(self):
        message = await asyncio.wait_for(self.connection.read_message(), 30)
        assert message is not None, "closed"
        if isinstance(message, str):
            self.texts.append(message)
        return message


@pytest.fixture
def socket_url(jp_http_port, jp_base_url, running_cluster):
    return f"ws://127.0.0.1:{jp_http_port}{jp_base_url}gpucluster/dashboard/{running_cluster.id}/status/ws"


async def test_websocket_streams_the_plots(get, secret, socket_url, jp_auth_header, closing):
    page = (await get("status")).body.decode()
    token = re.search(r'"token":"([^"]+)"', page)[1]
    payload = token.split(".")[0]
    assert secret.encode() not in base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))

    request = HTTPRequest(socket_url, headers=jp_auth_header)
    connection = closing(await websocket_connect(request, subprotocols=["bokeh", token]))
    assert connection.selected_subprotocol == "bokeh"
    bokeh = Bokeh(connection)
    assert (await bokeh.receive())[0] == "ACK"
    assert (await bokeh.document())["title"] == "Dask: Status"
    for _ in range(3):
        assert (await bokeh.receive())[0] == "PATCH-DOC"
    assert secret not in "".join(bokeh.texts)


async def test_websocket_without_bokeh_token_is_closed(get, socket_url, jp_auth_header, closing):
    connection = closing(await websocket_connect(HTTPRequest(socket_url, headers=jp_auth_header)))
    assert connection.selected_subprotocol is None
    assert await asyncio.wait_for(connection.read_message(), 30) is None


async def test_websocket_elsewhere_is_refused(get, socket_url, jp_auth_header):
    for path in ("status", "proxy/1/127.0.0.1/ws", "%2e%2e/ws", "no-such-page/ws"):
        url = socket_url.replace("status/ws", path)
        with pytest.raises(HTTPClientError) as caught:
            await websocket_connect(HTTPRequest(url, headers=jp_auth_header), subprotocols=["bokeh", "x"])
        assert caught.value.code in {404, 502}, path


SECRET = "Zr4_secret-prefix"
DISGUISE = Disguise(SECRET, "/user/x/gpucluster/dashboard/0a1b2c3d")


@pytest.mark.parametrize(
    ("path", "encoded"),
    [
        ("status", "status"),
        ("info/main/workers.html", "info/main/workers.html"),
        ("statics/", "statics/"),
        ("info/worker/tls://x.html".replace("//", "%2F%2F"), "info/worker/tls:%252F%252Fx.html"),
        ("individual task", "individual%20task"),
        ("info/ä", "info/%C3%A4"),
        ("a..b/.c", "a..b/.c"),
        ("status?x#y", "status%3Fx%23y"),
    ],
)
def test_good_path(path, encoded):
    assert checked_path(path) == encoded


@pytest.mark.parametrize(
    "path",
    [
        "..", "../status", "status/..", "a/../../b", ".", "./status",
        "/evil.example/x", "//evil.example", "a//b", "\\evil", "a\\..\\b", "a\x00b", "a\nb", "a\x7f",
        "proxy", "proxy/8787/127.0.0.1/status", "Proxy/1/h/x", "PROXY/1/h/x",
    ],
)  # fmt: skip
def test_refused_path(path):
    with pytest.raises(PathRefused) as caught:
        checked_path(path)
    assert caught.value.http_status == 404


@given(st.text(max_size=60))
def test_encoded_path_stays_below_the_prefix(path):
    try:
        encoded = checked_path(path)
    except PathRefused:
        return
    assert encoded.isascii()
    assert not set(encoded) & set("?#\\ \r\n")
    assert not encoded.startswith("/")
    assert ".." not in encoded.split("/")


def test_arguments_for_jupyter_are_not_forwarded():
    query = "token=jupyter-secret&bokeh-session-id=a%26b&_xsrf=1&empty="
    assert forwarded_query(query) == "bokeh-session-id=a%26b&empty="


@given(st.lists(st.sampled_from([f"/{SECRET}", SECRET, "/status", '"', "\\/", "ä", "/"]), max_size=8))
def test_secret_is_removed_from_texts(parts):
    text = "".join(parts)
    assert SECRET not in DISGUISE.text(text)
    assert SECRET.encode() not in DISGUISE.body(text.encode())


def test_links_lead_through_the_proxy():
    page = f'<script src="/{SECRET}/static/js/bokeh.min.js?v=1"></script>{{"absolute": "/{SECRET}/status"}}'
    assert DISGUISE.text(page) == page.replace(f"/{SECRET}", "/user/x/gpucluster/dashboard/0a1b2c3d")
    assert DISGUISE.body(b"\x00\xff") == b"\x00\xff"


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        (f"/{SECRET}/status", "/user/x/gpucluster/dashboard/0a1b2c3d/status"),
        (f"http://127.0.0.1:8787/{SECRET}/status?a=1", "/user/x/gpucluster/dashboard/0a1b2c3d/status?a=1"),
        ("info/main/workers.html", "info/main/workers.html"),
        (f"/{SECRET}", "/user/x/gpucluster/dashboard/0a1b2c3d"),
        ("http://evil.example/", None),
        ("//evil.example/", None),
        ("http://127.0.0.1:9999/", None),
        ("/elsewhere", None),
        (f"/{SECRET}x/status", None),
        ("javascript:alert(1)", None),
    ],
)
def test_redirect(location, shown):
    assert DISGUISE.location(location, "127.0.0.1:8787") == shown
