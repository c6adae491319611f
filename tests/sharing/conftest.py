from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from gpucluster.operating_system import LINUX
from gpucluster.sharing.node import VARIABLE, read_node


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say where claims between users cannot be had."""
    try:
        read_node()
        why = None if LINUX else "needs Linux"
    except OSError as error:
        why = f"this system does not tell whose sockets are ({error.strerror})"
    for item in items:
        if why is not None and "/sharing/" in str(item.path):
            item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(autouse=True)
def own_node(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Names of this test alone."""
    name = os.urandom(4).hex()
    monkeypatch.setenv(VARIABLE, name)
    yield name
