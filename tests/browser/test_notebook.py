"""The panel in Notebook 7, which has no JupyterLab shell."""

import json

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from .chromium import choose_action, open_page, open_panel_in_notebook
from .lab import jupyter

pytestmark = [pytest.mark.timeout(400), pytest.mark.full]

EMPTY = {
    "cells": [{"cell_type": "code", "id": "one", "metadata": {}, "source": "", "outputs": [], "execution_count": None}],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def complaints_of(page: Page) -> list[str]:
    """Collect what is said of us, or of a plugin that could not be activated, on the console, from now on."""
    said: list[str] = []

    def note(message: ConsoleMessage) -> None:
        # JupyterLab's own code says which plugin it could not activate.
        # dask-labextension, where it is installed, needs JupyterLab's own shell.
        is_ours = "gpucluster" in message.text + message.location["url"]
        is_inactive = "failed to activate" in message.text and "dask-labextension" not in message.text
        if message.type in {"error", "warning"} and (is_ours or is_inactive):
            said.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: said.append(str(error)) if "gpucluster" in f"{error.stack}" else None)
    return said


def test_the_panel_works_in_notebook_7(browser: Browser) -> None:
    with jupyter("notebook") as lab:
        (lab.directory / "root" / "Lesson.ipynb").write_text(json.dumps(EMPTY))
        files = open_page(browser, lab, "tree")
        said_of_files = complaints_of(files)
        files.reload()
        files.get_by_text("Lesson.ipynb").wait_for()
        page = open_page(browser, lab, "api")
        said = complaints_of(page)
        page.goto(lab.page("notebooks/Lesson.ipynb"))
        page.locator(".jp-Notebook .cm-content").first.wait_for()
        panel = open_panel_in_notebook(page)
        panel.get_by_role("button", name="New cluster").click()
        panel.get_by_role("button", name="Create").click()
        expect(panel.get_by_text("Running")).to_be_visible()
        # What opens below the notebook has room to be seen, not only a tab.
        choose_action(panel, "Log")
        log = page.locator("#jp-down-stack").get_by_role("log")
        expect(log).to_be_in_viewport()
        box = log.bounding_box()
        assert box is not None
        assert box["height"] > 200
        # Each that is asked for comes to the front.
        choose_action(panel, "Activity")
        expect(page.locator("#jp-down-stack").get_by_role("log")).to_be_hidden()
        expect(page.locator("[id^=gpucluster-activity-]")).to_be_in_viewport()
        choose_action(panel, "Log")
        expect(log).to_be_in_viewport()
        panel.get_by_role("button", name="Connect Lesson").click()
        expect(page.locator(".jp-OutputArea-output").first).to_contain_text("Connected to")
        expect(page.get_by_role("button", name="This notebook uses the cluster")).to_be_visible()
        expect(panel.get_by_role("button", name="Connected ✓")).to_be_disabled()
        assert said == [], said
        assert said_of_files == []
        page.context.close()
        files.context.close()
