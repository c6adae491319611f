"""Where the dashboard of a cluster is, written down for those who may see it."""

from __future__ import annotations

from typing import Any

from ..backends.scheduler.view import SchedulerView, WebAddress
from ..operating_system.plain_file import read_own_file
from ..registry.directory import write_private
from ..registry.record import DashboardAddress, Folder


def write_address(folder: Folder, prefix: str, *served: WebAddress) -> DashboardAddress:
    """Write down below which secret prefix, and on which sockets, the pages are served."""
    found: dict[str, Any] = {}
    for where in served:
        found |= {"socket": where} if isinstance(where, str) else {"host": where[0], "port": where[1]}
    address = DashboardAddress(prefix=prefix, **found)
    write_private(folder.dashboard, address.model_dump_json())
    return address


def open_address(folder: Folder, scheduler: SchedulerView) -> DashboardAddress:
    """Return where a browser on this machine reaches the dashboard: on a port of loopback, opened if need be."""
    address = DashboardAddress.model_validate_json(read_own_file(folder.dashboard))
    if address.port is None:
        assert scheduler.dashboard is not None
        address = write_address(folder, address.prefix, scheduler.dashboard, scheduler.open_dashboard())
    return address
