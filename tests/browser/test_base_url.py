"""A server as an institution runs it: below a path, as behind a JupyterHub, with a custom kind of cluster."""

import re
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from playwright.sync_api import Page, Request, Route, expect

from tests.thirdparty.installing import install

from .chromium import choose_action, open_card, open_page, open_panel
from .lab import Lab, jupyter

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Iterator[Lab]:
    """A JupyterLab below a path, with the kind ``subprocess`` of another package and a site's file with a fault."""
    site = tmp_path_factory.mktemp("site") / "site.yaml"
    site.write_text("costs: {all: {unit: node-hours, per_gpu_hour: many}}\n")
    site.chmod(0o644)
    packages = install(tmp_path_factory.mktemp("thirdparty"))
    with jupyter(base_url="/user/x/", PYTHONPATH=str(packages), GPUCLUSTER_SITE=str(site)) as running:
        yield running


@pytest.fixture(scope="module")
def page(browser, lab) -> Iterator[Page]:
    page = open_page(browser, lab)
    yield page
    page.context.close()


@pytest.mark.full
def test_a_cluster_of_a_kind_of_another_package_is_created_from_the_form(page, lab):
    panel = open_panel(page)
    panel.get_by_role("button", name="New cluster").click()
    form = panel.get_by_role("form", name="New cluster")
    form.get_by_label("Hardware", exact=True).select_option("Queued")
    form.get_by_label("Name", exact=True).fill("green")
    form.get_by_label("Workers", exact=True).fill("2")
    form.get_by_label("Queue", exact=True).select_option("long")
    form.get_by_text("More options").click()
    form.get_by_label("Waiting time", exact=True).fill("1 h")
    form.get_by_role("button", name="Copy as…").click()
    expect(form.get_by_role("region", name="Code", exact=True)).to_have_text(
        'gpucluster.create("subprocess", queue="long", queue_seconds=3600, name="green", n_workers=2)'
    )
    form.get_by_role("button", name="Create").click()
    card = panel.get_by_role("listitem", name="green", exact=True)
    waits = "2 of 2 workers wait: waits in the queue 'long'"
    expect(card.get_by_role("status").first).to_have_text("2 of 2 workers wait")
    expect(card.get_by_text(re.compile("^0 of 2 Queued workers · up"))).to_be_visible()
    expect(card.locator(".gpc-Pending")).to_have_text(waits)
    # What it can do is its own to say.
    expect(card.get_by_role("button", name="Scale", exact=True)).to_be_enabled()
    card.get_by_role("button", name="More actions").click()
    expect(page.get_by_role("menuitem", name="Restart workers…")).to_have_class(re.compile("lm-mod-disabled"))
    page.keyboard.press("Escape")
    expect(card.get_by_role("button", name="Dashboard", exact=True)).to_be_disabled()
    card.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    expect(card.get_by_role("status").first).to_contain_text("Stopped")
    assert (lab.control.get("green").backend, lab.control.get("green").wanted.stopped) == ("subprocess", True)


@pytest.mark.full
def test_a_dashboard_is_drawn_below_a_base_url(page, lab):
    strays: list[str] = []

    def note(request: Request) -> None:
        # Requests of other extensions do not matter here.
        if "gpucluster" in request.url and not request.url.startswith((f"{lab.url}/", "data:", "blob:")):
            strays.append(request.url)

    page.on("request", note)
    sheet = page.locator("link[href*='/user/x/lab/extensions/gpucluster/static/style.']")
    panel = open_panel(page)
    assert sheet.evaluate("link => link.sheet.cssRules.length") > 100
    lab.control.wait(lab.control.create({"backend": "local", "name": "blue", "n_workers": 1}).id)
    card = panel.get_by_role("listitem", name="blue", exact=True)
    # Told by the WebSocket of events.
    expect(card.get_by_role("status").first).to_have_text("Running")
    open_card(panel, "blue")
    with page.expect_websocket(lambda socket: "/user/x/gpucluster/dashboard/" in socket.url):
        choose_action(card, "Open dashboard layout")
    for title in ("Task stream", "Progress", "Memory by worker", "CPU by worker"):
        frame = page.frame_locator(f'iframe[title^="{title}:"]')
        expect(frame.locator("canvas").first).to_be_visible()
    choose_action(card, "Log")
    expect(page.get_by_role("log")).to_contain_text("distributed.scheduler")
    assert strays == []
    a_page_of_another_origin_gets_nothing(page, lab)


@pytest.mark.full
def test_the_style_sheet_is_there_before_anything_is_drawn_and_its_loss_stops_nobody(browser, lab):
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page = browser.new_page()
    page.route(re.compile(r"/user/x/lab/extensions/gpucluster/static/style\.\w+\.css"), hold)
    with page.expect_request(re.compile(r"/style\.\w+\.css\?v=\w+$")):
        page.goto(lab.page("lab/workspaces/sheet?reset"), wait_until="commit")
    page.wait_for_timeout(1500)
    expect(page.locator("#jp-main-dock-panel")).to_have_count(0)
    for route in held:
        route.abort()
    expect(page.locator("#jp-main-dock-panel")).to_be_visible()
    panel = open_panel(page)
    expect(panel.get_by_role("button", name="New cluster")).to_be_visible()
    page.close()


@pytest.mark.full
def test_what_is_wrong_with_the_file_of_the_site_is_told_to_who_can_change_it(page):
    panel = open_panel(page)
    panel.get_by_text("1 error in the site’s file", exact=True).click()
    expect(panel.get_by_text("costs.all.per_gpu_hour: must be a number, not 'many'.")).to_be_visible()


OTHER_ORIGIN = "http://127.0.0.1:23456/"
"""Of the same machine, so that the browser sends Jupyter's cookies to Jupyter."""
ATTACK = """
async ([pages, socket]) => {
  const outcome = {};
  const loaded = element => new Promise(resolve => {
    element.onload = () => resolve('loaded');
    element.onerror = () => resolve('refused');
    document.body.append(element);
  });
  for (const url of pages) {
    for (const mode of ['cors', 'no-cors']) {
      outcome[`${mode} ${url}`] = await fetch(url, { mode, credentials: 'include' }).then(
        answer => `${answer.type} ${answer.status}`, () => 'refused');
    }
    for (const tag of ['img', 'script']) {
      outcome[`${tag} ${url}`] = await loaded(Object.assign(document.createElement(tag), { src: url }));
    }
    await loaded(Object.assign(document.createElement('iframe'), { src: url }));
  }
  outcome[socket] = await new Promise(resolve => {
    const made = new WebSocket(socket);
    made.onopen = () => resolve('open');
    made.onerror = () => resolve('refused');
  });
  return outcome;
}
"""


def a_page_of_another_origin_gets_nothing(own: Page, lab: Lab) -> None:
    """It has the person's cookies. It may lead him to a dashboard, which it cannot look into, and no more."""
    dashboard = f"{lab.url}/gpucluster/dashboard/blue/status"
    addresses = [dashboard, f"{lab.url}/gpucluster/api/clusters"]
    page = own.context.new_page()
    page.route(
        f"{OTHER_ORIGIN}**", lambda route: route.fulfill(body=f'<a href="{dashboard}">x</a>', content_type="text/html")
    )
    withheld: set[str] = set()
    page.on("requestfailed", lambda request: withheld.add(request.url))
    page.goto(OTHER_ORIGIN)
    outcome = page.evaluate(ATTACK, [addresses, dashboard.replace("http", "ws", 1) + "/ws"])
    assert set(outcome.values()) == {"refused"}, outcome
    assert withheld >= set(addresses), "the browser asked, and the page got no answer"
    cookies = [str(cookie.get("name")) for cookie in page.context.cookies(dashboard)]
    assert any(name.startswith("username-") for name in cookies), "without the person's cookies nothing is proved"
    for frame in page.frames[1:]:
        assert frame.locator("canvas").count() == 0
    page.get_by_role("link").click()
    expect(page.locator("canvas").first).to_be_visible()
