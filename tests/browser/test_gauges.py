"""The gauges in the panel: real CPU workers, GPU workers on a fake NVML, simulated clusters of 8 and 1000."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from nvml.machine import gpu
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

from tests.fakes.cluster.process import simulated_cluster

from .axe import SCRIPT, violations
from .chromium import open_card, open_page, open_panel
from .lab import Lab, jupyter

pytestmark = pytest.mark.timeout(400)

CUDA_PYTHON = Path(os.environ.get("GPUCLUSTER_CUDA_PYTHON", Path(__file__).parents[2] / ".venv-cuda/bin/python"))
"""Environment with dask-cuda, for the one test that runs it."""


@pytest.fixture(scope="module")
def adaptive_theme(lab) -> None:
    """JupyterLab's theme follows the browser's."""
    settings = lab.directory / "settings" / "@jupyterlab" / "apputils-extension"
    (settings / "themes.jupyterlab-settings").write_text(json.dumps({"adaptive-theme": True}))


@pytest.fixture
def environment(lab) -> dict[str, str]:
    """Where a cluster has to start to be seen in the panel."""
    return {**os.environ, "GPUCLUSTER_DIR": str(lab.directory / "registry")}


@pytest.fixture(scope="module")
def heard() -> list[str]:
    """What our code complained about in the console."""
    return []


@pytest.fixture
def complaints(heard) -> Iterator[list[str]]:
    """Nothing is complained about while a test runs."""
    heard.clear()
    yield heard
    assert heard == []


@pytest.fixture(scope="module")
def shown(browser, lab, adaptive_theme, heard) -> tuple[Page, Locator]:
    """The page of all tests but that with GPUs, and the panel in it."""
    return show(browser, lab, heard)


@pytest.fixture
def page(shown, lab, complaints) -> Iterator[Page]:
    """The page, without clusters of other tests."""
    yield shown[0]
    for model in lab.control.list():
        lab.control.remove(model.id)
    expect(shown[1].get_by_role("button", name="Remove")).to_have_count(0)


@pytest.fixture
def panel(shown) -> Locator:
    return shown[1]


def show(browser: Browser, lab: Lab, heard: list[str], **options: object) -> tuple[Page, Locator]:
    """Open the panel in its own browser."""
    page = open_page(browser, lab, "lab/workspaces/gauges?reset", **options)

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and "extensions/gpucluster/" in message.location["url"]:
            heard.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: heard.append(f"{error}\n{error.stack}"))
    return page, open_panel(page)


def shifts(page: Page, panel: Locator) -> list[str]:
    """Watch ten samples under load, and return what has moved: the browser's own entries."""
    page.evaluate(
        """() => {
            window.moved = []
            const name = node => `${node?.parentElement?.className} > ${node?.className ?? node?.textContent}`
            new PerformanceObserver(list => list.getEntries().forEach(
                entry => window.moved.push(...entry.sources.map(({ node }) => name(node)))
            )).observe({ type: 'layout-shift' })
        }"""
    )
    gauges = panel.locator(".gpc-Gauges").first.element_handle()
    for _ in range(10):
        page.wait_for_function("([node, before]) => node.innerText !== before", arg=[gauges, gauges.inner_text()])
    moved: list[str] = page.evaluate("window.moved")
    return moved


def workers_of(panel: Locator) -> Locator:
    """Open the list of workers and return its rows."""
    open_card(panel)
    button = panel.get_by_role("button", name="Workers", exact=True)
    if button.get_attribute("aria-expanded") == "false":
        button.click()
    return panel.get_by_role("list", name="Workers").get_by_role("listitem")


def test_cpu_workers_have_what_they_measure_and_can_be_retired(page, panel, lab, wait_until):
    model = lab.control.create({"backend": "local", "n_workers": 2, "memory_limit": "1 GiB"})
    lab.control.wait(model.id)
    open_card(panel)
    meter = panel.locator(".gpc-GaugeSet").first.get_by_role("meter", name="Memory")
    expect(meter).to_have_attribute("aria-valuetext", re.compile(r"of 2 GiB; .*Unmanaged .* MiB.*Free"))
    expect(panel.get_by_text(re.compile(r"^[\d.]+ / \d+ cores$")).first).to_be_visible()
    expect(panel.get_by_role("meter", name="VRAM")).to_have_count(0)

    expect(panel.get_by_role("button", name="Scale", exact=True).first).to_be_enabled()
    rows = workers_of(panel)
    expect(rows).to_have_count(2)
    # By its name: where one worker came before the other, rows stand in that order in the document.
    rows.filter(has_text="Worker 1").click()
    panel.get_by_role("button", name="Retire Worker 1").click()
    expect(rows).to_have_count(1)
    # The figures of a worker end before the cluster says that it has left.
    wait_until(lambda: lab.control.get(model.id).n_workers == 1)
    lab.control.stop(model.id)


@pytest.mark.skipif(not CUDA_PYTHON.exists(), reason="needs an environment with dask-cuda: GPUCLUSTER_CUDA_PYTHON")
@pytest.mark.full
def test_gpu_workers_show_what_nvml_says_now(browser, machine, complaints):
    def fill(used: int, util: int) -> None:
        machine.write([gpu(1, total=16384, used=used, util=util), gpu(2, total=16384, used=1024, util=0)])

    fill(4096, 80)
    seen = {name: value for name, value in machine.environment().items() if name.startswith(("LD_", "FAKE_"))}
    with jupyter(**seen) as lab:
        command = [CUDA_PYTHON.with_name("gpucluster"), "create", "--backend", "cuda", "--n-workers", "2"]
        # The cluster has to see the GPUs as well as the server does.
        whole = machine.environment(GPUCLUSTER_DIR=str(lab.directory / "registry"))
        subprocess.run(command, env=whole, check=True, timeout=200)
        page, panel = show(browser, lab, complaints)
        total = panel.locator(".gpc-Gauges").get_by_role("meter", name="VRAM").first
        expect(total).to_have_attribute("aria-valuetext", re.compile("^5 GiB of 32 GiB"))
        row = workers_of(panel).filter(has=page.get_by_text("80 %")).first
        expect(row.get_by_role("meter", name="VRAM")).to_have_attribute(
            "aria-valuetext", re.compile("^4 GiB of 16 GiB")
        )
        expect(row).to_contain_text("GPU 0")
        fill(15360, 97)
        expect(total).to_have_attribute("aria-valuetext", re.compile("^16 GiB of 32 GiB"))
        expect(panel.get_by_role("img", name="Almost full").first).to_be_visible()
        page.context.close()


@pytest.mark.skipif(not SCRIPT.exists(), reason="needs axe-core: jlpm install")
@pytest.mark.full
def test_nobody_is_kept_out(page, panel, environment):
    options = ["--workers", "8", "--gpus", "--rmm", "mixed", "--lost", "1", "--past"]
    with simulated_cluster(*options, environment=environment):
        expect(workers_of(panel)).to_have_count(8)
        # Without the explanation of what the mouse may rest on since another test: it grows with its figures.
        page.mouse.move(900, 500)
        expect(page.get_by_role("tooltip")).to_have_count(0)
        # What has happened takes its place once.
        expect(panel.locator(".gpc-Trouble").first).to_contain_text("not readable")
        expect(panel.get_by_role("progressbar", name="Progress")).to_be_visible()
        assert shifts(page, panel) == [], "nothing jumps while figures change"
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            light = "true" if theme == "light" else "false"
            expect(page.locator("body")).to_have_attribute("data-jp-theme-light", light)
            legend = panel.get_by_role("button", name="Legend")
            legend.click()
            expect(panel.get_by_text("RMM pool, use unknown")).to_be_visible()
            assert violations(page, "#gpucluster-panel") == []
            legend.click()

            # The keyboard gets the explanations too, and can get rid of them.
            panel.locator(".gpc-GaugeSet").first.get_by_role("meter", name="VRAM").focus()
            page.keyboard.press("Shift+Tab")
            page.keyboard.press("Tab")
            tooltip = page.get_by_role("tooltip")
            expect(tooltip).to_contain_text("GPU memory.")
            assert violations(page, ".gpc-Tooltip") == []
            page.keyboard.press("Escape")
            expect(tooltip).to_have_count(0)

            panel.get_by_role("button", name="New cluster").click()
            form = panel.get_by_role("form", name="New cluster")
            expect(form).to_be_visible()
            panel.get_by_text("More options").click()
            assert violations(page, "#gpucluster-panel") == []
            form.get_by_role("button", name="Cancel").click()


@pytest.mark.full
def test_a_thousand_workers_are_seen_at_once_and_looked_at_one_by_one(page, panel, environment):
    with simulated_cluster("--workers", "1000", "--gpus", environment=environment):
        open_card(panel)
        cells = panel.get_by_role("slider", name="Workers")
        expect(cells).to_have_attribute("aria-valuemax", "1000")
        expect(cells).to_have_attribute("aria-valuetext", re.compile(r"^GPU 0 · node1: VRAM \d+ %$"))
        cells.focus()
        page.keyboard.press("End")
        expect(cells).to_have_attribute("aria-valuetext", re.compile(r"^GPU 7 · node125: VRAM \d+ %$"))
        page.keyboard.press("Enter")
        rows = panel.get_by_role("list", name="Workers").get_by_role("listitem")
        # 125 machines have a line each; that of the last one has unfolded, with its eight workers.
        last = rows.and_(panel.locator("[aria-posinset='133'][aria-setsize='133']"))
        expect(last).to_be_focused()
        expect(last).to_be_in_viewport()
        expect(panel.get_by_role("group", name="GPU 7 · node125")).to_contain_text("GPU-000003e7")
        assert rows.count() < 30
        page.keyboard.press("Home")
        first = rows.and_(panel.locator("[aria-posinset='1']"))
        expect(first.get_by_role("button", name="node1", exact=True)).to_be_focused()
        expect(first).to_be_in_viewport()
        assert rows.count() < 30


@pytest.mark.full
def test_thresholds_are_settings_that_apply_at_once(page, panel, environment):
    with simulated_cluster("--workers", "2", environment=environment):
        open_card(panel)
        meter = panel.get_by_role("meter", name="Memory").first
        expect(meter).to_have_attribute("aria-valuenow", re.compile(r"^[1-9]"))
        warnings = panel.get_by_role("img", name="Filling up")
        page.keyboard.press("Control+,")
        page.locator(".jp-PluginList").get_by_text("GPU clusters", exact=True).click()
        warn_at = page.locator("input[id$=warningPercent]")
        page.locator("input[id$=criticalPercent]").fill("100")
        warn_at.fill("1")
        expect(warnings.first).to_be_visible()
        warn_at.fill("0")
        expect(page.get_by_text("must be >= 1").first).to_be_visible()
        expect(warnings.first).to_be_visible()
