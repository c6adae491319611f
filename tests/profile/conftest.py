"""A client of the file's cluster, and a quiet machine."""

from collections.abc import Iterator
from typing import Any

import gpucluster
import pytest
from gpucluster.profiling.assembly import TelemetryReadings


@pytest.fixture
def quiet_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of all findings of a run, as simultaneous tests make the machine busy."""
    monkeypatch.setattr(TelemetryReadings, "others_cores", None)


@pytest.fixture
def client(shared_cluster: Any) -> Iterator[Any]:
    """The notebook's client, connected to the shared cluster with two workers."""
    with gpucluster.connect("shared").get_client() as made:
        yield made
