"""Start and close a scheduler without workers: what is done for the first time takes longest."""

from __future__ import annotations

import logging
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...backends.backend import Backend, StartContext, load_backend
from ...backends.local import LocalSpec
from ...comm.folder import make_comm_folder
from ...registry.record import Folder
from .. import starting
from ..versions import version_warnings, versions

logger = logging.getLogger("gpucluster.supervisor")


async def rehearse(folder: Folder) -> None:
    """Do what a start does that does not depend on what is asked for, within this process and where nobody can connect.

    Where that fails, so may the start of a cluster, which tells why.
    """
    try:
        with tempfile.TemporaryDirectory(dir=folder.path, ignore_cleanup_errors=True) as scratch:
            await _start_and_close(Path(scratch))
    except Exception:
        logger.exception("The rehearsal of a start failed")
    version_warnings(versions())


async def _start_and_close(scratch: Path) -> None:
    import dask
    from distributed import LocalCluster

    from ...backends.spec_deployment import SpecDeployment

    def make(**options: Any) -> LocalCluster:
        return LocalCluster(n_workers=0, processes=True, threads_per_worker=1, **options)

    backend = load_backend("local")
    assert isinstance(backend, Backend)
    make_comm_folder(scratch / "comm")
    context = StartContext("rehearsal", None, scratch, scratch.name, comm_directory=scratch / "comm")
    plan = await backend.preflight(LocalSpec(n_workers=1), context)
    # Not Dask's own choice, a folder of a known name in a directory that all users share: see preparation.
    with dask.config.set({"temporary-directory": str(scratch)}):
        deployment = await SpecDeployment.start(make, replace(plan, n_workers=0), context)
        deployment.slots()
        deployment.scheduler.members()
        await starting.close(deployment)
