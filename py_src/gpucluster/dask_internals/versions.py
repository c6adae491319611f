"""The versions of packages that each client and worker tells the scheduler."""

from __future__ import annotations


def remember_versions() -> None:
    """Look them up now, so that workers that are forked from this process need not.

    Each would read the metadata of all packages, which is half of what it does in its start. Relies on
    ``distributed.versions.get_versions()`` keeping what it has found (2025.1).
    """
    from distributed.versions import get_versions

    get_versions()
