"""Whether a sample that was read from a file is one that a cluster could have sent."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from ..protocol.recordings import TIME_PATTERN
from ..protocol.telemetry import TelemetrySample

_TIME = re.compile(TIME_PATTERN)
"""As browsers read it, too; Python reads more."""
_MOST_WORKERS = 10_000
_MOST_LETTERS = 300
_MOST_PREFIXES = 100
_MOST_STATES = 30
_LARGEST = 2**60
_OTHERS = {"id", "at", "workers", "tasks", "progress"}
_COLUMNS = [name for name in TelemetrySample.model_fields if name not in _OTHERS]
_OF_GPUS = ("vram_", "gpu_", "rmm_", "device", "pcie_", "nvlink_", "tier_device_", "cudf_")
_WITHOUT_GPUS: dict[str, None] = {name: None for name in _COLUMNS if name.startswith(_OF_GPUS)}


def moment(at: str) -> float:
    """Return a time as seconds.

    Raises
    ------
    ValueError
        When it is none.
    """
    if not _TIME.fullmatch(at):
        raise ValueError("must be a time in UTC")
    return datetime.fromisoformat(at).astimezone(UTC).timestamp()


def without_gpus(sample: TelemetrySample) -> TelemetrySample:
    """Return the sample without figures of GPUs: a recording of CPU workers shows none, whatever is in the file.

    A worker that has just started tells those of its machine for a moment.
    """
    return sample.model_copy(update=_WITHOUT_GPUS)


def is_sound(sample: TelemetrySample) -> bool:
    """Return whether columns are as long as there are workers, and figures such as can be measured."""
    workers = sample.workers
    if len(workers) > _MOST_WORKERS or len(set(workers)) != len(workers) or not all(map(_is_text, workers)):
        return False
    for name in _COLUMNS:
        values = getattr(sample, name)
        if isinstance(values, list):
            if len(values) != len(workers) or not all(map(_is_measurable, values)):
                return False
        elif not _is_measurable(values):
            return False
    if len(sample.progress) > _MOST_PREFIXES or len(sample.tasks) > _MOST_STATES:
        return False
    counts = [count for kind in sample.progress for count in kind.model_dump(exclude={"prefix"}).values()]
    names = [*sample.tasks, *(kind.prefix for kind in sample.progress)]
    return all(map(_is_measurable, [*sample.tasks.values(), *counts])) and all(map(_is_text, names))


def _is_measurable(value: Any) -> bool:
    if isinstance(value, (int, float)):
        return 0 <= value < _LARGEST  # which NaN is not
    return value is None or _is_text(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _MOST_LETTERS
