"""Dask's comms over unix sockets: what distributed expects of a comm backend, and connections without the secret."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dask
import numpy as np
import pytest
from distributed.comm import CommClosedError, connect, get_address_host, get_address_host_port, listen, resolve_address
from distributed.comm.registry import get_backend
from distributed.protocol import to_serialize
from gpucluster.comm import backend, handshakes
from gpucluster.comm.folder import PREFIX, SCHEME, address_of, secret_of


@pytest.fixture
async def echo(folder: Path) -> AsyncIterator[Any]:
    """A listener that sends back what it reads."""

    async def answer(comm: Any) -> None:
        try:
            while True:
                message = await comm.read()
                await comm.write({"x": to_serialize(message["x"])} if isinstance(message, dict) else message)
        except CommClosedError:
            pass

    async with listen(f"{PREFIX}{folder}:0", answer) as listener:
        yield listener


def sockets(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_socket()]


def test_distributed_finds_it_by_its_scheme() -> None:
    assert isinstance(get_backend(SCHEME), backend.UnixBackend)
    assert get_address_host(f"{PREFIX}/some/where") == "127.0.0.1"
    address = address_of("/some/where")
    assert resolve_address(address) == address
    assert get_address_host(address) == "127.0.0.1"
    assert urlsplit(address).hostname == "127.0.0.1", "LightGBM looks for it so"
    with pytest.raises(ValueError, match=r"has no port.*protocol='tcp'"):
        get_address_host_port(address)


async def test_messages_of_every_size_come_back_unchanged(echo: Any) -> None:
    comm = await connect(echo.contact_address)
    assert comm.same_host
    assert comm.handshake_options["compression"] is None
    for message in (None, "a", list(range(1000))):
        await comm.write(message)
        assert await comm.read() in (message, tuple(message or ()))
    for count in (0, 1, 3, 10**6, 3 * 10**7):
        array = np.arange(count, dtype="u1") % 251
        await comm.write({"x": to_serialize(array)})
        back = (await comm.read())["x"]
        np.testing.assert_array_equal(back, array)
        assert back.flags.writeable
    await comm.close()
    assert comm.closed()
    with pytest.raises(CommClosedError):
        await comm.write(1)


async def test_each_side_knows_process_and_user_of_the_other(echo: Any) -> None:
    comm = await connect(echo.contact_address)
    assert comm.extra_info == {"pid": os.getpid(), "uid": os.getuid()}
    assert comm.peer_address == echo.contact_address
    assert comm.local_address.startswith(f"{echo.contact_address}#{os.getpid()}-")
    comm.abort()


async def test_both_sides_may_send_ahead_of_the_reader(folder: Path) -> None:
    """More than the system's default, with which writer and reader alternate all the time."""
    sizes = []

    async def answer(comm: Any) -> None:
        sizes.append(comm.stream.socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF))
        await comm.write(await comm.read())

    one, other = socket.socketpair()
    default = one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, backend.SEND_BUFFER_BYTES)
    allowed = one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
    one.close()
    other.close()
    assert allowed > default
    async with listen(f"{PREFIX}{folder}:0", answer) as listener:
        comm = await connect(listener.contact_address)
        await comm.write(1)
        assert await comm.read() == 1
        sizes.append(comm.stream.socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF))
        await comm.close()
    assert sizes == [allowed, allowed]


async def test_many_connect_at_the_same_moment(folder: Path) -> None:
    async def answer(comm: Any) -> None:
        await comm.write(await comm.read())
        await comm.close()

    async def ask(address: str, number: int) -> int:
        comm = await connect(address)
        await comm.write(number)
        answer: int = await comm.read()
        comm.abort()
        return answer

    with dask.config.set({"distributed.comm.socket-backlog": 2}):
        async with listen(f"{PREFIX}{folder}:0", answer) as listener:
            answers = await asyncio.gather(*(ask(listener.contact_address, number) for number in range(200)))
    assert answers == list(range(200))
    assert sockets(folder) == []


async def test_closed_connection_and_stopped_listener_raise(echo: Any) -> None:
    comm = await connect(echo.contact_address)
    reading = asyncio.create_task(comm.read())
    await asyncio.sleep(0)
    echo.stop()
    comm.abort()
    with pytest.raises((CommClosedError, asyncio.CancelledError)):
        await reading
    with pytest.raises(OSError, match="Timed out"):
        await connect(echo.contact_address, timeout=0.2)


async def test_connection_without_the_secret_is_closed(echo: Any, folder: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(handshakes, "PATIENCE_SECONDS", 0.2)
    [path] = sockets(folder)
    secret = secret_of(str(folder))
    for sent in (b"", b"short", b"x" * len(secret), secret[:-1] + b"!"):
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(sent)
        assert await asyncio.wait_for(reader.read(), 30) == b"", sent
        writer.close()
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(secret)
    assert await asyncio.wait_for(reader.read(8), 30), "who knows it is greeted"
    writer.close()


async def test_socket_of_another_user_is_refused(echo: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(backend, "peer_of", lambda connection: (1, os.getuid() + 1))
    with pytest.raises(OSError, match="belongs to another user"):
        await connect(echo.contact_address, timeout=0.2)


async def test_connect_without_the_secret_fails(echo: Any, folder: Path) -> None:
    (folder / "secret").unlink()
    secret_of.cache_clear()
    with pytest.raises(OSError, match="its secret cannot be read") as refused:
        await connect(echo.contact_address, timeout=0.2)
    assert str(folder) not in str(refused.value)


async def test_connect_to_an_ended_cluster_fails_at_once(echo: Any, folder: Path) -> None:
    (await connect(echo.contact_address)).abort()
    folder.rename(folder.with_name("gone"))
    with pytest.raises(OSError, match=r"this cluster has ended; gpucluster\.list\(\) shows"):
        await connect(echo.contact_address, timeout=30)
    folder.with_name("gone").rename(folder)


async def test_address_without_a_folder_raises_with_advice() -> None:
    with pytest.raises(ValueError, match=r"gpucluster\.create\(\)"):
        async with listen(PREFIX, lambda comm: None):
            pass


async def test_a_socket_that_is_bound_is_a_stream(folder: Path) -> None:
    async with listen(f"{PREFIX}{folder}:0", lambda comm: None):
        [path] = sockets(folder)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as connection, pytest.raises(OSError, match="wrong type"):
            connection.connect(str(path))
