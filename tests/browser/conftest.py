"""One browser for all files of this folder, and one JupyterLab for those that need no other options.

Each file finds them as if they had just started. They end with the last file of the folder that a process tests without
one of another folder between them: ``tests/suite/running.py`` keeps the files together.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .lab import Lab, jupyter

sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))

from nvml.fixtures import fake_libraries, machine  # noqa: E402, F401

ARTIFACTS = Path(__file__).parent / "artifacts"


@pytest.fixture(scope="package")
def shared_lab() -> Iterator[Lab]:
    """The JupyterLab of all files that need no other options."""
    with jupyter() as running:
        yield running


@pytest.fixture(scope="module")
def lab(shared_lab: Lab, shared_browser: Any) -> Iterator[Lab]:
    """A JupyterLab as it is at its start: no clusters, no notebooks, no settings."""
    yield shared_lab
    close_pages(shared_browser)
    shared_lab.clear()


@pytest.fixture(scope="package")
def shared_browser() -> Iterator[Any]:
    """The distribution's Chromium, for all files."""
    pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")
    from .chromium import chromium, executable

    if executable() is None:
        pytest.skip("needs Chromium: apt-get install chromium-headless-shell")
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def browser(shared_browser: Any) -> Iterator[Any]:
    yield shared_browser
    close_pages(shared_browser)


def close_pages(browser: Any) -> None:
    for context in browser.contexts:
        context.close()


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
