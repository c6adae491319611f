"""A Jupyter server in a separate process, with our extension only."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.ports import free_ports

MAIN = """
import atexit, json, pathlib, sys
report = pathlib.Path(sys.argv.pop(1))
atexit.register(lambda: report.write_text(json.dumps(sorted(sys.modules))))
from jupyter_server.serverapp import main
main()
"""
TOKEN = "test-token"


class JupyterProcess:
    def __init__(self, process: subprocess.Popen[bytes], port: int, modules: Path, log: Path) -> None:
        self.process = process
        self.log = log
        self.url = f"http://127.0.0.1:{port}/"
        self._modules = modules
        self._client = httpx.Client(
            base_url=f"{self.url}gpucluster/", headers={"Authorization": f"token {TOKEN}"}, timeout=60, trust_env=False
        )

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request; returns JSON."""
        response = self._client.request(method, f"api/{path}", json=body)
        response.raise_for_status()
        return response.json()

    def answer(self, method: str, path: str, body: Any = None, *, timeout: float = 60) -> tuple[int, Any]:
        """Send a request; returns any status and JSON."""
        response = self._client.request(method, f"api/{path}", json=body, timeout=timeout)
        return response.status_code, response.json() if response.content else {}

    def status(self, path: str, method: str = "GET", **headers: str) -> int:
        return self._client.request(method, path, headers=headers).status_code

    def page(self, path: str) -> str:
        return self._client.get(path).raise_for_status().text

    def close(self) -> None:
        self._client.close()

    def end(self, signal: int) -> None:
        self.process.send_signal(signal)
        self.process.wait(60)

    def modules(self) -> set[str]:
        """Return the modules that the server had imported at its normal end."""
        return set(json.loads(self._modules.read_text()))


@contextmanager
def jupyter_process(directory: Path, **settings: Any) -> Iterator[JupyterProcess]:
    """Start a server with its files in a directory."""
    directory.mkdir(parents=True, exist_ok=True)
    [port] = free_ports(1)
    environment = {
        **os.environ,
        # The environment's configuration enables other extensions with further imports.
        "JUPYTER_NO_CONFIG": "1",
        **{f"JUPYTER_{kind}_DIR": str(directory / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")},
    }
    server = {"ip": "127.0.0.1", "port": port, "open_browser": False, "allow_root": True, "root_dir": str(directory)}
    options = [f"--ServerApp.{name}={value}" for name, value in server.items()]
    options += ["--ServerApp.port_retries=0", "--ServerApp.jpserver_extensions={'gpucluster': True}"]
    options += [f"--GPUClusterExtension.{name}={value}" for name, value in settings.items()]
    modules, log = directory / "modules.json", directory / "log"
    with log.open("wb") as output:
        command = [sys.executable, "-c", MAIN, str(modules), *options, f"--IdentityProvider.token={TOKEN}"]
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
    jupyter = JupyterProcess(process, port, modules, log)
    try:
        for _ in range(600):
            try:
                jupyter.call("GET", "presets")
            except httpx.TransportError:
                assert process.poll() is None, log.read_text()
                time.sleep(0.1)
            else:
                break
        yield jupyter
    finally:
        jupyter.close()
        if process.poll() is None:
            process.kill()
            process.wait()
