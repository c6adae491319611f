"""A machine without a network for lessons: what they leave behind, and how much memory they take, is seen."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

_MARK = "GPUCLUSTER_TEST_SITE"
_EVERY_SECONDS = 1.0


@contextmanager
def closed_site() -> Iterator[Path]:
    """Let what is started in here find no network; what it leaves behind in files, processes or ports is found."""
    folder = Path(tempfile.mkdtemp(prefix="gn"))
    guard, temporary = folder / "guard", folder / "tmp"
    guard.mkdir()
    temporary.mkdir()
    shutil.copyfile(Path(__file__).with_name("loopback.py"), guard / "sitecustomize.py")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(guard))
        patch.setenv("TMPDIR", str(temporary))
        patch.setenv(_MARK, str(folder))
        ports = _listening()
        yield folder
    for process in processes_of(folder):
        process.wait(10)
    assert [process.cmdline() for process in processes_of(folder)] == []
    assert _listening() - ports == set()
    assert sorted(path.relative_to(temporary).as_posix() for path in temporary.rglob("*") if not _known(path)) == []
    shutil.rmtree(folder)


def processes_of(folder: Path) -> list[psutil.Process]:
    """Return processes that were started in that site and are still running, orphans included."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.pid != os.getpid() and process.environ().get(_MARK) == str(folder):
                found.append(process)
    return found


class PeakMemory(threading.Thread):
    """Most memory of a site's kernels and workers at once; what workers are forked from counts as one of them.

    For a site with an unknown registry; ``gpucluster.lessons.measuring`` measures the others.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder, self.bytes, self._done = folder, 0, threading.Event()

    def __enter__(self) -> PeakMemory:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self.join()

    def run(self) -> None:
        while not self._done.wait(_EVERY_SECONDS):
            self.bytes = max(self.bytes, sum(map(_resident, processes_of(self.folder))))


def _resident(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        command = " ".join(process.cmdline())
        if "ipykernel_launcher" in command or "multiprocessing.forkserver" in command:
            return int(process.memory_info().rss)
    return 0


def _known(path: Path) -> bool:
    """What Dask and Matplotlib leave by intention: two empty locks, and a cache of fonts."""
    return path.name in {"dask-scratch-space", "global.lock", "purge.lock"} or any(
        part.startswith("matplotlib-") for part in path.parts
    )


def _listening() -> set[int]:
    """Ports of this process and those below it."""
    found = set()
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        with suppress(psutil.Error):
            found |= {one.laddr.port for one in process.net_connections("tcp") if one.status == psutil.CONN_LISTEN}
    return found
