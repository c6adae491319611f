"""A client of the file's cluster, and what a good run is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gpucluster
import pytest


@pytest.fixture
def client(shared_cluster: Any) -> Iterator[Any]:
    """The notebook's client, connected to the shared cluster with two workers."""
    with gpucluster.connect("shared").get_client() as made:
        yield made
