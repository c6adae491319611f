"""README's first five minutes, counted: ``make lab``, then ``python -m benchmarks.firstminutes ADDRESS``.

ADDRESS is what ``make lab`` has printed, with its token. Clicks, keys and seconds go to the first result that workers
have computed, in the open lesson and in a new notebook; time to read and think does not count.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from playwright.sync_api import Page, expect

from benchmarks.hand import Hand
from benchmarks.recording import record
from tests.browser.chromium import chromium

COMPUTATION = "client.submit(lambda x: x + 1, 41).result()"


def create(hand: Hand) -> None:
    """Step 1: open the panel, Quick start."""
    page = hand.page
    panel = page.locator("#gpucluster-panel")
    hand.click(page.locator('.jp-SideBar [data-id="gpucluster-panel"]'))
    hand.click(panel.get_by_role("button", name="Quick start"))
    expect(panel.get_by_role("status").first).to_have_text("Running")


def compute_in_lesson(hand: Hand) -> None:
    """Step 2: run the first cells of the lesson, up to the first that uses the workers."""
    cells = hand.page.locator(".jp-Notebook .jp-CodeCell")
    asking = cells.filter(has_text="processes_of(lab.cluster").last
    hand.click(cells.first.locator(".cm-content"))
    while asking.locator(".jp-InputPrompt").inner_text().strip() == "[ ]:":
        hand.press("Shift+Enter")
        hand.page.wait_for_timeout(100)
    hand.see(asking.locator(".jp-OutputArea-output").first.wait_for)


def compute_in_notebook(hand: Hand) -> None:
    """Step 2, in any other notebook: Connect, and the last of the three lines."""
    page = hand.page
    hand.click(page.locator("#jp-main-dock-panel .lm-TabBar-addButton").first)
    hand.click(page.locator(".jp-LauncherCard[title^='Python 3']:visible").first)
    notebook = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
    notebook.locator(".jp-Cell").first.wait_for()
    hand.click(page.locator("#gpucluster-panel").get_by_role("button", name="Connect"))
    notebook.get_by_text("Connected to").first.wait_for()
    hand.click(notebook.locator(".jp-CodeCell .cm-content").last)
    page.keyboard.insert_text(COMPUTATION)
    hand.keys += len(COMPUTATION)
    hand.press("Shift+Enter")
    hand.see(notebook.locator(".jp-OutputArea-output").get_by_text("42", exact=True).wait_for)


def walk(page: Page, pictures: Path | None) -> dict[str, dict[str, float]]:
    """Return what each way has cost, with what comes before."""
    found: dict[str, dict[str, float]] = {}
    lesson = Hand(page)
    create(lesson)
    compute_in_lesson(lesson)
    own = Hand(page)
    compute_in_notebook(own)
    for name, hand in (("lesson", lesson), ("new notebook, afterwards", own)):
        found[name] = {"clicks": hand.clicks, "keys": hand.keys, "seconds": round(hand.seconds, 2)}
    if pictures is not None:
        page.screenshot(path=pictures / "first-minutes.png")
    return found


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.firstminutes", description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--pictures", type=Path, help="A folder for a picture of the end.")
    options = parser.parse_args()
    with chromium() as browser:
        page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
        page.goto(options.address)
        page.locator("#jupyterlab-splash").wait_for(state="detached")
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        if options.pictures is not None:
            page.screenshot(path=options.pictures / "first-sight.png")
        found = walk(page, options.pictures)
    record({"first computation": found}, name="firstminutes", packages=["jupyterlab"])


if __name__ == "__main__":
    main()
