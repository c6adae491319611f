"""The panel and the dashboards on a server that lives below a path, as behind a JupyterHub."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from playwright.sync_api import Browser, Request, expect

from .chromium import open_page, open_panel
from .lab import jupyter

pytestmark = [pytest.mark.browser, pytest.mark.timeout(400)]


def test_a_dashboard_is_drawn_below_a_base_url(browser: Browser) -> None:
    with jupyter(base_url="/user/x/") as lab:
        page = open_page(browser, lab)
        strays: list[str] = []

        def note(request: Request) -> None:
            # What an extension of somebody else asks for is not our concern.
            if "gpucluster" in request.url and not request.url.startswith((f"{lab.url}/", "data:", "blob:")):
                strays.append(request.url)

        page.on("request", note)
        panel = open_panel(page)
        lab.control.wait(lab.control.create({"backend": "local", "name": "blue", "n_workers": 1}).id)
        card = panel.get_by_role("listitem", name="blue", exact=True)
        # Told by the WebSocket of events.
        expect(card.get_by_role("status").first).to_have_text("Running")
        with page.expect_websocket(lambda socket: "/user/x/gpucluster/dashboard/" in socket.url):
            card.get_by_role("button", name="Lay out the dashboard").click()
        for title in ("Task stream", "Progress", "Memory by worker", "CPU by worker"):
            frame = page.frame_locator(f'iframe[title^="{title}:"]')
            expect(frame.locator("canvas").first).to_be_visible()
        card.get_by_role("button", name="Log", exact=True).click()
        expect(page.get_by_role("log")).to_contain_text("distributed.scheduler")
        assert strays == []
        page.context.close()
