"""What failed first and passed at the second try (``--reruns``): a run says why, or nobody looks for the cause."""

from __future__ import annotations

from typing import Any

SHOWN_LINES = 12


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Show the end of what each first try failed with."""
    tries = terminalreporter.stats.get("rerun", [])
    if not tries:
        return
    terminalreporter.section("first tries that failed")
    for report in tries:
        crash = getattr(report.longrepr, "reprcrash", None)
        where = f" ({crash.path}:{crash.lineno})" if crash else ""
        terminalreporter.write_line(f"{report.nodeid}, {report.when}, after {report.duration:.0f} s{where}")
        told = str(crash.message) if crash else str(report.longrepr)
        for line in told.splitlines()[-SHOWN_LINES:]:
            terminalreporter.write_line(f"    {line[:400]}")
