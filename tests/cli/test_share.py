"""``gpucluster share``: links for viewers of a cluster."""

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from gpucluster.cli import main
from gpucluster.client.starting.environment import cluster_environment
from gpucluster.registry.links import find_link, living_links, withdraw_links
from gpucluster.site.model import Site

from tests.widgets.frontend import FrontEnd

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def folder(shared_cluster, shared_site) -> Iterator[Any]:
    folder = shared_site.registry.folder(shared_cluster.id)
    yield folder
    withdraw_links(folder, None)


def test_a_link_in_a_notebook(folder):
    page = FrontEnd()
    try:
        page.run("%load_ext gpucluster")
        assert page.text("%gpucluster share shared --list") == "No active links.\n"
        said = page.text("%gpucluster share shared --hours 1")
        [stored] = living_links(folder)
        address = next(word for word in said.split() if "#" in word)
        assert f"gpucluster/shared/{folder.id}/" in address
        assert find_link([stored], address.split("#")[1]) is not None
        assert f"--withdraw {stored.link.id}" in said
        assert stored.link.id in page.text("%gpucluster share --list")
        assert page.text("%gpucluster share --withdraw all") == f"{stored.link.id}: revoked, opened never\n"
        assert living_links(folder) == []
        assert "24" in page.text("%gpucluster share --hours 25", "stderr")
        assert "must be a number of hours" in page.text("%gpucluster share --hours x", "stderr")
        assert living_links(folder) == []
    finally:
        page.close()


@pytest.mark.full
def test_a_link_is_made_listed_and_withdrawn(folder, gpucluster, answer):
    assert gpucluster("share", "shared", "--list").stdout == "No active links.\n"
    made = gpucluster("share", "shared", "--hours", "0.5", "--tasks")
    assert made.returncode == 0, made.stderr
    # Notes go to standard error: a pipe gets the link only.
    address, token = made.stdout.strip().split("#")
    [stored] = living_links(folder)
    assert address.endswith(f"gpucluster/shared/{folder.id}/") and find_link([stored], token) is not None
    assert token not in made.stderr
    # The only cluster needs no name.
    second = answer("share")
    listed = gpucluster("share", "shared", "--list").stdout
    assert [line.split()[0] for line in listed.splitlines()[1:]] == [stored.link.id, second["link"]["id"]]
    assert "gauges, tasks" in listed and "never" in listed
    assert token not in listed and second["path"].split("#")[1] not in listed
    gone = gpucluster("share", "shared", "--withdraw", stored.link.id)
    assert gone.stdout == f"{stored.link.id}: revoked, opened never\n"
    assert [link["id"] for link in answer("share", "shared", "--withdraw", "all")["links"]] == [second["link"]["id"]]
    assert gpucluster("share", "shared", "--withdraw", "all").stdout == "There are no active links.\n"
    assert living_links(folder) == []


@pytest.fixture
def without_jupyter(shared_site, tmp_path) -> dict[str, str]:
    """An environment without a Jupyter server and a hub."""
    told = {name: value for name, value in cluster_environment().items() if not name.startswith("JUPYTERHUB_")}
    return {**told, "JUPYTER_RUNTIME_DIR": str(tmp_path)}


@pytest.mark.full
def test_link_without_jupyter_explains_where_it_opens(shared_cluster, gpucluster, without_jupyter):
    # Neither is a terminal; a pipe and a file get the same text.
    done = gpucluster("share", "shared", env=without_jupyter)
    assert done.returncode == 0 and done.stdout.startswith(f"gpucluster/shared/{shared_cluster.id}/#")
    assert done.stderr == ("It works while one of your Jupyter servers is running: prepend its address.\n")
    as_json = gpucluster("share", "shared", "--json", env=without_jupyter)
    assert as_json.stderr == "" and json.loads(as_json.stdout)["notes"] == [done.stderr.strip()]
    shared = gpucluster("share", "shared", "--withdraw", "all", env=without_jupyter)
    assert shared.stdout.count("revoked, opened never") == 2 and shared.stderr == ""


def test_the_site_bounds_the_hours(shared_cluster, capsys, monkeypatch):
    site = Site()
    site = replace(site, sharing=site.sharing.model_copy(update={"link_hours": 2.0}))
    monkeypatch.setattr("gpucluster.client.links.this_site", lambda: site)
    assert main(["share", "shared", "--hours", "3"]) != 0
    assert capsys.readouterr() == ("", "--hours: links on this site can last at most 2 hours.\n")
