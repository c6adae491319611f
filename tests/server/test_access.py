"""Access needs a login, permission, the XSRF token and the right origin."""

import json
import re
from http.cookies import SimpleCookie

import pytest
from gpucluster.protocol.verbs import posts
from gpucluster.server.routes import routes
from jupyter_server.auth import Authorizer
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

PATHS = {
    "GET": """
        clusters site node node/class clusters/shared clusters/shared/activity clusters/shared/history
        clusters/shared/cells clusters/shared/failures clusters/shared/results clusters/shared/logs
        clusters/shared/script clusters/shared/links history history/compare schema presets devices metrics openapi.json
        recordings
        recordings/session?source=bundled&path=kmeans-cpu.gpucluster.jsonl.gz lessons lessons/class
    """,
    "POST": """
        node/class/message node/class/stop clusters notes clusters/shared/notes clusters/shared/results/release
        clusters/shared/links preview clusters/shared/recording devices/processes/1/stop lessons/copy
        lessons/events lessons/06/reset lessons/06/recall
    """,
    "PATCH": """
        clusters/shared
    """,
    "DELETE": """
        clusters/shared clusters/shared/links clusters/shared/links/0a1b2c3d clusters/shared/recording
        lessons/progress
    """,
}
REST = [(method, "api/" + path) for method, paths in PATHS.items() for path in paths.split()]
REST += [("POST", "api/clusters/shared/" + re.sub(r"{\w+}", "0", path)) for _, path, _ in posts()]
SOCKETS = ["api/events", "dashboard/shared/status/ws"]
FOUND = {"api/lessons/class": 404, "api/node/class": 403, "api/history/compare": 422}
"""Statuses other than 200 for readers: this server shows no class, and its site names no instructors."""
BODY = {"GET": None, "DELETE": None, "POST": "{}", "PATCH": '{"n_workers": 0}'}


@pytest.fixture
def url(http_server, jp_http_port, jp_base_url):
    return f"http://127.0.0.1:{jp_http_port}{jp_base_url}gpucluster/"


async def fetch(
    url: str, method: str = "GET", body: str | None = None, *, allow_nonstandard_methods: bool = False, **headers: str
):
    return await AsyncHTTPClient().fetch(
        url, method=method, body=body, headers=headers, raise_error=False, follow_redirects=False,
        allow_nonstandard_methods=allow_nonstandard_methods,
    )  # fmt: skip


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


def methods(handler: type) -> list[str]:
    return [
        method
        for method in ("get", "head", "post", "put", "patch", "delete")
        if (function := getattr(handler, method)) is not getattr(handler.__mro__[-2], method, None)
        and "_unimplemented" not in function.__name__
    ]


async def test_these_tests_know_every_address(extension):
    known = {(method, path.partition("?")[0]) for method, path in REST}
    for pattern, handler, _ in routes(extension.services):
        inner = pattern.removeprefix("gpucluster/")
        if inner.startswith("dashboard") or inner == "api(?:/.*)?":
            continue
        for method in methods(handler):
            named = (path for known_method, path in known if known_method == method.upper())
            assert inner in SOCKETS or any(re.fullmatch(inner, path) for path in named), (method, pattern)


async def test_every_method_is_authenticated_and_authorized(extension):
    for pattern, handler, _ in routes(extension.services):
        for method in methods(handler):
            function = getattr(handler, method)
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

    async def test_rest(self, url, running_cluster):
        for method, path in REST:
            response = await fetch(url + path, method, BODY[method])
            assert response.code == 403, (method, path)
            assert set(json.loads(response.body)) == {"code", "message", "fields"}, (method, path)
            assert running_cluster.id not in response.body.decode(), (method, path)

    async def test_socket(self, url, running_cluster):
        for path in SOCKETS:
            assert await handshake(url + path) == 403, path
            assert await handshake(url + path, Authorization="token wrong") == 403, path

    async def test_dashboard(self, url, running_cluster, lenient):
        for method in ("GET", "HEAD"):
            response = await fetch(url + f"dashboard/{running_cluster.id}/status", method)
            assert response.code == 302
            assert "/login?next=" in response.headers["Location"]

    async def test_stranger_cannot_learn_the_methods_of_an_address(self, url, extension, running_cluster):
        for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            for pattern in (pattern for pattern, *_ in routes(extension.services)):
                path = pattern.removeprefix("gpucluster/").replace("([^/]+)", running_cluster.id)
                path = path.replace("(?:/.*)?", "").replace("(?:/(.*))?", "/status").replace("\\.", ".")
                body = None if method in {"GET", "HEAD", "OPTIONS"} else "{}"
                response = await fetch(url + path, method, body, allow_nonstandard_methods=True)
                expected = 302 if path.startswith("dashboard") and method in {"GET", "HEAD"} else 403
                assert response.code == expected, (method, path)


class DenyAll(Authorizer):
    """Allow all of Jupyter, but nothing of ours."""

    def is_authorized(self, handler, user, action, resource):
        return resource != "gpucluster"


class ReadOnly(Authorizer):
    def is_authorized(self, handler, user, action, resource):
        return resource != "gpucluster" or action == "read"


@pytest.mark.server(authorizer_class=DenyAll)
async def test_denied_account_gets_nothing(url, running_cluster, jp_auth_header):
    for method, path in REST:
        response = await fetch(url + path, method, BODY[method], **jp_auth_header)
        assert response.code == 403, (method, path)
        message = json.loads(response.body)["message"]
        assert message == "Your account is not allowed to do this on this Jupyter server.", (method, path)
    for path in SOCKETS:
        assert await handshake(url + path, **jp_auth_header) == 403, path
    response = await fetch(url + "dashboard/shared/status", **jp_auth_header)
    assert response.code == 403
    assert b"is not allowed to do this" in response.body


@pytest.mark.server(authorizer_class=ReadOnly)
async def test_reader_may_look_but_not_change(url, running_cluster, jp_auth_header):
    for method, path in [*REST, ("GET", "api/clusters")]:  # Also after refused changes.
        response = await fetch(url + path, method, BODY[method], **jp_auth_header)
        assert response.code == (FOUND.get(path, 200) if method == "GET" else 403), (method, path)
    assert await handshake(url + "api/events", **jp_auth_header) == 101


READABLE = [path for method, path in REST if method == "GET"]
OTHER_SITES = [
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    # A script, a picture or a frame in the page of another site, or of another port or name of this machine.
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"},
    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
    {"Sec-Fetch-Site": "something-new"},
]
FOLLOWS_A_LINK = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


class TestOtherSites:
    @pytest.fixture
    async def cookie(self, url, jp_serverapp):
        cookie, _ = await login_cookies(url, jp_serverapp.identity_provider.token)
        return cookie

    @pytest.mark.parametrize("told", OTHER_SITES, ids=range(len(OTHER_SITES)))
    async def test_foreign_pages_cannot_use_a_cookie(self, url, running_cluster, cookie, told):
        for path in [*READABLE, f"dashboard/{running_cluster.id}/status", "dashboard/shared/statics/js/anchor.js"]:
            response = await fetch(url + path, Cookie=cookie, **told)
            assert response.code == 403, path
            assert b"does not come from a page of this Jupyter server" in response.body
            assert running_cluster.id not in response.body.decode()
            assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        for path in SOCKETS:
            assert await handshake(url + path, Cookie=cookie, **told) == 403
        response = await fetch(url.replace("/gpucluster/", "/dask/clusters"), Cookie=cookie, **told)
        assert response.code == 403

    async def test_own_pages_get_everything(self, url, running_cluster, cookie):
        own = url.split("/a%40b")[0]
        for site in ("same-origin", "none"):
            for path in [*READABLE, "dashboard/shared/status"]:
                response = await fetch(url + path, Cookie=cookie, **{"Sec-Fetch-Site": site})
                assert response.code == FOUND.get(path, 200), path
            for path in SOCKETS:
                told = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "websocket"}
                assert await handshake(url + path, Cookie=cookie, Origin=own, **told) == 101

    async def test_links_lead_to_dashboards_only(self, url, running_cluster, cookie):
        page = await fetch(url + "dashboard/shared/status", Cookie=cookie, **FOLLOWS_A_LINK)
        assert page.code == 200
        assert "frame-ancestors 'self'" in page.headers["Content-Security-Policy"]
        for path in READABLE:
            assert (await fetch(url + path, Cookie=cookie, **FOLLOWS_A_LINK)).code == 403
        assert await handshake(url + "dashboard/shared/status/ws", Cookie=cookie, **FOLLOWS_A_LINK) == 403

    async def test_token_needs_no_origin(self, url, running_cluster, jp_auth_header):
        told = {**jp_auth_header, "Sec-Fetch-Site": "cross-site", "Origin": "http://elsewhere.example"}
        assert (await fetch(url + "api/clusters", **told)).code == 200
        assert await handshake(url + "api/events", **told) == 101


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8888", "127.0.0.1.evil.example", "192.0.2.7", "[2001:db8::1]"]
)
async def test_rebound_host_name_is_refused(url, running_cluster, jp_auth_header, host):
    """Browsers take a page from such a name for one of this server, even with the token."""
    told = {**jp_auth_header, "Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
    for method, path in [*REST, ("GET", "dashboard/shared/status"), ("HEAD", "dashboard/shared/status")]:
        response = await fetch(url + path, method, BODY.get(method), **told)
        assert response.code == 403, (method, path)
        assert running_cluster.id not in response.body.decode(), (method, path)
    for path in SOCKETS:
        assert await handshake(url + path, **told) == 403, path
    response = await fetch(url.replace("/gpucluster/", "/dask/clusters"), **told)
    assert response.code == 403


@pytest.mark.server(allow_origin="http://friend.example")
async def test_an_origin_that_the_site_allows_is_let_in(url, running_cluster, jp_serverapp):
    cookie, _ = await login_cookies(url, jp_serverapp.identity_provider.token)
    cross = {"Cookie": cookie, "Sec-Fetch-Site": "cross-site"}
    for path in ("api/clusters", "dashboard/shared/status"):
        assert (await fetch(url + path, Origin="http://friend.example", **cross)).code == 200
        assert (await fetch(url + path, Referer="http://friend.example/portal", **cross)).code == 200
        assert (await fetch(url + path, Origin="http://evil.example", **cross)).code == 403
        assert (await fetch(url + path, Referer="http://evil.example/", **cross)).code == 403
        assert (await fetch(url + path, **cross)).code == 403
    assert await handshake(url + "api/events", Origin="http://friend.example", **cross) == 101
    # Its browser asks first, without the cookie.
    preflight = await fetch(url + "api/clusters", "OPTIONS", Origin="http://friend.example")
    assert preflight.code in {200, 204}


async def test_forged_request(url, running_cluster, jp_serverapp):
    cookie, xsrf = await login_cookies(url, jp_serverapp.identity_provider.token)
    path = url + f"api/clusters/{running_cluster.id}"
    for method, target in (
        ("DELETE", path), ("PATCH", path), ("POST", path + "/restart"), ("POST", path + "/workers/0/retire"),
        ("POST", url + "api/clusters"), ("POST", url + "api/lessons/06/reset"), ("POST", url + "api/lessons/events"),
        ("DELETE", url + "api/lessons/progress"),
    ):  # fmt: skip
        response = await fetch(target, method, BODY[method], Cookie=cookie)
        assert response.code == 403
        assert "Reload the page" in json.loads(response.body)["message"]
    # The page of the server itself sends the token along.
    response = await fetch(path, "PATCH", '{"n_workers": 1}', Cookie=cookie, **{"X-XSRFToken": xsrf})
    assert response.code == 200
