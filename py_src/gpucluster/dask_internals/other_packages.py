"""Packages beside Dask: dask-cuda, dask-gateway (2025.4), dask-jobqueue (0.9), and kr8s (0.20) of Dask's operator."""

import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any

from ..operating_system.resources import usable_processors


def slurm_jobs() -> Any:
    """Import dask-jobqueue and return its ``SLURMJob``.

    The module ``dask_jobqueue.runner``, which comes with it, handles SIGINT itself: from then on Ctrl-C would end the
    process silently, and a computation's interruption would be a ``SystemExit``. The previous handler is restored.

    Raises `ImportError`: dask-jobqueue is not installed.
    """
    before = signal.getsignal(signal.SIGINT)
    try:
        from dask_jobqueue.slurm import SLURMJob
    finally:
        if before is not None and signal.getsignal(signal.SIGINT) is not before:
            signal.signal(signal.SIGINT, before)
    return SLURMJob


def slurm_script(command: str, *, left_out: list[str], **options: Any) -> str:
    """Return the script of a job of Slurm.

    * `command`: the line that starts the worker. dask-jobqueue's own is joined with spaces and not quoted.
    * `left_out`: header lines that contain one of these are left out.
    * `options`: of ``dask_jobqueue.slurm.SLURMJob``; defaults come from the site's ``jobqueue.slurm`` in Dask's
      configuration.
    """
    job = slurm_jobs()(job_directives_skip=left_out, **options)
    job._command_template = command
    return job.job_script()


def visible_devices(position: int, devices: list[str]) -> str:
    """Return ``CUDA_VISIBLE_DEVICES``, the own device first: ``dask_cuda.utils.cuda_visible_devices`` (24.02)."""
    from dask_cuda.utils import cuda_visible_devices

    return str(cuda_visible_devices(position, devices))


@contextmanager
def affinity_of_any_device() -> Iterator[None]:
    """Let workers use all CPUs if NVML does not know which are near a GPU.

    dask-cuda means to do so, but for a device given by UUID it fails on formatting its own warning. Relies on
    ``dask_cuda.worker_common.get_cpu_affinity``, called as a name of that module (25.02).
    """
    import dask_cuda.worker_common

    original = dask_cuda.worker_common.get_cpu_affinity

    def forgiving(device: Any) -> list[int]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                cpus: list[int] = original(device)
            return cpus
        except TypeError:
            return usable_processors()

    dask_cuda.worker_common.get_cpu_affinity = forgiving
    try:
        yield
    finally:
        dask_cuda.worker_common.get_cpu_affinity = original


SCHEME = "gateway"


def know_addresses() -> None:
    """Register the address scheme ``gateway`` with distributed, in this process.

    Importing ``dask_gateway.comm`` registers it; the package has no entry point ``distributed.comm.backends``.

    Raises `ImportError`: dask-gateway is not installed.
    """
    import dask_gateway.comm  # noqa: F401


async def ask(gateway: Any, method: str, path: str, body: Any = None) -> Any:
    """Send a request to the server as ``Gateway`` does, with its login; returns the answer, ``None`` if it is empty.

    Relies on the coroutine ``Gateway._request(method, url, json=…)``, which raises ``ValueError`` with the server's
    message for 404 and 422, ``GatewayClusterError`` for 409 and ``GatewayServerError`` for 500, and on
    ``Gateway.address``.

    * `gateway`: an asynchronous one.
    * `method`: of HTTP.
    * `path`: below the server's address, with a leading slash.
    * `body`: JSON types.
    """
    answer = await gateway._request(method, f"{gateway.address}{path}", json=body)
    text = await answer.text()
    return await answer.json() if text else None


async def clock(gateway: Any) -> float:
    """Return the server's time in seconds since 1970, from the header ``Date`` of an HTTP response.

    Relies on the same as ``ask``, and on answers being those of ``aiohttp``.
    """
    answer = await gateway._request("GET", f"{gateway.address}/api/version")
    return parsedate_to_datetime(answer.headers["Date"]).timestamp()


def refusals() -> tuple[type[Exception], type[Exception]]:
    """Return ``GatewayClusterError`` and ``GatewayServerError``."""
    from dask_gateway import GatewayClusterError, GatewayServerError

    return GatewayClusterError, GatewayServerError


async def close_connections(api: Any) -> None:
    """End the connections of a ``kr8s.asyncio.Api``; it makes new ones on the next use.

    Relies on ``Api._session``, an ``httpx.AsyncClient`` or ``None`` (0.20).
    """
    if api._session is not None:
        await api._session.aclose()
