"""The wheel, built once for all tests here."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

Run = Callable[..., str]


@pytest.fixture(scope="session")
def run() -> Run:
    """Run a command and return its output; a failure shows it."""

    def command(*words: str | Path, cwd: Path, environment: dict[str, str]) -> str:
        answer = subprocess.run(
            [str(word) for word in words], cwd=cwd, env=environment, capture_output=True, text=True, timeout=400
        )
        assert answer.returncode == 0, f"{words} failed:\n{answer.stdout[-3000:]}\n{answer.stderr[-3000:]}"
        return answer.stdout + answer.stderr

    return command


@pytest.fixture(scope="session")
def source(tmp_path_factory) -> Callable[[str], Path]:
    """Make a clean copy of the tracked files, in a folder of that name."""

    def copy(name: str) -> Path:
        folder = tmp_path_factory.mktemp(name)
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for path in filter(None, tracked.decode().split("\0")):
            if (ROOT / path).is_file():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / path, folder / path)
        assert not (folder / "py_src/gpucluster/labextension").exists(), "built files are tracked"
        (folder / "node_modules").symlink_to(ROOT / "node_modules")
        return folder

    return copy


@pytest.fixture(scope="session")
def build_environment() -> dict[str, str]:
    """Variables for building the panel."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment.pop("SKIP_JUPYTER_BUILDER", None)
    return environment


@pytest.fixture(scope="session")
def wheel(source, run, build_environment, tmp_path_factory) -> Path:
    """The wheel of a clean copy of the tracked files, built once per run like `make build`, beside the sdist."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    finished = shared / "wheel"
    with (shared / "wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not finished.exists():
            folder = source("source")
            run("jlpm", "build:prod", cwd=folder, environment=build_environment)
            words = ("-m", "build", "--wheel", "--sdist", "--no-isolation")
            run(sys.executable, *words, cwd=folder, environment=build_environment)
            (folder / "dist").rename(finished)
    (built,) = finished.glob("*.whl")
    return built
