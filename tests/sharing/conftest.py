import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
from gpucluster.operating_system import LINUX
from gpucluster.operating_system.sockets import hold
from gpucluster.sharing.node import VARIABLE, read_node

from tests.otheruser import OtherUser, Process

_HOLD = """
import sys, time
from gpucluster.operating_system.sockets import hold
kept = [hold(name) for name in sys.argv[1:]]
print([each is not None for each in kept], flush=True)
time.sleep(600)
"""
Holds = Callable[..., list[socket.socket]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip where claims between users do not work."""
    try:
        read_node()
        why = None if LINUX else "needs Linux"
    except OSError as error:
        why = f"this system does not report the owners of sockets ({error.strerror})"
    for item in items:
        if why is not None and "/sharing/" in str(item.path):
            item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(autouse=True)
def own_node(monkeypatch):
    """Give this test its own names."""
    name = os.urandom(4).hex()
    monkeypatch.setenv(VARIABLE, name)
    yield name


@pytest.fixture
def holds():
    with ExitStack() as held:

        def hold_all(*names: str) -> list[socket.socket]:
            sockets = [each for name in names if (each := hold(name)) is not None]
            for each in sockets:
                held.enter_context(each)
            assert len(sockets) == len(names), "a name was taken"
            return sockets

        yield hold_all


@pytest.fixture
def other_user(own_node):
    """A second user with the names of this test."""
    user = OtherUser({VARIABLE: own_node, "PATH": "/usr/bin:/bin"})
    yield user
    user.close()


@contextmanager
def holding(user: OtherUser, *names: str) -> Iterator[tuple[Process, list[bool]]]:
    """Let another user hold names; yield the process, and for each name whether it could be taken."""
    with user.start("-c", _HOLD, *names) as process:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline().lower())
        process.kill()
