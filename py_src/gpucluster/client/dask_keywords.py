"""Keywords of ``LocalCluster`` and ``LocalCUDACluster``, mapped to options of gpucluster.

An equivalent becomes a field of the spec. What is true here anyway is ignored. What has no effect, because the cluster
runs in separate processes, causes a warning; what cannot be done raises an error that names an alternative.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..protocol.durations import parse_seconds
from ..protocol.errors import InvalidRequest, refused_field
from ..protocol.kinds import find_kind
from .worker_numbers import whole


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
        try:
            return parse_seconds(self.value)
        except ValueError as error:
            raise self.refusal(str(error)) from None


_Reader = Callable[[_Given], None]
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


def _number(given: _Given) -> None:
    given.spec[given.keyword] = whole(given.value)


def _directory(given: _Given) -> None:
    known = isinstance(given.value, (str, os.PathLike))
    given.spec[given.keyword] = os.path.abspath(os.fspath(given.value)) if known else given.value


def _preload(given: _Given) -> None:
    value = given.value
    names = [value] if isinstance(value, (str, os.PathLike)) else value
    given.spec[given.keyword] = [_module_or_file(name) for name in names] if isinstance(names, (list, tuple)) else names


def _module_or_file(name: Any) -> Any:
    """Return the absolute path of a file: the workers may have another directory."""
    text = os.fspath(name) if isinstance(name, os.PathLike) else name
    is_file = isinstance(text, str) and text.endswith(".py") and "://" not in text
    return os.path.abspath(text) if is_file else text


def _pairs(given: _Given) -> None:
    value = given.value
    pairs = {name: whole(one) for name, one in value.items()} if isinstance(value, Mapping) else value
    given.spec[given.keyword] = pairs


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


def _devices(given: _Given) -> None:
    value = given.value
    parts = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
    parts = list(parts) if isinstance(parts, (list, tuple)) else [parts]
    given.spec["devices"] = [
        int(part) if isinstance(part, str) and part.isdecimal() and len(part) < 9 else whole(part) for part in parts
    ]


def _modules(given: _Given) -> None:
    value = given.value
    given.spec[given.keyword] = [part.strip() for part in value.split(",")] if isinstance(value, str) else value


# -- ignored ---------------------------------------------------------------------------------------


def _holds(_given: _Given) -> None:
    """Ignore it: it is true anyway, or makes no difference."""


def _death_timeout(given: _Given) -> None:
    given.seconds()  # Workers end at once when their scheduler is gone.


def _security(given: _Given) -> None:
    if given.value is True:
        scheme = given.spec.get("protocol")
        if scheme in {"tcp", "ucx", "ucxx"}:
            raise given.refusal(f"anyone on this machine can connect with protocol {scheme!r}; leave protocol out")
    elif given.value is not False:
        raise given.refusal("each cluster creates its own credentials (cluster.security); leave it out, or pass True")


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


def _interface(given: _Given) -> None:
    if given.value != "lo":
        raise given.refusal(
            "this kind of cluster does not use the network; leave it out, or use another kind for several machines"
        )


# -- warned about or refused -----------------------------------------------------------------------


def _processes(given: _Given) -> None:
    if not given.value:
        given.without_effect(
            "workers are always separate processes here; threads_per_worker sets how many tasks one runs."
        )


def _scheduler_port(given: _Given) -> None:
    if given.value:
        given.without_effect(
            "a cluster is found by its name: gpucluster.connect(name), or Client('gpucluster://name')."
        )


def _dashboard_address(given: _Given) -> None:
    if str(given.value) not in {":0", "0", "False"}:
        given.without_effect("the dashboard is private; cluster.dashboard_link opens it.")


def _worker_dashboard_address(given: _Given) -> None:
    if given.value is not False:
        given.without_effect("workers have no web pages; the scheduler's dashboard shows them.")


def _loop(given: _Given) -> None:
    given.without_effect("the cluster has its own event loop, in a separate process.")


def _refused(instead: str) -> _Reader:
    """Return a reader that refuses a keyword, naming the alternative, unless its value is empty."""

    def refuse(given: _Given) -> None:
        if isinstance(given.value, type) or bool(given.value):
            raise given.refusal(instead)

    return refuse


_NO_CLASSES = "scheduler and workers are Dask's own classes here; use plugins: client.register_plugin(plugin)"
_NO_SERVICES = "scheduler and workers run no other services here; use plugins: client.register_plugin(plugin)"
_CUDF_SPILLS = "use enable_cudf_spill, or device_memory_limit"

_SAME: dict[str, _Reader] = {
    "CUDA_VISIBLE_DEVICES": _devices,
    "env": _pairs,
    "lifetime": _lifetime,
    "lifetime_stagger": _lifetime,
    "local_directory": _directory,
    "pre_import": _modules,
    "preload": _preload,
    "protocol": _protocol,
    "resources": _pairs,
    "threads_per_worker": _number,
}
"""Keywords that become a field of the spec."""

_OTHERS: dict[str, _Reader] = {
    "blocked_handlers": _refused("the scheduler accepts only your connections; leave it out"),
    "dashboard": _worker_dashboard_address,
    "dashboard_address": _dashboard_address,
    "data": _refused("workers keep results as their kind of cluster does; leave it out"),
    "death_timeout": _death_timeout,
    "host": _host,
    "interface": _interface,
    "ip": _host,
    "jit_unspill": _refused(_CUDF_SPILLS),
    "lifetime_restart": _holds,
    "log_spilling": _refused("the gauges show what was spilled; leave it out"),
    "loop": _loop,
    "plugins": _refused("register them on the cluster: client.register_plugin(plugin)"),
    "preload_argv": _refused("preloaded modules get no arguments here; read os.environ in them, and set env={…}"),
    "processes": _processes,
    "scheduler_kwargs": _refused(_NO_CLASSES),
    "scheduler_port": _scheduler_port,
    "scheduler_sync_interval": _holds,
    "security": _security,
    "service_kwargs": _refused(_NO_SERVICES),
    "services": _refused(_NO_SERVICES),
    "shared_filesystem": _holds,
    "silence_logs": _holds,
    "start": _holds,
    "worker_class": _refused(_NO_CLASSES),
    "worker_dashboard_address": _worker_dashboard_address,
    "worker_services": _refused(_NO_SERVICES),
}
"""Keywords that do not, unless the kind has a field of that name."""
