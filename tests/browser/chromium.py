"""The distribution's Chromium, driven by Playwright; nothing is downloaded."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from .lab import Lab

PATIENCE_MS = 90_000
"""How long to wait for what must happen: long, so that a slow machine fails no test."""


PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The shell is the same browser without windows and profiles, which a page costs two thirds of the processors' time."""


def executable() -> str | None:
    """Return where Chromium is, if it is installed."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable(),
            args=[
                "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
                "--disable-background-networking", "--disable-component-update",
            ],
        )  # fmt: skip
        try:
            yield browser
        finally:
            browser.close()


def open_page(browser: Browser, lab: Lab, path: str = "lab?reset", *, height: int = 860, **options: Any) -> Page:
    """Open Jupyter in its own browser session."""
    page = browser.new_context(viewport={"width": 1280, "height": height}, **options).new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(lab.page(path))
    return page


def open_panel(page: Page) -> Locator:
    """Show our panel, if another one is shown, and return it."""
    panel = page.locator("#gpucluster-panel")
    tab = page.locator('.jp-SideBar [data-id="gpucluster-panel"]')
    tab.wait_for()
    # The layout is restored after the tab has appeared, and that may show or hide panels.
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    page.locator("#jp-main-dock-panel .lm-DockPanel-widget:not(.lm-mod-hidden)").first.wait_for()
    if not panel.is_visible():
        tab.click()
    panel.wait_for()
    return panel


def open_panel_in_notebook(page: Page) -> Locator:
    """Show our panel in Notebook 7, which has no tabs for it, and return it."""
    panel = page.locator("#gpucluster-panel")
    # Until the kernel is there, Notebook may still be arranging its sidebars, and closes what was opened.
    page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for()
    if not panel.is_visible():
        page.get_by_role("menuitem", name="View").click()
        labels = page.locator(".lm-Menu-itemLabel")
        labels.filter(has_text=re.compile("^Left Sidebar$")).hover()
        labels.filter(has_text=re.compile("^Show GPU clusters$")).click()
    panel.wait_for()
    return panel


def open_lessons(panel: Locator) -> Locator:
    """Show the tab of the lessons by the line in our panel, and return it."""
    panel.get_by_role("button", name=re.compile(r"^(Lessons: )?\d+ of \d+ exercises$")).click()
    lessons = panel.page.locator("#gpucluster-lessons-panel")
    lessons.wait_for()
    return lessons


def card_of(page: Page, name: str) -> Locator:
    """Return the card of a cluster, folded or not."""
    return page.get_by_role("listitem", name=name, exact=True)


def state_of(card: Locator) -> Locator:
    """Return what a card shows about the state of its cluster."""
    return card.get_by_role("status").first


def open_card(panel: Locator, name: str | None = None) -> Locator:
    """Unfold the card of a cluster, or the only one, and return it: what was made elsewhere is folded at first."""
    cards = panel.locator(".gpc-ClusterCard")
    card = cards if name is None else cards.filter(has=panel.page.get_by_role("heading", name=name, exact=True)).first
    toggle = card.locator(".gpc-ClusterCard-toggle")
    toggle.wait_for()
    if toggle.get_attribute("aria-expanded") == "false":
        toggle.click()
    return card


def choose_action(card: Locator, label: str) -> None:
    """Choose from the card's menu of what is done rarely."""
    card.get_by_role("button", name="More actions").click()
    card.page.get_by_role("menuitem", name=label).click()


def choose_command(page: Page, label: str) -> None:
    page.keyboard.press("Control+Shift+c")
    page.locator(".lm-CommandPalette-input").fill(label)
    # An exact match: JupyterLab has commands with the same beginning.
    label_of_it = page.locator(".lm-CommandPalette-itemLabel").get_by_text(label, exact=True)
    item = page.locator(".lm-CommandPalette-item").filter(has=label_of_it).first
    expect(item).to_be_visible()
    item.click()


def resize_panel(page: Page, width: int) -> None:
    """Give the sidebar with our panel that many pixels, with the mouse."""
    panel = page.locator("#gpucluster-panel").bounding_box()
    handle = page.locator("#jp-main-split-panel > .lm-SplitPanel-handle").first.bounding_box()
    assert panel is not None
    assert handle is not None
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + 200
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + width - panel["width"], y, steps=4)
    page.mouse.up()
    # Nothing of the panel shows what it shows under a mouse.
    page.mouse.move(1000, y)
