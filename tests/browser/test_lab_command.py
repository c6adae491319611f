"""The page that ``gpucluster lab`` opens."""

import json

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from gpucluster.lessons.commands.lab import workspace_path
from playwright.sync_api import expect

from .chromium import open_page
from .test_notebook import EMPTY


@pytest.mark.timeout(300)
def test_lab_opens_with_the_panel_beside_the_notebook(browser, lab, monkeypatch):
    monkeypatch.setenv("JUPYTERLAB_WORKSPACES_DIR", str(lab.directory / "workspaces"))
    (lab.directory / "root" / "Lesson.ipynb").write_text(json.dumps(EMPTY))
    page = open_page(browser, lab, f"{workspace_path()[1:]}/tree/Lesson.ipynb")
    panel = page.locator("#gpucluster-panel")
    notebook = page.locator("#jp-main-dock-panel").get_by_role("tab", name="Lesson.ipynb")
    expect(notebook).to_be_visible()
    expect(panel).to_be_visible()
    # JupyterLab keeps what the user makes of the layout. A save of the page as it opened may come first.
    with page.expect_response(lambda answer: '"current":"filebrowser"' in (answer.request.post_data or "")):
        page.locator('.jp-SideBar [data-id="filebrowser"]').click()
    expect(panel).to_be_hidden()
    page.goto(f"{lab.url}{workspace_path()}/tree/Lesson.ipynb")
    expect(notebook).to_be_visible()
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    expect(page.locator("#filebrowser")).to_be_visible()
    expect(panel).to_be_hidden()
