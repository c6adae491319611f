"""The event stream: one reader for all viewers, nobody waits for a slow one."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest
from gpucluster.client.control import AsyncControl
from gpucluster.protocol.models import ClusterChanged, ClusterRemoved, Hello, Telemetry
from gpucluster.server.eventpump import EventPump, Viewer
from gpucluster.server.eventsocket import MAX_MESSAGE_BYTES

from .models import cluster_model, sample


@pytest.fixture
def viewer_socket(jp_ws_fetch, closing):
    """Open the event stream."""

    async def connect():
        return closing(await jp_ws_fetch("gpucluster/api/events"))

    return connect


async def next_event(socket, wanted=lambda event: True):
    """Read until an event is as wanted."""
    async with asyncio.timeout(60):
        while True:
            message = await socket.read_message()
            assert message is not None, "closed"
            event = json.loads(message)
            if wanted(event):
                return event


async def test_two_viewers_share_one_reader(viewer_socket, api, extension, running_cluster, monkeypatch):
    opened = []
    events = AsyncControl.events

    def counted(control, **options):
        opened.append(control)
        return events(control, **options)

    monkeypatch.setattr(AsyncControl, "events", counted)
    pump = extension.services.pump
    assert not pump.running

    viewers = [await viewer_socket() for _ in range(2)]
    for viewer in viewers:
        hello = await next_event(viewer)
        assert hello["kind"] == "hello"
        assert running_cluster.id in [cluster["id"] for cluster in hello["clusters"]]
        telemetry = await next_event(viewer, lambda event: event["kind"] == "telemetry")
        assert telemetry["sample"]["id"] == running_cluster.id

    # A third one that comes later gets the list at once, too.
    late = await viewer_socket()
    assert (await next_event(late))["kind"] == "hello"
    assert len(opened) == 1

    _, made = await api("POST", "clusters", {"name": "watched", "backend": "local", "n_workers": 1})

    def about_it(event):
        return event["kind"] == "cluster" and event["cluster"]["id"] == made["id"]

    for viewer in (*viewers, late):
        assert (await next_event(viewer, about_it))["cluster"]["name"] == "watched"
    await api("DELETE", f"clusters/{made['id']}")
    for viewer in (*viewers, late):
        await next_event(viewer, lambda event: about_it(event) and event["cluster"]["state"] == "stopped")
    await api("DELETE", f"clusters/{made['id']}")
    for viewer in (*viewers, late):
        assert await next_event(viewer, lambda event: event["kind"] == "removed") == {
            "kind": "removed",
            "id": made["id"],
        }

    viewers[0].close()
    late.close()
    await next_event(viewers[1])
    assert pump.running
    viewers[1].close()
    for _ in range(1000):
        if not pump.running:
            break
        await asyncio.sleep(0.01)
    assert not pump.running


async def test_viewer_has_nothing_to_say(viewer_socket, running_cluster):
    socket = await viewer_socket()
    await socket.write_message("{}")
    assert (await next_event(socket))["kind"] == "hello"
    await socket.write_message("x" * (MAX_MESSAGE_BYTES + 1))
    async with asyncio.timeout(20):
        while await socket.read_message() is not None:
            pass


class TestViewer:
    async def test_keeps_the_latest_of_each_cluster(self):
        viewer = Viewer()
        for number in range(1000):
            for cluster_id in ("00000001", "00000002"):
                for event in (
                    ClusterChanged(cluster=cluster_model(cluster_id, n_workers=number)),
                    Telemetry(sample=sample(cluster_id, at=str(number))),
                ):
                    viewer.offer(event, event.model_dump_json())
        events = [json.loads(text) for text in await viewer.take()]
        assert sorted(event["kind"] for event in events) == ["cluster", "cluster", "telemetry", "telemetry"]
        assert {event["cluster"]["n_workers"] for event in events if event["kind"] == "cluster"} == {999}
        assert {event["sample"]["at"] for event in events if event["kind"] == "telemetry"} == {"999"}

    async def test_removal_takes_the_place_of_changes_and_samples(self):
        viewer = Viewer()
        for event in (
            ClusterChanged(cluster=cluster_model()),
            Telemetry(sample=sample()),
            ClusterRemoved(id="00000001"),
        ):
            viewer.offer(event, event.model_dump_json())
        assert [json.loads(text)["kind"] for text in await viewer.take()] == ["removed"]

    async def test_hello_makes_everything_older_void(self):
        viewer = Viewer()
        for event in (Telemetry(sample=sample()), ClusterChanged(cluster=cluster_model()), Hello(clusters=[])):
            viewer.offer(event, event.model_dump_json())
        assert [json.loads(text)["kind"] for text in await viewer.take()] == ["hello"]


class Flood:
    """A control that changes a huge cluster many times."""

    changes = 60

    async def events(self, *, telemetry=True):
        yield Hello(clusters=[])
        line = "x" * 2**20
        for number in range(1, self.changes + 1):
            yield ClusterChanged(cluster=cluster_model(n_workers=number, log_tail=[line]))
            await asyncio.sleep(0.01)
        await asyncio.Event().wait()


class TestSlowViewer:
    @pytest.fixture
    def flooded(self, monkeypatch):
        monkeypatch.setattr("gpucluster.server.extension.AsyncControl", Flood)

    async def test_holds_up_nobody_and_misses_no_last_state(self, flooded, viewer_socket):
        def last(event):
            return event["kind"] == "cluster" and event["cluster"]["n_workers"] == Flood.changes

        # The slow one does not read: its messages fill the buffers of the connection and no more.
        slow = await viewer_socket()
        quick = await viewer_socket()
        await next_event(quick, last)

        received = []

        def noted(event):
            received.append(event["kind"])
            return last(event)

        await next_event(slow, noted)
        assert received[0] == "hello"
        assert len(received) < Flood.changes


class Breaking:
    """A control whose stream breaks off."""

    def __init__(self):
        self.opened = 0

    async def events(self, *, telemetry=True):
        self.opened += 1
        yield Hello(clusters=[cluster_model(n_workers=self.opened)])
        raise OSError("the disk is gone")


async def test_broken_stream_is_opened_again(monkeypatch, caplog):
    monkeypatch.setattr("gpucluster.server.eventpump.RETRY_SECONDS", (0.01, 0.02))
    pump = EventPump(Breaking(), logging.getLogger("test"))
    viewer = pump.attach()
    seen = set()
    async with asyncio.timeout(20):
        while len(seen) < 3:
            for text in await viewer.take():
                seen.add(json.loads(text)["clusters"][0]["n_workers"])
    await pump.close()
    assert not pump.running
    assert "the disk is gone" in caplog.text
