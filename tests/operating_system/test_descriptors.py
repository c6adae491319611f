"""Sockets with a long path, and with none."""

from __future__ import annotations

import os
import resource
import socket
from pathlib import Path

import pytest
from gpucluster.operating_system import descriptors


@pytest.fixture
def long_path(tmp_path: Path) -> Path:
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    return folder / "socket"


@pytest.mark.linux("/proc/self/fd")
def test_a_socket_with_a_long_path_and_then_without_a_name(long_path: Path) -> None:
    before = set(os.listdir("/dev/fd"))
    with socket.socket(socket.AF_UNIX) as listener:
        with descriptors.short_address(str(long_path)) as address:
            listener.bind(address)
        listener.listen()
        assert long_path.is_socket()
        with descriptors.short_address(str(long_path)) as address:
            hidden = descriptors.without_name(address)
        assert not long_path.exists()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(hidden)
        os.close(int(hidden.rpartition("/")[2]))
    assert set(os.listdir("/dev/fd")) == before


def test_elsewhere_a_long_path_is_refused(long_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "LINUX", False)
    with pytest.raises(OSError, match="too long"), descriptors.short_address(str(long_path)):
        pass
    with descriptors.short_address("/tmp/s") as address:
        assert address == "/tmp/s"


@pytest.mark.parametrize(
    ("limits", "taken"),
    [((256, 4096), 4096), ((256, resource.RLIM_INFINITY), 10_240), ((20_000, 20_000), 20_000), ((256, 256), 256)],
)
def test_as_many_open_files_as_the_system_lets(
    limits: tuple[int, int], taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """macOS says that there is no limit, and refuses more than 10,240."""
    now = [limits[0]]

    def set_limit(_: int, wanted: tuple[int, int]) -> None:
        if wanted[1] != limits[1] or wanted[0] == resource.RLIM_INFINITY or 0 <= limits[1] < wanted[0]:
            raise ValueError("not allowed")
        now[0] = wanted[0]

    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", set_limit)
    descriptors.allow_many_files()
    assert now == [taken]
