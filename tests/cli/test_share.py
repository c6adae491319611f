"""What ``share`` prints: a link, and what has to be known of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gpucluster.client.environment import cluster_environment


@pytest.fixture
def without_jupyter(shared_site: Any, tmp_path: Path) -> dict[str, str]:
    """An environment in which no Jupyter server runs, and no hub is there."""
    told = {name: value for name, value in cluster_environment().items() if not name.startswith("JUPYTERHUB_")}
    return {**told, "JUPYTER_RUNTIME_DIR": str(tmp_path)}


def test_where_no_jupyter_runs_it_is_said_where_the_link_opens(
    shared_cluster: Any, gpucluster: Callable[..., Any], without_jupyter: dict[str, str]
) -> None:
    # Neither is a terminal: a pipe and a file are told as well.
    done = gpucluster("share", "shared", env=without_jupyter)
    assert done.returncode == 0 and done.stdout.startswith(f"gpucluster/shared/{shared_cluster.id}/#")
    assert done.stderr == "It opens while a Jupyter server of yours runs: put that one's address before it.\n"
    as_json = gpucluster("share", "shared", "--json", env=without_jupyter)
    assert as_json.stderr == "" and json.loads(as_json.stdout)["notes"] == [done.stderr.strip()]
    shared = gpucluster("share", "shared", "--withdraw", "all", env=without_jupyter)
    assert shared.stdout.count("withdrawn, opened never") == 2 and shared.stderr == ""
