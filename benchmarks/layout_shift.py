"""Whether anything in the panel jumps while figures change: ``python -m benchmarks.layout_shift``.

Two real clusters compute, rest and compute again for a minute; one card is open, with its workers, the other is
folded; the gauges over time of the open one are beside them. Pages of three widths look at them at once and note the
browser's own ``layout-shift`` entries in the panel and in the gauges over time. In the middle
the open cluster is scaled from two to four workers: what moves in the seconds after that was requested, and is
counted separately.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from typing import Any

from distributed import Client
from gpucluster.client.api import connect
from playwright.sync_api import Browser, Page, expect

from benchmarks.recording import record
from tests.browser.chromium import choose_command, chromium, open_page, open_panel, resize_panel
from tests.browser.lab import Lab, jupyter

WIDTHS = (245, 320, 480)
SCALING_SECONDS = 6
SETTLE_SECONDS = 8
ROUND_SECONDS = 3.0
WATCH = """() => {
    window.shifts = []
    const name = node => {
        const element = node?.nodeType === 1 ? node : node?.parentElement
        const card = element?.closest('.gpc-ClusterCard')?.querySelector('h3')?.title
        const place = card ?? element?.closest('#gpucluster-panel, .gpc-Charts')?.className
        return place === undefined ? null : `${place}: ${element.className}`
    }
    new PerformanceObserver(list => list.getEntries().forEach(entry => {
        const moved = entry.sources.map(({ node }) => name(node)).filter(one => one !== null)
        if (moved.length > 0) {
            window.shifts.push({ at: performance.timeOrigin + entry.startTime, value: entry.value, moved })
        }
    })).observe({ type: 'layout-shift' })
}"""


def load(seconds: float) -> bytes:
    """Read something, as far as anybody can see."""
    time.sleep(seconds)
    return bytes(random.randrange(1, 4_000_000))


def fit(*parts: bytes) -> int:
    """Compute for a while."""
    return sum(range(40_000 * (1 + len(parts))))


def score(*fitted: int) -> int:
    """End a round."""
    return max(fitted)


class Work:
    """Rounds of tasks of a client, with rests between them."""

    def __init__(self, client: Client, seed: int) -> None:
        self._client = client
        self._chance = random.Random(seed)
        self._held: list[Any] = []

    def go_on(self) -> None:
        """Submit another round, or rest."""
        self._held.clear()
        if self._chance.random() < 0.3:
            return
        n_parts = self._chance.randint(3, 60)
        loaded = self._client.map(load, [self._chance.uniform(0, 0.3) for _ in range(n_parts)], pure=False)
        fitted = [self._client.submit(fit, *loaded[n : n + 3], pure=False) for n in range(n_parts)]
        self._held = [*loaded, self._client.submit(score, *fitted, pure=False)]


def open_at(browser: Browser, lab: Lab, width: int) -> Page:
    """Open the panel at a width, one cluster open and the other folded."""
    page = open_page(browser, lab, f"lab/workspaces/w{width}?reset", height=1400)
    page.add_style_tag(content=":root { --jp-sidebar-min-width: 240px !important }")
    open_panel(page)
    choose_command(page, "Show Gauges over Time")
    choice = page.locator(".jp-Dialog select")
    choice.select_option("open")
    page.locator(".jp-Dialog").get_by_role("button", name="Ok").click()
    expect(page.get_by_role("region", name="Gauges over time").get_by_role("img", name="Host memory")).to_be_visible()
    panel = open_panel(page)
    for name, is_open in (("open", "true"), ("folded", "false")):
        toggle = panel.get_by_role("button", name=name, exact=True)
        toggle.wait_for()
        if toggle.get_attribute("aria-expanded") != is_open:
            toggle.click()
        expect(toggle).to_have_attribute("aria-expanded", is_open)
    expect(panel.get_by_role("list", name="Workers").get_by_role("listitem")).to_have_count(2)
    resize_panel(page, width)
    return page


def watch(pages: dict[int, Page], lab: Lab, work: list[Work], seconds: float) -> dict[str, Any]:
    """Watch all pages for this long."""
    for page in pages.values():
        page.evaluate(WATCH)
    started, scaled = time.time(), None
    while time.time() - started < seconds:
        if scaled is None and time.time() - started >= seconds / 2:
            scaled = time.time()
            lab.control.patch("open", {"n_workers": 4})
        for one in work:
            one.go_on()
        next(iter(pages.values())).wait_for_timeout(1000 * ROUND_SECONDS)
    assert scaled is not None
    figures: dict[str, Any] = {}
    for width, page in pages.items():
        shifts = page.evaluate("window.shifts")
        asked = [one for one in shifts if scaled <= one["at"] / 1000 < scaled + SCALING_SECONDS]
        others = [one for one in shifts if one not in asked]
        figures[str(width)] = {
            "shift": round(sum(one["value"] for one in others), 5),
            "moved": sorted({name for one in others for name in one["moved"]}),
            "shift_by_scaling": round(sum(one["value"] for one in asked), 5),
            "workers": page.get_by_role("list", name="Workers").get_by_role("listitem").count(),
        }
    return figures


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.layout_shift", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long the panel is watched")
    options = parser.parse_args()
    with jupyter() as lab, chromium() as browser:
        os.environ["GPUCLUSTER_DIR"] = str(lab.directory / "registry")
        for name in ("open", "folded"):
            spec = {"backend": "local", "name": name, "n_workers": 2, "memory_limit": "1 GiB"}
            lab.control.wait(lab.control.create(spec).id)
        with connect("open").get_client() as first, connect("folded").get_client() as second:
            work = [Work(client, seed) for seed, client in enumerate((first, second))]
            pages = {width: open_at(browser, lab, width) for width in WIDTHS}
            for one in work:
                one.go_on()
            # Each kind of task takes its place once.
            next(iter(pages.values())).wait_for_timeout(1000 * SETTLE_SECONDS)
            figures = watch(pages, lab, work, options.seconds)
    record({"seconds": options.seconds, "widths": figures}, name="layout-shift", packages=["distributed", "jupyterlab"])


if __name__ == "__main__":
    main()
