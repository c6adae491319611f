"""Sphinx builds the site without a warning, and it works in a browser without a network."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from gpucluster.lessons.building.source import slug_of
from gpucluster.lessons.catalogue import COURSE

from docs.website.pages import ROOT
from tests.browser.chromium import chromium, executable

TOOLS = ROOT / ".venv-docs"

pytestmark = [
    pytest.mark.processes,
    pytest.mark.timeout(600),
    pytest.mark.full,
    pytest.mark.skipif(not TOOLS.exists(), reason="needs what builds the site: make docs"),
]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("site")
    run = subprocess.run(
        [sys.executable, "-m", "docs.website", "--out", str(folder)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(TOOLS)}, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    yield folder / "html"


def test_every_page_is_built(site: Path) -> None:
    for name in (
        "index", "start", "hpc", "learn/cluster", "reference/cluster", "rest", "pictures", "glossary", "changelog",
    ):  # fmt: skip
        assert (site / f"{name}.html").exists()
    for lesson in COURSE.glob("*/lesson.py"):
        assert (site / "lessons" / f"{slug_of(lesson.parent)}.html").exists()
    assert "adjusted Rand index" in (site / "lessons" / "words.html").read_text()
    assert "k-means step 0: random init: 06" in (site / "lessons" / "coverage.html").read_text()
    assert "Partition that the jobs wait in" in (site / "command-line.html").read_text()
    page = (site / "lessons" / "07-pca.html").read_text()
    assert "<math" in page
    assert "<img" in page


def test_the_list_for_assistants_leads_to_pages(site: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)$", (site / "llms.txt").read_text(), re.MULTILINE)
    assert {"start.html", "command-line.html"} <= set(links)
    assert [link for link in links if not (site / link).is_file()] == []


@pytest.mark.skipif(executable() is None, reason="needs Chromium: make chromium")
def test_search_finds_without_a_network(site: Path) -> None:
    asked = []
    with chromium() as browser:
        page = browser.new_context(offline=True, color_scheme="dark", viewport={"width": 480, "height": 900}).new_page()
        page.on("request", lambda request: asked.append(request.url))
        said = []
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        page.goto(f"{site.as_uri()}/search.html?q=kmeans")
        page.locator("#search-results a", has_text="gpucluster.learn.KMeans").first.wait_for()
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        for name in ("index.html", "lessons/06-kmeans.html", "reference/cluster.html", "rest.html"):
            page.goto(f"{site.as_uri()}/{name}")
            assert page.evaluate("document.documentElement.scrollWidth") <= 480
    assert said == []
    assert not [address for address in asked if not address.startswith(("file:", "data:"))]
