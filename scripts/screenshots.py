"""Take the screenshots of the documentation from the real thing: ``make screenshots``, or some of them by name."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import choose_action, chromium, open_page, open_panel
from tests.browser.lab import Lab, jupyter
from tests.fakes.cluster.process import simulated_cluster

IMAGES = ROOT / "docs" / "images"
CELLS = (
    "import dask.array as da\n\npixels = da.random.random((20_000_000, 3), chunks=(1_000_000, 3)).persist()",
    "pixels.mean(axis=0).compute()",
)


def choose_theme(lab: Lab, theme: str) -> None:
    """Set the theme as the settings editor would."""
    folder = lab.directory / "settings" / "@jupyterlab" / "apputils-extension"
    (folder / "themes.jupyterlab-settings").write_text(json.dumps({"theme": theme}))


def widen_panel(page: Page) -> None:
    """Give the sidebar a little more room, as people do."""
    handle = page.locator("#jp-main-split-panel > .lm-SplitPanel-handle").first
    box = handle.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 2, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 62, box["y"] + 300, steps=5)
    page.mouse.up()


def create(page: Page, name: str) -> None:
    """Create a cluster by the form; leaves a picture of the form."""
    panel = open_panel(page)
    widen_panel(page)
    panel.get_by_role("button", name="New cluster").click()
    form = page.get_by_role("form", name="New cluster")
    form.get_by_label("Hardware", exact=True).select_option("local")
    form.get_by_label("Name", exact=True).fill(name)
    form.get_by_label("Workers", exact=True).fill("3")
    form.get_by_label("Host memory per worker", exact=True).fill("1 GiB")
    form.get_by_label("Name", exact=True).focus()
    # Resources needed is asked while one types.
    expect(form.locator(".gpc-Demand")).to_be_visible()
    page.screenshot(path=IMAGES / "form.png")
    form.get_by_role("button", name="Create").click()
    expect(panel.get_by_text("Running")).to_be_visible()


def compute(page: Page) -> None:
    """Connect a new notebook and let the workers do something."""
    page.get_by_role("button", name="Connect new notebook").click()
    notebook = page.locator(".jp-NotebookPanel")
    expect(notebook.locator(".jp-OutputArea-output").first).to_contain_text("Connected to")
    for number, code in enumerate(CELLS, start=1):
        notebook.locator(".jp-Cell").nth(number).locator(".cm-content").click()
        page.keyboard.insert_text(code)
        page.keyboard.press("Shift+Enter")
    expect(notebook.locator(".jp-OutputArea-output").nth(1)).to_contain_text("array")
    page.keyboard.press("ControlOrMeta+s")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Rename and Save").or_(dialog.get_by_role("button", name="Rename")).click()
    expect(page.get_by_role("list", name="Workers").get_by_role("listitem")).to_have_count(3)


def photograph(browser: Browser) -> None:
    """Create, compute, and take a picture in each theme."""
    with jupyter() as lab:
        page = open_page(browser, lab, device_scale_factor=2, height=740)
        create(page, "photo")
        compute(page)
        page.wait_for_timeout(3000)
        page.screenshot(path=IMAGES / "panel-light.png")
        choose_theme(lab, "JupyterLab Dark")
        page.wait_for_timeout(2000)
        page.goto(lab.page("lab"))
        panel = open_panel(page)
        choose_action(panel, "Open dashboard layout")
        for title in ("Task stream", "Progress"):
            page.frame_locator(f'iframe[title^="{title}:"]').locator("canvas").first.wait_for()
        # A task stream shows what runs while it is open.
        page.locator(".jp-NotebookPanel .jp-Cell").nth(1).locator(".cm-content").click()
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name=re.compile("^Run All Cells")).first.click()
        page.wait_for_timeout(6000)
        page.screenshot(path=IMAGES / "panel-dark.png")


def photograph_gpus(browser: Browser, theme: str) -> None:
    """Take a picture of the gauges of eight simulated GPUs, one of them lost: a laptop has none."""
    with jupyter() as lab:
        choose_theme(lab, f"JupyterLab {theme}")
        environment = {**os.environ, "GPUCLUSTER_DIR": str(lab.directory / "registry")}
        options = ("--workers", "8", "--gpus", "--lost", "1", "--past", "--name", "eight")
        with simulated_cluster(*options, environment=environment):
            page = open_page(browser, lab, device_scale_factor=2, height=1150)
            panel = open_panel(page)
            widen_panel(page)
            page.wait_for_timeout(5000)
            box = panel.bounding_box()
            assert box is not None
            page.screenshot(path=IMAGES / f"gauges-{theme.lower()}.png", clip={**box, "height": 1080})


def photograph_recording(browser: Browser) -> None:
    """Take a picture of a recording in the middle of its work."""
    with jupyter() as lab:
        page = open_page(browser, lab, device_scale_factor=2, height=740)
        open_panel(page).get_by_role("button", name="Play a recording…").click()
        dialog = page.locator(".jp-Dialog")
        dialog.locator(".gpc-RecordingPicker-row", has_text="A join that spills").get_by_role("radio").check()
        dialog.get_by_role("button", name="Play").click()
        player = page.get_by_role("region", name="Recording: A join that spills")
        player.get_by_role("button", name="Pause").click()
        player.get_by_role("slider", name="Position").fill("13")
        page.wait_for_timeout(500)
        player.screenshot(path=IMAGES / "recording.png")


def photograph_cells(browser: Browser) -> None:
    """Take a picture of the lines below two cells: one is done and opened, one computes."""
    cells = (
        "import dask.array as da\n\nx = da.random.random((6_000, 6_000), chunks=1_000)\n(x @ x.T).std().compute()",
        "import time\n\nx.map_blocks(lambda block: (time.sleep(0.6), block)[1], dtype=x.dtype).mean().compute()",
    )
    with jupyter() as lab:
        page = open_page(browser, lab, device_scale_factor=2, height=900)
        open_panel(page).get_by_role("button", name="Quick start").click()
        page.get_by_role("button", name="Connect new notebook").click()
        notebook = page.locator(".jp-NotebookPanel")
        expect(notebook.locator(".jp-OutputArea-output").first).to_contain_text("Connected to")
        lines = notebook.locator(".gpc-CellStrip-line")
        for number, code in enumerate(cells, start=1):
            notebook.locator(".jp-Cell").nth(number).locator(".cm-content").click()
            page.keyboard.insert_text(code)
            page.keyboard.press("Shift+Enter")
            expect(lines).to_have_count(number)
            if number == 1:
                expect(lines.first).to_contain_text("peak")
                lines.first.locator("[aria-expanded]").click()
                page.wait_for_timeout(1000)
        page.wait_for_timeout(3500)
        first, last = notebook.locator(".jp-Cell").nth(1).bounding_box(), lines.last.bounding_box()
        assert first is not None and last is not None
        height = last["y"] + 30 - first["y"]
        page.screenshot(path=IMAGES / "cells.png", clip={**first, "height": height})


PICTURES: dict[str, Callable[[Browser], None]] = {
    "panel": photograph,
    "cells": photograph_cells,
    "recording": photograph_recording,
    "gauges-light": lambda browser: photograph_gpus(browser, "Light"),
    "gauges-dark": lambda browser: photograph_gpus(browser, "Dark"),
}

if __name__ == "__main__":
    IMAGES.mkdir(parents=True, exist_ok=True)
    with chromium() as running:
        for name in sys.argv[1:] or PICTURES:
            PICTURES[name](running)
