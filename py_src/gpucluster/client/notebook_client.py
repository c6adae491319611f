"""A ``distributed.Client`` that shows no secret in a notebook, and closes with its cluster. Imports Dask."""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import CancelledError
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any

from distributed import default_client
from distributed.scheduler import KilledWorker

from ..dask_internals.clients import AFTER_THE_END, ClientOfCluster, ClosedClientError
from ..dask_internals.collections import kind, variables_of
from ..dask_internals.comm_parts import CommClosedError
from ..protocol.errors import ClusterEnded, GPUClusterError, InvalidState
from ..protocol.messages import MessageCode
from ..protocol.models import ClusterModel
from ..registry.record import stamped
from .control import this_process
from .dask_keywords import SettingWithoutEffect
from .display.dashboard import jupyter_link
from .display.presentation import loaded_shell
from .history.cells import current_cell
from .stopping import BEFORE_IT_ENDS, how_it_ended, is_lease_of_this_process, is_over, stopped_by

_HIDDEN = "https://dashboard.gpucluster.invalid/"
"""Placeholder in the HTML for a link that contains a secret; it is removed again."""
MORE_MEMORY = "Use fewer workers with more memory each (memory_limit), or smaller chunks or partitions."
_JUST = timedelta(minutes=2)
"""Of workers that die in succession, not each causes a notice; an older death may have had another cause."""
_END_SECONDS = 2.0  # From a killed process's last connection until it is known to be gone.
_LOOK_SECONDS = 0.05
_shown: ContextVar[bool] = ContextVar("gpucluster_client_is_shown", default=False)


class ClientClosed(ClusterEnded, ClosedClientError, CancelledError):
    """The client can no longer compute, mostly because its cluster has ended."""

    code = "client_closed"


class ResultsAreReleased(InvalidState, CancelledError):
    """Results are needed that were released in the panel."""

    code = "results_released"


class ResultsAreLost(InvalidState, CancelledError):
    """Results are needed that were lost when the cluster was restarted."""

    code = "results_lost"


class Client(ClientOfCluster):
    """The ``distributed.Client`` that ``Cluster.get_client`` returns.

    Outside Jupyter the link to the dashboard contains a secret, so it is not shown in a notebook, which may be saved
    and passed on.

    When the cluster ends, the client closes. Waiting for a result, requesting one from this client, or computing with
    it as the default client then raises an error that explains the end of the cluster. If this process itself has
    stopped the cluster or closed the client, Dask computes in this process from then on; results that the cluster held
    are lost, and needing them raises an error.
    """

    @property
    def dashboard_link(self) -> str | None:
        """Link to the dashboard; ``None`` when the cluster is gone."""
        if _shown.get():
            model = self._model()
            if model is None or model.dashboard_path is None:
                return None
            return jupyter_link(model) or _HIDDEN
        try:
            link: str | None = super().dashboard_link
        except GPUClusterError:
            return None
        return link

    def warn_of_settings(self, names: list[str]) -> None:
        warnings.warn(
            f"{', '.join(names)}: dask.config differs from the scheduler's. It has no effect on a running cluster; "
            "set it before you create the cluster.",
            SettingWithoutEffect,
            stacklevel=2,
        )

    def current_cell(self) -> tuple[str, str, Mapping[str, Any]] | None:
        cell = current_cell()
        return None if cell is None else (cell.name, cell.id, cell.facts)

    def hide_in_html(self, html: str) -> str:
        """Return the client's HTML without a link that contains the secret."""
        link = f'<a href="{_HIDDEN}" target="_blank">{_HIDDEN}</a>'
        return html.replace(link, "<code>client.dashboard_link</code>").replace(_HIDDEN, "")

    def _repr_html_(self) -> str:
        # Reading the link would open a port, which display must not do.
        shown = _shown.set(True)
        try:
            return super()._repr_html_()
        finally:
            _shown.reset(shown)

    def sync(self, func: Callable[..., Awaitable[Any]], *args: Any, **options: Any) -> Any:
        """Run a coroutine function of the client; all requests for results come through here."""
        __tracebackhide__ = True  # IPython shows neither of the two frames

        async def explained(*args: Any, **options: Any) -> Any:
            __tracebackhide__ = True
            try:
                return await func(*args, **options)
            except (CancelledError, *AFTER_THE_END) as error:
                # A client whose scheduler was killed tries to reconnect for a while; do not wait for that.
                if self.status in {"closing", "closed"} or await self._is_over_soon(error):
                    raise self.after_the_end() from None
                if isinstance(error, CancelledError) and (loss := self.loss(error)) is not None:
                    raise loss from None
                raise
            except KilledWorker as error:
                self._add_cause(error)
                raise

        try:
            return super().sync(explained, *args, **options)  # type: ignore[no-untyped-call]
        except RuntimeError:
            if self.status != "closed":
                raise
            raise self.after_the_end() from None  # Closing a client ends its event loop, too.

    def _add_cause(self, error: KilledWorker) -> None:
        """Add the cluster's message about the last dead worker, if it is recent, to Dask's error."""
        model = self._model()
        since = stamped(datetime.now(UTC) - _JUST)
        codes = (MessageCode.WORKER_DIED, MessageCode.WORKER_MEMORY)
        messages = model.said(*codes) if model is not None else []
        died = [message for message in messages if (message.time or "") > since]
        if died and not getattr(error, "__notes__", None):
            error.add_note(died[-1].text)
            if died[-1].code is MessageCode.WORKER_MEMORY:
                error.add_note(MORE_MEMORY)

    async def _is_over_soon(self, error: BaseException) -> bool:
        """Return whether the cluster has ended; after a lost connection, wait a moment for the news."""
        until = time.monotonic() + _END_SECONDS
        while not is_over(self._model()):
            is_lost = isinstance(error, CommClosedError) or self.status != "running"
            if not is_lost or time.monotonic() > until:
                return False
            await asyncio.sleep(_LOOK_SECONDS)
        return True

    def _model(self) -> ClusterModel | None:
        try:
            model: ClusterModel | None = getattr(self.cluster, "model", None)
        except (GPUClusterError, OSError):  # It was removed from the list.
            return None
        return model

    def stays_default(self) -> bool:
        """Return whether computing is refused because the cluster ended without a request of this process."""
        model = self._model()
        if model is None or not is_over(model) or getattr(self.cluster, "asynchronous", False):
            return False
        if is_lease_of_this_process(model):
            return False
        return self._stopped_by(model) != this_process()

    def _stopped_by(self, model: ClusterModel) -> str | None:
        handle: Any = self.cluster
        return stopped_by(handle.control.registry, model)

    def _started_again(self, model: ClusterModel | None) -> ClientClosed | None:
        """Return the error for an ended cluster if another one with its name runs."""
        if model is None:
            return None
        handle: Any = self.cluster
        try:
            other: ClusterModel = handle.control.registry.find(model.name)
        except (GPUClusterError, OSError):
            return None
        if other.id == model.id or is_over(other):
            return None
        how = f"The cluster '{model.name}' was restarted; its previous results are lost. "
        try:
            default: Any = default_client()
        except ValueError:
            default = None
        if isinstance(default, Client) and getattr(default.cluster, "id", None) == other.id:
            return ClientClosed(f"{how}Compute them again.")
        connect = f"%gpucluster connect {model.name}"
        if not this_process().startswith("notebook"):
            connect = f'gpucluster.connect("{model.name}").get_client()'
        return ClientClosed(f"{how}Connect to it and compute them again: {connect}")

    def after_the_release(self, why: str) -> ResultsAreReleased:
        return ResultsAreReleased(why)

    def after_the_restart(self, key: Any, when: datetime) -> ResultsAreLost:
        """Return the error for needing results that were lost when all workers were restarted."""
        shell, model = loaded_shell(), self._model()
        variables = [] if shell is None else variables_of(shell.user_ns, key)
        lost = ", ".join(f"'{name}'" for name in variables or [kind(key)])
        cluster = "the cluster" if model is None else f"the cluster '{model.name}'"
        return ResultsAreLost(
            f"The results of {lost} were lost when {cluster} was restarted at {when:%H:%M}. "
            + ("Compute them again." if shell is None else "Run the cell that computes them again.")
        )

    def after_the_end(self) -> ClientClosed:
        """Return the error for requests to this client once it is closed."""
        return self._closed(
            "This client is closed; the cluster '{0}' keeps running. Create another client: "
            'gpucluster.connect("{0}").get_client().',
            f"Its workers' results are lost. {BEFORE_IT_ENDS} To continue, take another lease, or create a cluster: "
            "gpucluster.create(), then gpucluster.connect().get_client().",
            "The cluster's data is lost. Start it again in the panel, or create another cluster with "
            "gpucluster.create(); then create a client: gpucluster.connect().get_client(). "
            "To compute without a cluster: client.close().",
        )

    def after_the_loss(self) -> ClientClosed:
        """Return the error for computing in this process with what this client held."""
        return self._closed(
            "This needs results of the cluster '{0}', whose client is closed. Create another client, "
            'gpucluster.connect("{0}").get_client(), and compute them again.',
            f"Its workers' results are lost, and this needs some of them. {BEFORE_IT_ENDS} Compute them again, here "
            "or in another lease.",
            "The cluster's data is lost, and this needs some of it. Compute it again, here or on another cluster: "
            "gpucluster.create(), then gpucluster.connect().get_client().",
        )

    def _closed(self, running: str, leased: str, ended: str) -> ClientClosed:
        """Return the error for a cluster that still runs, an ended lease, or another ended cluster."""
        model = self._model()
        if model is not None and not is_over(model):
            return ClientClosed(running.format(model.name))
        if (again := self._started_again(model)) is not None:
            return again
        how = "Its cluster has ended." if model is None else how_it_ended(model, self._stopped_by(model))
        return ClientClosed(f"{how} {leased if model is not None and model.lease is not None else ended}")
