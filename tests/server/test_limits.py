"""Limits of a site: narrower bounds in the form, enforced on create and change."""

import pytest
from gpucluster.client.starting.capacity import bounded_spec, checked_spec
from gpucluster.devices.host import this_machine
from gpucluster.protocol.capacity import Machine
from gpucluster.protocol.errors import InvalidRequest
from gpucluster.protocol.sizes import format_size
from gpucluster.protocol.spec import parse_patch, parse_spec
from gpucluster.server.extension import GPUClusterExtension
from gpucluster.site.limits import SiteLimits
from gpucluster.site.model import Site
from gpucluster.site.reading import narrow_this_site, this_site
from gpucluster.site.server_settings import narrowed, server_limits, wider
from traitlets import TraitError

LIMITS = {"n_workers": 2, "threads_per_worker": 2, "idle_timeout_seconds": 600, "backends": ["local", "auto"]}


@pytest.fixture
def server():
    """Return a function that gives this process the limits of a server."""
    yield lambda **limits: narrow_this_site(lambda site: narrowed(site, server_limits(limits), ()))
    narrow_this_site(None)


@pytest.mark.extension(limits=LIMITS)
class TestOverRest:
    async def test_form_shows_them(self, api):
        _, answer = await api("GET", "schema")
        assert set(answer["backends"]) == {"local", "auto"}
        fields = answer["backends"]["local"]["properties"]
        assert {"type": "integer", "minimum": 0, "maximum": 2} in fields["n_workers"]["anyOf"]
        assert fields["threads_per_worker"]["maximum"] == 2
        assert fields["threads_per_worker"]["description"].endswith("At most 2 threads on this server.")
        assert fields["idle_timeout_seconds"]["default"] == 600
        assert {"type": "null"} not in fields["idle_timeout_seconds"]["anyOf"]

    async def test_presets_that_are_not_allowed_are_left_out(self, api):
        _, answer = await api("GET", "presets")
        assert [preset["name"] for preset in answer["presets"]] == ["auto", "cpu"]

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ({"backend": "cuda"}, "backend: must be one of 'local', 'auto' on this server, not 'cuda'."),
            ({"backend": "local", "n_workers": 3}, "n_workers: must be at most 2 workers on this server, not 3."),
            ({"threads_per_worker": 4}, "threads_per_worker: must be at most 2 threads on this server, not 4."),
            (
                {"idle_timeout_seconds": None},
                "idle_timeout_seconds: must be at most 600 seconds (10 min) on this server, not unlimited.",
            ),
            (
                {"local_directory": "here", "memory_limit": "900 TiB", "threads_per_worker": 4, "n_workers": 3},
                "n_workers: must be at most 2 workers on this server, not 3; "
                "threads_per_worker: must be at most 2 threads on this server, not 4; memory_limit: 900 TiB for one "
                f"worker is more than the {format_size(this_machine().memory_bytes)} of memory that this machine has; "
                "request less, or 'auto' for an equal share; local_directory: must be an absolute path.",
            ),
        ],
    )
    async def test_create(self, api, spec, message):
        _, before = await api("GET", "clusters")
        code, error = await api("POST", "clusters", spec)
        assert (code, error["message"]) == (422, message)
        _, after = await api("GET", "clusters")
        assert len(after["clusters"]) == len(before["clusters"])

    @pytest.mark.parametrize(
        ("patch", "limit"),
        [
            ({"n_workers": 3}, "n_workers: must be at most 2 workers"),
            ({"adapt": {"minimum": 1, "maximum": 3}}, "adapt.maximum: must be at most 2"),
            (
                {"idle_timeout_seconds": 601},
                "idle_timeout_seconds: must be at most 600 seconds (10 min) on this server, not 601",
            ),
            (
                {"idle_timeout_seconds": 0},
                "idle_timeout_seconds: must be at most 600 seconds (10 min) on this server, not unlimited",
            ),
        ],
    )
    async def test_change(self, api, running_cluster, patch, limit):
        path = f"clusters/{running_cluster.id}"
        _, before = await api("GET", path)
        code, error = await api("PATCH", path, patch)
        assert code == 422
        assert error["message"].startswith(limit)
        _, after = await api("GET", path)
        assert after["wanted"] == before["wanted"]

    async def test_defaults_are_narrowed(self, api):
        code, made = await api("POST", "clusters", {"name": "narrow"})
        assert code == 201
        await api("DELETE", f"clusters/{made['id']}")
        assert made["spec"]["idle_timeout_seconds"] == 600
        # 'auto' must not choose GPUs where 'cuda' is not allowed.
        assert made["spec"]["backend"] == "local"


@pytest.mark.parametrize(
    ("spec", "n_gpus", "n_workers"),
    [
        ({"backend": "cuda"}, 8, 2),
        ({"backend": "cuda"}, 2, None),
        ({"backend": "cuda"}, 1, None),
        ({"backend": "auto"}, 3, 2),
        ({"backend": "local", "n_workers": 1}, 8, 1),
    ],
)
def test_open_number_of_workers(server, monkeypatch, spec, n_gpus, n_workers):
    server(n_workers=2)
    monkeypatch.setattr("gpucluster.client.starting.capacity.usable_gpus", lambda devices=None: n_gpus)
    assert bounded_spec(checked_spec(spec)).n_workers == n_workers


def test_open_number_of_cpu_workers(server, monkeypatch):
    monkeypatch.setattr(
        "gpucluster.client.starting.capacity.this_machine", lambda: Machine(memory_bytes=2**36, cores=64)
    )
    monkeypatch.setattr("gpucluster.client.starting.capacity.usable_gpus", lambda devices=None: None)
    for backend in ("local", "auto"):
        spec = {"backend": backend, "threads_per_worker": 3}
        server(n_workers=2)
        filled = bounded_spec(checked_spec(spec))
        assert (filled.n_workers, filled.threads_per_worker) == (2, 3)
        server(n_workers=4)
        assert bounded_spec(checked_spec(spec)).n_workers is None


class TestWithTheSite:
    """A server's settings are part of the site in its process and can only narrow its file."""

    FILE = "limits: {all: {n_workers: 4, memory_limit: 4 GiB, walltime: 24:00:00, kinds: [auto, local]}}\n"

    @pytest.fixture
    def site(self, tmp_path, monkeypatch):
        path = tmp_path / "site.yaml"
        path.write_text(self.FILE)
        monkeypatch.setenv("GPUCLUSTER_SITE", str(path))
        return path

    def test_narrower_limit_holds_and_is_named(self, site, server):
        server(n_workers=2, memory_limit="8 GiB")
        with pytest.raises(InvalidRequest, match="at most 2 workers on this server, not 3"):
            checked_spec({"backend": "local", "n_workers": 3})
        with pytest.raises(InvalidRequest, match="at most 4 GiB at this site, not 6 GiB"):
            checked_spec({"backend": "local", "memory_limit": "6 GiB"})
        fields = this_site().schemas()["local"]["properties"]
        assert fields["n_workers"]["description"].endswith("At most 2 workers on this server.")
        assert fields["memory_limit"]["description"].endswith("At most 4 GiB at this site.")

    def test_note_names_the_wider_setting(self, site):
        asked = {"n_workers": 8, "memory_limit": "8 GiB", "walltime": "48:00:00", "backends": ["local", "cuda"]}
        where = f"({site}). The site's limit holds."
        assert wider(this_site(), server_limits(asked)) == [
            f"GPUClusterExtension.limits: {fault} {where}"
            for fault in (
                "n_workers: must be at most 4 workers at this site, not 8",
                "memory_limit: must be at most 4 GiB at this site, not 8 GiB",
                "walltime: must be at most 1-00:00:00 at this site, not 2-00:00:00",
                "kinds: must be one of 'auto', 'local' at this site, not 'cuda'",
            )
        ]
        assert wider(this_site(), server_limits({"n_workers": 4, "kinds": ["local"]})) == []

    def test_kinds_of_both(self, site, server):
        server(backends=["local", "cuda"])
        assert list(this_site().schemas()) == ["local"]
        server(backends=["cuda"])
        assert list(this_site().schemas()) == ["auto", "local"], "no kind would be left"

    def test_the_file_may_change_meanwhile(self, site, server):
        server(n_workers=2)
        site.write_text("limits: {all: {n_workers: 1}}\n")
        with pytest.raises(InvalidRequest, match="at most 1 worker at this site, not 2"):
            checked_spec({"backend": "local", "n_workers": 2})

    def test_shared_memory_does_not_widen_a_servers_limit(self, site, server):
        site.write_text("sharing: {per_user: {memory: 64 GiB}}\n")
        server(memory_limit="1 GiB")
        assert checked_spec({"backend": "local", "n_workers": 1}).memory_limit == 2**30


def test_more_gpus_than_workers_are_refused():
    with pytest.raises(InvalidRequest, match="devices: must name at most 1 GPU at this site, not 2"):
        parse_spec({"backend": "cuda", "devices": [0, 1]}, SiteLimits(n_workers=1).fault)


def test_job_cannot_exceed_cluster_workers():
    limits = SiteLimits(n_workers=6)
    with pytest.raises(InvalidRequest, match="gpus_per_node: must be at most 6"):
        parse_spec({"backend": "slurm", "gpus_per_node": 8}, limits.fault)
    with pytest.raises(InvalidRequest, match="workers_per_job: must be at most 6"):
        parse_spec({"backend": "slurm", "workers_per_job": 8}, limits.fault)
    with pytest.raises(
        InvalidRequest, match="nodes_per_job: must be at most 3 .*, not 4: a cluster may have 6 workers"
    ):
        parse_spec({"backend": "slurm", "gpus_per_node": 2, "nodes_per_job": 4}, limits.fault)
    asked = parse_spec({"backend": "slurm", "gpus_per_node": 4, "n_workers": 8})
    assert limits.narrow_spec(asked).n_workers == 6, "the last job is smaller"
    asked = parse_spec({"backend": "slurm", "gpus_per_node": 4, "n_workers": 8, "exclusive": True})
    assert limits.narrow_spec(asked).n_workers == 4, "whole jobs"


class TestMemory:
    LIMITS = server_limits({"memory_limit": "1 GiB"})
    GIB = 2**30

    @pytest.fixture(autouse=True)
    def machine_with_64_gib(self, monkeypatch):
        monkeypatch.setattr("gpucluster.site.limits.this_machine", lambda: Machine(memory_bytes=2**36, cores=8))

    @pytest.mark.parametrize(
        ("spec", "memory"),
        [
            ({}, GIB),
            ({"backend": "local", "n_workers": 128}, "auto"),
            ({"backend": "local", "n_workers": 2, "memory_limit": "auto"}, GIB),
            ({"backend": "cuda", "n_workers": 8}, GIB),
            ({"memory_limit": "512 MiB"}, GIB // 2),
            ({"memory_limit": "1 GiB"}, GIB),
            ({"memory_limit": 0.01}, 0.01),
        ],
    )
    def test_defaults_are_narrowed(self, spec, memory):
        assert self.LIMITS.narrow_spec(parse_spec(spec, self.LIMITS.fault)).memory_limit == memory

    @pytest.mark.parametrize(
        ("memory", "shown"), [("2 GiB", "2 GiB"), ("50%", "32 GiB"), (None, "unlimited"), (2**40, "1 TiB")]
    )
    def test_more_is_refused(self, memory, shown):
        with pytest.raises(InvalidRequest) as refused:
            parse_spec({"memory_limit": memory}, self.LIMITS.fault)
        assert refused.value.message == f"memory_limit: must be at most 1 GiB on this server, not {shown}."
        assert refused.value.fields[0].field == "memory_limit"

    def test_form_shows_it(self):
        found = {
            name: schema["properties"].get("memory_limit")
            for name, schema in narrowed(Site(), self.LIMITS, ()).schemas().items()
        }
        # They start no worker.
        assert [name for name, field in found.items() if field is None] == ["gateway", "existing"]
        for field in filter(None, found.values()):
            assert field["description"].endswith("At most 1 GiB on this server.")
            assert {"type": "null"} not in field["anyOf"]

    @pytest.mark.parametrize("value", ["50%", 0.5, "a lot", 1, None, True, -1, "0 GiB"])
    def test_settings_that_are_none(self, value):
        with pytest.raises(ValueError, match="memory_limit"):
            server_limits({"memory_limit": value})


def test_worker_limits_do_not_apply_to_an_existing_scheduler():
    limits = server_limits({"memory_limit": "1 GiB", "n_workers": 2, "threads_per_worker": 1})
    spec = parse_spec({"backend": "existing", "address": "tcp://127.0.0.1:8786"})
    assert limits.narrow_spec(spec) == spec


def test_no_limits_change_nothing():
    limits = server_limits({})
    for spec in ({"backend": "auto"}, {"backend": "cuda", "n_workers": 256}, {"idle_timeout_seconds": None}):
        assert limits.narrow_spec(parse_spec(spec, limits.fault)) == parse_spec(spec)
    limits.check_patch(parse_patch({"n_workers": 256}))
    limits.check_patch(parse_patch({"idle_timeout_seconds": 0}))


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"workers": 4}, "GPUClusterExtension.limits.workers: is not known here.*; available: n_workers, threads_"),
        ({"n_workers": 0}, "limits.n_workers: must be at least 1, not 0"),
        ({"n_workers": "4"}, "limits.n_workers: must be a whole number"),
        ({"n_workers": True}, "limits.n_workers: must be a whole number"),
        ({"n_workers": None}, "limits.n_workers: is empty"),
        ({"backends": "local"}, "limits.kinds: must be a list"),
        ({"backends": []}, "limits.kinds: must name at least one kind"),
        ({"backends": ["pbs"]}, "limits.kinds: unknown kind 'pbs'"),
        ({"backends": [["local"]]}, "limits.kinds"),
    ],
)
def test_wrong_configuration_is_reported_at_the_start(limits, message):
    with pytest.raises(TraitError, match=message):
        GPUClusterExtension(limits=limits)
