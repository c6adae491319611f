"""Which versions a cluster has, and what somebody should know about them."""

from __future__ import annotations

import importlib.metadata
import platform
from contextlib import suppress

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from .._version import __version__
from ..protocol.models import Versions

_ESCAPING = [SpecifierSet("~=2026.1.3", prereleases=True), SpecifierSet(">=2026.7.1", prereleases=True)]
"""Versions of distributed whose dashboard writes out what others have named; ``pyproject.toml`` asks for these."""


def versions() -> Versions:
    """Return the versions in this Python environment."""
    dask_cuda: str | None = None
    with suppress(importlib.metadata.PackageNotFoundError):
        dask_cuda = importlib.metadata.version("dask-cuda")
    return Versions(
        gpucluster=__version__,
        python=platform.python_version(),
        distributed=importlib.metadata.version("distributed"),
        dask_cuda=dask_cuda,
    )


def version_warnings(versions: Versions) -> list[str]:
    """Return what to tell about these versions, in sentences; nothing where all is well."""
    told = versions.distributed
    if told is None or _escapes(told):
        return []
    return [
        f"Dask's dashboard of version {told} has known holes: a link made for that can run code in your browser "
        "(CVE-2026-23528). Update distributed to 2026.7.1 or newer in this Python environment."
    ]


def _escapes(told: str) -> bool:
    try:
        return any(Version(told) in fixed for fixed in _ESCAPING)
    except InvalidVersion:
        return False
