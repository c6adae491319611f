"""``python -P -m gpucluster.supervisor.preview``: what a cluster would submit, for example to a batch system.

Reads a spec as JSON from its standard input, and prints a ``Submission``, or an ``ErrorModel``. A separate process in
the cluster's Python, because the Jupyter server imports neither Dask nor the libraries of the kinds.
"""

from __future__ import annotations

import asyncio
import sys

from ..backends.backend import Backend, load_backend
from ..backends.environment import take_directories, take_given
from ..protocol.errors import GPUClusterError
from ..protocol.kinds import parse_spec
from ..protocol.models import Submission


async def preview(text: str) -> Submission:
    """Return what would be submitted for a spec. Raises `GPUClusterError`."""
    spec = parse_spec(text)
    backend = load_backend(spec.backend)
    return await backend.preview(spec) if isinstance(backend, Backend) else Submission()


def main() -> None:
    take_given()
    take_directories()
    try:
        sys.stdout.write(asyncio.run(preview(sys.stdin.read())).model_dump_json())
    except GPUClusterError as error:
        sys.stdout.write(error.model().model_dump_json())
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
