"""A JupyterHub with its proxy and two users of the system, each with clusters behind the hub."""

import json
import os
import re
import shutil
from collections.abc import Iterator

import pytest
from tornado.httpclient import HTTPClientError
from tornado.websocket import websocket_connect

from .hubprocess import PROXY, Hub, Person, running_hub, until
from .reachable import why_not

CULL_SECONDS = 30
pytestmark = [
    pytest.mark.processes,
    pytest.mark.timeout(400),
    pytest.mark.full,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root starts servers of other users"),
    pytest.mark.skipif(
        shutil.which("node") is None or not PROXY.exists(),
        reason="the hub's proxy is not installed: 'jlpm install' installs it",
    ),
]

CLUSTER = {"backend": "local", "name": "mine", "n_workers": 1, "memory_limit": "512 MiB", "idle_timeout_seconds": None}

COMPUTE = """
import pathlib, sys, time
import gpucluster

def wait(goal):
    import pathlib, time
    while not pathlib.Path(goal).exists():
        time.sleep(0.05)
    return 41 + 1

with gpucluster.connect("mine").get_client() as client:
    task = client.submit(wait, sys.argv[1])
    print("computing", flush=True)
    print(task.result(), flush=True)
"""


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    # Unused user ids: high, and below those that containers map.
    if (why := why_not()) is not None:
        pytest.skip(why)
    with running_hub({"ada": 51_833, "bea": 51_834}, cull_seconds=CULL_SECONDS, activity_hours=1.0) as hub:
        yield hub


@pytest.fixture(scope="module")
def people(hub):
    """Two people, each with a server and a running cluster."""
    people = hub.person("ada"), hub.person("bea")
    for person in people:
        person.start_server()
        made = person.call("POST", "api/clusters", CLUSTER)
        assert made.status_code == 201, made.text
    for person in people:
        until(lambda person=person: cluster_of(person)["state"] == "running")
    return people


def cluster_of(person: Person) -> dict:
    [cluster] = person.call("GET", "api/clusters").raise_for_status().json()["clusters"]
    return cluster


async def first_message(person: Person, path: str, of: str | None = None) -> bytes | str:
    socket = await websocket_connect(person.socket(path, of=of), subprotocols=["bokeh", "token"])
    message = await socket.read_message()
    socket.close()
    return message


async def test_users_have_clusters_and_dashboards_behind_the_hub(hub, people):
    for person in people:
        cluster = cluster_of(person)
        hello = json.loads(await first_message(person, "api/events"))
        assert [known["id"] for known in hello["clusters"]] == [cluster["id"]]
        page = person.call("GET", f"dashboard/{cluster['id']}/status")
        assert page.status_code == 200 and "Dask" in page.text
        [worker] = cluster["workers"]
        owner = os.stat(f"/proc/{worker['pid']}").st_uid
        assert owner == hub.users[person.name]


async def test_users_cannot_reach_clusters_of_others(people):
    ada, bea = people
    id = cluster_of(ada)["id"]
    for method, path, body in [
        ("GET", "api/clusters", None),
        ("POST", "api/clusters", {**CLUSTER, "name": "theirs"}),
        ("PATCH", f"api/clusters/{id}", {"n_workers": 0}),
        ("DELETE", f"api/clusters/{id}", None),
        ("GET", f"dashboard/{id}/status", None),
    ]:
        answer = bea.call(method, path, body, of="ada")
        # A page is redirected to the hub, which refuses.
        assert answer.status_code == 403, (method, path, answer.status_code)
        assert id not in answer.text and "theirs" not in answer.text
        assert bea.call("GET", f"api/clusters/{id}").status_code == 404
    for path in ("api/events", f"dashboard/{id}/status/ws"):
        with pytest.raises(HTTPClientError) as refused:
            await first_message(bea, path, of="ada")
        assert refused.value.code in {403, 404}
    assert cluster_of(ada)["wanted"] == {"n_workers": 1, "adapt": None, "stopped": False}


async def test_shared_link_requires_a_log_in_with_access_to_the_server(hub, people):
    """A visitor needs the link and, from the hub, the right to enter that server."""
    ada, bea = people
    id = cluster_of(ada)["id"]
    made = ada.call("POST", f"api/clusters/{id}/links", {"hours": 1})
    assert made.status_code == 201, made.text
    path, token = made.json()["path"].split("#")
    view = path.removeprefix("gpucluster/")
    stranger, teacher = Person(hub, "stranger"), hub.person("teacher")

    def opened(person: Person) -> int:
        return person.call("POST", f"{view}session", {"token": token}, of="ada").status_code

    def log_in(person: Person) -> int:
        answer = person.browser.get(f"{ada.base}gpucluster/{view}login")
        if answer.url.path == "/hub/api/oauth2/authorize" and answer.status_code == 200:
            # The hub asks for confirmation before another user's server is entered.
            form = re.findall(r'<input[^>]*name="(\w+)"[^>]*value="([^"]*)"', answer.text)
            data = {name: [value for other, value in form if other == name] for name, _ in form}
            answer = person.browser.post(answer.url, data=data, headers={"Referer": str(answer.url)})
        return answer.status_code

    assert stranger.call("GET", view, of="ada").status_code == 200  # the page, which is empty
    assert opened(stranger) == 401
    assert log_in(stranger) == 200 and opened(stranger) == 401  # the hub's own page, which asks for a name
    assert log_in(bea) == 403 and opened(bea) in {401, 403}
    for person in (stranger, bea):
        assert person.call("GET", f"{view}history", of="ada").status_code in {401, 403}
        with pytest.raises(HTTPClientError) as refused:
            await first_message(person, f"{view}events", of="ada")
        assert refused.value.code in {401, 403}
    # The instructor has the scope access:servers, by a role.
    assert opened(teacher) == 401
    assert log_in(teacher) == 200
    assert opened(teacher) == 204
    assert teacher.call("GET", f"{view}history", of="ada").status_code == 200
    hello = json.loads(await first_message(teacher, f"{view}events", of="ada"))
    assert hello["cluster"]["name"] == "mine"
    known = ada.call("GET", f"api/clusters/{id}/links").json()["links"]
    [link] = [link for link in known if link["id"] == made.json()["link"]["id"]]
    assert [viewer["name"] for viewer in link["viewers"]] == ["teacher"]
    assert token not in hub.log.read_text()
    assert ada.call("POST", f"api/clusters/{id}/links", {"public": True}).status_code == 403
    ada.call("DELETE", f"api/clusters/{id}/links/{link['id']}")
    assert teacher.call("GET", f"{view}history", of="ada").status_code == 403


def test_cluster_outlives_a_stopped_server(people):
    _, bea = people
    before = cluster_of(bea)
    bea.stop_server()
    until(lambda: not bea.has_server)
    bea.start_server()
    after = cluster_of(bea)
    assert (after["id"], after["pid"], after["workers"]) == (before["id"], before["pid"], before["workers"])


def test_culler_stops_idle_servers_only(hub, people):
    ada, bea = people
    goal = hub.folder / "ada" / "go"
    goal.unlink(missing_ok=True)
    for person in people:
        if not person.has_server:
            person.start_server()
    before = cluster_of(ada)
    kernel = ada.python(COMPUTE, str(goal))
    try:
        assert kernel.stdout.readline() == "computing\n"
        until(lambda: cluster_of(ada)["idle"]["quiet_since"] is None)
        cluster_of(bea)
        # Both were used last at the same time. From here on, no request goes to ada's server, which would count as use.
        until(lambda: not bea.has_server)
        assert ada.has_server
        goal.touch()
        assert kernel.stdout.readline() == "42\n"
        until(lambda: not ada.has_server)
    finally:
        kernel.kill()
        kernel.wait()
        kernel.stdout.close()
    # The cull has ended no cluster.
    ada.start_server()
    after = cluster_of(ada)
    assert (after["id"], after["pid"], after["state"]) == (before["id"], before["pid"], "running")
    for person in (ada, bea):
        if not person.has_server:
            person.start_server()
        person.call("DELETE", "api/clusters/mine")
        until(lambda person=person: cluster_of(person)["state"] == "stopped")
