"""By which address of this machine workers on others reach it. Imports no Dask: faces ask before anything starts."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection

import psutil

from ...protocol.errors import PreflightFailed

SOME_ADDRESS = "192.0.2.1"
"""Nobody's (RFC 5737): nothing is sent there, it only makes the system say by which of its addresses it would be."""
LOOPBACK = "127.0.0.1"


def address_of(interface: str) -> str:
    """Return the address of a network interface of this machine.

    Raises
    ------
    PreflightFailed
        There is no such interface, it is down, or it has no address.
    """
    addresses = psutil.net_if_addrs()
    if interface not in addresses:
        raise PreflightFailed(
            f"interface: this machine has no network interface '{interface}'. There are {', '.join(sorted(addresses))}."
        )
    found: dict[int, str] = {}
    for entry in addresses[interface]:
        if entry.family in {socket.AF_INET, socket.AF_INET6} and not entry.address.startswith("fe80:"):
            found.setdefault(entry.family, entry.address)
    state = psutil.net_if_stats().get(interface)
    if not found or (state is not None and not state.isup):
        why = "has no address" if not found else "is down"
        raise PreflightFailed(f"interface: the network interface '{interface}' of this machine {why}; choose another.")
    return found.get(socket.AF_INET) or found[socket.AF_INET6]


def address_towards(target: str) -> str:
    """Return the address of this machine by which it would reach another address; sends nothing."""
    family = socket.AF_INET6 if ":" in target else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((target, 9))
        except OSError:
            return LOOPBACK
        return str(probe.getsockname()[0])


def scheduler_address(interface: str | None, targets: Collection[str] = ()) -> str:
    """Return the address that the scheduler listens on.

    Parameters
    ----------
    interface : str, optional
        As somebody chose it.
    targets : collection of str
        Addresses of the machines that workers will be on, as far as they are known. Default: what the default route
        leads to.

    Raises
    ------
    PreflightFailed
        The interface cannot be used.
    """
    if interface is not None:
        return address_of(interface)
    ours = sorted({address_towards(target) for target in targets or (SOME_ADDRESS,)})
    # Workers on this machine reach it by an outer address, too; those elsewhere not by loopback.
    return next((address for address in ours if not ipaddress.ip_address(address).is_loopback), ours[0])
