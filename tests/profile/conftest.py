"""A client of the file's cluster, and what a good run is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gpucluster
import pytest
from gpucluster.profiling.telemetry import TelemetryReadings


@pytest.fixture(autouse=True)
def quiet_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests run at the same time: what a profile says of a busy machine has tests of its own."""
    monkeypatch.setattr(TelemetryReadings, "others_cores", None)


@pytest.fixture
def client(shared_cluster: Any) -> Iterator[Any]:
    """The notebook's client, connected to the shared cluster with two workers."""
    with gpucluster.connect("shared").get_client() as made:
        yield made
