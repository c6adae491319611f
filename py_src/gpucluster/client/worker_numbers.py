"""Number of workers from a count, memory or cores, as in the requests to Dask's clusters."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from datetime import timedelta
from typing import Any, overload

from ..protocol.durations import parse_seconds
from ..protocol.errors import refused_field
from ..protocol.models import ClusterModel
from ..protocol.plain_text import counted
from ..protocol.sizes import format_size, parse_size


def whole(value: Any) -> Any:
    """Return a whole number of any library, such as NumPy, as Python's own; anything else unchanged."""
    if isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    try:
        return operator.index(value)
    except TypeError:
        return value


def wanted_workers(model: ClusterModel, n: Any = None, *, memory: Any = None, cores: Any = None) -> Any:
    """Return the number of workers that satisfies all given requests."""
    n = whole(n)
    if memory is None and cores is None:
        if n is None:
            raise refused_field("n", "pass a number of workers: scale(4), scale(memory='8 GiB') or scale(cores=8)")
        return n
    most = 0 if n is None else n
    if memory is not None:
        most = _larger(most, math.ceil(_bytes("memory", memory) / memory_of_worker(model, "memory")))
    if cores is not None:
        most = _larger(most, math.ceil(_number("cores", cores) / threads_of_worker(model)))
    return most


def bounded_workers(
    model: ClusterModel, minimum: Any, maximum: Any, *,
    minimum_cores: Any = None, maximum_cores: Any = None, minimum_memory: Any = None, maximum_memory: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Return the requested minimum and maximum; a maximum of ``None`` is left open."""
    minimum = 0 if minimum is None else whole(minimum)
    maximum = None if maximum is None or maximum == math.inf else whole(maximum)
    if minimum_cores is not None:
        minimum = _larger(minimum, math.ceil(_number("minimum_cores", minimum_cores) / threads_of_worker(model)))
    if minimum_memory is not None:
        share = _bytes("minimum_memory", minimum_memory) / memory_of_worker(model, "minimum_memory")
        minimum = _larger(minimum, math.ceil(share))
    if maximum_cores is not None:
        threads = threads_of_worker(model)
        most = int(_number("maximum_cores", maximum_cores) // threads)
        maximum = _smaller(maximum, _some("maximum_cores", most, f"one worker has {counted(threads, 'core')}"))
    if maximum_memory is not None:
        size = memory_of_worker(model, "maximum_memory")
        most = math.floor(_bytes("maximum_memory", maximum_memory) / size)
        maximum = _smaller(maximum, _some("maximum_memory", most, f"one worker has {format_size(size)}"))
    return minimum, maximum


def _some(field: str, most: int, one: str) -> int:
    """Return how many workers fit, at least one."""
    if most < 1:
        raise refused_field(field, f"is less than one worker needs: {one}")
    return most


def threads_of_worker(model: ClusterModel) -> int:
    return model.workers[0].n_threads if model.workers else model.spec.threads_per_worker


def memory_of_worker(model: ClusterModel, field: str) -> int:
    """Return how much memory a worker of this cluster may use."""
    limit = model.workers[0].memory_limit_bytes if model.workers else model.spec.memory_limit
    if not limit:
        raise refused_field(field, "this cluster's workers have no memory limit; pass a number of workers")
    if not isinstance(limit, int):
        raise refused_field(field, "the memory of a worker is not known until one runs; pass a number of workers first")
    return limit


@overload
def duration(field: str, value: float | str | timedelta) -> float: ...
@overload
def duration(field: str, value: Any) -> float | None: ...


def duration(field: str, value: Any) -> float | None:
    """Return a duration in seconds; ``None`` stays ``None``. Raises `InvalidRequest`: not a duration."""
    return None if value is None else _read(field, parse_seconds, value)


def _bytes(field: str, value: Any) -> float:
    size = _read(field, parse_size, whole(value))
    if isinstance(size, float):
        raise refused_field(field, "must be a size such as '8 GiB', not a percentage")
    return size


def _number(field: str, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, (bool, str)) else float(value)
    except (OverflowError, TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise refused_field(field, "must be a number of at least 0")
    return number


def _read(field: str, parse: Callable[[Any], float], value: Any) -> float:
    try:
        return parse(value)
    except ValueError as error:
        raise refused_field(field, str(error)) from None


def _larger(one: Any, other: int) -> Any:
    """Return the larger number. Anything else is left to the model, which refuses it with a message."""
    return max(one, other) if isinstance(one, int) else one


def _smaller(one: Any, other: int) -> Any:
    return other if one is None else min(one, other) if isinstance(one, int) else one
