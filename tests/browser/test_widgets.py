"""Widgets in a real notebook, in JupyterLab and in Notebook 7: live, scaled, saved, and read without a kernel."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from playwright.sync_api import Browser, Locator, expect

from .chromium import open_page
from .lab import Lab, jupyter

pytestmark = pytest.mark.timeout(600)

CARD = "import gpucluster\ncluster = gpucluster.connect('blue')\ncluster"
GAUGES = "cluster.gauges()"
DASHBOARD = "cluster.dashboard('task-stream')"
COMPUTE = (
    "import time\nclient = cluster.get_client()\nfutures = client.map(lambda x: time.sleep(1), range(60))\n"
    "client.gather(futures[:8])\nprint('eight are done')"
)
WIDGET = "application/vnd.jupyter.widget-view+json"


def notebook(*sources: str) -> dict[str, Any]:
    cells = [
        {"cell_type": "code", "id": f"c{i}", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        for i, source in enumerate(sources)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


class Story:
    """One notebook in one browser; what is tested goes on where the test before left off."""

    def __init__(self, app: str, lab: Lab, browser: Browser) -> None:
        self.app, self.lab = app, lab
        self.file = lab.directory / "root" / "Live.ipynb"
        self.file.write_text(json.dumps(notebook(CARD, GAUGES, DASHBOARD, COMPUTE)))
        lab.control.wait(
            lab.control.create({"backend": "local", "n_workers": 2, "memory_limit": "512 MiB", "name": "blue"}).id
        )
        self.complaints: list[str] = []
        self.page = open_page(browser, lab, self.address(self.file), height=1400)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.ready()

    def address(self, file: Path) -> str:
        return f"lab/tree/{file.name}?reset" if self.app == "lab" else f"notebooks/{file.name}"

    def ready(self) -> None:
        self.page.locator(".jp-Notebook .cm-content").first.wait_for()
        # Before there is a kernel, running a cell asks for one.
        expect(self.page.locator(".jp-Toolbar-kernelName").first).to_contain_text("Python 3")
        # Jupyter answers with an error while a kernel is starting that has no state yet.
        self.page.wait_for_function(
            """async url => {
                const answer = await fetch(url);
                return answer.ok && (await answer.json()).some(kernel => kernel.execution_state === 'idle');
            }""",
            arg=f"{self.lab.url}/api/kernels",
        )
        # That one may belong to another notebook.
        self.page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for()

    def open(self, file: Path) -> None:
        self.page.goto(self.lab.page(self.address(file)))
        self.ready()

    def menu(self, *names: str) -> None:
        self.page.get_by_role("menuitem", name=names[0], exact=True).click()
        self.page.get_by_role("menuitem", name=re.compile(f"^{re.escape(names[1])}")).first.click()

    def save(self) -> dict[str, Any]:
        before = self.file.stat().st_mtime_ns
        self.menu("File", "Save Notebook")
        while True:
            self.page.wait_for_timeout(100)
            # The file may be looked at while it is being written.
            if self.file.stat().st_mtime_ns != before and (text := self.file.read_text()).rstrip().endswith("}"):
                saved: dict[str, Any] = json.loads(text)
                return saved

    def output(self, cell: int) -> Locator:
        return self.page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea-output")

    def last(self, cell: int) -> Locator:
        """What says that nothing comes any more: the view that stays, or the picture where the kernel closed it."""
        return (
            self.output(cell).get_by_text(re.compile("this is the last state|State at 20")).filter(visible=True).first
        )

    def live(self, cell: int) -> Locator:
        return self.page.locator(".jp-CodeCell").nth(cell).locator(".gpc-Widget")


def html_of(saved: dict[str, Any], cell: int) -> str:
    (output,) = (output for output in saved["cells"][cell]["outputs"] if "data" in output)
    return "".join(output["data"]["text/html"])


@pytest.fixture(scope="module", params=["lab", pytest.param("notebook", marks=pytest.mark.full)])
def story(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Story]:
    if request.param == "lab":
        yield Story(request.param, request.getfixturevalue("lab"), browser)
        return
    with jupyter(request.param) as lab:
        made = Story(request.param, lab, browser)
        yield made
        made.page.context.close()


def test_the_views_are_live_while_a_cell_runs(story: Story) -> None:
    # Most kernels read nothing from a front end while a cell runs; the gauges still move.
    story.menu("Run", "Run All Cells")
    for cell in (0, 1):
        expect(story.live(cell).get_by_text(re.compile("running"), exact=False).last).to_be_visible()
        expect(story.live(cell).get_by_text(re.compile("/ 2 (threads|cores)"))).to_be_visible()
        expect(story.live(cell).get_by_text(re.compile("2 running"))).to_be_visible()
    frame = story.page.locator(".jp-CodeCell").nth(2).frame_locator("iframe")
    # Drawn by what comes through the proxied WebSocket.
    expect(frame.locator(".bk-Figure").first).to_be_visible()
    expect(story.page.get_by_text("eight are done", exact=True)).to_be_visible()


def test_the_card_scales_and_refuses(story: Story) -> None:
    card = story.live(0)
    number = card.get_by_role("spinbutton", name="Workers")
    number.fill("-3")
    card.get_by_role("button", name="Scale").click()
    expect(card.get_by_role("alert")).to_have_text("Workers: must be at least 0, not -3.")
    number.fill("3")
    card.get_by_role("button", name="Scale").click()
    expect(card.get_by_text("3 CPU workers")).to_be_visible()
    expect(card.get_by_role("alert")).to_be_empty()
    # The card shows the wanted number before the worker has come.
    expect(card.get_by_text("3 CPU workers")).to_be_visible()
    assert story.lab.control.wait("blue").n_workers == 3


def test_another_page_of_the_dashboard(story: Story) -> None:
    story.live(2).get_by_label("Page").select_option("Memory by worker")
    frame = story.page.locator(".jp-CodeCell").nth(2).frame_locator("iframe")
    expect(frame.locator(".bk-Figure").first).to_be_visible()


def test_the_saved_notebook_holds_the_last_state(story: Story) -> None:
    expect(story.live(1)).to_be_visible()
    # Pictures are redrawn at a change, when a new worker may not have sent figures, and some seconds later.
    while "of 1.5 GiB" not in html_of(saved := story.save(), 1):
        story.page.wait_for_timeout(500)
    assert "3 (3 threads)" in html_of(saved, 0)
    secret = story.lab.control.dashboard("blue").prefix
    assert secret not in story.file.read_text()
    assert "_esm" not in story.file.read_text()


def test_the_views_come_back_after_a_reload(story: Story) -> None:
    story.page.reload()
    story.ready()
    expect(story.live(0).get_by_text("3 CPU workers")).to_be_visible()
    # and what changes from now on is kept too
    story.lab.control.patch("blue", {"n_workers": 2})
    expect(story.live(0).get_by_text("2 CPU workers")).to_be_visible()
    while "2 (2 threads)" not in html_of(story.save(), 0):
        story.page.wait_for_timeout(500)


def test_a_restart_of_the_kernel_leaves_the_last_state(story: Story) -> None:
    story.menu("Kernel", "Restart Kernel…")
    story.page.locator(".jp-Dialog").get_by_role("button", name="Restart").last.click()
    for cell in (0, 1):
        expect(story.last(cell)).to_be_visible()
    expect(story.live(0).get_by_role("button", name="Scale")).to_be_hidden()
    expect(story.output(1).get_by_text(re.compile("GiB")).filter(visible=True).first).to_be_visible()
    story.menu("Run", "Run All Cells")
    expect(story.live(0).get_by_role("button", name="Scale")).to_be_visible()
    expect(story.page.get_by_text("eight are done", exact=True)).to_be_visible()


def test_without_a_kernel_there_is_the_picture(story: Story) -> None:
    story.save()
    story.menu("Kernel", "Shut Down Kernel")
    expect(story.last(1)).to_be_visible()
    story.save()
    story.open(story.file)
    for cell in (0, 1):
        output = story.page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea-output")
        expect(output.get_by_text(re.compile("State at 20.* UTC"))).to_be_visible()
        expect(output.get_by_text(re.compile(r"of [\d.]+ GiB")).first).to_be_visible()
    expect(story.page.locator(".gpc-Widget")).to_have_count(0)
    expect(story.page.get_by_text("model not found")).to_have_count(0)


def test_a_crash_leaves_the_picture_too(story: Story) -> None:
    """As after the server has died: the file still names a widget that no longer exists."""
    saved = json.loads(story.file.read_text())
    for cell in (0, 1):
        (output,) = saved["cells"][cell]["outputs"]
        output["data"][WIDGET] = {"version_major": 2, "version_minor": 1, "model_id": "0" * 32}
    crashed = story.file.with_name("Crashed.ipynb")
    crashed.write_text(json.dumps(saved))
    story.open(crashed)
    for cell in (0, 1):
        output = story.page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea-output")
        expect(output.get_by_text(re.compile("State at"))).to_be_visible()
    story.menu("Run", "Run Selected Cell")
    expect(story.live(0).get_by_role("button", name="Stop")).to_be_visible()
    expect(story.page.get_by_text("model not found")).to_have_count(0)


def test_stopping_asks_first(story: Story) -> None:
    card = story.live(0)
    card.get_by_role("button", name="Stop").click()
    question = card.get_by_role("alertdialog")
    expect(question).to_contain_text("Stop blue?")
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_be_hidden()
    assert story.lab.control.get("blue").state == "running"
    card.get_by_role("button", name="Stop").click()
    question.get_by_role("button", name="Stop").click()
    expect(card.get_by_text("The cluster has stopped; this is the last state.")).to_be_visible()
    expect(card.get_by_role("button", name="Scale")).to_be_hidden()
    assert story.lab.control.get("blue").state == "stopped"


def test_nothing_went_wrong_behind_the_scenes(story: Story) -> None:
    # Notebook 7 says this of its own settings, even without any extension of ours.
    known = {"Cannot read properties of undefined (reading 'schema')"} if story.app == "notebook" else set()
    assert [complaint for complaint in story.complaints if complaint not in known] == []
