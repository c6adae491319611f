"""``%gpucluster share`` in a real kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from gpucluster.registry.links import find_link, living_links, withdraw_links

from tests.widgets.frontend import FrontEnd

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def folder(shared_cluster: Any, shared_site: Any) -> Iterator[Any]:
    folder = shared_site.registry.folder(shared_cluster.id)
    yield folder
    withdraw_links(folder, None)


@pytest.fixture
def page() -> Iterator[FrontEnd]:
    made = FrontEnd()
    made.run("%load_ext gpucluster")
    yield made
    made.close()


def test_a_link_is_made_listed_and_withdrawn(folder: Any, page: FrontEnd) -> None:
    assert page.text("%gpucluster share shared --list") == "No active links.\n"
    said = page.text("%gpucluster share shared --hours 1")
    [stored] = living_links(folder)
    address = next(word for word in said.split() if "#" in word)
    assert f"gpucluster/shared/{folder.id}/" in address
    assert find_link([stored], address.split("#")[1]) is not None
    assert f"--withdraw {stored.link.id}" in said
    assert stored.link.id in page.text("%gpucluster share --list")
    assert page.text("%gpucluster share --withdraw all") == f"{stored.link.id}: revoked, opened never\n"
    assert living_links(folder) == []
    assert "24" in page.text("%gpucluster share --hours 25", "stderr")
    assert "must be a number of hours" in page.text("%gpucluster share --hours x", "stderr")
    assert living_links(folder) == []
