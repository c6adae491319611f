"""Where clusters that a learner makes with Dask alone keep their files."""

from __future__ import annotations

import atexit
import shutil
import tempfile


def use_private_scratch() -> None:
    """Let Dask in this process use a directory that only this user can enter, unless the user has chosen one.

    Dask's own choice has a name that is known, in a directory that all users share: whoever makes it first can plant
    links there.
    """
    import dask

    if dask.config.get("temporary-directory", None) is None:
        folder = tempfile.mkdtemp(prefix="gpucluster-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        dask.config.set({"temporary-directory": folder})
