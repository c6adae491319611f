"""A hand that does what a person does in a browser, and counts it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page


@dataclass
class Hand:
    """Clicks and types on one page, from the first click of one task to what that task is about."""

    page: Page
    clicks: int = 0
    keys: int = 0
    seconds: float = 0.0
    _started: float | None = field(default=None, repr=False)

    def click(self, target: Locator) -> None:
        """Click once."""
        target.wait_for()
        self._begin()
        self.clicks += 1
        target.click()

    def press(self, key: str) -> None:
        """Press a key, or keys together, where the focus is."""
        self._begin()
        self.keys += 1
        self.page.keyboard.press(key)

    def see(self, shown: Callable[[], object]) -> None:
        """Wait for what the task is about. It takes no time if it is visible before the first click."""
        shown()
        self.seconds = 0.0 if self._started is None else time.perf_counter() - self._started

    def _begin(self) -> None:
        if self._started is None:
            self._started = time.perf_counter()
