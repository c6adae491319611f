"""What data sheets and standards say of links, as they say it: in their own units."""

from __future__ import annotations

from typing import TypedDict


class PublishedLink(TypedDict):
    """The speed of a link as it is published.

    ``value`` is in ``unit``: ``"GT/s"`` (10⁹ transfers of one bit per second and lane), ``"Gb/s"`` (10⁹ bits per
    second, all lanes) or ``"GB/s"`` (10⁹ bytes per second, all lanes). ``encoding`` is how many of so many transferred
    bits are data. With ``both_directions``, the value is the sum of both.
    """

    value: float
    unit: str
    lanes: int
    encoding: tuple[int, int]
    both_directions: bool


def _pcie(transfers: float, lanes: int) -> PublishedLink:
    return {"value": transfers, "unit": "GT/s", "lanes": lanes, "encoding": (128, 130), "both_directions": False}


def _network(gigabits: float) -> PublishedLink:
    return {"value": gigabits, "unit": "Gb/s", "lanes": 1, "encoding": (1, 1), "both_directions": False}


def _nvlink(gigabytes: float) -> PublishedLink:
    return {"value": gigabytes, "unit": "GB/s", "lanes": 1, "encoding": (1, 1), "both_directions": True}


LINKS: dict[str, PublishedLink] = {
    "Ethernet 10 GbE": _network(10),
    "InfiniBand HDR100": _network(100),
    "InfiniBand HDR200": _network(200),
    "InfiniBand NDR": _network(400),
    "PCIe 4.0 ×4, an NVMe drive": _pcie(16, 4),
    "PCIe 3.0 ×16": _pcie(8, 16),
    "PCIe 4.0 ×16": _pcie(16, 16),
    "PCIe 5.0 ×16": _pcie(32, 16),
    "NVLink, V100": _nvlink(300),
    "NVLink, A100": _nvlink(600),
    "NVLink, H100": _nvlink(900),
}
"""PCIe: the PCI-SIG's specifications 3.0 to 5.0. InfiniBand: data rates by the InfiniBand Trade Association.
NVLink: NVIDIA's data sheets of the three devices (SXM), all links of one GPU together."""
