"""The dashboard is made at the first request; and which directories modules are imported from."""

import sys

import pytest
from gpucluster.backends import dashboard, environment
from gpucluster.backends.dashboard import PrivateDashboardScheduler
from gpucluster.dask_internals.listening import web_address
from tornado.httpclient import AsyncHTTPClient, HTTPError
from tornado.simple_httpclient import HTTPStreamClosedError


async def test_pages_that_failed_are_made_at_the_next_request(monkeypatch, caplog):
    made = dashboard._import

    def fail() -> None:
        monkeypatch.setattr(dashboard, "_import", made)
        raise MemoryError("no room for the pages")

    monkeypatch.setattr(dashboard, "_import", fail)
    options = {"host": "127.0.0.1", "port": 0, "protocol": "tcp://", "dashboard_address": "127.0.0.1:0"}
    async with PrivateDashboardScheduler(http_prefix="secret", **options) as scheduler:
        host, port = web_address(scheduler)
        page = f"http://{host}:{port}/secret/individual-progress"
        client = AsyncHTTPClient(force_instance=True)
        with pytest.raises((HTTPError, HTTPStreamClosedError)):
            await client.fetch(page)
        assert "no room for the pages" in caplog.text
        answer = await client.fetch(page)
        client.close()
    assert answer.code == 200


def test_a_directory_is_forgotten_with_those_below_it(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "known")])
    monkeypatch.setattr(environment, "_shared", [])
    monkeypatch.setattr(environment, "_added", [])
    for name in ("gone", "gone/below", "gone-not", "known"):
        (tmp_path / name).mkdir()
        environment.add_directory(str(tmp_path / name))
    environment.forget_directory(str(tmp_path / "gone"))
    environment.forget_directory(str(tmp_path / "gone"))
    left = [str(tmp_path / name) for name in ("gone-not", "known")]
    assert environment.shared_directories() == left
    assert [place for place in sys.path if place.startswith(str(tmp_path))] == left[::-1]
    environment.forget_directory(str(tmp_path / "known"))
    assert str(tmp_path / "known") in sys.path, "it is there for another reason"
