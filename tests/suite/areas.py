"""What the tests of a folder are about: where nothing of that has changed since they passed, they tell nothing new.

Each area names the packages that its tests are about, and those that these are built on. It does not name what merely
takes part: tests of the panel start real clusters, but whether a cluster starts, scales and ends is what
``tests/supervisor``, ``tests/client``, ``tests/server``, ``tests/cli`` and ``tests/magics`` are about, and those run
always, as do those of GPU workers, which another environment runs. So do the files of ``ALWAYS``: one way through each
large area from end to end. ``make test-all`` runs all.
"""

from __future__ import annotations

from .internals import internals_of

ONLY_ON_GPUS = "py_src/gpucluster/learn/kernels/on_gpu"
"""What nothing computes with that has no GPU: a place above it does not count it, who depends on it names it."""


def _packages(*names: str) -> tuple[str, ...]:
    return tuple(f"py_src/gpucluster/{name}" for name in names)


_ENVIRONMENT = ("py_src/gpucluster/__init__.py", "pyproject.toml", "requirements/cpu.txt", "tests/*.py")
_BASE = (*_packages("operating_system", "protocol"), *_ENVIRONMENT)
_WORDS = (
    *_packages("operating_system", "protocol/errors.py", "protocol/plain_text.py", "protocol/sizes.py"),
    *_ENVIRONMENT,
)
"""All of the base that algorithms, checks of exercises and the grader use: how something is said."""
_ALGORITHMS = (*_packages("datasets", "learn"), *internals_of("datasets", "learn"), *_WORDS)
_CLIENT = (*_packages("client", "registry"), *_BASE)
_SUPERVISOR = ("backends/*.py", "backends/nodes", "backends/scheduler", "supervisor", "telemetry")
_SUPERVISED = (*_packages(*_SUPERVISOR), *internals_of(*_SUPERVISOR, "client", "registry"), *_CLIENT)
"""What creates, watches and ends a cluster of any kind."""
_LESSONS = (*_packages("lessons"), *internals_of("lessons"), *_ALGORITHMS)
_PANEL = (
    *_packages("gauges", "lessons/*.py", "magics", "profiling", "recordings", "server", "widgets"), *_CLIENT,
    "labextension", "package.json", "yarn.lock", "jupyter-config",
    *_packages("lessons/course/lesson_00_check_in", "lessons/course/lesson_06_kmeans"),
)  # fmt: skip

_NEAR_BROWSER = (
    "tests/browser/axe.py", "tests/browser/chromium.py", "tests/browser/conftest.py", "tests/browser/lab.py",
    "tests/browser/studynotebook.py",
)  # fmt: skip


def _kind(name: str, *also: str) -> tuple[str, ...]:
    packages = (f"backends/{name}", *also)
    near = (f"tests/backends/{name}", "tests/backends/*.py")
    return (*_packages(*packages), *internals_of(*packages), *_SUPERVISED, *near)


AREAS: dict[str, tuple[str, ...]] = {
    "tests/backends/existing": _kind("existing"),
    "tests/backends/gateway": _kind("gateway"),
    "tests/backends/kubernetes": _kind("kubernetes"),
    "tests/backends/mpi": _kind("mpi", "comm"),
    "tests/backends/slurm": _kind("slurm"),
    "tests/backends/ssh": _kind("ssh"),
    "tests/bench": (
        *_packages("bench", "cli", "client"), *internals_of("bench", "cli", "client"), *_ALGORITHMS, *_BASE,
        "benchmarks/*.py",
    ),
    "tests/browser": (*_PANEL, *_NEAR_BROWSER),
    "tests/comm": (*_packages("comm", "dask_internals"), *_BASE, "tests/comm"),
    "tests/datasets": (*_packages("datasets"), *internals_of("datasets"), *_WORDS),
    "tests/dropin": (*_packages("client"), *internals_of("client"), *_ALGORITHMS, *_BASE),
    "tests/endurance/test_bounded.py": (*_packages("server"), *_SUPERVISED, "tests/endurance"),
    "tests/learn": (*_packages("comm"), *_ALGORITHMS, "tests/learn/*.py"),
    "tests/learn/kernels": (
        *_packages("comm"), *_ALGORITHMS, ONLY_ON_GPUS, "tests/learn/*.py", "tests/fakes/gpu_kernels",
    ),
    "tests/lessons": (*_LESSONS, "notebooks", "tests/lessons/*.py"),
    "tests/lessons/grading": (
        *_packages("lessons/grading", "lessons/course", "lessons/*.py"), *_WORDS, "notebooks", "tests/lessons",
    ),
    "tests/profile": (
        *_packages("profiling", "recordings", "telemetry"),
        *internals_of("profiling", "recordings", "telemetry", "client", "registry"), *_CLIENT,
    ),
    "tests/proof": (
        *_ALGORITHMS, ONLY_ON_GPUS, *_BASE, *_packages("dask_internals", "recordings"), "benchmarks/gpu", "notebooks",
        "tests/gpu",
    ),
    "tests/recordings": (*_packages("recordings", "devices"), *_BASE),
    "tests/site": (*_packages("site", "sharing", "client", "cli"), *_BASE),
    "tests/test_demo.py": (*_LESSONS, *_packages("client"), *_BASE, "scripts/demo.py",
        *_packages("lessons/course/lesson_06_kmeans")),
    "tests/thirdparty": _SUPERVISED,
    "tests/widgets": (*_packages("gauges", "profiling", "recordings", "widgets"), *_CLIENT),
}  # fmt: skip
"""By folder or file, the narrowest of which counts: places as in ``expensive(…)``, beside the test's own file."""
ALWAYS = (
    "tests/backends/mpi/test_mpi.py", "tests/backends/ssh/test_ssh.py", "tests/browser/test_panel.py",
    "tests/learn/test_any_cut.py", "tests/lessons/test_checking.py", "tests/lessons/test_kmeans_answers.py",
    "tests/widgets/test_kernel.py",
    "tests/lessons/grading/test_keys.py::test_the_key_gets_all_points_without_what_only_shows_something[06]",
    *(
        f"tests/lessons/test_notebooks.py::test_the_solution_passes_within_time_and_memory[{lesson}]"
        for lesson in ("00", "02", "07")
    ),
)  # fmt: skip
"""Files, and tests, of each large area that run nevertheless: what they depend on is more than what they name."""

BY_MARK = ("tests/lessons/test_answers.py", "tests/lessons/test_notebooks.py")
"""Each lesson's tests in them depend on what their mark names, and not on all that the area does."""


def area_of(file: str) -> tuple[str, tuple[str, ...]]:
    """Return the area of a file of tests, and what all its tests depend on; nothing where they run always."""
    if file not in ALWAYS:
        for area in sorted(AREAS, key=len, reverse=True):
            if file == area or file.startswith(f"{area}/"):
                return area, AREAS[area]
    return "", ()
