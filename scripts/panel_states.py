"""Take a picture of each state of the panel, at three widths and in both themes: ``make screenshots``.

They are to be looked at, one by one: nobody compares them by program. Each state becomes one picture of six.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.chromium import chromium, open_page, open_panel
from tests.browser.lab import Lab, jupyter
from tests.fakes.cluster.process import simulated_cluster

WIDTHS = (245, 320, 480)
THEMES = ("light", "dark")
HEIGHT = 1000
MANY = 30
"""As many clusters as are asked for; of those that ended, the registry keeps the last ten."""
State = Callable[[Locator], None]


def resize(page: Page, width: int) -> None:
    """Give the sidebar that many pixels, with the mouse."""
    panel = page.locator("#gpucluster-panel").bounding_box()
    handle = page.locator("#jp-main-split-panel > .lm-SplitPanel-handle").first.bounding_box()
    assert panel is not None
    assert handle is not None
    page.mouse.move(handle["x"] + 2, 300)
    page.mouse.down()
    page.mouse.move(handle["x"] + 2 + width - panel["width"], 300, steps=4)
    page.mouse.up()


def photograph(browser: Browser, lab: Lab, folder: Path, name: str, prepare: State) -> None:
    """Take six pictures of one state, and put them side by side."""
    parts = []
    for theme in THEMES:
        page = open_page(browser, lab, f"lab/workspaces/{name}-{theme}?reset", height=HEIGHT, color_scheme=theme)
        page.set_viewport_size({"width": 1280, "height": HEIGHT})
        panel = open_panel(page)
        prepare(panel)
        for width in WIDTHS:
            resize(page, width)
            page.wait_for_timeout(1500)
            parts.append((width, panel.screenshot()))
        page.context.close()
    images = "".join(
        f'<figure><img width="{width}" src="data:image/png;base64,{base64.b64encode(png).decode()}"></figure>'
        for width, png in parts
    )
    style = "body{margin:8px;display:flex;gap:8px;background:#888}figure{margin:0}"
    sheet = browser.new_page(viewport={"width": 2 * sum(WIDTHS) + 80, "height": HEIGHT})
    sheet.set_content(f"<style>{style}</style>{images}")
    folder.mkdir(parents=True, exist_ok=True)
    sheet.screenshot(path=folder / f"{name}.png", full_page=True)
    sheet.close()


def nothing(panel: Locator) -> None:
    """Wait until there is something to see."""
    panel.page.wait_for_timeout(3000)


def form(panel: Locator) -> None:
    """Open the form."""
    panel.get_by_role("button", name="New cluster").click()
    expect(panel.get_by_role("form", name="New cluster")).to_be_visible()


def detail(panel: Locator) -> None:
    """Choose a worker."""
    rows = panel.get_by_role("list", name="Workers").get_by_role("listitem")
    rows.nth(1).click()
    nothing(panel)


def scaling(panel: Locator) -> None:
    """Open the editor of the number of workers."""
    panel.get_by_role("button", name="Scale", exact=True).first.click()


def copies(lab: Lab, count: int) -> None:
    """Have that many ended clusters: copies of one."""
    registry = lab.directory / "registry"
    ended = next(model for model in lab.control.list() if model.state.ended)
    source = (registry / ended.id / "state.json").read_text()
    for number in range(count):
        id = f"{number:08x}"
        folder = registry / id
        folder.mkdir(mode=0o700)
        (folder / "lock").touch(mode=0o600)
        copy = source.replace(ended.id, id).replace(f'"{ended.name}"', f'"past-{number}"')
        (folder / "state.json").write_text(copy)


def photograph_all(browser: Browser, folder: Path, only: set[str]) -> None:
    """Take the pictures of all states."""

    def take(name: str, prepare: State = nothing) -> None:
        if not only or name in only:
            photograph(browser, lab, folder, name, prepare)

    with jupyter() as lab, ExitStack() as stack:
        settings = lab.directory / "settings" / "@jupyterlab" / "apputils-extension"
        (settings / "themes.jupyterlab-settings").write_text(json.dumps({"adaptive-theme": True}))
        environment = {**os.environ, "GPUCLUSTER_DIR": str(lab.directory / "registry")}
        take("empty")
        take("form", form)
        with simulated_cluster("--workers", "2", "--past", "--name", "two", environment=environment):
            take("cpu")
            take("scaling", scaling)
        with simulated_cluster(
            "--workers", "8", "--gpus", "--lost", "1", "--past", "--name", "eight", environment=environment
        ):
            take("gpus")
            take("gpu-chosen", detail)
        take("ended")
        with simulated_cluster("--workers", "64", "--gpus", "--past", "--name", "sixty-four", environment=environment):
            take("many-gpus")
        for number, options in enumerate((["--gpus"], ["--tasks-per-second", "0"], [], ["--mig"])):
            simulation = simulated_cluster(
                "--workers", "2", "--name", f"work-{number}", *options, environment=environment
            )
            stack.enter_context(simulation)
        take("four")
        copies(lab, MANY - len(lab.control.list()))
        take("thirty")


if __name__ == "__main__":
    with chromium() as running:
        photograph_all(running, ROOT / ".build" / "panel", set(sys.argv[1:]))
