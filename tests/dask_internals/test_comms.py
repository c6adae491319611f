"""Canaries: transports and command lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import psutil
import pytest
from distributed.comm import ws
from distributed.comm.core import connect
from gpucluster.dask_internals.comms import command_lines, keep_websockets_on, known_transports, listener, payload


async def test_a_message_goes_there_and_back() -> None:
    async def answer(comm: Any) -> None:
        await comm.write(await comm.read())

    async with listener("inproc://", answer) as listening:
        comm = await connect(listening.contact_address, deserialize=False)
        await comm.write({"x": payload(np.arange(3))})
        back = await comm.read()
        assert list(back["x"].data) == [0, 1, 2]
        await comm.close()


def test_transports_and_options_are_known() -> None:
    assert {"tcp", "tls", "inproc"} <= known_transports()
    for name, options in (("scheduler", {"interface"}), ("worker", {"nthreads", "memory_limit"})):
        assert options <= {one.name for one in command_lines()[name].params}


async def test_websockets_stay_on_one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ws, "HTTPServer", ws.HTTPServer)
    keep_websockets_on("127.0.0.1")
    before = {one.laddr for one in psutil.Process().net_connections() if one.status == psutil.CONN_LISTEN}

    async def answer(comm: Any) -> None:
        await comm.read()

    async with listener("ws://127.0.0.1:0", answer):
        now = {one.laddr for one in psutil.Process().net_connections() if one.status == psutil.CONN_LISTEN}
        assert {host for host, _ in now - before} == {"127.0.0.1"}
