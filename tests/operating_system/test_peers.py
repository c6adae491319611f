"""Who is at the other end of a unix socket."""

from __future__ import annotations

import os
import socket
import struct

import pytest
from gpucluster.operating_system import peers


@pytest.mark.linux("SO_PEERCRED")
def test_the_system_tells_process_and_user() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert peers.peer_of(one) == (os.getpid(), os.getuid())


def test_where_the_system_does_not_tell_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux has no ``LOCAL_PEERCRED``, so that this is what an unknown system answers."""
    monkeypatch.setattr(peers, "LINUX", False)
    one, other = socket.socketpair()
    with one, other:
        assert peers.peer_of(one)[1] in {None, os.getuid()}
        assert peers.peer_of(one)[0] in {None, os.getpid()}


def test_what_macos_tells_is_read() -> None:
    told = struct.pack("=IIh2x16I", 0, 501, 2, 20, 12, *[0] * 14)
    assert len(told) == peers.XUCRED_BYTES
    assert peers.user_in(told) == 501
    assert peers.user_in(struct.pack("=I", 1) + told[4:]) is None, "another version may have other fields"
