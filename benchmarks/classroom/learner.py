"""What one learner does in the hour, and when what was seen."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from .accounts import Account
from .notebook import CONVERGED, DEVICES, Notebook, cells
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
        self.slot: int | None = None

    async def log_in(self, at: float) -> None:
        """Start the server at a moment of the clock, and open its page."""
        await _sleep_until(at)
        began = time.monotonic()
        self.account.give_folder("work")
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
        ran = next(at for at, state, _ in self.page.seen if state == "running" and at >= self.clicked)
        self.seconds["running"] = ran - self.clicked
        self.device, self.slot = model["slots"][0]["uuid"], model["slots"][0]["slot"]

    async def work(self) -> None:
        """Open the lesson's notebook and run its loop on the cluster."""
        began = time.monotonic()
        await self.notebook.open()
        await self._share()
        for code in cells():
            await self.notebook.run(code)
        if "True" not in await self.notebook.run(CONVERGED):
            raise RuntimeError(f"The loop of {self.account.name} found no centroids.")
        told = await self.notebook.run(DEVICES)
        if self.device not in told:
            raise RuntimeError(f"The worker of {self.account.name} computes on {told}, its slot is {self.device}.")
        self.seconds["work"] = time.monotonic() - began

    async def _share(self) -> None:
        """Let the instructor see how far this learner is."""
        command = ("-m", "gpucluster.cli", "lessons", "share", str(self.account.machine.shared))
        folder = str(self.server.root / "gpucluster-lessons")
        await asyncio.to_thread(
            self.account.run, *command, "--name", self.account.name, GPUCLUSTER_LESSONS_FOLDER=folder
        )

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
        address = f"/gpucluster/api/clusters/{self.id}"
        model = await self.server.ask("DELETE", address)
        for _ in range(600):
            if model["state"] in {"stopped", "failed"}:
                break
            await asyncio.sleep(0.1)
            model = await self.server.ask("GET", address)
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
        """Seconds from the click until the page said that it runs, starts, or how many are before it in a line."""
        return next((at - self.clicked for at, _, _ in self.page.seen if at >= self.clicked), None)

    def moments(self, begin: float) -> tuple[float, float, float]:
        """Return when it was clicked, when its turn came, and when it ran, in seconds since a moment of the clock."""
        came = next((at for at, _, line in self.page.seen if at >= self.clicked and not line.startswith("In line")), 0)
        return (
            round(self.clicked - begin, 1),
            round(came - begin, 1),
            round(self.clicked + self.seconds["running"] - begin, 1),
        )

    @property
    def first_seen(self) -> str:
        """What the page said first: a place in line, or that it starts at once."""
        first = next((line for at, _, line in self.page.seen if at >= self.clicked), "")
        return "in line" if first.startswith("In line") else "starts"


async def _sleep_until(at: float) -> None:
    await asyncio.sleep(max(0.0, at - time.monotonic()))
