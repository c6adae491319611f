"""One page in a real Chromium: its requests and the bytes it receives while it is not used."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

from .server import Server

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")


async def real_page(server: Server, seconds: float) -> dict[str, Any]:
    """Open a learner's panel and return the page's requests; without a browser, report that."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    try:
        from playwright.async_api import async_playwright
    except ImportError:
        program = None
    if program is None:
        return {"left_out": "There is no Chromium here."}
    asked: Counter[str] = Counter()
    told: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="gpcpage") as home:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=program,
                args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
                env={**os.environ, "HOME": home},
            )
            try:
                page = await browser.new_page()

                def follow(socket: Any) -> None:
                    def came(payload: str | bytes) -> None:
                        told[urlsplit(socket.url).path] += 1
                        told["bytes"] += len(payload)

                    socket.on("framereceived", came)

                page.on("websocket", follow)
                await page.goto(f"http://127.0.0.1:{server.port}/lab?token={server.token}")
                tab = page.locator('.jp-SideBar [data-id="gpucluster-panel"]')
                await tab.wait_for(timeout=120_000)
                await tab.click()
                await page.locator("#gpucluster-panel").wait_for(timeout=60_000)
                await asyncio.sleep(10)
                told.clear()
                page.on("request", lambda request: asked.update([urlsplit(request.url).path]))
                await asyncio.sleep(seconds)
            finally:
                await browser.close()
    return {"seconds": seconds, "requests": dict(asked.most_common()), "messages": dict(told)}
