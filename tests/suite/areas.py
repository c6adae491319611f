"""Folders of tests that a change elsewhere cannot touch: each test in them is expensive, with what it depends on.

What is not here runs always: a cluster's life, the server, the command line, magics, and what holds the layers apart.
"""

from __future__ import annotations

_CLUSTER = (
    "backends", "client", "comm", "dask_internals", "devices", "operating_system", "protocol", "registry", "sharing",
    "site", "supervisor", "telemetry",
)  # fmt: skip
"""Packages that a cluster and those who talk to it are made of."""
_ENVIRONMENT = ("pyproject.toml", "requirements", "tests/*.py", "tests/fakes")


def _of(*packages: str) -> tuple[str, ...]:
    return (*(f"py_src/gpucluster/{name}" for name in (*_CLUSTER, *packages)), "py_src/gpucluster/*.py", *_ENVIRONMENT)


_PANEL = (
    *_of("cli", "gauges", "lessons", "magics", "profiling", "recordings", "server", "widgets"),
    "labextension", "package.json", "yarn.lock", "jupyter-config", "notebooks",
)  # fmt: skip

AREAS: dict[str, tuple[str, ...]] = {
    "tests/bench": (*_of("bench", "cli", "datasets", "learn"), "benchmarks"),
    "tests/browser": (*_PANEL, "tests/browser"),
    "tests/datasets": _of("datasets"),
    "tests/dropin": _of("cli", "learn"),
    "tests/learn": (*_of("datasets", "learn"), "tests/learn/*.py"),
    "tests/profile": _of("profiling", "recordings", "cli"),
    "tests/proof": (*_of("learn", "datasets", "recordings", "lessons"), "benchmarks/gpu", "notebooks", "tests/gpu"),
    "tests/test_demo.py": (*_of("lessons", "learn", "datasets"), "scripts/demo.py", "notebooks/06-kmeans"),
    "tests/thirdparty": _of("cli"),
    "tests/widgets": _PANEL,
}
"""By folder or file: places as in ``expensive(…)``, beside the test's own file."""
ALWAYS = ("tests/browser/test_panel.py", "tests/learn/test_any_cut.py", "tests/widgets/test_kernel.py")
"""One of the large areas that runs nevertheless, as what they depend on is more than what they name."""


def area_of(file: str) -> tuple[str, tuple[str, ...]]:
    """Return the area of a file of tests, and what all its tests depend on; nothing where they run always."""
    if file not in ALWAYS:
        for area, places in AREAS.items():
            if file == area or file.startswith(f"{area}/"):
                return area, places
    return "", ()
