"""Where clusters that a learner makes with Dask alone keep their files."""

from __future__ import annotations

from ..registry.directory import default_directory, secure_directory


def use_private_scratch() -> None:
    """Let Dask in this process use a directory that only this user can enter, unless the user has chosen one.

    Dask's own choice has a name that is known, in a directory that all users share: whoever makes it first can plant
    links there. One directory for all kernels, as Dask clears away what processes leave in it that were killed.
    """
    import dask

    if dask.config.get("temporary-directory", None) is None:
        folder = secure_directory(default_directory()) / "scratch"
        folder.mkdir(mode=0o700, exist_ok=True)
        dask.config.set({"temporary-directory": str(folder)})
