"""Sending our own code to other processes of a cluster, which may have another gpucluster, or none."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import cloudpickle

_lock = threading.Lock()


@contextmanager
def sent_by_value(*packages: str) -> Iterator[None]:
    """Let these modules or packages, and all below them, be pickled by value, together with ``dask_internals`` itself.

    Relies on ``cloudpickle.register_pickle_by_value``, and on distributed checking whether the module of a function
    itself, not a package above it, is registered (2023.4).
    """
    names = (__package__, *packages)
    modules = [
        module
        for name, module in list(sys.modules.items())
        if name in names or name.startswith(tuple(f"{name}." for name in names))
    ]
    with _lock:
        for module in modules:
            cloudpickle.register_pickle_by_value(module)
        try:
            yield
        finally:
            for module in modules:
                cloudpickle.unregister_pickle_by_value(module)
