"""Dask's configuration: errors in it, before Dask fails on them, and settings that a client changes later.

Relies on where ``dask.config`` looks for files, on ``distributed.yaml`` with distributed's defaults, and on how
distributed uses them.
"""

import logging.config
import os
import site
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from numbers import Real
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

_INHERITED = "DASK_INTERNAL_INHERIT_CONFIG"
_DURATIONS_OR_NULL = frozenset({
    "distributed.scheduler.idle-timeout", "distributed.scheduler.no-workers-timeout",
    "distributed.scheduler.worker-ttl", "distributed.worker.lifetime.duration",
})  # fmt: skip
_SIZES = frozenset({"distributed.scheduler.bandwidth"})  # Sizes whose default is a number.
_SIZES_OR_FALSE = frozenset({"distributed.worker.memory.max-spill"})
_FRACTIONS = "distributed.worker.memory."
_TASK_DURATIONS = "distributed.scheduler.default-task-durations."
_NOT_LOOKED_AT = (
    "distributed.version", "distributed.comm.tls.", "distributed.nanny.environ",
    "distributed.nanny.pre-spawn-environ", "distributed.scheduler.dashboard.bokeh-application",
    "distributed.worker.resources", "distributed.comm.ucx", "distributed.rmm",
)  # fmt: skip
_LOGGING = frozenset({"logging", "logging-file-config"})
_EVENT_LOOPS = ("asyncio", "tornado", "uvloop")
_DURATION = "a duration, such as '30s' or '5 minutes'"
_SIZE = "a size, such as '64 MiB'"


def why_unreadable(error: Exception) -> str:
    """Return why Dask cannot read its configuration. `error`: the one that importing Dask raised."""
    for path in _files():
        try:
            fault = _fault_of_file(path)
        except OSError:
            continue  # Dask ignores it, too.
        if fault is not None:
            return f"Dask's configuration file {path} cannot be read: {fault}."
    variables = ", ".join(sorted(name for name in os.environ if name.startswith("DASK_"))) or "none"
    reason = " ".join(str(error).split()).rstrip(".")
    return (
        f"Dask cannot be imported: {type(error).__name__}: {reason}. Variables of the environment that it "
        f"reads settings from: {variables}."
    )


def wrong_settings() -> list[str]:
    """Return what keeps a cluster from starting, by effective values; imports ``dask.config``, nothing larger."""
    found: list[str] = []
    sources = [(source, settings) for source, settings in _sources() if {"distributed", *_LOGGING} & settings.keys()]
    if not sources:
        return found
    defaults = _defaults()
    seen: set[str] = set()
    for source, settings in sources:
        for name, value, usual in _leaves(settings, defaults):
            if name not in seen:
                seen.add(name)
                if (allowed := _refused(name, value, usual)) is not None:
                    found.append(
                        f"Dask's setting {name} is {_shown(value)}, from {source}, and cannot be used. "
                        f"Allowed: {allowed}."
                    )
    return found


def _files() -> Iterator[Path]:
    folders = [
        os.environ.get("DASK_ROOT_CONFIG", "/etc/dask"),
        *(os.path.join(prefix, "etc", "dask") for prefix in (sys.prefix, *site.PREFIXES)),
        os.path.join(os.path.expanduser("~"), ".config", "dask"),
        os.environ.get("DASK_CONFIG", ""),
    ]
    for folder in filter(None, dict.fromkeys(folders)):
        path = Path(folder)
        if not path.is_dir():
            yield path
            continue
        try:
            yield from sorted(each for each in path.iterdir() if each.suffix.lower() in {".json", ".yaml", ".yml"})
        except OSError:
            continue


def _fault_of_file(path: Path) -> str | None:
    try:
        read = yaml.safe_load(path.read_text())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = "" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: "
        return f"{where}{', '.join(filter(None, (error.problem, error.context)))}"
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        return " ".join(str(error).split()).rstrip(".")
    if read is None:
        return None
    if not isinstance(read, dict):
        return f"it must contain names with values, such as 'distributed:', not {_shown(read)}"
    odd = next(_names_that_are_no_text(read), None)
    return None if odd is None else f"the name {odd!r} is not a string; put it in quotation marks"


def _names_that_are_no_text(settings: Mapping[Any, Any]) -> Iterator[Any]:
    for name, value in settings.items():
        if not isinstance(name, str):
            yield name
        if isinstance(value, Mapping):
            yield from _names_that_are_no_text(value)


def _sources() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the sources of settings, in order of precedence."""
    import dask.config

    for name in os.environ:
        if name.startswith("DASK_") and name != _INHERITED:
            yield f"the variable {name}", dask.config.collect_env({name: os.environ[name]})
    if _INHERITED in os.environ:
        yield "dask.config.set where the cluster was created", dask.config.collect_env({
            _INHERITED: os.environ[_INHERITED]
        })  # fmt: skip
    files = list(dask.config.collect_yaml(dask.config.paths, return_paths=True))
    yield from ((f"the file {path}", settings) for path, settings in reversed(files))


def _defaults() -> Mapping[str, Any]:
    spec = find_spec("distributed")
    places: Sequence[str] = spec.submodule_search_locations or () if spec is not None else ()
    for place in places:
        read = yaml.safe_load((Path(place) / "distributed.yaml").read_text())
        return {"distributed": read["distributed"]}
    return {}


def _leaves(settings: Mapping[str, Any], usual: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the settings that distributed knows, with their defaults, including values in place of a group."""
    known = {str(name).replace("_", "-"): value for name, value in usual.items()}
    for name, value in settings.items():
        name = str(name).replace("_", "-")
        default = known.get(name)
        if isinstance(default, Mapping) and isinstance(value, Mapping):
            yield from _leaves(value, default, f"{place}{name}.")
        elif name in known or place == _TASK_DURATIONS or (name in _LOGGING and place in {"", "distributed."}):
            yield f"{place}{name}", value, default


def _refused(name: str, value: Any, usual: Any) -> str | None:
    """Return what is allowed, if a value is not."""
    if name.startswith(_NOT_LOOKED_AT):
        return None
    if name.endswith("logging"):
        return _refused_logging(value)
    if name.endswith("logging-file-config"):
        return None if isinstance(value, str) and os.path.isfile(value) else "the path of a file for logging.config"
    if isinstance(usual, Mapping):
        return "names with values below it; remove the line if there is none"
    if name == "distributed.admin.log-format":
        return None if _works(logging.Formatter, value) else "a format of logging, such as '%(levelname)s %(message)s'"
    if name == "distributed.admin.event-loop":
        return None if value in _EVENT_LOOPS else ", ".join(_EVENT_LOOPS)
    if isinstance(usual, list):
        fits = isinstance(value, list) or (not usual and isinstance(value, str))
        return None if fits else "a list"
    if name in _SIZES_OR_FALSE:
        return None if value is None or value is False or _is_size(value) else f"{_SIZE}, or false"
    if name in _DURATIONS_OR_NULL:
        return None if value is None or _is_duration(value) else f"{_DURATION}, or null"
    if name in _SIZES or (isinstance(usual, str) and _is_size(usual)):
        return None if _is_size(value) else _SIZE
    if name.startswith(_TASK_DURATIONS) or (isinstance(usual, str) and _is_duration(usual)):
        return None if _is_duration(value) else _DURATION
    if name == "distributed.comm.socket-backlog":
        return None if _works(int, value) else "a whole number"
    if name == "distributed.scheduler.contact-address":
        return None if value is None or isinstance(value, str) else "an address as text, or null"
    if isinstance(usual, Real) and not isinstance(usual, bool):
        if name.startswith(_FRACTIONS):
            fits = value is None or (isinstance(value, Real) and 0 <= float(value) <= 1)
            return None if fits else "a number from 0 to 1, or false"
        return None if value is None or isinstance(value, Real) else "a number"
    return None


def _refused_logging(value: Any) -> str | None:
    if not isinstance(value, Mapping):
        return "names of loggers with levels"
    if "version" in value:
        try:
            logging.config.dictConfig({**value, "version": int(value["version"])})  # As distributed will.
        except (ValueError, TypeError, AttributeError, ImportError) as error:
            return f"a configuration of logging.config ({' '.join(str(error).split()).rstrip('.')})"
        return None
    levels = logging.getLevelNamesMapping()
    fits = all(
        level.upper() in levels if isinstance(level, str) else isinstance(level, int) for level in value.values()
    )
    return None if fits else f"for each logger one of {', '.join(name.lower() for name in levels)}"


def _is_duration(value: Any) -> bool:
    from dask.utils import parse_timedelta

    return value is not None and _works(parse_timedelta, value)


def _is_size(value: Any) -> bool:
    from dask.utils import parse_bytes

    return value is not None and _works(parse_bytes, value)


def _works(parse: Callable[[Any], Any], value: Any) -> bool:
    try:
        parse(value)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError):
        return False
    return True


def _shown(value: Any) -> str:
    """Return a value as in a file, with its type if that is the problem."""
    if value is None:
        return "empty"
    shown = f"the text {value!r}" if isinstance(value, str) else repr(value)
    return shown if len(shown) <= 80 else f"{shown[:79]}…"


# A scheduler reads these settings while it works. A client in another process may change them; where both share a
# process, as with ``LocalCluster``, they share the settings. All others are read when a scheduler or worker starts, or
# by the client (distributed 2025.4 to 2026.8).
IN_IDENTITY = "gpucluster-settings"  # Key of the settings in ``identity()`` of our schedulers.
OF_GRAPHS = "optimization"  # Read when the scheduler optimizes a graph: whether tasks are fused, and which.
AT_WORK = (
    "distributed.scheduler.bandwidth",
    "distributed.scheduler.default-task-durations",
    "distributed.scheduler.locks.lease-timeout",
)
"""Read for each new worker, kind of task and semaphore; shared by all clients."""


def settings_here() -> dict[str, Any]:
    """Return the values of these settings in this process, by name.

    Relies on ``dask.config.global_config``, nested mappings; ``dask.config.get`` takes ten times as long (2025.4).
    """
    return {name: _value(name) for name in (OF_GRAPHS, *AT_WORK)}


def _value(name: str) -> Any:
    import dask

    found: Any = dask.config.global_config
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return None
        found = found[part]
    return found


@cache
def _usual() -> Any:
    """Return the default, for schedulers that do not report their settings."""
    import dask

    return dask.config.merge(*dask.config.defaults, dask.config.collect()).get(OF_GRAPHS)


def with_settings(graph: Any, identity: Mapping[str, Any]) -> Any:
    """Return a graph that a scheduler optimizes with the settings of this process.

    Relies on a scheduler calling nothing but ``__dask_graph__`` and ``__dask_annotations__`` of what
    ``Client._graph_to_futures`` gets, for one graph at a time, unless that is a ``dask._expr.LLGExpr``, of which it
    optimizes nothing (2025.4).

    `identity`: the scheduler's ``identity()``.
    """
    there, here = identity.get(IN_IDENTITY), _value(OF_GRAPHS)
    if here == (_usual() if there is None else there[OF_GRAPHS]):
        return graph
    from dask._expr import LLGExpr

    return graph if isinstance(graph, LLGExpr) else _graph_with_settings()(graph, {OF_GRAPHS: here})


def without_effect(identity: Mapping[str, Any]) -> list[str]:
    """Return the names of the settings of this process that differ from the scheduler's and have no effect there."""
    there = identity.get(IN_IDENTITY, {})
    return [name for name in AT_WORK if name in there and there[name] != _value(name)]


@cache
def _graph_with_settings() -> Any:
    """Return a class that is pickled by value, as are all that a function defines: schedulers need no gpucluster."""

    class GraphWithSettings:
        def __init__(self, graph: Any, settings: dict[str, Any]) -> None:
            self.graph = graph
            self.settings = settings

        def __dask_graph__(self) -> Any:
            return self._with_settings("__dask_graph__")

        def __dask_annotations__(self) -> Any:
            return self._with_settings("__dask_annotations__")

        def _with_settings(self, method: str) -> Any:
            import dask

            with dask.config.set(self.settings):
                return getattr(self.graph, method)()

    return GraphWithSettings
