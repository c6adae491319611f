"""Reading the telemetry of a cluster: lines of JSON from its process, one sample a second."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from pydantic import ValidationError

from ..protocol.errors import ClusterNotFound, GPUClusterError, SupervisorUnreachable
from ..protocol.models import ClusterModel, ClusterState, Telemetry
from ..protocol.telemetry import TelemetrySample
from ..registry.record import Folder
from ..registry.store import Registry
from .transport import stream_lines

RETRY_SECONDS = 1.0
SAMPLE_SECONDS = 10.0


def is_sampled(model: ClusterModel) -> bool:
    """Return whether a cluster has figures now."""
    return model.state in {ClusterState.RUNNING, ClusterState.SCALING}


def telemetry_lines(folder: Folder) -> AsyncGenerator[bytes, None]:
    """Yield each sample as the JSON of a whole event, not parsed, until the cluster's process ends the stream.

    Raises
    ------
    SupervisorUnreachable, GPUClusterError
    """
    return stream_lines(folder, "/telemetry")


async def follow_telemetry(registry: Registry, id: str) -> AsyncGenerator[bytes, None]:
    """Yield samples like ``telemetry_lines``, over another connection where one breaks, until the cluster has ended.

    Raises
    ------
    SupervisorUnreachable, GPUClusterError
        There was not one sample.
    """
    folder = registry.folder(id)
    heard = False
    while True:
        try:
            async with aclosing(telemetry_lines(folder)) as lines:
                async for line in lines:
                    heard = True
                    yield line
        except GPUClusterError:
            if not heard:
                raise
        if _has_ended(registry, id):
            return
        await asyncio.sleep(RETRY_SECONDS)


async def newest_sample(folder: Folder) -> TelemetrySample:
    """Return the first sample that a supervisor sends.

    Raises
    ------
    SupervisorUnreachable, GPUClusterError
    """
    try:
        async with asyncio.timeout(SAMPLE_SECONDS), aclosing(telemetry_lines(folder)) as lines:
            async for line in lines:
                return Telemetry.model_validate_json(line).sample
    except (TimeoutError, ValidationError) as error:
        raise SupervisorUnreachable("The cluster's process sent no figures; it may be very busy.") from error
    raise SupervisorUnreachable("The cluster's process sent no figures; it has just ended.")


def _has_ended(registry: Registry, id: str) -> bool:
    try:
        return registry.find(id).state.ended
    except ClusterNotFound:
        return True
    except (GPUClusterError, OSError):  # A record of another version, or a full disk.
        return False
