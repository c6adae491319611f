"""Connect in a kernel without gpucluster: a message with what to do, and no cell that fails."""

import json
import shutil
import sys

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from playwright.sync_api import Browser, expect

from .chromium import open_page, open_panel
from .lab import Lab
from .test_notebook import EMPTY

pytestmark = [pytest.mark.timeout(400), pytest.mark.full]

WITHOUT = (
    "import sys; sys.modules['gpucluster'] = None; from ipykernel.kernelapp import launch_new_instance as run; run()"
)


def test_connect_in_a_kernel_without_gpucluster(browser: Browser, lab: Lab) -> None:
    kernel = lab.directory / "data" / "kernels" / "bare"
    kernel.mkdir(parents=True)
    argv = [sys.executable, "-c", WITHOUT, "-f", "{connection_file}"]
    (kernel / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Bare", "language": "python"}))
    notebook = json.loads(json.dumps(EMPTY))
    notebook["metadata"]["kernelspec"] |= {"name": "bare", "display_name": "Bare"}
    (lab.directory / "root" / "Bare.ipynb").write_text(json.dumps(notebook))
    lab.control.wait(lab.control.create({"backend": "local", "name": "blue", "n_workers": 1}).id)
    page = open_page(browser, lab, "lab/tree/Bare.ipynb?reset")
    panel = open_panel(page)
    page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for()
    panel.get_by_role("button", name="Connect").click()
    said = f"gpucluster is not installed in the kernel of Bare.ipynb ({sys.executable})."
    expect(page.get_by_text(said).first).to_be_visible()
    expect(page.locator(".jp-OutputArea-output")).to_have_count(0)
    assert "gpucluster" not in page.locator(".jp-Notebook .jp-CodeCell").first.inner_text()
    shutil.rmtree(kernel)
