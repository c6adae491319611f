"""The link to a cluster's dashboard that works for whoever reads it."""

from __future__ import annotations

import json
import os
from pathlib import Path

from ..protocol.models import ClusterModel
from ..registry.record import DashboardAddress
from .dashboard import DashboardPage


def jupyter_base_url() -> str | None:
    """Return the base URL path of the Jupyter server that this kernel belongs to, ``None`` outside Jupyter."""
    hub = os.environ.get("JUPYTERHUB_SERVICE_PREFIX")
    if hub:
        return hub
    parent = os.environ.get("JPY_PARENT_PID")
    if not parent or not parent.isdigit():
        return None
    from jupyter_core.paths import jupyter_runtime_dir

    try:
        info = json.loads(Path(jupyter_runtime_dir(), f"jpserver-{parent}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    base = info.get("base_url")
    return base if isinstance(base, str) and base.startswith("/") else None


def dashboard_link(model: ClusterModel, address: DashboardAddress) -> str:
    """Return a link to the status page.

    Inside Jupyter a path on the Jupyter server, which checks who asks and keeps the secret. Elsewhere the direct
    address, for a browser on this machine: it contains the secret, so do not pass it on.
    """
    base = jupyter_base_url()
    if base is not None and model.dashboard_path is not None:
        return f"{base.rstrip('/')}/{model.dashboard_path}"
    return address.url


def page_link(link: str, page: DashboardPage) -> str:
    """Return the link to a page, from that to the status page."""
    return f"{link.rsplit('/', 1)[0]}/{page.path}"
