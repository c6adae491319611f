"""Keywords of ``LocalCluster`` and ``LocalCUDACluster``, mapped to options of gpucluster, and numbers of workers.

An equivalent becomes a field of the spec. What is true here anyway is ignored. What has no effect, because the cluster
runs in separate processes, causes a warning; what cannot be done raises an error that names an alternative. A number of
workers may be given as a count, memory or cores, as in the requests to Dask's clusters.
"""

from __future__ import annotations

import math
import operator
import os
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from operator import not_
from typing import Any, overload

from ..protocol.durations import parse_seconds
from ..protocol.errors import InvalidRequest, refused_field
from ..protocol.kinds import find_kind
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
        raise refused_field(field, "the memory of a worker is unknown until one runs; pass a number of workers first")
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


class KeywordWithoutEffect(UserWarning):
    """A keyword of Dask that has no effect on a cluster in separate processes."""


class SettingWithoutEffect(UserWarning):
    """A setting of ``dask.config`` that has no effect on a running scheduler."""


@dataclass(frozen=True)
class _Given:
    """One keyword, and the result so far."""

    keyword: str
    value: Any
    fields: Collection[str]  # Of the kind's spec; empty: unknown.
    spec: dict[str, Any]
    warnings: list[str]

    def without_effect(self, sentence: str) -> None:
        self.warnings.append(f"{self.keyword}={self.value!r} has no effect: {sentence}"[:400])

    def refusal(self, sentence: str) -> InvalidRequest:
        return refused_field(self.keyword, sentence)

    def seconds(self) -> float:
        return _read(self.keyword, parse_seconds, self.value)


_Reader = Callable[[_Given], object]
_FIRST = {"protocol": 0, "host": 1, "ip": 1}  # Read before what depends on them.


def read_keywords(options: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the spec fields that keywords stand for, and warnings."""
    fields = _fields_of(options.get("backend"))
    spec: dict[str, Any] = {}
    found: list[str] = []
    for keyword in sorted(options, key=lambda name: _FIRST.get(name, len(_FIRST))):
        value = options[keyword]
        reader = _SAME.get(keyword) or (None if keyword in fields else _OTHERS.get(keyword))
        if reader is None:
            spec[keyword] = whole(value)
        elif value is not None:  # None is Dask's way to leave something to it.
            reader(_Given(keyword, value, fields, spec, found))
    return spec, found


def warn_without_effect(sentences: Collection[str], *, stacklevel: int) -> None:
    """Warn about keywords without effect, at the caller's line."""
    for sentence in sentences:
        warnings.warn(sentence, KeywordWithoutEffect, stacklevel=stacklevel + 1)


def _fields_of(backend: Any) -> Collection[str]:
    found = find_kind(backend) if isinstance(backend, str) else None
    return found.kind.spec.model_fields if found is not None and found.kind is not None else ()


# -- equivalents -----------------------------------------------------------------------------------


def _field(convert: Callable[[Any], Any], name: str | None = None) -> _Reader:
    """Return a reader that makes the converted value a field, by default of the keyword's name."""

    def read(given: _Given) -> None:
        given.spec[name or given.keyword] = convert(given.value)

    return read


def _preloaded(value: Any) -> Any:
    names = [value] if isinstance(value, (str, os.PathLike)) else value
    return [_module_or_file(name) for name in names] if isinstance(names, (list, tuple)) else names


def _module_or_file(name: Any) -> Any:
    """Return the absolute path of a file: the workers may have another directory."""
    text = os.fspath(name) if isinstance(name, os.PathLike) else name
    is_file = isinstance(text, str) and text.endswith(".py") and "://" not in text
    return os.path.abspath(text) if is_file else text


def _pairs(value: Any) -> Any:
    return {name: whole(one) for name, one in value.items()} if isinstance(value, Mapping) else value


def _parts(value: Any) -> Any:
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _devices(value: Any) -> list[Any]:
    parts = _parts(value)
    return [
        int(part) if isinstance(part, str) and part.isdecimal() and len(part) < 9 else whole(part)
        for part in (parts if isinstance(parts, (list, tuple)) else [parts])
    ]


def _lifetime(given: _Given) -> None:
    seconds = given.seconds()
    if seconds > 0:
        given.spec[f"{given.keyword}_seconds"] = max(1, math.ceil(seconds))


def _protocol(given: _Given) -> None:
    scheme = given.value.removesuffix("://") if isinstance(given.value, str) else given.value
    if scheme == "inproc":
        given.without_effect("scheduler and workers always run in separate processes here.")
    elif scheme != "tls" or "protocol" in given.fields:  # A kind without a choice is private anyway.
        given.spec["protocol"] = scheme


# -- ignored, warned about or refused --------------------------------------------------------------


def _holds(_given: _Given) -> None:
    """Ignore it: it is true anyway, or makes no difference."""


def _security(given: _Given) -> None:
    if given.value is True:
        scheme = given.spec.get("protocol")
        if scheme in {"tcp", "ucx", "ucxx"}:
            raise given.refusal(f"anyone on this machine can connect with protocol {scheme!r}; omit protocol")
    elif given.value is not False:
        raise given.refusal("each cluster creates its own credentials (cluster.security); omit it, or pass True")


def _host(given: _Given) -> None:
    scheme, _, host = str(given.value).rpartition("://")
    if scheme and "protocol" not in given.spec:
        given.spec["protocol"] = scheme
    name = host if host.startswith("[") or host.count(":") > 1 else host.partition(":")[0]
    if name not in {"", "localhost", "127.0.0.1", "::1", "[::1]"}:
        raise given.refusal(
            f"a cluster can be reached from this machine only, not at {str(given.value)[:60]!r}; for workers on "
            "several machines use another kind of cluster"
        )


def _warned(why: str, unless: Callable[[Any], bool] = lambda value: False) -> _Reader:
    """Return a reader that warns about a keyword, unless its value is what is true here anyway."""

    def warn(given: _Given) -> None:
        if not unless(given.value):
            given.without_effect(why)

    return warn


def _is_empty(value: Any) -> bool:
    return not isinstance(value, type) and not value


def _refused(instead: str, unless: Callable[[Any], bool] = _is_empty) -> _Reader:
    """Return a reader that refuses a keyword, naming the alternative."""

    def refuse(given: _Given) -> None:
        if not unless(given.value):
            raise given.refusal(instead)

    return refuse


_NO_CLASSES = "scheduler and workers are Dask's own classes here; use plugins: client.register_plugin(plugin)"
_NO_SERVICES = "scheduler and workers run no other services here; use plugins: client.register_plugin(plugin)"
_NO_PAGES = _warned(
    "workers have no web pages; the scheduler's dashboard shows them.", unless=lambda value: value is False
)
_CUDF_SPILLS = "use enable_cudf_spill or device_memory_limit"

_SAME: dict[str, _Reader] = {
    "CUDA_VISIBLE_DEVICES": _field(_devices, "devices"),
    "env": _field(_pairs),
    "lifetime": _lifetime,
    "lifetime_stagger": _lifetime,
    "local_directory": _field(
        lambda value: os.path.abspath(os.fspath(value)) if isinstance(value, (str, os.PathLike)) else value
    ),
    "pre_import": _field(_parts),
    "preload": _field(_preloaded),
    "protocol": _protocol,
    "resources": _field(_pairs),
    "threads_per_worker": _field(whole),
}
"""Keywords that become a field of the spec."""

_OTHERS: dict[str, _Reader] = {
    "blocked_handlers": _refused("the scheduler accepts only your connections; omit it"),
    "dashboard": _NO_PAGES,
    "dashboard_address": _warned(
        "the dashboard is private; cluster.dashboard_link opens it.",
        unless=lambda value: str(value) in {":0", "0", "False"},
    ),
    "data": _refused("workers keep results as their kind of cluster does; omit it"),
    "death_timeout": _Given.seconds,  # Only checked: workers end at once when their scheduler is gone.
    "host": _host,
    "interface": _refused(
        "this kind of cluster does not use the network; omit it, or use another kind for several machines",
        unless=lambda value: value == "lo",
    ),
    "ip": _host,
    "jit_unspill": _refused(_CUDF_SPILLS),
    "lifetime_restart": _holds,
    "log_spilling": _refused("the gauges show what was spilled; omit it"),
    "loop": _warned("the cluster has its own event loop, in a separate process."),
    "plugins": _refused("register them on the cluster: client.register_plugin(plugin)"),
    "preload_argv": _refused("preloaded modules get no arguments here; read os.environ in them, and set env={…}"),
    "processes": _warned(
        "workers are always separate processes here; threads_per_worker sets how many tasks one runs.", unless=bool
    ),
    "scheduler_kwargs": _refused(_NO_CLASSES),
    "scheduler_port": _warned(
        "a cluster is found by its name: gpucluster.connect(name), or Client('gpucluster://name').", unless=not_
    ),
    "scheduler_sync_interval": _holds,
    "security": _security,
    "service_kwargs": _refused(_NO_SERVICES),
    "services": _refused(_NO_SERVICES),
    "shared_filesystem": _holds,
    "silence_logs": _holds,
    "start": _holds,
    "worker_class": _refused(_NO_CLASSES),
    "worker_dashboard_address": _NO_PAGES,
    "worker_services": _refused(_NO_SERVICES),
}
"""Keywords that do not, unless the kind has a field of that name."""
