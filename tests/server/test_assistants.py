"""Tools for assistants by the contract of jupyter_server_mcp: read-only unless the setting allows more."""

import importlib
import inspect
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from gpucluster.client.control import AsyncControl
from gpucluster.protocol.errors import AccessDenied, ClusterNotFound, InvalidRequest
from gpucluster.server import assistants

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def offered() -> list[str]:
    """Return the tools of the entry point, read like jupyter_server_mcp."""
    group = "jupyter_server_mcp.tools"
    [(name, value)] = tomllib.loads(PROJECT.read_text())["project"]["entry-points"][group].items()
    loaded = EntryPoint(name, value, group).load()
    return loaded() if callable(loaded) else loaded


def function(spec: str):
    module, name = spec.rsplit(":", 1)
    return getattr(importlib.import_module(module), name)


def test_each_tool_is_described():
    for name in (*assistants.LOOKING, *assistants.CHANGING):
        tool = getattr(assistants, name)
        assert inspect.iscoroutinefunction(tool)
        assert inspect.getdoc(tool).split("\n")[0].endswith((".", ":"))
        for parameter in inspect.signature(tool).parameters.values():
            assert parameter.annotation is not inspect.Parameter.empty


class TestWhoMayLook:
    async def test_looks(self, jp_serverapp, running_cluster):
        specs = offered()
        assert [spec.split(":")[1] for spec in specs] == list(assistants.LOOKING), "read-only tools"
        [told] = [one for one in await function(specs[0])() if one["name"] == "shared"]
        assert (told["state"], told["workers"]) == ("running", len(running_cluster.workers))
        assert "tasks running" in " ".join(told["now"])
        gpus = await assistants.who_uses_the_gpus()
        assert gpus["message"].endswith(".")
        assert any("Running with" in line for line in await assistants.gpu_cluster_events("shared"))
        assert len(await assistants.search_gpu_cluster_log("shared", "", last=2)) <= 2
        assert await assistants.search_gpu_cluster_log("shared", "never printed by anybody") == []
        with pytest.raises(InvalidRequest, match="last: must be between 1 and 200, not 0"):
            await assistants.gpu_cluster_events("shared", last=0)
        with pytest.raises(ClusterNotFound):
            await assistants.gpu_cluster_events("nobody")

    async def test_the_last_profile(self, jp_serverapp, running_cluster):
        folder = AsyncControl().registry.folder(running_cluster.id)
        folder.profile.unlink(missing_ok=True)
        with pytest.raises(InvalidRequest, match="No cell was profiled"):
            await assistants.last_gpu_cluster_profile("shared")
        assert (await assistants.why_is_the_gpu_cluster_slow("shared"))["findings"] == []
        finding = '{"rule": "skew", "title": "One worker", "evidence": "Here.", "advice": "Spread."}'
        folder.profile.write_text(f'{{"wall_seconds": 3.0, "started_at": "now", "findings": [{finding}]}}')
        assert (await assistants.last_gpu_cluster_profile("shared"))["wall_seconds"] == 3
        slow = await assistants.why_is_the_gpu_cluster_slow("shared")
        assert slow["findings"] == [{"title": "One worker", "evidence": "Here.", "advice": "Spread."}]
        folder.profile.unlink()

    @pytest.mark.parametrize(
        ("name", "arguments"),
        [("start_gpu_cluster", ["new"]), ("scale_gpu_cluster", ["shared", 0]), ("stop_gpu_cluster", ["shared"])],
    )
    async def test_may_not_change(self, jp_serverapp, running_cluster, name, arguments):
        with pytest.raises(AccessDenied, match="read-only access"):
            await getattr(assistants, name)(*arguments)
        assert (await AsyncControl().get("shared")).wanted == running_cluster.wanted


@pytest.mark.extension(assistants="change", limits={"n_workers": 2})
async def test_starts_scales_and_stops_within_the_limits(jp_serverapp):
    assert len(offered()) == len(assistants.LOOKING) + len(assistants.CHANGING)
    with pytest.raises(InvalidRequest, match="n_workers"):
        await assistants.start_gpu_cluster("assisted", 3, "local")
    made = await assistants.start_gpu_cluster("assisted", 1, "local")
    assert made["state"] == "starting"
    control = AsyncControl()
    await control.wait(made["id"])
    with pytest.raises(InvalidRequest, match="n_workers"):
        await assistants.scale_gpu_cluster("assisted", 3)
    await assistants.scale_gpu_cluster("assisted", 0)
    assert (await assistants.stop_gpu_cluster("assisted"))["state"] == "stopping"
    asked = [entry.by for entry in (await control.activity(made["id"])).entries if entry.by]
    assert asked == ["assistant"] * 3
    await control.stop(made["id"])


@pytest.mark.extension(assistants="off")
async def test_no_tools_are_offered_when_off(jp_serverapp):
    assert offered() == []
