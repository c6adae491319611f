"""A living cluster whose process speaks another version of the protocol."""

from __future__ import annotations

import pytest
from gpucluster.client.control import Control
from gpucluster.protocol.errors import ProtocolMismatch
from gpucluster.protocol.models import ClusterState


def test_it_can_be_stopped_and_nothing_else(site, monkeypatch):
    id = site.running().id
    monkeypatch.setattr("gpucluster.registry.unreadable.PROTOCOL_VERSION", 99)
    control = Control(site.directory)
    assert control.get(id).notice.endswith("Here it can be stopped, and nothing else.")
    with pytest.raises(ProtocolMismatch, match="can only be stopped. It was made by another version"):
        control.patch(id, {"n_workers": 2})
    ended = control.stop(id)
    assert (ended.state, ended.reason) == (ClusterState.STOPPED, "Stopped by a signal.")
