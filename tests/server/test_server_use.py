"""A computing cluster counts as use of the server for a time; open gauges only if configured."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta

import gpucluster
import pytest
from gpucluster.protocol.models import ClusterState, Idle
from gpucluster.registry.store import Registry
from gpucluster.server import server_use
from gpucluster.server.server_use import UseOfServer

from .models import cluster_model

RESTS = cluster_model(idle=Idle(quiet_since="2026-11-21T08:00:00Z"))
COMPUTES = cluster_model()


@pytest.fixture
def used_at(jp_serverapp):
    """Time of the server's last use, as read by cullers."""
    return jp_serverapp.web_app.last_activity


@pytest.fixture
def use(jp_serverapp, tmp_path):
    """Make the activity check of the running server."""

    def make(hours: float = 1.0, watched: bool = False) -> UseOfServer:
        log = logging.getLogger(__name__)
        return UseOfServer(Registry(tmp_path), jp_serverapp.web_app, hours=hours, watched=lambda: watched, log=log)

    return make


@pytest.mark.parametrize("state", ClusterState)
async def test_a_cluster_counts_while_its_tasks_run(use, used_at, state):
    before = used_at()
    use().note([RESTS.model_copy(update={"state": state})])
    assert used_at() == before
    use().note([RESTS, COMPUTES.model_copy(update={"state": state})])
    assert (used_at() > before) == (state in {ClusterState.RUNNING, ClusterState.SCALING})


async def test_activity_counts_for_the_configured_time(use, used_at, jp_serverapp):
    settings = jp_serverapp.web_app.settings
    now = datetime.now(UTC)
    settings["started"] = now - timedelta(hours=9)
    settings["api_last_activity"] = now - timedelta(minutes=70)
    jp_serverapp.kernel_manager.last_kernel_activity = now - timedelta(hours=3)
    use(hours=1.0).note([COMPUTES])
    assert used_at() == now - timedelta(minutes=70)
    use(hours=2.0).note([COMPUTES])
    assert used_at() >= now
    # What clusters count for does not make them count for ever.
    settings["last_activity_times"]["gpucluster"] = now - timedelta(seconds=5)
    use(hours=1.0).note([COMPUTES])
    assert used_at() == now - timedelta(seconds=5)


@pytest.mark.parametrize("watched", [True, False])
async def test_gauges_count_as_activity_when_configured(use, used_at, watched):
    before = used_at()
    use(watched=watched).note([RESTS])
    assert (used_at() > before) == watched


@pytest.mark.processes
@pytest.mark.extension(activity_hours=0.5, gauges_count_as_activity=False)
class TestWithTheServer:
    @pytest.mark.full
    async def test_a_computation_is_seen_and_its_end_too(
        self, jp_serverapp, used_at, running_cluster, monkeypatch, tmp_path
    ):
        monkeypatch.setattr(server_use, "LOOK_SECONDS", 0.1)
        await jp_serverapp.extension_manager.start_all_extensions()
        goal = tmp_path / "go"

        def wait(goal=goal):
            import time

            while not goal.exists():
                time.sleep(0.01)

        async with await gpucluster.connect("shared").get_client(asynchronous=True) as client:
            task = client.submit(wait)
            before = used_at()
            while (used_at() - before).total_seconds() < 1.0:  # noqa: ASYNC110  # a figure of the server's
                await asyncio.sleep(0.05)
            goal.touch()
            await task
            while True:
                seen = used_at()
                await asyncio.sleep(1.5)
                if used_at() == seen:
                    break
