"""Presence of viewers, messages of the front end, and one connection per cluster."""

import asyncio
import itertools
import json
from types import SimpleNamespace
from typing import Any

import pytest
from gpucluster.client import transport
from gpucluster.client.control import AsyncControl
from gpucluster.protocol.models import ClusterModel
from gpucluster.widgets import kernel

from tests.conftest import until_async


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def presence() -> tuple[kernel.Presence, Clock]:
    clock = Clock()
    return kernel.Presence(clock), clock


def test_view_is_expected_after_display():
    found, clock = presence()
    assert not found.looked_at(busy=False)
    assert not found.looked_at(busy=True)
    found.displayed()
    assert found.looked_at(busy=False)
    clock.now += kernel.PATIENCE_SECONDS + 1
    assert not found.looked_at(busy=False)
    assert found.looked_at(busy=True), "a busy kernel has not read the view's message yet"


def test_a_view_that_closes_ends_it_at_once():
    found, _ = presence()
    found.displayed()
    found.opened("a", keeps=False)
    found.opened("b", keeps=True)
    assert found.keeps
    found.closed("b")
    assert found.looked_at(busy=False)
    assert not found.keeps
    found.closed("a")
    found.closed("never opened")
    assert not found.looked_at(busy=True)


def test_silent_view_is_dropped_and_can_return():
    found, clock = presence()
    found.opened("a", keeps=False)
    clock.now += kernel.PATIENCE_SECONDS - 1
    found.answered()
    clock.now += kernel.PATIENCE_SECONDS - 1
    assert found.looked_at(busy=False)
    clock.now += 2
    assert not found.looked_at(busy=False)
    found.opened("a", keeps=False)
    assert found.looked_at(busy=False)


def test_messages_do_not_pile_up():
    found, clock = presence()
    found.opened("a", keeps=False)
    for _ in range(kernel.UNANSWERED):
        assert found.may_send(busy=False)
        found.sent()
    assert not found.may_send(busy=False)
    clock.now += kernel.PROBE_SECONDS
    assert found.may_send(busy=False), "a probe"
    found.sent()
    assert not found.may_send(busy=False)
    found.answered()
    for _ in range(kernel.UNANSWERED_WHILE_BUSY):
        assert found.may_send(busy=True), "a busy kernel reads no answers"
        found.sent()
    assert not found.may_send(busy=True)


@pytest.mark.full
def test_a_flood_of_views_is_not_remembered():
    found, _ = presence()
    for number in range(10 * kernel.MOST_VIEWS):
        found.opened(str(number), keeps=False)
    assert len(found._views) == kernel.MOST_VIEWS


def test_valid_and_deeply_nested_reports():
    nested: Any = []
    for _ in range(100_000):
        nested = [nested]
    assert kernel.read_message({"kind": "scale", "n_workers": nested}) is None
    assert kernel.read_message({"kind": "opened", "view": "a1", "keeps": True}) == kernel.Opened(
        kind="opened", view="a1", keeps=True
    )
    assert kernel.read_message({"kind": "stop"}) == kernel.Stop(kind="stop")
    scale = kernel.read_message({"kind": "scale", "n_workers": 3})
    assert isinstance(scale, kernel.Scale)
    assert scale.n_workers == 3


@pytest.mark.parametrize(
    "content",
    [
        None, "stop", [], {}, {"kind": None}, {"kind": "remove"}, {"kind": "stop", "cluster": "another"},
        {"kind": ["stop"]}, {"kind": "scale"}, {"kind": "scale", "n_workers": [1]},
        {"kind": "scale", "n_workers": {"minimum": 1}}, {"kind": "opened", "view": "", "keeps": True},
        {"kind": "opened", "view": "x" * 65, "keeps": True}, {"kind": "opened", "view": 1, "keeps": True},
        {"kind": "opened", "view": "a", "keeps": "yes"}, {"kind": "page", "page": "x" * 81},
        {"kind": "page", "page": 7}, {"kind": "retire", "worker": ""}, {"kind": "retire", "worker": "x" * 201},
        {"kind": "__class__", "__dict__": {}},
    ],
)  # fmt: skip
def test_invalid_reports_are_ignored(content: Any):
    assert kernel.read_message(content) is None


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


@pytest.fixture
def connections(monkeypatch: Any) -> list[str]:
    opened: list[str] = []
    original = transport.stream_lines

    def noted(folder: Any, path: str) -> Any:
        opened.append(path)
        return original(folder, path)

    monkeypatch.setattr(transport, "stream_lines", noted)
    return opened


async def test_changed_record_reaches_listeners_within_a_second(monkeypatch: Any) -> None:
    monkeypatch.setattr(kernel, "is_sampled", lambda model: False)
    records = (SimpleNamespace(state=SimpleNamespace(ended=False), number=number) for number in itertools.count())
    control: Any = SimpleNamespace(registry=SimpleNamespace(find=lambda _: next(records)))
    feed, listener = kernel.ClusterFeed(control, "unused"), Listener()
    feed.add(listener)
    async with asyncio.timeout(2):
        await until_async(lambda: len(listener.models) == 3)
    feed.discard(listener)


@pytest.mark.full
async def test_listeners_share_a_connection(
    shared_site: Any, shared_cluster: ClusterModel, connections: list[str]
) -> None:
    feed = kernel.ClusterFeed(AsyncControl(shared_site.directory), shared_cluster.id)
    listeners = [Listener() for _ in range(5)]
    for listener in listeners:
        feed.add(listener)
    feed.add(listeners[0])
    await until_async(lambda: all(listener.lines for listener in listeners))
    late = Listener()
    feed.add(late)
    assert late.models, "the known state is sent at once"
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
    await until_async(lambda: len(listeners[1].lines) > heard + 1)
    assert len(listeners[0].lines) == heard, "discarded listeners get nothing"
    feed.discard(listeners[1])


async def test_end_and_removal_are_reported(site: Any) -> None:
    model = await asyncio.to_thread(site.running)
    control = AsyncControl(site.directory)
    feed, listener = kernel.ClusterFeed(control, model.id), Listener()
    feed.add(listener)
    await until_async(lambda: listener.lines)
    await control.stop(model.id)
    await until_async(lambda: listener.models[-1].state.ended)
    await control.remove(model.id)
    await until_async(lambda: listener.removed)
    feed.discard(listener)
    await asyncio.sleep(0)
