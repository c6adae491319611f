"""Select the requests below ``dask/`` for gpucluster; all others go to dask-labextension's own handlers as usual.

Tornado tries handlers in the order in which they were added, and Jupyter loads extensions in the order of their names.
Those of gpucluster always come first, and take no other requests.
"""

from __future__ import annotations

from collections.abc import Callable
from re import escape
from typing import Any

from tornado.httputil import HTTPServerRequest
from tornado.routing import PathMatches, Rule
from tornado.web import Application

from ..api import UnknownHandler
from ..routes import Services
from .dask_labextension import DaskLabextensionServer
from .handlers import NoDashboardHandler, PanelClusterHandler, PanelClustersHandler, PanelDashboardHandler

_OURS = r"([0-9a-f]{8})"  # Ids of gpucluster. dask-labextension's own have dashes.


class _For(PathMatches):
    """Matches a path, for some methods, under a condition.

    `methods`: separated by blanks; empty: all. `when`: the condition, checked at each request.
    """

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
    added = [rule for rule in known if rule not in before]
    for rule in reversed(added):
        known.remove(rule)
        known.insert(0, rule)
