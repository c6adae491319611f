"""A computing cluster counts as use of the server for a time, and users see beforehand that it ends with the server."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta

import gpucluster
import pytest
from gpucluster.protocol.models import ClusterState, Idle
from gpucluster.registry.store import Registry
from gpucluster.server import server_use
from gpucluster.server.server_use import UseOfServer, note_on_lifetime

from tests.models import cluster_model

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


HUB = {"JUPYTERHUB_USER": "ada", "JUPYTERHUB_API_URL": "http://hub:8081/hub/api"}
SAME_HOST = {**HUB, "JUPYTERHUB_API_URL": "http://127.0.0.1:8081/hub/api"}


@pytest.fixture
def root(tmp_path):
    """A file system with given files."""

    def make(cgroup: str = "0::/user.slice/session-3.scope\n", **files: str):
        (tmp_path / "proc" / "self").mkdir(parents=True)
        (tmp_path / "proc" / "self" / "cgroup").write_text(cgroup)
        for name in files.values():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).touch()
        return tmp_path

    return make


@pytest.mark.parametrize(
    ("environment", "files", "what"),
    [
        ({**HUB, "SLURM_JOB_ID": "7"}, {}, "a job of Slurm"),
        ({**HUB, "KUBERNETES_SERVICE_HOST": "10.0.0.1"}, {}, "a container"),
        (HUB, {"docker": ".dockerenv"}, "a container"),
        (HUB, {"podman": "run/.containerenv"}, "a container"),
    ],
)
def test_cluster_reports_that_the_server_ends_it(root, environment, files, what):
    note = note_on_lifetime(environment, root=root(**files), parent=1)
    assert note.startswith("This cluster stops with your Jupyter server")
    assert what in note


def test_the_unit_that_was_made_for_the_server_is_named(root):
    folder = root("0::/system.slice/jupyter-ada.service\n")
    assert "the unit jupyter-ada.service of systemd" in note_on_lifetime(SAME_HOST, root=folder, parent=1)
    # As a child of the hub it is in the hub's own unit, which stays.
    assert note_on_lifetime(SAME_HOST, root=folder, parent=4711) is None


@pytest.mark.parametrize("environment", [{}, {"SLURM_JOB_ID": "7"}, SAME_HOST])
def test_no_note_when_clusters_outlive_the_server(root, environment):
    # Only a hub stops servers; a hub at this address is in the same container.
    assert note_on_lifetime(environment, root=root(docker=".dockerenv"), parent=1) is None


class TestInAJob:
    @pytest.fixture(autouse=True)
    def in_a_job(self, monkeypatch):
        for name, value in {**HUB, "SLURM_JOB_ID": "7"}.items():
            monkeypatch.setenv(name, value)

    async def test_form_shows_the_note(self, api):
        status, notes = await api("POST", "notes", {"backend": "local", "n_workers": 1})
        assert status == 200
        assert "a job of Slurm" in notes["notes"][-1]
