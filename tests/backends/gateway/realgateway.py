"""A real Dask Gateway server with its real proxy; schedulers and workers are processes of this machine.

It keeps its list of clusters in a file, as a site does, and leaves them running when it is restarted.
"""

import base64
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import psutil

from tests.ports import free_ports

PASSWORD = "open sesame"
VARIABLE = "GATEWAY_TEST_PASSWORD"
START_SECONDS = 60

CONFIGURATION = """
from dask_gateway_server.options import Bool, Float, Integer, Mapping, Options, Select, String

c.DaskGateway.backend_class = "dask_gateway_server.backends.local.UnsafeLocalBackend"
c.DaskGateway.address = "127.0.0.1:{private}"
c.DaskGateway.authenticator_class = "dask_gateway_server.auth.SimpleAuthenticator"
c.SimpleAuthenticator.password = {password!r}
c.Proxy.address = "127.0.0.1:{web}"
c.Proxy.tcp_address = "127.0.0.1:{proxy}"
c.UnsafeLocalBackend.clusters_directory = {folder!r} + "/clusters"
c.UnsafeLocalBackend.sigint_timeout = 2
c.UnsafeLocalBackend.db_url = "sqlite:///" + {folder!r} + "/list.sqlite"
c.UnsafeLocalBackend.db_encrypt_keys = [{key!r}]
c.UnsafeLocalBackend.stop_clusters_on_shutdown = False
c.UnsafeLocalBackend.cluster_options = Options(
    Integer("worker_cores", default=1, min=1, max=4, label="Cores"),
    Float("share", default=0.5, min=0.1, max=1),
    Select("profile", ["small", "big"]),
    Bool("fast"),
    String("image", "base"),
    Mapping("environment"),
    handler=lambda chosen: {{
        "worker_cores": chosen.worker_cores,
        "cluster_max_workers": 3,
        "scheduler_cmd": ["nothing-like-that"] if chosen.image == "broken" else {scheduler!r},
    }},
)
c.ClusterConfig.worker_cmd = {worker!r}
c.ClusterConfig.worker_memory = "600 M"
c.ClusterConfig.adaptive_period = 0.2
"""


class RealGateway:
    """One server; ``start`` after ``stop`` restarts it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="gateway-"))
        (self.folder / "clusters").mkdir()
        self.web, self.proxy, private = free_ports(3)
        (self.folder / "config.py").write_text(
            CONFIGURATION.format(
                private=private,
                web=self.web,
                proxy=self.proxy,
                password=PASSWORD,
                folder=str(self.folder),
                key=base64.b64encode(os.urandom(32)).decode(),
                scheduler=[sys.executable, "-m", "distributed.cli.dask_scheduler"],
                worker=[sys.executable, "-m", "distributed.cli.dask_worker"],
            )
        )
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.web}"

    @property
    def options(self) -> dict[str, object]:
        """Return how to reach it and to log in."""
        where = {"backend": "gateway", "address": self.address, "proxy_address": str(self.proxy)}
        return {**where, "username": "alice", "password_from": VARIABLE}

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "dask_gateway_server", "-f", str(self.folder / "config.py")],
                stdout=log,
                stderr=log,
                # This variable marks processes of a test's site, to which those of the gateway do not belong.
                env={name: value for name, value in os.environ.items() if name != "GPUCLUSTER_DIR"},
                cwd=self.folder,
            )
        deadline = time.monotonic() + START_SECONDS
        while True:
            with suppress(OSError), urllib.request.urlopen(f"{self.address}/api/health", timeout=5):
                return
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"Dask Gateway does not start:\n{self.log()}")
            time.sleep(0.05)

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def stop(self) -> None:
        """End the server; clusters continue."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)

    def cluster_processes(self) -> list[psutil.Process]:
        """Return the processes of all clusters: their schedulers and workers."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                ours = str(self.folder) in process.cwd() and process.status() != psutil.STATUS_ZOMBIE
                if ours and process.environ().get("DASK_GATEWAY_CLUSTER_NAME"):
                    found.append(process)
        return found

    def end(self) -> None:
        self.stop()
        left = self.cluster_processes()
        for process in left:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(left, timeout=10)  # Until then they write there.
        shutil.rmtree(self.folder, ignore_errors=True)
