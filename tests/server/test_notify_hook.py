"""The notify command runs for new events, without a shell and without foreign options."""

import asyncio
import json
import logging
import sys

import pytest
from gpucluster.client.control import AsyncControl
from gpucluster.protocol.messages import Message, MessageCode
from gpucluster.protocol.models import ClusterChanged, ClusterState, Hello
from gpucluster.server.extension import NotifyHook

from tests.models import cluster_model

pytestmark = pytest.mark.processes

WRITE = "import json, sys; open(sys.argv[1], 'a').write(json.dumps(sys.argv[2:]) + chr(10))"


@pytest.fixture
def told(tmp_path):
    """Return the arguments of the command."""
    path = tmp_path / "told"

    def read() -> list[list[str]]:
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    read.path = path
    return read


async def several(read, number: int) -> list[list[str]]:
    while len(read()) < number:  # noqa: ASYNC110  # a file sends no events
        await asyncio.sleep(0.02)
    return read()


class TestWithTheServer:
    @pytest.fixture
    def extension_config(self, told):
        command = [sys.executable, "-c", WRITE, str(told.path), "{message}", "{kind}", "--of={cluster}"]
        return {"standby": False, "notify_command": command}

    async def test_finished_work_is_notified_without_an_open_page(self, jp_serverapp, told, running_cluster):
        await jp_serverapp.extension_manager.start_all_extensions()  # like a server outside of tests
        await AsyncControl().tell("shared", "A batch: done; $(touch /x) `id` {kind}")
        [arguments] = await several(told, 1)
        assert arguments == ["shared: A batch: done; $(touch /x) `id` {kind}", "done", "--of=shared"]


class Control:
    """Yield the events of the test."""

    def __init__(self, *events) -> None:
        self._events = events

    async def events(self, *, telemetry: bool):
        assert not telemetry
        for event in self._events:
            yield event
        await asyncio.Event().wait()


async def test_old_events_are_not_notified_and_failures_are(told, caplog):
    old = Message.of(MessageCode.SPILL, "Old.", time="2026-11-21T08:00:00.000Z")
    died = "Worker 0 was killed (SIGKILL)."
    new = Message.of(MessageCode.WORKER_DIED, died, time="2026-11-21T08:00:00.000Z")
    before = cluster_model("00000001", name="one", messages=[old])
    after = before.model_copy(update={"messages": [old, new]})
    failed = after.saying({MessageCode.FAILED: "No disk."}, state=ClusterState.FAILED)
    events = Hello(clusters=[before]), *(ClusterChanged(cluster=model) for model in (before, after, failed, failed))
    command = [sys.executable, "-c", WRITE, str(told.path), "{message}"]
    hook = NotifyHook(Control(*events), command, logging.getLogger("test"))
    hook.start()
    try:
        assert await several(told, 2) == [[f"one: {died}"], ["one: It has failed. No disk."]]
    finally:
        await hook.close()


async def test_a_command_that_fails_is_in_the_log(caplog):
    hook = NotifyHook(Control(), ["/nowhere/at/all"], logging.getLogger("test"))
    with pytest.raises(FileNotFoundError):
        await hook._run("one", "done", "Done.")
    failing = NotifyHook(Control(), [sys.executable, "-c", "raise SystemExit(3)"], logging.getLogger("test"))
    await failing._run("one", "done", "Done.")
    assert "The notify_command exited with status 3." in caplog.text
