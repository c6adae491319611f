"""Warnings about a Dask whose dashboard is vulnerable, and about one that is newer than the tested ones."""

import tomllib
from pathlib import Path

import pytest
from gpucluster.cli.tables import cluster_card
from gpucluster.client.display.card import card_html
from gpucluster.dask_internals.untested import NEWEST_TESTED
from gpucluster.protocol.models import Versions
from gpucluster.supervisor.versions import version_warnings
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
HAVE_HOLES = ["2024.1.0", "2025.12.0", "2026.1.0", "2026.1.1", "2026.1.2", "2026.3.0", "2026.6.0", "2026.7.0"]
WITHOUT = ["2026.1.3", "2026.7.1", "2026.8.0"]
"""All versions of 2026, and two older ones."""


def of(distributed: str | None) -> Versions:
    return Versions(gpucluster="1", python="3.12", distributed=distributed)


@pytest.mark.parametrize("version", [*HAVE_HOLES, "nonsense"])
def test_vulnerable_versions_warn(version):
    [warning] = version_warnings(of(version))
    assert warning.startswith(f"Dask's dashboard of version {version} has known vulnerabilities")


@pytest.mark.parametrize("version", [*WITHOUT, "2026.1.4", "2026.8.3", "2026.8.0+5.gabcdef", None])
def test_other_versions_are_not_complained_about(version):
    assert version_warnings(of(version)) == []


@pytest.mark.parametrize("version", ["2026.9.0", "2027.2.0", "2026.10.0.dev3"])
def test_newer_dask_gives_one_warning(version):
    [warning] = version_warnings(of(version))
    assert warning.startswith(f"Dask {version} is newer than {NEWEST_TESTED}")
    assert warning.endswith("All names of Dask that it relies on exist.")


def test_missing_names_of_newer_dask_are_listed(monkeypatch):
    lacks = ("Scheduler.a", "Scheduler.b", "Scheduler.c", "distributed.gone")
    monkeypatch.setattr("gpucluster.supervisor.versions.missing_names", lambda: lacks)
    [warning] = version_warnings(of("2027.2.0"))
    assert "lacks what gpucluster relies on (Scheduler.a, Scheduler.b, Scheduler.c and others)" in warning
    assert warning.endswith(f"pip install 'dask=={NEWEST_TESTED}.*' 'distributed=={NEWEST_TESTED}.*'.")


def test_requirements_allow_supported_dask_versions():
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    allowed = {Requirement(line).name: Requirement(line).specifier for line in dependencies}
    kept = [*HAVE_HOLES[1:], *WITHOUT, "2026.9.0", "2027.2.0"]
    for package in ("dask", "distributed"):
        assert list(allowed[package].filter(["2024.1.0", *kept])) == kept


def test_old_dask_warning_is_shown_everywhere(site, tmp_path, monkeypatch):
    """The version comes from the environment's own list of packages."""
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
