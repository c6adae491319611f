"""Clicks and seconds of eight tasks in three extensions: ``python -m benchmarks.eighttasks --peers-python …``.

The environment of ``--peers-python`` has JupyterLab, dask-labextension and jupyterlab-nvdashboard. In one sitting, by
turns, gpucluster and the two others get a notebook with a running kernel and their panel in sight, in a real Chromium,
and do the tasks in their order. What happens between two tasks (tasks that compute, keep memory, fail) is typed into
the notebook and not counted. Seconds go from the first click to the result on the screen, without time to think.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from benchmarks.hand import Hand
from benchmarks.panels import TASKS, DaskPanel, GPUClusterPanel, NVDashboardPanel, Panel
from benchmarks.recording import record
from tests.browser.chromium import chromium, open_page
from tests.browser.lab import Lab, jupyter

BEFORE = {
    "load": "def spin(seconds):\n    import time\n    end = time.time() + seconds\n    while time.time() < end: pass\n"
    "\nfrom dask.distributed import wait\nspinning = client.map(spin, [2] * 4, pure=False)",
    "memory": "wait(spinning); del spinning\nkept = client.submit(bytearray, 300_000_000); wait(kept); print('kept')",
    "task stream": "del kept\nimport time\nshort = client.map(lambda i: time.sleep(0.05), range(300), pure=False)",
    "error": "wait(short); del short\nfailed = client.submit(lambda: 1 / 0); wait(failed); print('failed')",
    "stop": "del failed; print('released')",
}
"""What the notebook does before a task."""
READING_MS = 2000
"""Between what the notebook does and the next task: no user is faster, and figures come once a second or two."""
PATIENCE_MS = 30_000
EMPTY = {
    "cells": [{"cell_type": "code", "id": "a", "source": "", "metadata": {}, "outputs": [], "execution_count": None}],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def prepare(page: Page, name: str, code: str) -> None:
    """Run code in the last cell of the notebook, without counting."""
    page.get_by_role("tab", name=name).click()
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    cells.last.locator(".cm-content").click()
    page.keyboard.insert_text(code)
    done = page.locator(".jp-InputPrompt").get_by_text("[*]:")
    page.keyboard.press("Shift+Enter")
    expect(done).to_have_count(0)


def walk(browser: Browser, lab: Lab, panels: Sequence[Panel], number: int, pictures: Path | None) -> dict[str, Any]:
    """Do all tasks once on one page; the first of the panels has the clusters."""
    name = f"walk-{number}.ipynb"
    (lab.directory / "root" / name).write_text(json.dumps(EMPTY))
    page = open_page(browser, lab, f"lab/tree/{name}?reset")
    page.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    found: dict[str, Any] = {panel.name: {} for panel in panels}
    for task in TASKS:
        if code := BEFORE.get(task):
            prepare(page, name, code)
            page.wait_for_timeout(READING_MS)
        else:
            page.get_by_role("tab", name=name).click()
        for panel in panels:
            if task in panel.impossible:
                continue
            if not page.locator(f"#{panel.tab}").is_visible():
                page.locator(f'.jp-SideBar [data-id="{panel.tab}"]').click()
                page.wait_for_timeout(READING_MS)
            if task == "connect":
                page.locator(".jp-Notebook .jp-CodeCell").first.click()
            hand = Hand(page)
            panel.do(task, hand)
            found[panel.name][task] = {
                "clicks": hand.clicks, "keys": hand.keys, "seconds": round(hand.seconds, 3)
            }  # fmt: skip
            print(panel.name, task, found[panel.name][task], flush=True)
            if pictures is not None:
                page.screenshot(path=pictures / f"{panel.name}-{task}.png")
    page.context.close()
    lab.clear()
    return found


def summary(walks: Sequence[dict[str, Any]], panel: Panel) -> dict[str, Any]:
    """Return clicks, keys and the seconds of all walks for each task, or why it cannot be done."""
    rows: dict[str, Any] = {}
    for task in TASKS:
        if task in panel.impossible:
            rows[task] = {"not possible": panel.impossible[task]}
            continue
        done = [walked[panel.name][task] for walked in walks]
        seconds = [one["seconds"] for one in done]
        rows[task] = {
            "clicks": done[0]["clicks"],
            "keys": done[0]["keys"],
            "seconds": {"median": statistics.median(seconds), "values": seconds},
        }
    return rows


def table(tools: dict[str, dict[str, Any]]) -> str:
    """Return the same as a table for people: clicks + keys, and seconds."""

    def cell(row: dict[str, Any]) -> str:
        if "not possible" in row:
            return f"not possible: {row['not possible']}"
        keys = f" + {row['keys']} keys" if row["keys"] else ""
        return f"{row['clicks']}{keys}, {row['seconds']['median']:.2f} s"

    lines = [f"| task | {' | '.join(tools)} |", "|---" * (len(tools) + 1) + "|"]
    lines += [f"| {task} | {' | '.join(cell(rows[task]) for rows in tools.values())} |" for task in TASKS]
    return "\n".join(lines)


def versions(python: str, packages: Sequence[str]) -> dict[str, str]:
    """Return the versions of packages in another environment."""
    code = "import json, sys; from importlib.metadata import version; print(json.dumps([*map(version, sys.argv[1:])]))"
    answer: list[str] = json.loads(subprocess.check_output([python, "-c", code, *packages], text=True))
    return dict(zip(packages, answer, strict=True))


def main() -> None:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.eighttasks", description=__doc__)
    parser.add_argument("--peers-python", required=True, help="Python with the two other extensions.")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--pictures", type=Path, help="A folder for a picture after each task.")
    options = parser.parse_args()
    ours = [GPUClusterPanel()]
    peers: list[Panel] = [DaskPanel(), NVDashboardPanel()]
    with chromium() as browser, jupyter() as lab, jupyter(python=options.peers_python) as peers_lab:
        walks = [
            walk(browser, lab, ours, number, options.pictures)
            | walk(browser, peers_lab, peers, number, options.pictures)
            for number in range(options.repeats)
        ]
    tools = {panel.name: summary(walks, panel) for panel in [*ours, *peers]}
    figures = {
        "peers": versions(
            options.peers_python, ["dask-labextension", "jupyterlab-nvdashboard", "jupyterlab", "distributed"]
        ),
        "repeats": options.repeats,
        "tasks": tools,
    }
    record(figures, name="eighttasks", packages=["distributed", "jupyterlab"])
    print(table(tools))


if __name__ == "__main__":
    main()
