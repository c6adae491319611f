"""One connection per cluster, however many widgets listen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from gpucluster.client import telemetry
from gpucluster.client.control import AsyncControl
from gpucluster.protocol.models import ClusterModel
from gpucluster.widgets.kernel import ClusterFeed


class Listener:
    def __init__(self) -> None:
        self.models: list[ClusterModel] = []
        self.lines: list[bytes] = []
        self.removed = False

    def on_model(self, model: ClusterModel) -> None:
        self.models.append(model)

    def on_sample(self, line: bytes) -> None:
        self.lines.append(line)

    def on_removed(self) -> None:
        self.removed = True


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(90):
        while not condition():  # noqa: ASYNC110  # there is nothing to be told by
            await asyncio.sleep(0.02)


@pytest.fixture
def connections(monkeypatch: Any) -> list[str]:
    opened: list[str] = []
    original = telemetry.stream_lines

    def noted(folder: Any, path: str) -> Any:
        opened.append(path)
        return original(folder, path)

    monkeypatch.setattr(telemetry, "stream_lines", noted)
    return opened


@pytest.mark.full
async def test_many_listeners_one_connection(
    shared_site: Any, shared_cluster: ClusterModel, connections: list[str]
) -> None:
    feed = ClusterFeed(AsyncControl(shared_site.directory), shared_cluster.id)
    listeners = [Listener() for _ in range(5)]
    for listener in listeners:
        feed.add(listener)
    feed.add(listeners[0])
    await until(lambda: all(listener.lines for listener in listeners))
    late = Listener()
    feed.add(late)
    assert late.models, "what is known is told at once"
    assert late.lines
    assert connections == ["/telemetry"]
    sample = json.loads(late.lines[0])["sample"]
    assert sample["id"] == shared_cluster.id
    assert len(sample["workers"]) == 2
    for listener in [*listeners, late]:
        assert feed.running
        feed.discard(listener)
    assert not feed.running
    await asyncio.sleep(0)
    heard = len(listeners[0].lines)
    feed.add(listeners[1])
    await until(lambda: len(listeners[1].lines) > heard + 1)
    assert len(listeners[0].lines) == heard, "who left hears nothing"
    feed.discard(listeners[1])


async def test_the_end_and_the_removal_are_told(site: Any) -> None:
    model = await asyncio.to_thread(site.running)
    control = AsyncControl(site.directory)
    feed, listener = ClusterFeed(control, model.id), Listener()
    feed.add(listener)
    await until(lambda: listener.lines)
    await control.stop(model.id)
    await until(lambda: listener.models[-1].state.ended)
    await control.remove(model.id)
    await until(lambda: listener.removed)
    feed.discard(listener)
    await asyncio.sleep(0)
