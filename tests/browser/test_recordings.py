"""Recordings in a real browser: in a notebook, from the panel and from the file browser, in light and dark."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from gpucluster.recordings.places import bundled_recordings
from gpucluster.recordings.reading import moment, read_recording
from playwright.sync_api import Browser, Locator, Page, expect

from .axe import violations
from .chromium import open_page, open_panel
from .conftest import ARTIFACTS
from .lab import Lab, jupyter
from .test_widgets import html_of, notebook

pytestmark = pytest.mark.timeout(600)

LABEL = re.compile("Recorded on CPU workers at 20.* UTC — not a live cluster")
TITLE = "k-means on two CPU workers"
BY_PYTHON = "gpucluster.replay('kmeans-cpu', speed=64)"
REPLAY = "%load_ext gpucluster\n%gpucluster replay mine.gpucluster.jsonl.gz --speed 4"


@pytest.fixture(params=["Light", pytest.param("Dark", marks=pytest.mark.full)])
def page(request: pytest.FixtureRequest, browser: Browser, lab: Lab) -> Any:
    root = lab.directory / "root"
    (bundled,) = [path for path in bundled_recordings() if path.name.startswith("kmeans-cpu.")]
    shutil.copyfile(bundled, root / "mine.gpucluster.jsonl.gz")
    (root / "evil.gpucluster.jsonl").write_text("<img src=x onerror=alert(1)>")
    (root / "Replay.ipynb").write_text(json.dumps(notebook(REPLAY)))
    themes = lab.directory / "settings" / "@jupyterlab" / "apputils-extension" / "themes.jupyterlab-settings"
    themes.write_text(json.dumps({"theme": f"JupyterLab {request.param}"}))
    made = open_page(browser, lab, f"lab/workspaces/{request.param}?reset", height=1000)
    made.theme = request.param
    yield made
    made.context.close()


def picture(page: Page, name: str) -> None:
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"recording-{name}-{page.theme.lower()}.png")


def pause_at(player: Locator, seconds: float) -> None:
    """Stop where there is something to see."""
    # In one step: between a look and a click, it may have come to its end.
    player.evaluate("node => node.querySelector('button[aria-label=Pause]')?.click()")
    player.get_by_role("slider", name="Position").fill(f"{seconds}")


def expect_saved(page: Page, lab: Lab, *tabs: str) -> None:
    """Wait until JupyterLab has saved that these tabs are open, and is not about to save anything else."""
    before: dict[str, Any] = {}
    while True:
        url = f"{lab.url}/lab/api/workspaces/{page.theme}"
        saved = page.evaluate(
            "async url => { const got = await fetch(url); return got.ok ? await got.json() : {} }", url
        )
        layout = json.dumps(saved.get("data", {}).get("layout-restorer:data", {}).get("main"))
        if saved == before and all(tab in layout for tab in tabs):
            return
        before = saved
        page.wait_for_timeout(1500)


def expect_gauges(player: Locator) -> None:
    expect(player.get_by_text(LABEL)).to_be_visible()
    expect(player.get_by_text(TITLE)).to_be_visible()
    expect(player.get_by_text(re.compile(r"/ 2 cores"))).to_be_visible()
    expect(player.get_by_text(re.compile(r"of 2 GiB|/ 2 GiB")).first).to_be_visible()


def test_the_panel_plays_a_bundled_recording(page: Page, lab: Lab) -> None:
    panel = open_panel(page)
    panel.get_by_role("button", name="Play a recording…").click()
    dialog = page.locator(".jp-Dialog")
    choices = dialog.locator(".gpc-RecordingPicker-row")
    expect(choices.filter(has_text=TITLE)).to_have_count(2)
    expect(choices.filter(has_text="evil.gpucluster.jsonl is not a gpucluster recording.")).to_have_count(1)
    choices.filter(has_text=TITLE).first.get_by_role("radio").check()
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / "recording-picker.png")
    dialog.get_by_role("button", name="Play").click()
    player = page.get_by_role("region", name=f"Recording: {TITLE}")
    expect_gauges(player)
    expect(page.get_by_role("tab", name=f"Recording: {TITLE}")).to_be_visible()
    # It plays automatically, above a time axis of the whole recording.
    expect(player.get_by_text(re.compile("^(?!0:00 /)[0-9]+:[0-9]{2} /"))).to_be_visible()
    expect(page.get_by_role("region", name="Gauges over time").get_by_role("img", name="Host memory")).to_be_visible()
    pause_at(player, 22)
    expect(player.get_by_text(re.compile("^0:22 /"))).to_be_visible()
    player.get_by_role("button", name="Progress", exact=True).click()
    expect(player.get_by_text("patch_block")).to_be_visible()
    before = player.get_by_role("slider", name="Position").input_value()
    expect(player.get_by_role("listitem").filter(has_text="Worker 1")).to_be_visible()
    expect(player.get_by_role("button", name="Retire")).to_have_count(0)
    assert player.get_by_role("slider", name="Position").input_value() == before, "a paused recording stands still"
    assert violations(page, ".gpc-Player") == []
    picture(page, "tab")
    # Where the tab is narrow and low, the label stays in view.
    page.set_viewport_size({"width": 700, "height": 420})
    player.locator(".gpc-Player-about").scroll_into_view_if_needed()
    expect(player.get_by_text(LABEL)).to_be_in_viewport()
    picture(page, "narrow")
    # The tab comes back after a reload.
    expect_saved(page, lab, "gpucluster-recording-")
    page.goto(page.url.split("?")[0])
    expect(page.get_by_role("region", name=f"Recording: {TITLE}").get_by_text(LABEL)).to_be_visible()


@pytest.mark.full
def test_the_file_browser_opens_a_recording(page: Page, lab: Lab) -> None:
    open_panel(page)
    page.locator('.jp-SideBar [data-id="filebrowser"]').click()
    page.locator(".jp-DirListing-item", has_text="mine.gpucluster.jsonl.gz").dblclick()
    player = page.get_by_role("region", name=f"Recording: {TITLE}")
    expect_gauges(player)
    page.locator(".jp-DirListing-item", has_text="evil.gpucluster.jsonl").dblclick()
    expect(page.get_by_role("alert")).to_have_text("evil.gpucluster.jsonl is not a gpucluster recording.")
    # Both come back after a reload.
    expect_saved(page, lab, "mine.gpucluster.jsonl.gz", "evil.gpucluster.jsonl")
    page.goto(page.url.split("?")[0])
    expect(page.get_by_role("tab", name=re.compile("mine.gpucluster"))).to_be_visible()
    page.get_by_role("tab", name=re.compile("mine.gpucluster")).click()
    expect_gauges(player)


@pytest.mark.full
def test_a_notebook_plays_it_and_keeps_the_last_state(page: Page, lab: Lab) -> None:
    file = lab.directory / "root" / "Replay.ipynb"
    open_notebook(page, lab, file)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name=re.compile("^Run All Cells")).first.click()
    player = page.locator(".jp-CodeCell .gpc-Player")
    expect_gauges(player)
    expect(player.get_by_role("combobox", name="Speed")).to_have_value("4")
    # To the end, where it can be played again.
    expect(player.get_by_role("button", name="Play again")).to_be_visible()
    pause_at(player, 20)
    picture(page, "notebook")
    # What it was recorded on stays in view, however long the list of workers is.
    page.set_viewport_size({"width": 1280, "height": 460})
    player.locator(".gpc-Player-about").scroll_into_view_if_needed()
    expect(player.locator(".gpc-Player-about")).to_be_in_viewport()
    expect(player.get_by_text(LABEL)).to_be_in_viewport()
    picture(page, "low")
    page.set_viewport_size({"width": 1280, "height": 1000})
    # The moment that was looked at last is saved with the notebook.
    samples = read_recording(lab.directory / "root" / "mine.gpucluster.jsonl.gz").samples
    seconds = [(moment(sample.at) - moment(samples[0].at), sample.at) for sample in samples]
    at = max(at for position, at in seconds if position <= 20)[:19].replace("T", " ")
    while f"State at {at} UTC." not in (html := saved_html(file)):
        page.keyboard.press("Control+s")
        page.wait_for_timeout(500)
    assert LABEL.search(html)
    assert "<script" not in html
    assert "_esm" not in file.read_text()
    # Without a kernel there is the picture.
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem", name=re.compile("^Shut Down Kernel")).first.click()
    open_notebook(page, lab, file)
    output = page.locator(".jp-CodeCell .jp-OutputArea-output")
    expect(output.get_by_text(LABEL)).to_be_visible()
    expect(output.get_by_text(f"State at {at} UTC.")).to_be_visible()
    expect(page.get_by_text("model not found")).to_have_count(0)
    picture(page, "saved")


@pytest.mark.full
def test_notebook_7_plays_it_in_a_cell_and_from_the_panel(browser: Browser) -> None:
    with jupyter("notebook") as app:
        (app.directory / "root" / "Replay.ipynb").write_text(json.dumps(notebook("import gpucluster\n" + BY_PYTHON)))
        page = open_page(browser, app, "notebooks/Replay.ipynb", height=1000)
        wait_for_kernel(page, app)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name=re.compile("^Run All Cells")).first.click()
        player = page.locator(".jp-CodeCell .gpc-Player")
        expect(player.get_by_role("button", name="Play again")).to_be_visible()
        expect_gauges(player)
        page.theme = "notebook-7"  # type: ignore[attr-defined]
        picture(page, "cell")
        page.get_by_role("menuitem", name="View").click()
        page.get_by_text("Left Sidebar").hover()
        page.get_by_text("Show GPU clusters", exact=True).click()
        page.locator("#gpucluster-panel").get_by_role("button", name="Play a recording…").click()
        dialog = page.locator(".jp-Dialog")
        dialog.locator(".gpc-RecordingPicker-row", has_text="A join that spills to disk").get_by_role("radio").check()
        dialog.get_by_role("button", name="Play").click()
        tab = page.get_by_role("region", name="Recording: A join that spills to disk, on two CPU workers")
        expect(tab.get_by_text(LABEL)).to_be_in_viewport()
        expect(tab.get_by_text(re.compile(r"/ 2 cores"))).to_be_in_viewport()
        pause_at(tab, 12)
        picture(page, "panel")
        page.context.close()


def saved_html(file: Path) -> str:
    """Return what the first cell of a notebook shows without a kernel; nothing where it is just being written."""
    try:
        saved = json.loads(file.read_text())
    except ValueError:
        return ""
    return html_of(saved, 0) if saved["cells"][0]["outputs"] else ""


def open_notebook(page: Page, lab: Lab, file: Path) -> None:
    page.goto(lab.page(f"lab/workspaces/{page.theme}/tree/{file.name}?reset"))
    wait_for_kernel(page, lab)
    # The page knows it, too; cells that are run before may be asked about a kernel.
    expect(page.locator(".jp-Notebook-ExecutionIndicator").first).to_have_attribute("data-status", "idle")


def wait_for_kernel(page: Page, lab: Lab) -> None:
    page.locator(".jp-Notebook .cm-content").first.wait_for()
    expect(page.locator(".jp-Toolbar-kernelName").first).to_contain_text("Python 3")
    page.wait_for_function(
        """async url => {
            const answer = await fetch(url);
            return answer.ok && (await answer.json()).some(kernel => kernel.execution_state === 'idle');
        }""",
        arg=f"{lab.url}/api/kernels",
    )
