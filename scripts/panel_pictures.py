"""Pictures of a page: the panel at three widths and in both themes, side by side, and what axe finds there."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from playwright.sync_api import Browser, Locator, Page, ViewportSize

from tests.browser.axe import violations
from tests.browser.chromium import open_panel, resize_panel
from tests.browser.lab import Lab
from tests.fakes.nvml.machine import FakeMachine

Theme: TypeAlias = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
WIDTHS = (245, 320, 480)
WINDOW: ViewportSize = {"width": 1280, "height": 1150}
WINDOWS = (760, 1280)
"""Widths of the page for what stands in the middle of it."""
NARROW = ":root { --jp-sidebar-min-width: 240px !important }"
"""JupyterLab makes no sidebar narrower than 250 pixels; Notebook and older versions do."""


@dataclass
class Pictures:
    """Takes pictures of one page, and keeps what is wrong with it for assistive technology."""

    browser: Browser
    lab: Lab
    machine: FakeMachine
    page: Page
    folder: Path
    only: set[str]
    variables: dict[str, str] = field(default_factory=dict)
    """That clusters get besides."""
    findings: list[str] = field(default_factory=list)
    panel: Locator = field(init=False)

    def __post_init__(self) -> None:
        """Show the panel."""
        self.page.set_viewport_size(WINDOW)
        self._show()

    @property
    def environment(self) -> dict[str, str]:
        """Where a cluster has to start to be seen."""
        return {**os.environ, **self.variables, "GPUCLUSTER_DIR": str(self.lab.directory / "registry")}

    def forget_ended(self) -> None:
        """Take what has ended off the list."""
        for model in self.lab.control.list():
            self.lab.control.remove(model.id)

    def reopen(self) -> None:
        """Begin anew, with nothing unfolded by anybody."""
        self.page.goto(self.lab.page("lab?reset"))
        self._show()

    def _show(self) -> None:
        self.page.add_style_tag(content=NARROW)
        self.panel = open_panel(self.page)

    def wants(self, *names: str) -> bool:
        """Return whether any of these pictures is asked for."""
        return not self.only or not self.only.isdisjoint(names)

    def take(self, name: str) -> None:
        """Take the panel at each width, in each theme."""
        if not self.wants(name):
            return
        parts = []
        for theme in THEMES:
            self._choose(theme)
            for width in WIDTHS:
                resize_panel(self.page, width)
                self._settle()
                box = self.panel.bounding_box()
                assert box is not None and abs(box["width"] - width) <= 1, f"the panel is {box} and not {width} wide"
                parts.append((width, self.panel.screenshot()))
            self._check(name, theme, "#gpucluster-panel")
        self._put_together(name, parts)
        self._choose("light")

    def take_middle(self, name: str, selector: str) -> None:
        """Take what stands beside or above the panel, in a narrow and in a wide window."""
        if not self.wants(name):
            return
        parts = []
        for theme in THEMES:
            self._choose(theme)
            for width in WINDOWS:
                self.page.set_viewport_size({"width": width, "height": WINDOW["height"]})
                self._settle()
                shown = self.page.locator(selector)
                box = shown.bounding_box()
                assert box is not None
                parts.append((round(box["width"]), shown.screenshot()))
            self._check(name, theme, selector)
        self._put_together(name, parts)
        self._choose("light")
        self.page.set_viewport_size(WINDOW)

    def _choose(self, theme: Theme) -> None:
        self.page.emulate_media(color_scheme=theme)
        light = "true" if theme == "light" else "false"
        self.page.locator(f'body[data-jp-theme-light="{light}"]').wait_for(state="attached")
        # Everything is laid out anew once the theme's styles are there, which nobody tells.
        self.page.wait_for_timeout(1000)

    def _settle(self) -> None:
        # Gauges are drawn in the next frame, and bars move for 0.3 seconds.
        self.page.wait_for_timeout(450)

    def _check(self, name: str, theme: str, selector: str) -> None:
        self.findings += [f"{name}, {theme}: {one}" for one in violations(self.page, selector)]

    def _put_together(self, name: str, parts: list[tuple[int, bytes]]) -> None:
        images = "".join(
            f'<img width="{width}" src="data:image/png;base64,{base64.b64encode(png).decode()}">'
            for width, png in parts
        )
        style = "body{margin:8px;display:flex;gap:8px;align-items:start;background:#888}"
        size: ViewportSize = {"width": sum(width for width, _ in parts) + 8 * (len(parts) + 1), "height": 300}
        sheet = self.browser.new_page(viewport=size)
        sheet.set_content(f"<style>{style}</style>{images}")
        self.folder.mkdir(parents=True, exist_ok=True)
        sheet.screenshot(path=self.folder / f"{name}.png", full_page=True)
        sheet.close()
        print(name, flush=True)
