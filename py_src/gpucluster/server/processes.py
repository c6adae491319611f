"""Stopping a process that uses a GPU: one's own, told apart by its birth, and never what runs this server."""

from __future__ import annotations

import asyncio
import signal

from jupyter_server.auth.decorator import authorized
from pydantic import ValidationError
from tornado.web import authenticated

from ..protocol.errors import AccessDenied, InvalidState, invalid_request
from ..protocol.models import ProcessStopped, StopProcess
from ..registry.process import ProcessIdentity, is_alive, send_signal
from .api import ClusterAPIHandler
from .host_devices import DeviceReader

PATIENCE_SECONDS = 5.0
"""So long a process may take to end by itself; then it is killed."""
LOOK_SECONDS = 0.05


class StopProcessHandler(ClusterAPIHandler):
    """One process that uses a GPU of this machine."""

    devices: DeviceReader
    allowed: bool

    @authenticated
    @authorized
    async def post(self, pid: str) -> None:
        """End the process, and kill it where it does not end; returns when it is gone, or cannot be ended."""
        if not self.allowed:
            raise AccessDenied("This server only shows who uses the GPUs (GPUClusterExtension.stop_processes).")
        try:
            birth = StopProcess.model_validate_json(self.body()).birth
        except ValidationError as error:
            raise invalid_request(error) from None
        number = int(pid)
        host = await self.devices.read()
        found = [
            process
            for device in host.devices
            for process in device.processes
            if process.pid == number and process.birth == birth
        ]
        if not found:
            raise InvalidState(f"Process {number} does not use a GPU any more, or is not yours.")
        if not found[0].can_stop:
            owner = f"the cluster '{found[0].cluster}'; stop the cluster instead" if found[0].cluster else "this server"
            raise InvalidState(f"Process {number} runs {owner}.")
        self.answer(ProcessStopped(pid=number, ended=await _end(ProcessIdentity(pid=number, birth=birth))))


async def _end(process: ProcessIdentity) -> bool:
    for number in (signal.SIGTERM, signal.SIGKILL):
        send_signal(process, number)
        for _ in range(round(PATIENCE_SECONDS / LOOK_SECONDS)):
            if not is_alive(process):
                return True
            await asyncio.sleep(LOOK_SECONDS)
    return False
