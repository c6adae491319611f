"""What each state of the panel takes to be there, in the order in which they are easiest to reach."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import psutil
from gpucluster.lessons.learner_progress import record
from gpucluster.sharing.node import VARIABLE
from panel_neighbours import neighbours, site_says
from panel_pictures import Pictures
from playwright.sync_api import Locator, expect

from tests.browser.chromium import choose_command, resize_panel
from tests.fakes.nvml.machine import gpu, mig_slice

WORK = """
def load(n): return sum(range(3_000_000 + n))
def fit(n): return sum(range(n % 1000 * 3000))
def score(*parts): return max(parts)
loaded = client.map(load, range(4000))
fitted = client.map(fit, loaded)
best = client.submit(score, fitted)
"""

h100 = partial(gpu, total=81559, name="NVIDIA H100 80GB HBM3", limit=700)
"""The line of a GPU; sizes are in MiB."""


def open_form(panel: Locator) -> Locator:
    """Open the form and return it."""
    panel.get_by_role("button", name="New cluster").click()
    form = panel.get_by_role("form", name="New cluster")
    expect(form).to_be_visible()
    return form


def without_clusters(pictures: Pictures) -> None:
    """Take what is there before anything is created."""
    panel = pictures.panel
    expect(panel.get_by_text("No cluster yet.")).to_be_visible()
    pictures.take("empty")
    form = open_form(panel)
    form.get_by_label("Hardware", exact=True).select_option("CPU")
    expect(form.locator(".gpc-Demand")).to_be_visible()
    pictures.take("form")
    if pictures.wants("where"):
        form.get_by_label("Where", exact=True).select_option("SSH hosts")
        expect(form.get_by_label("Hosts", exact=True)).to_be_visible()
        pictures.take("where")
        form.get_by_label("Where", exact=True).select_option("This machine")
    form.get_by_text("More options").click()
    for label, text in (("Workers", "two"), ("Host memory per worker", "900 TiB"), ("Resources", "GPU")):
        form.get_by_label(label, exact=True).fill(text)
    form.get_by_role("button", name="Create").click()
    expect(form.get_by_role("alert").filter(has_text="to create:")).to_be_visible()
    pictures.take("form-faults")
    form.get_by_role("button", name="Cancel").click()


def shared(pictures: Pictures) -> None:
    """Take a machine with eight GPUs that others have, too, as a user and as an instructor sees it."""
    pictures.machine.write(
        [h100(number, used=300 + 9000 * (number < 6), util=13 * number % 97, power=70) for number in range(1, 9)]
    )
    site = Path(pictures.variables["GPUCLUSTER_SITE"])
    told = "sharing: {slots_per_gpu: 2, reserved_gpus: [7]%s}\n"
    with neighbours(pictures.variables[VARIABLE]), site_says(site, told % ""):
        pictures.reopen()
        panel = pictures.panel
        expect(panel.get_by_role("list", name="In line")).to_be_visible()
        pictures.take("shared")
    with neighbours(pictures.variables[VARIABLE]), site_says(site, told % ", instructors: [root]"):
        panel.get_by_text("Clusters of the class").click()
        expect(panel.get_by_role("button", name="Message everybody…")).to_be_visible(timeout=60_000)
        pictures.take("shared-instructor")
        panel.get_by_text("Clusters of the class").click()


def with_gpus(pictures: Pictures) -> None:
    """Take the form and the list of GPUs on a machine that has some."""
    pictures.machine.write(
        [
            h100(1, used=300, power=71, temperature=31),
            h100(2, used=61000, util=97, power=655, temperature=68),
            f"process {os.getpid()} used=60500",
            h100(3, used=300, mig=1, power=64),
            mig_slice(1),
            mig_slice(2, used=9800),
        ]
    )
    panel = pictures.panel
    devices = panel.get_by_role("list", name="GPUs of this machine").get_by_role("listitem")
    expect(devices.first).to_be_visible()
    pictures.take("gpus-of-the-machine")
    form = open_form(panel)
    form.get_by_label("Preset", exact=True).select_option("GPU, machine learning")
    form.get_by_role("group", name="GPUs").get_by_role("checkbox").first.check()
    pictures.take("form-gpus")
    form.get_by_role("button", name="Cancel").click()
    pictures.machine.write([])
    expect(devices).to_have_count(0)


def beside_clusters(pictures: Pictures) -> None:
    """Take what the panel has beside clusters: lessons, at first and with progress, and recordings."""
    panel, page = pictures.panel, pictures.page
    lessons = panel.locator(".gpc-Lessons > summary")
    lessons.click()
    expect(panel.get_by_role("button", name="Copy all lessons")).to_be_visible()
    pictures.take("lessons")
    panel.get_by_role("button", name="Copy all lessons").click()
    expect(panel.get_by_role("button", name="Copy all lessons")).to_have_count(0)
    folder = pictures.lab.directory / "root" / "gpucluster-lessons"
    record({"kind": "check", "exercise": "06.1", "state": "passed", "failed": []}, folder)
    record({"kind": "check", "exercise": "06.2", "state": "failed", "failed": ["It is sorted"]}, folder)
    row = panel.locator(".gpc-Lesson").filter(has_text="Distributed k-means").first
    row.locator("summary").click()
    expect(row.get_by_role("img", name="not right yet")).to_be_visible()
    pictures.take("lessons-progress")
    row.locator("summary").click()
    lessons.click()
    panel.get_by_role("button", name="Play a recording…").click()
    expect(page.locator(".gpc-RecordingPicker-row").first).to_be_visible()
    pictures.take_middle("recordings", ".jp-Dialog-content")
    page.keyboard.press("Escape")


def share_view(pictures: Pictures) -> None:
    """Take the dialog that makes links, with one that is there, and what it says of a new one."""
    if not pictures.wants("share"):
        return
    page, panel = pictures.page, pictures.panel
    for turn in range(2):
        panel.get_by_role("button", name="Share a view…").click()
        dialog = page.get_by_role("dialog")
        if turn:  # with a link that is there
            pictures.take_middle("share", ".jp-Dialog-content")
        dialog.get_by_role("button", name="Create link").click()
        page.get_by_role("button", name="Close", exact=True).click()


def one_cluster(pictures: Pictures) -> None:
    """Follow a real cluster through its life."""
    panel, page, control = pictures.panel, pictures.page, pictures.lab.control
    id = control.create({"backend": "local", "name": "blue", "n_workers": 2, "memory_limit": "1 GiB"}).id
    control.wait(id)
    workers = panel.get_by_role("list", name="Workers").get_by_role("listitem")
    expect(workers).to_have_count(2)
    pictures.take("idle")
    panel.get_by_role("button", name="Scale", exact=True).click()
    expect(panel.get_by_role("form", name="Scale blue")).to_be_visible()
    pictures.take("scale")
    panel.get_by_role("button", name="Scale", exact=True).click()

    share_view(pictures)
    panel.get_by_role("button", name="Connect").click()
    notebook = page.locator(".jp-NotebookPanel")
    expect(notebook.locator(".jp-OutputArea-output").first).to_contain_text("Connected to")
    notebook.locator(".jp-Cell").nth(1).locator(".cm-content").click()
    page.keyboard.insert_text(WORK)
    page.keyboard.press("Shift+Enter")
    expect(panel.locator(".gpc-ProgressList")).to_contain_text("load")
    page.wait_for_timeout(6000)
    pictures.take("busy")
    workers.nth(1).click()
    pictures.take("worker")
    workers.nth(1).click()
    show_processes(pictures, [worker.pid for worker in control.get(id).workers if worker.pid])

    lost = control.get(id).workers[0].pid
    assert lost is not None
    os.kill(lost, 9)
    expect(panel.locator(".gpc-News")).to_contain_text("ago")
    pictures.take("worker-lost")
    if pictures.wants("charts"):
        choose_command(page, "Show Gauges over Time")
        page.get_by_role("region", name="Gauges over time").get_by_role("img", name="Host memory").wait_for()
        resize_panel(page, 245)
        pictures.take_middle("charts", ".gpc-Charts")
    control.stop(id)
    expect(panel.get_by_role("button", name="Start again")).to_be_visible()
    pictures.take("ended")
    failing = control.create({"backend": "local", "name": "red", "n_workers": 1})
    control.wait(failing.id)
    pid = control.get(failing.id).pid
    assert pid is not None
    os.kill(pid, 9)
    expect(panel.locator('[data-state="failed"]')).to_be_visible()
    pictures.take("failed")


def show_processes(pictures: Pictures, workers: list[int]) -> None:
    """Let the kernel, workers and a program of somebody hold memory of a GPU."""
    [kernel] = [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if {"ipykernel_launcher"} <= set(process.info["cmdline"] or [])
        and str(pictures.lab.directory) in " ".join(process.info["cmdline"])
    ]
    holders = zip((kernel, *workers, os.getpid(), 4_000_000), (5200, 18100, 17400, 800, 1900), strict=True)
    used = 5200 + 18100 + 17400 + 800 + 1900 + 300
    lines = [f"process {pid} used={mib}" for pid, mib in holders]
    pictures.machine.write([h100(1, used=used, util=64, power=412, temperature=55), *lines])
    expect(pictures.panel.get_by_role("list", name="Processes on GPU 0")).to_be_visible()
    pictures.take("processes")
    pictures.machine.write([])
