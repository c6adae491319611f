"""The panel with larger text and wider spacing: nothing is cut off, nothing lies outside the page."""

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from playwright.sync_api import Browser, Locator, Page, expect

from .axe import SCRIPT, violations
from .chromium import open_card, open_page, open_panel, state_of
from .lab import Lab

pytestmark = [pytest.mark.timeout(400), pytest.mark.full]
SPACING = """#gpucluster-panel * {
  line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important;
} #gpucluster-panel p { margin-bottom: 2em !important; }"""
"""WCAG 2.2, success criterion 1.4.12."""
CUT_OFF = """panel => {
  const right = panel.getBoundingClientRect().right + 1;
  return [...panel.querySelectorAll('button, a, label, h2, h3, p, li, input, select')]
    .filter(one => one.checkVisibility({visibilityProperty: true}) && one.offsetParent)
    .filter(one => {
      const style = getComputedStyle(one);
      const named = style.textOverflow === 'ellipsis' || ['INPUT', 'SELECT'].includes(one.tagName);
      const clips = style.overflowX === 'hidden' || style.overflowX === 'clip' ||
        style.overflowY === 'hidden' || style.overflowY === 'clip';
      const larger = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
      return one.getBoundingClientRect().right > right || (clips && larger && !named && one.clientWidth > 1);
    })
    .map(one => `${one.tagName} ${one.className}: ${one.textContent.slice(0, 60)}`);
}"""
"""Controls and texts that a side of the panel, or of their own box, cuts off, except by an ellipsis, whose tooltip has
the whole text, and except those for screen readers only, which have no size."""


@pytest.fixture
def page(browser: Browser, lab: Lab) -> Page:
    return open_page(browser, lab)


def look_at_all(page: Page, panel: Locator) -> None:
    """Check a running cluster, the form to scale it and the form for a new one."""
    card = open_card(panel)
    expect(state_of(card)).to_have_text("Running")
    assert panel.evaluate(CUT_OFF) == []
    card.get_by_role("button", name="Scale", exact=True).click()
    expect(card.get_by_role("form")).to_be_visible()
    assert panel.evaluate(CUT_OFF) == []
    card.get_by_role("button", name="Cancel").click()
    panel.get_by_role("button", name="New cluster").click()
    form = panel.get_by_role("form", name="New cluster")
    form.get_by_text("More options").click()
    expect(form.get_by_role("button", name="Create")).to_be_in_viewport()
    assert panel.evaluate(CUT_OFF) == []
    form.get_by_role("button", name="Cancel").click()


def test_the_panel_takes_wide_spacing_of_text(page: Page) -> None:
    panel = open_panel(page)
    panel.get_by_role("button", name="Quick start").click()
    page.add_style_tag(content=SPACING)
    look_at_all(page, panel)
    page.add_style_tag(content="#gpucluster-panel button { width: 1em; overflow: hidden; }")
    assert panel.evaluate(CUT_OFF) != [], "what is cut off is found"


@pytest.mark.skipif(not SCRIPT.exists(), reason="needs axe-core: jlpm install")
def test_the_panel_fits_at_200_percent_zoom(page: Page) -> None:
    page.set_viewport_size({"width": 640, "height": 430})  # what is left of 1280 × 860
    panel = open_panel(page)
    look_at_all(page, panel)
    assert violations(page, "#gpucluster-panel") == []
