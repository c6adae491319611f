"""Metrics for Prometheus, in the text format of OpenMetrics, for who is logged in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jupyter_server.auth.decorator import authorized
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest
from tornado.web import authenticated

from ..client.telemetry import is_sampled
from ..protocol.errors import GPUClusterError
from ..protocol.models import ClusterModel
from ..protocol.telemetry import TelemetrySample
from .api import ClusterAPIHandler
from .host_devices import DeviceReader
from .metric_families import Families, cluster_families, gpu_families

ANSWER_SECONDS = 5.0
"""So long a cluster may take: Prometheus waits ten seconds for all of them."""


class MetricsHandler(ClusterAPIHandler):
    """Figures of all clusters, their workers and this machine's GPUs."""

    polled = True
    devices: DeviceReader

    @authenticated
    @authorized
    async def get(self) -> None:
        """Return the metrics."""
        models = await self.control.list()
        samples, host = await asyncio.gather(self._samples(models), self.devices.read())
        text = await asyncio.to_thread(
            generate_latest, Families([*cluster_families(models, samples), *gpu_families(host)])
        )
        self.finish(text, set_content_type=CONTENT_TYPE_LATEST)

    async def _samples(self, models: Sequence[ClusterModel]) -> dict[str, TelemetrySample]:
        asked = [model.id for model in models if is_sampled(model)]
        told = await asyncio.gather(*map(self._sample, asked))
        return {id: sample for id, sample in zip(asked, told, strict=True) if sample is not None}

    async def _sample(self, id: str) -> TelemetrySample | None:
        try:
            return await self.control.glance(id, timeout=ANSWER_SECONDS)
        except GPUClusterError:
            return None  # It is busy, or has just ended; the others are told all the same.
