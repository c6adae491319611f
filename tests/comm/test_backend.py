"""Dask's comms over unix sockets: what distributed expects of a comm backend, and the folder with its secret."""

import asyncio
import os
import socket
import sys
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
from gpucluster.comm import folder as folders
from gpucluster.comm.folder import PREFIX, SCHEME, address_of, secret_of
from gpucluster.operating_system.files import short_address


@pytest.fixture
async def echo(folder):
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


def test_distributed_finds_it_by_its_scheme():
    assert isinstance(get_backend(SCHEME), backend.UnixBackend)
    assert get_address_host(f"{PREFIX}/some/where") == "127.0.0.1"
    address = address_of("/some/where")
    assert resolve_address(address) == address
    assert get_address_host(address) == "127.0.0.1"
    assert urlsplit(address).hostname == "127.0.0.1", "LightGBM looks for it so"
    with pytest.raises(ValueError, match=r"has no port.*protocol='tcp'"):
        get_address_host_port(address)


async def test_messages_of_every_size_come_back_unchanged(echo):
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


async def test_each_side_knows_process_and_user_of_the_other(echo):
    comm = await connect(echo.contact_address)
    assert comm.extra_info == {"pid": os.getpid(), "uid": os.getuid()}
    assert comm.peer_address == echo.contact_address
    assert comm.local_address.startswith(f"{echo.contact_address}#{os.getpid()}-")
    comm.abort()


async def test_both_sides_may_send_ahead_of_the_reader(folder):
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


async def test_many_connect_at_the_same_moment(folder):
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


async def test_closed_connection_and_stopped_listener_raise(echo):
    comm = await connect(echo.contact_address)
    reading = asyncio.create_task(comm.read())
    await asyncio.sleep(0)
    echo.stop()
    comm.abort()
    with pytest.raises((CommClosedError, asyncio.CancelledError)):
        await reading
    with pytest.raises(OSError, match="Timed out"):
        await connect(echo.contact_address, timeout=0.2)


async def test_connection_without_the_secret_is_closed(echo, folder, monkeypatch):
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


async def test_socket_of_another_user_is_refused(echo, monkeypatch):
    monkeypatch.setattr(backend, "peer_of", lambda connection: (1, os.getuid() + 1))
    with pytest.raises(OSError, match="belongs to another user"):
        await connect(echo.contact_address, timeout=0.2)


async def test_connect_without_the_secret_fails(echo, folder):
    (folder / "secret").unlink()
    secret_of.cache_clear()
    with pytest.raises(OSError, match="its secret cannot be read") as refused:
        await connect(echo.contact_address, timeout=0.2)
    assert str(folder) not in str(refused.value)


async def test_connect_to_an_ended_cluster_fails_at_once(echo, folder):
    (await connect(echo.contact_address)).abort()
    folder.rename(folder.with_name("gone"))
    with pytest.raises(OSError, match=r"this cluster has ended; gpucluster\.list\(\) shows"):
        await connect(echo.contact_address, timeout=30)
    folder.with_name("gone").rename(folder)


async def test_address_without_a_folder_raises_with_advice():
    with pytest.raises(ValueError, match=r"gpucluster\.create\(\)"):
        async with listen(PREFIX, lambda comm: None):
            pass


async def test_a_socket_that_is_bound_is_a_stream(folder):
    async with listen(f"{PREFIX}{folder}:0", lambda comm: None):
        [path] = sockets(folder)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as connection, pytest.raises(OSError, match="wrong type"):
            connection.connect(str(path))


def test_folder_and_secret_are_for_this_user_only(folder):
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "secret").stat().st_mode & 0o777 == 0o600
    assert len(folders.secret_of(str(folder))) == folders.SECRET_BYTES
    with pytest.raises(FileExistsError):
        folders.make_comm_folder(folder)


def test_secret_that_is_a_link_or_malformed_is_refused(folder):
    (folder / "secret").rename(folder / "other")
    (folder / "secret").symlink_to(folder / "other")
    with pytest.raises(OSError, match="symbolic links|secret"):
        folders.secret_of(str(folder))
    for make in (os.mkfifo, lambda path: path.write_text("short")):
        (folder / "secret").unlink()
        make(folder / "secret")
        with pytest.raises(OSError, match="not a secret"):
            folders.secret_of(str(folder))


@pytest.mark.processes
def test_sweep_removes_only_sockets_of_killed_processes(folder):
    import subprocess

    code = "import sys, os; from gpucluster.comm.folder import bind; bind(sys.argv[1], backlog=4); os._exit(9)"
    subprocess.run([sys.executable, "-c", code, str(folder)], check=False, timeout=60)
    [left] = [path for path in folder.iterdir() if path.is_socket()]
    listening, path = folders.bind(str(folder), backlog=4)
    # As of a process in another container: it runs, but its process id does not exist here.
    elsewhere, there = folders.bind(str(folder), backlog=4)
    strange = folder / f"{2**22 + 1}-abc"
    os.rename(there, strange)
    folders.sweep(str(folder))
    assert not left.exists()
    assert {entry.name for entry in folder.iterdir()} == {"secret", Path(path).name, strange.name}
    with listening, elsewhere:
        pass


def test_socket_with_a_long_path_is_reachable(folder):
    deep = folder / ("x" * 90) / ("y" * 90)
    deep.mkdir(parents=True)
    listening, path = folders.bind(str(deep), backlog=4)
    assert len(path) > 180
    with listening, socket.socket(socket.AF_UNIX) as connection, short_address(path) as address:
        connection.connect(address)
    with pytest.raises(OSError, match="too long"), socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
