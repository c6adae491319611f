"""Canaries: messages and code that is sent, imports, event loops, and states and listeners of servers."""

import asyncio
import pickle
import sys
import types

import numpy as np
import pytest
from distributed.batched import BatchedSend
from distributed.comm import connect
from gpucluster.dask_internals import array_imports, listening, loops, machine, messages, scheduler_state, statuses
from gpucluster.dask_internals.messages import sent_by_value
from tornado.httpclient import AsyncHTTPClient


def test_messages_of_clients_are_followed(here, canary, wait_until):
    received: list[tuple[str, int]] = []
    with canary("Scheduler.stream_handlers['update-graph'] and Scheduler.handlers['scatter']"):
        following = messages.follow_received_from_clients(here.scheduler, lambda *one: received.append(one))
        assert following
    with canary("expr_ser and client in the message update-graph, with frames"):
        here.client.submit(len, bytes(200_000), pure=False).result(30)
        wait_until(lambda: [size for name, size in received if name == here.client.id and size >= 200_000])
    received.clear()
    with canary("data and client in the message scatter, with frames"):
        here.client.scatter(bytes(300_000), direct=False, hash=False)
        wait_until(lambda: [size for name, size in received if name == here.client.id and size >= 300_000])
    with canary("Scheduler.stream_handlers and Scheduler.handlers, which no one else replaces"):
        for one in following:
            assert one.whole
            one.stop()
        assert not hasattr(here.scheduler.handlers["scatter"], "gpucluster_followers")
    assert messages.wire_bytes(object()) == 0


def test_sent_messages_are_not_kept(here, canary, monkeypatch):
    monkeypatch.setattr(BatchedSend, "recent_message_log", None, raising=False)  # restored at the end
    here.client.submit(len, "ab", pure=False).result(30)
    streams = list(here.scheduler.stream_comms.values())
    with canary("BatchedSend.recent_message_log, which each one adds to"):
        assert any(vars(stream)["recent_message_log"] for stream in streams)
        messages.keep_no_sent_messages()
        before = sum(stream.batch_count for stream in streams)
        here.client.submit(len, "abc", pure=False).result(30)
        assert sum(stream.batch_count for stream in streams) > before
        assert [len(stream.recent_message_log) for stream in streams] == [0, 0]
        assert len(BatchedSend(interval=1).recent_message_log) == 0


def test_messages_of_our_own(here, canary):
    with canary("Server.handlers, called with the connection and the message's entries; Status.dont_reply"):
        arrived = []

        async def take(comm, number):
            arrived.append(number)
            arrived.append(await comm.read())
            await comm.write("enough")
            await comm.close()
            return statuses.no_reply()

        messages.set_handler(here.other, "canary", take)

        async def send():
            comm = await connect(here.other.address, **messages.connection_arguments(here.worker))
            await comm.write({"op": "canary", "number": 1, "reply": False})
            await comm.write(messages.serialized({"values": np.arange(5)}))
            answer = await comm.read()
            await comm.close()
            return answer

        assert here.client.sync(send) == "enough"
        messages.remove_handler(here.other, "canary")
        assert "canary" not in here.other.handlers
    with canary("protocol.serialize.serialize and Serialized, which arrive as what they were"):
        assert arrived[0] == 1
        assert arrived[1]["values"].tolist() == [0, 1, 2, 3, 4]
    with canary("protocol.serialize.deserialize, of a Serialized's header and frames"):
        # Between worker and scheduler in one process they arrive serialized.
        sent = messages.serialized({"values": np.arange(5)})
        assert messages.deserialized(sent)["values"].tolist() == [0, 1, 2, 3, 4]
        assert messages.deserialized(arrived[1]) is arrived[1]


def test_socket_is_taken_from_connection(here, canary):
    with canary("Comm.stream, an IOStream with socket, writing() and read_bytes(); Comm.abort(), which leaves a copy"):
        found = []

        async def take(comm):
            found.append(messages.can_be_taken(comm))
            while not comm.stream._read_buffer_size:  # noqa: ASYNC110  # until data after the first message arrives
                await asyncio.sleep(0.01)
                comm.stream._read_to_buffer()
            sock, read = messages.taken(comm)
            found.append(read)
            sock.sendall(b"answer")
            sock.close()
            return statuses.no_reply()

        messages.set_handler(here.other, "canary", take)

        async def send():
            comm = await connect(here.other.address, **messages.connection_arguments(here.worker))
            await comm.write({"op": "canary", "reply": False})
            await messages.flushed(comm)
            sock, read = messages.taken(comm)
            assert comm.closed()
            assert read == b""
            sock.sendall(b"behind it")
            found.append(await asyncio.get_running_loop().sock_recv(sock, 100))
            sock.close()

        here.client.sync(send)
        messages.remove_handler(here.other, "canary")
        assert found == [True, b"behind it", b"answer"]
    assert not messages.can_be_taken(object())


def test_messages_for_such_a_socket(canary):
    with canary("protocol.pickle.dumps(buffer_callback=) and loads(buffers=)"):
        names = {"__name__": "__main__"}
        exec("class Pair(tuple): pass", names)
        frames = messages.packed(("sum", np.arange(1000), names["Pair"]((1, 2))))
        assert len(frames) == 2 and memoryview(frames[1]).nbytes == 8000
        name, values, pair = messages.unpacked([bytearray(frame) for frame in frames])
        assert (name, values.sum(), tuple(pair)) == ("sum", 499500, (1, 2))
        values += 1


def test_event_loops(here, canary):
    with canary("loop.asyncio_loop of clients and servers"):

        async def running():
            return asyncio.get_running_loop(), loops.is_running_loop(here.client.loop), loops.in_client_thread()

        found, shared, in_thread = here.client.sync(running)
        assert loops.asyncio_loop(here.client) is loops.asyncio_loop(here.worker) is found
        assert shared
        assert not loops.is_running_loop(here.client.loop), "no loop runs in this thread"
    with canary("the thread named 'IO loop' of a synchronous client"):
        assert in_thread
        assert not loops.in_client_thread()


def test_web_pages(here, canary):
    with canary("Server.http_application and Server.http_server with address and port"):
        assert hasattr(listening.web_application(here.scheduler), "find_handler")
        host, port = listening.web_address(here.scheduler)
        assert host and port > 0
        assert listening.web_address(object()) is None
    with canary("distributed.dashboard.scheduler"):
        listening.import_web_pages()


async def test_pages_that_are_added_later(canary):
    from distributed import Scheduler

    options = {"protocol": "tcp", "host": "127.0.0.1", "port": 0, "dashboard_address": "127.0.0.1:0"}
    async with Scheduler(dashboard=False, http_prefix="secret", **options) as scheduler:
        host, port = listening.web_address(scheduler)

        async def status() -> int:
            answer = await AsyncHTTPClient().fetch(f"http://{host}:{port}/secret/status", raise_error=False)
            return answer.code

        assert await status() == 404
        with canary("distributed.dashboard.scheduler.connect(application, server, scheduler, prefix)"):
            listening.add_dashboard(scheduler, "secret")
            assert await status() == 200


def test_versions_are_looked_up_once(canary):
    from distributed import versions as looked_up

    with canary("distributed.versions.get_versions() keeping what it has found"):
        array_imports.remember_versions()
        before = looked_up.get_versions()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(looked_up, "version", lambda name: pytest.fail(f"{name} was looked up again"))
            assert looked_up.get_versions() == before


def test_listeners(canary):
    from distributed import Scheduler
    from distributed.security import Security

    async def listen():
        security = Security.temporary()
        async with Scheduler(
            protocol="tls", host="127.0.0.1", port=0, dashboard=False, dashboard_address=":0", security=security
        ) as scheduler:
            with canary("Server.listeners with TLSListener.tcp_server, whose handle_stream can be replaced"):
                [server] = listening.tls_servers(scheduler)
                met = asyncio.Event()
                before = server.handle_stream

                async def handle(stream, address):
                    met.set()
                    await before(stream, address)

                server.handle_stream = handle
                comm = await connect(scheduler.address, **security.get_connection_args("client"))
                await asyncio.wait_for(met.wait(), 30)
                await comm.close()

    asyncio.run(listen())


def test_tcp_listeners_are_left_out(here, canary):
    with canary("comm.tcp.TLSListener, which a listener without encryption is not"):
        assert here.scheduler.listeners
        assert listening.tls_servers(here.scheduler) == []


def test_machine(canary):
    import time

    with canary("distributed.system.MEMORY_LIMIT"):
        assert machine.memory_bytes() > 10**8
    with canary("dask.system.CPU_COUNT"):
        assert machine.n_cores() >= 1
    with canary("distributed.metrics.time"):
        assert abs(machine.clock() - time.time()) < 60
    with canary("dask.utils.format_time(seconds)"):
        written = [machine.written_time(seconds) for seconds in (0.0000123, 0.0123, 1.23, 200.0, 4000.0)]
        assert written == ["12.30 us", "12.30 ms", "1.23 s", "200.00 s", "66m 40s"]


def test_functions_travel_as_code(here, canary):
    with canary("cloudpickle by value in what clients send, looked up by the function's own module"):
        # A reference takes some dozens of bytes, code many more.
        from distributed.protocol.pickle import dumps

        with sent_by_value():
            code = dumps(scheduler_state.has_work)
        assert len(code) > 3 * len(dumps(scheduler_state.has_work))
        assert pickle.loads(code)(here.scheduler) is False
        assert pickle.loads(code) is not scheduler_state.has_work


QUESTIONS = {
    statuses.has_failed: {"failed"}, statuses.is_ending: {"closing", "closed", "failed"},
    statuses.is_gone: {"closed"}, statuses.is_closed: {"closing", "closed"},
    statuses.has_not_started: {"created", "starting"}, statuses.can_hold_results: {"running", "paused"},
    statuses.is_paused: {"paused"}, statuses.still_works: {"running", "paused", "closing_gracefully"},
}  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.__name__)
def test_answers(question, canary):
    names = ("created", "starting", "running", "paused", "closing_gracefully", "closing", "closed", "failed")
    with canary("distributed.core.Status with " + ", ".join(sorted(QUESTIONS[question]))):
        servers = {name: types.SimpleNamespace(status=statuses.status_named(name)) for name in names}
        assert {name for name, server in servers.items() if question(server)} == QUESTIONS[question]


def test_servers_have_them(here, canary):
    with canary("Server.status and Cluster.status"):
        for server in (here.scheduler, here.worker, here.cluster):
            assert not statuses.has_not_started(server)
            assert not statuses.is_ending(server)
        assert statuses.can_hold_results(here.scheduler.workers[here.worker.address])
    with canary("Status.dont_reply"):
        assert statuses.no_reply().name == "dont_reply"


PROGRAM = """
import sys
from gpucluster.dask_internals.array_imports import import_arrays_without_scipy

import_arrays_without_scipy()
import_arrays_without_scipy()
assert sum(type(finder).__module__.startswith("gpucluster") for finder in sys.meta_path) == 1
import dask.array as da

without = "scipy" not in sys.modules
import scipy.sparse

assert abs(da.fft.fft(da.ones(4, chunks=4)).compute()[0]) == 4
assert da.ones((4, 4), chunks=2).map_blocks(scipy.sparse.csr_matrix).compute().nnz == 16
print(without)
"""


@pytest.mark.processes
def test_scipy_is_imported_only_on_demand(canary):
    import subprocess

    with canary("modules of dask.array that import SciPy but these two, which can do without"):
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False)
        assert (done.stdout, done.stderr) == ("True\n", "")
