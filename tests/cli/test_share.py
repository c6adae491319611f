"""What ``share`` prints: a link, and what has to be known of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gpucluster.cli import main
from gpucluster.client.environment import cluster_environment
from gpucluster.site.model import Site


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


@pytest.mark.parametrize(
    ("hours", "sentence"),
    [
        ("0", "must be at least 1 minute (0.0167), not 0."),
        ("0.01", "must be at least 1 minute (0.0167), not 0.01."),
        ("25", "must be at most 24, not 25.0."),
        ("nan", "must be a finite number, not nan."),
        ("soon", "must be a number of hours, not 'soon'."),
        ("3", "this site lets a link last for 2 hours at most."),
    ],
)
def test_hours_that_cannot_be(
    shared_cluster: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch, hours: str, sentence: str
) -> None:
    site = Site()
    site = replace(site, sharing=replace(site.sharing, link_hours=2.0))
    monkeypatch.setattr("gpucluster.client.links.this_site", lambda: site)
    assert main(["share", "shared", "--hours", hours]) != 0
    assert capsys.readouterr() == ("", f"--hours: {sentence}\n")
