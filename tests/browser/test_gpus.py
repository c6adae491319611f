"""The creation form on a machine with GPUs, which exist only in a text file."""

import os

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from nvml.machine import FakeMachine, gpu, gpu_uuid, mig_slice
from playwright.sync_api import Browser, expect

from .chromium import open_page, open_panel
from .lab import jupyter

pytestmark = pytest.mark.timeout(400)


@pytest.mark.full
def test_gpus_are_offered_with_who_uses_them(browser: Browser, machine: FakeMachine) -> None:
    machine.write(
        [
            gpu(1, total=40960, used=300, name="Fake A100"),
            gpu(2, total=40960, used=31000, name="Fake A100"),
            f"process {os.getpid()} used=30000",
            gpu(3, total=40960, used=300, name="Fake A100", mig=1),
            mig_slice(1),
        ]
    )
    seen = {name: value for name, value in machine.environment().items() if name.startswith(("LD_", "FAKE_"))}
    with jupyter(**seen) as lab:
        page = open_page(browser, lab)
        open_panel(page).get_by_role("button", name="New cluster").click()
        form = page.get_by_role("form", name="New cluster")
        form.get_by_label("Preset", exact=True).select_option("GPU, machine learning")
        expect(form.get_by_label("Hardware", exact=True)).to_have_value("cuda")
        form.get_by_text("More options").click()
        expect(form.get_by_label("RMM pool", exact=True)).to_have_value("80%")

        gpus = form.get_by_role("group", name="GPUs").get_by_role("listitem")
        expect(gpus).to_have_count(4)
        expect(gpus.nth(0)).to_contain_text("Idle")
        expect(gpus.nth(1)).to_contain_text("(29 GiB)")
        expect(gpus.nth(1).get_by_role("meter")).to_have_attribute("aria-valuenow", "76")
        expect(gpus.nth(2).get_by_role("checkbox")).to_be_disabled()
        expect(gpus.nth(2)).to_contain_text("Divided into the slices below.")

        gpus.nth(0).get_by_role("checkbox").check()
        form.get_by_role("button", name="Copy as…").click()
        expect(form.get_by_role("region", name="Code", exact=True)).to_contain_text(f'devices=["{gpu_uuid(1)}"]')

        # The form knows no combinations of fields; the server does.
        form.get_by_label("Asynchronous allocator", exact=True).check()
        form.get_by_role("button", name="Create").click()
        alert = form.get_by_role("alert").filter(has_text="keeps its own pool; omit “RMM pool”")
        expect(alert.first).to_be_visible()
        assert lab.control.list() == []
        page.context.close()


@pytest.mark.full
def test_the_gpus_of_the_host_are_shown_live(browser: Browser, machine: FakeMachine) -> None:
    two = [gpu(1, total=40960, used=300, name="Fake A100"), gpu(2, total=40960, used=31000, name="Fake A100")]
    machine.write([*two, f"process {os.getpid()} used=30000"])
    seen = {name: value for name, value in machine.environment().items() if name.startswith(("LD_", "FAKE_"))}
    with jupyter(**seen) as lab:
        page = open_page(browser, lab)
        panel = open_panel(page)
        devices = panel.get_by_role("list", name="GPUs on this machine").locator(".gpc-Device")
        expect(devices).to_have_count(2)
        expect(devices.nth(1).get_by_role("meter")).to_have_attribute("aria-valuenow", "76")
        expect(devices.nth(1).get_by_role("list", name="Processes on GPU 1")).to_contain_text("29 GiB")
        status = page.locator(".gpc-StatusItem")
        expect(status).to_contain_text("2 GPUs 31 / 80 GiB")
        machine.write([])
        expect(devices).to_have_count(0)
        expect(status).to_be_hidden()
        machine.write([gpu(1, total=40960, used=20480, name="Fake A100")])
        expect(status).to_contain_text("GPU 20 / 40 GiB")
        page.locator('.jp-SideBar [data-id="filebrowser"]').click()
        status.get_by_role("button").click()
        expect(panel).to_be_visible()
        expect(devices).to_have_count(1)
        page.context.close()
