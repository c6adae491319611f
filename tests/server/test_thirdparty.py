"""A kind of cluster of another package appears in REST, form and document."""

import sys

import pytest
from gpucluster.client.starting.capacity import bounded_spec, checked_spec
from gpucluster.protocol import kinds
from jsonschema import Draft202012Validator

from tests.thirdparty.installing import PACKAGE, offer


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory):
    """The package's source on the path with its entry point, and a package that cannot be imported."""
    site = tmp_path_factory.mktemp("site")
    offer(site, "broken", "import nothing_of_this_name", kind="broken_kind:Kind")
    (site / "gpucluster_subprocess").symlink_to(PACKAGE / "src" / "gpucluster_subprocess")
    info = site / "gpucluster_subprocess-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gpucluster-subprocess\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(
        "[gpucluster.backends]\nsubprocess = gpucluster_subprocess.backend:SubprocessBackend\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        kinds.look_again()
        yield site
    kinds.look_again()
    for name in [name for name in sys.modules if name.split(".")[0] in {"gpucluster_subprocess", "broken_kind"}]:
        del sys.modules[name]


async def test_form_offers_it_and_names_the_broken_one(api):
    code, answer = await api("GET", "schema")
    assert code == 200
    found = {kind["name"]: kind for kind in answer["kinds"]}
    assert list(found) == [
        "auto", "cuda", "local", "slurm", "ssh", "mpi", "kubernetes", "gateway", "existing", "broken", "subprocess",
    ]  # fmt: skip
    ours = found["subprocess"]
    assert (ours["title"], ours["package"], ours["problem"]) == ("Queued", "gpucluster-subprocess 1.2", None)
    assert ours["traits"]["queues"] is True
    assert answer["backends"]["subprocess"]["properties"]["queue"]["group"] == "Queue"
    assert "No module named 'nothing_of_this_name'" in found["broken"]["problem"]
    assert "broken" not in answer["backends"]


async def test_requests_are_checked_by_its_own_model(api):
    code, answer = await api("POST", "notes", {"backend": "subprocess", "n_workers": 1, "queue": "long"})
    # The queue determines its workers' resources.
    assert (code, answer) == (200, {"notes": [], "demand": None, "fields": []})
    code, error = await api("POST", "clusters", {"backend": "subprocess", "queue": "none"})
    assert (code, error["message"]) == (422, "queue: must be one of 'short' or 'long', not 'none'.")
    code, error = await api("POST", "clusters", {"backend": "subprocess", "rmm_async": True})
    assert (code, error["message"]) == (422, "rmm_async: is not an option of this request.")
    code, error = await api("POST", "clusters", {"backend": "broken"})
    assert code == 422
    assert error["message"].startswith(
        "backend: The kind 'broken' of the package gpucluster-broken 0.1 cannot be used."
    )
    assert error["fields"][0]["field"] == "backend"


async def test_document_has_it(api):
    _, document = await api("GET", "openapi.json")
    body = document["paths"]["/api/clusters"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    validator = Draft202012Validator({**document, **body})
    assert validator.is_valid({"backend": "subprocess", "queue": "long"})
    assert not validator.is_valid({"backend": "subprocess", "queue": "other"})


class TestLimited:
    @pytest.fixture
    def extension_config(self):
        preset = {"name": "queued", "title": "Queued", "description": "x.", "spec": {"backend": "subprocess"}}
        limits = {"n_workers": 1, "backends": ["subprocess"], "memory_limit": "1 GiB"}
        return {"standby": False, "limits": limits, "presets": [preset]}

    async def test_limits_of_the_site_hold(self, api):
        _, answer = await api("GET", "schema")
        assert list(answer["backends"]) == ["subprocess"]
        assert [kind["name"] for kind in answer["kinds"]] == ["broken", "subprocess"]
        _, answer = await api("GET", "presets")
        assert [preset["name"] for preset in answer["presets"]] == ["queued"]
        code, answer = await api("POST", "notes", {"backend": "subprocess", "n_workers": 2})
        assert code == 200
        assert answer["fields"] == [{"field": "n_workers", "message": "must be at most 1 worker on this server, not 2"}]
        assert bounded_spec(checked_spec({"backend": "subprocess"})).n_workers == 1
