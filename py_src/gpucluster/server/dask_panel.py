"""The addresses that the panel of dask-labextension requests, for clusters of gpucluster.

Requests below ``dask/`` for other clusters go to dask-labextension's own handlers as usual. Tornado tries handlers in
the order in which they were added, and Jupyter loads extensions in the order of their names. Those of gpucluster always
come first, and take no other requests.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import sys
from collections.abc import Callable
from re import escape
from typing import Any
from urllib.parse import quote

from jupyter_server.utils import ensure_async, url_path_join
from tornado.httputil import HTTPServerRequest
from tornado.routing import PathMatches, Rule
from tornado.web import Application, HTTPError, authenticated

from ..protocol.errors import ClusterNotFound, GPUClusterError, InvalidRequest
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.sizes import format_size
from ..protocol.spec import ClusterPatch, parse_patch
from ..site.model import EVERY
from ..site.reading import this_site
from .api import AUTH_RESOURCE, ClusterAPIHandler, UnknownHandler
from .clusters import ClusterHandler, ClustersHandler
from .dashboards import DashboardHandler, Target
from .routes import Services

PACKAGE = "dask_labextension"
_USUAL = "LocalCluster"


class DaskLabextensionServer:
    """Finds dask-labextension without importing it, and so Dask; `ignored`: treat it as absent."""

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


def shown(model: ClusterModel) -> bool:
    """Whether the panel, which has no states, lists this cluster."""
    return not (model.state.ended or model.wanted.stopped)


def panel_model(model: ClusterModel, base_url: str) -> dict[str, Any]:
    """Return a cluster for the panel, which has no credentials: ``gpucluster://name`` finds them."""
    limits = [worker.memory_limit_bytes for worker in model.workers]
    known = [limit for limit in limits if limit is not None]
    starting = " (starting)" if model.state is ClusterState.STARTING else ""
    found: dict[str, Any] = {
        "id": model.id,
        "name": model.name + starting,
        "scheduler_address": f"gpucluster://{model.name}",
        "dashboard_link": base_url + model.dashboard_path if model.dashboard_path is not None else "",
        "workers": model.n_workers,
        "memory": "no limit" if len(known) < len(limits) else format_size(sum(known)),
        "cores": sum(worker.n_threads for worker in model.workers),
    }
    adapt = model.wanted.adapt
    if adapt is not None:
        found["adapt"] = {"minimum": adapt.minimum, "maximum": adapt.maximum}
    return found


def wanted_change(body: bytes) -> ClusterPatch:
    """Read a request of the panel's scaling dialog: the whole cluster, of which two entries count."""
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        raise InvalidRequest("The request is not JSON.") from None
    if not isinstance(request, dict):
        raise InvalidRequest("The request must be a JSON object with 'workers' or 'adapt'.")
    if request.get("adapt") is not None:
        return parse_patch({"adapt": request["adapt"]})
    if "workers" not in request:
        raise InvalidRequest("The request must have 'workers' or 'adapt'.")
    return parse_patch({"n_workers": request["workers"]})


PATIENCE_SECONDS = 20.0  # How long a request for a dashboard waits for the cluster to start.
LOOK_SECONDS = 0.25
_PAGES = "individual-plots.json"  # The panel requests it to find the pages of a dashboard.


class PanelClustersHandler(ClustersHandler):
    """All clusters: those of gpucluster, then those of dask-labextension's own server part."""

    dask_labextension: DaskLabextensionServer

    @authenticated
    async def get(self) -> None:  # type: ignore[override]
        """List the clusters. Without access to gpucluster's, users still see its own."""
        allowed = await ensure_async(self.authorizer.is_authorized(self, self.current_user, "read", AUTH_RESOURCE))
        if not allowed and not self.dask_labextension.answers:
            raise HTTPError(403, f"User is not authorized to read on resource: {AUTH_RESOURCE}.")
        models = await self.control.list() if allowed else []
        ours = [panel_model(model, self.base_url) for model in models if shown(model)]
        self.finish(json.dumps([*ours, *await self.dask_labextension.clusters()]))

    async def put(self) -> None:
        """Create a cluster with the defaults of this site; returns at once, while it is starting."""
        kinds = this_site().limits_of(EVERY).backends or ("auto",)
        requested = {"backend": "auto" if "auto" in kinds else kinds[0]}
        self.finish(json.dumps(panel_model(await self.create(requested), self.base_url)))


class PanelClusterHandler(ClusterHandler):
    async def get(self, cluster: str) -> None:
        self._answer_panel(await self._living(cluster))

    async def patch(self, cluster: str) -> None:
        model = await self._living(cluster)
        patch = wanted_change(self.body())
        self._answer_panel(await self.control.patch(model.id, patch))

    async def delete(self, cluster: str) -> None:
        model = await self._living(cluster)
        await self.control.stop(model.id, wait=False)
        self.set_status(204)
        self.finish()

    async def _living(self, cluster: str) -> ClusterModel:
        model = await self.control.get(cluster)
        if not shown(model):
            raise ClusterNotFound(f"The cluster '{model.name}' is {model.state.value}.")
        return model

    def _answer_panel(self, model: ClusterModel) -> None:
        self.finish(json.dumps(panel_model(model, self.base_url)))


class PanelDashboardHandler(DashboardHandler):
    """Pages of a dashboard, where the panel looks for them."""

    def public_path(self, cluster: str) -> str:
        return url_path_join(self.base_url, "dask/dashboard", quote(cluster, safe=""))

    async def _target(self, cluster: str, path: str) -> Target:
        """Wait for a starting dashboard: a refusal would be logged as an error in the browser's console."""
        end = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        while asyncio.get_running_loop().time() < end:
            model = await self.control.get(cluster)
            if model.state is not ClusterState.STARTING or model.dashboard_path is not None:
                break
            await asyncio.sleep(LOOK_SECONDS)
        return await super()._target(cluster, path)

    async def pass_page(self, cluster: str, path: str) -> None:
        """Answer that there are no pages instead of a refusal, which would log an error in the browser's console.

        The panel keeps requesting the list of pages after a cluster has ended; any status but 200 means no dashboard.
        """
        try:
            await super().pass_page(cluster, path)
        except GPUClusterError:
            if path != _PAGES:
                raise
            self.set_status(204)
            self.finish()


class NoDashboardHandler(ClusterAPIHandler):
    """Answer that an address has no dashboard: this server does not fetch addresses that a page names."""

    async def get(self, url: str) -> None:
        self.finish(json.dumps({"url": url, "isActive": False, "plots": {}}))


_OURS = r"([0-9a-f]{8})"  # Ids of gpucluster. dask-labextension's own have dashes.


class _For(PathMatches):
    """Matches a path, for some methods (separated by blanks; empty: all), if `when` is true at the request."""

    def __init__(self, pattern: str, methods: str = "", when: Callable[[], bool] = lambda: True) -> None:
        super().__init__(pattern)
        self._methods = frozenset(methods.split())
        self._when = when

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        if (self._methods and request.method not in self._methods) or not self._when():
            return None
        return super().match(request)


def panel_rules(services: Services, dask_labextension: DaskLabextensionServer, base_url: str) -> list[Rule]:
    root = escape(base_url) + "dask/"
    both: dict[str, Any] = {"control": services.control, "standby": services.standby}
    many = {**both, "directory": services.directory, "dask_labextension": dask_labextension}
    pages = {"control": services.control, "client": services.dashboards}

    def alone() -> bool:
        return not dask_labextension.answers

    def makes_ours() -> bool:
        return not dask_labextension.makes_its_own

    return [
        Rule(_For(root + "clusters/?", "GET"), PanelClustersHandler, many),
        Rule(_For(root + "clusters/?", "PUT", when=makes_ours), PanelClustersHandler, many),
        Rule(_For(root + "clusters/?", when=alone), PanelClustersHandler, many),
        Rule(_For(root + "clusters/.+", "PUT", when=makes_ours), UnknownHandler, both),
        Rule(_For(root + "clusters/" + _OURS), PanelClusterHandler, both),
        Rule(_For(root + "dashboard/" + _OURS + "(?:/(.*))?"), PanelDashboardHandler, pages),
        Rule(_For(root + "dashboard-check/(.+)", when=alone), NoDashboardHandler, both),
        Rule(_For(root + "(?:clusters|dashboard|dashboard-check)/.*", when=alone), UnknownHandler, both),
    ]


def put_first(application: Application, rules: list[Rule]) -> None:
    """Add rules before all others, even before those of extensions that were loaded earlier."""
    known = application.default_router.rules
    before = list(known)
    application.add_handlers(".*$", rules)
    known.sort(key=before.__contains__)
