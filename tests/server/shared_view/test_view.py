"""Shared views: what a link allows and refuses, with a real server and cluster and without login."""

import asyncio
import json
import re
from contextlib import suppress
from dataclasses import replace
from http.cookies import SimpleCookie
from urllib.parse import quote

import gpucluster
import pytest
from distributed import wait
from gpucluster.protocol.links import LinkRequest
from gpucluster.registry.links import add_link, living_links, withdraw_links
from gpucluster.registry.store import Registry
from gpucluster.server.routes import routes
from gpucluster.server.shared_view.handler import OPENINGS, OVER
from gpucluster.server.shared_view.routes import PAGES_LOADED
from gpucluster.server.shared_view.sessions import MOST_OF_A_LINK, MOST_SOCKETS_OF_A_LINK, LinkPolicy, is_of_a_hub
from gpucluster.server.shared_view.shown import shown_pages
from gpucluster.site import reading
from gpucluster.site.model import Site
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import WebSocketClosedError, websocket_connect

from tests.conftest import until_async

from ..test_access import BODY, REST, SOCKETS, methods

INSIDE = ["history", "dashboard/individual-cpu", "dashboard/static/js/bokeh.min.js", "session"]
STREAMS = ["events", "dashboard/individual-cpu/ws"]


@pytest.fixture(params=["/a%40b/"])
def jp_base_url(request):
    return request.param


@pytest.fixture
def folder(registry_directory, running_cluster):
    folder = Registry(registry_directory).folder(running_cluster.id)
    yield folder
    withdraw_links(folder, None)


@pytest.fixture
def base(http_server, jp_http_port, jp_base_url):
    return f"http://127.0.0.1:{jp_http_port}{jp_base_url}gpucluster/"


@pytest.fixture
def view(base, running_cluster):
    return f"{base}shared/{running_cluster.id}/"


async def ask(url, method="GET", body=None, **headers):
    return await AsyncHTTPClient().fetch(
        url, method=method, body=body, headers=headers, raise_error=False, follow_redirects=False,
        allow_nonstandard_methods=True,
    )  # fmt: skip


async def go_in(view, token, **headers):
    told = {"Content-Type": "application/json", **headers}
    return await ask(view + "session", "POST", json.dumps({"token": token}), **told)


async def cookie_for(view, token):
    """Return the Cookie header of a browser that has opened a link."""
    answer = await go_in(view, token)
    assert answer.code == 204, answer.body
    cookie = SimpleCookie(answer.headers["Set-Cookie"])["gpucluster-view"]
    return f"gpucluster-view={cookie.value}"


@pytest.fixture
def token(folder):
    return add_link(folder, LinkRequest(), None)[1]


@pytest.fixture
async def cookie(view, token):
    return await cookie_for(view, token)


async def stream(url, **headers):
    """Open a WebSocket; returns it, or the status of the refusal."""
    request = HTTPRequest(url.replace("http", "ws", 1), headers=headers)
    try:
        return await websocket_connect(request, subprotocols=["bokeh", "x"] if "dashboard" in url else None)
    except HTTPClientError as error:
        return error.code


async def bokeh_page(view, cookie, path="individual-cpu"):
    """Open a dashboard page like a browser."""
    page = await ask(view + f"dashboard/{path}", Cookie=cookie)
    token = re.search(r'"token":"([^"]+)"', page.body.decode())[1]
    url = view.replace("http", "ws", 1) + f"dashboard/{path}/ws"
    return await websocket_connect(HTTPRequest(url, headers={"Cookie": cookie}), subprotocols=["bokeh", token])


async def headers_of(socket, kind):
    """Return the headers of the dashboard's messages, up to the first of that kind."""
    seen = []
    async with asyncio.timeout(30):
        while not seen or seen[-1]["msgtype"] != kind:
            message = await socket.read_message()
            if isinstance(message, str) and '"msgtype"' in message:
                seen.append(json.loads(message))
    return seen


async def closed(socket) -> int | None:
    """Wait until the server closes; returns its code."""
    async with asyncio.timeout(30):
        while await socket.read_message() is not None:
            pass
    return socket.close_code


async def test_no_link_shows_an_empty_page(base, view):
    page = await ask(view)
    unknown = await ask(base + "shared/00000000/")
    assert page.code == unknown.code == 200 and page.body == unknown.body
    assert "Set-Cookie" not in page.headers
    policy = page.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy and "script-src 'self';" in policy and "'unsafe-eval'" not in policy
    assert page.headers["Referrer-Policy"] == "no-referrer"
    for address in (view, base + "shared/00000000/"):
        for cookie in ("", "gpucluster-view=", "gpucluster-view=x", "gpucluster-view=" + "a" * 43):
            for path in INSIDE:
                answer = await ask(address + path, Cookie=cookie)
                assert answer.code == 403 and OVER.encode() in answer.body.replace(b"&#x27;", b"'"), path
            for path in STREAMS:
                assert await stream(address + path, Cookie=cookie) == 403


async def test_wrong_tokens_are_refused(base, view, folder, running_cluster):
    link, token = add_link(folder, LinkRequest(), None)
    withdrawn, old = add_link(folder, LinkRequest(), None)
    withdraw_links(folder, withdrawn.id)
    ended, late = add_link(folder, LinkRequest(), None)
    book = json.loads(folder.links.read_text())
    book["links"][-1]["link"]["ends_at"] = "2020-01-01T00:00:00.000Z"
    folder.links.write_text(json.dumps(book))
    hashed = living_links(folder)[0].token_sha256
    for wrong in (old, late, "", link.id, hashed, token[:-1], token + "="):
        answer = await go_in(view, wrong)
        assert answer.code == 403 and "Set-Cookie" not in answer.headers, wrong
    # The token of one cluster opens no other.
    assert (await go_in(base + "shared/00000000/", token)).code == 403
    assert (await go_in(view, token)).code == 204


async def test_wrong_token_is_not_echoed(view, token):
    kind = {"Content-Type": "application/json"}
    more, long = json.dumps({"token": token, "more": 1}), json.dumps({"token": "a" * 999})
    for body in ("", "{", "[]", '{"token": 1}', more, long):
        answer = await ask(view + "session", "POST", body, **kind)
        assert answer.code == 422 and token not in answer.body.decode(), body[:40]
    # Forms of other pages are refused.
    for form in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = await ask(view + "session", "POST", json.dumps({"token": token}), **{"Content-Type": form})
        assert answer.code in {400, 422} and "Set-Cookie" not in answer.headers
        assert answer.code == 400 or "the header 'Content-Type: application/json'" in answer.body.decode()


async def test_cookie_is_scoped_to_the_view(base, view, folder, jp_base_url, running_cluster, extension):
    _, token = add_link(folder, LinkRequest(tasks=True), None)
    answer = await go_in(view, token)
    cookie = SimpleCookie(answer.headers["Set-Cookie"])["gpucluster-view"]
    assert token not in answer.headers["Set-Cookie"] and len(cookie.value) >= 43
    assert cookie["httponly"] and cookie["samesite"] == "Strict" and not cookie["max-age"] and not cookie["expires"]
    assert cookie["path"] == f"{jp_base_url}gpucluster/shared/{running_cluster.id}/"
    header = f"gpucluster-view={cookie.value}"
    assert (await ask(base + "shared/00000000/history", Cookie=header)).code == 403
    # Neither cookie nor token opens anything else of Jupyter or gpucluster.
    for told in ({"Cookie": header}, {"Authorization": f"token {token}"}, {"Authorization": f"token {cookie.value}"}):
        for method, path in REST:
            assert (await ask(base + path, method, BODY[method], **told)).code == 403, path
        for path in SOCKETS:
            assert await stream(base + path, **told) == 403
        server = base.removesuffix("gpucluster/")
        ours = "gpucluster/dashboard/shared/status"
        for path in ("api/contents", "api/kernels", "api/sessions", ours, "lab", "tree"):
            answer = await ask(server + path, **told)
            assert answer.code in {302, 403, 404} and "login" in answer.headers.get("Location", "login"), path


async def test_it_shows_figures_and_no_secret(
    view, folder, registry_directory, running_cluster, closing, cookie, token
):
    socket = closing(await stream(view + "events", Cookie=cookie))
    messages = [json.loads(await socket.read_message()) for _ in range(2)]
    assert [message["kind"] for message in messages] == ["hello", "telemetry"]
    history = await ask(view + "history", Cookie=cookie)
    assert history.code == 200 and json.loads(history.body)["id"] == running_cluster.id
    told = json.dumps(messages) + history.body.decode()
    model = running_cluster.model_dump(mode="json")
    for hidden in (model["python"], model["scheduler_address"], str(registry_directory), token, "log_tail", "spec"):
        assert f'"{hidden}' not in told and (len(str(hidden)) < 6 or str(hidden) not in told), hidden
    assert messages[0]["cluster"]["workers"][0]["address"] is None
    page = await ask(view + "dashboard/individual-cpu", Cookie=cookie)
    assert page.code == 200 and b"navbar { display: none" in page.body
    assert "frame-ancestors 'self'" in page.headers["Content-Security-Policy"]
    secret = json.loads(folder.dashboard.read_text())["prefix"]
    assert secret not in page.body.decode()


async def test_no_page_shows_a_path_or_a_process(view, folder, running_cluster, registry_directory, closing):
    _, token = add_link(folder, LinkRequest(tasks=True), None)
    cookie = await cookie_for(view, token)

    def compute():
        client = gpucluster.connect(running_cluster.id).get_client()
        wait(kept := client.map(abs, range(5)))
        return client, kept

    client, kept = await asyncio.to_thread(compute)
    try:
        shown = {}
        for page in shown_pages(tasks=True, gpus=False):
            socket = closing(await bokeh_page(view, cookie, page.path))
            await headers_of(socket, "ACK")
            for frame in ({"msgid": "2", "msgtype": "PULL-DOC-REQ"}, {}, {}):
                await socket.write_message(json.dumps(frame))
            await headers_of(socket, "PULL-DOC-REPLY")
            shown[page.path] = "".join([str(await socket.read_message()) for _ in range(2)])
    finally:
        del kept
        await asyncio.to_thread(client.close)
    assert "socket-" in "".join(shown.values()), "the address of a worker is on some page"
    for path, text in shown.items():
        for hidden in (str(registry_directory), quote(str(registry_directory), safe=""), f"{folder.id}/comm", "unix:/"):
            assert hidden not in text, path


async def test_task_keys_are_hidden_from_links_without_tasks(view, folder, running_cluster, closing):
    chosen = ["/home/ada/patients/miller.csv", "mail alice@example.org grade 5"]

    def compute():
        client = gpucluster.connect(running_cluster.id).get_client()
        futures = [client.submit(abs, -number, key=key) for number, key in enumerate(chosen)]
        futures.append(client.submit(abs, -5, key=("https://user:pw@host/x", 3)))
        futures.append(client.submit(abs, -6))
        wait(futures)
        return client, futures

    client, kept = await asyncio.to_thread(compute)
    try:
        told = {}
        for tasks in (False, True):
            _, token = add_link(folder, LinkRequest(tasks=tasks), None)
            cookie = await cookie_for(view, token)
            socket = closing(await stream(view + "events", Cookie=cookie))
            async with asyncio.timeout(30):
                while True:
                    message = json.loads(await socket.read_message())
                    kinds = {kind["prefix"]: kind for kind in message.get("sample", {}).get("progress", ())}
                    # A sample may be from a moment when some of them still ran.
                    if ("abs" in kinds) is tasks and sum(kind["in_memory"] for kind in kinds.values()) >= len(kept):
                        break
            told[tasks] = kinds
            for path in ("individual-progress", "individual-compute-time-per-key", "individual-memory-by-key"):
                answer = await ask(view + "dashboard/" + path, Cookie=cookie)
                assert answer.code == (200 if tasks else 404), path
    finally:
        del kept
        await asyncio.to_thread(client.close)
    assert set(told[False]) == {"all tasks"} and told[False]["all tasks"]["in_memory"] == 4
    assert set(told[True]) == {*chosen, "https://user:pw@host/x", "abs"}


async def test_no_other_page_and_no_way_out(base, view, running_cluster, cookie):
    for path in (
        "status", "individual-task-stream", "individual-progress", "individual-profile", "info/main/logs.html",
        "json/identity.json",
        "hardware", "metrics", "../history", "%2e%2e/%2e%2e/api/clusters", "..%2f..%2fapi%2fclusters",
        "individual-cpu/../status",
        "individual-cpu%2f..%2fstatus", "individual-cpu%00", "individual-cpu%3fx", "proxy/8787/127.0.0.1/status",
        "%70roxy/8787/127.0.0.1/status", "//evil.example/", "static/..%2f..%2fx.js", "individual-cpu/ws",
        "individual-cpu/autoload.js?bokeh-autoload-element=1",
    ):  # fmt: skip
        answer = await ask(view + "dashboard/" + path, Cookie=cookie)
        assert answer.code == 404 or (path.startswith("..") and answer.code in {200, 404}), path
    for path in ("status/ws", "individual-task-stream/ws", "individual-profile/ws", "individual-cpu"):
        assert await stream(view + "dashboard/" + path, Cookie=cookie) == 404, path
    for name in ("page.html", "handler.py", "..%2fhandler.py", "%2e%2e/__init__.py", "widgets.js.map", "Page.css"):
        assert (await ask(view + name, Cookie=cookie)).code in {302, 403, 404}, name


async def test_view_is_read_only(view, running_cluster, control_of, cookie):
    for path in ("", "history", "events", "dashboard/individual-cpu", "login", "page.js"):
        for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            answer = await ask(view + path, method, "{}", Cookie=cookie)
            assert answer.code in {403, 404, 405, 204} and (answer.code != 204 or method == "OPTIONS"), (path, method)
    assert (await control_of.get(running_cluster.id)).wanted == running_cluster.wanted


async def test_hostile_requests_leave_no_secret_in_any_output(
    view, folder, control_of, closing, caplog, capfd, cookie, token
):
    address = json.loads(folder.dashboard.read_text())
    pages = view + "dashboard/individual-nprocessing"
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
               "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}  # fmt: skip
    for protocols in (None, ["x"], ["bokeh", "x"], ["bokeh", token], ["bokeh"], ["bokeh", "a.b"]):
        request = HTTPRequest(pages.replace("http", "ws", 1) + "/ws?bokeh-session-id=x", headers={"Cookie": cookie})
        try:
            socket = closing(await websocket_connect(request, subprotocols=protocols))
        except HTTPClientError as error:
            assert error.code in {400, 502}, protocols
            continue
        for sent in ("", "{}", "[", '{"msgid":"1","msgtype":"PULL-DOC-REQ"}', b"\x00"):
            with suppress(WebSocketClosedError):
                await socket.write_message(sent, binary=isinstance(sent, bytes))
    for path in (pages, pages + "?bokeh-session-id=%00", pages + "?bokeh-autoload-element=%3Cscript", pages + "/ws"):
        for method in ("GET", "POST"):
            await ask(path, method, "{}" if method == "POST" else None, Cookie=cookie)
    # The owner's account, which may show the log to others, gets the same without our server.
    for path, headers in ((f"{address['prefix']}/individual-nprocessing/ws", upgrade), (address["prefix"], {}),
                          (f"{address['prefix']}/../x", {}), ("sitemap.json", {})):  # fmt: skip
        reader, writer = await asyncio.open_unix_connection(address["socket"])
        head = "".join(f"{name}: {value}\r\n" for name, value in {"Host": "x", **headers}.items())
        writer.write(f"GET /{path} HTTP/1.1\r\n{head}\r\n".encode())
        await reader.read(100)
        writer.close()
    secrets = [address["prefix"].strip("/"), folder.secret.read_text(), (folder.comm / "secret").read_text(), token,
               cookie.partition("=")[2]]  # fmt: skip
    # The cause of the last one is written a moment later.
    await until_async(lambda: "Subprotocol header is not 'bokeh'" in folder.log.read_text())
    telling = await asyncio.to_thread(gpucluster.connect(folder.id).get_client)
    scheduler_log = repr(await asyncio.to_thread(telling.get_scheduler_logs))
    await asyncio.to_thread(telling.close)
    printed = capfd.readouterr()
    outputs = [folder.log.read_text(), folder.state.read_text(), folder.activity.read_text(), scheduler_log,
               caplog.text, printed.out, printed.err, (await control_of.get(folder.id)).model_dump_json()]  # fmt: skip
    for secret in secrets:
        assert len(secret) > 20 and not any(secret in output for output in outputs)


async def test_dashboard_page_ignores_messages(view, closing, token):
    socket = closing(await bokeh_page(view, await cookie_for(view, token)))
    await headers_of(socket, "ACK")
    change = {"events": [{"kind": "TitleChanged", "title": "mine"}], "references": []}
    for frame in (
        {"msgid": "1", "msgtype": "PATCH-DOC"}, {}, change, {"msgid": "2", "msgtype": "PULL-DOC-REQ"}, {}, {},
    ):  # fmt: skip
        await socket.write_message(json.dumps(frame))
    heard = await headers_of(socket, "PULL-DOC-REPLY")
    # The dashboard would have answered a change with OK or ERROR.
    assert {message["msgtype"] for message in heard} <= {"PATCH-DOC", "PULL-DOC-REPLY"}
    assert heard[-1]["reqid"] == "2"


async def test_a_question_waits_for_the_session_of_its_page(view, folder, closing, cookie, token):
    def make_sessions_late(seconds):
        """Delay each session of the dashboard; ``None`` ends this."""
        import asyncio

        from bokeh.server.views.ws import WSHandler

        if seconds is None:
            WSHandler._async_open = WSHandler.at_once
            return
        at_once = WSHandler.at_once = WSHandler._async_open

        async def late(self, token):
            await asyncio.sleep(seconds)
            await at_once(self, token)

        WSHandler._async_open = late

    client = await asyncio.to_thread(gpucluster.connect(folder.id).get_client)
    await asyncio.to_thread(client.run_on_scheduler, make_sessions_late, 0.5)
    try:
        socket = closing(await bokeh_page(view, cookie))
        for frame in ('{"msgid": "1", "msgtype": "PULL-DOC-REQ"}', "{}", "{}"):
            await socket.write_message(frame)
        assert (await headers_of(socket, "PULL-DOC-REPLY"))[-1]["reqid"] == "1"
    finally:
        await asyncio.to_thread(client.run_on_scheduler, make_sessions_late, None)
        await asyncio.to_thread(client.close)


@pytest.fixture
def control_of(extension):
    return extension.services.control


async def test_revoked_link_closes_open_views(view, control_of, running_cluster, closing, cookie, token):
    events = closing(await stream(view + "events", Cookie=cookie))
    page = closing(await bokeh_page(view, cookie))
    assert not isinstance(events, int)
    [link] = (await control_of.links(running_cluster.id)).links
    assert link.opened == 1
    await control_of.withdraw(running_cluster.id, link.id)
    assert await closed(events) == 4001
    assert await closed(page) == 4001
    for path in INSIDE:
        assert (await ask(view + path, Cookie=cookie)).code == 403
    told = [entry for entry in (await control_of.activity(running_cluster.id)).entries if entry.kind == "link"]
    said = [entry.message for entry in told]
    assert any("opened once" in message or "; once so far" in message for message in said)
    assert {entry.by for entry in told if "so far" in entry.message} <= {"someone with the link"}
    assert not any(token in message for message in said)


async def test_ending_a_session_leaves_other_browsers_open(view, token):
    one, other = await cookie_for(view, token), await cookie_for(view, token)
    assert (await ask(view + "session", "DELETE", Cookie=one)).code == 204
    assert (await ask(view + "history", Cookie=one)).code == 403
    assert (await ask(view + "history", Cookie=other)).code == 200


async def test_guessing_is_limited_and_valid_links_still_work(base, view, cookie, token):
    # Also for an unknown cluster. Everyone on a machine or behind a proxy has the same address.
    for address in (base + "shared/00000000/", view):
        codes = [(await go_in(address, f"{number:043}")).code for number in range(12)]
        assert codes[-1] == 429 and (codes[0] == 403 or address == view)
        assert (await ask(view + "history", Cookie=cookie)).code == 200
        assert (await go_in(view, token)).code == 204
    answer = await go_in(view, token[:-1])
    assert answer.code == 429 and "Set-Cookie" not in answer.headers and b"is not valid" in answer.body


async def test_browser_limit_drops_the_oldest(view, folder, token):
    _, other = add_link(folder, LinkRequest(), None)
    apart = await cookie_for(view, other)
    cookies = [await cookie_for(view, token) for _ in range(MOST_OF_A_LINK + 1)]
    codes = [(await ask(view + "session", Cookie=cookie)).code for cookie in [*cookies, apart]]
    assert codes == [403, *[204] * MOST_OF_A_LINK, 204]


async def test_websocket_limit_holds_for_simultaneous_requests(view, folder, extension, closing, token):
    _, other = add_link(folder, LinkRequest(), None)
    cookies = [await cookie_for(view, token) for _ in range(3)]
    one, another = cookies[0], await cookie_for(view, other)
    came = [await stream(view + "events", Cookie=cookie) for cookie in cookies[1:] * (MOST_SOCKETS_OF_A_LINK // 2 - 5)]
    # Ten more are allowed. These are accepted before any of them counts.
    together = await asyncio.gather(*[stream(view + "events", Cookie=one) for _ in range(30)])
    opened = [closing(socket) for socket in [*came, *together] if not isinstance(socket, int)]
    first = [await asyncio.wait_for(socket.read_message(), 30) for socket in opened]
    assert sum(message is not None for message in first) == MOST_SOCKETS_OF_A_LINK
    assert {socket.close_code for socket, message in zip(opened, first, strict=True) if message is None} <= {1013}
    assert {socket for socket in together if isinstance(socket, int)} <= {429}
    assert len(extension.services.shared.views) == MOST_SOCKETS_OF_A_LINK
    assert await stream(view + "events", Cookie=one) == 429
    assert await stream(view + "dashboard/individual-cpu/ws", Cookie=one) == 429
    # Another link of the same cluster has its own limit, and closing a WebSocket makes room.
    of_another = await stream(view + "events", Cookie=another)
    assert not isinstance(of_another, int)
    closing(of_another)
    opened[0].close()
    for _ in range(600):
        again = await stream(view + "events", Cookie=one)
        if not isinstance(again, int):
            break
        await asyncio.sleep(0.05)
    assert not isinstance(again, int)
    closing(again)


@pytest.mark.parametrize("path", ["events", "dashboard/individual-cpu/ws", "history"])
async def test_websocket_rate_limit(view, folder, extension, closing, path):
    (_, token), (_, other) = add_link(folder, LinkRequest(), None), add_link(folder, LinkRequest(), None)
    link = living_links(folder)[-2].link.id
    cookie, cookie_apart = await cookie_for(view, token), await cookie_for(view, other)
    parts = [parts for *_, parts in extension.handlers if "openings" in parts]
    [openings] = {id(each["openings"]): each["openings"] for each in parts}.values()

    async def status(cookie):
        if path == "history":
            return (await ask(view + path, Cookie=cookie)).code
        opened = await stream(view + path, Cookie=cookie)
        return opened if isinstance(opened, int) else closing(opened) and 200

    for _ in range(OPENINGS[0] - 1):
        openings.note(link)
    # Closing them again makes no room.
    assert [await status(cookie), await status(cookie), await status(cookie_apart)] == [200, 429, 200]


async def test_dashboard_socket_requires_bokeh_protocol(view, token):
    url = view.replace("http", "ws", 1) + "dashboard/individual-cpu/ws"
    headers = {"Cookie": await cookie_for(view, token)}
    for protocols in (None, ["x", "bokeh"]):
        with pytest.raises(HTTPClientError, match="HTTP 400"):
            await websocket_connect(HTTPRequest(url, headers=headers), subprotocols=protocols)


async def test_page_rate_limit(view, folder, extension, token):
    link, _ = add_link(folder, LinkRequest(), None)
    cookie = await cookie_for(view, token)
    [loads] = {id(parts["loads"]): parts["loads"] for *_, parts in extension.handlers if "loads" in parts}.values()
    for _ in range(PAGES_LOADED[0] - 1):
        loads.note(next(stored.link.id for stored in living_links(folder) if stored.link.id != link.id))
    page = view + "dashboard/individual-cpu"
    assert (await ask(page, Cookie=cookie)).code == 200
    refused = await ask(page, Cookie=cookie)
    assert refused.code == 429 and b"Try again in a minute" in refused.body
    # Files of a page, and the figures, do not count.
    assert (await ask(view + "dashboard/static/js/bokeh.min.js", Cookie=cookie)).code == 200
    assert (await ask(view + "history", Cookie=cookie)).code == 200


async def test_cross_site_requests_are_refused(view, cookie, token):
    own = view.split("/a%40b")[0]
    for told in (
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    ):
        for path in ["", *INSIDE]:
            assert (await ask(view + path, Cookie=cookie, **told)).code == 403, path
        assert (await go_in(view, token, **told)).code == 403
        assert await stream(view + "events", Cookie=cookie, **told) == 403
    # Without HTTPS, addresses other than loopback get the Origin header only.
    port = own.rpartition(":")[2]
    for origin in ("http://evil.example", f"http://evil.example:{port}", "null", own + "1", own.replace("127", "126")):
        for path in ["", "page.js", *INSIDE]:
            assert (await ask(view + path, Cookie=cookie, Origin=origin)).code == 403, (path, origin)
        answer = await go_in(view, token, Origin=origin)
        assert answer.code == 403 and "Set-Cookie" not in answer.headers
        assert (await ask(view + "session", "DELETE", Cookie=cookie, Origin=origin)).code == 403
        assert await stream(view + "events", Cookie=cookie, Origin=origin) == 403
    for path in ["", *INSIDE]:
        assert (await ask(view + path, Cookie=cookie, Origin=own)).code in {200, 204}, path
    assert (await go_in(view, token, Origin=own)).code == 204
    socket = await stream(view + "events", Cookie=cookie, Origin=own)
    assert not isinstance(socket, int)
    socket.close()
    # A link in a mail leads to the page, but not to a dashboard.
    follows = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert (await ask(view, **follows)).code == 200
    assert (await ask(view + "dashboard/individual-cpu", Cookie=cookie, **follows)).code == 403


async def test_hub_requires_login_too(view, folder, extension, jp_auth_header, monkeypatch, token):
    sessions = extension.services.shared.sessions
    monkeypatch.setattr(sessions, "policy", LinkPolicy(hub=True))
    _, public = add_link(folder, LinkRequest(public=True), None)
    for given in (token, public):
        answer = await go_in(view, given)
        assert answer.code == 401 and json.loads(answer.body)["code"] == "log_in_first"
    answer = await ask(view + "login")
    assert answer.code == 302 and "/login?next=" in answer.headers["Location"] and token not in str(answer.headers)
    assert (await go_in(view, token, **jp_auth_header)).code == 204
    site = Site()
    site = replace(site, sharing=site.sharing.model_copy(update={"public_links": True}))
    monkeypatch.setattr("gpucluster.server.shared_view.sessions.this_site", lambda: site)
    assert (await go_in(view, token)).code == 401
    cookie = await cookie_for(view, public)
    assert (await ask(view + "history", Cookie=cookie)).code == 200
    # A change of the site's setting also applies to open views.
    monkeypatch.setattr("gpucluster.server.shared_view.sessions.this_site", reading.this_site)
    assert (await ask(view + "history", Cookie=cookie)).code == 401


async def test_site_disables_existing_links(view, extension, api, monkeypatch, cookie, token):
    site = Site()
    site = replace(site, sharing=site.sharing.model_copy(update={"links": False}))
    monkeypatch.setattr("gpucluster.server.shared_view.sessions.this_site", lambda: site)
    monkeypatch.setattr("gpucluster.client.links.this_site", lambda: site)
    assert (await ask(view + "history", Cookie=cookie)).code == 403
    assert (await go_in(view, token)).code == 403
    status, refused = await api("POST", "clusters/shared/links", {})
    assert status == 403 and refused["message"] == "This site does not allow links to clusters."
    monkeypatch.undo()
    monkeypatch.setattr(extension.services.shared.sessions, "policy", LinkPolicy(shows=False))
    assert (await ask(view + "history", Cookie=cookie)).code == 403


async def test_the_owner_makes_lists_and_withdraws(api, view, folder):
    status, made = await api("POST", "clusters/shared/links", {"hours": 1, "tasks": True})
    assert status == 201
    path, token = made["path"].split("#")
    assert view.endswith(path)
    status, listed = await api("GET", "clusters/shared/links")
    assert [link["id"] for link in listed["links"]] == [made["link"]["id"]] and token not in json.dumps(listed)
    cookie = await cookie_for(view, token)
    assert (await ask(view + "dashboard/individual-task-stream", Cookie=cookie)).code == 200
    for body in ({"hours": 25}, {"hours": "x"}, {"token": "x"}):
        status, refused = await api("POST", "clusters/shared/links", body)
        assert status == 422 and refused["fields"], body
    status, refused = await api("POST", "clusters/shared/links", {"public": True})
    assert status == 403 and "does not allow public links" in refused["message"]
    assert (await api("DELETE", "clusters/shared/links/00000000"))[0] == 404
    status, gone = await api("DELETE", f"clusters/shared/links/{made['link']['id']}")
    assert status == 200 and gone["links"][0]["opened"] == 1
    assert (await ask(view + "history", Cookie=cookie)).code == 403


async def test_only_these_addresses_need_no_login(extension):
    open_ones = {
        pattern
        for pattern, handler, _ in extension.handlers
        for method in methods(handler)
        if getattr(getattr(handler, method), "__allow_unauthenticated", False)
    }
    assert open_ones and all(pattern.startswith("gpucluster/shared/([0-9a-f]{8})") for pattern in open_ones)
    assert not open_ones & {pattern for pattern, *_ in routes(extension.services)}


def test_a_server_of_a_hub_knows_it():
    assert not is_of_a_hub({}) and not is_of_a_hub({"JUPYTERHUB_API_URL": ""})
    assert is_of_a_hub({"JUPYTERHUB_SERVICE_PREFIX": "/user/ada/"}) and is_of_a_hub({"JUPYTERHUB_API_URL": "http://x"})
