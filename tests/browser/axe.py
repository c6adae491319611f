"""axe-core: what keeps people with assistive technology out of a page."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SCRIPT = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"


def violations(page: Page, selector: str) -> list[str]:
    """Return the serious and critical violations below a node, each in a line."""
    page.evaluate(SCRIPT.read_text())
    found: dict[str, Any] = page.evaluate("selector => axe.run(selector, {resultTypes: ['violations']})", selector)
    return [
        f"{one['id']} ({one['impact']}): {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]
