"""Faults of the site's file over REST: with file and line for administrators, only their effect for others."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from gpucluster.server import catalog as site
from jsonschema import Draft202012Validator

LIMITS = "limits:\n  local: {n_workers: many}\n"
DEFAULTS = "defaults:\n  slurm: {partitoin: main}\n"


@pytest.fixture
def site_file(monkeypatch, tmp_path: Path) -> Path:
    path = tmp_path / "site.yaml"
    path.touch(0o644)
    monkeypatch.setenv("GPUCLUSTER_SITE", str(path))
    return path


async def test_administrator_sees_all_problems(api, site_file):
    assert await api("GET", "site") == (200, {"faults": [], "notice": None, "message": None})
    site_file.write_text(LIMITS + DEFAULTS)
    code, answer = await api("GET", "site")
    assert code == 200
    assert [fault.partition(": ")[0] for fault in answer["faults"]] == [f"{site_file}, line 2", f"{site_file}, line 4"]
    assert "the kind local have at most 1 worker" in answer["notice"]
    _, document = await api("GET", "openapi.json")
    schema = document["paths"]["/api/site"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    Draft202012Validator({**schema, "components": document["components"]}).validate(answer)


async def test_users_see_the_problems_that_concern_them(api, site_file, monkeypatch):
    monkeypatch.setattr(site, "can_change", lambda _site: False)
    site_file.write_text(DEFAULTS)
    assert await api("GET", "site") == (200, {"faults": [], "notice": None, "message": None})
    site_file.write_text("limits: 3")
    _, answer = await api("GET", "site")
    assert answer["faults"] == []
    assert answer["notice"].startswith("A limit of this site cannot be read. Until it is fixed, clusters of every kind")
    assert str(site_file) not in answer["notice"]


async def test_the_message_of_the_day(api, site_file):
    site_file.write_text("sharing: {message: Exercise 3 is due on Friday.}\n")
    _, answer = await api("GET", "site")
    assert answer["message"] == "Exercise 3 is due on Friday."
    _, notes = await api("POST", "notes", {"backend": "local"})
    assert notes["notes"][0] == "Exercise 3 is due on Friday."


def test_an_administrator_of_the_hub_can_fix_them():
    assert site.is_hub_admin(SimpleNamespace(hub_user={"name": "ada", "admin": True}))
    assert not site.is_hub_admin(SimpleNamespace(hub_user={"name": "ada", "admin": False}))
    assert not site.is_hub_admin(SimpleNamespace(username="ada"))
