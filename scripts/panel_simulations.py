"""States of the panel with clusters that this machine is too small for: their workers are simulated."""

from __future__ import annotations

from collections.abc import Sequence

from panel_pictures import Pictures
from playwright.sync_api import expect

from tests.browser.lab import Lab
from tests.fakes.cluster.process import simulated_cluster, simulated_clusters

MANY = 30
MOST_ENDED = 10
"""As many clusters that have ended the registry keeps."""


def idle(*options: str) -> tuple[str, ...]:
    """Return the options of a simulated cluster that does nothing."""
    return ("--tasks-per-second", "0", *options)


def simulations(pictures: Pictures) -> None:
    """Take clusters that this machine is too small for."""
    panel, environment = pictures.panel, pictures.environment
    rows = panel.get_by_role("list", name="Workers").get_by_role("listitem")
    if pictures.wants("starting"):
        with simulated_cluster("--workers", "4", "--arriving", "2", "--name", "new", environment=environment):
            expect(panel.locator('[data-state="starting"]')).to_be_visible()
            pictures.page.wait_for_timeout(1500)
            pictures.take("starting")
        pictures.forget_ended()
    if pictures.wants("scaling"):
        with simulated_cluster("--arriving", "3", "--workers", "2", "--name", "more", environment=environment) as id:
            expect(rows).to_have_count(2)
            pictures.lab.control.patch(id, {"n_workers": 4})
            expect(rows).to_have_count(3)
            pictures.take("scaling")
        pictures.forget_ended()
    if pictures.wants("waiting-jobs"):
        queued = ("--gpus", "--threads", "1", "--waiting", "Resources, expected 14:20")
        some = ("--workers", "4", "--arriving", "1", "--name", "some-wait", *queued)
        none = ("--workers", "4", "--arriving", "0", "--name", "all-wait", *queued)
        with simulated_clusters([some, none], environment=pictures.environment):
            expect(panel.get_by_text("3 of 4 jobs wait")).to_be_visible()
            pictures.page.wait_for_timeout(2000)
            pictures.take("waiting-jobs")
        pictures.forget_ended()
    if pictures.wants("eight", "eight-worker"):
        options: tuple[str, ...] = ("--workers", "8", "--gpus", "--lost", "1", "--past", "--name", "eight")
        with simulated_cluster(*options, environment=environment):
            expect(rows).to_have_count(8)
            pictures.take("eight")
            rows.nth(1).click()
            pictures.take("eight-worker")
        pictures.forget_ended()
    if pictures.wants("sixty-four", "sixty-four-workers"):
        options = ("--workers", "64", "--gpus", "--past", "--name", "sixty-four")
        with simulated_cluster(*options, environment=environment):
            expect(panel.get_by_role("slider", name="Workers")).to_be_visible()
            pictures.take("sixty-four")
            panel.get_by_role("button", name="Workers", exact=True).click()
            pictures.take("sixty-four-workers")


def many_clusters(pictures: Pictures) -> None:
    """Take four clusters, and thirty."""
    kinds: tuple[Sequence[str], ...] = (["--gpus"], idle(), [], ["--mig"])
    four = [("--workers", "2", "--name", f"work-{number}", *options) for number, options in enumerate(kinds)]
    figures = pictures.panel.locator(".gpc-RowGauge-busy")
    with simulated_clusters(four, environment=pictures.environment):
        expect(figures).to_have_count(4)
        # As somebody finds them who comes when they are there.
        pictures.reopen()
        expect(figures).to_have_count(4)
        pictures.page.wait_for_timeout(3000)
        pictures.take("four")
        if pictures.wants("thirty"):
            end_more(pictures.lab)
            names = [("--workers", "1", "--name", f"other-{number}") for number in range(MANY - MOST_ENDED - 4)]
            with simulated_clusters([idle(*name) for name in names], environment=pictures.environment):
                expect(figures).to_have_count(MANY - MOST_ENDED)
                pictures.reopen()
                expect(figures).to_have_count(MANY - MOST_ENDED)
                pictures.take("thirty")


def end_more(lab: Lab) -> None:
    """Have as many ended clusters as are kept: copies of one."""
    registry = lab.directory / "registry"
    if not any(model.state.ended for model in lab.control.list()):
        lab.control.stop(lab.control.create({"backend": "local", "n_workers": 1, "name": "blue"}).id)
    ended = [model for model in lab.control.list() if model.state.ended]
    source = (registry / ended[0].id / "state.json").read_text()
    for number in range(MOST_ENDED - len(ended)):
        id = f"{number:08x}"
        folder = registry / id
        folder.mkdir(mode=0o700)
        (folder / "lock").touch(mode=0o600)
        copy = source.replace(ended[0].id, id).replace(f'"{ended[0].name}"', f'"past-{number}"')
        (folder / "state.json").write_text(copy)
