"""Who is let in: nobody without log-in, permission, token against forgery, and the right origin."""

from __future__ import annotations

import json
from http.cookies import SimpleCookie

import pytest
from gpucluster.server.routes import routes
from jupyter_server.auth import Authorizer
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

REST = [
    ("GET", "api/clusters"),
    ("POST", "api/clusters"),
    ("GET", "api/clusters/shared"),
    ("PATCH", "api/clusters/shared"),
    ("DELETE", "api/clusters/shared"),
    ("POST", "api/clusters/shared/restart"),
    ("POST", "api/clusters/shared/workers/0/retire"),
    ("GET", "api/clusters/shared/activity"),
    ("GET", "api/clusters/shared/history"),
    ("GET", "api/clusters/shared/logs"),
    ("GET", "api/schema"),
    ("GET", "api/presets"),
    ("GET", "api/devices"),
    ("GET", "api/openapi.json"),
    ("GET", "api/recordings"),
    ("GET", "api/recordings/session?source=bundled&path=kmeans-cpu.gpucluster.jsonl.gz"),
    ("GET", "api/lessons"),
    ("POST", "api/lessons/copy"),
    ("POST", "api/lessons/events"),
    ("POST", "api/lessons/06/reset"),
    ("POST", "api/lessons/06/recall"),
    ("DELETE", "api/lessons/progress"),
]
SOCKETS = ["api/events", "dashboard/shared/status/ws"]
BODY = {"GET": None, "DELETE": None, "POST": "{}", "PATCH": '{"n_workers": 0}'}


@pytest.fixture
def url(http_server, jp_http_port, jp_base_url):
    return f"http://127.0.0.1:{jp_http_port}{jp_base_url}gpucluster/"


async def fetch(url: str, method: str = "GET", body: str | None = None, **headers: str):
    return await AsyncHTTPClient().fetch(
        url, method=method, body=body, headers=headers, raise_error=False, follow_redirects=False
    )


async def login_cookies(url: str, token: str) -> tuple[str, str]:
    """Log in as a browser does; returns the Cookie header and the XSRF token."""
    response = await fetch(f"{url}api/presets?token={token}")
    page = await fetch(url.removesuffix("gpucluster/") + "login")
    cookies: SimpleCookie = SimpleCookie()
    for header in (*response.headers.get_list("Set-Cookie"), *page.headers.get_list("Set-Cookie")):
        cookies.load(header)
    return "; ".join(f"{name}={cookie.value}" for name, cookie in cookies.items()), cookies["_xsrf"].value


async def handshake(url: str, **headers: str) -> int:
    """Return the status of a WebSocket handshake; 101 when it was accepted."""
    request = HTTPRequest(url.replace("http", "ws", 1), headers=headers)
    try:
        socket = await websocket_connect(request, subprotocols=["bokeh", "token"])
    except HTTPClientError as error:
        return error.code
    socket.close()
    return 101


async def test_every_method_is_authenticated_and_authorized(extension):
    for pattern, handler, _ in routes(extension.services):
        for method in ("get", "head", "post", "put", "patch", "delete"):
            function = getattr(handler, method)
            if function is getattr(handler.__mro__[-2], method, None) or "_unimplemented" in function.__name__:
                continue
            names = []
            while function is not None:
                names.append(function.__code__.co_qualname.split(".")[0])
                function = getattr(function, "__wrapped__", None)
            assert {"authenticated", "ws_authenticated"} & set(names), (pattern, method)
            assert "authorized" in names, (pattern, method)


@pytest.mark.parametrize("lenient", [False, True])
class TestWithoutLogin:
    """With Jupyter's own strict setting, and with its lenient default, where the handlers alone protect us."""

    @pytest.fixture
    def server_config(self, lenient):
        return {"allow_unauthenticated_access": lenient}

    @pytest.mark.parametrize(("method", "path"), REST)
    async def test_rest(self, url, running_cluster, method, path):
        response = await fetch(url + path, method, BODY[method])
        assert response.code == 403
        assert set(json.loads(response.body)) == {"code", "message", "fields"}
        assert running_cluster.id not in response.body.decode()

    @pytest.mark.parametrize("path", SOCKETS)
    async def test_socket(self, url, running_cluster, path):
        assert await handshake(url + path) == 403
        assert await handshake(url + path, Authorization="token wrong") == 403

    async def test_dashboard(self, url, running_cluster, lenient):
        for method in ("GET", "HEAD"):
            response = await fetch(url + f"dashboard/{running_cluster.id}/status", method)
            if lenient and method == "GET":
                assert response.code == 403
                assert b"Log in to Jupyter" in response.body
            else:
                assert response.code == 302
                assert "/login?next=" in response.headers["Location"]


class DenyAll(Authorizer):
    """Lets a user see everything of Jupyter, and nothing of ours."""

    def is_authorized(self, handler, user, action, resource):
        return resource != "gpucluster"


class ReadOnly(Authorizer):
    """Lets a user look, but change nothing."""

    def is_authorized(self, handler, user, action, resource):
        return resource != "gpucluster" or action == "read"


class TestDenied:
    @pytest.fixture
    def server_config(self):
        return {"authorizer_class": DenyAll}

    @pytest.mark.parametrize(("method", "path"), REST)
    async def test_rest(self, url, running_cluster, jp_auth_header, method, path):
        response = await fetch(url + path, method, BODY[method], **jp_auth_header)
        assert response.code == 403
        assert json.loads(response.body)["message"] == "Your account may not do this on this Jupyter server."

    @pytest.mark.parametrize("path", SOCKETS)
    async def test_socket(self, url, running_cluster, jp_auth_header, path):
        assert await handshake(url + path, **jp_auth_header) == 403

    async def test_dashboard(self, url, running_cluster, jp_auth_header):
        response = await fetch(url + "dashboard/shared/status", **jp_auth_header)
        assert response.code == 403
        assert b"may not do this" in response.body


class TestReadOnly:
    @pytest.fixture
    def server_config(self):
        return {"authorizer_class": ReadOnly}

    async def test_looking_is_allowed_and_changing_is_not(self, url, running_cluster, jp_auth_header):
        for method, path in REST:
            response = await fetch(url + path, method, BODY[method], **jp_auth_header)
            assert response.code == (200 if method == "GET" else 403), (method, path)
        assert await handshake(url + "api/events", **jp_auth_header) == 101


async def test_foreign_origin(url, running_cluster, jp_serverapp):
    cookie, _ = await login_cookies(url, jp_serverapp.identity_provider.token)
    own = url.split("/a%40b")[0]
    for path in SOCKETS:
        assert await handshake(url + path, Cookie=cookie, Origin="http://evil.example") == 403
        assert await handshake(url + path, Cookie=cookie, Origin="null") == 403
    assert await handshake(url + "api/events", Cookie=cookie, Origin=own) == 101
    response = await fetch(url + "api/clusters", Cookie=cookie, Origin="http://evil.example")
    assert response.code == 404
    assert running_cluster.id not in response.body.decode()


async def test_forged_request(url, running_cluster, jp_serverapp):
    cookie, xsrf = await login_cookies(url, jp_serverapp.identity_provider.token)
    path = url + f"api/clusters/{running_cluster.id}"
    for method, target in (
        ("DELETE", path),
        ("PATCH", path),
        ("POST", path + "/restart"),
        ("POST", path + "/workers/0/retire"),
        ("POST", url + "api/clusters"),
        ("POST", url + "api/lessons/06/reset"),
        ("POST", url + "api/lessons/events"),
        ("DELETE", url + "api/lessons/progress"),
    ):
        response = await fetch(target, method, BODY[method], Cookie=cookie)
        assert response.code == 403
        assert "Reload the page" in json.loads(response.body)["message"]
    # The page of the server itself sends the token along.
    response = await fetch(path, "PATCH", '{"n_workers": 1}', Cookie=cookie, **{"X-XSRFToken": xsrf})
    assert response.code == 200
