"""Take a picture of each state of the panel, at three widths and in both themes: ``make screenshots``.

The pictures are to be looked at, one by one: nobody compares them by program. Each shows one state six times. axe looks
too: what it calls serious or critical in any state is listed at the end, and the program fails.
``panel_states.py four thirty`` takes these two only.
"""

from __future__ import annotations

import json
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from gpucluster.sharing.node import VARIABLE
from panel_pictures import Pictures
from panel_scenes import beside_clusters, one_cluster, shared, with_gpus, without_clusters
from panel_simulations import many_clusters, simulations
from playwright.sync_api import Browser

from tests.browser.chromium import chromium, open_page
from tests.browser.lab import jupyter
from tests.fakes.nvml.machine import FakeMachine, compile_libraries

SITE = """
presets: [gpu-hour, leonardo-booster]
defaults: {slurm: {account: my_project, partition: boost_usr_prod}}
costs: {all: {unit: node-hours, per_gpu_hour: 0.25}}
"""
"""What the site says: beside the presets that are everywhere, those for Slurm are shown where Slurm is."""


@contextmanager
def opened(browser: Browser, folder: Path, only: set[str]) -> Iterator[Pictures]:
    """Open a page with the panel, on a machine whose GPUs are lines of a file."""
    with tempfile.TemporaryDirectory() as libraries:
        machine = FakeMachine(compile_libraries(Path(libraries)), Path(libraries) / "machine.txt")
        machine.write([])
        seen = {name: value for name, value in machine.environment().items() if name.startswith(("LD_", "FAKE_"))}
        site = Path(libraries) / "site.yaml"
        site.write_text(SITE)
        site.chmod(0o644)
        seen["GPUCLUSTER_SITE"] = str(site)
        seen[VARIABLE] = secrets.token_hex(4)
        with jupyter(**seen) as lab:
            settings = lab.directory / "settings" / "@jupyterlab" / "apputils-extension"
            (settings / "themes.jupyterlab-settings").write_text(json.dumps({"adaptive-theme": True}))
            named = {"GPUCLUSTER_SITE": str(site), VARIABLE: seen[VARIABLE]}
            yield Pictures(browser, lab, machine, open_page(browser, lab), folder, only, named)


GROUPS: list[tuple[tuple[str, ...], Callable[[Pictures], None]]] = [
    (("empty", "form", "form-faults", "where"), without_clusters),
    (("gpus-of-the-machine", "form-gpus"), with_gpus),
    (("shared", "shared-instructor"), shared),
    (("lessons", "lessons-progress", "recordings"), beside_clusters),
    (
        (
            "idle",
            "scale",
            "share",
            "busy",
            "worker",
            "processes",
            "worker-lost",
            "trouble",
            "traceback",
            "charts",
            "ended",
            "failed",
        ),
        one_cluster,
    ),
    (("starting", "scaling", "waiting-jobs", "eight", "eight-worker", "sixty-four", "sixty-four-workers"), simulations),
    (("four", "thirty"), many_clusters),
]


def main(only: set[str]) -> None:
    """Take the pictures that are asked for, or all."""
    unknown = only.difference(*(names for names, _ in GROUPS))
    if unknown:
        names = ", ".join(name for group, _ in GROUPS for name in group)
        sys.exit(f"There is no state {', '.join(sorted(unknown))}. There are: {names}.")
    with chromium() as browser, opened(browser, ROOT / ".build" / "panel", only) as pictures:
        for group, take in GROUPS:
            if pictures.wants(*group):
                take(pictures)
                pictures.forget_ended()
    if pictures.findings:
        sys.exit("\n".join(["What axe finds:", *pictures.findings]))


if __name__ == "__main__":
    main(set(sys.argv[1:]))
