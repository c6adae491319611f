"""Which Python, which environment variables and which directory a cluster gets."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from ..operating_system.end_descendants import MARK
from ..protocol.machine_spec import READ_WHEN_LOADED
from ..protocol.version import ADDED_VARIABLES, PROTOCOL_VERSION

_SECRET = (
    "JUPYTER_TOKEN", "JUPYTERHUB_API_TOKEN", "JPY_API_TOKEN", "JUPYTERHUB_CLIENT_ID", "JUPYTERHUB_OAUTH_ACCESS_SCOPES",
    "JUPYTERHUB_OAUTH_CLIENT_ALLOWED_SCOPES", "CONFIGPROXY_AUTH_TOKEN", "JUPYTERHUB_COOKIE_SECRET",
)  # fmt: skip
"""Credentials of the Jupyter server; code on a worker has no business with them."""

_KERNEL_ONLY = (
    "__DASK_PARENT_PID", "JPY_PARENT_PID", "JPY_SESSION_NAME", "MPLBACKEND", "PYDEVD_USE_FRAME_EVAL", MARK,
)  # fmt: skip
"""Variables that mean something to one process only."""

_READ_WHEN_LOADED = {
    # What distributed's nanny sets before it spawns a worker (distributed.nanny.pre-spawn-environ). Workers that are
    # forked do not see it: libraries read these when they are loaded, and Python one when it starts.
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
_SEED = {"PYTHONHASHSEED": "6640"}
"""One for all workers, so that they agree on the hashes of strings (dask/distributed#8400)."""


def _set_by_dask() -> dict[str, str]:
    """Return what a nanny of Dask has set in this process, if one was here, such as that of a ``LocalCluster``.

    It means its workers and does not take it back. Those of a cluster of ours get the same values from Dask itself, so
    that nothing is lost without them, and a standby that was started before is as good as ever.
    """
    config = sys.modules.get("dask.config")
    if config is None or "distributed.nanny" not in sys.modules:
        return {}
    usual = {**(config.get("distributed.nanny.pre-spawn-environ", None) or {}), **_SEED}
    return {name: str(value) for name, value in usual.items() if value is not None}


def cluster_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment that a cluster inherits from its caller, without the server's credentials."""
    source = os.environ if environment is None else environment
    of_dask = _set_by_dask() if environment is None else {}
    return {
        name: value
        for name, value in source.items()
        if name not in _SECRET and name not in _KERNEL_ONLY and of_dask.get(name) != value
    }


def with_variables_of_workers(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a supervisor, from which workers are forked: with what libraries read when loaded."""
    added = {name: value for name, value in _READ_WHEN_LOADED.items() if name not in environment}
    if environment.get("PYTHONHASHSEED", "random") == "random":
        added |= _SEED
    return {**environment, **added, ADDED_VARIABLES: " ".join(added)}


def fingerprint(python: str, environment: Mapping[str, str]) -> str:
    """Return what a standby and a request must have in common."""
    import hashlib
    import json

    from .._version import __version__

    relevant = {name: value for name, value in environment.items() if name.startswith(READ_WHEN_LOADED)}
    key = [python, __version__, PROTOCOL_VERSION, sorted(relevant.items())]
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()


def python_of(kernel_name: str | None) -> str:
    """Return the Python executable of a Jupyter kernel, by default this process's own.

    Raises
    ------
    InvalidRequest
        When there is no such kernel, or it is not a Python kernel.
    """
    if kernel_name is None:
        return sys.executable
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    from ..protocol.errors import InvalidRequest

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
