"""One JupyterLab and one browser for all tests of a module."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .lab import Lab, jupyter

sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))

from nvml.fixtures import fake_libraries, machine  # noqa: E402, F401

ARTIFACTS = Path(__file__).parent / "artifacts"


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A JupyterLab without clusters."""
    with jupyter() as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The distribution's Chromium."""
    pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")
    from .chromium import chromium, executable

    if executable() is None:
        pytest.skip("needs Chromium: apt-get install chromium-headless-shell")
    with chromium() as running:
        yield running


@pytest.fixture(autouse=True)
def picture_of_failure(request: pytest.FixtureRequest, browser: Any) -> Iterator[None]:
    """Leave a picture of each page that is open when a test fails."""
    failed = request.session.testsfailed
    yield
    if request.session.testsfailed > failed:
        ARTIFACTS.mkdir(exist_ok=True)
        pages = [page for context in browser.contexts for page in context.pages]
        for number, page in enumerate(pages):
            page.screenshot(path=ARTIFACTS / f"{request.node.name}-{number}.png")
