"""What rare events in the life of the slow kinds of clusters depend on.

Each kind's tests of being created, used, scaled, restarted and ended, and of a worker that is lost, run always; those
that are marked ``rare`` take seconds to half a minute each, and run where anything here has changed.
"""

from __future__ import annotations

import pytest

PACKAGES = (
    "backends", "client", "comm", "dask_internals", "devices", "operating_system", "protocol", "recordings", "registry",
    "site", "supervisor", "telemetry",
)  # fmt: skip
"""What a cluster's own process, and those that talk to it, are made of."""
rare = pytest.mark.expensive(
    *(f"py_src/gpucluster/{package}" for package in PACKAGES),
    "py_src/gpucluster/*.py", "pyproject.toml", "requirements", "tests/backends", "tests/conftest.py", "tests/mpi.py",
)  # fmt: skip
