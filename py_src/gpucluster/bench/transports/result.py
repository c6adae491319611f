"""What was measured by transport, as it is written down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from ..result import HostFacts
from ..statistics import Spread, spread_of


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Messages(_Model):
    """Blocks from worker to worker over one transport."""

    sizes: list[int] = Field(description="Bytes of each block.")
    seconds: list[float] = Field(description="One way, for each size: the median of all turns.")
    quartiles: list[tuple[float, float]] = Field(description="Lower and upper quartile of the turns, for each size.")
    latency_seconds: float = Field(description="α of the line α + β × size that fits the times best.")
    bytes_per_second: float = Field(description="1 / β of that line.")

    @classmethod
    def of(cls, sizes: Sequence[int], turns: Sequence[Sequence[float]]) -> Messages:
        """Return the medians of some turns, and the line through them."""
        spreads = [spread_of([turn[place] for turn in turns]) for place in range(len(sizes))]
        seconds = [spread.median for spread in spreads]
        latency, each = fitted(sizes, seconds)
        quartiles = [(spread.lower, spread.upper) for spread in spreads]
        return cls(
            sizes=list(sizes), seconds=seconds, quartiles=quartiles, latency_seconds=latency, bytes_per_second=1 / each
        )

    def line(self, size: float) -> float:
        """Return the seconds that the line says of a size."""
        return self.latency_seconds + size / self.bytes_per_second


def fitted(sizes: Sequence[int], seconds: Sequence[float]) -> tuple[float, float]:
    """Return α and β of the line that is nearest in proportion: a tenth off counts alike at all sizes."""
    times = np.asarray(seconds)
    rows = np.stack([1 / times, np.asarray(sizes) / times], axis=1)
    (latency, each), *_ = np.linalg.lstsq(rows, np.ones(len(times)), rcond=None)
    return max(float(latency), 0.0), max(float(each), 1e-15)


class Timed(_Model):
    """One workload over all transports."""

    workload: str
    title: str
    size: str
    seconds: dict[str, list[float]] = Field(description="Of each run that counts, by transport.")

    def spread(self, transport: str) -> Spread:
        """Return median and quartiles."""
        return spread_of(self.seconds[transport])


class TransportResult(_Model):
    """Everything that one comparison of transports found out."""

    format: Literal["transports-1"] = "transports-1"
    started_at: str
    wall_seconds: float
    n_workers: int
    n_repeats: int
    transports: list[str]
    messages: dict[str, Messages]
    workloads: list[Timed]
    hosts: list[HostFacts]
    versions: dict[str, str]
    notes: list[str] = Field(default_factory=list)

    def save(self, path: Path) -> None:
        """Write everything as JSON."""
        path.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")
