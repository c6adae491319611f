"""Hosts with SSH servers, for every kind that reaches others."""

import sys

import pytest

from tests.backends.ssh.network import Network
from tests.backends.ssh.sshd import Servers


@pytest.fixture(scope="module")
def module_of_mine(tmp_path_factory):
    """A module on ``sys.path`` where a cluster is created, outside the working directory."""
    (folder := tmp_path_factory.mktemp("src")).joinpath("beside_my_script.py").write_text("answer = 42\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(folder)])
        yield


@pytest.fixture
def network():
    """Three hosts with separate links."""
    made = Network(3)
    yield made
    made.close()


@pytest.fixture
def servers(network, tmp_path):
    """SSH servers on hosts 1 and 2, which are known as ``h1`` and ``h2`` and by their addresses."""
    made = Servers(tmp_path)
    for number in (1, 2):
        made.start(f"h{number}", [network.address(number)], 22, network.on(number))
        made.name(f"h{number}", network.address(number), 22)
        made.know(network.address(number))
    made.name("10.77.0.*", "%h", 22)
    yield made
    made.stop()
