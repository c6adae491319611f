"""The idle timer by itself."""

from __future__ import annotations

import time

from gpucluster.supervisor.idle import IdleTimer


def test_what_happened_between_two_looks_counts() -> None:
    timer = IdleTimer(timeout_seconds=0)
    timer.update(busy=False, quiet=True, n_uses=1)
    first = timer.model()
    assert timer.expired
    timer.timeout_seconds = 60
    timer._since = time.monotonic() - 59.5
    timer._quiet_since = "2026-01-01T00:00:00Z"
    timer.update(busy=False, quiet=True, n_uses=1)
    assert timer.model() is first
    timer.update(busy=False, quiet=True, n_uses=2)
    assert not timer.expired
    time.sleep(0.6)
    assert not timer.expired, "the count began anew"
    assert timer.model().quiet_since not in {None, "2026-01-01T00:00:00Z"}
    timer.update(busy=True, quiet=False, n_uses=3)
    assert (timer.model().idle_since, timer.model().stops_at, timer.model().quiet_since) == (None, None, None)
    timer.update(busy=False, quiet=True, n_uses=3)
    assert timer.model().idle_since is not None
