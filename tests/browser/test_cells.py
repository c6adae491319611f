"""The line below a cell that computes on a cluster: progress while it runs, a summary afterwards."""

import json
import re
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from playwright.sync_api import Browser, Locator, Page, expect

from .axe import violations
from .chromium import open_page
from .lab import Lab

pytestmark = pytest.mark.timeout(400)

WORK = "import time\nfound = client.gather(client.map(lambda x: time.sleep(0.2) or x, range({n}), pure=False))"
CELLS = [
    "%load_ext gpucluster\n%gpucluster create --backend local --n-workers 2 --name strip --connect",
    WORK.format(n=40),
    "1 + 1",
    WORK.format(n=6),
    WORK.format(n=8),
]
NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "id": f"c{number}", "metadata": {}, "source": source, "outputs": [],
         "execution_count": None}
        for number, source in enumerate(CELLS)
    ],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}  # fmt: skip
SUMMARY = re.compile(r"^40 tasks · \d+(\.\d)? s · peak [\d.]+ [MG]iB")


def cell(page: Page, number: int) -> Locator:
    return page.locator(".jp-Notebook .jp-Cell").nth(number)


def strip(page: Page, number: int) -> Locator:
    return cell(page, number).locator(".gpc-CellStrip")


def run(page: Page, number: int) -> None:
    cell(page, number).locator(".cm-content").click()
    page.keyboard.press("Control+Enter")


@pytest.fixture(scope="module")
def page(browser: Browser, lab: Lab) -> Iterator[Page]:
    """A notebook that is connected to a cluster."""
    (lab.directory / "root" / "strip.ipynb").write_text(json.dumps(NOTEBOOK))
    page = open_page(browser, lab, "lab/tree/strip.ipynb?reset")
    page.locator(".jp-Notebook .cm-content").first.wait_for()
    expect(page.get_by_text("| Idle")).to_be_visible(timeout=120_000)  # a kernel that starts forgets what was asked
    run(page, 0)
    expect(cell(page, 0)).to_contain_text("[1]:", timeout=120_000)
    yield page
    page.context.close()


def test_progress_and_summary(page: Page, lab: Lab) -> None:
    line = strip(page, 1).locator(".gpc-CellStrip-line")
    run(page, 1)
    expect(line).to_contain_text("/ 40", timeout=10_000)
    assert line.get_by_role("progressbar").get_attribute("aria-valuemax") == "40"
    expect(line.get_by_role("button", name="Interrupt the kernel")).to_be_visible()
    # At one moment: running a cell scrolls the notebook.
    code, below, output = cell(page, 1).evaluate(
        "node => ['.jp-Cell-inputWrapper', '.gpc-CellStrip', '.jp-Cell-outputWrapper']"
        ".map(part => node.querySelector(part).getBoundingClientRect().toJSON())"
    )
    assert code["y"] + code["height"] <= below["y"] + 1 < output["y"] + 2
    places = "node => [...node.children].filter(one => one.offsetWidth).map(one => one.offsetLeft).join()"
    before = line.evaluate(places)
    # Nothing moves when a figure changes.
    expect(line).to_contain_text(re.compile(r"[1-9]\d / 40"))
    assert line.evaluate(places) == before
    # Beside something else there is room for less; interrupting stays possible.
    size = page.viewport_size
    page.set_viewport_size({"width": 640, "height": 600})
    expect(line.get_by_text("waiting")).to_be_hidden()
    assert line.evaluate("node => node.scrollWidth <= node.clientWidth && node.children[1].offsetLeft < 60")
    page.set_viewport_size(size)
    assert violations(page, ".gpc-CellStrip") == []
    expect(line.get_by_text(SUMMARY)).to_be_visible()
    assert line.bounding_box()["height"] == 22  # type: ignore[index]
    expect(strip(page, 2)).to_have_count(0)
    assert violations(page, ".gpc-CellStrip") == []


@pytest.mark.full
def test_opened_it_shows_tasks_load_and_actions(page: Page) -> None:
    run(page, 1)
    opened = strip(page, 1)
    expect(opened.locator(".gpc-CellStrip-line").get_by_text(SUMMARY)).to_be_visible()
    opened.locator("[aria-expanded]").first.focus()
    page.keyboard.press("Enter")
    expect(opened.locator(".gpc-Prefix")).to_contain_text("lambda")
    expect(opened).to_contain_text("2 workers")
    expect(opened.get_by_role("button", name="Profile again")).to_be_visible()
    assert violations(page, ".gpc-CellStrip") == []
    page.keyboard.press("Enter")
    expect(opened.locator(".gpc-Prefix")).to_be_hidden()


@pytest.mark.full
def test_each_cell_of_run_all_has_its_own(page: Page) -> None:
    for number in (3, 2, 4):
        run(page, number)
    expect(strip(page, 3).locator(".gpc-CellStrip-line").get_by_text("6 tasks")).to_be_visible()
    expect(strip(page, 4).locator(".gpc-CellStrip-line").get_by_text("8 tasks")).to_be_visible()
    expect(strip(page, 2)).to_have_count(0)


@pytest.mark.full
def test_stop_interrupts_the_cell(page: Page) -> None:
    run(page, 1)
    expect(strip(page, 1)).to_contain_text("/ 40")
    strip(page, 1).get_by_role("button", name="Interrupt the kernel").click()
    expect(cell(page, 1).locator(".jp-OutputArea-output")).to_contain_text("KeyboardInterrupt")
    run(page, 2)
    expect(cell(page, 2).locator(".jp-OutputArea-output")).to_contain_text("2")


@pytest.mark.full
def test_reload_and_another_browser_see_the_same(page: Page, browser: Browser, lab: Lab) -> None:
    page.keyboard.press("Control+s")
    run(page, 1)
    expect(strip(page, 1)).to_contain_text("/ 40")
    other = open_page(browser, lab, "lab/workspaces/other/tree/strip.ipynb?reset")
    expect(strip(other, 1)).to_contain_text(re.compile(r"/ 40|40 tasks"))
    page.reload()
    expect(strip(page, 1)).to_contain_text(re.compile(r"/ 40|40 tasks"), timeout=30_000)
    for window in (page, other):
        expect(strip(window, 1).locator(".gpc-CellStrip-line").get_by_text(SUMMARY)).to_be_visible()
    other.context.close()
    saved = json.loads((lab.directory / "root" / "strip.ipynb").read_text())
    assert "CellStrip" not in json.dumps(saved), "nothing of it is written into the notebook"
