"""The dashboard is made at the first request."""

from __future__ import annotations

import pytest
from gpucluster.backends import dashboard
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
