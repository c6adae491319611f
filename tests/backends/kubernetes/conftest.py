"""One simulated Kubernetes for all tests of the kind, with Dask's real operator."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

SIMULATED = str(Path(__file__).parent / "simulated.py")


class Simulated:
    """A simulated Kubernetes: its API as the administrator, and changes of the simulation."""

    def __init__(self, *options: str) -> None:
        # Not below pytest's folder: pods' sockets have short paths.
        self.folder = Path(tempfile.mkdtemp(prefix="gpk", dir="/tmp"))
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GPUCLUSTER")}
        self._process = subprocess.Popen(
            [sys.executable, SIMULATED, str(self.folder), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self._process.stdout is not None
        self.kubeconfig = self._process.stdout.readline().strip()
        self.server = yaml.safe_load(Path(self.kubeconfig).read_text())["clusters"][0]["cluster"]["server"]

    def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.server}{path}", data=data, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read() or b"null")

    def change(self, **knobs: Any) -> None:
        self.ask("/simulated", "POST", knobs)

    def things(self, *plurals: str, of: str = "") -> list[dict[str, Any]]:
        """Return all objects of these kinds whose names contain ``of``."""
        found = []
        for plural in plurals:
            version = "apis/apps/v1" if plural == "deployments" else "api/v1"
            version = "apis/kubernetes.dask.org/v1" if plural.startswith("dask") else version
            found += self.ask(f"/{version}/namespaces/class/{plural}")["items"]
        return [thing for thing in found if of in thing["metadata"]["name"]]

    def names(self, of: str) -> list[str]:
        """Return the names of all objects of one cluster except events."""
        kinds = ("pods", "services", "secrets", "deployments", "daskclusters", "daskworkergroups")
        return [thing["metadata"]["name"] for thing in self.things(*kinds, of=of)]

    def delete_pod(self, name: str) -> None:
        self.ask(f"/api/v1/namespaces/class/pods/{name}", "DELETE")

    @contextmanager
    def operator_stopped(self) -> Iterator[None]:
        """Suspend the operator."""
        (operator,) = [one for one in psutil.Process(self._process.pid).children() if "kopf" in one.cmdline()]
        operator.suspend()
        try:
            yield
        finally:
            operator.resume()

    def logs(self) -> str:
        return "\n".join(f"== {path.name}\n{path.read_text()[-1500:]}" for path in self.folder.glob("*.log"))

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)
        assert self._process.stdout is not None
        self._process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def kubernetes():
    """A Kubernetes with the operator, a node with two GPUs, and a namespace 'class'."""
    found = Simulated()
    yield found
    found.close()


@pytest.fixture(scope="session")
def without_operator():
    """A Kubernetes that has never heard of Dask."""
    found = Simulated("--without-operator")
    yield found
    found.close()
