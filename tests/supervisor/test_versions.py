"""An old Dask, in some kernel's Python environment, has a dashboard with holes: that is told, and not installed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from gpucluster.cli.tables import cluster_card
from gpucluster.client.display.card import card_html
from gpucluster.protocol.models import Versions
from gpucluster.supervisor.versions import version_warnings
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
HAVE_HOLES = ["2024.1.0", "2025.12.0", "2026.1.0", "2026.1.1", "2026.1.2", "2026.3.0", "2026.6.0", "2026.7.0"]
WITHOUT = ["2026.1.3", "2026.7.1", "2026.8.0"]
"""All versions of 2026 that there are, and two older ones."""


def of(distributed: str | None) -> Versions:
    return Versions(gpucluster="1", python="3.12", distributed=distributed)


@pytest.mark.parametrize("version", [*HAVE_HOLES, "nonsense"])
def test_holes_are_told(version):
    [warning] = version_warnings(of(version))
    assert warning.startswith(f"Dask's dashboard of version {version} has known holes")


@pytest.mark.parametrize("version", [*WITHOUT, "2026.1.4", "2027.2.0", "2026.8.0+5.gabcdef", None])
def test_other_versions_are_not_complained_about(version):
    assert version_warnings(of(version)) == []


def test_what_is_installed_with_us_has_none():
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    asked = {Requirement(line).name: Requirement(line).specifier for line in dependencies}
    for package in ("dask", "distributed"):
        assert list(asked[package].filter([*HAVE_HOLES, *WITHOUT])) == WITHOUT


def test_a_cluster_with_an_old_dask_says_so_wherever_it_is_shown(site, tmp_path, monkeypatch):
    """The version is what the environment's own list of packages says."""
    listed = tmp_path / "distributed-2026.1.1.dist-info"
    listed.mkdir()
    (listed / "METADATA").write_text("Metadata-Version: 2.1\nName: distributed\nVersion: 2026.1.1\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    model = site.running(name="old")
    assert model.versions.distributed == "2026.1.1"
    [warning] = model.warnings
    assert "CVE-2026-23528" in warning
    assert warning in cluster_card(model)
    assert warning.split("'")[1] in card_html(model, None)
    assert any(warning in line for line in site.control.logs(model.id).lines)
