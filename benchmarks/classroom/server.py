"""One learner's Jupyter server, and requests to it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import subprocess
from pathlib import Path
from typing import Any

import httpx

from .accounts import Account

PATIENCE_SECONDS = 240.0


class Server:
    """A Jupyter server of one account, on loopback.

    Parameters
    ----------
    account : Account
        Whose it is.
    options : str
        Added to its command line.
    """

    def __init__(self, account: Account, *options: str) -> None:
        self.account = account
        self.options = options
        self.token = secrets.token_hex(16)
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = listener.getsockname()[1]
        self.client = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{self.port}",
            headers={"Authorization": f"token {self.token}"},
            timeout=PATIENCE_SECONDS,
            trust_env=False,
        )
        self.process: subprocess.Popen[bytes] | None = None

    def launch(self) -> None:
        """Start it; ``ready`` waits until it answers."""
        root = self.account.home / "work"
        # In the environment and not on the command line, which everybody can read.
        self.process = self.account.start(
            "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={self.port}",
            "--ServerApp.port_retries=0", f"--ServerApp.root_dir={root}", *self.options,
            log="server.log", JUPYTER_TOKEN=self.token,
        )  # fmt: skip

    async def ready(self) -> None:
        """Wait until it answers."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                assert self.process is not None
                if self.process.poll() is not None:
                    raise RuntimeError((self.account.home / "server.log").read_text()[-3000:])
                with contextlib.suppress(httpx.HTTPError):
                    if (await self.client.get("/api", timeout=30)).is_success:
                        return
                await asyncio.sleep(0.2)

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Return the JSON of an answer."""
        answer = await self.client.request(method, path, json=body)
        if answer.is_error:
            raise RuntimeError(f"{method} {path} of {self.account.name}: HTTP {answer.status_code} {answer.text[:500]}")
        return answer.json() if answer.content else None

    async def end(self) -> None:
        """Stop it as a hub does."""
        await self.client.aclose()
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                await asyncio.to_thread(self.process.wait, 30)

    @property
    def root(self) -> Path:
        """Folder of the learner's notebooks."""
        return self.account.home / "work"
