"""Use the wheel in other releases of JupyterLab, Notebook and Python, in a browser, for the table of docs/install.md.

``scripts/try_installs.py lab-4.2.0 notebook-7.4 python3.12 binder``: each makes an environment in ``.build/installs``.
A release of JupyterLab or Notebook lies over the packages of ``.venv``; another Python gets everything from the index;
``binder`` is what repo2docker makes of the files in ``binder``, below the path of a hub. ``--wheel`` names a wheel;
without it, ``dist`` must hold one (``make build``). With ``--check`` the page is left alone, and the status tells
whether everything worked.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Locator, Page, expect
from try_systems import write

from tests.browser.chromium import (
    card_of,
    choose_action,
    chromium,
    open_card,
    open_lessons,
    open_page,
    open_panel,
    open_panel_in_notebook,
    state_of,
)
from tests.browser.lab import Lab, jupyter
from tests.browser.test_notebook import EMPTY

BUILD = ROOT / ".build" / "installs"
OLDEST_SERVER = "2.13.*"
"""Which is what the oldest releases of JupyterLab and Notebook run on here."""
OLDEST = {"lab-4.2.0", "notebook-7.2.0"}
DEFAULT = [
    "lab-4.2.0", "lab-4.3", "lab-4.4", "lab-4.5", "lab-4.6", "notebook-7.2.0", "notebook-7.3", "notebook-7.4",
    "notebook-7.5", "notebook-7.6",
]  # fmt: skip
PATIENCE_MS = 60_000


class Place(NamedTuple):
    """Where the actions happen."""

    app: str
    lab: Lab
    page: Page

    @property
    def panel(self) -> Locator:
        return self.page.locator("#gpucluster-panel")

    @property
    def card(self) -> Locator:
        return card_of(self.page, "blue")

    def show_panel(self) -> Locator:
        return open_panel(self.page) if self.app == "lab" else open_panel_in_notebook(self.page)

    def cell(self, number: int, code: str) -> Locator:
        """Run code in a cell and return its output."""
        cell = self.page.locator(".jp-Notebook .jp-CodeCell").nth(number)
        cell.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(code)
        self.page.keyboard.press("Shift+Enter")
        return cell.locator(".jp-OutputArea-output")


Action = Callable[[Place], None]
ACTIONS: list[tuple[str, Action]] = []


def action(name: str) -> Callable[[Action], Action]:
    """Add an action; they run in this order, each after the one before."""

    def add(function: Action) -> Action:
        ACTIONS.append((name, function))
        return function

    return add


@action("panel")
def _(place: Place) -> None:
    expect(place.show_panel().get_by_text("No clusters yet.")).to_be_visible()


@action("quick start")
def _(place: Place) -> None:
    place.panel.get_by_role("button", name="Quick start").click()
    expect(state_of(open_card(place.panel))).to_have_text("Running")


@action("gauges")
def _(place: Place) -> None:
    card = open_card(place.panel)
    expect(card.get_by_role("meter", name="Memory").first).to_be_visible()
    card.get_by_role("button", name="Stop", exact=True).click()
    card.get_by_role("button", name="Remove").click()
    expect(card).to_have_count(0)


@action("form")
def _(place: Place) -> None:
    place.panel.get_by_role("button", name="New cluster").click()
    form = place.page.get_by_role("form", name="New cluster")
    form.get_by_label("Where", exact=True).select_option("This machine")
    form.get_by_label("Hardware", exact=True).select_option("CPU")
    form.get_by_label("Name", exact=True).fill("blue")
    form.get_by_label("Workers", exact=True).fill("1")
    form.get_by_role("button", name="Create").click()
    expect(state_of(place.card)).to_have_text("Running")


@action("connect")
def _(place: Place) -> None:
    place.card.get_by_role("button", name="Connect Lesson").click()
    output = place.page.locator(".jp-Notebook .jp-OutputArea-output")
    expect(output.filter(has_text="Connected to blue").first).to_be_visible()
    expect(place.card.get_by_role("button", name="Connected ✓")).to_be_disabled()


@action("chip")
def _(place: Place) -> None:
    chip = place.page.get_by_role("button", name="This notebook uses the cluster blue")
    chip.click()
    # Older releases give it no role for being checked.
    item = place.page.locator(".lm-Menu-item", has_text="Connected to blue")
    expect(item).to_have_class(re.compile("lm-mod-toggled"))
    place.page.keyboard.press("Escape")


@action("compute")
def _(place: Place) -> None:
    output = place.cell(1, "sum(client.gather(client.map(lambda x: x * x, range(10))))")
    expect(output.first).to_contain_text("285")


@action("widget")
def _(place: Place) -> None:
    place.cell(2, "import gpucluster; gpucluster.connect('blue')")
    live = place.page.locator(".jp-Notebook .jp-CodeCell").nth(2).locator(".gpc-Widget")
    expect(live.get_by_text(re.compile("running")).last).to_be_visible()


@action("scale")
def _(place: Place) -> None:
    place.card.get_by_role("button", name="Scale", exact=True).click()
    editor = place.card.get_by_role("form", name="Scale blue")
    editor.get_by_label("Workers", exact=True).fill("2")
    editor.get_by_role("button", name="Apply").click()
    expect(place.card.get_by_text(re.compile("^2 CPU workers · up"))).to_be_visible()


@action("log")
def _(place: Place) -> None:
    choose_action(place.card, "Log")
    expect(place.page.get_by_role("log")).to_contain_text("distributed.scheduler")
    expect(place.page.get_by_role("log")).to_be_in_viewport(ratio=0.1)


@action("dashboard")
def _(place: Place) -> None:
    place.card.get_by_role("button", name="Dashboard", exact=True).click()
    # Drawn by what comes through the proxied WebSocket.
    place.page.frame_locator(".gpc-DashboardView iframe").locator(".bk-Figure").first.wait_for()
    expect(place.page.locator(".gpc-DashboardView")).to_be_in_viewport(ratio=0.1)


@action("activity")
def _(place: Place) -> None:
    choose_action(place.card, "Activity")
    expect(place.page.locator("[id^=gpucluster-activity-]")).to_be_in_viewport(ratio=0.1)


@action("menu")
def _(place: Place) -> None:
    place.page.get_by_role("menuitem", name="GPU Clusters", exact=True).click()
    expect(place.page.get_by_role("menuitem", name="New Cluster…")).to_be_visible()
    place.page.keyboard.press("Escape")


@action("copy lessons")
def _(place: Place) -> None:
    copy = open_lessons(place.panel).get_by_role("button", name="Copy all lessons")
    copy.click()
    folder = place.lab.directory / "root" / "gpucluster-lessons"
    expect(copy).to_have_count(0)
    if not list(folder.rglob("*.ipynb")):
        raise AssertionError(f"no notebook in {folder}")


@action("open lesson")
def _(place: Place) -> None:
    button = place.page.locator("#gpucluster-lessons-panel").get_by_title("Open lesson 00")
    if place.app == "lab":
        button.click()
        tab = place.page.locator("#jp-main-dock-panel").get_by_role("tab", name="00-check-in.ipynb")
        expect(tab).to_be_visible()
        return
    with place.page.context.expect_page() as opened:
        button.click()
    opened.value.locator(".jp-Notebook").first.wait_for()
    opened.value.close()


@action("reload")
def _(place: Place) -> None:
    place.page.wait_for_timeout(2000)  # The layout is saved a moment after it has changed.
    if place.app == "lab":
        place.page.goto(place.lab.page("lab"))
        expect(place.page.get_by_role("tab", name="Log: blue")).to_be_visible()
    else:
        place.page.reload()
    place.show_panel()
    expect(state_of(place.card)).to_have_text("Running")


@action("running list")
def _(place: Place) -> None:
    if place.app == "lab":
        place.page.locator('.jp-SideBar [data-id="jp-running-sessions"]').click()
    else:
        place.page.goto(place.lab.page("tree"))
        place.page.get_by_role("tab", name="Running").click()
    running = place.page.locator("#jp-running-sessions, .jp-RunningSessions").first
    title = running.locator(".jp-AccordionPanel-title", has_text="GPU Clusters")
    title = title.or_(running.get_by_text("GPU Clusters"))
    title.first.wait_for()
    entry = running.get_by_text("blue", exact=True).first
    if not entry.is_visible():  # Older releases fold it.
        title.first.click()
    expect(entry).to_be_visible()


@action("settings")
def _(place: Place) -> None:
    place.page.get_by_role("menuitem", name="Settings", exact=True).click()
    place.page.get_by_role("menuitem", name="Settings Editor", exact=False).first.click()
    shown = place.page.context.pages[-1] if place.app != "lab" else place.page
    expect(shown.locator(".jp-PluginList").get_by_text("GPU clusters", exact=True)).to_be_visible()


@action("stop")
def _(place: Place) -> None:
    if place.app != "lab":
        place.page.goto(place.lab.page("notebooks/Lesson.ipynb"))
    place.show_panel()
    place.card.get_by_role("button", name="Stop", exact=True).click()
    dialog = place.page.get_by_role("dialog").get_by_role("button", name="Stop")
    stopped = state_of(place.card).filter(has_text="Stopped")
    expect(dialog.or_(stopped).first).to_be_visible()
    if dialog.count() > 0:
        dialog.click()
    expect(stopped).to_be_visible()


def use(browser: Browser, app: str, lab: Lab) -> dict[str, str]:
    """Do all actions; returns what went wrong, by action, and what the page complained about."""
    expect.set_options(timeout=PATIENCE_MS)
    (lab.directory / "root" / "Lesson.ipynb").write_text(json.dumps(EMPTY))
    path = "lab/tree/Lesson.ipynb?reset" if app == "lab" else "notebooks/Lesson.ipynb"
    page = open_page(browser, lab, path, height=1000)
    page.set_default_timeout(PATIENCE_MS)
    complaints: list[str] = []

    def note(text: str) -> None:
        if "Unsatisfied version" in text and "gpucluster" in text:
            complaints.append(text)

    page.on("console", lambda message: note(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)) if "gpucluster" in f"{error.stack}" else None)
    page.reload()
    page.locator(".jp-Notebook .cm-content").first.wait_for()
    failed: dict[str, str] = {}
    for name, act in ACTIONS:
        try:
            act(Place(app, lab, page))
        except Exception as error:
            failed[name] = " ".join(str(error).split())[:300]
            BUILD.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=BUILD / f"{lab.directory.name}-{name.replace(' ', '-')}.png")
            page.keyboard.press("Escape")
            if act is ACTIONS[0][1]:  # Everything else is in it.
                failed |= {name: "no panel" for name, _ in ACTIONS[1:]}
                break
    page.context.close()
    if complaints:
        failed["console"] = " ".join(complaints)[:1000]
    return failed


def run(*words: str | Path, **more: str) -> str:
    """Run a command, with more variables, and return what it prints."""
    environment = {**os.environ, **more}
    answer = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=900, env=environment)
    if answer.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))} failed:\n{answer.stdout[-2000:]}\n{answer.stderr[-3000:]}")
    return answer.stdout.strip()


@contextmanager
def environment(name: str, wheel: Path, system: Path | None) -> Iterator[Path]:
    """Yield the Python of an environment with that release and the wheel."""
    if system is not None:
        yield in_system(name, wheel, system)
        return
    folder = BUILD / name
    if name == "binder":
        yield image_of_binder(folder, wheel)
        return
    kind, _, release = name.partition("-")
    is_python = kind not in {"lab", "notebook"}
    run(name if is_python else sys.executable, "-m", "venv", "--clear", "--without-pip", folder)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", python, "install")
    if is_python:
        run(*pip, "-c", ROOT / "requirements" / "cpu.txt", wheel, "notebook")
    else:
        bound = release if release.count(".") > 1 else f"{release}.*"
        package = "jupyterlab" if kind == "lab" else "notebook"
        packages = [f"{package}=={bound}", "jupyterlab_widgets", "anywidget"]
        if kind == "notebook":  # Each stands on the JupyterLab of its time.
            packages.append(f"jupyterlab==4.{int(release.split('.')[1])}.*")
        if name in OLDEST:
            packages.append(f"jupyter-server=={OLDEST_SERVER}")
        run(*pip, "--no-deps", wheel, *packages)
        site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
        (Path(site) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    yield python


def image_of_binder(folder: Path, wheel: Path) -> Path:
    """Do what repo2docker does with the files in ``binder``: run ``postBuild`` in a new environment."""
    run(sys.executable, "-m", "venv", "--clear", folder)
    python = folder / "bin" / "python"
    home = folder / "home"
    home.mkdir()
    run(
        ROOT / "binder" / "postBuild", PATH=f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", HOME=str(home),
        GPUCLUSTER_WHEELS=str(wheel.parent), GPUCLUSTER_BINDER_FOLDER=str(home / "gpucluster-lessons"),
    )  # fmt: skip
    return python


def in_system(name: str, wheel: Path, system: Path) -> Path:
    """Make an environment with a Python of another system, and return a program that runs it there."""
    inside = (ROOT / "scripts" / "in-folder", system)
    folder = BUILD / name
    run(*inside, name, "-m", "venv", "--clear", folder)
    kept = BUILD / wheel.name
    if kept != wheel:
        kept.write_bytes(wheel.read_bytes())
    constraints = ROOT / "requirements" / "cpu.txt"
    run(*inside, folder / "bin" / "python", "-m", "pip", "--quiet", "install", "-c", constraints, kept, "notebook")
    program = BUILD / f"{name}-there" / "python"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec {inside[0]} {system} {folder}/bin/python "$@"\n')
    program.chmod(0o755)
    return program


def versions(python: Path) -> dict[str, str]:
    """Return the versions that an environment imports, which may also stand in one that lies below it."""
    names = ["jupyterlab", "notebook", "jupyter_server", "distributed"]
    code = (
        "import importlib.metadata as m, json, platform; found = {'python': platform.python_version()}\n"
        f"for name in {names}: found |= {{name: one.version for one in reversed([*m.distributions(name=name)])}}\n"
        "print(json.dumps(found))"
    )
    found: dict[str, str] = json.loads(run(python, "-c", code))
    return found


HEAD = ["front end", "jupyter-server", "Python", "Dask", "run on", "passed"]


def key(row: list[str]) -> tuple[str, list[int], list[int]]:
    """Return what a row is about, to the minor release: a later run of the same replaces it."""
    name, release = row[0].split()
    front, python = ([int(part) for part in version.split(".")[:2]] for version in (release, row[2]))
    return name, front, python


def main() -> None:
    """Try what is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=DEFAULT)
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--system", type=Path, help="folder made by debootstrap with the Pythons that are named")
    options = parser.parse_args()
    wheels = sorted((ROOT / "dist").glob("gpucluster-*.whl"))
    wheel = options.wheel or (wheels[-1] if wheels else None)
    if wheel is None:
        raise SystemExit("There is no wheel in dist: make build, or name one with --wheel.")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # Servers and clusters are stopped then, too.
    BUILD.mkdir(parents=True, exist_ok=True)
    is_all = True
    with chromium() as browser:
        for name in options.names:
            with environment(name, wheel, options.system) as python:
                found = versions(python)
                app = "notebook" if name.startswith("notebook") else "lab"
                path = f"{BUILD / name / 'bin'}{os.pathsep}{os.environ['PATH']}"
                base_url = "/user/ada/" if name == "binder" else "/"
                with jupyter(app, python=str(python), base_url=base_url, PATH=path) as lab:
                    failed = use(browser, app, lab)
            front = f"JupyterLab {found['jupyterlab']}" if app == "lab" else f"Notebook {found['notebook']}"
            if name == "binder":
                front = f"Binder {found['jupyterlab']}"
            print(
                name, front, "failed:" if failed else "all", json.dumps(failed, indent=1) if failed else "", flush=True
            )
            is_all = is_all and not failed
            if not options.check:
                row = [
                    front, found["jupyter_server"], found["python"], found["distributed"],
                    datetime.now(UTC).date().isoformat(), f"all but {', '.join(failed)}" if failed else "all",
                ]  # fmt: skip
                write("try_installs.py", HEAD, row, key)
    raise SystemExit(0 if is_all else 1)


if __name__ == "__main__":
    main()
