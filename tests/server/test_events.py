"""The event stream: one reader for all viewers; a slow viewer delays no other."""

import asyncio
import gzip
import json
import logging
import random
from gzip import compress

import pytest
from gpucluster.client.control import AsyncControl
from gpucluster.client.transport import RawTelemetry
from gpucluster.protocol.models import ClusterChanged, Hello, HostDevices
from gpucluster.registry.store import Registry
from gpucluster.server.event_stream import COMPRESS_ABOVE_BYTES, MAX_MESSAGE_BYTES, EventPump, Viewer, event_message
from tornado.iostream import StreamClosedError

from tests.conftest import until_async
from tests.models import cluster_model


@pytest.fixture
def viewer_socket(jp_ws_fetch):
    async def connect():
        return await jp_ws_fetch("gpucluster/api/events")

    return connect


async def next_event(socket, wanted=lambda event: True):
    async with asyncio.timeout(60):
        while True:
            message = await socket.read_message()
            assert message is not None, "closed"
            event = json.loads(gzip.decompress(message) if isinstance(message, bytes) else message)
            if wanted(event):
                return event


async def test_two_viewers_share_one_reader(viewer_socket, api, extension, running_cluster, monkeypatch):
    opened = []
    raw_events = AsyncControl.raw_events

    def counted(control):
        opened.append(control)
        return raw_events(control)

    monkeypatch.setattr(AsyncControl, "raw_events", counted)
    pump = extension.services.pump
    assert not pump.running

    viewers = [await viewer_socket() for _ in range(2)]
    for viewer in viewers:
        hello = await next_event(viewer)
        assert hello["kind"] == "hello"
        assert running_cluster.id in [cluster["id"] for cluster in hello["clusters"]]
        telemetry = await next_event(viewer, lambda event: event["kind"] == "telemetry")
        assert telemetry["sample"]["id"] == running_cluster.id

    # A later viewer also gets the list at once.
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
        removed = await next_event(viewer, lambda event: event["kind"] == "removed")
        assert removed == {"kind": "removed", "id": made["id"]}

    viewers[0].close()
    late.close()
    await next_event(viewers[1])
    assert pump.running
    viewers[1].close()
    await until_async(lambda: not pump.running)


async def test_messages_from_viewers_are_ignored(viewer_socket, running_cluster):
    socket = await viewer_socket()
    await socket.write_message("{}")
    assert (await next_event(socket))["kind"] == "hello"
    await socket.write_message("x" * (MAX_MESSAGE_BYTES + 1))
    async with asyncio.timeout(20):
        while await socket.read_message() is not None:
            pass


class Page:
    """A connection that accepts messages until it is full, and again once drained."""

    def __init__(self):
        self.received = []
        self.full = None
        self.viewer = Viewer(self.write)

    def fill(self):
        self.full = asyncio.get_running_loop().create_future()

    def write(self, message):
        self.received.append(message.about)
        taken = asyncio.get_running_loop().create_future()
        if self.full is None:
            taken.set_result(None)
            return taken
        return self.full

    async def drain(self):
        full, self.full = self.full, None
        full.set_result(None)
        await asyncio.sleep(0)

    def offer(self, kind, id="", text=b"{}"):
        self.viewer.offer(event_message(kind, id, text))


class TestViewer:
    @pytest.fixture
    async def page(self):
        return Page()

    async def test_end_is_sent_immediately(self, page):
        page.offer("hello")
        page.offer("telemetry", "a")
        assert page.received == [("hello", ""), ("telemetry", "a")]

    async def test_full_viewer_keeps_only_newest_events(self, page):
        page.fill()
        page.offer("hello")
        for _ in range(1000):
            for id in "ab":
                page.offer("cluster", id)
                page.offer("telemetry", id)
        assert page.received == [("hello", "")]
        await page.drain()
        assert sorted(page.received[1:]) == [("cluster", "a"), ("cluster", "b"), ("telemetry", "a"), ("telemetry", "b")]
        page.offer("telemetry", "a")
        assert page.received[-1] == ("telemetry", "a")

    async def test_waiting_message_is_the_newest(self):
        seen = []

        def write(message):
            seen.append(message.payload)
            return full

        full = asyncio.get_running_loop().create_future()
        viewer = Viewer(write)
        for number in range(5):
            viewer.offer(event_message("telemetry", "a", str(number).encode()))
        done, full = full, asyncio.get_running_loop().create_future()
        done.set_result(None)
        await asyncio.sleep(0)
        assert seen == [b"0", b"4"]

    async def test_removal_makes_changes_and_samples_void(self, page):
        page.fill()
        for kind, id in (("hello", ""), ("cluster", "a"), ("telemetry", "a"), ("telemetry", "b"), ("removed", "a")):
            page.offer(kind, id)
        await page.drain()
        assert page.received == [("hello", ""), ("telemetry", "b"), ("removed", "a")]

    async def test_hello_makes_everything_older_void(self, page):
        page.fill()
        for kind, id in (("telemetry", "b"), ("telemetry", "a"), ("cluster", "a"), ("hello", "")):
            page.offer(kind, id)
        await page.drain()
        assert page.received == [("telemetry", "b"), ("hello", "")]

    async def test_a_connection_that_closes_is_no_error(self, page):
        page.fill()
        page.offer("hello")
        page.offer("cluster", "a")
        page.full.set_exception(StreamClosedError())
        await asyncio.sleep(0)
        assert page.received == [("hello", "")]


class Control:
    """A control with an invented stream."""

    def __init__(self, by, later):
        self.registry = Registry()

    async def list(self):
        return []


class Flood(Control):
    """Send many changes of a huge cluster with samples in between."""

    changes = 60

    async def raw_events(self):
        yield Hello(clusters=[])
        # Different each time and random, or it would be compressed to nothing.
        for number in range(1, self.changes + 1):
            line = random.Random(number).randbytes(2**19).hex()
            yield ClusterChanged(cluster=cluster_model(n_workers=number, log_tail=[line]))
            yield RawTelemetry("00000001", b'{"kind":"telemetry","sample":{"at":"%d"}}' % number)
            await asyncio.sleep(0.01)
        await asyncio.Event().wait()


class TestSlowViewer:
    @pytest.fixture
    def flooded(self, monkeypatch):
        monkeypatch.setattr("gpucluster.server.extension.AsyncControl", Flood)

    @pytest.mark.full
    async def test_slow_viewer_blocks_no_other_and_gets_the_last_state(self, flooded, viewer_socket):
        def last(event):
            return event["kind"] == "cluster" and event["cluster"]["n_workers"] == Flood.changes

        # The slow one does not read: its messages fill only the buffers of the connection.
        slow = await viewer_socket()
        quick = await viewer_socket()
        await next_event(quick, last)

        received = []

        def noted(event):
            received.append(event["kind"])
            return last(event)

        await next_event(slow, noted)
        assert received[0] == "hello"
        assert received.count("cluster") < Flood.changes
        newest = await next_event(slow, lambda event: event["kind"] == "telemetry")
        assert newest["sample"]["at"] == str(Flood.changes)


class Unparsed(Control):
    LINE = b'{"kind":"telemetry","sample":' + b" " * COMPRESS_ABOVE_BYTES + b'{"id":"00000001","new":"field"}}'

    async def raw_events(self):
        yield Hello(clusters=[cluster_model()])
        yield RawTelemetry("00000001", self.LINE)
        await asyncio.Event().wait()


@pytest.fixture
def unparsed(monkeypatch):
    monkeypatch.setattr("gpucluster.server.extension.AsyncControl", Unparsed)


async def test_samples_are_sent_unparsed_and_compressed_once(unparsed, monkeypatch, viewer_socket):
    compressed = []
    monkeypatch.setattr(
        "gpucluster.server.event_stream.gzip.compress",
        lambda data, *options, **more: compressed.append(data) or compress(data, *options, **more),
    )
    # A viewer that opens after all samples also gets the newest one.
    viewers = [await viewer_socket() for _ in range(2)]
    for _ in range(2):
        for viewer in viewers:
            assert (await next_event(viewer))["kind"] == "hello"
            while not isinstance(message := await viewer.read_message(), bytes):
                assert json.loads(message)["kind"] == "host"
            assert gzip.decompress(message) == Unparsed.LINE
        viewers = [await viewer_socket()]
    assert compressed == [Unparsed.LINE]


class Breaking(Control):
    """A control whose stream breaks off."""

    def __init__(self):
        self.opened = 0

    async def raw_events(self):
        self.opened += 1
        yield Hello(clusters=[cluster_model(n_workers=self.opened)])
        raise OSError("the disk is gone")


class NoHost:
    """A machine without GPUs."""

    async def readings(self):
        yield HostDevices(available=False, message="No GPU here.", code="no_library")
        await asyncio.Event().wait()


async def test_broken_stream_is_opened_again(monkeypatch, caplog):
    monkeypatch.setattr("gpucluster.server.event_stream.RETRY_SECONDS", (0.01, 0.02))
    pump = EventPump(Breaking(), NoHost(), logging.getLogger("test"))
    seen = set()

    def write(message):
        if message.about == ("hello", ""):
            seen.add(json.loads(message.payload)["clusters"][0]["n_workers"])
        taken = asyncio.get_running_loop().create_future()
        taken.set_result(None)
        return taken

    pump.attach(write)
    await until_async(lambda: len(seen) >= 3)
    await pump.close()
    assert not pump.running
    assert "the disk is gone" in caplog.text
