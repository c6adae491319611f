"""Connections to a scheduler's port that never finish their TLS handshake."""

import asyncio

import pytest
from distributed import Client, Security
from gpucluster.backends.dashboard import PrivateDashboardScheduler
from gpucluster.comm import handshakes

from tests.conftest import until_async

NOT_TLS = b"GET / HTTP/1.0\r\n\r\n"


@pytest.fixture
async def scheduler():
    security = Security.temporary()
    options = {"host": "127.0.0.1", "port": 0, "protocol": "tls://", "dashboard_address": "127.0.0.1:0"}
    async with PrivateDashboardScheduler(http_prefix="secret", security=security, **options) as running:
        yield running


async def connect(scheduler: PrivateDashboardScheduler) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = scheduler.address.removeprefix("tls://").split(":")
    return await asyncio.open_connection(host, int(port))


async def is_closed(reader: asyncio.StreamReader) -> bool:
    try:
        return await asyncio.wait_for(reader.read(), 30) is not None
    except ConnectionError:
        return True


async def assert_usable(scheduler: PrivateDashboardScheduler) -> None:
    async with Client(scheduler.address, security=scheduler.security, asynchronous=True) as client:
        assert (await client.scheduler.identity())["id"] == scheduler.id


@pytest.mark.parametrize(("sent", "patience"), [(b"", 0.2), (NOT_TLS, 60.0)], ids=["silent", "no TLS"])
async def test_a_connection_without_a_handshake_is_closed(scheduler, monkeypatch, sent, patience):
    monkeypatch.setattr(handshakes, "PATIENCE_SECONDS", patience)
    reader, writer = await connect(scheduler)
    writer.write(sent)
    assert await is_closed(reader)
    writer.close()
    await assert_usable(scheduler)


async def test_many_idle_connections_displace_no_valid_one(scheduler, monkeypatch):
    monkeypatch.setattr(handshakes, "MOST_UNFINISHED", 8)
    crowd = [await connect(scheduler) for _ in range(40)]
    await assert_usable(scheduler)
    closed = await asyncio.gather(*(is_closed(reader) for reader, _ in crowd[:30]))
    assert all(closed)
    # The last ones still have time.
    assert not crowd[-1][0].at_eof()
    for _, writer in crowd:
        writer.close()


async def test_authenticated_clients_have_no_timeout(scheduler, monkeypatch):
    monkeypatch.setattr(handshakes, "PATIENCE_SECONDS", 0.2)
    async with Client(scheduler.address, security=scheduler.security, asynchronous=True) as client:
        stranger, writer = await connect(scheduler)
        assert await is_closed(stranger), "the timeout is over"
        writer.close()
        assert (await client.scheduler.identity())["id"] == scheduler.id
        assert client.status == "running"


async def test_closed_connection_needs_no_timeout(scheduler):
    _, writer = await connect(scheduler)
    writer.close()
    await assert_usable(scheduler)
    limit = scheduler.listeners[0].tcp_server.handle_stream.__self__
    await until_async(lambda: not limit._unproven._timers)


async def connect_to_pages(scheduler):
    return await asyncio.open_connection("127.0.0.1", scheduler.http_server.port)


async def status_of(scheduler: PrivateDashboardScheduler, path: str) -> int:
    reader, writer = await connect_to_pages(scheduler)
    writer.write(f"GET {path} HTTP/1.0\r\n\r\n".encode())
    status = int((await reader.read()).split()[1])
    writer.close()
    return status


@pytest.mark.parametrize("sent", [b"", b"GET /secret/health HTTP/1.1\r\n", b"GET /other HTTP/1.1\r\nHost: x\r\n\r\n"])
async def test_connection_to_the_pages_without_the_secret_path_is_closed(scheduler, monkeypatch, sent):
    monkeypatch.setattr(handshakes, "PATIENCE_SECONDS", 0.2)
    reader, writer = await connect_to_pages(scheduler)
    writer.write(sent)
    assert await is_closed(reader)
    writer.close()
    assert await status_of(scheduler, "/secret/health") == 200


async def test_many_idle_connections_to_the_pages_displace_no_valid_one(scheduler, monkeypatch):
    monkeypatch.setattr(handshakes, "MOST_UNFINISHED", 8)
    ours, request = await connect_to_pages(scheduler)
    request.write(b"GET /secret/health HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (await ours.readline()).split()[1] == b"200"
    crowd = [await connect_to_pages(scheduler) for _ in range(40)]
    assert await status_of(scheduler, "/secret/health") == 200
    assert all(await asyncio.gather(*(is_closed(reader) for reader, _ in crowd[:30])))
    request.write(b"GET /secret/health HTTP/1.1\r\nHost: x\r\n\r\n")
    rest = (await ours.readuntil(b"\r\n\r\nok")) + (await ours.readuntil(b"\r\n\r\nok"))
    assert rest.endswith(b"ok"), "the connection stayed"
    for _, writer in [*crowd, (ours, request)]:
        writer.close()
