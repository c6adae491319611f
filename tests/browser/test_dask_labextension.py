"""The panel of dask-labextension, beside ours and with its own server part or without: it knows our clusters.

The tests of this module are one story for each of the two and run in order, on one page.
"""

import json
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from gpucluster.protocol.models import ClusterModel
from playwright.sync_api import Locator, Page, expect

from .chromium import open_page
from .lab import Lab, jupyter

pytestmark = [pytest.mark.timeout(500), pytest.mark.full]


@pytest.fixture(scope="module", params=["beside", "alone"])
def lab(request, tmp_path_factory) -> Iterator[Lab]:
    """A JupyterLab with the panel, with dask-labextension's own server part or without it."""
    config = tmp_path_factory.mktemp("config")
    enabled = {"ServerApp": {"jpserver_extensions": {"dask_labextension": request.param == "beside"}}}
    (config / "jupyter_server_config.json").write_text(json.dumps(enabled))
    with jupyter(JUPYTER_CONFIG_DIR=str(config)) as running:
        yield running


EMPTY = {
    "cells": [{"cell_type": "code", "id": "a", "source": "", "metadata": {}, "outputs": [], "execution_count": None}],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@pytest.fixture(scope="module")
def cluster(lab) -> ClusterModel:
    """A cluster with one worker, which runs until a test stops it."""
    options = {"backend": "local", "name": "seen", "n_workers": 1, "idle_timeout_seconds": None}
    return lab.control.wait(lab.control.create(options).id)


@pytest.fixture(scope="module")
def page(browser, lab, cluster) -> Iterator[Page]:
    """JupyterLab with a notebook and their panel."""
    (lab.directory / "root" / "empty.ipynb").write_text(json.dumps(EMPTY))
    page = open_page(browser, lab, "lab/tree/empty.ipynb?reset")
    # JupyterLab may ask which kernel; what it proposes is right.
    page.add_locator_handler(
        page.get_by_role("button", name="Select Kernel", exact=True), lambda button: button.click()
    )
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    tab = page.locator('.jp-SideBar [data-id="dask-dashboard-launcher"]')
    tab.wait_for()
    page.locator("#jp-main-dock-panel .lm-DockPanel-widget:not(.lm-mod-hidden)").first.wait_for()
    if not page.locator("#dask-dashboard-launcher").is_visible():
        tab.click()
    yield page
    page.context.close()


@pytest.fixture
def panel(page) -> Locator:
    panel = page.locator("#dask-dashboard-launcher")
    expect(panel).to_be_visible()
    return panel


def item_of(panel: Locator, name: str) -> Locator:
    return panel.locator(".dask-ClusterListingItem").filter(has_text=name)


def test_the_code_it_makes_connects(page, panel, lab, cluster, wait_until):
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
    page.locator(".jp-Notebook .jp-CodeCell").first.click()
    item_of(panel, "seen").get_by_title("Inject client code for seen").click()
    made = page.locator(".jp-Notebook .jp-CodeCell").filter(has_text="gpucluster://seen").first
    expect(made).to_contain_text('client = Client("gpucluster://seen")')
    made.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(page.locator(".jp-OutputArea-output").filter(has_text="Scheduler").first).to_be_visible()
    wait_until(lambda: lab.control.get(cluster.id).n_clients == 1)


def test_a_pane_shows_a_page_of_our_dashboard(page, panel, lab, cluster):
    panel.get_by_role("button", name="Task Stream").click()
    pane = page.locator(".dask-DaskDashboard-widget iframe")
    expect(pane).to_have_attribute("src", f"{lab.url}/dask/dashboard/{cluster.id}/individual-task-stream")
    # Drawn by Bokeh, which gets what it draws over its WebSocket.
    expect(pane.content_frame.locator(".bk-Figure").first).to_be_visible()


def test_lists_scales_and_stops(page, panel, lab, cluster, wait_until):
    item = item_of(panel, "seen")
    expect(item).to_contain_text("gpucluster://seen")
    expect(item).to_contain_text("Number of Workers: 1")
    item.get_by_role("button", name="SCALE").click()
    dialog = page.get_by_role("dialog")
    dialog.locator(".dask-ScalingInput").first.fill("2")
    dialog.get_by_role("button", name="Scale").click()
    expect(item).to_contain_text("Number of Workers: 2")
    assert lab.control.get(cluster.id).n_workers == 2

    item.get_by_role("button", name="SCALE").click()
    dialog.locator(".dask-ScalingInput").first.fill("-1")
    dialog.get_by_role("button", name="Scale").click()
    expect(page.get_by_role("dialog")).to_contain_text("n_workers")
    page.get_by_role("dialog").get_by_role("button").last.click()
    assert lab.control.get(cluster.id).wanted.n_workers == 2

    item.get_by_role("button", name="SHUTDOWN").click()
    expect(item).to_have_count(0)
    wait_until(lambda: lab.control.get(cluster.id).state.ended)


def test_its_button_makes_one_of_ours(panel, lab, wait_until):
    panel.get_by_role("button", name="NEW").click()
    expect(item_of(panel, "cluster-1")).to_be_visible()
    wait_until(lambda: lab.control.get("cluster-1").state == "running", timeout=90)
    lab.control.stop("cluster-1")
    expect(item_of(panel, "cluster-1")).to_have_count(0)
