"""The server part of dask-labextension, where it runs in this server."""

from __future__ import annotations

import inspect
import logging
import sys
from typing import Any

from tornado.web import Application

PACKAGE = "dask_labextension"
_USUAL = "LocalCluster"


class DaskLabextensionServer:
    """Finds dask-labextension without importing it, which would load Dask in this process.

    `application`: has its handlers, if it was loaded. `ignored`: treat it as absent.
    """

    def __init__(self, application: Application, *, ignored: bool, log: logging.Logger) -> None:
        self._application = application
        self._ignored = ignored
        self._log = log

    @property
    def answers(self) -> bool:
        """Whether it is loaded and not ignored."""
        return not self._ignored and any(
            getattr(rule.target, "__module__", "").startswith(f"{PACKAGE}.")
            for hosts in self._application.default_router.rules
            for rule in getattr(hosts.target, "rules", ())
        )

    @property
    def makes_its_own(self) -> bool:
        """Whether the site has configured which clusters it creates.

        By default it runs Dask's ``LocalCluster`` in this process: without encryption, with a dashboard open to the
        network, and with nannies that change the environment of kernels and clusters.
        """
        config = sys.modules.get("dask.config")  # It has imported that.
        if config is None or not self.answers:
            return False
        chosen: object = config.get("labextension.factory.class", _USUAL)
        return chosen != _USUAL

    async def clusters(self) -> list[dict[str, Any]]:
        manager = getattr(sys.modules.get(f"{PACKAGE}.manager"), "manager", None)
        if manager is None or not self.answers:
            return []
        try:
            # A plain method in 7.0, a coroutine after it.
            found = manager.list_clusters()
            listed: list[dict[str, Any]] = await found if inspect.isawaitable(found) else found
        except Exception:
            # Those of gpucluster must still be listed.
            self._log.warning("dask-labextension could not list its clusters", exc_info=True)
            return []
        return listed
