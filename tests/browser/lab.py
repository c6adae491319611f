"""A real JupyterLab: loopback, a token, temporary directories, its own registry."""

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gpucluster.client.control import Control

from tests.ports import free_ports


@dataclass(frozen=True)
class Lab:
    url: str
    token: str
    directory: Path
    """Holds everything of this server: configuration, notebooks, the registry."""

    @property
    def control(self) -> Control:
        """The clusters of this server, seen from outside of it."""
        return Control(self.directory / "registry")

    def page(self, path: str) -> str:
        """Return the address of a page, with the token that logs a user in."""
        return f"{self.url}/{path}{'&' if '?' in path else '?'}token={self.token}"

    def clear(self) -> None:
        """End all kernels and clusters, and forget notebooks, layouts and settings."""
        # With its session a notebook's kernel ends; those without a notebook are left.
        for kind in ("sessions", "kernels"):
            for one in json.loads(self._ask("GET", f"api/{kind}")):
                self._ask("DELETE", f"api/{kind}/{one['id']}")
        for model in self.control.list():
            if not model.state.ended:
                self.control.stop(model.id)
            self.control.remove(model.id)
        for name in ("root", "workspaces", "settings"):
            for path in (self.directory / name).glob("*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.write_settings()

    def write_settings(self) -> None:
        """Let no question about news stand in front of what is tested."""
        settings = self.directory / "settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        quiet = {"fetchNews": "false", "checkForUpdates": False}
        (settings / "notification.jupyterlab-settings").write_text(json.dumps(quiet))

    def _ask(self, method: str, path: str) -> bytes:
        headers = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(f"{self.url}/{path}", method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            content: bytes = answer.read()
            return content


@contextmanager
def jupyter(
    app: str = "lab", *, base_url: str = "/", options: Sequence[str] = (), python: str = sys.executable, **more: str
) -> Iterator[Lab]:
    """Start ``jupyter lab`` or ``jupyter notebook``; stop it and all its clusters in the end.

    ``base_url`` is the path of everything, as behind a JupyterHub; ``options`` are added to its command line, ``more``
    to its environment; ``python`` may be that of another environment.
    """
    # Not below pytest's own directory: the path of a unix socket must be short.
    directory = Path(tempfile.mkdtemp(prefix="gpc-", dir="/tmp"))
    for name in ("registry", "root", "home"):
        (directory / name).mkdir(mode=0o700)
    environment = {
        **os.environ, "GPUCLUSTER_DIR": str(directory / "registry"), "HOME": str(directory / "home"),
        "IPYTHONDIR": str(directory / "ipython"), "JUPYTER_CONFIG_DIR": str(directory / "config"),
        "JUPYTER_DATA_DIR": str(directory / "data"), "JUPYTER_RUNTIME_DIR": str(directory / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(directory / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(directory / "workspaces"), **more,
    }  # fmt: skip
    # Nor does each page ask Node whether JupyterLab has to be rebuilt.
    pages = Path(environment["JUPYTER_CONFIG_DIR"]) / "labconfig"
    pages.mkdir(parents=True)
    (pages / "page_config.json").write_text(json.dumps({"buildAvailable": False, "buildCheck": False}))
    port = free_ports(1)[0]
    # In the environment, not on the command line, where every user of the machine could read it.
    token = environment["JUPYTER_TOKEN"] = secrets.token_hex(16)
    lab = Lab(f"http://127.0.0.1:{port}{base_url.rstrip('/')}", token, directory)
    lab.write_settings()
    command = [
        python, "-m", "jupyter", app, "--no-browser", "--ip=127.0.0.1", "--allow-root",
        f"--port={port}", "--ServerApp.port_retries=0", f"--ServerApp.base_url={base_url}",
        f"--ServerApp.root_dir={directory / 'root'}", *options,
    ]  # fmt: skip
    with (directory / "log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for(lab, server)
        yield lab
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        for model in lab.control.list():
            if not model.state.ended:
                lab.control.stop(model.id)
        lab.control.close_standby()
        shutil.rmtree(directory, ignore_errors=True)


def _wait_for(lab: Lab, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{lab.url}/api", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise AssertionError(f"Jupyter did not start:\n{(lab.directory / 'log').read_text()[-3000:]}")
