"""A real JupyterHub with its proxy, and users with a browser's requests."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
from tornado.httpclient import HTTPRequest

from tests.ports import free_ports

from .reachable import as_user, for_others

ROOT = Path(__file__).parents[2]
PROXY = ROOT / "node_modules" / "configurable-http-proxy" / "bin" / "configurable-http-proxy"
PATIENCE_SECONDS = 120.0


def until(condition: Callable[[], Any], what: Callable[[], str] = str) -> None:
    """Wait until a condition holds. `what`: text for the error."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"did not happen within {PATIENCE_SECONDS:.0f} s {what()}"
        time.sleep(0.3)


class Person:
    """A user with a browser, who logs in to the hub and uses a server through the hub's proxy."""

    def __init__(self, hub: Hub, name: str) -> None:
        self.hub = hub
        self.name = name
        self.base = f"{hub.url}user/{name}/"
        self.browser = httpx.Client(follow_redirects=True, timeout=60, trust_env=False)

    def log_in(self) -> None:
        self.browser.get(f"{self.hub.url}hub/login")
        answer = self.browser.post(
            f"{self.hub.url}hub/login",
            params={"next": "/hub/home"},
            data={"username": self.name, "password": self.hub.password, "_xsrf": self._forgery_token("/hub/")},
        )
        assert answer.status_code == 200, answer.text

    def start_server(self) -> None:
        """Start the user's server, and open it until access is granted."""
        answer = self._ask_hub("POST")
        assert answer.status_code in {201, 202}, self.hub.log.read_text()
        until(self._is_let_in, lambda: self.hub.log.read_text()[-4000:])

    def _is_let_in(self) -> bool:
        self.browser.get(f"{self.base}lab")  # a page: the server redirects to the hub and back
        return self.browser.get(f"{self.base}api/status").status_code == 200

    def stop_server(self) -> None:
        answer = self._ask_hub("DELETE")
        assert answer.status_code in {202, 204}, answer.text

    def _ask_hub(self, method: str) -> httpx.Response:
        self.browser.get(f"{self.hub.url}hub/home")
        return self.browser.request(
            method,
            f"{self.hub.url}hub/api/users/{self.name}/server",
            headers={"X-XSRFToken": self._forgery_token("/hub/")},
        )

    @property
    def has_server(self) -> bool:
        """Whether the user's server runs, from the hub: a request to the server would count as use."""
        return bool(self.browser.get(f"{self.hub.url}hub/api/users/{self.name}").json()["servers"])

    def call(self, method: str, path: str, body: Any = None, *, of: str | None = None) -> httpx.Response:
        """Send a request to the extension in a server, by default the user's."""
        return self.browser.request(
            method,
            f"{self.hub.url}user/{of or self.name}/gpucluster/{path}",
            json=body,
            headers={"X-XSRFToken": self._forgery_token(f"/user/{self.name}/")},
        )

    def socket(self, path: str, *, of: str | None = None) -> HTTPRequest:
        """Return the request that opens a WebSocket of a server."""
        url = f"{self.hub.url}user/{of or self.name}/gpucluster/{path}"
        cookies = self.browser.build_request("GET", url).headers.get("Cookie", "")
        return HTTPRequest(
            url.replace("http", "ws", 1), headers={"Cookie": cookies, "Origin": self.hub.url.rstrip("/")}
        )

    def python(self, code: str, *arguments: str) -> subprocess.Popen[str]:
        """Run a script like this user's kernel."""
        home = self.hub.folder / self.name
        environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        environment |= {"HOME": str(home), "USER": self.name, "GPUCLUSTER_DIR": str(home / "c")}
        environment["GPUCLUSTER_SITE"] = "/nonexistent/site.yaml"
        command = as_user(self.hub.users[self.name], sys.executable, "-c", code, *arguments)
        return subprocess.Popen(command, cwd=home, env=environment, stdout=subprocess.PIPE, text=True)

    def _forgery_token(self, path: str) -> str:
        return next((cookie.value or "" for cookie in self.browser.cookies.jar
                     if cookie.name == "_xsrf" and cookie.path == path), "")  # fmt: skip


class Hub:
    def __init__(self, folder: Path, url: str, users: dict[str, int], password: str) -> None:
        self.folder = folder
        self.url = url
        self.users = users
        self.password = password
        self.log = folder / "hub" / "log"

    def person(self, name: str) -> Person:
        """Return a user who has logged in."""
        person = Person(self, name)
        person.log_in()
        return person

    def processes(self, name: str | None = None) -> list[psutil.Process]:
        """Return the processes of one or all users with this hub's folder in their environment."""
        numbers = set(self.users.values()) if name is None else {self.users[name]}
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.uids().real in numbers and str(self.folder) in process.environ().get("GPUCLUSTER_DIR", ""):
                    found.append(process)
        return found


@contextmanager
def running_hub(users: dict[str, int], **settings: Any) -> Iterator[Hub]:
    """Start a hub for users of the system, by name and number."""
    folder = Path(tempfile.mkdtemp(prefix="gpch", dir="/tmp"))
    folder.chmod(0o711)
    (folder / "hub").mkdir(mode=0o700)
    for name, number in users.items():
        (folder / name).mkdir(mode=0o700)
        os.chown(folder / name, number, number)
    port, hub_port, proxy_port = free_ports(3)
    url, password = f"http://127.0.0.1:{port}/", secrets.token_hex(8)
    configuration = {
        "folder": str(folder), "url": url, "hub_url": f"http://127.0.0.1:{hub_port}",
        "proxy_url": f"http://127.0.0.1:{proxy_port}", "proxy_token": secrets.token_hex(16),
        "proxy": ["node", str(PROXY)], "users": users, "password": password, **settings,
    }  # fmt: skip
    hub = Hub(folder, url, users, password)
    with hub.log.open("wb") as log:
        file = str(Path(__file__).with_name("jupyterhub_config.py"))
        process = subprocess.Popen(
            for_others(sys.executable, "-m", "jupyterhub", "-f", file), cwd=folder / "hub",
            env={**os.environ, "TEST_HUB": json.dumps(configuration)}, stdout=log, stderr=log,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            assert process.poll() is None and time.monotonic() < deadline, hub.log.read_text()
            with suppress(httpx.HTTPError):
                httpx.get(f"{url}hub/health", trust_env=False).raise_for_status()
                break
            time.sleep(0.2)
        yield hub
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for left in hub.processes():
            with suppress(psutil.Error):
                left.kill()
        shutil.rmtree(folder, ignore_errors=True)
