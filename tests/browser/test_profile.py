"""``%%gpucluster profile`` in JupyterLab: a timeline that can be zoomed, both themes, a picture after a reload."""

import json

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from playwright.sync_api import Browser, Page, expect

from .chromium import open_page
from .conftest import ARTIFACTS
from .lab import Lab

pytestmark = pytest.mark.timeout(400)

CODE = """%%gpucluster profile
import time
done = client.gather(client.map(lambda seconds: time.sleep(seconds) or bytes(3_000_000), [0.1] * 12, pure=False))"""
TINY = "len(client.gather(client.map(lambda number: number + 1, range(2_000))))"
CELLS = ["%load_ext gpucluster\n%gpucluster create --backend local --n-workers 2 --name profiled --connect", CODE, TINY]
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


COLOURS = """() => {
  const report = document.querySelector(".gpucluster-profile");
  const colour = name => {
    const probe = document.createElement("span");
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
  const theme = colour("--jp-content-font-color1");
  const texts = new Set([...report.querySelectorAll("div, b, i, th, td")]
    .filter(node => node.checkVisibility() && node.childNodes.length && !node.closest("[id$=-live]"))
    .map(node => getComputedStyle(node).color));
  const painted = new Set();
  for (const view of Object.values(Bokeh.index.roots ?? [...Bokeh.index])) {
    for (const model of view.model.references()) {
      for (const name of ["major_label_text_color", "axis_label_text_color", "label_text_color"]) {
        if (name in model) { painted.add(model[name]?.value ?? model[name]); }
      }
    }
  }
  const hex = "#" + theme.match(/[0-9]+/g).slice(0, 3).map(part => Number(part).toString(16).padStart(2, "0")).join("");
  return { theme, tables: colour("--jp-ui-font-color1"), hex, texts: [...texts], painted: [...painted] };
}"""
"""What colour the theme gives to text, what the report's text has, and with what Bokeh paints."""


def choose(page: Page, theme: str) -> None:
    page.get_by_text("Settings", exact=True).click()
    page.get_by_text("Theme", exact=True).hover()
    page.get_by_text(f"JupyterLab {theme}", exact=True).click()
    expect(page.locator(f"body[data-jp-theme-name='JupyterLab {theme}']")).to_have_count(1)


def expect_colours(page: Page) -> str:
    """Wait until all text has the theme's colour, and return that."""
    page.wait_for_function(f"() => {{ const {{ hex, painted }} = ({COLOURS})(); return painted.join() === hex; }}")
    found = page.evaluate(COLOURS)
    assert set(found["texts"]) == {found["theme"], found["tables"]}
    return str(found["theme"])


def test_the_timeline(browser: Browser, lab: Lab) -> None:
    (lab.directory / "root" / "Profile.ipynb").write_text(json.dumps(NOTEBOOK))
    page = open_page(browser, lab, "lab/tree/Profile.ipynb?reset")
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.locator(".jp-Notebook .cm-content").first.wait_for()
    expect(page.get_by_text("| Idle")).to_be_visible(timeout=120_000)  # a kernel that starts forgets what was asked
    button = page.locator(".jp-Toolbar jp-button[data-command='gpucluster:profile-cell']")
    expect(button).to_be_hidden()  # nothing to measure yet
    page.locator(".jp-Notebook .cm-content").first.click()
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    reports = page.locator(".gpucluster-profile")
    expect(reports).to_have_count(1, timeout=240_000)
    page.locator(".jp-Notebook .cm-content", has_text="range(2_000)").click()
    button.click()
    expect(reports).to_have_count(2, timeout=240_000)
    expect(page.locator(".jp-Notebook .cm-content", has_text="range(2_000)")).to_contain_text("%%gpucluster profile")
    live = page.locator("[id$=-live] .bk-Figure, [id$=-live] .bk-GridPlot")
    expect(live.first).to_be_visible(timeout=60_000)
    expect(page.locator(".gpucluster-timeline")).to_have_count(0, timeout=60_000)  # both pictures are replaced
    expect(reports.nth(1)).to_contain_text("2,000 tasks")
    ARTIFACTS.mkdir(exist_ok=True)
    seen = []
    for theme in ("Dark", "Light"):
        choose(page, theme)
        seen.append(expect_colours(page))
        for number in range(2):
            reports.nth(number).scroll_into_view_if_needed()
            page.wait_for_timeout(500)  # Bokeh paints in its own frame
            reports.nth(number).screenshot(path=ARTIFACTS / f"profile-{theme.lower()}-{number}.png")
    assert seen[0] != seen[1]
    assert faults == []

    # The saved page has no BokehJS, but a picture for later readers.
    page.keyboard.press("Control+s")
    saved = lab.directory / "root" / "Profile.ipynb"

    def outputs() -> list[str]:
        text = saved.read_text()
        if not text:  # read in the moment in which it is written
            return []
        cells = json.loads(text)["cells"]
        found = [output["data"]["text/html"] for cell in cells for output in cell["outputs"] if "data" in output
                 and "text/html" in output["data"]]  # fmt: skip
        return ["".join(text) for text in found if "gpucluster-profile" in "".join(text)]

    for _ in range(100):
        if len(outputs()) == 2:
            break
        page.wait_for_timeout(100)
    assert all("<svg" in text and len(text) < 1_000_000 for text in outputs()) and len(outputs()) == 2
    page.reload()
    page.locator(".jp-Notebook .cm-content").first.wait_for()
    expect(page.locator(".gpucluster-profile svg").first).to_be_visible(timeout=60_000)
    page.locator(".gpucluster-profile").first.screenshot(path=ARTIFACTS / "profile-saved.png")
    page.context.close()
