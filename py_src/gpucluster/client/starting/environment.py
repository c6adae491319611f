"""Which Python, which environment variables and which directory a cluster gets."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...operating_system.end_descendants import MARK
from ...protocol.machine_spec import READ_WHEN_LOADED
from ...protocol.version import ADDED_VARIABLES, IMPORT_FROM, PROTOCOL_VERSION

_SECRET = (
    "JUPYTER_TOKEN", "JUPYTERHUB_API_TOKEN", "JPY_API_TOKEN", "JUPYTERHUB_CLIENT_ID", "JUPYTERHUB_OAUTH_ACCESS_SCOPES",
    "JUPYTERHUB_OAUTH_CLIENT_ALLOWED_SCOPES", "CONFIGPROXY_AUTH_TOKEN", "JUPYTERHUB_COOKIE_SECRET",
)  # fmt: skip
"""Credentials of the Jupyter server, which workers must not see."""

_KERNEL_ONLY = (
    "__DASK_PARENT_PID", "JPY_PARENT_PID", "JPY_SESSION_NAME", "MPLBACKEND", "PYDEVD_USE_FRAME_EVAL", MARK,
)  # fmt: skip
"""Variables that only concern this process."""

_READ_WHEN_LOADED = {
    # distributed's nanny sets these before it spawns a worker (distributed.nanny.pre-spawn-environ). For forked workers
    # that is too late: libraries read them when they are loaded.
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
_INHERITED = "DASK_INTERNAL_INHERIT_CONFIG"
"""Dask reads settings from it as from its files; a setting's own variable has precedence."""
_NOT_INHERITED = frozenset({
    # Where this process computes and with which libraries; gpucluster sets these itself.
    "array.backend", "dataframe.backend", "scheduler",
    # Security: a cluster has its own credentials, pages and scratch folder.
    "coiled", "distributed.client.security-loader", "distributed.comm.require-encryption", "distributed.comm.tls",
    "distributed.scheduler.http.routes", "distributed.worker.http.routes", "gateway", "temporary-directory",
    "internal-inherit-config",
})  # fmt: skip
_SECRET_WORDS = (
    "access-key", "api-key", "apikey", "bearer", "credential", "passphrase", "passwd", "password", "private-key",
    "secret", "token",
)  # fmt: skip
"""A setting with one of these in its name is not passed on: programs on the workers could read it."""
_URL_WITH_PASSWORD = re.compile(r"://[^/\s:@]*:[^/\s@]+@")
_MOST_CHARACTERS = 100_000  # All settings; Linux allows 128 KiB per variable.
_SEED = {"PYTHONHASHSEED": "6640"}  # The same on all workers, so that string hashes agree (dask/distributed#8400).


def _set_by_dask() -> dict[str, str]:
    """Return variables that a Dask nanny, such as one of a ``LocalCluster``, has left in this process.

    Workers of gpucluster get the same values from Dask itself. Without these variables, the fingerprint of an earlier
    standby still matches.
    """
    config = sys.modules.get("dask.config")
    if config is None or "distributed.nanny" not in sys.modules:
        return {}
    usual = {**(config.get("distributed.nanny.pre-spawn-environ", None) or {}), **_SEED}
    return {name: str(value) for name, value in usual.items() if value is not None}


def _settings_of_dask() -> dict[str, str]:
    """Return the variable that passes this process's changes of ``dask.config`` to a cluster, if there are any.

    Files and variables need not be passed: the cluster reads them, too. What is not JSON is not passed.
    """
    config = sys.modules.get("dask.config")
    if config is None:
        return {}
    usual = config.merge(*config.defaults, config.collect())
    try:
        with config.config_lock:  # Another thread may change it.
            changed = dict(_changes(config.global_config, usual))
    except RecursionError:  # It contains itself.
        return {}
    if not changed:
        return {}
    before = config.deserialize(os.environ[_INHERITED]) if _INHERITED in os.environ else {}
    text: str = config.serialize(config.merge(before, changed))
    if len(text) > _MOST_CHARACTERS:
        warnings.warn("The settings in dask.config are too large to pass to a cluster: none are passed.", stacklevel=2)
        return {}
    return {_INHERITED: text}


def set_in_dask(part: str) -> dict[str, Any]:
    """Return this process's changes of a part of ``dask.config``, such as ``distributed.adaptive``, with dashes.

    Settings from Dask's files and variables are excluded, as each process reads those itself.
    """
    config = sys.modules.get("dask.config")
    if config is None:
        return {}
    now = config.get(part, None) or {}
    usual = config.get(part, {}, config=config.merge(*config.defaults, config.collect())) or {}
    return {name.replace("_", "-"): value for name, value in _changes(now, usual)}


def _changes(now: Mapping[str, Any], usual: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, Any]]:
    known = {str(name).replace("_", "-"): value for name, value in usual.items()}  # Dask treats both alike.
    for name, value in list(now.items()):  # An import in another thread may add some: Dask takes no lock then.
        if not isinstance(name, str):
            continue
        path = f"{place}{name}".replace("_", "-")
        before = known.get(name.replace("_", "-"))
        if path in _NOT_INHERITED or _is_secret(path):
            continue
        if isinstance(value, Mapping) and (before is None or isinstance(before, Mapping)):
            if inner := dict(_changes(value, before or {}, f"{path}.")):
                yield name, inner
        elif (text := _as_json(value)) is not None and text != _as_json(before) and not _holds_secret(value):
            yield name, value


def _is_secret(name: str) -> bool:
    return any(word in name.replace("_", "-").lower() for word in _SECRET_WORDS)


def _holds_secret(value: Any) -> bool:
    """Return whether a value contains a secret name, or an address with a password, at any depth."""
    if isinstance(value, Mapping):
        return any(_is_secret(str(name)) or _holds_secret(inner) for name, inner in value.items())
    if isinstance(value, (list, tuple)):
        return any(map(_holds_secret, value))
    return isinstance(value, str) and _URL_WITH_PASSWORD.search(value) is not None


def _as_json(value: Any) -> str | None:
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        return None


def _import_directories() -> dict[str, str]:
    """Return the variable with the directories from which this process imports modules that are not installed.

    Those are its script's directory and additions to ``sys.path``; workers inherit ``PYTHONPATH`` anyway.
    """
    parts = [os.path.join(place, part) for place in (sys.prefix, sys.base_prefix) for part in ("bin", "lib", "lib64")]
    installed = tuple(f"{os.path.realpath(place)}{os.sep}" for place in parts)
    known = os.environ["PYTHONPATH"].split(os.pathsep) if os.environ.get("PYTHONPATH") else []
    found: dict[str, None] = {}
    for place in [place for place in sys.path if isinstance(place, str) and place not in known]:
        # The working directory may be gone, and a name may not be text.
        with suppress(OSError, ValueError):
            directory = os.path.abspath(place)
            directory.encode()
            is_installed = f"{os.path.realpath(directory)}{os.sep}".startswith(installed)
            if os.path.isdir(directory) and os.pathsep not in directory and not is_installed:
                found[directory] = None
    return {IMPORT_FROM: os.pathsep.join(found)} if found else {}


def cluster_environment(environment: Mapping[str, str] | None = None, python: str | None = None) -> dict[str, str]:
    """Return the environment that a cluster inherits from its caller, without the server's credentials.

    `environment`: replaces this process's own, with its changes of Dask's settings and ``sys.path``. `python`: that of
    the cluster, if known; one that differs from this process's does not import from its directories.
    """
    source = os.environ if environment is None else environment
    of_dask = _set_by_dask() if environment is None else {}
    inherited = {
        name: value
        for name, value in source.items()
        if name not in _SECRET and name not in _KERNEL_ONLY and of_dask.get(name) != value
    }
    if environment is None:
        inherited |= _settings_of_dask() | (_import_directories() if python in {None, sys.executable} else {})
    return inherited


def with_variables_of_workers(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a supervisor, with the variables that libraries of forked workers read when loaded."""
    added = {name: value for name, value in _READ_WHEN_LOADED.items() if name not in environment}
    if environment.get("PYTHONHASHSEED", "random") == "random":
        added |= _SEED
    return {**environment, **added, ADDED_VARIABLES: " ".join(added)}


def fingerprint(python: str, environment: Mapping[str, str]) -> str:
    import hashlib

    from ..._version import __version__

    relevant = {name: value for name, value in environment.items() if name.startswith(READ_WHEN_LOADED)}
    key = [python, __version__, PROTOCOL_VERSION, sorted(relevant.items())]
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()


def python_of(kernel_name: str | None) -> str:
    """Return the Python executable of a Jupyter kernel, by default this process's own."""
    if kernel_name is None:
        return sys.executable
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    from ...protocol.errors import InvalidRequest

    try:
        spec = KernelSpecManager().get_kernel_spec(kernel_name)
    except NoSuchKernel:
        raise InvalidRequest(f"kernel_name: there is no Jupyter kernel named '{kernel_name}' here.") from None
    if (spec.language or "").lower() != "python" or not spec.argv:
        raise InvalidRequest(f"kernel_name: '{kernel_name}' is not a Python kernel; clusters need one.")
    command = spec.argv[0]
    if os.path.isabs(command) and Path(command).exists():
        return command
    if command in {"python", "python3", f"python3.{sys.version_info.minor}"}:
        return sys.executable
    raise InvalidRequest(f"kernel_name: the Python of '{kernel_name}' ({command}) cannot be found.")
