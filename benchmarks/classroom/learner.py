"""What one learner does in the hour, and when what was seen."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from .accounts import Account
from .notebook import DEVICES, Notebook, cells
from .page import Page
from .server import Server

SPEC = {"backend": "cuda", "name": "class", "n_workers": 1}
LINE = "line"


class Learner:
    """One of the class.

    Parameters
    ----------
    account : Account
        Who it is.
    options : str
        Of the Jupyter server.
    """

    def __init__(self, account: Account, *options: str) -> None:
        self.account = account
        self.server = Server(account, *options)
        self.page = Page(self.server)
        self.notebook = Notebook(self.server)
        self.id = ""
        self.seconds: dict[str, float] = {}
        self.clicked = 0.0
        self.device = ""
        self.said = ""

    async def log_in(self, at: float) -> None:
        """Start the server at a moment of the clock, and open its page."""
        await _sleep_until(at)
        began = time.monotonic()
        (self.account.home / "work").mkdir(exist_ok=True)
        _give(self.account, "work")
        self.server.launch()
        await self.server.ready()
        self.seconds["server"] = time.monotonic() - began
        await self.page.open()
        self.seconds["page"] = time.monotonic() - began

    async def create(self, at: float) -> None:
        """Press *Create* at a moment of the clock."""
        await _sleep_until(at)
        self.clicked = time.monotonic()
        model = await self.server.ask("POST", "/gpucluster/api/clusters", SPEC)
        self.id = model["id"]
        self.page.note(model)
        self.seconds["answer"] = time.monotonic() - self.clicked

    async def settled(self) -> str:
        """Wait until the cluster runs or stands in line for a GPU; returns which."""
        while True:
            model = self.page.clusters[self.id]
            if model["state"] in {"running", "failed", "stopped"}:
                return str(model["state"])
            if self.waits_for_gpu:
                return LINE
            await asyncio.sleep(0.05)

    @property
    def waits_for_gpu(self) -> bool:
        """Whether the page shows a place in line before the GPUs."""
        return bool(self._progress.get("step") == LINE)

    @property
    def _progress(self) -> dict[str, Any]:
        return (self.page.clusters.get(self.id) or {}).get("progress") or {}

    async def running(self) -> None:
        """Wait until the page shows it running."""
        model = await self.page.until(self.id, "running", "failed", "stopped")
        if model["state"] != "running":
            raise RuntimeError(f"The cluster of {self.account.name} is {model['state']}: {model['reason']}")
        self.seconds["running"] = time.monotonic() - self.clicked
        self.device = model["slots"][0]["uuid"]

    async def work(self) -> None:
        """Open the lesson's notebook and run its loop on the cluster."""
        began = time.monotonic()
        await self.notebook.open()
        for code in cells():
            self.said = await self.notebook.run(code)
        told = await self.notebook.run(DEVICES)
        if self.device not in told:
            raise RuntimeError(f"The worker of {self.account.name} computes on {told}, its slot is {self.device}.")
        self.seconds["work"] = time.monotonic() - began

    async def scale(self) -> None:
        """Scale down to nothing and up again, within the slot."""
        began = time.monotonic()
        for number in (0, 1):
            await self.server.ask("PATCH", f"/gpucluster/api/clusters/{self.id}", {"n_workers": number})
            await self.page.until_workers(self.id, number)
        self.seconds["scale"] = time.monotonic() - began

    async def stop(self) -> None:
        """Stop the cluster, and wait until it has ended."""
        began = time.monotonic()
        await self.server.ask("DELETE", f"/gpucluster/api/clusters/{self.id}")
        while (await self.server.ask("GET", f"/gpucluster/api/clusters/{self.id}"))["state"] != "stopped":
            await asyncio.sleep(0.1)
        self.seconds["stop"] = time.monotonic() - began

    async def close_lid(self) -> None:
        """Leave: the server, the kernel and the cluster go on."""
        await self.page.close()
        await self.notebook.leave()

    async def leave(self) -> None:
        """Shut everything down."""
        await self.close_lid()
        await self.notebook.shut_down()
        await self.server.end()

    @property
    def seconds_to_sight(self) -> float | None:
        """Seconds from the click until the page said that it runs, or who else is before it in a line."""
        for at, state, line in self.page.seen:
            if at >= self.clicked and (state == "running" or line.startswith("In line")):
                return at - self.clicked
        return None


def _give(account: Account, folder: str) -> None:
    import os

    os.chown(account.home / folder, account.uid, account.uid)


async def _sleep_until(at: float) -> None:
    await asyncio.sleep(max(0.0, at - time.monotonic()))
