"""The REST interface of dask-labextension for our clusters, with and without its own server part."""

import json
import os
from typing import Any

import pytest
from gpucluster.client.control import Control
from gpucluster.protocol.models import ClusterModel

from .test_access import DenyAll, ReadOnly

THEIR_ID = "01234567-89ab-cdef-0123-456789abcdef"


@pytest.fixture
def panel(jp_fetch):
    """Call an address below ``dask/``; returns status and JSON, or the body if it is no JSON."""

    async def call(method: str, *path: str, body: Any = None, raw: bytes | None = None) -> tuple[int, Any]:
        data = raw if raw is not None or body is None else json.dumps(body).encode()
        options = {"allow_nonstandard_methods": True, "raise_error": False, "request_timeout": 60}
        response = await jp_fetch("dask", *path, method=method, body=data, follow_redirects=False, **options)
        try:
            return response.code, json.loads(response.body)
        except ValueError:
            return response.code, response.body

    return call


# Its dashboard handler inherits its login check, which Jupyter does not see.
loads_dask_labextension = pytest.mark.filterwarnings("ignore::jupyter_server.serverapp.JupyterServerAuthWarning")


LOADED = {"jpserver_extensions": {"gpucluster": True, "jupyter_server_terminals": False, "dask_labextension": True}}


class Alone:
    """dask-labextension's server part is not enabled."""

    async def test_lists_a_cluster_in_the_panels_format(self, panel, running_cluster, jp_base_url):
        code, listed = await panel("GET", "clusters")
        assert code == 200
        assert [model["name"] for model in listed] == ["shared"]
        assert listed[0] == {
            "id": running_cluster.id, "name": "shared", "scheduler_address": "gpucluster://shared",
            "dashboard_link": f"{jp_base_url}gpucluster/dashboard/{running_cluster.id}/status", "workers": 1,
            "memory": listed[0]["memory"], "cores": running_cluster.workers[0].n_threads,
        }  # fmt: skip
        assert listed[0]["memory"].endswith("iB")
        assert await panel("GET", "clusters", running_cluster.id) == (200, listed[0])


class TestAlone(Alone):
    async def test_other_addresses_are_not_served(self, panel):
        code, answer = await panel("GET", "dashboard-check", "http%3A%2F%2F127.0.0.1%3A1%2F")
        assert (code, answer["isActive"], answer["plots"]) == (200, False, {})
        for path in (["clusters", THEIR_ID], ["dashboard", THEIR_ID, "status"]):
            code, answer = await panel("GET", *path)
            assert (code, answer["code"]) == (404, "not_found")

    async def test_makes_scales_adapts_and_stops_a_cluster(self, panel, registry_directory, until):
        code, made = await panel("PUT", "clusters")
        assert code == 200
        assert made["name"].endswith(" (starting)")
        id = made["id"]
        # The panel asks for the pages at once.
        code, plots = await panel("GET", "dashboard", id, "individual-plots.json")
        assert code == 200
        assert "Individual Task Stream" in plots
        await until(id, lambda model: model["state"] == "running")
        made["workers"] = 1
        code, _ = await panel("PATCH", "clusters", id, body={**made, "adapt": None})
        assert code == 200
        await until(id, lambda model: model["n_workers"] == 1 and model["state"] == "running")
        code, adapted = await panel("PATCH", "clusters", id, body={**made, "adapt": {"minimum": 0, "maximum": 2}})
        assert (code, adapted["adapt"]) == (200, {"minimum": 0, "maximum": 2})
        assert (await panel("DELETE", "clusters", id))[0] == 204
        assert id not in [model["id"] for model in (await panel("GET", "clusters"))[1]]
        assert (await panel("DELETE", "clusters", id))[0] == 404
        assert Control(registry_directory).get(id).wanted.stopped
        # The panel still requests the pages; a refusal would be an error in the console.
        await until(id, lambda model: model["state"] == "stopped")
        for gone in (id, "00000000"):
            assert await panel("GET", "dashboard", gone, "individual-plots.json") == (204, b"")
        assert (await panel("GET", "dashboard", id, "status"))[0] == 409

    @pytest.mark.parametrize(
        "body",
        [b"", b"nonsense", b"[]", b"{}", b"[" * 100_000]
        + [json.dumps({"workers": value}).encode() for value in (-1, 1.5, "2", True, None, 10**30, 100_000)]
        + [
            json.dumps({"adapt": requested}).encode()
            for requested in ([], {}, {"minimum": 5, "maximum": 1}, {"minimum": -1})
        ],
    )
    async def test_bad_requests_change_nothing(self, panel, running_cluster, registry_directory, body):
        before = Control(registry_directory).get(running_cluster.id).wanted
        code, answer = await panel("PATCH", "clusters", running_cluster.id, raw=body)
        assert (code, answer["code"]) == (422, "invalid_request")
        assert answer["message"]
        assert Control(registry_directory).get(running_cluster.id).wanted == before

    @pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
    async def test_unknown_ids(self, panel, method):
        code, answer = await panel(method, "clusters", "00000000", body=None if method == "GET" else {"workers": 1})
        assert (code, answer["code"]) == (404, "cluster_not_found")

    async def test_shows_the_dashboard_through_our_proxy(self, panel, running_cluster, registry_directory):
        code, plots = await panel("GET", "dashboard", running_cluster.id, "individual-plots.json")
        assert code == 200
        assert plots["Individual Task Stream"] == "/individual-task-stream"
        code, page = await panel("GET", "dashboard", running_cluster.id, "individual-task-stream")
        assert code == 200
        secret = Control(registry_directory).dashboard(running_cluster.id).prefix.encode()
        assert b"Bokeh" in page and secret not in page

    async def test_proxy_reaches_our_clusters_only(self, panel, running_cluster):
        for path in ("proxy/80/127.0.0.1/", "..%2f..%2fapi", "%2f%2f127.0.0.1%2f"):
            code, _ = await panel("GET", "dashboard", running_cluster.id, path)
            assert code == 404


@loads_dask_labextension
@pytest.mark.server(**LOADED)
class TestBeside(Alone):
    """dask-labextension's server part is loaded, before ours."""

    @pytest.mark.full
    async def test_new_creates_our_cluster_outside_this_process(self, panel, registry_directory, until):
        """Their own code opens an unencrypted cluster to the network and changes variables permanently."""
        import dask_labextension.manager as their_manager

        before = dict(os.environ)
        code, made = await panel("PUT", "clusters")
        assert (code, made["scheduler_address"][:13]) == (200, "gpucluster://")
        id = made["id"]
        model = Control(registry_directory).get(id)
        assert model.network == "unix"
        assert their_manager.manager.list_clusters() == []
        assert (await panel("PUT", "clusters", THEIR_ID))[0] == 404
        await until(id, lambda model: model["state"] == "running")
        assert (await panel("PATCH", "clusters", id, body={"workers": 1}))[0] == 200
        assert (await panel("DELETE", "clusters", id))[0] == 204
        await until(id, lambda model: model["state"] == "stopped")
        assert dict(os.environ) == before

    async def test_configured_kind_is_used_by_the_panel(self, panel, running_cluster, monkeypatch):
        import dask
        import dask_labextension.manager as their_manager

        small = {"n_workers": 1, "processes": False, "dashboard_address": "127.0.0.1:0"}
        factory = {"module": f"{__package__}.sitecluster", "class": "SiteCluster", "args": [], "kwargs": small}
        with dask.config.set({"labextension.factory": factory}):
            code, made = await panel("PUT", "clusters")
        assert code == 200, made
        assert "-" in made["id"]
        code, listed = await panel("GET", "clusters")
        assert [model["id"] for model in listed] == [running_cluster.id, made["id"]]
        code, _ = await panel("GET", "clusters", made["id"])
        assert code == 200
        code, _ = await panel("DELETE", "clusters", made["id"])
        assert code == 204
        assert their_manager.manager.list_clusters() == []
        assert [model["id"] for model in (await panel("GET", "clusters"))[1]] == [running_cluster.id]

    async def test_their_list_may_fail_or_be_a_coroutine(self, panel, running_cluster, monkeypatch):
        import dask_labextension.manager as their_manager

        async def listing() -> list[dict[str, str]]:  # as in their next version
            return [{"id": THEIR_ID}]

        for theirs, shown in ((lambda: 1 / 0, []), (listing, [THEIR_ID])):
            monkeypatch.setattr(their_manager.manager, "list_clusters", theirs)
            code, listed = await panel("GET", "clusters")
            assert (code, [model["id"] for model in listed]) == (200, [running_cluster.id, *shown])


@loads_dask_labextension
@pytest.mark.server(**LOADED)
@pytest.mark.extension(dask_labextension="instead", limits={"n_workers": 1, "backends": ["local"]})
class TestInstead(Alone):
    """dask-labextension is loaded but not used."""

    async def test_its_addresses_are_ours(self, panel, registry_directory):
        code, answer = await panel("GET", "dashboard-check", "http%3A%2F%2F127.0.0.1%3A1%2F")
        assert (code, answer["isActive"]) == (200, False)
        assert (await panel("GET", "clusters", THEIR_ID))[1]["code"] == "not_found"

    async def test_the_limits_of_the_site_hold(self, panel, running_cluster, registry_directory):
        code, answer = await panel("PATCH", "clusters", running_cluster.id, body={"workers": 2})
        assert (code, answer["fields"][0]["field"]) == (422, "n_workers")
        code, made = await panel("PUT", "clusters")
        model = Control(registry_directory).get(made["id"])
        assert (model.spec.backend, model.spec.n_workers) == ("local", 1)
        assert (await panel("DELETE", "clusters", made["id"]))[0] == 204


@pytest.mark.extension(dask_labextension="off")
async def test_addresses_are_not_ours_when_off(panel, running_cluster: ClusterModel):
    for path in (["clusters"], ["clusters", running_cluster.id], ["dashboard", running_cluster.id, "status"]):
        assert (await panel("GET", *path))[0] == 404


class TestNobody:
    """Users who are not logged in."""

    @pytest.fixture
    def jp_fetch(self, jp_fetch):
        async def without_token(*args: str, **options: Any):
            return await jp_fetch(*args, headers={"Authorization": ""}, **options)

        return without_token

    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", "clusters"), ("PUT", "clusters"), ("GET", "clusters/{}"), ("PATCH", "clusters/{}"),
            ("DELETE", "clusters/{}"), ("GET", "dashboard-check/x"), ("GET", "dashboard/{}/status"),
        ],
    )  # fmt: skip
    async def test_is_let_in_nowhere(self, panel, running_cluster, registry_directory, method, path):
        code, _ = await panel(method, *path.format(running_cluster.id).split("/"))
        assert code in {302, 403} if "dashboard/" in path else code == 403
        assert len([m for m in Control(registry_directory).list() if not (m.state.ended or m.wanted.stopped)]) == 1


@pytest.mark.server(authorizer_class=ReadOnly)
async def test_reader_cannot_change(panel, running_cluster, registry_directory):
    assert (await panel("GET", "clusters"))[0] == 200
    assert (await panel("PUT", "clusters"))[0] == 403
    assert (await panel("PATCH", "clusters", running_cluster.id, body={"workers": 0}))[0] == 403
    assert (await panel("DELETE", "clusters", running_cluster.id))[0] == 403
    assert not Control(registry_directory).get(running_cluster.id).wanted.stopped


@pytest.mark.server(authorizer_class=DenyAll)
async def test_unauthorized_user_sees_no_cluster(panel, running_cluster):
    for path in (["clusters"], ["clusters", running_cluster.id], ["dashboard", running_cluster.id, "status"]):
        assert (await panel("GET", *path))[0] == 403


@loads_dask_labextension
@pytest.mark.server(**LOADED, authorizer_class=DenyAll)
async def test_unauthorized_user_still_sees_clusters_of_dask_labextension(panel, running_cluster):
    assert await panel("GET", "clusters") == (200, [])
