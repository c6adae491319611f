"""Take a picture of each state of the panel, at three widths and in both themes: ``make screenshots``.

The pictures are to be looked at, one by one: no program compares them. Each shows one state six times. The states are
those of ``tests/labextension/states.tsx``, drawn from models; what the form, the lessons and the recordings offer is
asked of a Jupyter server once. axe looks too: what it calls serious or critical in any state is listed at the end, and
the program fails. ``panel_states.py four thirty`` takes these two only.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page

from tests.browser.axe import violations
from tests.browser.chromium import chromium
from tests.browser.lab import Lab, jupyter

FOLDER = ROOT / ".build" / "panel"
THEMES = ("light", "dark")
WIDTHS = (245, 300, 420)
DIALOG_WIDTHS = (245, 620, 900)
"""Of the whole page, for what stands above it."""
HEIGHT = 720
NOW = "2026-01-01T12:00:00Z"
"""As in the models."""
SITE = """
presets: [gpu-hour, leonardo-booster]
defaults: {slurm: {account: my_project, partition: boost_usr_prod}}
costs: {all: {unit: node-hours, per_gpu_hour: 0.25}}
"""
STYLES = (
    "@lumino/widgets/style/index.css",
    *(f"@jupyterlab/{name}/style/base.css" for name in ("ui-components", "apputils", "application")),
)
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Panel</title>
<link rel="stylesheet" href="lab.css"><link rel="stylesheet" href="theme-{theme}.css">
<link rel="stylesheet" href="panel.css">
<style>body {{ margin: 0; background: var(--jp-layout-color1) }} body > div:first-child {{ min-height: 40px }}</style>
</head><body data-jp-theme-light="{light}" data-jp-theme-name="{theme}"><main></main>
<script src="states.js"></script></body></html>"""


def build() -> None:
    """Bundle the states, and write the page of each theme beside them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    esbuild = [str(ROOT / "node_modules" / ".bin" / "esbuild"), "--bundle", "--log-level=error"]
    assets = ["--loader:.svg=dataurl", "--loader:.png=dataurl", "--loader:.woff=empty", "--loader:.woff2=empty"]
    options = [*assets, "--tsconfig=labextension/tsconfig.json", "--define:process.env={}", "--define:global=window"]

    def run(*arguments: str) -> None:
        subprocess.run([*esbuild, *arguments], cwd=ROOT, check=True)

    run("tests/labextension/states.tsx", f"--outfile={FOLDER / 'states.js'}", *options)
    run("labextension/style/index.css", f"--outfile={FOLDER / 'panel.css'}", *assets)
    sheet = FOLDER / "lab.in.css"
    sheet.write_text("".join(f'@import "{ROOT}/node_modules/{name}";\n' for name in STYLES))
    run(str(sheet), f"--outfile={FOLDER / 'lab.css'}", "--external:~*", *assets)
    for theme in THEMES:
        themes = Path(sys.prefix) / "share" / "jupyter" / "lab" / "themes" / "@jupyterlab"
        (FOLDER / f"theme-{theme}.css").write_text((themes / f"theme-{theme}-extension" / "index.css").read_text())
        (FOLDER / f"{theme}.html").write_text(PAGE.format(theme=theme, light=str(theme == "light").lower()))


def served() -> dict[str, Any]:
    """Return what a server offers: kinds, presets, lessons and recordings."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site.yaml"
        site.write_text(SITE)
        site.chmod(0o644)
        with jupyter(GPUCLUSTER_SITE=str(site)) as lab:
            answers: dict[str, Any] = {}
            for path in ("schema", "presets", "recordings"):
                answers |= ask(lab, path)
            return {**answers, "lessons": ask(lab, "lessons")}


def ask(lab: Lab, path: str) -> dict[str, Any]:
    """Return an answer of the REST API."""
    headers = {"Authorization": f"token {lab.token}"}
    request = urllib.request.Request(f"{lab.url}/gpucluster/api/{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        content: dict[str, Any] = json.loads(answer.read())
        return content


def open_pages(browser: Browser, offered: dict[str, Any]) -> dict[tuple[str, int], Page]:
    """Open a page of each theme and width."""
    pages = {}
    for theme in THEMES:
        for width in WIDTHS:
            page = browser.new_page(viewport={"width": width, "height": HEIGHT}, reduced_motion="reduce")
            page.on("pageerror", lambda error: print(f"{error}\n{error.stack}", file=sys.stderr))
            page.clock.set_fixed_time(NOW)
            page.goto((FOLDER / f"{theme}.html").as_uri())
            page.evaluate("served => { window.served = served }", offered)
            pages[theme, width] = page
    return pages


def put_together(browser: Browser, name: str, parts: list[tuple[int, bytes]]) -> None:
    """Write one picture of all parts."""
    images = "".join(
        f'<img width="{width}" src="data:image/png;base64,{base64.b64encode(png).decode()}">' for width, png in parts
    )
    style = "body{margin:8px;display:flex;gap:8px;align-items:start;background:#888}"
    width = sum(width for width, _ in parts) + 8 * (len(parts) + 1)
    sheet = browser.new_page(viewport={"width": width, "height": 300})
    sheet.set_content(f"<style>{style}</style>{images}")
    sheet.screenshot(path=FOLDER / f"{name}.png", full_page=True)
    sheet.close()
    print(name, flush=True)


def main(only: list[str]) -> None:
    """Take the pictures that are asked for, or all."""
    build()
    findings = []
    with chromium() as browser:
        pages = open_pages(browser, served())
        names: list[str] = next(iter(pages.values())).evaluate("window.states")
        if unknown := set(only).difference(names):
            sys.exit(f"No state {', '.join(sorted(unknown))}. There are: {', '.join(names)}.")
        dialogs: list[str] = next(iter(pages.values())).evaluate("window.dialogs")
        for name in only or names:
            for (_, width), page in pages.items():
                shown = DIALOG_WIDTHS[WIDTHS.index(width)] if name in dialogs else width
                page.set_viewport_size({"width": shown, "height": HEIGHT})
                page.evaluate("name => { window.shown = window.show(name) }", name)
            parts = []
            for (theme, width), page in pages.items():
                page.evaluate("window.shown")
                assert page.viewport_size is not None
                parts.append((page.viewport_size["width"], page.screenshot(full_page=True)))
                if width == WIDTHS[0]:
                    findings += [f"{name}, {theme}: {one}" for one in violations(page, "body")]
            put_together(browser, name, parts)
    if findings:
        sys.exit("\n".join(["What axe finds:", *findings]))


if __name__ == "__main__":
    main(sys.argv[1:])
