"""GPU Dask clusters for notebooks.

Importing this package imports nothing heavy: neither Dask nor CUDA nor pydantic. The names below
are loaded when they are first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # Without typing, whose import takes longer than all of this.
    from typing import Any

    from IPython.core.interactiveshell import InteractiveShell

    from .client.api import connect, create, frame, list, replay
    from .client.cluster import AsyncCluster, Cluster
    from .client.dask_keywords import KeywordWithoutEffect, SettingWithoutEffect
    from .client.history.reading import compare_runs, history
    from .client.lease import lease
    from .client.node import class_clusters, message_class, node, stop_class
    from .profiling.measurement import profile
    from .protocol.errors import GPUClusterError

__all__ = [
    "AsyncCluster", "Cluster", "GPUClusterError", "KeywordWithoutEffect", "SettingWithoutEffect", "__version__",
    "class_clusters", "compare_runs", "connect", "create", "frame", "history", "lease", "list", "message_class",
    "node", "profile", "replay", "stop_class",
]  # fmt: skip

_LAZY = {
    "AsyncCluster": "gpucluster.client.cluster",
    "Cluster": "gpucluster.client.cluster",
    "GPUClusterError": "gpucluster.protocol.errors",
    "KeywordWithoutEffect": "gpucluster.client.dask_keywords",
    "SettingWithoutEffect": "gpucluster.client.dask_keywords",
    "class_clusters": "gpucluster.client.node",
    "compare_runs": "gpucluster.client.history.reading",
    "connect": "gpucluster.client.api",
    "create": "gpucluster.client.api",
    "frame": "gpucluster.client.api",
    "history": "gpucluster.client.history.reading",
    "lease": "gpucluster.client.lease",
    "list": "gpucluster.client.api",
    "message_class": "gpucluster.client.node",
    "node": "gpucluster.client.node",
    "replay": "gpucluster.client.api",
    "profile": "gpucluster.profiling.measurement",
    "stop_class": "gpucluster.client.node",
    "__version__": "gpucluster._version",
}
_PACKAGES = {"datasets", "learn"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> Any:
    return sorted({*globals(), *_LAZY, *_PACKAGES})


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Register ``%gpucluster`` and ``%%gpucluster``."""
    from .magics import register

    register(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Remove what ``load_ipython_extension`` has registered. The notebook's connection stays."""
    from .magics import unregister

    unregister(shell)


def _jupyter_labextension_paths() -> Any:
    return [{"src": "labextension", "dest": "gpucluster"}]


def _jupyter_server_extension_points() -> Any:
    from .server.extension import GPUClusterExtension

    return [{"module": "gpucluster", "app": GPUClusterExtension}]
