"""What a person does with the panel, in a real browser on a real JupyterLab with real clusters.

The tests of this module are one story and run in order: each goes on where the one before left off.
"""

import re

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from gpucluster import connect
from playwright.sync_api import ConsoleMessage, Page, expect

from .chromium import card_of, choose_action, open_card, open_page, open_panel, state_of

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def errors() -> list[str]:
    """What our code complained about in the console."""
    return []


@pytest.fixture(scope="module")
def page(browser, lab, errors) -> Page:
    page = open_page(browser, lab)

    def note(message: ConsoleMessage) -> None:
        # Dask's own pages complain too; they are not our code.
        url = message.location["url"]
        if message.type == "error" and ("extensions/gpucluster/" in url or "gpucluster/api/" in url):
            errors.append(f"{message.text} {url}")

    page.on("console", note)
    page.on("pageerror", lambda error: errors.append(f"{error}\n{error.stack}"))
    return page


def test_an_empty_panel_invites_to_create_a_cluster(page):
    panel = open_panel(page)
    expect(panel.get_by_text("No clusters yet.")).to_be_visible()
    panel.get_by_role("button", name="New cluster").click()
    form = panel.get_by_role("form", name="New cluster")
    expect(form).to_be_visible()
    # Who works with the keyboard goes on in the form.
    expect(form.locator("input:enabled, select").first).to_be_focused()
    expect(panel.get_by_label("Hardware", exact=True).locator("option", has_text="no usable GPU")).to_be_disabled()
    # All of it is in sight in a small window.
    footer = form.locator(".gpc-CreateForm-footer").bounding_box()
    assert footer is not None
    assert footer["y"] + footer["height"] <= 690


@pytest.mark.parametrize(
    ("field", "text", "sentence"),
    [
        ("Workers", "two", "Enter a whole number"),
        ("Workers", "-1", "Must be at least 0"),
        ("Workers", "100000", "Must be at most 256"),
        ("Host memory per worker", "2 potatoes", "is not a unit of memory"),
        ("Host memory per worker", "1", "is less than 1 MiB"),
        ("Host memory per worker", "900 TiB", "for one worker is more than the"),
        ("Stop when idle for", "soon", "Enter a time with its unit, e.g. 30 min"),
        # Only the server knows this one.
        ("Name", "ä b", "Must start with a letter or digit"),
    ],
)
def test_bad_values_get_a_sentence_next_to_the_field(page, lab, field, text, sentence):
    form = page.get_by_role("form", name="New cluster")
    entry = form.get_by_label(field, exact=True)
    if not entry.is_visible():
        form.get_by_text("More options").click()
    entry.fill(text)
    form.get_by_role("button", name="Create").click()
    expect(form.get_by_role("alert").filter(has_text=sentence)).to_be_visible()
    form.get_by_role("alert").filter(has_text="Fix first:").get_by_role("button", name=field).click()
    expect(entry).to_be_focused()
    assert lab.control.list() == []
    entry.fill("")


def test_more_options_stay_open_while_a_fault_in_them_is_corrected(page, lab):
    form = page.get_by_role("form", name="New cluster")
    if not form.get_by_label("Resources", exact=True).is_visible():
        form.get_by_text("More options").click()
    resources = form.get_by_label("Resources", exact=True)
    resources.fill("GPU")
    form.get_by_role("button", name="Create").click()
    expect(resources).to_have_attribute("aria-invalid", "true")
    expect(resources).to_be_focused()
    page.keyboard.type("=1")
    expect(resources).to_have_attribute("aria-invalid", "false")
    expect(resources).to_be_focused()
    assert resources.input_value() == "GPU=1"
    resources.fill("")
    form.get_by_text("More options").click()
    expect(resources).to_be_hidden()
    assert lab.control.list() == []


def test_what_workers_will_share_is_said_before(page, lab):
    form = page.get_by_role("form", name="New cluster")
    form.get_by_label("Hardware", exact=True).select_option("CPU")
    form.get_by_text("More options").click()
    memory, threads = (
        form.get_by_label(label, exact=True) for label in ("Host memory per worker", "Threads per worker")
    )
    # While it is typed, long before anything is created.
    memory.fill("900 TiB")
    expect(form.get_by_role("alert").filter(has_text="that this machine has")).to_be_visible()
    memory.fill("60%")
    threads.fill("128")
    expect(form.get_by_role("status")).to_contain_text("of memory each")
    expect(form.get_by_role("status")).to_contain_text("tasks that compute share the cores")
    field, footer = threads.bounding_box(), form.locator(".gpc-CreateForm-footer").bounding_box()
    assert field is not None
    assert footer is not None
    assert field["y"] + field["height"] <= footer["y"], "the notes do not cover what is being typed"
    memory.fill("")
    threads.fill("1")
    expect(form.get_by_role("status").filter(has_text="cores")).to_have_count(0)
    assert lab.control.list() == []


def test_the_form_shows_the_same_as_code(page):
    form = page.get_by_role("form", name="New cluster")
    form.get_by_label("Hardware", exact=True).select_option("CPU")
    form.get_by_role("button", name="Copy as…").click()
    form.get_by_label("Name", exact=True).fill("blue")
    form.get_by_label("Workers", exact=True).fill("2")
    line = form.get_by_role("region", name="Code", exact=True)
    language = form.get_by_label("Language")
    expect(line).to_have_text('gpucluster.create("local", name="blue", n_workers=2)')
    language.select_option("Magic")
    expect(line).to_have_text("%gpucluster create --backend local --name blue --n-workers 2")
    language.select_option("Shell")
    expect(line).to_have_text("gpucluster create --backend local --name blue --n-workers 2")


def test_a_cluster_is_created_once_and_reaches_running(page, lab):
    page.get_by_role("form", name="New cluster").get_by_role("button", name="Create").dblclick()
    card = card_of(page, "blue")
    expect(state_of(card)).to_have_text("Running")
    expect(card.get_by_text(re.compile("^2 CPU workers · up"))).to_be_visible()
    expect(card.get_by_role("meter", name="Memory").first).to_be_visible()
    assert [(model.name, model.n_workers) for model in lab.control.list()] == [("blue", 2)]
    expect(page.get_by_role("button", name="New cluster")).to_be_focused()


def test_a_taken_name_is_refused(page, lab):
    panel = open_panel(page)
    page.get_by_role("menuitem", name="GPU Clusters", exact=True).click()
    page.get_by_role("menuitem", name="New Cluster…").click()
    form = page.get_by_role("form", name="New cluster")
    # Who chose it in the menu goes on in the form.
    expect(form.locator("input:enabled, select").first).to_be_focused()
    form.get_by_label("Name", exact=True).fill("blue")
    form.get_by_role("button", name="Create").click()
    expect(form.get_by_role("alert").filter(has_text="blue").first).to_be_visible()
    # Where the fault is, one goes on.
    expect(form.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    # What was typed is not dropped without asking.
    page.get_by_role("dialog").get_by_role("button", name="Discard").click()
    expect(panel.get_by_role("button", name="New cluster")).to_be_focused()
    assert len(lab.control.list()) == 1


def test_a_failed_create_is_edited_and_retried(page, lab):
    failed = lab.control.create({"backend": "existing", "address": "tcp://127.0.0.1:9", "name": "far"})
    card = open_card(page.locator("#gpucluster-panel"), "far")
    expect(state_of(card)).to_contain_text("Failed")
    card.get_by_role("button", name="Edit and retry").click()
    form = page.get_by_role("form", name="New cluster")
    expect(form.get_by_label("Where", exact=True)).to_have_value("Existing scheduler")
    expect(form.get_by_label("Name", exact=True)).to_have_value("far")
    address = form.get_by_label("Address", exact=True)
    expect(address).to_have_value("tcp://127.0.0.1:9")
    # Errors that need no process are shown at the field, and nothing is created.
    form.get_by_role("button", name="Create").click()
    expect(form.get_by_role("alert").filter(has_text="Nothing is listening on port 9")).to_be_visible()
    expect(address).to_be_focused()
    page.keyboard.press("Escape")
    lab.control.remove(failed.id)
    expect(card).to_have_count(0)


def test_a_new_notebook_is_connected(page):
    card_of(page, "blue").get_by_role("button", name="Connect new notebook").click()
    notebook = page.locator(".jp-NotebookPanel")
    expect(notebook.locator(".jp-Cell").first).to_contain_text("%gpucluster connect blue")
    expect(notebook.locator(".jp-OutputArea-output").first).to_contain_text("Connected to blue")
    card = card_of(page, "blue")
    expect(card.get_by_role("button", name="Connected ✓")).to_be_disabled()
    expect(card.get_by_text(re.compile("^(In use by Untitled|Idle .* kept by 1 notebook)"))).to_be_visible()
    chip = notebook.get_by_role("button", name="This notebook uses the cluster blue")
    expect(chip).to_have_text("blue")
    # Chosen from the chip, it is the same as from the card.
    chip.click()
    menu = page.get_by_role("menu").filter(has_text="Connected to blue")
    expect(menu.get_by_role("menuitemcheckbox", name="Connected to blue")).to_be_checked()
    expect(menu.get_by_role("menuitem")).to_have_text(["New Cluster…", "Show Panel"])
    page.keyboard.press("Escape")
    expect(chip).to_be_focused()
    expect(page.get_by_text("Connected Untitled.ipynb to blue.")).to_be_visible()


def test_the_notebook_computes_on_the_workers(page):
    notebook = page.locator(".jp-NotebookPanel")
    notebook.locator(".jp-Cell").nth(1).locator(".cm-content").click()
    page.keyboard.insert_text("sum(client.gather(client.map(lambda x: x * x, range(10))))")
    page.keyboard.press("Shift+Enter")
    expect(notebook.locator(".jp-OutputArea-output").nth(1)).to_contain_text("285")


def test_connect_asks_for_the_notebook_while_none_is_in_view(page):
    page.locator("#jp-main-dock-panel .lm-TabBar-addButton").first.click()
    expect(page.locator(".jp-Launcher-body:visible")).to_have_count(1)
    notebook = page.locator(".jp-NotebookPanel")
    expect(notebook).to_be_hidden()
    before = notebook.locator(".jp-Cell").count()
    connect = card_of(page, "blue").get_by_role("button", name="Connect…")
    connect.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Connect a notebook to blue")
    choice = dialog.get_by_role("combobox")
    expect(choice).to_be_focused()
    expect(choice.locator("option")).to_have_text(["Untitled.ipynb", "New notebook"])
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(connect).to_be_focused()
    assert notebook.locator(".jp-Cell").count() == before, "nothing runs in a hidden notebook"

    page.keyboard.press("Enter")
    expect(choice).to_be_focused()
    page.keyboard.press("Enter")
    expect(notebook).to_be_visible()
    # The notebook has that cell: it runs again, unmoved.
    expect(notebook.locator(".jp-InputArea-prompt").first).to_have_text("[3]:")
    expect(notebook.locator(".jp-OutputArea-output").first).to_contain_text("Connected to blue")
    assert notebook.locator(".jp-Cell").count() == before
    expect(page.locator(".jp-NotebookPanel")).to_have_count(1)


def test_the_cluster_is_scaled(page, lab):
    card = card_of(page, "blue")
    card.get_by_role("button", name="Scale", exact=True).click()
    editor = card.get_by_role("form", name="Scale blue")
    expect(editor.get_by_label("Workers", exact=True)).to_be_focused()
    editor.get_by_label("Workers", exact=True).fill("lots")
    expect(editor.get_by_role("alert")).to_contain_text("Enter a whole number")
    expect(editor.get_by_role("button", name="Apply")).to_be_disabled()
    editor.get_by_label("Workers", exact=True).fill("2")
    editor.get_by_role("button", name="Workers: one more").click()
    editor.get_by_role("button", name="Apply").dblclick()
    expect(card.get_by_text(re.compile("^3 CPU workers · up"))).to_be_visible()
    expect(card.get_by_role("list", name="Workers").get_by_role("listitem")).to_have_count(3)
    assert lab.control.get("blue").n_workers == 3


def test_the_dashboard_opens_as_a_tab(page):
    card_of(page, "blue").get_by_role("button", name="Dashboard", exact=True).click()
    expect(page.get_by_role("tab", name="Status · blue")).to_be_visible()
    frame = page.frame_locator(".gpc-DashboardView iframe")
    # Drawn by what comes through the proxied WebSocket.
    expect(frame.get_by_text("Data Transfer")).to_be_visible()
    page.get_by_label("Dashboard page", exact=True).select_option("Workers")
    expect(frame.get_by_text("nthreads")).to_be_visible()


def test_the_log_opens_as_a_tab(page):
    for shown in (True, False):
        card_of(page, "blue").get_by_role("button", name="More actions").click()
        page.locator(".lm-Menu-item", has_text="Details").click()
        expect(card_of(page, "blue").locator(".gpc-Facts")).to_be_visible(visible=shown)
    choose_action(card_of(page, "blue"), "Log")
    expect(page.get_by_role("tab", name="Log: blue")).to_be_visible()
    expect(page.get_by_role("log")).to_contain_text("distributed.scheduler")


def test_another_browser_sees_the_same(browser, lab):
    other = open_page(browser, lab, "lab/workspaces/other?reset")
    open_panel(other)
    expect(state_of(card_of(other, "blue"))).to_have_text("Running")
    open_card(other.locator("#gpucluster-panel"), "blue")
    expect(card_of(other, "blue").get_by_text(re.compile("^3 CPU workers"))).to_be_visible()
    other.context.close()


def test_everything_is_there_after_a_reload(page, lab):
    # The layout is saved a moment after it has changed.
    page.wait_for_timeout(2000)
    page.goto(lab.page("lab"))
    panel = open_panel(page)
    expect(state_of(card_of(page, "blue"))).to_have_text("Running")
    expect(page.get_by_role("tab", name="Workers · blue")).to_be_visible()
    expect(page.get_by_role("tab", name="Log: blue")).to_be_visible()
    expect(panel.get_by_text(re.compile("^3 CPU workers"))).to_be_visible()
    # What is folded stays so.
    toggle = card_of(page, "blue").get_by_role("button", name="blue", exact=True)
    toggle.click()
    expect(panel.get_by_text(re.compile("^3 CPU workers"))).to_have_count(0)
    page.wait_for_timeout(2000)
    page.goto(lab.page("lab"))
    open_panel(page)
    expect(toggle).to_have_attribute("aria-expanded", "false")
    toggle.press("Enter")
    expect(panel.get_by_text(re.compile("^3 CPU workers"))).to_be_visible()


def test_the_cluster_is_among_the_running_things(page):
    page.locator('.jp-SideBar [data-id="jp-running-sessions"]').click()
    running = page.locator("#jp-running-sessions")
    expect(running.get_by_text("GPU Clusters")).to_be_visible()
    expect(running.get_by_text("blue", exact=True)).to_be_visible()
    open_panel(page)


def test_stopping_asks_while_something_would_be_lost(page, lab, monkeypatch, wait_until):
    card = card_of(page, "blue")
    stop = card.get_by_role("button", name="Stop", exact=True)
    dialog = page.get_by_role("dialog")
    monkeypatch.setenv("GPUCLUSTER_DIR", str(lab.directory / "registry"))
    # A program that is not a notebook of this window may want the cluster at any moment.
    with connect("blue").get_client():
        wait_until(lambda: lab.control.get("blue").n_clients == 2)
        # A double click still asks: the second click is beside the dialog.
        stop.dblclick(delay=150)
        expect(dialog).to_contain_text("Stop blue?")
        expect(dialog).to_contain_text("In use by Untitled and 1 other client.")
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog).to_have_count(0)
        expect(stop).to_be_focused()
        assert lab.control.get("blue").state == "running"
    wait_until(lambda: lab.control.get("blue").n_clients == 1)
    # The notebook rests and holds nothing. A second click is not meant for the buttons that take this one's place.
    stop.dblclick(delay=400)
    expect(state_of(card)).to_contain_text("Stopped")
    expect(dialog).to_have_count(0)


def test_a_stopped_cluster_is_started_again_and_removed(page, lab):
    open_card(page.locator("#gpucluster-panel"), "blue").get_by_role("button", name="Start again").click()
    expect(state_of(card_of(page, "blue"))).to_have_text("Running")
    [model] = lab.control.list()
    assert (model.name, model.spec.n_workers) == ("blue", 2)
    lab.control.stop(model.id)
    card_of(page, "blue").get_by_role("button", name="Remove").click()
    expect(card_of(page, "blue")).to_have_count(0)
    expect(page.get_by_text("No clusters yet.")).to_be_visible()
    expect(page.get_by_role("button", name="New cluster")).to_be_focused()
    assert lab.control.list() == []


def test_nothing_went_wrong_behind_the_scenes(errors):
    assert [error for error in errors if "extensions/gpucluster/" in error] == []
