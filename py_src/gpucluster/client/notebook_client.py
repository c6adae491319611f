"""A ``distributed.Client`` that gives no secret away in a notebook, and goes when its cluster does. Imports Dask."""

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
from ..dask_internals.comm_parts import CommClosedError
from ..protocol.errors import ClusterEnded, GPUClusterError, InvalidState
from ..protocol.messages import MessageCode
from ..protocol.models import ClusterModel
from ..registry.moments import stamped
from .cells import current_cell
from .control import this_process
from .dask_keywords import SettingWithoutEffect
from .display.dashboard import jupyter_link
from .stopping import BEFORE_IT_ENDS, how_it_ended, is_lease_of_this_process, is_over, stopped_by

_HIDDEN = "https://dashboard.gpucluster.invalid/"
"""Stands in the picture for a link that holds a secret, and is taken out of it again."""
MORE_MEMORY = "Give each worker more (memory_limit), and have fewer, or each task less: smaller chunks or partitions."
_JUST = timedelta(minutes=2)
"""Of workers that die one after the other, not each gives a notice; what died longer ago may have had another cause."""
_END_SECONDS = 2.0  # A killed process closes its connections, and is known to be gone so much later.
_LOOK_SECONDS = 0.05
_shown: ContextVar[bool] = ContextVar("gpucluster_client_is_shown", default=False)


class ClientClosed(ClusterEnded, ClosedClientError, CancelledError):
    """The client can compute nothing any more: mostly because its cluster has ended."""

    code = "client_closed"


class ResultsAreReleased(InvalidState, CancelledError):
    """The notebook's results were released in the panel, and are needed."""

    code = "results_released"


class Client(ClientOfCluster):
    """``distributed.Client``, as it is connected by ``Cluster.get_client``.

    Outside Jupyter the link to the dashboard holds the secret part of its address, and a notebook with it may be
    saved and passed on.

    When the cluster ends, the client closes. Whoever waits for a result then, asks this client for one, or computes
    what it was to compute as the default client, is told in a sentence what has become of the cluster. Where this very
    process has stopped it, or has closed the client, Dask computes in this process from then on; who needs results
    that the cluster held gets an error: they are lost.
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
        """Warn that these settings have no effect."""
        warnings.warn(
            f"{', '.join(names)}: dask.config differs from what the scheduler has. It has no effect on a cluster that "
            "runs already; set it before you create the cluster.",
            SettingWithoutEffect,
            stacklevel=2,
        )

    def current_cell(self) -> tuple[str, str, Mapping[str, Any]] | None:
        """Return the cell that this notebook runs."""
        cell = current_cell()
        return None if cell is None else (cell.name, cell.id, cell.facts)

    def hide_in_html(self, html: str) -> str:
        """Return how the client is shown, without a link that holds the secret."""
        link = f'<a href="{_HIDDEN}" target="_blank">{_HIDDEN}</a>'
        return html.replace(link, "<code>client.dashboard_link</code>").replace(_HIDDEN, "")

    def _repr_html_(self) -> str:
        # To be looked at must not open a port, as asking for the link does.
        shown = _shown.set(True)
        try:
            return super()._repr_html_()
        finally:
            _shown.reset(shown)

    def sync(self, func: Callable[..., Awaitable[Any]], *args: Any, **options: Any) -> Any:
        """Call a function of the client, as every request for results does."""
        __tracebackhide__ = True  # IPython shows neither of the two frames

        async def told(*args: Any, **options: Any) -> Any:
            __tracebackhide__ = True
            try:
                return await func(*args, **options)
            except (CancelledError, *AFTER_THE_END) as error:
                # A client whose scheduler was killed tries to connect again for a while, which nobody need wait for.
                if self.status in {"closing", "closed"} or await self._is_over_soon(error):
                    raise self.after_the_end() from None
                if isinstance(error, CancelledError) and (loss := self.loss(error)) is not None:
                    raise loss from None
                raise
            except KilledWorker as error:
                self._tell_why(error)
                raise

        try:
            return super().sync(told, *args, **options)  # type: ignore[no-untyped-call]
        except RuntimeError:
            if self.status != "closed":
                raise
            raise self.after_the_end() from None  # Whoever closes a client ends its event loop, too.

    def _tell_why(self, error: KilledWorker) -> None:
        """Add to Dask's error what the cluster knows of the worker that has died last, if one just has."""
        model = self._model()
        since = stamped(datetime.now(UTC) - _JUST)
        codes = (MessageCode.WORKER_DIED, MessageCode.WORKER_MEMORY)
        died = [told for told in (model.said(*codes) if model is not None else []) if (told.time or "") > since]
        if died and not getattr(error, "__notes__", None):
            error.add_note(died[-1].text)
            if died[-1].code is MessageCode.WORKER_MEMORY:
                error.add_note(MORE_MEMORY)

    async def _is_over_soon(self, error: BaseException) -> bool:
        """Return whether the cluster has ended: where a connection was lost, that may be about to be known."""
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
        """Return whether computing is refused: the cluster has ended, and not because this process wanted it to."""
        model = self._model()
        if model is None or not is_over(model) or getattr(self.cluster, "asynchronous", False):
            return False
        if is_lease_of_this_process(model):
            return False
        return self._stopped_by(model) != this_process()

    def _stopped_by(self, model: ClusterModel) -> str | None:
        handle: Any = self.cluster  # where the model is from, too
        return stopped_by(handle.control.registry, model)

    def _started_again(self, model: ClusterModel | None) -> ClientClosed | None:
        """Return the message about an ended cluster where another one of its name runs."""
        if model is None:
            return None
        handle: Any = self.cluster
        try:
            other: ClusterModel = handle.control.registry.find(model.name)
        except (GPUClusterError, OSError):
            return None
        if other.id == model.id or is_over(other):
            return None
        how = f"The cluster '{model.name}' was started again; the results of the first one are lost. "
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
        """Return what to raise when released results are needed."""
        return ResultsAreReleased(why)

    def after_the_end(self) -> ClientClosed:
        """Return the sentence for whoever asks this client for something when it is closed."""
        model = self._model()
        if model is not None and not is_over(model):
            return ClientClosed(
                f"This client is closed; the cluster '{model.name}' keeps running. Create another client: "
                f'gpucluster.connect("{model.name}").get_client().'
            )
        if (again := self._started_again(model)) is not None:
            return again
        how = "Its cluster has ended." if model is None else how_it_ended(model, self._stopped_by(model))
        if model is not None and model.lease is not None:
            return ClientClosed(
                f"{how} Its workers' results are lost. {BEFORE_IT_ENDS} To continue, take another lease, or create a "
                "cluster: gpucluster.create(), then gpucluster.connect().get_client()."
            )
        return ClientClosed(
            f"{how} What the cluster held is lost. Start it again in the panel, or create another cluster with "
            "gpucluster.create(); then make a client: gpucluster.connect().get_client(). "
            "To compute without a cluster: client.close()."
        )

    def after_the_loss(self) -> ClientClosed:
        """Return the sentence for whoever computes in this process with what this client held."""
        model = self._model()
        if model is not None and not is_over(model):
            return ClientClosed(
                f"This needs results of the cluster '{model.name}', whose client is closed. Create another client, "
                f'gpucluster.connect("{model.name}").get_client(), and compute them again.'
            )
        if (again := self._started_again(model)) is not None:
            return again
        how = "Its cluster has ended." if model is None else how_it_ended(model, self._stopped_by(model))
        if model is not None and model.lease is not None:
            return ClientClosed(
                f"{how} Its workers' results are lost, and this needs some of them. {BEFORE_IT_ENDS} Make it again, "
                "here "
                "or in another lease."
            )
        return ClientClosed(
            f"{how} What the cluster held is lost, and this needs some of it. Make that again, here or on another "
            "cluster: gpucluster.create(), then gpucluster.connect().get_client()."
        )
