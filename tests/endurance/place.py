"""A separate place for a long run: a registry, a site's file, a temporary folder, a Jupyter server."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
from gpucluster.protocol.errors import GPUClusterError

from tests.conftest import Site, until
from tests.server.jupyterprocess import JupyterProcess, jupyter_process

_OF_JUPYTER = "jupyter-clean-cfg-"
"""The beginning of the files that a Jupyter server without configuration leaves."""


class Place(Site):
    """A registry with everything that belongs to it."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.temporary = top / "t"
        self.folder = top / "j"
        for made in (self.temporary, self.folder):
            made.mkdir(mode=0o700)
        super().__init__(top / "r")
        self._servers = ExitStack()
        self._started = 0
        self._settings: dict[str, Any] = {}
        self.jupyter: JupyterProcess | None = None

    def start_jupyter(self, **settings: Any) -> JupyterProcess:
        """Replace the Jupyter server; without settings, keep those of the last one."""
        self.end_jupyter()
        self._settings = settings or self._settings
        self._started += 1
        folder = self.folder / f"server-{self._started}"
        self.jupyter = self._servers.enter_context(jupyter_process(folder, **self._settings))
        return self.jupyter

    def wait_for_jupyter(self, before: JupyterProcess, timeout: float) -> None:
        """Wait until another Jupyter server has replaced a killed one."""
        until(lambda: self.jupyter not in {None, before} or before.process.poll() is None, timeout=timeout)

    def end_jupyter(self) -> None:
        self.jupyter = None
        self._servers.close()

    def of_clusters(self) -> list[psutil.Process]:
        """Return the processes of clusters and standbys: all of this registry but servers and shells."""
        known = {self.jupyter.process.pid} if self.jupyter is not None else set()
        found = []
        for process in self.processes():
            with suppress(psutil.Error):
                words = " ".join(process.cmdline())
                if process.pid not in known and ("supervisor" in words or "multiprocessing" in words):
                    found.append(process)
        return found

    def end(self) -> list[str]:
        """End the server, stop and remove everything; return messages about what is left."""
        self.end_jupyter()
        return self.forget()

    def forget(self) -> list[str]:
        """Stop and remove all clusters; return messages about what is left."""
        with suppress(GPUClusterError):
            self.control.close_standby()
        for model in self.control.list():
            with suppress(GPUClusterError):
                self.control.stop(model.id)
        left = []
        try:
            until(lambda: not self.of_clusters(), timeout=30)
        except AssertionError:
            left += [f"orphan: {_shown(process)}" for process in self.of_clusters()]
        for model in self.control.list():
            if not model.state.ended:
                left.append(f"stuck: {model.name} is {model.state.value}")
                continue
            names = {path.name for path in self.registry.folder(model.id).path.iterdir()}
            if odd := names - {"activity", "cells", "lock", "log", "state.json", "submitted", "profile.json", "killed"}:
                left.append(f"files of the ended {model.name}: {', '.join(sorted(odd))}")
            try:
                self.control.remove(model.id)
            except GPUClusterError as error:
                left.append(f"not forgotten: {model.name}: {error.message}")
        left += [f"folder {folder.id} without an entry" for folder in self.registry.folders()]
        left += [
            f"temporary file {path.name}" for path in self.temporary.iterdir() if not path.name.startswith(_OF_JUPYTER)
        ]
        return left


def _shown(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return f"{process.pid} {process.status()} {' '.join(process.cmdline())[:160]}"
    return f"{process.pid}, just gone"


@contextmanager
def place(*, site_text: str = "", jupyter: bool = True, **settings: Any) -> Iterator[Place]:
    """Make a place, and end everything there at the end.

    `site_text`: content of the site's file. `jupyter`: whether to start a Jupyter server. `settings`: of its extension.
    """
    # Not below pytest's own directory: the path of a unix socket must be short.
    top = Path(tempfile.mkdtemp(prefix="gpcl", dir="/tmp"))
    before = dict(os.environ)
    site_file = top / "site.yaml"
    site_file.write_text(site_text)
    os.environ |= {
        "GPUCLUSTER_DIR": str(top / "r"),
        "GPUCLUSTER_SITE": str(site_file),
        "TMPDIR": str(top / "t"),
        "HOME": str(top / "j"),
    }
    made = Place(top)
    tempfile.tempdir = None  # It is cached.
    try:
        if jupyter:
            made.start_jupyter(**settings)
        yield made
    finally:
        try:
            with suppress(FileNotFoundError):
                made.end()
            for process in made.processes():
                with suppress(psutil.Error):
                    process.kill()
        finally:
            os.environ.clear()
            os.environ |= before
            tempfile.tempdir = None
            shutil.rmtree(top, ignore_errors=True)
