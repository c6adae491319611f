"""A share link in a browser without a login: gauges update, nothing else can be reached, and the link expires."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from gpucluster.protocol.models import ClusterModel
from gpucluster.server.shared_view.handler import OVER
from playwright.sync_api import Browser, Page, expect

from .axe import violations
from .chromium import PATIENCE_MS, choose_action, open_card, open_page, open_panel
from .lab import Lab, jupyter

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A server that writes everything that it can into its log."""
    with jupyter(base_url="/user/ada/", options=["--debug"]) as running:
        yield running


@pytest.fixture(scope="module")
def cluster(lab) -> ClusterModel:
    made = lab.control.create({"backend": "local", "name": "blue", "n_workers": 1})
    return lab.control.wait(made.id)


@pytest.fixture
def link(browser, lab, cluster) -> str:
    """A link that the owner has made in the panel."""
    page = open_page(browser, lab)
    card = open_card(open_panel(page))
    choose_action(card, "Share…")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("spinbutton").fill("1")
    dialog.get_by_role("button", name="Create link").click()
    address = page.get_by_role("textbox", name="Link", exact=True).input_value()
    page.get_by_role("button", name="Close", exact=True).click()
    expect(card.get_by_text(re.compile("^Shared by [12] links? · until"))).to_be_visible()
    page.context.close()
    return address


def stranger(browser: Browser, scheme: Any = "light") -> Page:
    page = browser.new_context(viewport={"width": 1000, "height": 800}, color_scheme=scheme).new_page()
    page.set_default_timeout(PATIENCE_MS)
    return page


def test_a_stranger_with_the_link_sees_gauges_and_reaches_nothing_else(browser, lab, cluster, link):
    token = link.split("#")[1]
    page = stranger(browser)
    told: list[str] = []
    page.on("request", lambda request: told.append(f"{request.url} {request.headers}"))
    sockets: list[Any] = []
    page.on("websocket", lambda socket: sockets.append(socket))
    page.goto(link)
    expect(page.get_by_role("heading", name="blue")).to_be_visible()
    expect(page.get_by_text("Worker 0", exact=True)).to_be_visible()
    assert violations(page, "main") == []
    # Figures update automatically, and there is no control that would change anything.
    with sockets[0].expect_event("framereceived"):
        pass
    assert page.get_by_role("button", name=re.compile("Retire|Stop|Scale|Restart")).count() == 0
    # Nothing of the token is left where it could be read, kept or passed on.
    assert page.url == link.split("#")[0]
    assert token not in "".join(told)
    assert page.evaluate("document.cookie + JSON.stringify([{...localStorage}, {...sessionStorage}])") == "[{},{}]"

    page.get_by_role("button", name="Show Dask’s dashboard").click()
    frame = page.frame_locator(".gpc-WidgetFrame")
    expect(frame.locator(".bk-Figure").first).to_be_visible()
    assert frame.locator(".navbar").is_hidden()

    # The cookie of the view is sent to the view, and Jupyter does not know it.
    for path in ("api/contents", "api/kernels", "gpucluster/api/clusters", f"gpucluster/dashboard/{cluster.id}/status"):
        answer = page.request.get(f"{lab.url}/{path}", max_redirects=0)
        assert answer.status in {302, 403}, path
    for path, code in (("dashboard/individual-profile", 404), ("../../api/clusters", 403), ("../../api/site", 403)):
        assert page.evaluate("async path => (await fetch(path)).status", path) == code

    # Who loads it again is still in; another browser without the link is not.
    page.reload()
    expect(page.get_by_text("Worker 0", exact=True)).to_be_visible()
    other = stranger(browser, "dark")
    other.goto(link.split("#")[0])
    expect(other.get_by_role("status")).to_contain_text("This link is not valid")

    # The link is withdrawn: what is open ends, and stays ended.
    assert lab.control.links(cluster.id).links[0].opened == 1
    lab.control.withdraw(cluster.id)
    expect(page.get_by_text("The link has expired or was revoked")).to_contain_text("Last known state of the cluster:")
    for live in ("running", "now"):
        expect(page.get_by_text(live, exact=True).filter(visible=True)).to_have_count(0)
    assert page.get_by_role("button", name="Show Dask’s dashboard").count() == 0
    page.reload()
    expect(page.get_by_role("status").first).to_have_text(OVER)
    again = stranger(browser)
    again.goto(link)
    expect(again.get_by_role("status")).to_contain_text("This link is not valid")

    log = (lab.directory / "log").read_text()
    assert f"/gpucluster/shared/{cluster.id}/session" in log, "the log says who came"
    assert token not in log
    activity = [entry.message for entry in lab.control.activity(cluster.id).entries if entry.kind == "link"]
    assert [message.split()[2] for message in activity] == ["created:", "opened;", "revoked;"]
