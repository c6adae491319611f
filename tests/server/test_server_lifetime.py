"""On a hub, users see beforehand that a cluster ends with the server."""

from __future__ import annotations

import pytest
from gpucluster.server.server_use import note_on_lifetime

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


class TestWithTheServer:
    @pytest.fixture(autouse=True)
    def in_a_job(self, monkeypatch):
        for name, value in {**HUB, "SLURM_JOB_ID": "7"}.items():
            monkeypatch.setenv(name, value)

    async def test_form_shows_the_note(self, api):
        status, notes = await api("POST", "notes", {"backend": "local", "n_workers": 1})
        assert status == 200
        assert "a job of Slurm" in notes["notes"][-1]
