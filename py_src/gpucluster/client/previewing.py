"""Ask, in the cluster's own Python, what would be handed to a batch system."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress

from pydantic import ValidationError

from ..protocol.errors import ErrorModel, GPUClusterError, StartFailed, error_from_model
from ..protocol.models import Submission
from ..protocol.spec import SpecBase
from .environment import cluster_environment, python_of, with_variables_of_workers

PREVIEW_SECONDS = 60.0


async def preview(spec: SpecBase) -> Submission:
    """Return what would be submitted; starts nothing.

    Raises
    ------
    GPUClusterError
        It would be refused.
    """
    python = await asyncio.to_thread(python_of, spec.kernel_name)
    command = [python, "-P", "-m", "gpucluster.supervisor.preview"]
    environment = with_variables_of_workers({**cluster_environment(), **spec.process_environment()})
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
            cwd=os.path.abspath(os.sep),
        )
    except OSError as error:
        raise StartFailed(f"The Python of the cluster, {python}, cannot be run ({error.strerror}).") from error
    try:
        told, _ = await asyncio.wait_for(process.communicate(spec.model_dump_json().encode()), PREVIEW_SECONDS)
    except TimeoutError:
        raise StartFailed(f"What would be submitted was not known within {PREVIEW_SECONDS:.0f} seconds.") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
    try:
        if process.returncode == 0:
            return Submission.model_validate_json(told)
        refused: GPUClusterError = error_from_model(ErrorModel.model_validate_json(told))
    except ValidationError:
        refused = StartFailed(f"The Python of the cluster, {python}, has no gpucluster of this version.")
    raise refused
