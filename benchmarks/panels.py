"""Eight tasks in three extensions of JupyterLab, each done with the fewest clicks that its own ways allow.

Keys are pressed only where the focus is already: what is selected is typed over, ``Enter`` and ``Shift+Enter``
continue. The Tab key is not used to move through a page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar, Protocol

from playwright.sync_api import Locator, expect

from benchmarks.hand import Hand

TASKS = ("create", "connect", "load", "memory", "scale", "task stream", "error", "stop")
ERROR = "ZeroDivisionError"

HAS_DATA = """column => (window.Bokeh?.documents ?? []).some(document =>
  [...document._all_models.values()].some(model => model.type === 'ColumnDataSource' &&
    Object.entries(model.data).some(([name, values]) => name === column && values?.length > 0)))"""


def drawn(frame: Locator, column: str) -> Callable[[], None]:
    """Wait until a page of Dask's dashboard has data to draw in such a column."""

    def wait() -> None:
        frame.wait_for()
        handle = frame.element_handle()
        assert handle is not None
        content = handle.content_frame()
        assert content is not None
        content.wait_for_function(HAS_DATA, arg=column, polling=20)

    return wait


class Panel(Protocol):
    """One extension: how its panel is shown, and how tasks are done; a sentence where one cannot be done."""

    name: ClassVar[str]
    tab: ClassVar[str]
    impossible: ClassVar[dict[str, str]]

    def do(self, task: str, hand: Hand) -> None:
        """Do one of the tasks."""


class GPUClusterPanel:
    """Ours. Load and memory are on the card."""

    name: ClassVar[str] = "gpucluster"
    tab: ClassVar[str] = "gpucluster-panel"
    impossible: ClassVar[dict[str, str]] = {}

    def do(self, task: str, hand: Hand) -> None:
        page = hand.page
        panel = page.locator("#gpucluster-panel")
        workers = panel.get_by_role("list", name="Workers").get_by_role("listitem")
        match task:
            case "create":
                hand.click(panel.get_by_role("button", name="Quick start"))
                hand.see(lambda: expect(panel.get_by_role("status").first).to_have_text("Running"))
            case "connect":
                hand.click(panel.get_by_role("button", name="Connect"))
                hand.see(page.locator(".jp-OutputArea-output").get_by_text("Connected to").wait_for)
            case "load":
                busy = re.compile(r"[1-9]\d? ?%|100 ?%")
                hand.see(lambda: expect(panel.locator(".gpc-LiveRow")).to_contain_text(busy))
            case "memory":
                held = workers.locator(".gpc-mod-short").get_by_text(re.compile(r"^[3-9]\d\d MiB"))
                hand.see(held.wait_for)
            case "scale":
                hand.click(panel.get_by_role("button", name="Scale", exact=True))
                hand.press("3")
                hand.press("Enter")
                hand.see(lambda: expect(workers).to_have_count(3))
            case "task stream":
                hand.click(panel.get_by_role("button", name="Dashboard", exact=True))
                hand.see(drawn(page.locator(".gpc-DashboardView iframe"), "duration"))
            case "error":
                hand.click(panel.get_by_role("button", name="More actions"))
                hand.click(page.get_by_role("menuitem", name="Log"))
                line = page.get_by_role("log").get_by_text(ERROR).last
                hand.see(lambda: expect(line).to_be_in_viewport())
            case "stop":
                hand.click(panel.get_by_role("button", name="Stop", exact=True))
                hand.see(lambda: expect(panel.get_by_role("status").first).to_contain_text("Stopped"))


class DaskPanel:
    """dask-labextension: its buttons open pages of Dask's dashboard."""

    name: ClassVar[str] = "dask-labextension"
    tab: ClassVar[str] = "dask-dashboard-launcher"
    impossible: ClassVar[dict[str, str]] = {}

    def do(self, task: str, hand: Hand) -> None:
        page = hand.page
        panel = page.locator("#dask-dashboard-launcher")
        cluster = panel.locator(".dask-ClusterListingItem")
        pages = {
            "load": ("CPU", "cpu"),
            "memory": ("WORKERS MEMORY", "width"),
            "task stream": ("TASK STREAM", "duration"),
            # Exceptions of tasks; it has no log.
            "error": ("EXCEPTIONS", "Exception"),
        }
        match task:
            case "create":
                hand.click(panel.get_by_role("button", name="NEW", exact=True))
                hand.see(cluster.get_by_text(re.compile("Number of Workers: [1-9]")).wait_for)
            case "connect":
                hand.click(cluster.get_by_title("Inject client code"))
                # The button leaves a cell to run.
                page.locator(".jp-Notebook .jp-CodeCell").get_by_text("Client").first.wait_for()
                hand.press("Shift+Enter")
                hand.see(page.locator(".jp-OutputArea-output").get_by_text("Connection method").wait_for)
            case "scale":
                hand.click(cluster.get_by_role("button", name="SCALE"))
                hand.click(page.get_by_role("dialog").locator(".dask-ScalingInput").first)
                hand.press("ArrowUp")
                hand.press("Enter")
                hand.see(cluster.get_by_text("Number of Workers: 3").wait_for)
            case "stop":
                hand.click(cluster.get_by_role("button", name="SHUTDOWN"))
                hand.see(lambda: expect(cluster).to_have_count(0))
            case _:
                button, column = pages[task]
                hand.click(panel.get_by_role("button", name=re.compile(f"^{button}$", re.IGNORECASE)))
                shown = page.locator(".dask-DaskDashboard-widget:not(.lm-mod-hidden) iframe")
                hand.see(drawn(shown, column))


NO_CLUSTERS = "it knows no clusters"


class NVDashboardPanel:
    """jupyterlab-nvdashboard: charts of the machine that Jupyter runs on."""

    name: ClassVar[str] = "jupyterlab-nvdashboard"
    tab: ClassVar[str] = "gpu-dashboard"
    impossible: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("create", "connect", "scale", "task stream", "stop"), NO_CLUSTERS),
        "memory": "it shows how much memory is used, not by whom",
        "error": "it has no log",
    }

    def do(self, task: str, hand: Hand) -> None:
        assert task == "load"
        hand.click(hand.page.locator("#gpu-dashboard").get_by_text("Machine Resources"))
        hand.see(hand.page.locator(".recharts-surface path.recharts-curve").first.wait_for)
