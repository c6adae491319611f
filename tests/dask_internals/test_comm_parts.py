"""Canaries: distributed's comm on our stream, web pages on our socket, transports and command lines."""

import asyncio
import socket
from contextlib import suppress
from typing import Any

import numpy as np
import psutil
from distributed.comm import ws
from distributed.comm.core import connect
from distributed.protocol import to_serialize
from gpucluster.dask_internals import comm_parts
from gpucluster.dask_internals.listening import command_lines, keep_websockets_on, known_transports, listener, payload
from tornado.iostream import IOStream


async def test_a_comm_on_any_stream(canary):
    ends = socket.socketpair(socket.AF_UNIX)
    with canary("distributed.comm.tcp.TCP with stream, _closed, _local_addr, _peer_addr, _finalizer and _extra"):
        comms = [comm_parts.StreamComm(IOStream(end), "tcp://here", "tcp://there", True, {"pid": 1}) for end in ends]
        first, second = comms
        assert (first.local_address, first.peer_address, first.extra_info) == ("tcp://here", "tcp://there", {"pid": 1})
        assert not first.closed()
        assert first.same_host
        sent = bytes(3_000_000)
        _, got = await asyncio.gather(first.write({"x": to_serialize(sent), "y": 1}), second.read())
        assert bytes(got["x"]) == sent
        await first.close()
        with suppress(comm_parts.CommClosedError):
            await second.read()
        assert second.closed(), "tcp._close_comm is called when the stream closes"
        assert comm_parts.MAX_BUFFER_BYTES > 10**8


def test_scheduler_serves_pages_on_socket(canary, in_new_process, tmp_path):
    """In a separate process, because its workers lose their web servers."""
    code = f"""
import asyncio, logging
from distributed import Nanny, Scheduler, Worker
from gpucluster.dask_internals import listening
from tornado.netutil import bind_unix_socket

logging.disable()
path = {str(tmp_path / "s")!r}

class OnSocket(Scheduler):
    def start_http_server(self, routes, *args, **kwargs):
        listening.serve_pages(self, routes, bind_unix_socket(path), path)

async def main():
    listening.serve_no_worker_pages()
    async with OnSocket(host="127.0.0.1", port=0, protocol="tcp", dashboard_address=":0") as scheduler:
        assert listening.web_address(scheduler) == path
        assert hasattr(listening.web_application(scheduler), "find_handler")
        assert callable(listening.web_server(scheduler).handle_stream)
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(b"GET /health HTTP/1.0\\r\\n\\r\\n")
        assert (await reader.read()).endswith(b"ok"), "pages"
        host, port = listening.open_port(scheduler)
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b"GET /health HTTP/1.0\\r\\n\\r\\n")
        assert (await reader.read()).endswith(b"ok"), "the same pages on a port"
        async with Worker(scheduler.address, host="127.0.0.1") as worker:
            assert worker.http_server is None and "dashboard" not in worker.service_ports
    print("served")

asyncio.run(main())
"""
    with canary("ServerNode.start_http_server and http_server with address and port"):
        assert in_new_process(code) == "served"


async def test_a_message_goes_there_and_back():
    async def answer(comm: Any) -> None:
        await comm.write(await comm.read())

    async with listener("inproc://", answer) as listening:
        comm = await connect(listening.contact_address, deserialize=False)
        await comm.write({"x": payload(np.arange(3))})
        back = await comm.read()
        assert list(back["x"].data) == [0, 1, 2]
        await comm.close()


def test_transports_and_options_are_known():
    assert {"tcp", "tls", "inproc"} <= known_transports()
    for name, options in (("scheduler", {"interface"}), ("worker", {"nthreads", "memory_limit"})):
        assert options <= {one.name for one in command_lines()[name].params}


async def test_websockets_stay_on_one_address(monkeypatch):
    monkeypatch.setattr(ws, "HTTPServer", ws.HTTPServer)
    keep_websockets_on("127.0.0.1")
    before = {one.laddr for one in psutil.Process().net_connections() if one.status == psutil.CONN_LISTEN}

    async def answer(comm: Any) -> None:
        await comm.read()

    async with listener("ws://127.0.0.1:0", answer):
        now = {one.laddr for one in psutil.Process().net_connections() if one.status == psutil.CONN_LISTEN}
        assert {host for host, _ in now - before} == {"127.0.0.1"}
