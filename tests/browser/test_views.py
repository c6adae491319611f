"""Tabs about a cluster in a real browser: its dashboard, its log, its activity; and what the palette can do.

The tests of this module are one story and run in order: each goes on where the one before left off.
"""

import json
import re
import time
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from distributed import Client
from gpucluster.client.api import connect
from gpucluster.profiling.measurement import profile
from gpucluster.recordings.reading import read_recording
from playwright.sync_api import FrameLocator, Locator, Page, expect

from .axe import violations
from .chromium import choose_action, choose_command, open_card, open_lessons, open_page, open_panel
from .conftest import ARTIFACTS
from .test_notebook import EMPTY

pytestmark = pytest.mark.timeout(400)

SPEC = {"backend": "local", "name": "blue", "n_workers": 2}
LAYOUT = ["Task stream", "Progress", "Memory by worker", "CPU by worker"]


@pytest.fixture(scope="module")
def page(browser, lab) -> Page:
    (lab.directory / "root" / "Lesson.ipynb").write_text(json.dumps(EMPTY))
    lab.control.wait(lab.control.create(SPEC).id)
    return open_page(browser, lab)


@pytest.fixture
def client(lab, monkeypatch) -> Iterator[Client]:
    monkeypatch.setenv("GPUCLUSTER_DIR", str(lab.directory / "registry"))
    with connect("blue").get_client() as client:
        yield client


def card_of(page: Page) -> Locator:
    return open_card(page.locator("#gpucluster-panel"), "blue")


def tab(page: Page, title: str) -> Locator:
    return page.locator("#jp-main-dock-panel").get_by_role("tab", name=f"{title} · blue", exact=True)


def frame(page: Page, title: str) -> FrameLocator:
    return page.frame_locator(f'iframe[title^="{title}:"]')


def expect_plot(page: Page, title: str) -> None:
    """What Bokeh draws comes through the proxied WebSocket."""
    expect(frame(page, title).locator("canvas").first).to_be_visible()


def test_one_click_lays_out_the_dashboard(page):
    open_panel(page)
    choose_action(card_of(page), "Open dashboard layout")
    for title in LAYOUT:
        expect_plot(page, title)
    boxes = [page.locator(f'iframe[title^="{title}:"]').bounding_box() for title in LAYOUT]
    stream, progress, memory, cpu = [(box["x"], box["y"]) for box in boxes if box is not None]
    assert stream[0] == progress[0] < memory[0] == cpu[0]
    assert stream[1] == memory[1] < progress[1] == cpu[1]


def test_laying_out_again_changes_nothing(page):
    choose_action(card_of(page), "Open dashboard layout")
    expect(page.locator(".gpc-DashboardView iframe")).to_have_count(4)
    for title in LAYOUT:
        expect(tab(page, title)).to_have_count(1)


def test_pages_are_those_of_the_scheduler_in_groups(page):
    choice = page.get_by_label("Dashboard page", exact=True).first
    expect(choice.locator("optgroup")).to_have_count(6)
    groups = choice.locator("optgroup").evaluate_all("groups => groups.map(group => group.label)")
    assert groups == ["Overview", "Tasks", "Memory", "CPU", "Communication", "Scheduler"]
    assert choice.locator("option").count() > 30


def test_another_page_takes_the_place_of_the_first(page):
    page.locator(".gpc-DashboardView", has=page.locator('iframe[title^="CPU"]')).get_by_label(
        "Dashboard page"
    ).select_option("Transfers")
    expect_plot(page, "Transfers")
    expect(tab(page, "Transfers")).to_be_visible()
    expect(tab(page, "CPU by worker")).to_have_count(0)


def test_another_page_gets_a_tab_of_its_own(page):
    page.get_by_role("button", name="Open another page of this dashboard").first.click()
    dialog = page.get_by_role("dialog")
    dialog.locator("select").select_option("Scheduler: Contention")
    dialog.get_by_role("button", name="Ok").click()
    expect_plot(page, "Contention")
    expect(page.locator(".gpc-DashboardView")).to_have_count(5)


def test_tabs_come_back_after_a_reload(page, lab):
    # The layout is saved a moment after it has changed.
    page.wait_for_timeout(2500)
    page.goto(lab.page("lab"))
    open_panel(page)
    for title in ("Task stream", "Progress", "Memory by worker", "Transfers", "Contention"):
        expect(tab(page, title)).to_be_visible()
    expect_plot(page, "Progress")
    expect_plot(page, "Memory by worker")


def test_a_tab_says_so_when_its_cluster_ends_and_shows_the_next_of_that_name(page, lab):
    lab.control.stop("blue")
    words = "Cluster blue has stopped. Start it again to see its dashboard."
    sentence = page.get_by_text(words).locator("visible=true")
    expect(sentence.first).to_be_visible()
    expect(page.locator(".gpc-DashboardView iframe")).to_have_count(0)
    second = lab.control.create(SPEC)
    expect_plot(page, "Progress")
    assert second.id in (page.locator('iframe[title^="Progress"]').get_attribute("src") or "")
    expect(sentence).to_have_count(0)
    # Also where that happened while no page was open.
    page.goto("about:blank")
    lab.control.stop(second.id)
    third = lab.control.wait(lab.control.create(SPEC).id)
    page.goto(lab.page("lab"))
    open_panel(page)
    expect_plot(page, "Progress")
    assert third.id in (page.locator('iframe[title^="Progress"]').get_attribute("src") or "")


def test_the_log_is_searched(page):
    choose_action(card_of(page), "Log")
    log = page.get_by_role("log", name="Log: blue")
    expect(log).to_contain_text("distributed.scheduler")
    log.click()
    page.keyboard.press("Control+f")
    page.keyboard.insert_text("WORKER")
    count = page.locator(".gpc-LogBar-count")
    expect(count).to_have_text(re.compile(r"^\d+ of \d+$"))
    assert log.locator("mark").first.inner_text().casefold() == "worker"
    page.keyboard.press("Enter")
    expect(count).to_have_text(re.compile("^1 of "))
    lines = log.locator(".gpc-LogLine").count()
    page.get_by_label("Matching lines only").check()
    assert 0 < log.locator(".gpc-LogLine:visible").count() < lines
    page.get_by_label("Find in the log").press("Escape")
    expect(log.locator("mark")).to_have_count(0)
    expect(log).to_be_focused()


def test_the_log_follows_unless_somebody_reads(page, client):
    log = page.get_by_role("log", name="Log: blue")
    follow = page.get_by_label("Follow")
    log.evaluate("node => node.scrollTop = 0")
    expect(follow).not_to_be_checked()
    client.run_on_scheduler(
        lambda: __import__("logging").getLogger("distributed.scheduler").warning("something new for the log")
    )
    expect(log).to_contain_text("something new for the log")
    assert log.evaluate("node => node.scrollTop") == 0
    follow.check()
    expect(log.get_by_text("something new for the log")).to_be_in_viewport()


def test_a_warning_stands_out(page):
    line = page.get_by_role("log").locator(".gpc-LogLine", has_text="something new for the log")
    expect(line).to_have_attribute("data-level", "warning")


def test_the_log_is_downloaded_whole(page):
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the log").click()
    assert download.value.suggested_filename == "blue.log"
    assert "something new for the log" in download.value.path().read_text()


def test_the_activity_tells_who_asked_what(page, lab):
    choose_command(page, "Show Activity")
    table = page.get_by_role("table", name="Activity: blue")
    expect(table.get_by_role("row").nth(1)).to_be_visible()
    lab.control.patch("blue", {"n_workers": 3})
    expect(table.locator('[data-kind="scale"]').first).to_be_visible()


def test_gauges_over_time(page, client):
    choose_command(page, "Show Gauges over Time")
    charts = page.get_by_role("region", name="Gauges over time")
    canvas = charts.get_by_role("img", name="Host memory")
    expect(canvas).to_be_visible()
    expect(charts.get_by_role("img", name="GPU memory")).to_be_hidden()
    charts.get_by_text("Events", exact=True).click()
    expect(charts.locator("li", has_text="Scale to 3 workers").first).to_be_visible()
    with profile("blue"):
        client.submit(sum, [1, 2]).result()
    expect(charts.locator("li", has_text="Profiled for ").first).to_be_visible(timeout=20_000)
    canvas.hover()
    readout = charts.get_by_role("status")
    expect(readout).to_have_text(re.compile(r"^\d\d:\d\d:\d\d"))
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] - 80, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 30, box["y"] + 40, steps=4)
    page.mouse.up()
    ten = charts.get_by_role("button", name="10 min")
    expect(ten).to_have_attribute("aria-pressed", "false")
    ten.press("Home")  # what is not for the charts does nothing there
    charts.get_by_role("group", name="Charts.").focus()
    page.keyboard.press("Home")
    expect(ten).to_have_attribute("aria-pressed", "true")
    charts.get_by_role("combobox").select_option("0")
    expect(canvas).to_be_visible()
    assert violations(page, ".gpc-Charts") == []


def test_the_card_records_also_while_no_page_is_open_and_plays(page, lab):
    open_panel(page)
    said = re.compile(r"^Recording .* blue-\d{8}-\d{6}\.gpucluster")
    choose_action(card_of(page), "Start recording")
    expect(card_of(page).get_by_text(said)).to_be_visible()
    page.goto(lab.page("lab?reset"))
    open_panel(page)
    expect(card_of(page).get_by_text(said)).to_be_visible()
    assert violations(page, "#gpucluster-panel") == []
    choose_action(card_of(page), "Stop recording")
    expect(card_of(page).get_by_text(said)).to_have_count(0)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("region", name="Recording: blue")).to_be_visible()
    expect(page.get_by_role("region", name="Gauges over time").get_by_role("img", name="Host memory")).to_be_visible()
    [made] = (lab.directory / "root" / "gpucluster-recordings").iterdir()
    assert read_recording(made).recording.n_workers == len(lab.control.get("blue").workers)


def test_a_section_is_moved_to_the_file_browser_and_back(page):
    section = page.locator("#gpucluster-lessons")
    heading = section.get_by_role("heading", name="Lessons")
    tab = page.locator('.jp-SideBar [data-id="gpucluster-lessons-panel"]')
    # In the panel of the clusters there is a line, which leads to the list.
    open_lessons(open_panel(page))
    heading.click(button="right")
    page.get_by_role("menuitem", name="Move to File Browser").click()
    page.locator('.jp-SideBar [data-id="filebrowser"]').click()
    expect(section.locator(".gpc-Lessons-summary")).to_be_visible()
    expect(heading).to_have_count(0)
    expect(tab).to_have_count(0)
    page.wait_for_timeout(2500)  # The layout is saved a moment after it has changed.
    page.goto(page.url.split("?")[0])
    expect(section.locator(".gpc-Lessons-summary")).to_be_visible()
    page.locator(".jp-hosted-section", has_text="Lessons").click(button="right")
    page.get_by_role("menuitem", name="Move back to Lessons").click()
    tab.click()
    expect(heading).to_be_visible()


def test_a_cluster_is_dragged_into_a_notebook(page, lab):
    # A separate layout: the dashboards of other tests would leave the notebook little room.
    page.goto(lab.page("lab/tree/Lesson.ipynb?reset"))
    open_panel(page)
    notebook = page.locator(".jp-NotebookPanel")
    expect(notebook.locator(".jp-Cell").first).to_be_visible()
    expect(page.get_by_text("| Idle")).to_be_visible()  # until then, things still move
    start = card_of(page).get_by_role("heading", name="blue").bounding_box()
    goal = notebook.locator(".jp-Cell").first.bounding_box()
    assert start is not None and goal is not None
    page.mouse.move(start["x"] + 10, start["y"] + 5)
    page.mouse.down()
    page.mouse.move(start["x"] + 40, start["y"] + 30)
    page.mouse.move(goal["x"] + 120, goal["y"] + 12, steps=8)
    page.mouse.up()
    expect(notebook.locator(".jp-Cell").first).to_contain_text("%gpucluster connect blue")
    expect(page.locator(".gpc-DragImage")).to_have_count(0)


def test_the_palette_opens_the_dashboard_and_asks_for_a_page(page):
    choose_command(page, "Open Dashboard")
    expect(tab(page, "Status")).to_be_visible()
    expect_plot(page, "Status")
    # Beside the notebook, which stays where it is and keeps half of the room.
    notebook, dashboard = (page.locator(name).bounding_box() for name in (".jp-NotebookPanel", ".gpc-DashboardView"))
    assert notebook is not None and dashboard is not None
    assert notebook["x"] + notebook["width"] <= dashboard["x"] and notebook["width"] >= 0.9 * dashboard["width"]
    choose_command(page, "Open Dashboard Page…")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()


def test_the_palette_lays_out_shows_the_log_and_the_panel(page):
    choose_command(page, "Open Dashboard Layout")
    # Without room for two columns beside the notebook: one, with the others behind.
    for title in ("Task stream", "Progress"):
        expect_plot(page, title)
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / "dashboards-beside-light.png")
    tab(page, "CPU by worker").click()
    expect_plot(page, "CPU by worker")
    choose_command(page, "Show Log")
    expect(page.get_by_role("log", name="Log: blue")).to_be_visible()
    page.locator('.jp-SideBar [data-id="filebrowser"]').click()
    choose_command(page, "Show Panel")
    expect(page.locator("#gpucluster-panel")).to_be_visible()


def test_the_palette_scales(page, lab):
    choose_command(page, "Scale…")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("spinbutton").fill("1")
    dialog.get_by_role("button", name="Ok").click()
    expect(card_of(page).get_by_text(re.compile("^1 CPU worker "))).to_be_visible()
    assert lab.control.get("blue").n_workers == 1


def test_the_palette_restarts_the_workers(page, lab):
    before = lab.control.get("blue").workers[0].pid
    choose_command(page, "Restart Workers…")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Restart the workers of blue?")
    dialog.get_by_role("button", name="Restart").click()
    choose_command(page, "Show Activity")
    expect(page.locator('.gpc-ActivityTable [data-kind="restart"]')).to_be_visible()
    deadline = time.monotonic() + 90
    while {worker.pid for worker in lab.control.get("blue").workers} in ({before}, set()):
        assert time.monotonic() < deadline
        page.wait_for_timeout(200)
    expect(card_of(page).get_by_role("status").first).to_have_text("Running")


def test_the_palette_opens_the_form_and_stops(page, lab):
    choose_command(page, "New Cluster…")
    form = page.get_by_role("form", name="New cluster")
    form.get_by_role("button", name="Cancel").click()
    choose_command(page, "Show Activity")
    # Its only client is the notebook, which rests and holds nothing: there is nothing to ask.
    choose_command(page, "Stop…")
    expect(card_of(page).get_by_role("status").first).to_contain_text("Stopped")
    page.keyboard.press("Control+Shift+c")
    page.locator(".lm-CommandPalette-input").fill("Open Dashboard Layout")
    item = page.locator(".lm-CommandPalette-item").filter(has_text="Open Dashboard Layout")
    expect(item).to_have_class(re.compile("lm-mod-disabled"))
    # Tabs show that their cluster has ended; after a reload they are gone.
    expect(tab(page, "Progress")).to_be_visible()
    page.wait_for_timeout(2500)  # The layout is saved a moment after it has changed.
    page.goto(lab.page("lab"))
    open_panel(page)
    expect(page.locator(".gpc-DashboardView")).to_have_count(0)
    expect(tab(page, "Progress")).to_have_count(0)
    # Its activity is still there, until it is removed.
    expect(page.get_by_role("tab", name="Activity: blue")).to_have_count(1)
    page.get_by_role("button", name=re.compile(r"^Stopped \(")).click()
    cards = page.get_by_role("listitem", name="blue", exact=True)
    others = cards.count() - 1
    card_of(page).get_by_role("button", name="Remove").click()
    expect(cards).to_have_count(others)
    page.goto(lab.page("lab"))
    open_panel(page)
    expect(page.get_by_role("tab", name="Activity: blue")).to_have_count(0)


@pytest.mark.full
def test_dashboards_are_dark_in_dark_themes_unless_somebody_wants_white(browser, lab, monkeypatch):
    lab.control.wait(lab.control.create({**SPEC, "n_workers": 1}).id)
    themes = lab.directory / "settings" / "@jupyterlab" / "apputils-extension" / "themes.jupyterlab-settings"
    themes.write_text(json.dumps({"theme": "JupyterLab Dark"}))
    page = open_page(browser, lab, "lab/workspaces/dark?reset")
    open_panel(page)
    choose_command(page, "Open Dashboard")
    expect_plot(page, "Status")
    shown = page.locator('iframe[title^="Status:"]')
    # Plots are dark themselves: the colours of tasks stay what they are.
    expect(shown).to_have_class(re.compile("gpc-mod-dark"))
    expect(shown).to_have_css("filter", "none")
    monkeypatch.setenv("GPUCLUSTER_DIR", str(lab.directory / "registry"))
    with connect("blue").get_client() as client:
        client.gather([client.submit(time.sleep, 0.3, key=f"{kind}-{n}") for kind in "abcdef" for n in range(4)])
    page.wait_for_timeout(1500)
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / "dashboard-dark.png")
    # A page of tables is turned round as a whole.
    page.get_by_label("Dashboard page", exact=True).first.select_option("Workers")
    expect_plot(page, "Workers")
    shown = page.locator('iframe[title^="Workers:"]')
    expect(shown).to_have_css("filter", "invert(0.9) hue-rotate(180deg)")
    choose_command(page, "Settings Editor")
    page.locator(".jp-PluginList").get_by_text("GPU clusters", exact=True).click()
    expect(page.get_by_text("When to show memory and utilization of this machine's GPUs")).to_be_visible()
    page.locator('input[id$="_dashboardInvert"]').uncheck()
    tab(page, "Workers").click()  # a hidden chart is redrawn
    expect(shown).to_have_css("filter", "none")
    page.context.close()
