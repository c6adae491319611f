"""The scheduler that listens for workers on other machines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..dashboard import PrivateDashboardScheduler


def scheduler_spec(options: Mapping[str, Any], *, host: str, protocol: str) -> dict[str, Any]:
    """Return the ``scheduler`` of a ``SpecCluster``.

    Parameters
    ----------
    options : mapping
        What ``SpecDeployment.start`` calls its ``make`` with.
    host : str
        As ``scheduler_address`` found it.
    protocol : str
        ``tls`` or ``tcp``.
    """
    return {
        "cls": PrivateDashboardScheduler,
        "options": {
            "host": host,
            "port": 0,
            "protocol": f"{protocol}://",
            "security": options["security"],
            "dashboard": True,
            "dashboard_address": options["dashboard_address"],
            **options["scheduler_kwargs"],
        },
    }
