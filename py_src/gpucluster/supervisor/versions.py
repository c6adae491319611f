"""The versions that a cluster runs with, and warnings about them."""

from __future__ import annotations

import importlib.metadata
import platform
from contextlib import suppress

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from .._version import __version__
from ..dask_internals.untested import NEWEST_TESTED, missing_names
from ..protocol.models import Versions

_ESCAPING = [SpecifierSet("~=2026.1.3", prereleases=True), SpecifierSet(">=2026.7.1", prereleases=True)]
"""Versions of distributed whose dashboard escapes names that users have given."""
_NAMES_SHOWN = 3
_COMPUTING = (
    "dask", "distributed", "numpy", "pandas", "dask-cuda", "cupy-cuda12x", "cupy-cuda13x", "cudf-cu12", "cudf-cu13",
)  # fmt: skip


def versions() -> Versions:
    found = installed()
    names = ("gpucluster", "python", "distributed")
    return Versions(**{name: found[name] for name in names}, dask_cuda=found.get("dask-cuda"))


def installed() -> dict[str, str]:
    """Return the versions of what computes, by package."""
    found = {"gpucluster": __version__, "python": platform.python_version()}
    for name in _COMPUTING:
        with suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def version_warnings(versions: Versions) -> list[str]:
    distributed = versions.distributed
    if distributed is None:
        return []
    try:
        version = Version(distributed)
        escapes = any(version in fixed for fixed in _ESCAPING)
        is_untested = version.release[:2] > Version(NEWEST_TESTED).release
    except InvalidVersion:
        escapes = is_untested = False
    warnings = []
    if not escapes:
        warnings.append(
            f"Dask's dashboard of version {distributed} has known vulnerabilities: a crafted link can run code in your "
            "browser (CVE-2026-23528). Update distributed to 2026.7.1 or newer in this Python environment."
        )
    if is_untested:
        warnings.append(_about_untested(distributed))
    return warnings


def _about_untested(distributed: str) -> str:
    newer = f"Dask {distributed} is newer than {NEWEST_TESTED}, the newest that gpucluster was tested with"
    missing = missing_names()
    if not missing:
        return f"{newer}. All names of Dask that it relies on exist."
    shown = ", ".join(missing[:_NAMES_SHOWN]) + (" and others" if len(missing) > _NAMES_SHOWN else "")
    return (
        f"{newer}, and lacks what gpucluster relies on ({shown}), so parts of it may fail. "
        f"Install an older one: pip install 'dask=={NEWEST_TESTED}.*' 'distributed=={NEWEST_TESTED}.*'."
    )
