"""Schema, presets, devices, and the OpenAPI document."""

import json
import re
import sys
from pathlib import Path

import pytest
from gpucluster.backends.auto import AutoSpec
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.backends.local import LocalSpec
from gpucluster.client.control import AsyncControl
from gpucluster.protocol.version import PROTOCOL_VERSION
from gpucluster.server.documentation import page
from gpucluster.server.extension import GPUClusterExtension
from gpucluster.server.routes import routes
from gpucluster.site.presets import PRESETS
from jsonschema import Draft202012Validator
from tornado.web import RequestHandler

from tests.backends.gateway.conftest import gateway  # noqa: F401


async def test_schema_draws_the_form(api):
    code, answer = await api("GET", "schema")
    assert code == 200
    assert answer["protocol_version"] == PROTOCOL_VERSION
    for name, model in (("auto", AutoSpec), ("local", LocalSpec), ("cuda", CudaSpec)):
        schema = answer["backends"][name]
        assert set(schema["properties"]) == set(model.model_fields)
        assert schema["properties"]["backend"]["const"] == name
        for field, described in schema["properties"].items():
            assert described["title"], field
            assert described["description"].endswith("."), field
            if field != "backend":
                assert described["group"], field
                assert isinstance(described["advanced"], bool), field
    local = answer["backends"]["local"]["properties"]
    assert {"type": "integer", "minimum": 0, "maximum": 256} in local["n_workers"]["anyOf"]
    assert "memory" in {branch.get("x-gpucluster-widget") for branch in local["memory_limit"]["anyOf"]}


class TestPresets:
    @pytest.fixture
    def extension_config(self):
        ours = {"name": "course", "title": "Course", "description": "For us.", "spec": {"backend": "local"}}
        replaced = {**ours, "name": "cpu", "title": "Our CPU preset"}
        wrong = {**ours, "name": "wrong", "spec": {"backend": "local", "n_workers": -1}}
        return {"standby": False, "presets": [ours, replaced, wrong, {"name": "broken"}]}

    async def test_site_adds_its_own(self, api, jp_logging_stream):
        code, answer = await api("GET", "presets")
        assert code == 200
        presets = {preset["name"]: preset for preset in answer["presets"]}
        assert list(presets) == [*(preset.name for preset in PRESETS), "course"]
        assert presets["cpu"]["title"] == "Our CPU preset"
        assert presets["course"]["spec"] == {"backend": "local"}
        code, answer = await api("POST", "notes", {"preset": "course", "n_workers": -1})
        assert (code, answer["fields"][0]["field"]) == (200, "n_workers"), "a request may name it, too"

    async def test_administrator_sees_the_problem(self, capfd, jp_serverapp):
        log = capfd.readouterr().err
        assert "The preset 'wrong' is skipped: n_workers: must be at least 0, not -1." in log
        assert "is skipped: title: is required" in log


class TestSite:
    """The site's file also applies here and is read again with each request."""

    @pytest.fixture
    def commands(self, monkeypatch, tmp_path):
        """Return the only folder on the PATH, which is empty."""
        folder = tmp_path / "bin"
        folder.mkdir()
        monkeypatch.setenv("PATH", str(folder))
        monkeypatch.setenv("GPUCLUSTER_SITE", str(Path(__file__).parents[2] / "docs" / "site.yaml"))
        return folder

    async def test_form_knows_kinds_and_presets_that_are_there(self, api, commands):
        _, answer = await api("GET", "schema")
        assert list(answer["backends"]) == ["auto", "local", "slurm"]
        assert answer["backends"]["slurm"]["properties"]["partition"]["default"] == "boost_usr_prod"
        kinds = {kind["name"]: kind for kind in answer["kinds"]}
        assert kinds["slurm"]["problem"].startswith("Slurm is not available here: the command 'sbatch' is not on ")
        assert kinds["local"]["problem"] is None
        _, answer = await api("GET", "presets")
        assert "course" not in {preset["name"] for preset in answer["presets"]}
        for name in ("sbatch", "squeue", "scancel", "sinfo"):
            (commands / name).touch(0o755)
        _, answer = await api("GET", "schema")
        assert [kind["problem"] for kind in answer["kinds"] if kind["name"] == "slurm"] == [None]
        _, answer = await api("GET", "presets")
        [course] = [preset for preset in answer["presets"] if preset["name"] == "course"]
        assert (course["title"], course["memory"]) == ("The course, 1 GPU", [])

    async def test_requests_name_presets_and_keep_to_the_limits(self, api, commands):
        code, answer = await api("POST", "notes", {"preset": "course"})
        assert (code, answer["fields"]) == (200, [])
        _, answer = await api("POST", "notes", {"preset": "course", "n_workers": 17, "walltime": "2-00:00:00"})
        assert [fault["message"] for fault in answer["fields"]] == [
            "must be at most 16 workers at this site, not 17",
            "must be at most 1-00:00:00 at this site, not 2-00:00:00",
        ]
        code, refused = await api("POST", "clusters", {"preset": "curse"})
        assert code == 422
        assert refused["message"].startswith(
            "preset: unknown preset 'curse' (did you mean 'course'?); available: auto,"
        )


async def test_presets_have_pictures_of_the_memory(api):
    _, answer = await api("GET", "presets")
    presets = {preset["name"]: preset for preset in answer["presets"]}
    assert presets["auto"]["memory"] == [], "it depends on what is chosen"
    assert [part["text"] for part in presets["cpu"]["memory"]] == ["results up to 60 %", "above: to disk"]
    assert presets["gpu-ml"]["memory_title"] == "GPU memory"
    assert [(part["kind"], part["share"]) for part in presets["gpu-ml"]["memory"]] == [
        ("pool", 0.8),
        ("free", pytest.approx(0.2)),
    ]
    assert [part["share"] for part in presets["gpu-etl"]["memory"]] == [1]


async def test_devices(api, running_cluster):
    code, devices = await api("GET", "devices")
    assert code == 200
    assert devices["message"].endswith(".")
    assert devices["available"] is (devices["code"] == "ok")
    assert devices["cpu_count"] >= 1


async def test_devices_that_cannot_be_read(api, monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "gpucluster.devices.host", None)
    code, devices = await api("GET", "devices")
    assert (code, devices["available"], devices["code"]) == (200, False, "error")
    assert "could not be read" in devices["message"]
    assert "gpucluster.devices.host" in caplog.text


def template(pattern: str) -> str:
    path = pattern.removeprefix("gpucluster").replace("\\.", ".").replace("(?:/(.*))?", "/{path}")
    path = path.replace("workers/([^/]+)", "workers/{worker}")
    path = path.replace("processes/([0-9]{1,9})", "processes/{pid}")
    path = path.replace("lessons/([^/]+)", "lessons/{lesson}")
    return re.sub(r"\(\[\^/\]\+\)", "{cluster}", path).replace("links/{cluster}", "links/{link}")


async def test_document_lists_exactly_the_routes(api, extension):
    _, document = await api("GET", "openapi.json")
    registered = {
        (template(pattern), method)
        for pattern, handler, _ in routes(extension.services)
        if not handler.__name__.startswith("Unknown")
        for method in ("get", "head", "post", "put", "patch", "delete")
        if getattr(handler, method) is not RequestHandler._unimplemented_method
    }
    described = {(path, method) for path, operations in document["paths"].items() for method in operations}
    assert described == registered


async def test_document_is_where_the_server_is(api, jp_base_url):
    _, document = await api("GET", "openapi.json")
    assert document["openapi"].startswith("3.1")
    assert document["servers"] == [{"url": f"{jp_base_url}gpucluster"}]
    text = str(document)
    for name in re.findall(r"#/components/schemas/([\w-]+)", text):
        assert name in document["components"]["schemas"]


async def test_answers_match_the_documentation(api, jp_fetch, running_cluster):
    _, document = await api("GET", "openapi.json")

    def check(path: str, method: str, code: int, answer) -> None:
        schema = document["paths"][path][method]["responses"][str(code)]["content"]["application/json"]["schema"]
        Draft202012Validator({**schema, "components": document["components"]}).validate(answer)

    for path in ("clusters", "schema", "presets", "devices", "recordings", "lessons", "lessons/class"):
        check(f"/api/{path}", "get", *await api("GET", path))
    for name in ("kmeans-cpu.gpucluster.jsonl.gz", "gone.gpucluster.jsonl"):
        asked = {"source": "bundled", "path": name}
        played = await jp_fetch("gpucluster/api/recordings/session", params=asked, raise_error=False)
        check("/api/recordings/session", "get", played.code, json.loads(played.body))
    lesson = "/api/lessons/{lesson}"
    check("/api/lessons/copy", "post", *await api("POST", "lessons/copy"))
    check("/api/lessons/events", "post", *await api("POST", "lessons/events", {"events": []}))
    check("/api/lessons/progress", "delete", *await api("DELETE", "lessons/progress"))
    check(f"{lesson}/reset", "post", *await api("POST", "lessons/06/reset"))
    check(f"{lesson}/recall", "post", *await api("POST", "lessons/99/recall"))
    one = "/api/clusters/{cluster}"
    check(one, "get", *await api("GET", "clusters/shared"))
    for name in ("logs", "script", "activity", "history", "failures", "results"):
        check(f"{one}/{name}", "get", *await api("GET", f"clusters/shared/{name}"))
    check("/api/preview", "post", *await api("POST", "preview", {"backend": "local"}))
    released = {"name": "none", "group": "none", "kernel": "none"}
    check(f"{one}/results/release", "post", *await api("POST", "clusters/shared/results/release", released))
    check(f"{one}/workers/{{worker}}/retire", "post", *await api("POST", "clusters/shared/workers/99/retire"))
    check(one, "patch", *await api("PATCH", "clusters/shared", {"idle_timeout_seconds": 0}))
    check(one, "patch", *await api("PATCH", "clusters/shared", {"n_workers": -1}))
    check(one, "delete", *await api("DELETE", "clusters/unknown"))
    check("/api/clusters", "post", *await api("POST", "clusters", {"name": "shared"}))


@pytest.mark.parametrize(
    ("kind", "first"), [("cuda", "devices"), ("ssh", "hosts"), ("slurm", "partition"), ("local", "name")]
)
async def test_defining_fields_come_first(api, kind, first):
    _, answer = await api("GET", "schema")
    assert list(answer["backends"][kind]["properties"])[:2] == ["backend", first]


async def test_the_form_speaks_of_hours_where_the_command_line_speaks_of_seconds(api):
    _, answer = await api("GET", "schema")
    fields = answer["backends"]["local"]["properties"]
    assert fields["idle_timeout_seconds"]["help"] == (
        "Time without clients and tasks until the cluster stops. Write '30 min', '2 h' or 'never'."
    )
    assert "help" not in fields["threads_per_worker"]


async def test_each_kind_states_its_default_worker_count(api):
    _, answer = await api("GET", "schema")
    said = {}
    for kind, schema in answer["backends"].items():
        if (field := schema["properties"].get("n_workers")) is not None:
            said[kind] = field.get("help", field["description"])
    assert len(set(said.values())) == len(said), "no two kinds are alike in this"
    assert said["ssh"] == (
        "Number of workers; 0 starts with none. Default: one on each host, or one per GPU where there are GPUs."
    )
    assert "0 starts with none" not in said["mpi"]
    mpi = answer["backends"]["mpi"]["properties"]["n_workers"]
    assert {"type": "integer", "minimum": 1, "maximum": 256} in mpi["anyOf"]
    spec = {"backend": "slurm", "gpus_per_node": 4, "n_workers": 2, "exclusive": True}
    code, notes = await api("POST", "notes", spec)
    assert (code, [fault["field"] for fault in notes["fields"]]) == (200, ["n_workers"])


PAGE = Path(__file__).parents[2] / "docs" / "server-settings.md"


def test_settings_page_is_fresh_and_complete() -> None:
    text = page()
    assert PAGE.read_text(encoding="utf-8") == text, (
        "run: python -m gpucluster.server.documentation > docs/server-settings.md"
    )
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| `")]
    assert {name.strip(" `") for _, name, *_ in rows} == set(GPUClusterExtension.class_own_traits(config=True))
    assert all(told.strip() for _, _, _, told, _ in rows)


@pytest.mark.full
async def test_form_gets_the_sites_offers_and_refusals(api, monkeypatch, gateway):  # noqa: F811
    code, told = await api("POST", "notes", gateway.options)
    assert (code, told["fields"]) == (200, [])
    assert "It offers worker_cores (Cores): a whole number from 1 to 4; 1 by default." in told["notes"]
    wrong = {**gateway.options, "gateway_options": "worker_cores=9"}
    code, told = await api("POST", "notes", wrong)
    refused = {"field": "gateway_options.worker_cores", "message": "must be a whole number from 1 to 4, not '9'"}
    assert (code, told["notes"], told["fields"]) == (200, [], [refused])
    code, told = await api("POST", "notes", {**gateway.options, "address": "http://127.0.0.1:9"})
    fault = {"field": "address", "message": "nothing is listening on port 9 of 127.0.0.1"}
    assert (code, told["notes"], told["fields"]) == (200, [], [fault])
    # A recent answer of the gateway is not requested again.
    with monkeypatch.context() as patch:
        patch.setattr(AsyncControl, "preview", None)
        assert (await api("POST", "notes", {**wrong, "name": "mine"}))[1]["fields"] == [refused]
    code, shown = await api("POST", "preview", gateway.options)
    assert (code, shown["offered"]["worker_cores"]["maximum"]) == (200, 4)
